"""What every client does about mixed tasks: its reports are sealed once, and go to the mixer alone; both sums count them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from pckv import Series, Task
from pckv.client.ledger import realised_epsilon
from pckv.sealing.envelope import sealed_length
from pckv.sealing.opening import EntryOpener
from pckv.sealing.recipient_key import RecipientKey
from support.client_collector import LOST, FakeCollector, Reply, problem
from support.client_devices import KEYS
from support.mixed_tasks import KEY
from support.sealing import SECRETS
from support.tasks import a_mixed_task

PAIRS = {"alien": 5.0}
# Attempts of one call.
TRIES = 3
MEMBERS: dict[str, Any] = {
    "keys": KEYS,
    "values": (1, 5),
    "epsilon": 4,
    "mechanism": "grr",
    "padding": 1,
    "size_share": "0",
}
FIRST, PERIOD = dt.datetime(2030, 1, 7, 12, tzinfo=dt.UTC), 7


class Place(NamedTuple):
    """A collector and a mixer."""

    collector: FakeCollector
    mixer: FakeCollector

    def task(self, name: str = "mixed", *, accepted: bool = True, **claim: str) -> Task:
        """Return a task that the collector has, and the mixer too if it has accepted it."""
        task = a_mixed_task(Task(name=name, closes="2999-01-01", **MEMBERS), self.mixer.url, **claim)
        for where in self if accepted else (self.collector,):
            where.tasks[task.id] = task.to_json().encode()
        return task

    def series(self, *, accepted: bool = True) -> Series:
        template = a_mixed_task(Task(name="weekly", **MEMBERS), self.mixer.url)
        series = Series(task=template, first=str(FIRST.date()), period=PERIOD, panels=1, rounds=4)
        for where in self if accepted else (self.collector,):
            where.others[f"/series/{series.id}"] = series.to_json().encode()
        return series

    def paths(self) -> tuple[list[str], list[str]]:
        """Return what the collector and the mixer were asked."""
        asked = [[f"{request.method} {request.path}" for request in each.received] for each in self]
        return asked[0], asked[1]


class StoredSealed(NamedTuple):
    """What a device has stored of a report."""

    body: bytes
    sealed: bytes
    has_id: bool


class Answer(NamedTuple):
    """What a call says: a status or the code of an error, and a reason or its message."""

    says: str
    why: str = ""


class MixedDevice(Protocol):
    """A device with one state and a new client for every call; `early` counts uploads of what was not stored."""

    @property
    def early(self) -> int: ...
    def submit(
        self, task: Task, url: str, pairs: dict[str, float] = PAIRS, *, invitation: str | None = None, **caps: str
    ) -> Answer: ...
    def report(self, series: Series, url: str, now: dt.datetime) -> Answer: ...
    def flush(self, url: str) -> list[str]: ...
    def stored(self, task: Task) -> StoredSealed | None: ...
    def sums(self) -> tuple[Decimal, Decimal, Decimal]: ...
    def words(self) -> list[str]: ...
    def cannot_seal(self) -> AbstractContextManager[None]: ...


MakeDevice = Callable[[Place], MixedDevice]


@contextmanager
def places() -> Iterator[Place]:
    with FakeCollector().serving() as collector, FakeCollector().serving() as mixer:
        yield Place(collector, mixer)


def opened(task: Task, entry: bytes) -> bytes:
    """Return the body in an entry, which must be a whole report of the task."""
    found = EntryOpener(RecipientKey(SECRETS[0]), task.digest, task.message_format.body_bytes).open(entry)
    assert found is not None, "the entry is not a sealed body of this task"
    task.message_format.decode(found.body)
    return found.body


def check_way(make: MakeDevice) -> None:
    """A report is sealed, stored, and sent to the mixer, which alone is asked; only the text is the collector's."""
    with places() as place:
        device, task = make(place), place.task()
        assert device.submit(task, place.collector.url, invitation="a token").says == "sent"
        path = f"/tasks/{task.id}"
        asked = [f"GET {path}", f"POST {path}/admission", f"POST {path}/sealed"]
        assert place.paths() == ([asked[0]], asked)
        admission, upload = place.mixer.received[1:]
        headers = {name.lower(): value for name, value in upload.headers.items()}
        assert (headers["content-type"], headers["pckv-invitation"]) == ("application/octet-stream", "a token")
        assert admission.body.replace(b" ", b"") == b'{"invitation":"atoken"}'
        assert device.early == 0, "sent before it was stored"
        body = opened(task, upload.body)
        assert device.stored(task) == StoredSealed(body, upload.body, has_id=False)


