"""Callbacks that report the progress of long work."""

from __future__ import annotations

from collections.abc import Callable

# Takes the share of the work that is done, from 0 to 1.
Progress = Callable[[float], None]
# Takes the number of rows that are done: a stream of reports has no known length, and so no share.
RowsDone = Callable[[int], None]


def no_progress(_: float) -> None:
    """Tell nobody."""
