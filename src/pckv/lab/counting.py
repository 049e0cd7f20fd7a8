"""The counts that a server would see, drawn without making a single report.

Given the sampled pairs, the counts of `ue` are one independent multinomial per key, and those of `grr` one
multinomial over the words: O(n + d) draws instead of O(n·d), from the same distribution. Those of `ue-compact` and
`collision` are dependent across keys, so their words are drawn, without their reports, and decoded. Where very many words
of `collision` would support very many keys each, its counts are drawn key by key, without their covariances.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.channels import Channel, CountLaw
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.device.vectorised import VectorisedTape, send_items
from pckv.lab.choices import draw_level_counts
from pckv.lab.sampling import SampledCounts, TakenPairs
from pckv.mechanisms import load_part
from pckv.tally.counts import empty_counts
from pckv.tally.decode.support import NO_DUMMIES, DummySupport, KeySupport, decode_all
from pckv.tally.layouts import SupportLayout
from pckv.tally.supports import prepare_counting

# The words of `collision` are drawn where they support this many keys at most, counted once per word: a few seconds.
MAX_SUPPORTS = 2 * 10**9


class SimulatedCounts(NamedTuple):
    """What a server would count: the supports of all keys and of the dummies, where they are counted.

    `law` is the law of a key's counts, with what the reports themselves tell of it.
    """

    support: KeySupport
    dummies: DummySupport
    law: CountLaw


CountSimulator = Callable[[Any, Any, Generator], SimulatedCounts]


def count_reports(channel: Channel, prepared: SampledCounts | TakenPairs, rng: Generator) -> SimulatedCounts:
    """Draw the counts of all levels of every key, as if every report had been made and tallied."""
    count: CountSimulator = load_part(channel.name, "simulator")
    return count(channel, prepared, rng)


def count_ue(channel: UeChannel, sampled: SampledCounts, rng: Generator) -> SimulatedCounts:
    """Count as `ue` would: independent multinomials per key."""
    kept, flipped = float(channel.sampled.own), float(channel.sampled.other)
    fake = float(channel.unsampled.other)
    minus, plus = sampled.counts
    counts = rng.multinomial(plus, [flipped, kept, 1 - kept - flipped])
    counts += rng.multinomial(minus, [kept, flipped, 1 - kept - flipped])
    counts += rng.multinomial(sampled.users - plus - minus, [fake, fake, 1 - 2 * fake])
    return SimulatedCounts(KeySupport(counts[:, :2].T), NO_DUMMIES, channel.count_law)


def count_grr(channel: GrrChannel, sampled: SampledCounts, rng: Generator) -> SimulatedCounts:
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
    dummies = DummySupport(sampled.users - int(counts.sum()), channel.padding)
    return SimulatedCounts(KeySupport(counts), dummies, channel.count_law)


def count_ue_compact(channel: UeCompactChannel, sampled: SampledCounts, rng: Generator) -> SimulatedCounts:
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
    return SimulatedCounts(*decode_all(channel, counts), channel.count_law)


def count_collision(channel: CollisionChannel, taken: TakenPairs, rng: Generator) -> SimulatedCounts:
    """Count as `collision` would: its words are drawn as devices draw them, and what they support is counted."""
    if taken.users * channel.items > MAX_SUPPORTS * channel.symbols:
        return _count_by_key(channel, taken, rng)
    functions = rng.integers(0, channel.functions, taken.users)
    items = channel.item(taken.keys, taken.levels)
    tape = VectorisedTape(rng.bytes)
    words = send_items(channel, functions, taken.owners, items, np.arange(taken.users), tape)
    layout = _support_layout(channel)
    counts = empty_counts(layout.cells)
    layout.add(counts, words)
    found = counts.take(np.arange(layout.cells))
    support = KeySupport(found[: channel.items].reshape(channel.keys, channel.levels).T)
    # A tally that keeps words does not count unused positions.
    measured = channel.decodes_all
    law = channel.measured_law(int(found[layout.unused]), taken.users) if measured else channel.count_law
    return SimulatedCounts(support, NO_DUMMIES, law)


def _count_by_key(channel: CollisionChannel, taken: TakenPairs, rng: Generator) -> SimulatedCounts:
    """Count as if keys were independent.

    Exact for one key. A mean of squared errors adds up the keys' own and knows none of the covariances; sums do.
    """
    numbers = np.bincount(taken.levels * channel.keys + taken.keys, minlength=channel.items)
    holders = numbers.reshape(channel.levels, channel.keys)
    support = draw_level_counts(channel.count_law, taken.users, holders, rng)
    return SimulatedCounts(support, NO_DUMMIES, channel.count_law)


@lru_cache(maxsize=4)
def _support_layout(channel: CollisionChannel) -> SupportLayout:
    """Return where supports are counted; whoever simulates counts often, so that loading what it needs pays."""
    prepare_counting(channel)
    return SupportLayout(channel, 0)
