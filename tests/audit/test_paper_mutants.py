"""Planted faults of the paper's mechanisms, `ue` and `grr`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from audit import conformance
from pckv.base.randomness import Tape
from pckv.mechanisms import padding
from pckv.mechanisms.base import Law
from pckv.mechanisms.grr import device as device_grr
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.ue import device as device_ue
from pckv.mechanisms.ue.law import UeLaw
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport
from support.mutants import (
    GRR,
    UE,
    BiasedBelow,
    Mutant,
    check_caught,
)


def show(law: UeLaw, message: int, position: int, pairs: Sequence[Pair]) -> int:
    """Overwrite one position of a ue message with the truth."""
    state = next((1 if threshold else -1 for key, _, threshold in pairs if key == position), 0)
    bit, sign_bit = 1 << position, 1 << position + 8 * law.message_format.plane_bytes
    message &= ~(bit | sign_bit)
    return message | (bit if state else 0) | (sign_bit if state > 0 else 0)


def first_unnoised(law: UeLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    return show(law, device_ue.perturb(law, pairs, tape), 0, pairs)


def last_unnoised(law: UeLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    return show(law, device_ue.perturb(law, pairs, tape), law.keys - 1, pairs)


def fake_value_fixed(law: UeLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    """Fake values are always +."""
    sampled = padding.sample(pairs, law.padding, tape)
    positive = tape.bernoulli(sampled[2]) if sampled else False
    states = []
    for position in range(law.keys):
        number = tape.draw()
        if sampled and position == sampled[0]:
            shown = 1 if positive == (number < law.kept) else -1
            states.append(shown if number < law.kept + law.flipped else 0)
        else:
            states.append(1 if number < 2 * law.fake else 0)
    return law.message(tuple(states))


def without_padding(sampler: Callable[..., int]) -> Callable[..., int]:
    """Sample among one's own pairs only; the padding is ignored unless there is no pair."""

    def mutant(law: Law, pairs: Sequence[Pair], tape: Tape) -> int:
        if not pairs:
            return sampler(law, pairs, tape)
        return sampler(law, [pairs[tape.below(len(pairs))]] * law.padding, tape)

    return mutant


class GrrWithoutDummies(GrrLaw):
    """Thresholds from d where d' = d + ℓ belongs."""

    def _own_key(self) -> Fraction:
        return self.one * self.budget.key / (self.budget.key + max(self.keys - 1, 1))


class GrrRoundedUp(GrrLaw):
    """The chance to keep the truth is rounded up."""

    @cached_property
    def kept(self) -> int:
        return ceil(self._own_key() * self.budget.value / (self.budget.value + 1))


class UeRoundedDown(UeLaw):
    """The chance of a fake is rounded down."""

    @cached_property
    def fake(self) -> int:
        return floor(Fraction(self.kept * self.one) / (self.claim * self.silent + 2 * self.kept))


class UeFlipRoundedDown(UeLaw):
    """The chance of a flipped sign is rounded down."""

    @cached_property
    def flipped(self) -> int:
        return floor(self.silent / (self.budget.value + 1))


class UeTunedKeptRoundedUp(UeLaw):
    """Tuned, the chance to keep the sign is rounded up."""

    @cached_property
    def kept(self) -> int:
        if self.beta is None:
            return super().kept
        return ceil(self.fake * self.claim * self.one / (self.one + self.fake * (self.claim - 1)))


class UeTunedFlipRoundedDown(UeLaw):
    """Tuned, the chance of a flipped sign is rounded down."""

    @cached_property
    def flipped(self) -> int:
        return super().flipped if self.beta is None else floor(self.kept / self.claim)


class UeTunedOverSilence(UeLaw):
    """Tuned, what the paper's a = 1/2 leaves silent is kept silent whatever β is."""

    @cached_property
    def silent(self) -> int:
        return self.one // 2

    @cached_property
    def kept(self) -> int:
        return self.one - self.silent - self.flipped

    @cached_property
    def flipped(self) -> int:
        return ceil(self.silent / (self.budget.value + 1))


class UeTunedTwice(UeLaw):
    """Tuned, both signs together are faked as often as one should be."""

    @cached_property
    def fake(self) -> int:
        return super().fake if self.beta is None else super().fake // 2

    @cached_property
    def kept(self) -> int:
        if self.beta is None:
            return super().kept
        both_signs = 2 * self.fake
        return floor(both_signs * self.claim * (self.one - 1) / (self.one + both_signs * (self.claim - 1)))


class Grr32(GrrLaw):
    """Thresholds of 32 bits, with a million keys."""

    def __init__(self, keys: int, *rest: Any, bits: int = 64, **options: Any) -> None:
        super().__init__(keys, *rest, bits=32 if keys == 10**6 else bits, **options)


class UeDoubled(UeLaw):
    """Twice the requested ε, claimed and realised."""

    def __init__(self, keys: int, length: int, epsilon: Fraction, *rest: Any, **options: Any) -> None:
        super().__init__(keys, length, 2 * epsilon, *rest, **options)


class UeClaimsMore(UeLaw):
    """A claim that composes too generously."""

    @property
    def claim(self) -> Fraction:
        return super().claim * Fraction(3, 2)


