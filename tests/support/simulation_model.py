"""What must be true of a collector, judged from the requests that it got and the answers that it gave.

Every report has its own word, so that a cell that counts 2 proves that a report was counted twice.
"""

from __future__ import annotations

import datetime as dt
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import numpy as np

from pckv import Tally, Task
from pckv.base.canonical import base64url
from pckv.base.wire import Report
from pckv.files.reports.writer import as_arrays, stream_reports
from pckv.tally.layouts import WordLayout
from support.tasks import a_task

JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
OK, SERVER_FAILED, OVERLOADED = 200, 500, 503
FIRST_DAY = dt.date(2030, 1, 1)
# There are twice as many words: more than a sequence has reports.
KEYS = 256


def _task(
    name: str, opens: int | None = None, closes: int | None = None, mechanism: str = "grr", padding: int = 1
) -> Task:
    days = [None if day is None else (FIRST_DAY + dt.timedelta(day)).isoformat() for day in (opens, closes)]
    return a_task(name=name, keys=KEYS, padding=padding, mechanism=mechanism, opens=days[0], closes=days[1])


# The words of `collision` wait in the store until they are counted.
TASKS = (
    _task("always"),
    _task("soon", opens=1, mechanism="collision", padding=3),
    _task("a while", opens=1, closes=3),
    _task("spare", mechanism="collision", padding=3),
)


class SimulationFailure(AssertionError):
    """The collector broke a rule."""


def must(holds: object, what: str) -> None:
    """Fail unless a condition holds."""
    if not holds:
        raise SimulationFailure(what)


class RequestItem(NamedTuple):
    """A report in a request, and the reason for which it must be refused whatever is stored."""

    id: str
    body: str
    report: Report | None
    wrong: str | None = None


def valid_item(report: Report) -> RequestItem:
    """Return the request item of a valid report."""
    return RequestItem(base64url(report.id), base64url(report.body), report)


class Request(NamedTuple):
    """An upload; replays send the same bytes."""

    task: Task
    items: tuple[RequestItem, ...]
    media: str
    body: bytes

    @property
    def reports(self) -> list[Report]:
        """Return the reports that may be stored."""
        return [item.report for item in self.items if item.report is not None and item.wrong is None]


def json_request(task: Task, items: Iterable[RequestItem]) -> Request:
    """Return a request with reports as JSON."""
    items = tuple(items)
    content = {"reports": [{"id": item.id, "body": item.body} for item in items]}
    return Request(task, items, JSON, json.dumps(content).encode())


def arrow_request(task: Task, items: Iterable[RequestItem]) -> Request:
    """Return a request with reports as an Arrow stream, which can hold words only."""
    items = tuple(items)
    file = io.BytesIO()
    stream_reports(file, task, [as_arrays(task, [item.report for item in items if item.report is not None])])
    return Request(task, items, ARROW, file.getvalue())


class HttpAnswer(NamedTuple):
    """An answer; `LOST` if none arrived."""

    status: int
    body: bytes = b""

    @property
    def kind(self) -> str:
        """Return the type of a problem, without its prefix."""
        return str(json.loads(self.body)["type"]).rpartition(":")[2]


LOST = HttpAnswer(0)
# After these answers it is unknown whether the reports are stored.
UNCERTAIN = {LOST.status, SERVER_FAILED, OVERLOADED}


@dataclass
class SentReport:
    """What clients know of one id: the words that may be stored under it, and the word that is."""

    possible: set[int] = field(default_factory=set)
    stored: int | None = None


