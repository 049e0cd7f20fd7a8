"""Planted faults of `buckets`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from pckv.auditing import conformance
from pckv.auditing.conformance import Subject
from pckv.channels import CountLaw, Support
from pckv.channels.buckets import BucketsChannel
from pckv.device.padding import Pair
from pckv.randomness import Tape
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport
from support.mutants import (
    BUCKETS,
    BiasedBelow,
    Mutant,
    check_caught,
    check_faultless,
    skipping,
)


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
    """The sampler of buckets, written out with replaceable parts; the defaults give the correct sampler."""

    def mutant(channel: BucketsChannel, pairs: Sequence[Pair], tape: Tape) -> int:
        true = bucket(channel, size(channel, pairs))
        return true if tape.bernoulli(kept(channel, true)) else other(channel, true, tape)

    return mutant


def bucket_counts(turned: Callable[[Any], Any]) -> Callable[[Tally], KeySupport]:
    """Return a decoder of buckets that reorders their counts."""

    def support(tally: Tally) -> KeySupport:
        counts = tally.counts.take(np.arange(tally.cells))
        return KeySupport(turned(counts), np.zeros_like(counts))

    return support


def buckets_faulty(
    fault: str, caught_by: Callable[[Subject], None], says: str | None = None, **parts: Any
) -> Mutant:
    """A mutant of the sampler of buckets."""
    return Mutant(fault, replace(BUCKETS, sampler=buckets_mutant(**parts)), caught_by, says)


MUTANTS = (
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
        "large sets distinguished from the padding",
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


def test_the_list_of_mutants_is_complete() -> None:
    assert len({mutant.fault for mutant in MUTANTS}) >= 13


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_is_caught(mutant: Mutant) -> None:
    check_caught(mutant)


def test_the_sampler_that_mutants_are_derived_from_is_correct() -> None:
    check_faultless(replace(BUCKETS, sampler=buckets_mutant(), support=bucket_counts(lambda counts: counts)))
