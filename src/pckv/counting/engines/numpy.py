"""The `numpy` engine: threads that read and count row groups, each into a tally of its own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from pckv.counting.batches import Counted, Problem, count_batch
from pckv.counting.deduplicator import Sieve
from pckv.errors import require
from pckv.files.reports.format import ReportFile, first_line
from pckv.tally import Tally
from pckv.tally.compiled import fast_tally

if TYPE_CHECKING:
    from pckv.counting.job import Job

# A thread counts about this many rows before it takes up others.
ROWS_A_SPAN = 2**22


class Span(NamedTuple):
    """Row groups of one file that are counted together."""

    file: ReportFile
    groups: range

    @property
    def rows(self) -> int:
        """How many reports there are."""
        return sum(map(self.file.group_rows, self.groups))


def count(job: Job) -> Counted:
    """Count report files and a stream with numpy, on all cores."""
    return _count_once(job) if job.dedupe else _count_all(job)


def _count_all(job: Job) -> Counted:
    parts = _Parts(job)
    whole = Counted(Tally(job.task))
    done = 0
    for span, problems in _in_order(parts.count, _spans(job.files)):
        whole.problems += problems
        done += span.rows
        job.progress(done)
    for where, start, batch in _stream_batches(job):
        count_batch(whole, batch, where, start, skip=job.skip_bad)
        done += len(batch)
        job.progress(done)
    for part in parts.idle:
        whole.tally.merge(part)
    return whole


class _Parts:
    """As many tallies as threads count at once; each takes in one span after another."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.idle: list[Tally] = []

    def count(self, span: Span) -> list[Problem]:
        """Count a span into a tally that nobody uses, and say what was wrong in it."""
        part = Counted(self._take())
        for where, start, batch in _batches(self.job, span, part.problems):
            count_batch(part, batch, where, start, skip=self.job.skip_bad)
        self.idle.append(part.tally)
        return part.problems

    def _take(self) -> Tally:
        # To look first whether there is one would leave time for another thread to take it.
        try:
            return self.idle.pop()
        except IndexError:
            return fast_tally(self.job.task, self.job.rows)


def _count_once(job: Job) -> Counted:
    """Count every report id once: all reports pass through a sieve on disk."""
    problems: list[Problem] = []
    done = 0
    in_files = (place for span in _spans(job.files) for place in _batches(job, span, problems))
    with closing(Sieve(job.task)) as sieve:
        for where, start, batch in chain(in_files, _stream_batches(job)):
            sieve.add(batch, where, start, problems, skip=job.skip_bad)
            done += len(batch)
            job.progress(done)
        counted = sieve.count(job.files)
    return Counted(counted.tally, counted.repeated, problems)


def _in_order(
    count_span: Callable[[Span], list[Problem]], spans: Iterable[Span]
) -> Iterator[tuple[Span, list[Problem]]]:
    """Spans with their problems, in their order; hardly more under way than there are cores."""
    cores = os.cpu_count() or 1
    under_way: deque[tuple[Span, Future[list[Problem]]]] = deque()
    with ThreadPoolExecutor(cores) as pool:
        try:
            for span in spans:
                under_way.append((span, pool.submit(count_span, span)))
                if len(under_way) > 2 * cores:
                    first, future = under_way.popleft()
                    yield first, future.result()
            while under_way:
                first, future = under_way.popleft()
                yield first, future.result()
        finally:
            # After an error nobody wants the rest.
            for _, future in under_way:
                future.cancel()


def _spans(files: Iterable[ReportFile]) -> Iterator[Span]:
    for file in files:
        start = rows = 0
        for group in range(file.groups):
            rows += file.group_rows(group)
            if rows >= ROWS_A_SPAN or group == file.groups - 1:
                yield Span(file, range(start, group + 1))
                start, rows = group + 1, 0


def _batches(job: Job, span: Span, problems: list[Problem]) -> Iterator[tuple[str, int, Any]]:
    """The record batches of a span: where each is, its first row, and itself."""
    arrow = require("pyarrow", extra="files")
    for group in span.groups:
        where = f"{span.file.path}, row group {group}"
        start = 0
        try:
            for batch in span.file.batches(group, ids=job.dedupe):
                yield where, start, batch
                start += len(batch)
        except (arrow.ArrowException, OSError) as error:
            problem = Problem(where, first_line(error), span.file.group_rows(group) - start)
            if not job.skip_bad:
                raise problem.refused() from None
            problems.append(problem)


def _stream_batches(job: Job) -> Iterator[tuple[str, int, Any]]:
    if job.stream is not None:
        for number, batch in enumerate(job.stream.batches()):
            yield f"{job.stream.name}, batch {number}", 0, batch
