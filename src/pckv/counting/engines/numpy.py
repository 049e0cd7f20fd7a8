"""The `numpy` engine: threads that read and count row groups, each into its own tally."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple

from pckv.counting.batches import count_batch, read_all, read_groups, read_stream
from pckv.counting.deduplicator import Deduplicator
from pckv.counting.job import BadReports, CountResult, Job
from pckv.files.reports.reader import ReportFile
from pckv.tally import Tally
from pckv.tally.tally import fast_tally

# A thread counts about this many rows at a time.
ROWS_PER_SPAN = 2**22


class Span(NamedTuple):
    """Row groups of one file that are counted together."""

    file: ReportFile
    groups: range

    @property
    def rows(self) -> int:
        """The number of reports in the span."""
        return sum(map(self.file.group_rows, self.groups))


def count(job: Job) -> CountResult:
    """Count report files and a stream with numpy, on all cores."""
    if job.dedupe:
        return _count_deduplicated(job)
    tallies = _ThreadTallies(job)
    result = CountResult(Tally(job.task))
    done = 0
    for span, skipped in _count_in_order(tallies.count, _spans(job.files)):
        result.skipped += skipped
        done += span.rows
        job.progress(done)
    for where, start, batch in read_stream(job):
        count_batch(result, batch, where, start, skip_bad=job.skip_bad)
        done += len(batch)
        job.progress(done)
    for tally in tallies.idle:
        result.tally.merge(tally)
    return result


class _ThreadTallies:
    """As many tallies as there are threads that count; each takes in one span after another."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.idle: list[Tally] = []

    def count(self, span: Span) -> list[BadReports]:
        """Count a span into an idle tally, and return what was skipped."""
        result = CountResult(self._take())
        for where, start, batch in read_groups(self.job, *span, result.skipped):
            count_batch(result, batch, where, start, skip_bad=self.job.skip_bad)
        self.idle.append(result.tally)
        return result.skipped

    def _take(self) -> Tally:
        # Between a look at the list and a pop, another thread could take the last one.
        try:
            return self.idle.pop()
        except IndexError:
            return fast_tally(self.job.task, self.job.rows)


def _count_deduplicated(job: Job) -> CountResult:
    """Count each report id once: all reports are spilled to disk first."""
    skipped: list[BadReports] = []
    with closing(Deduplicator(job.task)) as deduplicator:
        for where, start, batch in read_all(job, skipped):
            deduplicator.add(batch, where, start, skipped, skip_bad=job.skip_bad)
        result = deduplicator.count(job.files)
    return CountResult(result.tally, result.repeated, skipped)


def _count_in_order(
    count_span: Callable[[Span], list[BadReports]], spans: Iterable[Span]
) -> Iterator[tuple[Span, list[BadReports]]]:
    """Yield spans and what was skipped in each, in order; about two per core are under way at once."""
    cores = os.cpu_count() or 1
    under_way: deque[tuple[Span, Future[list[BadReports]]]] = deque()
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
            # After an error the rest is not wanted.
            for _, future in under_way:
                future.cancel()


def _spans(files: Iterable[ReportFile]) -> Iterator[Span]:
    for file in files:
        start = rows = 0
        for group in range(file.groups):
            rows += file.group_rows(group)
            if rows >= ROWS_PER_SPAN or group == file.groups - 1:
                yield Span(file, range(start, group + 1))
                start, rows = group + 1, 0
