"""A table at the end of a run: how long each group of tests took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

import pytest

SLOWEST = 10


def group_of(test: str) -> str:
    """Return the group of a test: its folder below tests/, or the first part of its path."""
    folder, *rest = PurePosixPath(test.partition("::")[0]).parts
    return f"{folder}/{rest[0]}" if folder == "tests" and len(rest) > 1 else folder


def duration_lines(reports: Iterable[pytest.TestReport]) -> Iterator[str]:
    """Yield the lines of the table.

    A test's time includes its fixtures. With several workers the sums exceed the wall-clock time. A single
    group gets no table.
    """
    seconds: dict[str, float] = defaultdict(float)
    for report in reports:
        seconds[report.nodeid] += report.duration
    groups: dict[str, list[float]] = defaultdict(list)
    for test, duration in seconds.items():
        groups[group_of(test)].append(duration)
    if len(groups) < 2:
        return
    total = sum(seconds.values())
    yield f"{'group':24}{'tests':>7}{'seconds':>10}{'share':>8}"
    for group, durations in sorted(groups.items(), key=lambda item: -sum(item[1])):
        yield f"{group:24}{len(durations):>7}{sum(durations):>10.1f}{sum(durations) / (total or 1):>8.1%}"
    yield f"{'all':24}{len(seconds):>7}{total:>10.1f}"
    yield f"the {SLOWEST} slowest tests:"
    for test in sorted(seconds, key=lambda test: -seconds[test])[:SLOWEST]:
        yield f"{seconds[test]:>10.1f}  {test}"
