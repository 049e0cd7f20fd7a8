"""Whether public functions are uniform, as honest devices and coins draw them, whatever people hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from pckv.base.arrays import Integers
from pckv.estimators.alarms.result import AlarmTest
from pckv.estimators.alarms.tails import binomial_bound, gamma_bound, poisson_bound
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw

FunctionLaw = UeCompactLaw | CollisionLaw

# The two numbers of a function are counted in this many ranges.
RANGES = 64
# Up to this many reports per function, one that repeats an earlier one is a rare event of its own.
MAX_RARE_LOAD = 0.05
# With fewer functions, their numbers of reports are not many independent ones.
MIN_FUNCTIONS = 25


def function_tests(law: FunctionLaw, functions: Integers) -> Iterator[AlarmTest]:
    """Yield the tests of the functions that reports name."""
    if not functions.size:
        return
    counts = np.unique_counts(functions).counts
    yield _heaviest(int(counts.max()), functions.size, law.functions)
    if law.functions >= MIN_FUNCTIONS:
        yield _repeated(counts, functions.size, law.functions)
    for name, values, limit in _coordinates(law, functions):
        yield _ranges(name, values, limit)


def _heaviest(count: int, reports: int, functions: int) -> AlarmTest:
    """Test the function that most reports name: the union bound over all functions."""
    mean = reports / functions
    chance = functions * binomial_bound(count, reports, 1 / functions) if count > mean else 1.0
    seen = f"{count:,} reports name the same function, where {mean:,.3g} are expected"
    return AlarmTest("heaviest function", seen, min(1.0, chance))


def _repeated(counts: Integers, reports: int, functions: int) -> AlarmTest:
    """Test how often reports name the functions of others."""
    name = "repeated functions"
    if reports <= MAX_RARE_LOAD * functions:
        # Given all earlier reports, the next one repeats one of their functions with at most this chance each.
        repeats, mean = reports - counts.size, reports * (reports - 1) / (2 * functions)
        seen = f"{repeats:,} reports name the function of an earlier one, where {mean:,.3g} are expected"
        return AlarmTest(name, seen, poisson_bound(repeats, mean))
    pairs = float((counts * (counts - 1.0)).sum() / 2)
    all_pairs, chance = reports * (reports - 1) / 2, 1 / functions
    mean, variance = all_pairs * chance, all_pairs * chance * (1 - chance)
    # Pairs are independent of each other, but three of them that make a triangle are not.
    triangles = all_pairs * (reports - 2) / 3
    third = variance * (1 - 2 * chance) + 6 * triangles * chance**2 * (1 - chance)
    seen = f"{pairs:,.0f} pairs of reports name the same function, where {mean:,.0f} are expected"
    return AlarmTest(name, seen, gamma_bound(pairs, mean, variance, third / variance**1.5))


def _coordinates(law: FunctionLaw, functions: Integers) -> Iterator[tuple[str, Integers, int]]:
    """Yield what a function is made of: independent numbers, each uniform below a limit."""
    if isinstance(law, UeCompactLaw):
        for digit in range(law.digits):
            yield f"digit {digit + 1}", functions // law.q**digit % law.q, law.q
    elif law.by_index:
        yield "number", functions, law.functions
    else:
        yield "first number", functions // law.positions, law.positions - 1
        yield "second number", functions % law.positions, law.positions


def _ranges(name: str, values: Integers, limit: int) -> AlarmTest:
    """Test how many values fall into ranges of equal size, the one that is least likely: the union bound over both ends."""
    ranges = min(RANGES, limit)
    # Values are below 2^38, so that products stay whole.
    counts = np.bincount(values * ranges // limit, minlength=ranges)
    ends = [-(-limit * number // ranges) for number in range(ranges + 1)]
    chances = [(high - low) / limit for low, high in pairwise(ends)]
    bounds = [
        binomial_bound(count, values.size, chance)
        for count, chance in zip(counts.tolist(), chances, strict=True)
    ]
    worst = int(np.argmin(bounds))
    first, last = ends[worst], ends[worst + 1] - 1
    span = f"{first:,}" if first == last else f"from {first:,} to {last:,}"
    seen = (
        f"{counts[worst]:,} reports name functions whose {name} is {span}, "
        f"where {values.size * chances[worst]:,.0f} are expected"
    )
    return AlarmTest(f"{name} of the functions", seen, min(1.0, 2 * ranges * bounds[worst]))
