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
    """Draw the counts of all levels of every key, as if every report had been made and tallied."""
    return count_with_dummies(channel, sampled, rng)[0]


def count_with_dummies(channel: Channel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Draw the same, and how often the dummies are supported, where they are counted."""
    count: CountSimulator = load_part(channel.name, "simulator")
    return count(channel, sampled, rng)


def count_ue(channel: UeChannel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Count as `ue` would: independent multinomials per key."""
    kept, flipped = float(channel.sampled.own), float(channel.sampled.other)
    fake = float(channel.unsampled.other)
    minus, plus = sampled.counts
    counts = rng.multinomial(plus, [flipped, kept, 1 - kept - flipped])
    counts += rng.multinomial(minus, [kept, flipped, 1 - kept - flipped])
    counts += rng.multinomial(sampled.users - plus - minus, [fake, fake, 1 - 2 * fake])
    return KeySupport(counts[:, :2].T), NO_DUMMIES


def count_grr(channel: GrrChannel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Count as `grr` would: one multinomial over all words."""
    # Every word is at least as likely as `other`: so with chance symbols·other a report is uniform over all
    # words, and otherwise it is the true or, with two levels, the flipped word.
    other, items = float(channel.other), sampled.counts.size
    anywhere = channel.symbols * other
    stays, flips = float(channel.sampled.own) - other, float(channel.sampled.other) - other
    chances = np.clip([stays, flips, anywhere], 0, 1)
    drawn = rng.multinomial(sampled.counts, chances / chances.sum())
    scattered = int(drawn[..., 2].sum()) + int(rng.binomial(sampled.dummies, anywhere))
    on_keys = rng.binomial(scattered, channel.keys / (channel.keys + channel.padding))
    spread = rng.multinomial(on_keys, np.full(items, 1 / items)).reshape(sampled.counts.shape)
    counts = drawn[..., 0] + drawn[::-1, :, 1] + spread
    # Every report supports one key or dummy.
    return KeySupport(counts), DummySupport(sampled.users - int(counts.sum()), channel.padding)


def count_ue_compact(channel: UeCompactChannel, sampled: SampledCounts, rng: Generator) -> Counted:
    """Count as `ue-compact` would: its words are drawn and decoded."""
    # Every residue is at least as likely as `outside`: so with chance q·outside a report is uniform over all
    # words, and otherwise a function that gives its key one of the true level's residues.
    anywhere = channel.q * float(channel.outside)
    dummies = rng.binomial(sampled.dummies, 0.5)
    # One column more than keys: the dummies, with either of the first two levels.
    of_dummies = np.zeros((channel.levels, 1), np.int64)
    of_dummies[:2, 0] = sampled.dummies - dummies, dummies
    items = np.hstack([sampled.counts, of_dummies]).reshape(-1)
    true = rng.binomial(items, max(0.0, 1 - anywhere))
    keys = np.tile(np.arange(channel.keys + 1), channel.levels)
    firsts = np.repeat(channel.firsts, channel.keys + 1)
    functions = rng.integers(0, channel.functions, int(true.sum()))
    residues = np.repeat(firsts, true) + rng.integers(0, channel.r, functions.size)
    offsets = (residues - channel.product(functions, np.repeat(keys, true))) % channel.q
    counts = empty_counts(channel.word_limit)
    counts.add(functions * channel.q + offsets)
    counts.add(rng.integers(0, channel.word_limit, sampled.users - functions.size))
    return decode_all(channel, counts)


def count_collision(channel: CollisionChannel, taken: SampledCounts, rng: Generator) -> Counted:
    """As if hashes were independent: holders support their own level by `hit`, everybody else by chance.

    Exact for one key, whose levels are hashed apart. Between keys there are covariances, since a
    report has one symbol for all; they are left out, for a mean of squared errors adds up the keys'
    own and knows none of them.
    """
    held, other = float(Fraction(channel.hit, channel.one)), 1 / channel.symbols
    counts = rng.binomial(taken.counts, held) + rng.binomial(taken.users - taken.counts, other)
    return KeySupport(counts), NO_DUMMIES
