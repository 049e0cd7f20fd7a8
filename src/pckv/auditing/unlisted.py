"""Keys that a task does not list, in the sets of audits: several of them at once, and texts of which hashes are known.

The keys of sets are numbers. Where a task has a key for all that are not listed, that number and all above it are different
keys that are not listed. Where keys are hashed, numbers are those of a few known texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from pckv.auditing.exact import Values, scale
from pckv.base.limits import REFUSE
from pckv.contract.task import Task

# Texts of hashed keys: as many as the largest sets of hashed keys need.
TEXTS = 400
# Values of keys that are not listed, as places among the levels: the first is the lowest, the last the highest.
LOWEST, HIGHEST = 0, -1


@lru_cache(maxsize=16)
def known_texts(task: Task) -> dict[int, str]:
    """Return texts by their numbers, where keys are hashed."""
    return {task.key_index(text): text for text in (f"text {number}" for number in range(TEXTS))}


def key_text(task: Task, key: int) -> str:
    """Return what somebody calls the key of a set."""
    if task.is_hashed:
        return known_texts(task)[key]
    return task.key_name(key) if key < task.key_count else f"not listed, {key}"


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
    """Yield sets with several keys that are not listed, whose values differ: alone, and with keys that are."""
    if task.other_index is None:
        return
    first, levels = task.other_index, scale(task.level_count)
    low, high = levels[LOWEST], levels[HIGHEST]
    several: tuple[tuple[float, ...], ...] = ((high, low), (low, high, high), (high - 1 / 2, low))
    for others in several:
        unlisted = {first + place: value for place, value in enumerate(others)}
        yield unlisted
        most = task.padding - 1 if task.more == REFUSE else task.padding
        for count in sorted({1, most}):
            if 1 <= count <= min(most, first):
                yield {**dict.fromkeys(range(count), high), **unlisted}
