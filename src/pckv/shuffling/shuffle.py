"""Shuffling a batch of reports: one report per id, in a uniform order, under fresh random ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from pckv.base.arrays import Messages
from pckv.base.errors import DataError
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.progress import RowsProgressBar
from pckv.base.randomness import Source
from pckv.contract.task import Task
from pckv.counting.batches import read_all
from pckv.counting.deduplicator import Deduplicator
from pckv.counting.job import Job
from pckv.counting.run import NamedStream, no_bar
from pckv.files.reports.columns import message_column
from pckv.files.reports.reader import ReportFile, find_inputs, read_file_task
from pckv.files.reports.writer import ReportArrays, ReportStream, rows_per_group
from pckv.shuffling.permutation import MessageShuffler


def report_blocks(task: Task, parts: Iterable[Messages], source: Source = os.urandom) -> Iterator[ReportArrays]:
    """Yield messages under new ids, a row group at a time.

    All blocks but the last have the size of a row group, however the messages come: a file or stream that is
    written from them depends on the messages in their order, the ids and the task, and on nothing else.
    """
    for messages in _equal_parts(task, parts):
        ids = np.frombuffer(source(REPORT_ID_BYTES * len(messages)), np.uint8)
        yield ids.reshape(-1, REPORT_ID_BYTES), messages


def _equal_parts(task: Task, parts: Iterable[Messages]) -> Iterator[Messages]:
    kind, size = message_column(task).array_type, rows_per_group(task)
    block, filled = np.empty(size, kind), 0
    for part in parts:
        start = 0
        while start < len(part):
            count = min(size - filled, len(part) - start)
            block[filled : filled + count] = part[start : start + count]
            start, filled = start + count, filled + count
            if filled == size:
                yield block
                block, filled = np.empty(size, kind), 0
    if filled:
        yield block[:filled]


# Takes what is done, in words, and returns a bar of rows for it.
LabelledRowsBar = Callable[[str], RowsProgressBar]


class ShuffledBatch:
    """A batch of reports that was taken in whole, and waits to be written in its new order."""

    def __init__(self, task: Task, shuffler: MessageShuffler, source: Source, bars: LabelledRowsBar) -> None:
        self.task = task
        self.reports = 0
        # How many reports were copies of another one, and left out.
        self.repeated = 0
        self._shuffler = shuffler
        self._source = source
        self._bars = bars

    def take(self, files: Sequence[ReportFile], stream: ReportStream | None) -> None:
        """Take in one report per id: once the ids are replaced, copies cannot be told from reports."""
        total = None if stream else sum(file.rows for file in files)
        with closing(Deduplicator(self.task)) as deduplicator:
            with self._bars("Reading")(total) as progress:
                job = Job(self.task, tuple(files), dedupe=True, stream=stream, progress=progress)
                for where, start, batch in read_all(job, skipped=[]):
                    deduplicator.add(batch, where, start, skipped=[], skip_bad=False)
            with self._bars("Scattering")(total) as progress:
                for messages in deduplicator.messages(files):
                    self._shuffler.add(messages)
                    self.reports += len(messages)
                    progress(self.reports)
            self.repeated = deduplicator.repeated

    def blocks(self) -> Iterator[ReportArrays]:
        """Yield the reports in their new order, under new ids."""
        written = 0
        with self._bars("Writing")(self.reports) as progress:
            for block in report_blocks(self.task, self._shuffler.read(), self._source):
                yield block
                written += len(block[0])
                progress(written)


@contextmanager
def shuffled(
    paths: Sequence[Path],
    stream: NamedStream | None = None,
    task: Task | None = None,
    *,
    at_least: int = 1,
    bars: LabelledRowsBar = lambda _: no_bar,
    source: Source = os.urandom,
) -> Iterator[ShuffledBatch]:
    """Take in all reports of files, folders and patterns of them, and of a stream.

    All reports must be of the `task`, by default the one that the first input names.

    Raises:
        DataError: if an input is no report file, or of another task; a report is bad; one id has two bodies;
            there are fewer reports than `at_least`.
    """
    inputs = find_inputs(paths)
    # What does not look like a report file is refused by name when it is opened.
    files = (*inputs.reports, *inputs.tallies)
    task = task or (read_file_task(files[0]) if files else None)
    reports = None if stream is None else ReportStream(*stream, task)
    task = task or (None if reports is None else reports.task)
    if task is None:
        raise DataError("there is nothing to shuffle")
    opened = [ReportFile(path, task) for path in files]
    with closing(MessageShuffler(message_column(task).array_type, source)) as shuffler:
        batch = ShuffledBatch(task, shuffler, source, bars)
        batch.take(opened, reports)
        if not batch.reports:
            raise DataError("there are no reports to shuffle")
        if batch.reports < at_least:
            reason = f"a batch of {batch.reports:,} reports is too small: at least {at_least:,} are wanted"
            raise DataError(reason, code="batch_too_small")
        yield batch
