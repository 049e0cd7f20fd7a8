"""Races: ours and a baseline turn by turn, so that whatever slows the machine slows both."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

PAIRS = 7

Side = Callable[[], object]
Clock = Callable[[], float]


class Times(NamedTuple):
    """Seconds a call, pair by pair."""

    ours: list[float]
    baseline: list[float]


@dataclass(frozen=True)
class Row:
    """One comparison: both sides in their unit, a result for every pair, and the bar for its median."""

    what: str
    unit: str
    ours: float
    baseline: float
    results: list[float]
    bar: float
    most: bool
    suffix: str = "×"

    @property
    def result(self) -> float:
        """The median over the pairs."""
        return median(self.results)

    @property
    def met(self) -> bool:
        """Whether the result is on the right side of the bar."""
        return self.result <= self.bar if self.most else self.result >= self.bar


def race(ours: Side, baseline: Side, turns: int, clock: Clock = time.process_time) -> Times:
    """Time both sides in seven pairs, once both have warmed up.

    Within a pair too the sides take turns, the more the shorter they are. The clock counts the
    processor's time in this process, which other jobs disturb less than the time on the wall.
    """
    ours()
    baseline()
    pairs = [_pair(ours, baseline, turns, clock) for _ in range(PAIRS)]
    return Times([mine for mine, _ in pairs], [theirs for _, theirs in pairs])


def _pair(ours: Side, baseline: Side, turns: int, clock: Clock) -> tuple[float, float]:
    mine = theirs = 0.0
    for _ in range(turns):
        start = clock()
        ours()
        between = clock()
        baseline()
        mine += between - start
        theirs += clock() - between
    return mine / turns, theirs / turns


def speed(what: str, times: Times, amount: float, unit: str, bar: float) -> Row:
    """Compare rates, where one call gets `amount` units done: the ratio is at least the bar."""
    ours, baseline = (amount / median(side) for side in times)
    ratios = [theirs / mine for mine, theirs in zip(*times, strict=True)]
    return Row(what, unit, ours, baseline, ratios, bar, most=False)


def cost(what: str, times: Times, amount: float, bar: float) -> Row:
    """Compare microseconds a thing, where one call does `amount` things: the ratio is at most the bar."""
    ours, baseline = (1e6 / amount * median(side) for side in times)
    ratios = [mine / theirs for mine, theirs in zip(*times, strict=True)]
    return Row(what, "µs", ours, baseline, ratios, bar, most=True)


def added(what: str, times: Times, bar: float) -> Row:
    """What ours takes beyond the baseline: at most this many milliseconds."""
    ours, baseline = (1e3 * median(side) for side in times)
    differences = [1e3 * (mine - theirs) for mine, theirs in zip(*times, strict=True)]
    return Row(what, "ms", ours, baseline, differences, bar, most=True, suffix=" ms more")
