"""What levels must do: keep the means of values, whatever the levels are worth, and be bound by a task's id."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter
from typing import Any

from pckv.base.errors import AuditFailure
from pckv.base.levels import level_values
from pckv.base.randomness import BITS
from pckv.contract.task import Task
from pckv.mechanisms import padding
from pckv.mechanisms.padding import VALUE_ONE

# Equally spaced levels of ranges that doubles hold exactly and that they do not, and named ones.
RANGES = (("-1", "1"), ("0.1", "0.7"), ("-3", "1000000"))
NAMED = (("1", "2", "3", "4", "5"), ("0", "0.1", "1", "10", "100"), ("-7.3", "0", "0.0000001"))
COUNTS = (2, 3, 5, 16)
# Values between two levels, as shares of the way.
SHARES = (0.0, 0.1, 1 / 3, 0.5, 0.9)
# The chance of the higher level is off by at most this: one unit of its last bit, and what doubles round.
MAX_ERROR = Fraction(4, VALUE_ONE)

BASE: dict[str, Any] = {
    "name": "ids",
    "keys": 7,
    "values": (1, 5),
    "levels": 5,
    "between": "round",
    "epsilon": 1,
    "padding": 2,
    "mechanism": {"name": "ue-compact", "q": 13},
    "size_share": 0,
}
# What contracts may differ in, each from the base alone.
OTHERS: tuple[dict[str, Any], ...] = (
    {"name": "other"},
    {"keys": 8},
    {"values": (1, 6)},
    {"values": (0, 5)},
    {"levels": 2},
    {"levels": 3},
    {"levels": 6},
    {"levels": (1, 2, 3, 4, 5)},
    {"levels": (1, 2, 3, 5)},
    {"levels": (1, 2, 4, 5)},
    {"between": "refuse"},
    {"levels": (1, 2, 3, 4, 5), "between": "refuse"},
    {"epsilon": 2},
    {"padding": 1},
    {"mechanism": {"name": "ue-compact", "q": 17}},
    {"mechanism": {"name": "ue-compact", "q": 13, "r": 2}},
    {"more": "refuse"},
    {"size_share": "0.05"},
    {"coin": "server"},
    {"about": {"question": "Which?"}},
    {"opens": "2026-01-01"},
    {"closes": "2026-02-01"},
)

# From a value and what levels are worth to the level below it, and the threshold of the next.
Place = Callable[[float, Sequence[float]], tuple[int, int]]


def check_levels_keep_the_mean(place: Place = padding.placed) -> None:
    """Reported as one of the two levels around it, a value is itself on average; a level stays what it is."""
    for values in _scales():
        gaps = list(pairwise(values))
        for value in (low + share * (high - low) for low, high in gaps for share in SHARES):
            below, threshold = place(value, values)
            if not (0 <= below < len(gaps) and 0 <= threshold <= 1 << BITS):
                raise AuditFailure(f"levels keep the mean: {value} is not between two of {values}")
            low, high = map(Fraction, gaps[below])
            mean = low + (high - low) * Fraction(threshold, 1 << BITS)
            if abs(mean - Fraction(value)) > MAX_ERROR * (high - low):
                raise AuditFailure(f"levels keep the mean: {value} becomes {float(mean)} among {values}")
        for level, value in enumerate(values):
            _check_level(place, values, level, value)


def _check_level(place: Place, values: Sequence[float], level: int, value: float) -> None:
    below, threshold = place(value, values)
    if (below, threshold) not in {(level, 0), (level - 1, 1 << BITS)}:
        raise AuditFailure(f"levels keep the mean: level {value} does not stay itself among {values}")
    for beside in (nextafter(value, -inf), nextafter(value, inf)):
        if values[0] <= beside <= values[-1]:
            low = place(beside, values)[0]
            if not values[low] <= beside <= values[low + 1]:
                raise AuditFailure(f"levels keep the mean: {beside} is not between its levels")


def _scales() -> Iterator[tuple[float, ...]]:
    for low, high in RANGES:
        yield from (level_values(count, low, high) for count in COUNTS)
    yield from (level_values(named, named[0], named[-1]) for named in NAMED)


def check_ids_bind_contracts() -> None:
    """Tasks that differ in anything have different ids, and come back from their JSON as they were."""
    tasks = [Task(**(BASE | other)) for other in ({}, *OTHERS)]
    if len({task.id for task in tasks}) != len(tasks):
        raise AuditFailure("ids bind contracts: two contracts have one id")
    for task in tasks:
        if (again := Task.from_json(task.to_json())).id != task.id or again.level_values != task.level_values:
            raise AuditFailure(f"ids bind contracts: {task!r} comes back with other members")


# Faulty ways to place a value between two levels.


def wrong_neighbour(value: float, values: Sequence[float]) -> tuple[int, int]:
    """The farther of two levels is the likelier."""
    below, threshold = padding.placed(value, values)
    return (below, 2**64 - threshold) if len(values) > 2 else (below, threshold)


def rounded_down(value: float, values: Sequence[float]) -> tuple[int, int]:
    """A value between two levels is always the lower one."""
    below, threshold = padding.placed(value, values)
    return below, threshold if len(values) == 2 or value in values else 0


def one_level_too_low(value: float, values: Sequence[float]) -> tuple[int, int]:
    """With more levels than two, those above the lowest two are one too low."""
    below, threshold = padding.placed(value, values)
    return max(below - (len(values) > 2), 0), threshold
