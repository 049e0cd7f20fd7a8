"""Engines: the same reports give the same tally, whoever counts them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from pckv.counting.batches import Counted
from pckv.errors import ParameterError
from pckv.files.reports.format import ReportFile, ReportStream
from pckv.task import Task

Progress = Callable[[int], None]

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
    # Takes the number of rows done so far.
    progress: Progress = lambda _: None

    @property
    def rows(self) -> int:
        """How many reports there are in all."""
        return sum(file.rows for file in self.files)


def find_engine(name: str) -> Callable[[Job], Counted]:
    """The engine of a name."""
    if name not in ENGINES:
        raise ParameterError(f"engine {name!r} does not exist: choose from {', '.join(ENGINES)}")
    return cast("Callable[[Job], Counted]", import_module(ENGINES[name]).count)
