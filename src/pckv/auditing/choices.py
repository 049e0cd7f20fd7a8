"""Choices among what a person holds: all of them are visited where they are few, and representatives otherwise.

Three draws choose: one of the unlisted keys, which pairs a report takes of more than the padding
(`collision`, and where items are derived), and the slot of a pair, an item or a dummy (all other mechanisms).
Given what they chose, a report must follow the law of what was chosen; what they chose among must be as many
as stated. That one representative stands for its class is shown in proofs/unlisted.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import perm
from typing import NamedTuple

from pckv.auditing.derived import kept_sets, label_of, stated_items
from pckv.auditing.exact import Values, chosen_sets, held_levels
from pckv.auditing.traced import Held, Number
from pckv.contract.task import Task
from pckv.mechanisms.base import SamplingLaw

# The most ways to choose, one after another, that are all visited.
MAX_CHOICES = 120
# The most slots of pairs and dummies that are all visited.
MAX_SLOTS = 101

# The levels that pairs may be reported as, and the chance of that.
Reported = tuple[Mapping[int, int], Fraction]
# How many there are to choose among, and which one is chosen.
FixedChoice = tuple[int, Number]


class FollowedChoice(NamedTuple):
    """How the reports of a set are followed: with all choices, or with given ones.

    `reported` is what a report is made from, given the `fixed` choices, and `size` how many pairs the set has,
    all unlisted keys being one. If `is_sampled`, what is reported is the one pair or dummy of the given slot; where
    items are derived, of these `items`.
    """

    reported: Sequence[Reported]
    size: int
    fixed: tuple[FixedChoice, ...] = ()
    is_sampled: bool = False
    items: Mapping[int, int] | None = None

    def all_slots(self, task: Task, values: Values) -> FollowedChoice:
        """Return the same set with all slots together: given the items that are kept, where items are derived."""
        if self.items is None:
            return all_choices(task, values)
        return FollowedChoice([(self.items, Fraction(1))], self.size)

    def chance(self, task: Task, message: int) -> Fraction:
        """Return the probability that the law states for a message about pairs."""
        total = Fraction(0)
        for held, chance in self.reported:
            if self.is_sampled and isinstance(task.law, SamplingLaw):
                [(key, level)] = held.items()
                total += chance * Fraction(task.law.pair_weight(message, key, level), task.law.pair_total)
            else:
                total += chance * task.law.chance(held, message)
        return total


def all_choices(task: Task, values: Values) -> FollowedChoice:
    """Return a set of which all choices are visited together."""
    chosen = list(chosen_sets(task, values))
    label = label_of(values)
    reported = [
        (items, chance * of_choice * of_kept)
        for pairs, of_choice in chosen
        for kept, of_kept in kept_sets(task, pairs)
        for items, chance in _items(task, kept, label)
    ]
    return FollowedChoice(reported, len(chosen[0][0]))


def _items(task: Task, kept: Values, label: int) -> Iterator[Reported]:
    """Yield what is reported of the pairs that are kept, with the chances of their levels."""
    for levels, chance in held_levels(kept, task.law.levels):
        yield stated_items(task, levels, label), chance


def followed_choices(task: Task, values: Values) -> list[FollowedChoice]:
    """Return how a set is followed: with all choices together, or with representatives of them.

    Unlisted keys are chosen first. Each of them is a representative: sets that are visited have few.
    """
    law, chosen = task.law, [pairs for pairs, _ in chosen_sets(task, values)]
    size, unlisted = len(chosen[0]), len(chosen)
    if isinstance(law, SamplingLaw) and task.derivation is None:
        few = max(size, law.padding) <= MAX_SLOTS
    else:
        slots = law.padding if isinstance(law, SamplingLaw) else 1
        few = unlisted * ordered_choices(size, task.padding) * slots <= MAX_CHOICES
    if few:
        return [all_choices(task, values)]
    return [
        followed._replace(size=size, fixed=(*unlisted_choice, *followed.fixed))
        for number, pairs in enumerate(chosen)
        for unlisted_choice in ([(unlisted, Held(number))] if unlisted > 1 else [],)
        for followed in _given_choices(task, pairs, label_of(values))
    ]


def _given_choices(task: Task, pairs: Values, label: int) -> Iterator[FollowedChoice]:
    """Yield representatives of the pairs that are taken of a set, of slots, or of both."""
    law, size = task.law, len(pairs)
    if not isinstance(law, SamplingLaw):
        yield from (FollowedChoice(reported, size, tuple(fixed)) for fixed, reported in _taken(task, pairs, label))
        return
    if task.derivation is None:
        each = [list(held_levels({key: value}, law.levels)) for key, value in pairs.items()]
        yield from (FollowedChoice(reported, size, fixed, is_sampled=True) for fixed, reported in _slots(law, each))
        return
    for taken, [(items, _)] in _taken(task, pairs, label):
        each = [[({number: level}, Fraction(1))] for number, level in items.items()]
        for slot, reported in _slots(law, each):
            yield FollowedChoice(reported, size, (*taken, *slot), is_sampled=True, items=items)


def ordered_choices(size: int, most: int) -> int:
    """Return in how many ways as much as a report takes is chosen of a set, one after another."""
    return 1 if size <= most else perm(size, most)


def representatives(size: int, most: int) -> Iterator[tuple[list[FixedChoice], list[int]]]:
    """Yield choices of some of a set, one after another, with the places of what is chosen, in order.

    The first are chosen, so that the last is left out; the last ones; and some between.
    """
    limits = [size - place for place in range(most)]
    for results in ([0] * most, [limit - 1 for limit in limits], [7 * limit // 13 for limit in limits]):
        left = list(range(size))
        for place, result in enumerate(results):
            left[place], left[place + result] = left[place + result], left[place]
        # Nothing but the place of what is chosen may depend on the number that was drawn.
        yield [(limit, Held(result)) for limit, result in zip(limits, results, strict=True)], left[:most]


def _taken(task: Task, pairs: Values, label: int) -> Iterator[tuple[Sequence[FixedChoice], Sequence[Reported]]]:
    """Yield representatives of the pairs that are taken of a set."""
    most, held = task.padding, list(pairs.items())
    if len(held) <= most:
        yield [], list(_items(task, pairs, label))
        return
    for fixed, places in representatives(len(held), most):
        yield fixed, list(_items(task, dict(held[place] for place in places), label))


def _slots(
    law: SamplingLaw, held: Sequence[Sequence[Reported]]
) -> Iterator[tuple[tuple[FixedChoice, ...], Sequence[Reported]]]:
    """Yield representatives of the slots: what is held at both ends and between, and dummies, each at either level."""
    slots = max(len(held), law.padding)
    for slot in sorted({0, len(held) // 2, len(held) - 1}) if held else ():
        yield ((slots, slot),), held[slot]
    dummies, half = law.counted_dummies, Fraction(1, 2)
    for slot in sorted({len(held), slots - 1}) if len(held) < slots else ():
        for dummy in sorted({0, 7 * dummies // 13, dummies - 1}):
            drawn = [(dummies, dummy)] if dummies > 1 else []
            yield ((slots, slot), *drawn), [({law.keys + dummy: level}, half) for level in law.dummy_levels]
