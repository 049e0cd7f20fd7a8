"""Reading reports in record batches that know their place in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from pckv.base.errors import first_line, require
from pckv.counting.batches import BadReports
from pckv.files.reports.reader import ReportFile

if TYPE_CHECKING:
    from pckv.counting.job import Job


class PlacedBatch(NamedTuple):
    """A record batch, its place in messages, and the number of its first report there."""

    where: str
    start: int
    batch: Any


def read_groups(
    job: Job, file: ReportFile, groups: Iterable[int], skipped: list[BadReports]
) -> Iterator[PlacedBatch]:
    """Yield the record batches of row groups; one that cannot be read is an error, or noted as skipped."""
    arrow = require("pyarrow", extra="files")
    for group in groups:
        where = f"{file.path}, row group {group}"
        start = 0
        try:
            for batch in file.batches(group, ids=job.dedupe):
                yield PlacedBatch(where, start, batch)
                start += len(batch)
        except (arrow.ArrowException, OSError) as error:
            bad = BadReports(where, first_line(error), file.group_rows(group) - start)
            if not job.skip_bad:
                raise bad.to_error() from None
            skipped.append(bad)


def read_stream(job: Job) -> Iterator[PlacedBatch]:
    """Yield the record batches of a job's stream, if it has one."""
    if job.stream is not None:
        for number, batch in enumerate(job.stream.batches()):
            yield PlacedBatch(f"{job.stream.name}, batch {number}", 0, batch)


def read_all(job: Job, skipped: list[BadReports]) -> Iterator[PlacedBatch]:
    """Yield all record batches of a job, one file after another, and report progress."""
    done = 0
    in_files = (read_groups(job, file, range(file.groups), skipped) for file in job.files)
    for placed in chain(chain.from_iterable(in_files), read_stream(job)):
        yield placed
        done += len(placed.batch)
        job.progress(done)
