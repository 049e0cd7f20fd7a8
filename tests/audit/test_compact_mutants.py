"""Planted faults of `ue-compact`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from audit import conformance
from audit.conformance import Subject
from pckv.base.randomness import Tape
from pckv.mechanisms import padding
from pckv.mechanisms.base import Support
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport
from support.mutants import (
    COMPACT,
    BiasedBelow,
    Mutant,
    check_caught,
    check_faultless,
)


def compact_mutant(
    *,
    dummy_level: int | None = None,
    zero_is_dummy: bool = False,
    function: Callable[[UeCompactLaw, Tape], int] = lambda law, tape: tape.below(law.functions),
    kept: Callable[[UeCompactLaw, int], int] = lambda law, _: law.kept,
    moved: Callable[[UeCompactLaw, int, int], int] = lambda law, first, other: (
        other + law.r * (other >= first)
    ),
    inside: Callable[[UeCompactLaw, Tape], int] = lambda law, tape: tape.below(law.r),
    first_of: Callable[[UeCompactLaw, int], int] = UeCompactLaw.first,
    product: Callable[[UeCompactLaw, int, int], int] = UeCompactLaw.product,
) -> Callable[[UeCompactLaw, Sequence[Pair], Tape], int]:
    """The sampler of ue-compact, written out with replaceable parts; the defaults give the correct sampler."""

    def mutant(law: UeCompactLaw, pairs: Sequence[Pair], tape: Tape) -> int:
        dummy = (law.keys, 0, law.one // 2 if dummy_level is None else dummy_level)
        key, below, threshold = padding.sample(pairs, law.padding, tape) or dummy
        if zero_is_dummy:
            key = key or law.keys
        first = first_of(law, below + tape.bernoulli(threshold))
        chosen_function = function(law, tape)
        if tape.bernoulli(kept(law, key)):
            residue = first + inside(law, tape)
        else:
            residue = moved(law, first, tape.below(law.q - law.r))
        return chosen_function * law.q + (residue - product(law, chosen_function, key)) % law.q

    return mutant


def off_by_one(law: UeCompactLaw, function: int, key: int) -> int:
    """⟨φ, u⟩ modulo q + 1."""
    q = law.q
    powers: list[int] = [q**digit for digit in range(law.digits)]
    return sum(function // power % q * (key // power % q) for power in powers) % (q + 1)


def first_digit_only(law: UeCompactLaw, function: int, key: int) -> int:
    """⟨φ, u⟩ without the digits of u above the first."""
    return law.product(function, key % law.q)


def digits_reversed(law: UeCompactLaw, function: int, key: int) -> int:
    """⟨φ, u⟩ with the digits of u, but not those of φ, in the other order."""
    powers: list[int] = [law.q**digit for digit in range(law.digits)]
    turned = sum(key // power % law.q * other for power, other in zip(powers, powers[::-1], strict=True))
    return law.product(function, turned)


def right_sets(law: UeCompactLaw) -> tuple[range, ...]:
    """The residues that say each level, the lowest first."""
    return tuple(range(first, first + law.r) for first in law.firsts)


def sets_apart(law: UeCompactLaw) -> tuple[range, ...]:
    """The same without an overlap."""
    firsts = (law.r * level for level in reversed(range(law.levels)))
    return tuple(range(first, first + law.r) for first in firsts)


def decoder(
    residue: Callable[[UeCompactLaw, int, int], int] = UeCompactLaw.residue,
    sets: Callable[[UeCompactLaw], tuple[range, ...]] = right_sets,
) -> Callable[[Tally], KeySupport]:
    """Return a decoder that checks every word for every key."""

    def support(tally: Tally) -> KeySupport:
        law = tally.task.law
        assert isinstance(law, UeCompactLaw)
        counts = np.zeros((law.levels, law.keys), np.int64)
        for word, count in zip(*tally.counts.nonzero(), strict=True):
            for key in range(law.keys):
                word_residue = residue(law, int(word), key)
                for level, said in enumerate(sets(law)):
                    counts[level, key] += count * (word_residue in said)
        return KeySupport(counts)

    return support


class CompactRoundedUp(UeCompactLaw):
    """The chance to keep a true residue is rounded up."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.bound
        return ceil(self.one * inside / (inside + self.q - self.r))


class CompactOneResidueShort(UeCompactLaw):
    """Thresholds from q - 1 residues where there are q."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.bound
        return floor(self.one * inside / (inside + self.q - self.r - 1))


class TunedAsOneResidue(UeCompactLaw):
    """The set is kept as often as a single residue may be: private, but not the stated law."""

    @cached_property
    def kept(self) -> int:
        return floor(self.one * self.bound / (self.bound + self.q - 1))


class TunedKeptEach(UeCompactLaw):
    """Every residue of the set counts as true, and the others are still q - 1."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.r * self.bound
        return floor(self.one * inside / (inside + self.q - self.r))


class TunedRoundedUp(UeCompactLaw):
    """The chance is rounded up, but only for sets of several residues."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.bound
        exact = self.one * inside / (inside + self.q - self.r)
        return ceil(exact) if self.r > 1 else floor(exact)


class TunedOverlapForgotten(UeCompactLaw):
    """A count law of two disjoint sets, with the correct chance of each."""

    @property
    def sampled(self) -> Support:
        joint = super().sampled
        return Support.exclusive(joint.levels, joint.own, joint.other)


def compact_faulty(
    fault: str, caught_by: Callable[[Subject], None], says: str | None = None, **parts: Any
) -> Mutant:
    """A mutant of ue-compact's sampler."""
    return Mutant(fault, replace(COMPACT, sampler=compact_mutant(**parts)), caught_by, says)