def check_mixer_alone(make: MakeDevice) -> None:
    """Where the mixer's address is given, the collector is asked nothing."""
    with places() as place:
        device, task = make(place), place.task()
        assert device.submit(task, place.mixer.url).says == "sent"
        assert place.paths()[0] == []
        assert len(place.mixer.received) == 3


def check_retries(make: MakeDevice) -> None:
    """Retries, restarts and flushes send the same bytes."""
    with places() as place:
        device, task = make(place), place.task()
        url = place.collector.url
        place.mixer.replies.extend([LOST, problem(503, "overloaded"), problem(429, "too-often")])
        assert device.submit(task, url).says == "waiting"
        place.mixer.replies.extend([LOST] * TRIES)
        assert device.submit(task, url, {"heat": 1.0}).says == "waiting"
        place.mixer.replies.append(problem(401, "bad-token"))
        assert device.flush(url) == ["waiting"]
        assert device.flush(url) == ["sent"]
        assert device.submit(task, url).says == "sent"
        assert len(place.mixer.sent) == 2 * TRIES + 2
        assert len({*place.mixer.sent}) == len(place.mixer.entries[task.id]) == 1, "sealed anew"
        assert place.paths()[0] == [f"GET /tasks/{task.id}"]


def check_answers(make: MakeDevice) -> None:
    """Another service at the mixer's address does not take a report: it waits for the mixer."""
    with places() as place:
        device, task = make(place), place.task()
        for content in (b'{"error":"try later"}', b"junk", b""):
            place.mixer.replies.append(Reply(200, content))
            assert device.submit(task, place.collector.url).says == "waiting", "what is not a mixer's is believed"
        assert device.flush(place.collector.url) == ["sent"]
        assert len({*place.mixer.sent}) == 1


def check_not_accepted(make: MakeDevice) -> None:
    """A task or series that the mixer has not accepted is refused, and one that it does not answer about."""
    with places() as place:
        device, task, series = make(place), place.task(accepted=False), place.series(accepted=False)
        assert device.submit(task, place.collector.url).says == "not_accepted"
        assert device.report(series, place.collector.url, FIRST).says == "not_accepted"
        place.mixer.tasks[task.id] = task.to_json().encode()
        place.mixer.answers.extend([problem(503, "overloaded")] * TRIES)
        assert device.submit(task, place.collector.url).says == "not_sent"
        assert (device.stored(task), device.sums()[2]) == (None, Decimal(0))
        assert all(path.startswith("GET ") for path in place.paths()[0] + place.paths()[1])
        assert device.submit(task, place.collector.url).says == "sent"


def check_trial(make: MakeDevice) -> None:
    """A device that cannot seal is told so before anything is asked, spent or stored."""
    with places() as place:
        device, task, series = make(place), place.task(), place.series()
        with device.cannot_seal():
            for answer in (
                device.submit(task, place.collector.url),
                device.report(series, place.collector.url, FIRST),
            ):
                assert answer.says in {"cannot_seal", "missing_extra"}
                assert len(answer.why.splitlines()) == 1
        assert not any("admission" in path for path in place.paths()[1])
        assert (device.stored(task), device.sums()[2]) == (None, Decimal(0))
        assert device.submit(task, place.collector.url).says == "sent"


def check_unanswered(make: MakeDevice) -> None:
    """Nothing is made or spent while the mixer does not say that it takes a report."""
    with places() as place:
        device, task = make(place), place.task()
        place.mixer.admissions.extend([Reply(200, b"{}")] * 9)
        answer = device.submit(task, place.collector.url)
        assert (answer.says, len(answer.why.splitlines())) == ("not_sent", 1)
        assert (device.stored(task), device.sums()[2]) == (None, Decimal(0))


