"""Timing: the code under test and a baseline in turns, so that whatever slows the machine slows both."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

PAIRS = 7
LARGE = 1000

Action = Callable[[], object]
Clock = Callable[[], float]


class Times(NamedTuple):
    """Seconds per call, pair by pair."""

    ours: list[float]
    baseline: list[float]


@dataclass(frozen=True)
class Measurement:
    """One line of the table.

    Attributes:
        name: What was measured.
        unit: The unit of `ours` and `baseline`.
        ours: The median of the code under test.
        baseline: The median of the baseline, or None if there is none.
        results: What the bar is about, one per pair: a ratio, a difference or an amount.
        bar: The bound for the median of the results, or None if there is none.
        at_most: Whether the bar is an upper bound.
        suffix: The unit of the results.
    """

    name: str
    unit: str
    ours: float
    baseline: float | None
    results: list[float]
    bar: float | None
    at_most: bool
    suffix: str = "×"

    @property
    def result(self) -> float:
        """The median over the pairs."""
        return median(self.results)

    @property
    def met(self) -> bool:
        """Whether the result is on the right side of the bar, if there is one."""
        if self.bar is None:
            return True
        return self.result <= self.bar if self.at_most else self.result >= self.bar

    @property
    def verdict(self) -> str:
        """The last column of the table."""
        return "" if self.bar is None else "met" if self.met else "MISSED"

    def cells(self) -> tuple[str, ...]:
        """Return the columns of the table: name, ours, baseline, result, range, bar, verdict."""
        spread = f"{_number(min(self.results))} to {_number(max(self.results))}"
        return (
            self.name,
            f"{_number(self.ours)} {self.unit}",
            "" if self.baseline is None else f"{_number(self.baseline)} {self.unit}",
            f"{_number(self.result)}{self.suffix}",
            spread if len(self.results) > 1 else "",
            "" if self.bar is None else f"{'≤' if self.at_most else '≥'} {_number(self.bar)}{self.suffix}",
            self.verdict,
        )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= LARGE else f"{value:.3g}"


def race(ours: Action, baseline: Action, turns: int, clock: Clock = time.process_time) -> Times:
    """Time both sides in seven pairs after one warm-up call each.

    Within a pair the sides take `turns` turns: choose more for shorter calls. The default clock counts the
    processor time of this process, which other processes disturb less than wall-clock time.
    """
    ours()
    baseline()
    pairs = [_pair(ours, baseline, turns, clock) for _ in range(PAIRS)]
    return Times([our_time for our_time, _ in pairs], [baseline_time for _, baseline_time in pairs])


def _pair(ours: Action, baseline: Action, turns: int, clock: Clock) -> tuple[float, float]:
    our_time = baseline_time = 0.0
    for _ in range(turns):
        start = clock()
        ours()
        middle = clock()
        baseline()
        our_time += middle - start
        baseline_time += clock() - middle
    return our_time / turns, baseline_time / turns


def seconds(action: Action, clock: Clock = time.perf_counter) -> float:
    """Return how long one call takes."""
    start = clock()
    action()
    return clock() - start


def ratio(
    name: str, unit: str, ours: list[float], baseline: list[float], bar: float | None, *, at_most: bool
) -> Measurement:
    """Compare amounts pair by pair: the result is ours divided by the baseline's."""
    ratios = [mine / theirs for mine, theirs in zip(ours, baseline, strict=True)]
    return Measurement(name, unit, median(ours), median(baseline), ratios, bar, at_most)


def speed(name: str, times: Times, amount: float, unit: str, bar: float) -> Measurement:
    """Compare rates, where one call processes `amount` units: the ratio must be at least the bar."""
    ours, baseline = ([amount / each for each in side] for side in times)
    return ratio(name, unit, ours, baseline, bar, at_most=False)


def cost(name: str, times: Times, amount: float, bar: float) -> Measurement:
    """Compare microseconds per item of calls that handle `amount` items: the ratio is at most the bar."""
    ours, baseline = ([1e6 / amount * each for each in side] for side in times)
    return ratio(name, "µs", ours, baseline, bar, at_most=True)


def difference(name: str, unit: str, ours: list[float], baseline: list[float], bar: float) -> Measurement:
    """Compare amounts pair by pair: ours may exceed the baseline's by at most the bar."""
    excess = [mine - theirs for mine, theirs in zip(ours, baseline, strict=True)]
    suffix = f" {unit} more"
    return Measurement(name, unit, median(ours), median(baseline), excess, bar, at_most=True, suffix=suffix)


def absolute(name: str, unit: str, values: list[float], bar: float | None = None) -> Measurement:
    """Report an amount without a baseline: its median must be at most the bar, if there is one."""
    return Measurement(name, unit, median(values), None, values, bar, at_most=True, suffix=f" {unit}" if unit else "")