@dataclass
class TaskModel:
    """What clients and operators know of one task."""

    task: Task
    created: bool = False
    closed: str | None = None
    deleted: bool = False
    forgotten: bool = False
    sent: dict[bytes, SentReport] = field(default_factory=dict)
    # Reports whose senders have no final answer, and try again later.
    unanswered: dict[Report, None] = field(default_factory=dict)
    words: Iterator[int] = field(default_factory=count)

    def new_word(self) -> bytes:
        """Return a body that no other report has."""
        word = next(self.words)
        must(word < (self.task.word_limit or 0), "the simulated task has too few words")
        return word.to_bytes(8, "little")

    def problem_on(self, day: str) -> str | None:
        """Return the problem that answers uploads of a day; None if they are accepted."""
        closes, opens = self.task.closes, self.task.opens
        if self.deleted:
            return "deleted"
        if not self.created:
            return "unknown"
        if self.closed or (closes is not None and day >= closes):
            return "closed"
        return "not-open" if opens is not None and day < opens else None

    def forget(self, day: str, days: int) -> None:
        """Note that reports are deleted `days` after their task ended for good; the counts stay."""
        undone = "" if self.closed is None else (dt.date.fromisoformat(self.closed) + dt.timedelta(7)).isoformat()
        if day <= undone and (self.task.closes is None or day < self.task.closes):
            return
        over = min(filter(None, (self.closed, self.task.closes)), default=None)
        last = (dt.date.fromisoformat(day) - dt.timedelta(days)).isoformat()
        self.forgotten |= self.created and not self.deleted and over is not None and over <= last

    def send(self, request: Request) -> list[Report]:
        """Note that a request is sent; return those of its reports that could not be stored before."""
        new = [report for report in request.reports if _word(report) not in self._of(report).possible]
        for report in new:
            self._of(report).possible.add(_word(report))
        return new

    def judge(self, request: Request, answer: HttpAnswer, new: list[Report], problem: str | None) -> None:
        """Judge an answer, or its absence."""
        if answer.status in UNCERTAIN:
            if problem is None:
                self._wait(request.reports)
            else:
                self.withdraw(new)
        elif answer.status == OK:
            must(problem is None, f"reports were taken though the task is {problem}")
            self._judge_refusals(request, json.loads(answer.body)["refused"])
        else:
            must(answer.kind == problem, f"{answer.status} {answer.kind} where {problem or 'success'} was due")
            self.withdraw(new)
            if problem == "not-open":
                self._wait(request.reports)

    def _judge_refusals(self, request: Request, refusals: list[dict[str, str]]) -> None:
        refused = Counter((refusal["id"], refusal["reason"]) for refusal in refusals)
        for item in request.items:
            if item.wrong is not None:
                must(refused[item.id, item.wrong], f"{item.id} was not refused as {item.wrong}")
                refused[item.id, item.wrong] -= 1
        for report in request.reports:
            if refused[base64url(report.id), "conflict"]:
                refused[base64url(report.id), "conflict"] -= 1
                self._conflict(report)
            else:
                self.acknowledge(report)
            self.unanswered.pop(report, None)
        must(not +refused, f"refused without a reason: {+refused}")

    def acknowledge(self, report: Report) -> None:
        """Note that a report is stored for good."""
        sent = self._of(report)
        must(sent.stored in {None, _word(report)}, f"two bodies of {report.id.hex()} were acknowledged")
        sent.stored, sent.possible = _word(report), {_word(report)}

    def _conflict(self, report: Report) -> None:
        sent = self._of(report)
        must(sent.stored != _word(report), f"{report.id.hex()} was acknowledged, and refused as a conflict")
        sent.possible.discard(_word(report))
        must(sent.possible, f"{report.id.hex()} is in conflict with nothing")
        if len(sent.possible) == 1:
            # A conflict proves that the other body is stored.
            sent.stored = next(iter(sent.possible))

    def withdraw(self, reports: Iterable[Report]) -> None:
        """Note that nothing of a refused request was written."""
        for report in reports:
            self._of(report).possible.discard(_word(report))

    def _wait(self, reports: Iterable[Report]) -> None:
        self.unanswered.update(dict.fromkeys(reports))

    def check_tally(self, tally: Tally, stored: Iterable[Report]) -> None:
        """Check what a tally counts, given the reports that are stored."""
        if isinstance(tally.layout, WordLayout):
            words, times = tally.counts.nonzero()
            self.check_counts(dict(zip(words.tolist(), times.tolist(), strict=True)))
            return
        # Counts do not say which words they are of: those of the reports must have the same counts.
        if not self.forgotten:
            self.check_counts(Counter(int.from_bytes(body, "little") for _, body in stored))
        expected = Tally(self.task)
        expected.add_many(np.array(self.counted_words, np.int64))
        must(tally == expected, "the parts do not count the reports")

    def check_counts(self, counts: dict[int, int]) -> None:
        """Check that acknowledged reports are counted once, and nothing that was never sent.

        What is counted now must stay, and other reports can only be counted after they are sent again.
        """
        unexplained = dict(counts)
        for report_id, sent in self.sent.items():
            counted = {word: unexplained.pop(word) for word in sent.possible if word in unexplained}
            must(sum(counted.values()) <= 1, f"{report_id.hex()} was counted {sum(counted.values())} times")
            if sent.stored is not None:
                must(counted, f"{report_id.hex()} was acknowledged, and is not counted")
            sent.possible = set(counted)
            sent.stored = next(iter(counted), None)
        must(not unexplained, f"words that nobody sent are counted: {unexplained}")

    @property
    def counted_words(self) -> list[int]:
        """Return the words that were just found to be counted."""
        return sorted(sent.stored for sent in self.sent.values() if sent.stored is not None)

    def check_reports(self, stored: list[tuple[bytes, int]]) -> None:
        """Check that the stored reports are those that were just counted."""
        expected = {report_id: sent.stored for report_id, sent in self.sent.items() if sent.stored is not None}
        if self.forgotten:
            expected = {}
        must(
            len(stored) == len(expected),
            f"{len(stored)} reports are stored where {len(expected)} are counted",
        )
        must(dict(stored) == expected, "the stored reports are not those that are counted")

    def bounds(self) -> range:
        """Return the possible numbers of reports."""
        certain = sum(sent.stored is not None for sent in self.sent.values())
        perhaps = sum(sent.stored is None and bool(sent.possible) for sent in self.sent.values())
        return range(certain, certain + perhaps + 1)

    def _of(self, report: Report) -> SentReport:
        return self.sent.setdefault(report.id, SentReport())


def _word(report: Report) -> int:
    return int.from_bytes(report.body, "little")
