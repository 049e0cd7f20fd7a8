"""The batches of mixed tasks: fetched once, wherever the collector ends, and refused where the mixer lies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.collector.recipient import mixer_client
from pckv.collector.recipient.status import batch_sentence
from pckv.contract.series import Series
from pckv.sealing.seal import seal
from pckv.store.base import FetchState
from support.endless import ENDLESS_ANSWERS, endless_collector
from support.fake_mixer import BATCH, CLOSES, OPENS, Lie, as_json, garbage, mixed_task, no_lie, sealed_reports
from support.faults import Fault, in_place
from support.mixed_batches import Recipient, check_any_end, recipient, require
from support.stores import stored_reports


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.verify)])
def collector(request: pytest.FixtureRequest) -> Iterator[Recipient]:
    with recipient(request.param) as started:
        yield started


def test_a_batch_is_pulled_opened_stored_acknowledged_and_its_key_deleted(collector: Recipient) -> None:
    task = collector.add(unreadable=3)
    collector.fetch()
    collector.check(task, unreadable=3)
    asked = len(collector.mixer.asked)
    collector.fetch()
    assert len(collector.mixer.asked) == asked


def test_the_batch_of_a_task_in_the_bin_is_fetched(collector: Recipient) -> None:
    """Its mixer does not keep it for long: a task that is restored later would have no reports."""
    task = collector.add()
    collector.store.bin_task(task.id, OPENS)
    collector.fetch()
    collector.check(task)


def check_traces() -> None:
    """Check that nothing of the sealed entries is in any file of the collector once their reports are stored.

    The ids of the reports depend on a key that is gone, so no row leads back to an entry.
    """
    with recipient("sqlite") as collector:
        task = collector.add()
        [key] = collector.folder.glob("*.key")
        kept = key.read_bytes()
        key.unlink()
        collector.fetch()
        # The control: verified, and not opened for want of the key.
        require(sealed_left(collector, task) == 8, "the sealed batch is not here")
        key.touch(0o600)
        key.write_bytes(kept)
        for _ in range(2):
            collector.fetch()
        require(collector.batch(task).state is FetchState.DONE, "not done")
        require(sealed_left(collector, task) == 0, "sealed entries are left")
        require(not collector.left, "files are left")


def sealed_left(collector: Recipient, task: Task) -> int:
    """Return how many sealed entries, or parts of them or of their digests, the files of a collector hold."""
    content = b"".join(path.read_bytes() for path in collector.folder.parent.rglob("*") if path.is_file())

    def parts(entry: bytes) -> tuple[bytes, ...]:
        return entry[:16], entry[16:32], entry[-16:], hashlib.sha256(entry).digest()[:16]

    return sum(any(part in content for part in parts(entry)) for entry in collector.entries[task.id])


def test_nothing_of_the_sealed_entries_is_left_at_the_collector() -> None:
    check_traces()


def test_a_collector_may_end_at_any_moment() -> None:
    check_any_end("memory", stride=9)


@pytest.mark.verify
def test_a_collector_may_end_at_every_moment() -> None:
    ends = check_any_end("sqlite")
    assert {"a page is half written", "after acknowledge", "before record_batch", "after add_opened_reports"} <= ends


@pytest.mark.verify
def test_a_collector_may_end_at_any_moment_over_postgres() -> None:
    check_any_end("postgres", stride=4)


def test_before_the_closing_day_the_mixer_is_asked_once_per_day_how_many_wait(collector: Recipient) -> None:
    task = collector.add()
    collector.day = OPENS
    for _ in range(3):
        collector.fetch()
    assert len(collector.mixer.asked) == 1
    assert (collector.batch(task).waiting, collector.batch(task).asked) == (5, OPENS)
    collector.day, collector.mixer.waiting = "2030-01-11", 7
    collector.fetch()
    assert (collector.batch(task).waiting, collector.batch(task).asked) == (7, "2030-01-11")
    assert not stored_reports(collector.store, task)


@pytest.mark.verify
def test_a_mixer_that_still_collects_is_asked_again(collector: Recipient) -> None:
    task = collector.add()
    collector.day = CLOSES
    collector.mixer.states[task.id] = "collecting"
    collector.fetch()
    assert (collector.batch(task).state, collector.batch(task).reason) == (FetchState.WAITING, None)
    collector.mixer.states[task.id] = "released"
    collector.fetch()
    collector.check(task)


def test_too_few_reports_are_told_and_the_key_is_deleted(collector: Recipient) -> None:
    task = collector.add()
    collector.mixer.states[task.id] = "too few"
    collector.fetch()
    assert collector.batch(task).state is FetchState.TOO_FEW
    assert (collector.left, collector.store.unfinished_batches()) == ([], [])


def test_a_batch_that_comes_late_is_acknowledged(collector: Recipient) -> None:
    """A mixer that was off for a month on the closing day keeps what it releases then for another month."""
    task = collector.add()
    collector.day = "2030-03-01"
    collector.fetch()
    collector.check(task)


def test_a_batch_of_garbage_is_told(collector: Recipient) -> None:
    task = collector.add()
    collector.mixer.release(task, [garbage(task, number) for number in range(BATCH)])
    collector.fetch()
    assert task.mixer is not None
    sentence = "0 reports came from the mixer of A second party; 8 more could not be read."
    assert batch_sentence(task.mixer, CLOSES, collector.batch(task)) == sentence
    assert (stored_reports(collector.store, task), collector.mixer.acknowledged) == ([], [task.id])


def test_a_refused_token_is_told_in_one_sentence(collector: Recipient) -> None:
    task = collector.add()
    collector.mixer.lie = lambda _, __, ___: (401, as_json({"title": "A valid token is needed."}))
    collector.fetch()
    assert task.mixer is not None
    told = batch_sentence(task.mixer, CLOSES, collector.batch(task))
    assert told.endswith(f"and is repeated: the mixer {collector.mixer.url}: A valid token is needed.")


def test_a_withdrawn_task_is_told_and_the_key_is_deleted(collector: Recipient) -> None:
    task = collector.add()
    collector.mixer.lie = lambda _, __, ___: (410, as_json({"title": "The task was deleted."}))
    collector.fetch()
    assert (collector.batch(task).state, collector.batch(task).reason) == (FetchState.WITHDRAWN, None)
    assert (collector.left, collector.store.unfinished_batches()) == ([], [])
    assert task.mixer is not None
    assert batch_sentence(task.mixer, CLOSES, collector.batch(task)) == (
        "A second party, which runs the mixer, withdrew the task: its reports were deleted unread, and there are no "
        "results."
    )


def test_after_a_failure_pauses_grow_and_the_batch_is_pulled_once_the_mixer_answers(collector: Recipient) -> None:
    task = collector.add()
    collector.mixer.lie = lambda _, __, ___: (503, b"")
    for failures, pause in ((1, 60), (2, 120), (3, 240)):
        collector.fetch()
        batch = collector.batch(task)
        assert (batch.failures, batch.next_try - collector.seconds) == (failures, pause)
        assert "503" in (batch.reason or "")
        asked = len(collector.mixer.asked)
        collector.fetch(pause - 1)
        assert len(collector.mixer.asked) == asked
    collector.mixer.lie = no_lie
    collector.fetch()
    collector.check(task)


def test_reports_that_were_stored_but_not_acknowledged_are_acknowledged_later(collector: Recipient) -> None:
    task = collector.add()
    collector.mixer.lie = lambda path, status, content: (503, b"") if "acknowledge" in path else (status, content)
    collector.fetch()
    assert (collector.batch(task).state, collector.batch(task).opened) == (FetchState.OPENED, 8)
    # A mixer keeps a batch for 30 days: what it was told does not matter after that.
    collector.day = "2030-02-20"
    collector.fetch()
    assert collector.batch(task).state is FetchState.DONE
    assert collector.left == []


@pytest.mark.verify
@pytest.mark.parametrize("name", ["key", "token"])
def test_without_its_key_or_token_a_batch_waits(collector: Recipient, name: str) -> None:
    task = collector.add()
    [path] = collector.folder.glob(f"*.{name}")
    kept = path.rename(collector.folder.parent / "kept")
    collector.fetch()
    assert "is missing" in (collector.batch(task).reason or "")
    assert not stored_reports(collector.store, task)
    kept.rename(path)
    collector.fetch()
    collector.check(task)


def test_pages_that_are_here_are_not_pulled_again(collector: Recipient) -> None:
    task = collector.add()
    collector.mixer.lie = lambda path, status, content: (503, b"") if path.endswith("/2") else (status, content)
    collector.fetch()
    collector.mixer.lie = no_lie
    collector.mixer.asked.clear()
    collector.fetch()
    assert next(path for path in collector.mixer.asked if "/batch/" in path).endswith("/batch/2")
    collector.check(task)


# What a mixer may say that is not so, and the line that the operator reads.
def lying(change: Callable[[dict[str, Any]], object]) -> Lie:
    """Return a lie about a batch as a whole."""

    def lie(path: str, status: int, content: bytes) -> tuple[int, bytes]:
        if not path.endswith("/batch"):
            return status, content
        told = json.loads(content)
        change(told)
        return status, as_json(told)

    return lie


def page_lie(page: str, change: Callable[[bytes], bytes]) -> Lie:
    """Return a lie in one page of a batch."""
    return lambda path, status, content: (status, change(content) if path.endswith(f"/batch/{page}") else content)


def replayed(collector: Recipient) -> None:
    """Hand the first page over twice, with a hash of just that."""
    [(_, entries)] = collector.mixer.entries.items()
    entries[3:6] = entries[:3]


def with_one_twice(collector: Recipient) -> None:
    [(_, entries)] = collector.mixer.entries.items()
    entries[7] = entries[0]


def with_few(collector: Recipient) -> None:
    [(_, entries)] = collector.mixer.entries.items()
    del entries[7:]


LIES: dict[str, tuple[Lie | Callable[[Recipient], None], str]] = {
    "another task": (lying(lambda told: told.update(task="A" * 43)), "the batch of another task"),
    "a smaller number": (lying(lambda told: told.update(count=9)), "has 112 bytes, not 168"),
    "fewer than the batch": (with_few, "7 reports, fewer than the 8 of the task"),
    "far too many": (lying(lambda told: told.update(count=10**11)), "more than 100 times its batch"),
    "another hash": (lying(lambda told: told.update(sha256="0" * 64)), "does not have the announced SHA-256"),
    "no hash": (lying(lambda told: told.update(sha256="0" * 63)), "not the answer of a mixer"),
    "a number in quotes": (lying(lambda told: told.update(count="8")), "not the answer of a mixer"),
    "true as a number": (lying(lambda told: told.update(page_entries=True)), "not the answer of a mixer"),
    "pages of nothing": (lying(lambda told: told.update(page_entries=0)), "not the answer of a mixer"),
    "longer entries": (lying(lambda told: told.update(entry_bytes=57)), "57 bytes, and those of this task 56"),
    "huge pages": (lying(lambda told: told.update(page_entries=10**6)), "its pages have more than"),
    "an unknown state": (lying(lambda told: told.update(state="lost\n")), "the unknown state 'lost'"),
    "a deleted batch": (lying(lambda told: told.update(state="done")), "has deleted the batch"),
    "no JSON": (lambda _, status, __: (status, b"<html>"), "not the answer of a mixer"),
    "deep JSON": (lambda _, status, __: (status, b"[" * 60_000), "not the answer of a mixer"),
    "an endless header": (lambda _, status, __: (status, b" " * 2**17), "more than 65,536 bytes"),
    "an endless page": (page_lie("1", lambda page: page * 1000), "more than 168 bytes"),
    "a short page": (page_lie("1", lambda page: page[1:]), "page 1 of its batch has 167 bytes, not 168"),
    "a changed entry": (page_lie("2", lambda page: bytes([page[0] ^ 1]) + page[1:]), "does not have the announced"),
    "a replayed page": (replayed, "entries that are repeated"),
    "a repeated entry": (with_one_twice, "entries that are repeated"),
    "a refused token": (lambda _, __, ___: (401, as_json({"title": "A valid token\nis needed."})), "A valid token is"),
    "a redirect": (lambda _, __, ___: (302, b""), "302"),
}  # fmt: skip


def check_lie(collector: Recipient, lie: str) -> None:
    told, reason = LIES[lie]
    task = collector.add()
    honest = list(collector.mixer.entries[task.id])
    if isinstance(told, type(no_lie)) and told.__code__.co_argcount == 1:
        told(collector)  # type: ignore[call-arg, arg-type]
    else:
        collector.mixer.lie = told  # type: ignore[assignment]
    collector.check_refused(task, reason)
    # Nothing is lost: the batch is taken once the mixer says what is so.
    collector.mixer.lie, collector.mixer.entries[task.id] = no_lie, honest
    collector.fetch()
    collector.check(task)


# One of each kind in every run.
FIRST_LIES = ("fewer than the batch", "another hash", "an endless page", "a repeated entry")


@pytest.mark.parametrize(
    "lie", [pytest.param(lie, marks=[] if lie in FIRST_LIES else pytest.mark.verify) for lie in LIES]
)
def test_what_a_mixer_says_falsely_is_refused_in_one_line_and_nothing_is_lost(lie: str) -> None:
    with recipient() as collector:
        check_lie(collector, lie)


def test_a_mixer_that_is_down_is_told(collector: Recipient) -> None:
    # Nothing listens there.
    collector.mixer.url = "http://127.0.0.1:1"
    task = collector.add()
    collector.check_refused(task, "the mixer http://127.0.0.1:1: no answer ([Errno 111] Connection refused)")


@pytest.mark.verify
@pytest.mark.parametrize("pause", [0.05, 0.0], ids=["slowly", "fast"])
@pytest.mark.parametrize("answer", ENDLESS_ANSWERS)
def test_an_answer_without_an_end_is_one_line(answer: str, pause: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mixer that goes on for ever holds a collector for as long as its largest answer may take, and no longer."""
    monkeypatch.setattr(mixer_client, "TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr(mixer_client, "MIN_BYTES_PER_SECOND", 2**20)
    with endless_collector(answer, pause) as endless, recipient() as collector:
        collector.mixer.url = endless.url
        task = collector.add()
        collector.check_refused(task, f"the mixer {endless.url}: ")


def test_a_verified_batch_is_not_exchanged_for_another(collector: Recipient) -> None:
    """Some of its reports may be stored already: a second batch would add to them."""
    task = collector.add()
    [key] = collector.folder.glob("*.key")
    kept = key.rename(collector.folder.parent / "kept")
    collector.fetch()
    assert collector.batch(task).state is FetchState.PULLED
    kept.rename(key)
    (collector.folder / f"{task.id}.batch").write_bytes(b"damaged")
    other, honest = collector.mixer.entries[task.id][::-1], collector.mixer.entries[task.id]
    collector.mixer.entries[task.id] = other
    collector.fetch()
    assert "the batch that it announced before" in (collector.batch(task).reason or "")
    collector.mixer.entries[task.id] = honest
    collector.fetch()
    collector.check(task)


def check_lies(*lies: str) -> None:
    for lie in lies:
        with recipient() as collector:
            check_lie(collector, lie)


def check_undecodable() -> None:
    """Check that an entry which opens, and is no report of the task, is counted and does no harm."""
    with recipient() as collector:
        task = collector.add(unreadable=1)
        undecodable = seal(b"\xff" * 8, collector.key.public_key, task.digest)
        of_another_task = seal(bytes(8), collector.key.public_key, bytes(32))
        collector.mixer.entries[task.id] += [undecodable, of_another_task]
        collector.fetch()
        collector.check(task, unreadable=3)


def test_what_opens_and_is_no_report_of_the_task_is_counted() -> None:
    check_undecodable()


def check_taken() -> None:
    with recipient() as collector:
        task = collector.add(unreadable=2)
        collector.fetch()
        collector.check(task, unreadable=2)


def with_recipient(check: Callable[[Recipient], None]) -> None:
    with recipient() as collector:
        check(collector)


BATCHES, CLIENT = "collector/recipient/batches.py", "collector/recipient/mixer_client.py"
FAULTS = [
    in_place("the key of a series goes with its first round", BATCHES, {"all(task.is_final for task in tasks) and all(one.phase(day) is Phase.CLOSED for one in series)": "bool(day)"}, lambda: with_recipient(check_series), None),
    in_place("a repeated entry is taken", BATCHES, {"len(np.unique(pairs, axis=0)) != count": "not count"}, lambda: check_lies("a repeated entry"), "taken as"),
    in_place("the hash is not compared", BATCHES, {"elif whole.hexdigest() != sha256": "elif whole.hexdigest() == ''"}, lambda: check_lies("another hash"), "taken as"),
    in_place("fewer than the batch are taken", CLIENT, {"if count < batch:": "if count < 0:"}, lambda: check_lies("fewer than the batch"), "taken as"),
    in_place("the task of a batch is not compared", CLIENT, {"if named != task.id:": "if named != named:"}, lambda: check_lies("another task"), "taken as"),
    in_place("a page is read whatever its length", CLIENT, {"        if len(content) != size:": "        if not content:"}, lambda: check_lies("a short page"), "refused as"),
    in_place("an answer is read to its end", CLIENT, {"answer.read(max_bytes + 1)": "answer.read()", "if len(content) > max_bytes:": "if max_bytes < 0:"}, lambda: check_lies("an endless page"), "refused as"),
    in_place("a refused batch is kept", BATCHES, {"            self._keys.delete_batch(task.id)\n            raise": "            raise"}, lambda: check_lies("a changed entry"), "others|ended"),
    in_place("what is opened is not decoded", BATCHES, {" and _is_readable(task, report)": ""}, check_undecodable, "others"),
    in_place("unreadable entries are not counted", BATCHES, {"unreadable += len(found) - len(reports)": "unreadable += 0"}, check_taken, "told as"),
    in_place("the mixer is told before reports are stored", BATCHES, {"        opened = unreadable = 0\n": "        opened = unreadable = 0\n        MixerClient(mixer, self._keys.token(mixer)).acknowledge(task, batch.sha256 or '')\n        self._keys.delete_batch(task.id)\n"}, check_taken, None),
    in_place("the key is deleted before reports are stored", BATCHES, {"        key = self._keys.find(mixer)\n": "        key = self._keys.find(mixer)\n        self._keys.delete(mixer.key)\n"}, lambda: check_any_end("memory", stride=5), None),
    in_place("the key stays", BATCHES, {"                self._keys.delete(key)\n": "                pass\n"}, check_taken, "left behind"),
    in_place("the sealed batch stays", BATCHES, {"            self._keys.delete_batch(task_id)\n": "            pass\n"}, check_traces, "entries are left"),
    in_place("ids of reports are those of their entries", "sealing/opening.py", {'hmac.digest(self._id_secret, entry, "sha256")': '__import__("hashlib").sha256(entry).digest()'}, check_traces, "entries are left"),
    in_place("a page that was half written is kept", BATCHES, {"length // page_bytes * page_bytes": "length"}, lambda: check_any_end("memory"), "failed after an end"),
    in_place("the batch is opened before all of it is here", BATCHES, {"        self._verify(task, mixer, told.entries, told.sha256)\n        return self._record(": "        return self._record("}, lambda: check_lies("a changed entry"), "taken as"),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_every_planted_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


def check_series(collector: Recipient) -> None:
    """Check that the key of a series is there until the batch of its last round is in."""
    template = mixed_task(collector.mixer, collector.key, days=False)
    series = Series(task=template, first=OPENS, period=5, panels=1, rounds=2)
    collector.mixer.accept(series)
    collector.store.add_series(series, OPENS)
    rounds = [series.task_of(number) for number in (1, 2)]
    for number, task in enumerate(rounds):
        collector.mixer.accept(task)
        collector.store.add_round(task, OPENS)
        collector.mixer.release(task, sealed_reports(task, collector.key))
        collector.mixer.states[task.id] = "collecting"
        assert collector.batch(task).state is FetchState.WAITING, number
    first, last = rounds
    collector.mixer.states[first.id] = "released"
    collector.day = str(first.closes)
    collector.fetch()
    require(collector.batch(first).state is FetchState.DONE, "the first round is not in")
    require([Path(name).suffix for name in collector.left] == [".key", ".token"], f"left: {collector.left}")
    collector.mixer.states[last.id] = "released"
    collector.day = str(last.closes)
    collector.fetch()
    require(collector.batch(last).state is FetchState.DONE, "the last round is not in")
    require(collector.left == [], f"left: {collector.left}")
    for task in rounds:
        require(len(stored_reports(collector.store, task)) == 8, "reports are lost")


def test_the_key_of_a_series_stays_until_its_last_round_is_in(collector: Recipient) -> None:
    check_series(collector)


@pytest.mark.verify
def test_the_key_of_a_series_goes_once_it_is_closed_and_its_rounds_are_in(collector: Recipient) -> None:
    template = mixed_task(collector.mixer, collector.key, days=False)
    series = Series(task=template, first=OPENS, period=5, panels=1)
    collector.store.add_series(series, OPENS)
    task = series.task_of(1)
    collector.mixer.accept(task)
    collector.store.add_round(task, OPENS)
    collector.mixer.release(task, sealed_reports(task, collector.key))
    collector.store.close_series(series.id, "2030-01-12")
    # Its participants have reported: what the mixer has comes all the same.
    collector.fetch()
    assert (collector.batch(task).opened, collector.left) == (8, [])


@pytest.mark.verify
def test_a_key_that_no_task_has_yet_stays(collector: Recipient) -> None:
    collector.fetch()
    assert [Path(name).suffix for name in collector.left] == [".key", ".token"]
