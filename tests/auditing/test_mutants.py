"""Planted faults: each must be caught by the check that it names.

A mutant is a mechanism with one part replaced. None of these would make an ordinary test of
"it runs and the numbers look right" fail.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from pckv.auditing import conformance
from pckv.auditing.conformance import SUBJECTS, Subject
from pckv.auditing.exhaustive import OneDraw
from pckv.channels import Channel, CountLaw, Support
from pckv.channels.buckets import BucketsChannel
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.device import collision as device_collision
from pckv.device import grr as device_grr
from pckv.device import padding
from pckv.device import ue as device_ue
from pckv.device.padding import Pair
from pckv.errors import AuditFailure
from pckv.randomness import Tape
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport

UE, GRR, COMPACT, COLLISION, BUCKETS = SUBJECTS


@dataclass(frozen=True)
class Mutant:
    """A faulty mechanism, the check that must catch it, and what that must say."""

    fault: str
    subject: Subject
    caught_by: Callable[[Subject], None]
    says: str | None = None


def show(channel: UeChannel, message: int, position: int, pairs: Sequence[Pair]) -> int:
    """Overwrite one position of a ue message with the truth."""
    state = next((1 if level else -1 for key, level in pairs if key == position), 0)
    bit, sign_bit = 1 << position, 1 << position + 8 * channel.message_format.plane_bytes
    message &= ~(bit | sign_bit)
    return message | (bit if state else 0) | (sign_bit if state > 0 else 0)


def first_unnoised(channel: UeChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    return show(channel, device_ue.perturb(channel, pairs, tape), 0, pairs)


def last_unnoised(channel: UeChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    return show(channel, device_ue.perturb(channel, pairs, tape), channel.keys - 1, pairs)


def fake_value_fixed(channel: UeChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """Fake values are always +."""
    sampled = padding.sample(pairs, channel.padding, tape)
    positive = tape.bernoulli(sampled[1]) if sampled else False
    states = []
    for position in range(channel.keys):
        number = tape.draw()
        if sampled and position == sampled[0]:
            shown = 1 if positive == (number < channel.kept) else -1
            states.append(shown if number < channel.kept + channel.flipped else 0)
        else:
            states.append(1 if number < 2 * channel.fake else 0)
    return channel.message(tuple(states))


def without_padding(sampler: Callable[..., int]) -> Callable[..., int]:
    """Sample among one's own pairs only; the padding is ignored unless there is no pair."""

    def mutant(channel: Channel, pairs: Sequence[Pair], tape: Tape) -> int:
        if not pairs:
            return sampler(channel, pairs, tape)
        return sampler(channel, [pairs[tape.below(len(pairs))]] * channel.padding, tape)

    return mutant


class GrrWithoutDummies(GrrChannel):
    """Thresholds from d where d' = d + ℓ belongs."""

    def _own_key(self) -> Fraction:
        return self.one * self.budget.key / (self.budget.key + max(self.keys - 1, 1))


class GrrRoundedUp(GrrChannel):
    """The chance to keep the truth is rounded up."""

    @cached_property
    def kept(self) -> int:
        return ceil(self._own_key() * self.budget.value / (self.budget.value + 1))


class UeRoundedDown(UeChannel):
    """The chance of a fake is rounded down."""

    @cached_property
    def fake(self) -> int:
        return floor(Fraction(self.kept * self.one) / (self.claim * self.silent + 2 * self.kept))


class UeFlipRoundedDown(UeChannel):
    """The chance of a flipped sign is rounded down."""

    @cached_property
    def flipped(self) -> int:
        return floor(self.silent / (self.budget.value + 1))


class UeTunedKeptRoundedUp(UeChannel):
    """Tuned, the chance to keep the sign is rounded up."""

    @cached_property
    def kept(self) -> int:
        if self.beta is None:
            return super().kept
        return ceil(self.fake * self.claim * self.one / (self.one + self.fake * (self.claim - 1)))