MUTANTS = (
    compact_faulty(
        "residue biased: never the other sign",
        conformance.check_sampler_epsilon,
        "an output is possible for one input set and not for another",
        moved=lambda law, _, other: 2 * law.r + other % (law.q - 2 * law.r),
    ),
    compact_faulty(
        "residue biased: the true one not skipped",
        conformance.check_sampler_equals_law,
        moved=lambda _law, _residue, other: other,
    ),
    Mutant(
        "residue biased: a remainder without rejection",
        replace(COMPACT, primitives=BiasedBelow),
        conformance.check_sampler_equals_law,
    ),
    compact_faulty(
        "φ not uniform: one function is never drawn",
        conformance.check_sampler_equals_law,
        function=lambda law, tape: tape.below(law.functions - 1),
    ),
    compact_faulty(
        "φ not uniform: always 0",
        conformance.check_sampler_equals_law,
        function=lambda law, tape: 0 * tape.below(law.functions),
    ),
    # One digit is enough for two keys and the dummy, so these two are visible only with three keys.
    compact_faulty(
        "wrong digit vector: the first digit only",
        conformance.check_sampler_equals_law,
        "with 3 keys",
        product=first_digit_only,
    ),
    compact_faulty(
        "wrong digit vector: reversed",
        conformance.check_sampler_equals_law,
        "with 3 keys",
        product=digits_reversed,
    ),
    Mutant(
        "wrong digit vector: reversed in the decoder",
        replace(
            COMPACT,
            support=decoder(lambda law, word, key: (digits_reversed(law, word // law.q, key) + word) % law.q),
        ),
        conformance.check_unbiased,
        "count law: not that of key 1",
    ),
    compact_faulty(
        "dummy without a fair sign in ue-compact",
        conformance.check_sampler_equals_law,
        "not for {} with 1 keys",
        dummy_level=2**64,
    ),
    compact_faulty(
        "key 0 taken for the dummy",
        conformance.check_sampler_equals_law,
        r"not for \{0: -1.0\} with 1 keys",
        zero_is_dummy=True,
    ),
    compact_faulty(
        "key 0 without noise",
        conformance.check_sampler_epsilon,
        "an output is possible for one input set and not for another",
        kept=lambda law, key: law.kept if key else law.one,
    ),
    Mutant(
        "key 0 not decoded",
        replace(
            COMPACT,
            support=decoder(lambda law, word, key: law.residue(word, key) if key else law.q - 1),
        ),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    compact_faulty(
        "modulus off by one",
        conformance.check_sampler_equals_law,
        "not for {} with 2 keys",
        product=off_by_one,
    ),
    Mutant(
        "modulus off by one in the decoder",
        replace(
            COMPACT,
            support=decoder(lambda law, word, key: (law.product(word // law.q, key) + word) % (law.q + 1)),
        ),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "modulus off by one in the threshold",
        replace(COMPACT, law=CompactOneResidueShort),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "ue-compact keeps too often",
        replace(COMPACT, law=CompactRoundedUp),
        conformance.check_exact_epsilon,
    ),
    # Correct with one residue per sign, and wrong with sets of several.
    Mutant(
        "a set kept too often: each of its residues counted twice",
        replace(COMPACT, law=TunedKeptEach),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "a set kept too often: rounded up",
        replace(COMPACT, law=TunedRoundedUp),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "a set kept as seldom as one residue",
        replace(COMPACT, law=TunedAsOneResidue),
        conformance.check_epsilon_is_used,
    ),
    Mutant(
        "the overlap left out of the count law",
        replace(COMPACT, law=TunedOverlapForgotten),
        conformance.check_unbiased,
        "count law: levels 0 and 1 of key 0",
    ),
    compact_faulty(
        "always the first residue of a set",
        conformance.check_sampler_epsilon,
        inside=lambda law, tape: 0 * tape.below(law.r),
    ),
    compact_faulty(
        "the last residue of a set never drawn",
        conformance.check_sampler_epsilon,
        inside=lambda law, tape: tape.below(max(1, law.r - 1)),
    ),
    compact_faulty(
        "only one residue of a set skipped",
        conformance.check_sampler_equals_law,
        moved=lambda _, first, other: other + (other >= first),
    ),
    compact_faulty(
        "sets taken to be apart by the sampler",
        conformance.check_sampler_equals_law,
        first_of=lambda law, level: (law.levels - 1 - level) * law.r,
    ),
    Mutant(
        "sets taken to be apart by the decoder",
        replace(COMPACT, support=decoder(sets=sets_apart)),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "an overlap decoded as + alone",
        replace(
            COMPACT,
            support=decoder(sets=lambda law: (range(law.r, 2 * law.r - law.o), range(law.r))),
        ),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
)


def test_the_list_of_mutants_is_complete() -> None:
    assert len({mutant.fault for mutant in MUTANTS}) >= 26


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_is_caught(mutant: Mutant) -> None:
    check_caught(mutant)


def test_the_sampler_that_mutants_are_derived_from_is_correct() -> None:
    check_faultless(replace(COMPACT, sampler=compact_mutant(), support=decoder()))
