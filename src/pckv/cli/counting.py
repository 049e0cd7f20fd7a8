"""Counting what a command line names: files, folders, patterns, tallies, and - for standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pckv.cli.common import STREAM
from pckv.cli.terminal import row_bar
from pckv.counting.run import CountOptions, InputsResult, NamedStream, count_inputs
from pckv.errors import DataError
from pckv.task import Task


def split_named(named: Sequence[Path]) -> tuple[list[Path], NamedStream | None]:
    """Return the paths among all that is named, and standard input if it is named."""
    if named.count(STREAM) > 1:
        raise DataError("standard input was given twice", place=STREAM)
    stream = NamedStream(sys.stdin.buffer, "standard input") if STREAM in named else None
    return [path for path in named if path != STREAM], stream


def count_named(task: Task, named: Sequence[Path], options: CountOptions) -> InputsResult:
    """Count all that is named, with a progress bar on stderr."""
    paths, stream = split_named(named)
    return count_inputs(task, paths, options, row_bar("Counting"), stream)