def swapped(one: int, pairs: Sequence[Pair]) -> list[Pair]:
    return [(key, below, one - threshold) for key, below, threshold in pairs]


def swapped_signs_ue(law: UeLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    """p and 1 - p swapped."""
    return device_ue.perturb(law, swapped(law.one, pairs), tape)


def swapped_signs_grr(law: GrrLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    """p and 1 - p swapped."""
    return device_grr.perturb(law, swapped(law.one, pairs), tape)


def reused_tape(law: GrrLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    """One draw decides both the level and whether the word is kept."""
    key, below, threshold = padding.sample(pairs, law.padding, tape) or (
        law.keys + tape.below(law.padding),
        0,
        law.one // 2,
    )
    number = tape.draw()
    word = law.word(key, below + (number < threshold))
    if number < law.kept + law.flipped:
        return word if number < law.kept else word ^ 1
    other = tape.below(law.spread)
    return other if other < word & -law.set_apart else other + law.set_apart


def dummy_counted_as_key(tally: Tally) -> KeySupport:
    """Dummies' words are folded into the keys'."""
    keys, levels = tally.task.key_count, tally.task.law.levels
    counts = np.zeros((levels, keys), np.int64)
    for cell, count in zip(*tally.counts.nonzero(), strict=True):
        counts[cell % levels, cell // levels % keys] += count
    return KeySupport(counts)


def clipped_place(value: float, values: Sequence[float]) -> tuple[int, int]:
    """Values are clipped before they become levels."""
    low, high = values[0], values[-1]
    reach = 0.9 * (high - low) / 2
    middle = (low + high) / 2
    return padding.placed(min(max(value, middle - reach), middle + reach), values)


def unfair_dummy(law: GrrLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    """A dummy always has the higher level."""
    message = device_grr.perturb(law, pairs, tape)
    return message | 1 if message >= law.levels * law.keys else message


MUTANTS = (
    Mutant(
        "first position un-noised", replace(UE, sampler=first_unnoised), conformance.check_sampler_epsilon
    ),
    Mutant("last position un-noised", replace(UE, sampler=last_unnoised), conformance.check_sampler_epsilon),
    Mutant("fake value fixed", replace(UE, sampler=fake_value_fixed), conformance.check_sampler_epsilon),
    Mutant(
        "padding ignored in grr",
        replace(GRR, sampler=without_padding(device_grr.perturb)),
        conformance.check_sampler_epsilon,
    ),
    Mutant("d for d' in grr", replace(GRR, law=GrrWithoutDummies), conformance.check_exact_epsilon),
    Mutant("grr keeps too often", replace(GRR, law=GrrRoundedUp), conformance.check_exact_epsilon),
    Mutant("ue fakes too seldom", replace(UE, law=UeRoundedDown), conformance.check_exact_epsilon),
    Mutant("ue flips too seldom", replace(UE, law=UeFlipRoundedDown), conformance.check_exact_epsilon),
    Mutant("twice the ε asked for", replace(UE, law=UeDoubled), conformance.check_exact_epsilon),
    Mutant(
        "tuned ue keeps too often", replace(UE, law=UeTunedKeptRoundedUp), conformance.check_exact_epsilon
    ),
    Mutant(
        "tuned ue flips too seldom",
        replace(UE, law=UeTunedFlipRoundedDown),
        conformance.check_exact_epsilon,
    ),
    Mutant("tuned ue with a = 1/2", replace(UE, law=UeTunedOverSilence), conformance.check_exact_epsilon),
    Mutant("tuned ue fakes half as often", replace(UE, law=UeTunedTwice), conformance.check_exact_epsilon),
    Mutant("a generous claim", replace(UE, law=UeClaimsMore), conformance.check_exact_epsilon),
    Mutant("32-bit thresholds", replace(GRR, law=Grr32), conformance.check_epsilon_is_used),
    Mutant(
        "signs swapped in ue", replace(UE, sampler=swapped_signs_ue), conformance.check_sampler_equals_law
    ),
    Mutant(
        "signs swapped in grr", replace(GRR, sampler=swapped_signs_grr), conformance.check_sampler_equals_law
    ),
    Mutant("biased below", replace(GRR, primitives=BiasedBelow), conformance.check_sampler_equals_law),
    Mutant("tape reused", replace(GRR, sampler=reused_tape), conformance.check_sampler_equals_law),
    Mutant("dummy counted as a key", replace(GRR, support=dummy_counted_as_key), conformance.check_unbiased),
    Mutant(
        "value clipped first, ue", replace(UE, placed=clipped_place), conformance.check_sampler_equals_law
    ),
    Mutant(
        "value clipped first, grr", replace(GRR, placed=clipped_place), conformance.check_sampler_equals_law
    ),
    Mutant(
        "padding ignored in ue",
        replace(UE, sampler=without_padding(device_ue.perturb)),
        conformance.check_sampler_equals_law,
    ),
    Mutant(
        "dummy without a fair sign", replace(GRR, sampler=unfair_dummy), conformance.check_sampler_equals_law
    ),
)


def test_the_list_of_mutants_is_complete() -> None:
    assert len({mutant.fault for mutant in MUTANTS}) >= 24


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_is_caught(mutant: Mutant) -> None:
    check_caught(mutant)
