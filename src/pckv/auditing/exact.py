"""The sets of pairs that audits visit, and what may be reported of them.

Values that are levels suffice, since the law of a report is affine in each value between two of them. Of the
sizes that a size question is asked about, its ends suffice, since the law of a size between two ends is a
mixture of theirs; some more are visited.

The keys of sets are numbers. Where a task has a key for all that are not listed, that number and all above it
are different keys that are not listed. Where keys are hashed, numbers are those of a few known texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, product
from math import prod

from pckv.base.limits import REFUSE
from pckv.contract.task import Task
from pckv.mechanisms.size_question.law import SizeQuestion

# Keys, with values on the scale of audits.
Values = Mapping[int, float]


def input_sets(keys: int, levels: int = 2) -> Iterator[dict[int, int]]:
    """Yield every set of keys with levels that a person may hold, the empty one included."""
    for states in product((None, *reversed(range(levels))), repeat=keys):
        yield {key: level for key, level in enumerate(states) if level is not None}


def spread_keys(keys: int, size: int) -> list[int]:
    """Return this many keys, from the first to the last."""
    return [place * (keys - 1) // max(size - 1, 1) for place in range(size)]


def scale(levels: int) -> tuple[float, ...]:
    """Return what equally spaced levels are worth in an audit: two apart around 0, and exact as doubles.

    What levels are worth in a task does not enter a report: only between which two a value lies, and how far.
    """
    return tuple(float(value) for value in range(1 - levels, levels, 2))


def spread_values(keys: int, size: int, levels: int = 2) -> dict[int, float]:
    """Return this many pairs, from the first key to the last, with levels by turns, the highest first."""
    return {key: scale(levels)[levels - 1 - place % levels] for place, key in enumerate(spread_keys(keys, size))}


def held_levels(values: Values, levels: int) -> Iterator[tuple[dict[int, int], Fraction]]:
    """Yield the levels that values may be reported as, with the chances that keep their means."""
    chances = [_level_chances(value, levels) for value in values.values()]
    for chosen in product(*chances):
        chance = prod((each for _, each in chosen), start=Fraction(1))
        yield {key: level for key, (level, _) in zip(values, chosen, strict=True)}, chance


def _level_chances(value: float, levels: int) -> list[tuple[int, Fraction]]:
    """Return the levels that a value may be reported as: the nearer one is, the likelier."""
    nearness = [(level, 1 - abs(Fraction(value) - Fraction(of)) / 2) for level, of in enumerate(scale(levels))]
    return [(level, near) for level, near in nearness if near > 0]


def visited_sizes(question: SizeQuestion) -> list[int]:
    """Return sizes at all ends, next to them and between them, from none to all keys."""
    ends = question.ends
    middles = [(low + high) // 2 for low, high in pairwise((0, *ends))]
    near = {end + step for end in (0, *ends, *middles) for step in (-1, 0, 1)}
    return sorted(size for size in near if 0 <= size <= question.keys)


# Values of keys that are not listed, as places among the levels: the first is the lowest, the last the
# highest.
LOWEST, HIGHEST = 0, -1
# Unlisted keys are visited together with at most this many listed ones.
MAX_WITH_UNLISTED = 40


def key_number(task: Task, key: int) -> int:
    """Return the number of the key of a set, which is one for all keys that are not listed."""
    return key if task.other_index is None else min(key, task.other_index)


def chosen_sets(task: Task, values: Values) -> Iterator[tuple[Values, Fraction]]:
    """Yield what reports are made from, with one of the keys that are not listed, and the chance of that."""
    last = task.key_count if task.other_index is None else task.other_index
    listed = {key: value for key, value in values.items() if key < last}
    others = [value for key, value in values.items() if key >= last]
    if not others:
        yield listed, Fraction(1)
    for value in others:
        yield {**listed, last: value}, Fraction(1, len(others))


def unlisted_sets(task: Task) -> Iterator[dict[int, float]]:
    """Yield sets with several unlisted keys of different values: alone, and with listed keys."""
    if task.other_index is None:
        return
    first, levels = task.other_index, scale(task.level_count)
    low, high = levels[LOWEST], levels[HIGHEST]
    several: tuple[tuple[float, ...], ...] = ((high, low), (low, high, high), (high - 1 / 2, low))
    for others in several if task.has_values else several[:-1]:
        unlisted = {first + place: value for place, value in enumerate(others)}
        yield unlisted
        most = min(first, task.padding - 1 if task.more == REFUSE else task.padding)
        for count in sorted({1, most}):
            if 1 <= count <= min(most, MAX_WITH_UNLISTED):
                yield {**dict.fromkeys(range(count), high), **unlisted}
