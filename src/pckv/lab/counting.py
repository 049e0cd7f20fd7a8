"""The counts that a server would see, drawn without making a single report.

Given the sampled pairs, the counts of `ue` are one independent multinomial per key, and those of `grr` one
multinomial over the words: O(n + d) draws instead of O(n·d), from the same distribution. Those of `ue-compact` are
dependent across keys, so its words are drawn, without their reports, and decoded. For `collision` that would take n·d
hashes; its counts are drawn key by key.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

from pckv.channels import Channel
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.lab.sampling import SampledCounts
from pckv.mechanisms import load_part
from pckv.tally.counts import empty_counts
from pckv.tally.decode.support import NO_DUMMIES, DummySupport, KeySupport, decode_all

Counted = tuple[KeySupport, DummySupport]
CountSimulator = Callable[[Any, SampledCounts, Generator], Counted]


def count_reports(channel: Channel, sampled: SampledCounts, rng: Generator) -> KeySupport:
    """Draw n1 and n2 of every key, as if every report had been made and tallied."""
    return count_with_dummies(channel, sampled, rng)[0]


def count_with_dummies(channel: Channel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Draw the same, and how often the dummies are supported, where they are counted."""
    count: CountSimulator = load_part(channel.name, "simulator")
    return count(channel, sampled, rng)


def count_ue(channel: UeChannel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Count as `ue` would: independent multinomials per key."""
    kept, flipped = float(channel.sampled.plus), float(channel.sampled.minus)
    fake = float(channel.unsampled.plus)
    others = sampled.users - sampled.plus - sampled.minus
    counts = rng.multinomial(sampled.plus, [kept, flipped, 1 - kept - flipped])
    counts += rng.multinomial(sampled.minus, [flipped, kept, 1 - kept - flipped])
    counts += rng.multinomial(others, [fake, fake, 1 - 2 * fake])
    return KeySupport(counts[:, 0], counts[:, 1]), NO_DUMMIES


def count_grr(channel: GrrChannel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Count as `grr` would: one multinomial over all words."""
    # Every word is at least as likely as `other`: so with chance symbols·other a report is uniform over all
    # words, and otherwise it is the true or the flipped word.
    other = float(channel.other)
    anywhere = channel.symbols * other
    stays, flips = float(channel.sampled.plus) - other, float(channel.sampled.minus) - other
    chances = np.clip([stays, flips, anywhere], 0, 1)
    plus = rng.multinomial(sampled.plus, chances / chances.sum())
    minus = rng.multinomial(sampled.minus, chances / chances.sum())
    scattered = int(plus[:, 2].sum() + minus[:, 2].sum()) + int(rng.binomial(sampled.dummies, anywhere))
    on_keys = rng.binomial(scattered, channel.keys / (channel.keys + channel.padding))
    spread = rng.multinomial(on_keys, np.full(2 * channel.keys, 1 / (2 * channel.keys))).reshape(2, -1)
    support = KeySupport(plus[:, 0] + minus[:, 1] + spread[0], plus[:, 1] + minus[:, 0] + spread[1])
    # Every report supports one key or dummy.
    on_dummies = sampled.users - int(support.plus.sum() + support.minus.sum())
    return support, DummySupport(on_dummies, channel.padding)


def count_ue_compact(channel: UeCompactChannel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Count as `ue-compact` would: its words are drawn and decoded."""
    # Every residue is at least as likely as `outside`: so with chance q·outside a report is uniform over all
    # words, and otherwise a function that gives its key one of the true sign's residues.
    anywhere = channel.q * float(channel.outside)
    dummies = rng.binomial(sampled.dummies, 0.5)
    signed = np.append([*sampled.plus, dummies], [*sampled.minus, sampled.dummies - dummies])
    true = rng.binomial(signed, max(0.0, 1 - anywhere))
    keys, signs = np.tile(np.arange(channel.keys + 1), 2), np.repeat(channel.firsts, channel.keys + 1)
    functions = rng.integers(0, channel.functions, int(true.sum()))
    residues = np.repeat(signs, true) + rng.integers(0, channel.r, functions.size)
    offsets = (residues - channel.product(functions, np.repeat(keys, true))) % channel.q
    counts = empty_counts(channel.word_limit)
    counts.add(functions * channel.q + offsets)
    counts.add(rng.integers(0, channel.word_limit, sampled.users - functions.size))
    return decode_all(channel, counts)


def count_collision(channel: CollisionChannel, taken: SampledCounts, rng: Generator) -> Counted:
    """As if hashes were independent: holders support their own sign by `hit`, everybody else by chance.

    Exact for one key, whose two signs are hashed apart. Between keys there are covariances, since a
    report has one symbol for all; they are left out, for a mean of squared errors adds up the keys'
    own and knows none of them.
    """
    held, other = float(Fraction(channel.hit, channel.one)), 1 / channel.symbols
    plus, minus = (
        rng.binomial(holders, held) + rng.binomial(taken.users - holders, other)
        for holders in (taken.plus, taken.minus)
    )
    return KeySupport(plus, minus), NO_DUMMIES
