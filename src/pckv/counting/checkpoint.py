"""Counting that can be interrupted: a checkpoint on disk after every step."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pckv.base.errors import DataError, PckvError
from pckv.counting.batches import BadReports, CountResult
from pckv.counting.job import Engine, Job
from pckv.files.outputs import whole_file
from pckv.files.reports.reader import ReportFile
from pckv.tally import Tally

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