class UeTunedFlipRoundedDown(UeChannel):
    """Tuned, the chance of a flipped sign is rounded down."""

    @cached_property
    def flipped(self) -> int:
        return super().flipped if self.beta is None else floor(self.kept / self.claim)


class UeTunedOverSilence(UeChannel):
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


class UeTunedTwice(UeChannel):
    """Tuned, both signs together are faked as often as one should be."""

    @cached_property
    def fake(self) -> int:
        return super().fake if self.beta is None else super().fake // 2

    @cached_property
    def kept(self) -> int:
        if self.beta is None:
            return super().kept
        whole = 2 * self.fake
        return floor(whole * self.claim * (self.one - 1) / (self.one + whole * (self.claim - 1)))


class Grr32(GrrChannel):
    """Thresholds of 32 bits, with a million keys."""

    def __init__(self, keys: int, length: int, epsilon: Fraction, allocation: str, bits: int = 64) -> None:
        super().__init__(keys, length, epsilon, allocation, bits=32 if keys == 10**6 else bits)


class UeDoubled(UeChannel):
    """Twice the ε that was asked for, claimed and kept."""

    def __init__(self, keys: int, length: int, epsilon: Fraction, allocation: str, bits: int = 64) -> None:
        super().__init__(keys, length, 2 * epsilon, allocation, bits)


class UeClaimsMore(UeChannel):
    """A claim that composes too generously."""

    @property
    def claim(self) -> Fraction:
        return super().claim * Fraction(3, 2)


