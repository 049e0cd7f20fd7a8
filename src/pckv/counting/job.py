"""A counting job, its result, the engines that can do it, and the checkpoint that lets it be interrupted.

The same reports give the same tally with every engine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

from pckv.base.errors import DataError, ParameterError, PckvError
from pckv.base.progress import RowsDone, no_progress
from pckv.contract.task import Task
from pckv.files.outputs import whole_file
from pckv.files.reports.reader import ReportFile
from pckv.files.reports.writer import ReportStream
from pckv.tally import Tally

# The module of each engine, which has a function `count`; none is loaded before it is used.
ENGINES = {
    "numpy": "pckv.counting.engines.numpy",
    "duckdb": "pckv.counting.engines.duckdb",
    "spark": "pckv.counting.engines.spark",
}


class BadReports(NamedTuple):
    """Reports that cannot be counted: where they are, why, and how many there are (None: a whole file)."""

    where: str
    reason: str
    reports: int | None

    def to_error(self) -> DataError:
        """Return the error that refuses them."""
        return DataError(self.reason, place=self.where)


@dataclass
class CountResult:
    """A tally, and what was not counted into it."""

    tally: Tally
    # How many reports had an id that was counted before.
    repeated: int = 0
    skipped: list[BadReports] = field(default_factory=list)
    # How many files were counted, tallies included.
    files: int = 0

    def merge(self, other: CountResult) -> None:
        """Add another result."""
        self.tally.merge(other.tally)
        self.repeated += other.repeated
        self.skipped += other.skipped


@dataclass(frozen=True)
class Job:
    """Report files to count, and how."""

    task: Task
    files: tuple[ReportFile, ...]
    dedupe: bool = False
    skip_bad: bool = False
    # For the numpy engine alone.
    stream: ReportStream | None = None
    spark_master: str | None = None
    progress: RowsDone = no_progress

    @property
    def rows(self) -> int:
        """The number of reports in all files."""
        return sum(file.rows for file in self.files)


Engine = Callable[[Job], CountResult]


def find_engine(name: str) -> Engine:
    """Return the engine of a name."""
    if name not in ENGINES:
        raise ParameterError(f"engine {name!r} does not exist: choose from {', '.join(ENGINES)}")
    return cast("Engine", import_module(ENGINES[name]).count)


# Small files are counted together until they have this many rows.
ROWS_PER_STEP = 2**23
FORMAT = "pckv progress 1"


class Checkpoint:
    """The state of one run on disk: which files are finished, and the tally of their reports."""

    def __init__(self, path: Path, job: Job) -> None:
        self.path = path
        self.job = job
        self.finished: dict[str, list[int]] = {}
        self.result = CountResult(Tally(job.task))
        if path.exists():
            self._load()

    def count(self, engine: Engine) -> CountResult:
        """Count the files that are not finished yet, and save the state after each step."""
        done = sum(file.rows for file in self.job.files if _name(file) in self.finished)
        for files in self._steps():
            step = replace(self.job, files=files, progress=partial(self._progress, done))
            fingerprints = {_name(file): _fingerprint(file) for file in files}
            self.result.merge(engine(step))
            self.finished |= fingerprints
            self._save()
            done += step.rows
        return self.result

    def _progress(self, before: int, rows: int) -> None:
        self.job.progress(before + rows)

    def _steps(self) -> Iterator[tuple[ReportFile, ...]]:
        step: list[ReportFile] = []
        for file in self.job.files:
            if _name(file) not in self.finished:
                step.append(file)
            if sum(file.rows for file in step) >= ROWS_PER_STEP:
                yield tuple(step)
                step = []
        if step:
            yield tuple(step)

    def _save(self) -> None:
        header = {
            "format": FORMAT,
            "skip_bad": self.job.skip_bad,
            "finished": self.finished,
            "problems": self.result.skipped,
        }
        text = json.dumps(header).encode() + b"\n" + bytes(self.result.tally)
        with whole_file(self.path, force=True) as part:
            part.write_bytes(_checksum(text) + b"\n" + text)

    def _load(self) -> None:
        checksum, _, text = self.path.read_bytes().partition(b"\n")
        if checksum != _checksum(text):
            raise self._not_of_this_run()
        head, _, tally = text.partition(b"\n")
        try:
            header: dict[str, Any] = json.loads(head)
            skipped = [BadReports(*reports) for reports in header["problems"]]
            self.result = CountResult(Tally.from_bytes(self.job.task, tally), skipped=skipped)
            self.finished = header["finished"]
            same_run = header["format"] == FORMAT and header["skip_bad"] == self.job.skip_bad
        except (ValueError, TypeError, KeyError, PckvError):
            raise self._not_of_this_run() from None
        files = {_name(file): file for file in self.job.files}
        if not same_run or not self.finished.keys() <= files.keys():
            raise self._not_of_this_run()
        for name, fingerprint in self.finished.items():
            if _fingerprint(files[name]) != fingerprint:
                reason = f"changed since it was counted (remove {self.path} to begin again)"
                raise DataError(reason, place=name)

    def _not_of_this_run(self) -> DataError:
        return DataError("not the progress of this run (remove it to begin again)", place=self.path)


def _name(file: ReportFile) -> str:
    return str(file.path.resolve())


def _fingerprint(file: ReportFile) -> list[int]:
    """Return numbers that change when a file changes."""
    status = file.path.stat()
    return [status.st_size, status.st_mtime_ns]


def _checksum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()
