"""What a mixer must keep to, as checks of a store or a running mixer that planted faults must fail."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager

from pckv import Series, Task
from pckv.base.errors import ParameterError
from pckv.base.seeded import seeded_source
from pckv.collector.http.auth import token_hash
from pckv.mixing.acceptance import check_series, check_task
from pckv.mixing.store import MixerStore
from pckv.mixing.transactions import BatchState
from pckv.store.base import ReportOutcome
from support.mixers import (
    CLOSES,
    DAY,
    RECIPIENT_TOKEN,
    SETTINGS,
    accept,
    add,
    batch_bytes,
    edited,
    entries_of,
    mixed_task,
    mixer_member,
    sealed,
)

STORED, KNOWN = ReportOutcome.STORED, ReportOutcome.KNOWN
# A fault of `mixing/transactions.py`: neither the state of the batch nor its task ends uploads.
CLOSING = '    tx.change("UPDATE tasks SET closed = coalesce(closed, $1) WHERE number = $2", day, row.number)\n'
TAKEN_AFTERWARDS = {
    "if state != BatchState.COLLECTING or row.stored(tx).phase(day)": "if row.stored(tx).phase(day)",
    CLOSING: "",
}


@contextmanager
def refused(says: str, otherwise: str) -> Iterator[None]:
    """Assert that something is refused, with a reason that holds some words."""
    reason = ""
    try:
        yield
    except ParameterError as error:
        reason = str(error)
    assert says in reason, reason or otherwise


def released(store: MixerStore, task: Task, seed: int = 7) -> bytes:
    """Release the batch of a task with a given tape; return its bytes."""
    assert store.release(task.id, CLOSES, seeded_source(seed)) is BatchState.RELEASED
    return batch_bytes(store, task)


def check_all_orders(store: MixerStore) -> None:
    """With the same tape, all 4! orders in which four sealed reports may come give the same bytes."""
    found = set()
    for order in itertools.permutations(range(4)):
        task = mixed_task(4)
        accept(store, task)
        for number in order:
            assert add(store, task, number) == [STORED]
        found.add(released(store, task))
    assert len(found) == 1, "the batch depends on the order of arrival"


def check_tapes(store: MixerStore) -> None:
    """Other randomness gives another order of the same set: by chance the same in one of 20! cases."""
    found = []
    for seed in (1, 2):
        task = mixed_task(20)
        accept(store, task)
        add(store, task, *range(20))
        found.append(entries_of(task, released(store, task, seed)))
    assert sorted(found[0]) == sorted(found[1])
    assert found[0] != found[1], "two tapes gave the same order"


def check_too_few(store: MixerStore) -> None:
    """One entry short of the batch: all are deleted unread, and the state says so for ever."""
    task = mixed_task(4)
    accept(store, task)
    add(store, task, 1, 2, 3)
    assert store.release(task.id, CLOSES) is BatchState.TOO_FEW, "a batch that is too small was released"
    assert batch_bytes(store, task) == b""
    assert add(store, task, 4) == [ReportOutcome.TASK_CLOSED]
    assert store.release(task.id, CLOSES) is None
    batch = store.find_batch(task.id)
    assert batch is not None
    assert (batch.state, batch.size, batch.sha256) == (BatchState.TOO_FEW, None, None)


def check_closing_day(store: MixerStore) -> None:
    """Nothing leaves on the day before the closing day."""
    task = mixed_task(2)
    accept(store, task)
    add(store, task, 1, 2)
    assert store.release(task.id, "2030-01-19") is None, "released a day early"
    assert batch_bytes(store, task) == b""
    assert store.release(task.id, CLOSES) is BatchState.RELEASED


def check_one_set(store: MixerStore) -> None:
    """After the release no bytes are taken, by whatever clock, and there is no second batch."""
    task = mixed_task(2)
    accept(store, task)
    add(store, task, 1, 2)
    first = released(store, task)
    for day in (DAY, CLOSES):
        assert add(store, task, 3, day=day) == [ReportOutcome.TASK_CLOSED], "bytes were taken after the release"
    assert store.release(task.id, "2030-02-01", seeded_source(8)) is None
    assert batch_bytes(store, task) == first


def check_copies(store: MixerStore) -> None:
    """The same bytes again, in one commit or in two, are one entry, which counts once."""
    task = mixed_task(3)
    accept(store, task)
    assert add(store, task, 1, 1, 2) == [STORED, KNOWN, STORED]
    assert add(store, task, 2, 1) == [KNOWN, KNOWN]
    assert add(store, task, 3) == [STORED]
    content = released(store, task)
    assert sorted(entries_of(task, content)) == sorted(sealed(task, number) for number in (1, 2, 3)), "copies count"
    batch = store.find_batch(task.id)
    assert batch is not None
    assert (batch.size, batch.sha256) == (3, hashlib.sha256(content).hexdigest())


def check_survey_names(store: MixerStore) -> None:
    """A second task that people take for the same survey is refused, also after the first was withdrawn."""
    task = mixed_task(3)
    accept(store, task)
    other = mixed_task(4, name=f" {task.name.upper()}\u200b")
    for withdrawn in (False, True):
        if withdrawn:
            assert store.withdraw(task.id, DAY)
        with refused(f"{task.id} was accepted", "a second task of one survey was accepted"):
            store.accept_task(other, DAY, token_hash(RECIPIENT_TOKEN))


def check_series_names(store: MixerStore) -> None:
    """A series and a task that people take for one of its rounds, or for the series, are not both accepted."""
    template = mixed_task(2, opens=None, closes=None)
    assert store.accept_series(weekly(template), DAY, token_hash(RECIPIENT_TOKEN))
    otherwise = "a task was accepted beside a series of its name"
    for name in (template.name, f"{template.name}, ROUND 3"):
        with refused("was accepted under the name", otherwise):
            accept(store, mixed_task(3, name=name))
    accept(store, mixed_task(2, name="alone, round 3"))
    with refused("was accepted under the name", "a series was accepted beside a task of its name"):
        series = weekly(mixed_task(2, name="Alone", opens=None, closes=None))
        store.accept_series(series, DAY, token_hash(RECIPIENT_TOKEN))


def weekly(template: Task) -> Series:
    return Series(task=template, first="2030-01-14", period=7, panels=2)


def check_claims(_: MixerStore) -> None:
    """A claim that holds for the whole batch, and not for the honest reports, is refused; so is one that never holds."""
    # The blanket of 50,000 reports hides more than that of 20.
    sound = mixed_task(epsilon=3, mixer=mixer_member(50_000, epsilon="0.5"))
    check_task(sound, SETTINGS, DAY)
    for members in ({"honest": 20}, {"honest": 20, "batch": 20}):
        with refused("20 honest reports of local ε = 3", "a claim was believed that does not hold"):
            check_task(Task.from_json(edited(sound, **members)), SETTINGS, DAY)


def check_claims_of_series(_: MixerStore) -> None:
    """The claim of a series is that of its rounds."""
    sound = mixed_task(epsilon=3, opens=None, closes=None, mixer=mixer_member(50_000, epsilon="0.5"))
    check_series(weekly(sound), SETTINGS, DAY)
    with refused("20 honest reports of local ε = 3", "a claim was believed that does not hold"):
        check_series(weekly(Task.from_json(edited(sound, honest=20))), SETTINGS, DAY)
