"""Planted faults of `collision`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from audit import conformance
from audit.conformance import Subject
from audit.supports import check_supports
from pckv.base.randomness import Tape
from pckv.mechanisms.base import CountLaw, Law, Support
from pckv.mechanisms.collision import device as device_collision
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.padding import Pair, draw_level
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support
from support.mutants import (
    COLLISION,
    Mutant,
    check_caught,
    check_faultless,
    skipping,
)


def collision_mutant(
    *,
    chosen: Callable[[Sequence[Pair], int, Tape], Sequence[Pair]] = device_collision.choose,
    item: Callable[[CollisionLaw, int, int], int] = CollisionLaw.item,
    function: Callable[[CollisionLaw, Sequence[int], Tape], int] = lambda law, _, tape: tape.below(
        law.functions
    ),
    own: Callable[[CollisionLaw, int, Sequence[int]], list[int]] = CollisionLaw.own_symbols,
    hits: Callable[[CollisionLaw, int], int] = lambda law, count: count * law.hit,
    other: Callable[[CollisionLaw, list[int], Tape], int] = lambda law, own, tape: skipping(
        own, tape.below(law.symbols - len(own))
    ),
) -> Callable[[CollisionLaw, Sequence[Pair], Tape], int]:
    """The sampler of collision, written out with replaceable parts; the defaults give the correct sampler."""

    def mutant(law: CollisionLaw, pairs: Sequence[Pair], tape: Tape) -> int:
        taken = chosen(pairs, law.padding, tape)
        items = [item(law, pair[0], draw_level(pair, tape)) for pair in taken]
        chosen_function = function(law, items, tape)
        symbols = own(law, chosen_function, items)
        number, threshold = tape.draw(), hits(law, len(symbols))
        hit = number < threshold
        symbol = symbols[number * len(symbols) // threshold] if hit else other(law, symbols, tape)
        return chosen_function * law.symbols + symbol

    return mutant


def with_replacement(pairs: Sequence[Pair], most: int, tape: Tape) -> Sequence[Pair]:
    """A pair may be chosen twice."""
    if len(pairs) <= most:
        return pairs
    return [pairs[tape.below(len(pairs))] for _ in range(most)]


def half_shuffled(pairs: Sequence[Pair], most: int, tape: Tape) -> Sequence[Pair]:
    """The first pair stays in place: a shuffle that begins one position too late."""
    if len(pairs) <= most:
        return pairs
    return [pairs[0], *device_collision.choose(pairs[1:], most - 1, tape)]


def better_of_two(law: CollisionLaw, items: Sequence[int], tape: Tape) -> int:
    """The function, of two, that sends the pairs to more symbols."""
    return max(
        (tape.below(law.functions) for _ in range(2)),
        key=lambda function: len(law.own_symbols(function, items)),
    )


def signs_swapped(tally: Tally) -> KeySupport:
    """What supports + is taken for support of -."""
    support = key_support(tally)
    return KeySupport(support.counts[::-1])


def keys_one_off(tally: Tally) -> KeySupport:
    """What supports a key is taken for support of the next one."""
    support = key_support(tally)
    return KeySupport(np.roll(support.counts, 1, axis=1))


class CollisionRoundedUp(CollisionLaw):
    """The chance of an own symbol is rounded up."""

    @cached_property
    def hit(self) -> int:
        return ceil(self.one * self.bound / (self.symbols - self.padding + self.padding * self.bound))


class CollisionForOnePair(CollisionLaw):
    """Thresholds as if a report were made from one pair."""

    @cached_property
    def hit(self) -> int:
        return min(
            floor(self.one * self.bound / (self.symbols - 1 + self.bound)), self.one // self.padding - 1
        )


class CollisionWithoutSpare(CollisionLaw):
    """Thresholds from t symbols outside where there are t - s."""

    @cached_property
    def hit(self) -> int:
        return floor(self.one * self.bound / (self.symbols - self.padding - 1 + self.padding * self.bound))


class CollisionSignsExclusive(CollisionLaw):
    """A count law in which the two signs of a key exclude each other."""

    @cached_property
    def count_law(self) -> CountLaw:
        held, other = Fraction(self.hit, self.one), Fraction(1, self.symbols)
        return CountLaw(
            Support.exclusive(self.levels, held, other), Support.exclusive(self.levels, other, other)
        )


@dataclass(frozen=True)
class SubjectOfManyKeys(Subject):
    """A mechanism without its laws of fewer keys, where some faults cannot show, and enumeration takes long."""

    min_keys: int = 1

    def laws(self, keys: int, padding_length: int, epsilon: Fraction, bits: int = 64) -> Iterator[Law]:
        return super().laws(keys, padding_length, epsilon, bits) if keys >= self.min_keys else iter(())


def collision_faulty(
    fault: str, caught_by: Callable[[Subject], None], says: str | None = None, min_keys: int = 1, **parts: Any
) -> Mutant:
    """A mutant of collision's sampler."""
    name, law = COLLISION.name, COLLISION.law
    subject = SubjectOfManyKeys(name, law, collision_mutant(**parts), min_keys=min_keys)
    return Mutant(fault, subject, caught_by, says)