def swapped_signs_ue(channel: UeChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """p and 1 - p swapped."""
    return device_ue.perturb(channel, [(key, channel.one - level) for key, level in pairs], tape)


def swapped_signs_grr(channel: GrrChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """p and 1 - p swapped."""
    return device_grr.perturb(channel, [(key, channel.one - level) for key, level in pairs], tape)


class BiasedBelow(OneDraw):
    """The remainder, without rejecting the incomplete last run."""

    def below(self, count: int) -> int:
        return self.draw() % count


def reused_tape(channel: GrrChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """One draw decides both the sign and whether the word is kept."""
    key, level = padding.sample(pairs, channel.padding, tape) or (
        channel.keys + tape.below(channel.padding),
        channel.one // 2,
    )
    number = tape.draw()
    word = channel.word(key, number < level)
    if number < channel.kept + channel.flipped:
        return word if number < channel.kept else word ^ 1
    other = tape.below(channel.spread)
    return other if other < word & -channel.set_apart else other + channel.set_apart


def dummy_counted_as_key(tally: Tally) -> KeySupport:
    """Dummies' words are folded into the keys'."""
    keys = tally.task.key_count
    plus, minus = np.zeros(keys, np.int64), np.zeros(keys, np.int64)
    for cell, count in zip(*tally.counts.nonzero(), strict=True):
        (plus if cell % 2 else minus)[cell // 2 % keys] += count
    return KeySupport(plus, minus)


def clipped_level(value: float, low: float, high: float) -> int:
    """Values are pulled in before they become signs."""
    reach = 0.9 * (high - low) / 2
    middle = (low + high) / 2
    return padding.level(min(max(value, middle - reach), middle + reach), low, high)


def unfair_dummy(channel: GrrChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """A dummy always has the sign +."""
    message = device_grr.perturb(channel, pairs, tape)
    return message | 1 if message >= 2 * channel.keys else message


def compact_mutant(
    *,
    dummy_level: int | None = None,
    zero_is_dummy: bool = False,
    function: Callable[[UeCompactChannel, Tape], int] = lambda channel, tape: tape.below(channel.functions),
    kept: Callable[[UeCompactChannel, int], int] = lambda channel, _: channel.kept,
    moved: Callable[[UeCompactChannel, int, int], int] = lambda channel, first, other: (
        other + channel.r * (other >= first)
    ),
    inside: Callable[[UeCompactChannel, Tape], int] = lambda channel, tape: tape.below(channel.r),
    minus_from: Callable[[UeCompactChannel], int] = lambda channel: channel.r - channel.o,
    product: Callable[[UeCompactChannel, int, int], int] = UeCompactChannel.product,
) -> Callable[[UeCompactChannel, Sequence[Pair], Tape], int]:
    """The sampler of ue-compact, written out with parts to replace; as it stands it is the right one."""

    def mutant(channel: UeCompactChannel, pairs: Sequence[Pair], tape: Tape) -> int:
        dummy = (channel.keys, channel.one // 2 if dummy_level is None else dummy_level)
        key, level = padding.sample(pairs, channel.padding, tape) or dummy
        if zero_is_dummy:
            key = key or channel.keys
        first = 0 if tape.bernoulli(level) else minus_from(channel)
        drawn = function(channel, tape)
        if tape.bernoulli(kept(channel, key)):
            residue = first + inside(channel, tape)
        else:
            residue = moved(channel, first, tape.below(channel.q - channel.r))
        return drawn * channel.q + (residue - product(channel, drawn, key)) % channel.q

    return mutant


def off_by_one(channel: UeCompactChannel, function: int, key: int) -> int:
    """⟨φ, u⟩ modulo q + 1."""
    q = channel.q
    places: list[int] = [q**digit for digit in range(channel.digits)]
    return sum(function // place % q * (key // place % q) for place in places) % (q + 1)


def first_digit_only(channel: UeCompactChannel, function: int, key: int) -> int:
    """⟨φ, u⟩ without the digits of u above the first."""
    return channel.product(function, key % channel.q)


def digits_reversed(channel: UeCompactChannel, function: int, key: int) -> int:
    """⟨φ, u⟩ with the digits of u, but not those of φ, in the other order."""
    places: list[int] = [channel.q**digit for digit in range(channel.digits)]
    turned = sum(key // place % channel.q * other for place, other in zip(places, places[::-1], strict=True))
    return channel.product(function, turned)


def right_sets(channel: UeCompactChannel) -> tuple[range, range]:
    """The residues that say +, and those that say -."""
    return range(channel.r), range(channel.r - channel.o, 2 * channel.r - channel.o)


def decoded(
    residue: Callable[[UeCompactChannel, int, int], int] = UeCompactChannel.residue,
    sets: Callable[[UeCompactChannel], tuple[range, range]] = right_sets,
) -> Callable[[Tally], KeySupport]:
    """A decoder that asks every word about every key."""

    def support(tally: Tally) -> KeySupport:
        channel = tally.task.channel
        assert isinstance(channel, UeCompactChannel)
        plus, minus = np.zeros(channel.keys, np.int64), np.zeros(channel.keys, np.int64)
        for word, count in zip(*tally.counts.nonzero(), strict=True):
            for key in range(channel.keys):
                said = residue(channel, int(word), key)
                plus[key] += count * (said in sets(channel)[0])
                minus[key] += count * (said in sets(channel)[1])
        return KeySupport(plus, minus)

    return support


class CompactRoundedUp(UeCompactChannel):
    """The chance to keep a true residue is rounded up."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.bound
        return ceil(self.one * inside / (inside + self.q - self.r))


class CompactOneResidueShort(UeCompactChannel):
    """Thresholds from q - 1 residues where there are q."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.bound
        return floor(self.one * inside / (inside + self.q - self.r - 1))


class TunedAsOneResidue(UeCompactChannel):
    """The whole set is kept as often as a single residue may be: private, and not what is stated."""

    @cached_property
    def kept(self) -> int:
        return floor(self.one * self.bound / (self.bound + self.q - 1))


class TunedKeptEach(UeCompactChannel):
    """Every residue of the set counts as true, and the others are still q - 1."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.r * self.bound
        return floor(self.one * inside / (inside + self.q - self.r))


class TunedRoundedUp(UeCompactChannel):
    """Rounded up where there are sets of several residues only."""

    @cached_property
    def kept(self) -> int:
        inside = self.r * self.bound
        exact = self.one * inside / (inside + self.q - self.r)
        return ceil(exact) if self.r > 1 else floor(exact)


class TunedOverlapForgotten(UeCompactChannel):
    """A count law of two sets apart, with the right chance of either."""

    @property
    def sampled(self) -> Support:
        joint = super().sampled
        return Support(joint.plus + joint.both, joint.minus + joint.both)


def collision_mutant(
    *,
    chosen: Callable[[Sequence[Pair], int, Tape], Sequence[Pair]] = device_collision.choose,
    item: Callable[[int, bool], int] = CollisionChannel.item,
    function: Callable[[CollisionChannel, Sequence[int], Tape], int] = lambda channel, _, tape: tape.below(
        channel.functions
    ),
    own: Callable[[CollisionChannel, int, Sequence[int]], list[int]] = CollisionChannel.own_symbols,
    hits: Callable[[CollisionChannel, int], int] = lambda channel, count: count * channel.hit,
    other: Callable[[CollisionChannel, list[int], Tape], int] = lambda channel, own, tape: skipping(
        own, tape.below(channel.symbols - len(own))
    ),
) -> Callable[[CollisionChannel, Sequence[Pair], Tape], int]:
    """The sampler of collision, written out with parts to replace; as it stands it is the right one."""

    def mutant(channel: CollisionChannel, pairs: Sequence[Pair], tape: Tape) -> int:
        taken = chosen(pairs, channel.padding, tape)
        items = [item(key, tape.bernoulli(level)) for key, level in taken]
        drawn = function(channel, items, tape)
        symbols = own(channel, drawn, items)
        number, threshold = tape.draw(), hits(channel, len(symbols))
        hit = number < threshold
        symbol = symbols[number * len(symbols) // threshold] if hit else other(channel, symbols, tape)
        return drawn * channel.symbols + symbol

    return mutant


def skipping(own: list[int], symbol: int) -> int:
    """A symbol among the others: a participant's own are skipped."""
    for taken in own:
        symbol += taken <= symbol
    return symbol


def with_replacement(pairs: Sequence[Pair], most: int, tape: Tape) -> Sequence[Pair]:
    """A pair may be chosen twice."""
    if len(pairs) <= most:
        return pairs
    return [pairs[tape.below(len(pairs))] for _ in range(most)]


def half_shuffled(pairs: Sequence[Pair], most: int, tape: Tape) -> Sequence[Pair]:
    """The first pair stays in place: a shuffle that begins one place too late."""
    if len(pairs) <= most:
        return pairs
    return [pairs[0], *device_collision.choose(pairs[1:], most - 1, tape)]


def better_of_two(channel: CollisionChannel, items: Sequence[int], tape: Tape) -> int:
    """The function, of two, that sends the pairs to more symbols."""
    return max(
        (tape.below(channel.functions) for _ in range(2)),
        key=lambda function: len(channel.own_symbols(function, items)),
    )


def asked(
    item: Callable[[int, bool], int] = CollisionChannel.item,
    symbol: Callable[[CollisionChannel, int, int], int] = CollisionChannel.symbol,
) -> Callable[[Tally], KeySupport]:
    """A decoder that asks every word about both signs of every key."""

    def support(tally: Tally) -> KeySupport:
        channel = tally.task.channel
        assert isinstance(channel, CollisionChannel)
        found = np.zeros((2, channel.keys), np.int64)
        for word, count in zip(*tally.counts.nonzero(), strict=True):
            function, said = divmod(int(word), channel.symbols)
            for key in range(channel.keys):
                for place, positive in enumerate((True, False)):
                    found[place, key] += count * (symbol(channel, function, item(key, positive)) == said)
        return KeySupport(found[0], found[1])

    return support


class CollisionRoundedUp(CollisionChannel):
    """The chance of an own symbol is rounded up."""

    @cached_property
    def hit(self) -> int:
        return ceil(self.one * self.bound / (self.symbols - self.padding + self.padding * self.bound))


class CollisionForOnePair(CollisionChannel):
    """Thresholds as if a report were made from one pair."""

    @cached_property
    def hit(self) -> int:
        return min(
            floor(self.one * self.bound / (self.symbols - 1 + self.bound)), self.one // self.padding - 1
        )


class CollisionWithoutSpare(CollisionChannel):
    """Thresholds from t symbols outside where there are t - s."""

    @cached_property
    def hit(self) -> int:
        return floor(self.one * self.bound / (self.symbols - self.padding - 1 + self.padding * self.bound))


class CollisionHolderSure(CollisionChannel):
    """A count law in which the two signs of a key exclude each other."""

    @cached_property
    def count_law(self) -> CountLaw:
        held, other = Fraction(self.hit, self.one), Fraction(1, self.symbols)
        return CountLaw(Support(held, other * (1 - held)), Support(other, other))


class BucketsRoundedUp(BucketsChannel):
    """The chance to keep the true bucket is rounded up."""

    @cached_property
    def kept(self) -> int:
        return ceil(self.one * self.bound / (self.bound + self.rows - 1))


class BucketsOneShort(BucketsChannel):
    """Thresholds from one bucket too few."""

    @cached_property
    def kept(self) -> int:
        return floor(self.one * self.bound / (self.bound + self.rows - 2))


class BucketsAsIfOnAverage(BucketsChannel):
    """A count law in which the true bucket may also be another one."""

    @cached_property
    def count_law(self) -> CountLaw:
        anyone = Fraction(self.one - self.kept, self.one * self.rows)
        held = Fraction(self.kept, self.one) + anyone
        return CountLaw(Support(held, Fraction(0)), Support(anyone, Fraction(0)))


def buckets_mutant(
    *,
    size: Callable[[BucketsChannel, Sequence[Pair]], int] = lambda _, pairs: len(pairs),
    bucket: Callable[[BucketsChannel, int], int] = BucketsChannel.bucket_of,
    kept: Callable[[BucketsChannel, int], int] = lambda channel, _: channel.kept,
    other: Callable[[BucketsChannel, int, Tape], int] = lambda channel, true, tape: skipping(
        [true], tape.below(channel.rows - 1)
    ),
) -> Callable[[BucketsChannel, Sequence[Pair], Tape], int]:
    """The sampler of buckets, written out with parts to replace; as it stands it is the right one."""

    def mutant(channel: BucketsChannel, pairs: Sequence[Pair], tape: Tape) -> int:
        true = bucket(channel, size(channel, pairs))
        return true if tape.bernoulli(kept(channel, true)) else other(channel, true, tape)

    return mutant


def bucket_counts(turned: Callable[[Any], Any]) -> Callable[[Tally], KeySupport]:
    """A decoder of buckets that takes their counts in some other order."""

    def support(tally: Tally) -> KeySupport:
        counts = tally.counts.take(np.arange(tally.cells))
        return KeySupport(turned(counts), np.zeros_like(counts))

    return support


def buckets_faulty(
    fault: str, caught_by: Callable[[Subject], None], says: str | None = None, **parts: Any
) -> Mutant:
    """A mutant of the sampler of buckets."""
    return Mutant(fault, replace(BUCKETS, sampler=buckets_mutant(**parts)), caught_by, says)


def collision_faulty(
    fault: str, caught_by: Callable[[Subject], None], says: str | None = None, **parts: Any
) -> Mutant:
    """A mutant of collision's sampler."""
    return Mutant(fault, replace(COLLISION, sampler=collision_mutant(**parts)), caught_by, says)


def compact_faulty(
    fault: str, caught_by: Callable[[Subject], None], says: str | None = None, **parts: Any
) -> Mutant:
    """A mutant of ue-compact's sampler."""
    return Mutant(fault, replace(COMPACT, sampler=compact_mutant(**parts)), caught_by, says)


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
    Mutant("d for d' in grr", replace(GRR, channel=GrrWithoutDummies), conformance.check_exact_epsilon),
    Mutant("grr keeps too often", replace(GRR, channel=GrrRoundedUp), conformance.check_exact_epsilon),
    Mutant("ue fakes too seldom", replace(UE, channel=UeRoundedDown), conformance.check_exact_epsilon),
    Mutant("ue flips too seldom", replace(UE, channel=UeFlipRoundedDown), conformance.check_exact_epsilon),
    Mutant("twice the ε asked for", replace(UE, channel=UeDoubled), conformance.check_exact_epsilon),
    Mutant(
        "tuned ue keeps too often", replace(UE, channel=UeTunedKeptRoundedUp), conformance.check_exact_epsilon
    ),
    Mutant(
        "tuned ue flips too seldom",
        replace(UE, channel=UeTunedFlipRoundedDown),
        conformance.check_exact_epsilon,
    ),
    Mutant("tuned ue with a = 1/2", replace(UE, channel=UeTunedOverSilence), conformance.check_exact_epsilon),
    Mutant(
        "tuned ue fakes half as often", replace(UE, channel=UeTunedTwice), conformance.check_exact_epsilon
    ),
    Mutant("a generous claim", replace(UE, channel=UeClaimsMore), conformance.check_exact_epsilon),
    Mutant("32-bit thresholds", replace(GRR, channel=Grr32), conformance.check_epsilon_is_used),
    Mutant(
        "signs swapped in ue", replace(UE, sampler=swapped_signs_ue), conformance.check_sampler_equals_law
    ),
    Mutant(
        "signs swapped in grr", replace(GRR, sampler=swapped_signs_grr), conformance.check_sampler_equals_law
    ),
    Mutant("biased below", replace(GRR, primitives=BiasedBelow), conformance.check_sampler_equals_law),
    Mutant("tape reused", replace(GRR, sampler=reused_tape), conformance.check_sampler_equals_law),
    Mutant("dummy counted as a key", replace(GRR, support=dummy_counted_as_key), conformance.check_unbiased),
    Mutant("value clipped first, ue", replace(UE, level=clipped_level), conformance.check_sampler_equals_law),
    Mutant(
        "value clipped first, grr", replace(GRR, level=clipped_level), conformance.check_sampler_equals_law
    ),
    Mutant(
        "padding ignored in ue",
        replace(UE, sampler=without_padding(device_ue.perturb)),
        conformance.check_sampler_equals_law,
    ),
    Mutant(
        "dummy without a fair sign", replace(GRR, sampler=unfair_dummy), conformance.check_sampler_equals_law
    ),
    compact_faulty(
        "residue biased: never the other sign",
        conformance.check_sampler_epsilon,
        "an output is possible for one input set and not for another",
        moved=lambda channel, _, other: 2 * channel.r + other % (channel.q - 2 * channel.r),
    ),
    compact_faulty(
        "residue biased: the true one not skipped",
        conformance.check_sampler_equals_law,
        moved=lambda _channel, _residue, other: other,
    ),
    Mutant(
        "residue biased: a remainder without rejection",
        replace(COMPACT, primitives=BiasedBelow),
        conformance.check_sampler_equals_law,
    ),
    compact_faulty(
        "φ not uniform: one function is never drawn",
        conformance.check_sampler_equals_law,
        function=lambda channel, tape: tape.below(channel.functions - 1),
    ),
    compact_faulty(
        "φ not uniform: always 0",
        conformance.check_sampler_equals_law,
        function=lambda channel, tape: 0 * tape.below(channel.functions),
    ),
    # One digit is enough for two keys and the dummy, so that these two show with three keys only.
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
            support=decoded(
                lambda channel, word, key: (
                    (digits_reversed(channel, word // channel.q, key) + word) % channel.q
                )
            ),
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
        kept=lambda channel, key: channel.kept if key else channel.one,
    ),
    Mutant(
        "key 0 not decoded",
        replace(
            COMPACT,
            support=decoded(lambda channel, word, key: channel.residue(word, key) if key else channel.q - 1),
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
            support=decoded(
                lambda channel, word, key: (channel.product(word // channel.q, key) + word) % (channel.q + 1)
            ),
        ),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "modulus off by one in the threshold",
        replace(COMPACT, channel=CompactOneResidueShort),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "ue-compact keeps too often",
        replace(COMPACT, channel=CompactRoundedUp),
        conformance.check_exact_epsilon,
    ),
    # Right with one residue a sign, and wrong with sets of several.
    Mutant(
        "a set kept too often: each of its residues counted twice",
        replace(COMPACT, channel=TunedKeptEach),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "a set kept too often: rounded up",
        replace(COMPACT, channel=TunedRoundedUp),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "a set kept as seldom as one residue",
        replace(COMPACT, channel=TunedAsOneResidue),
        conformance.check_epsilon_is_used,
    ),
    Mutant(
        "the overlap left out of the count law",
        replace(COMPACT, channel=TunedOverlapForgotten),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    compact_faulty(
        "always the first residue of a set",
        conformance.check_sampler_epsilon,
        inside=lambda channel, tape: 0 * tape.below(channel.r),
    ),
    compact_faulty(
        "the last residue of a set never drawn",
        conformance.check_sampler_epsilon,
        inside=lambda channel, tape: tape.below(max(1, channel.r - 1)),
    ),
    compact_faulty(
        "only one residue of a set skipped",
        conformance.check_sampler_equals_law,
        moved=lambda _, first, other: other + (other >= first),
    ),
    compact_faulty(
        "sets taken to be apart by the sampler",
        conformance.check_sampler_equals_law,
        minus_from=lambda channel: channel.r,
    ),
    Mutant(
        "sets taken to be apart by the decoder",
        replace(
            COMPACT, support=decoded(sets=lambda channel: (range(channel.r), range(channel.r, 2 * channel.r)))
        ),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "an overlap decoded as + alone",
        replace(
            COMPACT,
            support=decoded(
                sets=lambda channel: (range(channel.r), range(channel.r, 2 * channel.r - channel.o))
            ),
        ),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "collision hits too often",
        replace(COLLISION, channel=CollisionRoundedUp),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "collision with the threshold of one pair",
        replace(COLLISION, channel=CollisionForOnePair),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "collision with one symbol too few outside",
        replace(COLLISION, channel=CollisionWithoutSpare),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "a count law of exclusive signs",
        replace(COLLISION, channel=CollisionHolderSure),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    collision_faulty(
        "the threshold rounded anew for every number of symbols",
        conformance.check_sampler_equals_law,
        hits=lambda channel, count: floor(
            count
            * channel.one
            * channel.bound
            / (channel.symbols - channel.padding + channel.padding * channel.bound)
        ),
    ),
    collision_faulty(
        "two pairs on one symbol counted twice",
        conformance.check_sampler_equals_law,
        own=lambda channel, function, items: sorted(channel.symbol(function, item) for item in items),
    ),
    collision_faulty(
        "another symbol may be her own",
        conformance.check_sampler_equals_law,
        other=lambda channel, _, tape: tape.below(channel.symbols),
    ),
    collision_faulty(
        "her own symbols not skipped",
        conformance.check_sampler_equals_law,
        other=lambda channel, own, tape: tape.below(channel.symbols - len(own)),
    ),
    collision_faulty(
        "her own symbols skipped in the wrong order",
        conformance.check_sampler_equals_law,
        other=lambda channel, own, tape: skipping(own[::-1], tape.below(channel.symbols - len(own))),
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
        chosen=with_replacement,
    ),
    collision_faulty(
        "the first pair always chosen", conformance.check_sampler_equals_law, chosen=half_shuffled
    ),
    collision_faulty(
        "always the same function",
        conformance.check_sampler_equals_law,
        function=lambda channel, _, tape: 0 * tape.below(channel.functions),
    ),
    collision_faulty(
        "one function is never drawn",
        conformance.check_sampler_equals_law,
        function=lambda channel, _, tape: tape.below(channel.functions - 1),
    ),
    collision_faulty(
        "a function that suits the pairs", conformance.check_sampler_equals_law, function=better_of_two
    ),
    collision_faulty(
        "signs forgotten", conformance.check_sampler_equals_law, item=lambda key, _: 2 * key + 1
    ),
    Mutant(
        "signs swapped in the decoder of collision",
        replace(COLLISION, support=asked(item=lambda key, positive: 2 * key + (not positive))),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "keys one off in the decoder of collision",
        replace(COLLISION, support=asked(item=lambda key, positive: 2 * (key ^ 1) + positive)),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "a bucket kept too often", replace(BUCKETS, channel=BucketsRoundedUp), conformance.check_exact_epsilon
    ),
    Mutant(
        "thresholds of one bucket too few",
        replace(BUCKETS, channel=BucketsOneShort),
        conformance.check_exact_epsilon,
    ),
    Mutant(
        "a count law that moves buckets onto themselves",
        replace(BUCKETS, channel=BucketsAsIfOnAverage),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    buckets_faulty(
        "the empty set without noise",
        conformance.check_sampler_epsilon,
        "an output is possible for one input set and not for another",
        kept=lambda channel, true: channel.kept if true else channel.one,
    ),
    buckets_faulty(
        "large sets told apart from the padding",
        conformance.check_sampler_epsilon,
        "an output is possible for one input set and not for another",
        bucket=lambda channel, size: bisect_left(channel.ends, size),
    ),
    buckets_faulty(
        "another bucket may be the true one",
        conformance.check_sampler_equals_law,
        other=lambda channel, _, tape: tape.below(channel.rows),
    ),
    buckets_faulty(
        "the true bucket not skipped",
        conformance.check_sampler_equals_law,
        other=lambda channel, _, tape: tape.below(channel.rows - 1),
    ),
    buckets_faulty(
        "another bucket is always a neighbour",
        conformance.check_sampler_epsilon,
        other=lambda channel, true, tape: (true + 1 + 0 * tape.below(channel.rows - 1)) % channel.rows,
    ),
    buckets_faulty(
        "only pairs of high value counted",
        conformance.check_sampler_equals_law,
        r"not for \{0: -1.0\} with 1 keys",
        size=lambda channel, pairs: sum(level > channel.one // 2 for _, level in pairs),
    ),
    buckets_faulty(
        "the first key not counted",
        conformance.check_sampler_equals_law,
        r"not for \{0: -1.0\} with 1 keys",
        size=lambda _, pairs: sum(key > 0 for key, _ in pairs),
    ),
    Mutant(
        "buckets biased: a remainder without rejection",
        replace(BUCKETS, primitives=BiasedBelow),
        conformance.check_sampler_equals_law,
    ),
    Mutant(
        "buckets decoded in the other order",
        replace(BUCKETS, support=bucket_counts(lambda counts: counts[::-1])),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
    Mutant(
        "buckets decoded one off",
        replace(BUCKETS, support=bucket_counts(lambda counts: np.roll(counts, 1))),
        conformance.check_unbiased,
        "count law: not that of key 0",
    ),
)


def test_there_are_enough_mutants() -> None:
    assert len(MUTANTS) >= 12


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_is_caught(mutant: Mutant) -> None:
    # That the check passes without the fault is test_conformance's business.
    with pytest.raises(AuditFailure, match=mutant.says):
        mutant.caught_by(mutant.subject)


def test_the_sampler_that_compact_mutants_are_made_of_is_right() -> None:
    """So that what is caught is the fault, and not the writing out."""
    written_out = replace(COMPACT, sampler=compact_mutant(), support=decoded())
    for check in (
        conformance.check_sampler_epsilon,
        conformance.check_sampler_equals_law,
        conformance.check_unbiased,
    ):
        check(written_out)


def test_the_sampler_that_buckets_mutants_are_made_of_is_right() -> None:
    written_out = replace(BUCKETS, sampler=buckets_mutant(), support=bucket_counts(lambda counts: counts))
    for check in (
        conformance.check_sampler_epsilon,
        conformance.check_sampler_equals_law,
        conformance.check_unbiased,
    ):
        check(written_out)


def test_the_sampler_that_collision_mutants_are_made_of_is_right() -> None:
    written_out = replace(COLLISION, sampler=collision_mutant(), support=asked())
    for check in (
        conformance.check_sampler_epsilon,
        conformance.check_sampler_equals_law,
        conformance.check_unbiased,
    ):
        check(written_out)
