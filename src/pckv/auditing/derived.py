"""Derived items in audits: stated a second time, by listing them, and traced on the way to a report.

Nothing that is drawn enters how items are made, so that a device may look at keys and labels there. From there on, and
before, no decision may depend on one alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb

from pckv.auditing.traced import Held
from pckv.contract.task import Task
from pckv.mechanisms.derivation import Derivation
from pckv.mechanisms.padding import Pair

# Of at most this many labels, each is visited with every set of few keys.
FEW_LABELS = 3


class LabelledValues(dict[int, float]):
    """Pairs of a participant who has a label."""

    def __init__(self, values: Mapping[int, float], label: int) -> None:
        super().__init__(values)
        self.label = label


def label_of(values: Mapping[int, float]) -> int:
    """Return the label of the participant who holds these pairs; 0 where there is no segment."""
    return values.label if isinstance(values, LabelledValues) else 0


def with_labels(
    task: Task, sets: Iterable[dict[int, float]], *, with_all_labels: bool = False
) -> Iterator[dict[int, float]]:
    """Yield sets with labels, where a task has a segment: each with all of few labels, or labels by turns.

    A participant without pairs may have any of them.
    """
    if task.segment is None:
        yield from sets
        return
    labels = range(len(task.segment.labels))
    for place, values in enumerate(sets):
        with_all = not values or (with_all_labels and len(labels) <= FEW_LABELS)
        turn = place % len(labels)
        yield from (LabelledValues(values, label) for label in labels if with_all or label == turn)


def kept_sets(task: Task, held: Mapping[int, float]) -> Iterator[tuple[dict[int, float], Fraction]]:
    """Yield the pairs that a participant may keep, all equally likely, with the chance of each choice.

    Where no items are derived, the law itself states what is kept.
    """
    most = min(len(held), task.padding) if task.derivation is not None else len(held)
    for keys in combinations(held, most):
        yield {key: held[key] for key in keys}, Fraction(1, comb(len(held), most))


def stated_items(task: Task, levels: Mapping[int, int], label: int) -> dict[int, int]:
    """Return the items, with their levels, of a participant who keeps keys with these levels."""
    if task.derivation is None:
        return dict(levels)
    if task.segment is not None:
        first = len(task.segment.labels) + label * task.key_count
        return {label: 0, **{first + key: level for key, level in levels.items()}}
    numbers = _numbers_together(task.key_count)
    return {**levels, **{numbers[pair]: 0 for pair in combinations(sorted(levels), 2)}}


@cache
def _numbers_together(keys: int) -> dict[tuple[int, int], int]:
    """Return the number of every two keys: after the keys themselves, in the order of a dictionary."""
    return {pair: keys + place for place, pair in enumerate(combinations(range(keys), 2))}


def with_traced_items(task: Task) -> Task:
    """Return a copy of a task whose items let no decision depend on them alone; its id stays the task's."""
    if task.derivation is None:
        return task
    domain = copy(task.domain)
    vars(domain).update(derivation=TracedDerivation(task.derivation))
    toy = object.__new__(Task)
    vars(toy).update({field.name: getattr(task, field.name) for field in fields(task)}, digest=task.digest)
    vars(toy).update(domain=domain)
    return toy


class TracedDerivation:
    """A derivation that is given traced pairs, and returns traced items."""

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation

    def derive(self, kept: Sequence[Pair], label: int) -> list[Pair]:
        """Return a participant's items, traced."""
        plain = [(int(key), int(below), int(threshold)) for key, below, threshold in kept]
        items = self._derivation.derive(plain, int(label))
        return [(Held(number), Held(below), Held(threshold)) for number, below, threshold in items]
