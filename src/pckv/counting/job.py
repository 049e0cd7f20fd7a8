"""A counting job, and the engines that can do it: the same reports give the same tally with every engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from pckv.base.errors import ParameterError
from pckv.base.progress import RowsDone, no_progress
from pckv.contract.task import Task
from pckv.counting.batches import CountResult
from pckv.files.reports.reader import ReportFile
from pckv.files.reports.stream import ReportStream

# The module of each engine, which has a function `count`; none is loaded before it is used.
ENGINES = {
    "numpy": "pckv.counting.engines.numpy",
    "duckdb": "pckv.counting.engines.duckdb",
    "spark": "pckv.counting.engines.spark",
}


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