MUTANTS = (
    Mutant(
        "collision hits too often",
        replace(COLLISION, law=CollisionRoundedUp),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "collision with the threshold of one pair",
        replace(COLLISION, law=CollisionForOnePair),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "collision with one symbol too few outside",
        replace(COLLISION, law=CollisionWithoutSpare),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "a count law of exclusive signs",
        replace(COLLISION, law=CollisionSignsExclusive),
        check_supports,
        "count law: own_and_other is not that of one pair",
    ),
    collision_faulty(
        "the threshold rounded anew for every number of symbols",
        conformance.check_sampler_equals_law,
        min_keys=2,
        hits=lambda law, count: floor(
            count * law.one * law.bound / (law.symbols - law.padding + law.padding * law.bound)
        ),
    ),
    collision_faulty(
        "two pairs on one symbol counted twice",
        conformance.check_sampler_equals_law,
        min_keys=2,
        own=lambda law, function, items: sorted(law.symbol(function, item) for item in items),
    ),
    collision_faulty(
        "another symbol may be one's own",
        conformance.check_sampler_equals_law,
        other=lambda law, _, tape: tape.below(law.symbols),
    ),
    collision_faulty(
        "own symbols not skipped",
        conformance.check_sampler_equals_law,
        other=lambda law, own, tape: tape.below(law.symbols - len(own)),
    ),
    collision_faulty(
        "own symbols skipped in the wrong order",
        conformance.check_sampler_equals_law,
        min_keys=2,
        other=lambda law, own, tape: skipping(own[::-1], tape.below(law.symbols - len(own))),
    ),
    collision_faulty(
        "all pairs reported, however many",
        conformance.check_sampler_epsilon,
        chosen=lambda pairs, _most, _tape: pairs,
    ),
    collision_faulty(
        "pairs chosen with replacement",
        conformance.check_sampler_equals_law,
        "with 3 keys, padding 2",
        min_keys=3,
        chosen=with_replacement,
    ),
    collision_faulty(
        "the first pair always chosen",
        conformance.check_sampler_equals_law,
        min_keys=2,
        chosen=half_shuffled,
    ),
    collision_faulty(
        "always the same function",
        conformance.check_sampler_equals_law,
        function=lambda law, _, tape: 0 * tape.below(law.functions),
    ),
    collision_faulty(
        "one function is never drawn",
        conformance.check_sampler_equals_law,
        function=lambda law, _, tape: tape.below(law.functions - 1),
    ),
    collision_faulty(
        "a function that suits the pairs",
        conformance.check_sampler_equals_law,
        min_keys=2,
        function=better_of_two,
    ),
    collision_faulty(
        "signs forgotten",
        conformance.check_sampler_equals_law,
        item=lambda law, key, _: law.item(key, 1),
    ),
    Mutant(
        "signs swapped in the decoder of collision",
        replace(COLLISION, support=signs_swapped),
        check_supports,
        "supports: item 1 of {0: 1}",
    ),
    Mutant(
        "keys one off in the decoder of collision",
        replace(COLLISION, support=keys_one_off),
        check_supports,
        "supports: item 3 of {1: 1}",
    ),
)


def test_the_list_of_mutants_is_complete() -> None:
    assert len({mutant.fault for mutant in MUTANTS}) >= 18


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_is_caught(mutant: Mutant) -> None:
    check_caught(mutant)


def test_the_sampler_that_mutants_are_derived_from_is_correct() -> None:
    check_faultless(replace(COLLISION, sampler=collision_mutant()))
