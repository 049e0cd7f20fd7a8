"""Vectors of levels: what they are worth, which two a value lies between, and reports of tasks that have them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter
from typing import Any

from level_tasks import LEVEL_TASKS
from pckv.base.canonical import base64url
from pckv.base.levels import level_values
from pckv.base.limits import REFUSE_BETWEEN
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from pckv.mechanisms.base import SamplingLaw
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.padding import placed
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from tapes import about_pairs, report_vector, tape_of
from thresholds import EPSILONS, law_thresholds

COUNTS = (2, 3, 5, 16)
RANGES = (
    ("1", "5"),
    ("0.1", "0.7"),
    ("-0.1", "0.7"),
    ("-1", "1"),
    ("-100.25", "-0.000001"),
    (f"-0.{'3' * 37}", "0.10000000000000001249000902703301107977"),
    ("0", f"0.{'0' * 36}1"),
    ("-123456789012345678901234567890", "123456789012345678901234567891"),
)


def level_vectors() -> Iterator[dict[str, Any]]:
    """Yield what levels are worth as the bits of doubles, with values between them and their chances to rise."""
    for low, high in RANGES:
        for count in range(2, 17):
            yield _described(count, low, high)
    for task in LEVEL_TASKS:
        levels = task.domain.values.levels
        if not isinstance(levels, int):
            yield _described(levels, levels[0], levels[-1])


def _described(levels: int | tuple[str, ...], low: str, high: str) -> dict[str, Any]:
    values = level_values(levels, low, high)
    return {
        "levels": levels,
        "low": low,
        "high": high,
        "values": [_bits(value) for value in values],
        "placed": [
            {"value": _bits(value), "below": below, "threshold": str(threshold)}
            for value in _near(values)
            for below, threshold in [placed(value, values)]
        ],
    }


def _bits(value: float) -> str:
    """Return a double as 16 hexadecimal digits, sign first."""
    return struct.pack(">d", value).hex()


def _near(values: tuple[float, ...]) -> list[float]:
    """Return the first, a middle and the last level, the doubles next to them, and values between two levels."""
    low, high = values[0], values[-1]
    levels = {low, values[len(values) // 2], high}
    beside = {nextafter(value, end) for value in levels for end in (-inf, inf)}
    gaps = list(pairwise(values))
    between = {lower + share * (upper - lower) for lower, upper in gaps[::5] for share in (1 / 3, 0.5, 0.9)}
    return sorted(value for value in levels | beside | between if low <= value <= high)


def level_thresholds() -> Iterator[dict[str, Any]]:
    """Yield the integers behind the probabilities of three, five and sixteen levels."""
    for epsilon in EPSILONS:
        exact = Fraction(epsilon)
        for levels in COUNTS[1:]:
            for keys, padding in ((1, 1), (3, 2), (1000, 5), (2**31, 100)):
                words = GrrLaw(keys, padding, exact, levels=levels)
                yield law_thresholds(epsilon, words, levels=levels, allocation="optimized")
            for keys, q, r in ((3, 17, 1), (20, 67, 4), (1000, None, 1), (2**20, None, 1)):
                compact = UeCompactLaw(keys, 1, exact, q, r, levels=levels)
                yield law_thresholds(epsilon, compact, levels=levels, **compact.parameters, q_is_chosen=q is None)
            for keys, padding, symbols in ((3, 2, None), (1000, 2, 7), (2**23 // 16, 5, None)):
                collision = CollisionLaw(keys, padding, exact, symbols=symbols, levels=levels)
                yield law_thresholds(
                    epsilon,
                    collision,
                    levels=levels,
                    **collision.parameters,
                    symbols_are_chosen=symbols is None,
                )


def level_reports() -> Iterator[dict[str, Any]]:
    """Yield reports from fixed tapes, and pairs that tasks without values between levels refuse."""
    for number, task in enumerate(LEVEL_TASKS, 500):
        for case, pairs in enumerate(level_pairs(task)):
            tape = seeded_source(100 * number + case)(16 + 8 * (task.draws + 4))
            yield report_vector(task, pairs, tape)
        yield from _rising_draws(task)
        yield from _refused_values(task)
        body = base64url((task.word_limit or 0).to_bytes(8, "little"))
        yield {"task": task.to_json(), "body": body, "fails_at": "report", "reason": "out_of_range"}


def level_pairs(task: Task) -> Iterator[dict[str, float]]:
    """Yield nothing, single levels, values between two levels, and as many pairs as the padding and more."""
    values = task.level_values
    last, middle = values[-1], values[len(values) // 2]
    between = values if task.between == REFUSE_BETWEEN else tuple(_near(values))
    yield {}
    for value in (values[0], values[1], last):
        yield {task.key_name(task.key_count - 1): value}
    for start in (0, 1):
        yield {task.key_name(key): between[(start + 3 * key) % len(between)] for key in range(2)}
    yield {
        task.key_name(key): value
        for key, value in enumerate((middle, between[len(between) // 3], last)[: task.key_count])
    }


def _rising_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports on both sides of the threshold of every kind of value; what they say is not changed by noise."""
    values = task.level_values
    near = values if task.between == REFUSE_BETWEEN else _near(values)
    slot = [0] if isinstance(task.law, SamplingLaw) else []
    for value in near[:: max(1, len(near) // 8)]:
        _, threshold = placed(value, values)
        for drawn in sorted({max(threshold - 1, 0), min(threshold, 2**64 - 1)}):
            tape = tape_of(task, *about_pairs(task), *slot, drawn)
            yield report_vector(task, {task.key_name(task.key_count // 2): value}, tape)


def _refused_values(task: Task) -> Iterator[dict[str, Any]]:
    """Yield values beyond the ends, and between two levels where the task refuses that."""
    values, key = task.level_values, task.key_name(0)
    wrong = [("within", nextafter(values[0], -inf)), ("within", nextafter(values[-1], inf))]
    if task.between == REFUSE_BETWEEN:
        between = (nextafter(values[0], inf), nextafter(values[1], -inf), (values[0] + values[1]) / 2)
        wrong += [("is not one of", value) for value in between]
    for reason, value in wrong:
        yield {"task": task.to_json(), "pairs": {key: value}, "fails_at": "pairs", "reason": reason}
