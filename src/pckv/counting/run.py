"""Everything that a command line names, counted into one tally."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pckv.counting.batches import Counted, Problem
from pckv.counting.checkpoint import Unfinished
from pckv.counting.job import Job, Progress, find_engine
from pckv.errors import DataError, ParameterError, TallyError
from pckv.files.reports.format import ReportFile, ReportStream
from pckv.files.reports.inputs import Inputs, find_inputs
from pckv.tally import Tally
from pckv.task import Task

# Given the number of rows (None for a stream), somewhere to report progress to.
ProgressBar = Callable[[int | None], AbstractContextManager[Progress]]


@dataclass(frozen=True)
class Options:
    """How reports are counted."""

    engine: str = "numpy"
    spark_master: str | None = None
    dedupe: bool = False
    skip_bad: bool = False
    # Where the progress of a run is kept from file to file.
    resume_at: Path | None = None


@dataclass
class Collected:
    """What was counted, and from how many files."""

    counted: Counted
    files: int

    @property
    def tally(self) -> Tally:
        """The tally of everything."""
        return self.counted.tally


def count_inputs(task: Task, named: Sequence[Path], options: Options, bar: ProgressBar) -> Collected:
    """Count report files, folders and patterns of them, tallies, and a stream."""
    inputs = find_inputs(named)
    _check(inputs, options)
    tallies = [read_tally(task, path) for path in inputs.tallies]
    files, unusable = _open(inputs.reports, task, skip=options.skip_bad)
    stream = ReportStream(sys.stdin.buffer, "standard input", task) if inputs.stream else None
    total = None if inputs.stream else sum(file.rows for file in files)
    with bar(total) as progress:
        job = Job(
            task, files, options.dedupe, options.skip_bad, stream, options.spark_master, progress=progress
        )
        counted = _run(job, options)
    counted.problems = unusable + counted.problems
    for each in tallies:
        counted.tally.merge(each)
    return Collected(counted, len(files) + len(tallies))


def _check(inputs: Inputs, options: Options) -> None:
    if inputs.stream and (options.engine != "numpy" or options.resume_at):
        raise ParameterError("standard input is counted by the numpy engine, in one go")
    if options.dedupe and options.resume_at:
        raise ParameterError(
            "--dedupe looks at all files together, so that it cannot be combined with --resume"
        )
    if options.dedupe and inputs.tallies:
        raise ParameterError(f"{inputs.tallies[0]}: a tally has no report ids for --dedupe to look at")


def _run(job: Job, options: Options) -> Counted:
    # Where no file is left to read, there is nothing to start an engine for.
    engine = find_engine(options.engine if job.files else "numpy")
    if options.resume_at is None:
        return engine(job)
    return Unfinished(options.resume_at, job).count(engine)


def _open(paths: Sequence[Path], task: Task, *, skip: bool) -> tuple[tuple[ReportFile, ...], list[Problem]]:
    files, unusable = [], []
    for path in paths:
        try:
            files.append(ReportFile(path, task))
        except DataError as error:
            if not skip:
                raise
            where, _, reason = str(error).partition(f"{path}: ")
            unusable.append(Problem(f"{where}{path}", reason, None))
    return tuple(files), unusable


def read_tally(task: Task, path: Path) -> Tally:
    """Read a tally file; the message names the file."""
    data = path.read_bytes()
    if not data:
        raise DataError(f"{path}: the file is empty")
    try:
        return Tally.from_bytes(task, data)
    except TallyError as error:
        raise TallyError(f"{path}: {error}") from None
