"""Counting everything that was named into one tally, or into one per round of a series."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pckv.base.errors import DataError, ParameterError, PckvError, TallyError
from pckv.base.limits import MAX_ROUNDS
from pckv.base.progress import RowsDone, RowsProgressBar, no_progress
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.counting.job import BadReports, Checkpoint, CountResult, Job, find_engine
from pckv.files.reports.reader import Inputs, ReportFile, find_inputs, read_file_task
from pckv.files.reports.writer import ReportStream
from pckv.tally import Tally
from pckv.tally.storage import HEADER_BYTES, MAGIC, task_digest


@dataclass(frozen=True)
class CountOptions:
    """How reports are counted."""

    engine: str = "numpy"
    spark_master: str | None = None
    dedupe: bool = False
    skip_bad: bool = False
    # Where the state of a run is kept after every step, so that an interrupted run can be resumed.
    checkpoint: Path | None = None


class NamedStream(NamedTuple):
    """An Arrow stream of reports, and what messages call it."""

    file: BinaryIO
    name: str


def no_bar(_: int | None) -> AbstractContextManager[RowsDone]:
    """Show no progress."""
    return nullcontext(no_progress)


def count_inputs(
    task: Task,
    paths: Sequence[Path],
    options: CountOptions,
    bar: RowsProgressBar = no_bar,
    stream: NamedStream | None = None,
) -> CountResult:
    """Count report files, folders and patterns of them, tallies, and a stream."""
    inputs = find_inputs(paths)
    _check_options(options, inputs, stream)
    tallies = [read_tally(task, path) for path in inputs.tallies]
    files, unusable = _open_files(inputs.reports, task, skip_bad=options.skip_bad)
    reports = None if stream is None else ReportStream(*stream, task)
    total = sum(file.rows for file in files) if reports is None else None
    # Where no file is left to read, there is nothing to start an engine for.
    engine = find_engine(options.engine if files else "numpy")
    with bar(total) as progress:
        job = Job(task, files, options.dedupe, options.skip_bad, reports, options.spark_master, progress)
        checkpoint = None if options.checkpoint is None else Checkpoint(options.checkpoint, job)
        counted = engine(job) if checkpoint is None else checkpoint.count(engine)
    counted.skipped = unusable + counted.skipped
    for tally in tallies:
        counted.tally.merge(tally)
    counted.files = len(files) + len(tallies)
    return counted


def _check_options(options: CountOptions, inputs: Inputs, stream: NamedStream | None) -> None:
    if stream and (options.engine != "numpy" or options.checkpoint):
        raise ParameterError(f"{stream.name} is counted by the numpy engine, in one go")
    if options.dedupe and options.checkpoint:
        raise ParameterError(
            "deduplication compares all files with each other, so that it cannot be resumed",
            code="dedupe_cannot_resume",
        )
    if options.dedupe and inputs.tallies:
        raise ParameterError(
            f"{inputs.tallies[0]}: a tally has no report ids to deduplicate by", code="dedupe_without_ids"
        )


def _open_files(
    paths: Sequence[Path], task: Task, *, skip_bad: bool
) -> tuple[tuple[ReportFile, ...], list[BadReports]]:
    files, unusable = [], []
    for path in paths:
        try:
            files.append(ReportFile(path, task))
        except DataError as error:
            if not skip_bad:
                raise
            unusable.append(BadReports(error.place or str(path), error.reason, None))
    return tuple(files), unusable


def read_tally(task: Task, path: Path) -> Tally:
    """Read a tally file; the message of an error names the file."""
    data = _read(path)
    if not data.startswith(MAGIC):
        raise DataError("neither a report file nor a tally", place=path)
    try:
        return Tally.from_bytes(task, data)
    except TallyError as error:
        raise TallyError(f"{path}: {error}") from None


# A tally does not say which round it is of: at most this many rounds of a series are tried.
MAX_ROUNDS_TRIED = 2000


def files_by_round(series: Series, named: Sequence[Path]) -> list[tuple[Task, list[Path]]]:
    """Return the tasks of the rounds that files are of, in order, each with its files.

    `named` are report files, folders and patterns, and tallies; a `DataError` names one of no round.
    """
    inputs = find_inputs(named)
    found: dict[int, tuple[Task, list[Path]]] = {}
    for path in inputs.reports:
        task = _round_of_reports(series, path)
        found.setdefault(_number(task), (task, []))[1].append(path)
    for path, task in _rounds_of_tallies(series, inputs.tallies):
        found.setdefault(_number(task), (task, []))[1].append(path)
    return [found[number] for number in sorted(found)]


def _number(task: Task) -> int:
    return 0 if task.series is None else task.series.round


def _round_of_reports(series: Series, path: Path) -> Task:
    task = read_file_task(path)
    member = task.series
    if member is None or member.id != series.id or task != series.task_of(member.round):
        raise _not_a_round(series, path, f"reports of task {task.name!r}")
    return task


def _rounds_of_tallies(series: Series, paths: Sequence[Path]) -> list[tuple[Path, Task]]:
    digests = {path: _digest(path) for path in paths}
    wanted, found = set(digests.values()), {}
    rounds = series.rounds or MAX_ROUNDS
    for number in range(1, min(rounds, MAX_ROUNDS_TRIED) + 1):
        if not wanted:
            break
        try:
            task = series.task_of(number)
        except PckvError:
            break
        if task.digest in wanted:
            found[task.digest] = task
            wanted.remove(task.digest)
    for path, digest in digests.items():
        if digest not in found:
            first = f"one of the first {MAX_ROUNDS_TRIED:,} rounds"
            tried = first if rounds > MAX_ROUNDS_TRIED else "a round"
            raise _not_a_round(series, path, "a tally of another task", tried)
    return [(path, found[digest]) for path, digest in digests.items()]


def _read(path: Path, size: int = -1) -> bytes:
    with path.open("rb") as file:
        data = file.read(size)
    if not data:
        raise DataError("the file is empty", place=path)
    return data


def _digest(path: Path) -> bytes:
    try:
        return task_digest(_read(path, HEADER_BYTES))
    except TallyError as error:
        raise DataError(str(error), place=path) from None


def _not_a_round(series: Series, path: Path, what: str, rounds: str = "a round") -> DataError:
    return DataError(f"{what}, not of {rounds} of series {series.name!r}", place=path)
