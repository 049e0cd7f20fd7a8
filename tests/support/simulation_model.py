"""What must be true of a collector, told from outside: from what was sent to it and what it answered.

Every report has a word of its own, so that a cell that counts 2 proves that a report was counted twice.
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

from pckv import Task
from pckv.canonical import base64url
from pckv.files.reports.stream import stream_reports
from pckv.files.reports.writer import as_arrays
from pckv.wire import Report

JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
OK, SERVER_FAILED, OVERLOADED = 200, 500, 503
FIRST_DAY = dt.date(2030, 1, 1)
# Twice as many words, more than a sequence has reports.
KEYS = 256


def _task(name: str, opens: int | None = None, closes: int | None = None) -> Task:
    days = [None if day is None else (FIRST_DAY + dt.timedelta(day)).isoformat() for day in (opens, closes)]
    return Task(
        name=name, keys=KEYS, values=(0, 1), epsilon=1, mechanism="grr", opens=days[0], closes=days[1]
    )


TASKS = (_task("always"), _task("soon", opens=1), _task("a while", opens=1, closes=3), _task("spare"))


class Broken(AssertionError):
    """The collector did what it must not do."""


def must(holds: object, what: str) -> None:
    """Stop unless something holds."""
    if not holds:
        raise Broken(what)


class Item(NamedTuple):
    """A report in a request, and the reason for which it must be refused whatever is stored."""

    id: str
    body: str
    report: Report | None
    wrong: str | None = None


def sound(report: Report) -> Item:
    """A report as it should be."""
    return Item(base64url(report.id), base64url(report.body), report)


class Request(NamedTuple):
    """An upload; sent again, it is the same bytes."""

    task: Task
    items: tuple[Item, ...]
    media: str
    body: bytes

    @property
    def reports(self) -> list[Report]:
        """The reports that may be stored."""
        return [item.report for item in self.items if item.report is not None and item.wrong is None]


def json_request(task: Task, items: Iterable[Item]) -> Request:
    """Reports as JSON."""
    items = tuple(items)
    content = {"reports": [{"id": item.id, "body": item.body} for item in items]}
    return Request(task, items, JSON, json.dumps(content).encode())


def arrow_request(task: Task, items: Iterable[Item]) -> Request:
    """Reports as an Arrow stream, which has columns for words alone."""
    items = tuple(items)
    file = io.BytesIO()
    stream_reports(file, task, [as_arrays(task, [item.report for item in items if item.report is not None])])
    return Request(task, items, ARROW, file.getvalue())


class Answer(NamedTuple):
    """An answer; `LOST` if none arrived."""

    status: int
    body: bytes = b""

    @property
    def kind(self) -> str:
        """The type of a problem, without its prefix."""
        return str(json.loads(self.body)["type"]).rpartition(":")[2]


LOST = Answer(0)
# After these nobody knows whether the reports are there.
UNCERTAIN = {LOST.status, SERVER_FAILED, OVERLOADED}


@dataclass
class Sent:
    """What clients know of one id: the words that may be stored under it, and the one that is."""

    possible: set[int] = field(default_factory=set)
    stored: int | None = None


@dataclass
class Book:
    """All that clients and operators know of one task."""

    task: Task
    made: bool = False
    closed: str | None = None
    deleted: bool = False
    forgotten: bool = False
    sent: dict[bytes, Sent] = field(default_factory=dict)
    # Reports whose senders have no final answer, and try again later.
    unanswered: dict[Report, None] = field(default_factory=dict)
    words: Iterator[int] = field(default_factory=count)

    def new_word(self) -> bytes:
        """A body that no other report has."""
        word = next(self.words)
        must(word < (self.task.word_limit or 0), "the simulated task has too few words")
        return word.to_bytes(8, "little")

    def door(self, day: str) -> str | None:
        """The problem that uploads of a day meet; None if they are taken."""
        closes, opens = self.task.closes, self.task.opens
        if self.deleted:
            return "deleted"
        if not self.made:
            return "unknown"
        if self.closed or (closes is not None and day >= closes):
            return "closed"
        return "not-open" if opens is not None and day < opens else None

    def forget(self, day: str, days: int) -> None:
        """Reports are deleted so many days after their task ended; what was counted stays counted."""
        over = min(filter(None, (self.closed, self.task.closes)), default=None)
        last = (dt.date.fromisoformat(day) - dt.timedelta(days)).isoformat()
        self.forgotten |= self.made and not self.deleted and over is not None and over <= last

    def send(self, request: Request) -> list[Report]:
        """A request leaves; which of its reports could not be stored before."""
        new = [report for report in request.reports if _word(report) not in self._of(report).possible]
        for report in new:
            self._of(report).possible.add(_word(report))
        return new

    def hear(self, request: Request, answer: Answer, new: list[Report], door: str | None) -> None:
        """Judge an answer, or that there was none."""
        if answer.status in UNCERTAIN:
            if door is None:
                self._wait(request.reports)
            else:
                self.withdraw(new)
        elif answer.status == OK:
            must(door is None, f"reports were taken though the task is {door}")
            self._hear_refusals(request, json.loads(answer.body)["refused"])
        else:
            must(answer.kind == door, f"{answer.status} {answer.kind} where {door or 'success'} was due")
            self.withdraw(new)
            if door == "not-open":
                self._wait(request.reports)

    def _hear_refusals(self, request: Request, said: list[dict[str, str]]) -> None:
        refused = Counter((each["id"], each["reason"]) for each in said)
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
        """From now on a report is stored for good."""
        sent = self._of(report)
        must(sent.stored in {None, _word(report)}, f"two bodies of {report.id.hex()} were acknowledged")
        sent.stored, sent.possible = _word(report), {_word(report)}

    def _conflict(self, report: Report) -> None:
        sent = self._of(report)
        must(sent.stored != _word(report), f"{report.id.hex()} was acknowledged, and refused as a conflict")
        sent.possible.discard(_word(report))
        must(sent.possible, f"{report.id.hex()} is in conflict with nothing")
        if len(sent.possible) == 1:
            # A conflict proves that the other one is there.
            sent.stored = next(iter(sent.possible))

    def withdraw(self, reports: Iterable[Report]) -> None:
        """Nothing of a refused request was written."""
        for report in reports:
            self._of(report).possible.discard(_word(report))

    def _wait(self, reports: Iterable[Report]) -> None:
        self.unanswered.update(dict.fromkeys(reports))

    def check_counts(self, counts: dict[int, int]) -> None:
        """No acknowledged report missing, none counted twice, nothing that was never sent.

        What is counted now must stay, and what is not can only come by being sent again.
        """
        unexplained = dict(counts)
        for report_id, sent in self.sent.items():
            found = {word: unexplained.pop(word) for word in sent.possible if word in unexplained}
            must(sum(found.values()) <= 1, f"{report_id.hex()} was counted {sum(found.values())} times")
            if sent.stored is not None:
                must(found, f"{report_id.hex()} was acknowledged, and is not counted")
            sent.possible = set(found)
            sent.stored = next(iter(found), None)
        must(not unexplained, f"words that nobody sent are counted: {unexplained}")

    def check_reports(self, found: list[tuple[bytes, int]]) -> None:
        """The stored reports are those that were just counted."""
        expected = {
            report_id: sent.stored for report_id, sent in self.sent.items() if sent.stored is not None
        }
        if self.forgotten:
            expected = {}
        must(
            len(found) == len(expected), f"{len(found)} reports are stored where {len(expected)} are counted"
        )
        must(dict(found) == expected, "the stored reports are not those that are counted")

    def bounds(self) -> range:
        """How many reports there may be."""
        certain = sum(sent.stored is not None for sent in self.sent.values())
        perhaps = sum(sent.stored is None and bool(sent.possible) for sent in self.sent.values())
        return range(certain, certain + perhaps + 1)

    def _of(self, report: Report) -> Sent:
        return self.sent.setdefault(report.id, Sent())


def _word(report: Report) -> int:
    return int.from_bytes(report.body, "little")