def check_refusals(make: MakeDevice) -> None:
    """A mixer's refusal is final; with another invitation, the same bytes are sent again."""
    with places() as place:
        device, task, url = make(place), place.task(), place.collector.url
        place.mixer.replies.append(problem(403, "invitation-spent"))
        assert device.submit(task, url, invitation="one").says == "refused"
        assert device.submit(task, url).says == "refused"
        assert device.submit(task, url, invitation="two").says == "sent"
        assert (len(place.mixer.sent), len({*place.mixer.sent})) == (2, 1)
        late = place.task("late")
        place.mixer.replies.append(problem(403, "closed"))
        assert device.submit(late, url).says == "refused"
        assert device.flush(url) == []
        gone = place.task("gone")
        place.mixer.admissions.append(problem(410, "deleted"))
        assert device.submit(gone, url).says == "deleted"
        assert device.stored(gone) is None


def check_rounds(make: MakeDevice) -> None:
    """The rounds of a mixed series go to the mixer, each sealed for its own task."""
    with places() as place:
        device, series, url = make(place), place.series(), place.collector.url
        for number in (1, 2):
            now = FIRST + dt.timedelta(days=PERIOD * (number - 1))
            assert device.report(series, url, now).says == "sent"
            assert device.report(series, url, now).says == "sent"
            opened(series.task_of(number), place.mixer.sent[-1])
        assert len(place.mixer.sent) == 2
        assert place.paths()[0] == [f"GET /series/{series.id}"]


def check_sums(make: MakeDevice) -> None:
    """Claims count towards recipients, every report's own ε whatever fails, and each sum has its cap."""
    with places() as place:
        device, url = make(place), place.collector.url
        one, two, three = (place.task(f"survey {number}", delta="0.000004") for number in range(3))
        own = realised_epsilon(one)
        assert device.submit(one, url, cap="1").says == "sent"
        assert device.submit(two, url).says == "sent"
        assert device.sums() == (Decimal(1), Decimal("0.000008"), 2 * own)
        refused = device.submit(place.task("small", epsilon="0.1"), url)
        assert (refused.says, "cap of 1 in all" in refused.why) == ("over_budget", True)
        refused = device.submit(three, url, cap="10")
        assert (refused.says, "cap of 0.00001 on δ" in refused.why) == ("over_budget", True)
        refused = device.submit(place.task("small", epsilon="0.1"), url, local_cap="11.9")
        assert (refused.says, "local cap of 11.9" in refused.why) == ("over_budget", True)
        assert device.sums() == (Decimal(1), Decimal("0.000008"), 2 * own)
        assert device.submit(place.task("small", epsilon="0.1"), url, local_cap="12").says == "sent"
        words = device.words()
        assert "ε = 1.1 and δ = 0.000009 are spent, of at most 10 and 0.00001 in all, if the mixer follows" in words[-2]
        assert words[-1] == f"Whatever fails, ε = {3 * own:f} is spent, of at most 12 in all."
        assert "the mixer has the report" in words[0]


def check_swapped_key(make: MakeDevice) -> None:
    """Where collector and mixer serve the task with the key of another recipient, nothing is sealed."""
    with places() as place:
        device, task = make(place), place.task()
        assert task.mixer is not None
        for where in place:
            where.tasks[task.id] = task.to_json().replace(task.mixer.key, KEY).encode()
        assert device.submit(task, place.collector.url).says == "wrong_task"
        assert (place.mixer.sent, device.stored(task), device.sums()[2]) == ([], None, Decimal(0))


def check_lengths(make: MakeDevice) -> None:
    """Sealed reports have the length that the task determines, whatever the pairs are."""
    with places() as place:
        device = make(place)
        for number, pairs in enumerate(({}, PAIRS, {"alien": 1.0, "heat": 5.0})):
            task = place.task(f"survey {number}")
            assert device.submit(task, place.collector.url, pairs).says == "sent"
            assert len(place.mixer.sent[-1]) == sealed_length(task.message_format.body_bytes), "another length"


CHECKS = (
    check_way,
    check_mixer_alone,
    check_retries,
    check_answers,
    check_not_accepted,
    check_trial,
    check_unanswered,
    check_refusals,
    check_rounds,
    check_sums,
    check_swapped_key,
    check_lengths,
)
