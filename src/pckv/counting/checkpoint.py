"""A run that can be broken off: after every finished file, its progress is on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pckv.counting.batches import Counted, Problem
from pckv.counting.job import Job
from pckv.errors import DataError, PckvError
from pckv.files.outputs import whole_file
from pckv.files.reports.format import ReportFile
from pckv.tally import Tally

# Small files are counted together until they have this many rows.
ROWS_A_STEP = 2**23
FORMAT = "pckv progress 1"


class Unfinished:
    """The progress of one run: finished files, and the tally of their reports."""

    def __init__(self, path: Path, job: Job) -> None:
        self.path = path
        self.job = job
        self.finished: dict[str, list[int]] = {}
        self.counted = Counted(Tally(job.task))
        if path.exists():
            self._load()

    def count(self, engine: Callable[[Job], Counted]) -> Counted:
        """Count the files that are not finished yet, and remember each as soon as it is."""
        done = sum(file.rows for file in self.job.files if _name(file) in self.finished)
        for files in self._steps():
            step = replace(self.job, files=files, progress=partial(self._progress, done))
            looks = {_name(file): _look(file) for file in files}
            self.counted.merge(engine(step))
            self.finished |= looks
            self._save()
            done += step.rows
        return self.counted

    def _progress(self, before: int, rows: int) -> None:
        self.job.progress(before + rows)

    def _steps(self) -> Iterator[tuple[ReportFile, ...]]:
        step: list[ReportFile] = []
        for file in self.job.files:
            if _name(file) not in self.finished:
                step.append(file)
            if sum(each.rows for each in step) >= ROWS_A_STEP:
                yield tuple(step)
                step = []
        if step:
            yield tuple(step)

    def _save(self) -> None:
        header = {
            "format": FORMAT,
            "skip_bad": self.job.skip_bad,
            "finished": self.finished,
            "problems": self.counted.problems,
        }
        text = json.dumps(header).encode() + b"\n" + bytes(self.counted.tally)
        with whole_file(self.path, force=True) as part:
            part.write_bytes(_checksum(text) + b"\n" + text)

    def _load(self) -> None:
        again = f"{self.path}: not the progress of this run (remove it to begin again)"
        checksum, _, text = self.path.read_bytes().partition(b"\n")
        if checksum != _checksum(text):
            raise DataError(again)
        head, _, tally = text.partition(b"\n")
        try:
            header: dict[str, Any] = json.loads(head)
            problems = [Problem(*problem) for problem in header["problems"]]
            self.counted = Counted(Tally.from_bytes(self.job.task, tally), problems=problems)
            self.finished = header["finished"]
            same = header["format"] == FORMAT and header["skip_bad"] == self.job.skip_bad
        except (ValueError, TypeError, KeyError, PckvError):
            raise DataError(again) from None
        files = {_name(file): file for file in self.job.files}
        if not same or not self.finished.keys() <= files.keys():
            raise DataError(again)
        for name, looks in self.finished.items():
            if _look(files[name]) != looks:
                raise DataError(f"{name}: changed since it was counted (remove {self.path} to begin again)")


def _name(file: ReportFile) -> str:
    return str(file.path.resolve())


def _look(file: ReportFile) -> list[int]:
    """What tells whether a file has changed."""
    found = file.path.stat()
    return [found.st_size, found.st_mtime_ns]


def _checksum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()
