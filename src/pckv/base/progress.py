"""Callbacks that report the progress of long work."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

# Takes the share of the work that is done, from 0 to 1.
Progress = Callable[[float], None]
# Takes the number of rows that are done: a stream of reports has no known length, and so no share.
RowsDone = Callable[[int], None]
# Takes what is done, in words, and opens something to report progress to.
LabelledProgressBar = Callable[[str], AbstractContextManager[Progress]]
# Takes the number of rows (None where a stream is read) and opens something to report progress to.
RowsProgressBar = Callable[[int | None], AbstractContextManager[RowsDone]]


def no_progress(_: float) -> None:
    """Report no progress."""
