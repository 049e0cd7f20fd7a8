"""The counts that a server would see, drawn without making a single report.

First the pairs that reports are made from. Where a report is made from one pair they are counts: how many
participants sampled each level of a key. Participants with one pair who hold the same key and value are drawn
together, in one multinomial: the same distribution, at a cost that does not grow with their number. Where a
report is made from several pairs, they are each participant's own.

Given the sampled pairs, the counts of `ue` are one independent multinomial per key, and those of `grr` one
multinomial over the words: O(n + d) draws instead of O(n·d), from the same distribution. Those of
`ue-compact` and `collision` are dependent across keys, so their words are drawn, without their reports, and
decoded. Where very many words of `collision` would support very many keys each, its counts are drawn key by
key, without their covariances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pckv.base.arrays import Floats, Integers
from pckv.base.limits import ONE_LEVEL
from pckv.device.vectorised import VectorisedTape, choose_rows, send_items
from pckv.lab.dataset import Dataset
from pckv.mechanisms.base import CountLaw, Law, SamplingLaw, Support
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.registry import load_part
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.tally.counts import empty_counts
from pckv.tally.decode.support import NO_DUMMIES, DummySupport, KeySupport, decode_all
from pckv.tally.layouts import SupportLayout
from pckv.tally.supports import prepare_counting


class SampledCounts(NamedTuple):
    """How many participants sampled each level of each key, one row per level; the others sampled a dummy."""

    counts: Integers
    users: int

    @property
    def dummies(self) -> int:
        """How many sampled a dummy."""
        return self.users - int(self.counts.sum())

    def of_some(self, share: float, rng: Generator) -> SampledCounts:
        """Keep a random share of the participants."""
        kept = rng.binomial(self.counts, share)
        return SampledCounts(kept, int(kept.sum()) + int(rng.binomial(self.dummies, share)))


class TakenPairs(NamedTuple):
    """The pairs that reports are made from, up to as many per participant as one takes, and whose they are.

    Owners are numbers below `users`, in order; a participant who is not there takes no pair.
    """

    owners: Integers
    keys: Integers
    levels: Integers
    users: int

    def of_some(self, share: float, rng: Generator) -> TakenPairs:
        """Keep a random share of the participants."""
        kept = rng.random(self.users) < share
        of_kept = kept[self.owners]
        owners = (np.cumsum(kept) - 1)[self.owners[of_kept]]
        return TakenPairs(owners, self.keys[of_kept], self.levels[of_kept], int(kept.sum()))


class PairGroups(NamedTuple):
    """Distinct pairs of a key and its value on [-1, 1], and how many hold each."""

    keys: Integers
    values: Floats
    counts: Integers


class PlacedValues(NamedTuple):
    """The levels below values, and the chances of the next ones."""

    below: Integers
    chances: Floats

    @classmethod
    def of(cls, values: Floats, levels: Sequence[float]) -> PlacedValues:
        """Place values between levels, both on [-1, 1]; of one level there is nothing to draw."""
        edges = np.array(levels)
        if edges.size == ONE_LEVEL:
            return cls(np.zeros(values.size, np.int64), np.zeros(values.size))
        below = np.clip(np.searchsorted(edges, values, "right") - 1, 0, edges.size - 2)
        low, high = edges[below], edges[below + 1]
        return cls(below, (values - low) / (high - low))

    def take(self, places: Integers) -> PlacedValues:
        """Return some of them."""
        return PlacedValues(self.below[places], self.chances[places])


class SamplingModel:
    """One population, prepared for sampling many times with levels on [-1, 1]: by default two, the signs."""

    def __init__(self, dataset: Dataset, levels: Sequence[float] = (-1.0, 1.0)) -> None:
        population = dataset.population
        self.keys, self.users, self.levels = dataset.keys, dataset.users, len(levels)
        sizes = population.sizes
        several = sizes > 1
        self._sizes, self._starts = sizes[several], population.offsets[:-1][several]
        self._single = group_pairs(dataset, ~np.repeat(several, sizes) if several.any() else None)
        self._placed_singles = PlacedValues.of(self._single.values, levels)
        self._dataset, self._level_values = dataset, levels

    def prepare(self, law: Law, rng: Generator, left_out: float = 0.0) -> SampledCounts | TakenPairs:
        """Sample what each participant's report is made from: one pair, or as many as the padding.

        `left_out` is the share of people, chosen at random, whose reports are about something else.
        """
        prepare = self.draw if isinstance(law, SamplingLaw) else self.take
        prepared = prepare(law.padding, rng)
        return prepared.of_some(1 - left_out, rng) if left_out else prepared

    def draw(self, padding: int, rng: Generator) -> SampledCounts:
        """Let each participant pad, sample one pair and turn its value into a level."""
        counts = self._draw_singles(padding, rng)
        if not self._sizes.size:
            return SampledCounts(counts, self.users)
        slots = rng.integers(0, np.maximum(self._sizes, padding))
        chosen = (self._starts + slots)[slots < self._sizes]
        found = np.bincount(
            self._drawn_levels(chosen, rng) * self.keys + self._dataset.population.keys[chosen],
            minlength=self.levels * self.keys,
        )
        return SampledCounts(counts + found.reshape(counts.shape), self.users)

    def take(self, most: int, rng: Generator) -> TakenPairs:
        """Let each participant take at most this many of their pairs and turn the values into levels."""
        population = self._dataset.population
        owners, rows = choose_rows(population, most, np.arange(self.users), VectorisedTape(rng.bytes))
        keys = population.keys[rows].astype(np.int64)
        return TakenPairs(owners, keys, self._drawn_levels(rows, rng), self.users)

    def _drawn_levels(self, rows: Integers, rng: Generator) -> Integers:
        """Turn the values of some pairs into levels."""
        below, chances = self._placed.take(rows)
        return below + (rng.random(rows.size) < chances)

    @cached_property
    def _placed(self) -> PlacedValues:
        """The values of all pairs, between levels."""
        return PlacedValues.of(self._dataset.scaled(self._dataset.population.values), self._level_values)

    def _draw_singles(self, padding: int, rng: Generator) -> Integers:
        share = self._placed_singles.chances / padding
        chances = np.stack([share, 1 / padding - share, np.full_like(share, 1 - 1 / padding)], axis=1)
        drawn = rng.multinomial(self._single.counts, np.clip(chances, 0, 1))
        counts = np.zeros((self.levels, self.keys), np.int64)
        below = self._placed_singles.below
        for place, levels in enumerate((np.minimum(below + 1, self.levels - 1), below)):
            np.add.at(counts, (levels, self._single.keys), drawn[:, place])
        return counts


def group_pairs(dataset: Dataset, chosen: NDArray[np.bool_] | None = None) -> PairGroups:
    """Group the pairs that are equal: all of a dataset's, or those chosen."""
    keys, values = dataset.population.keys, dataset.population.values
    if chosen is not None:
        keys, values = keys[chosen], values[chosen]
    one_value = np.zeros(dataset.keys)
    one_value[keys] = values
    if np.array_equal(one_value[keys], values):
        # Every key has one value, as in the paper's populations: counting is enough.
        counts = np.bincount(keys, minlength=dataset.keys)
        held = np.flatnonzero(counts)
        return PairGroups(held, dataset.scaled(one_value[held]), counts[held])
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    new = np.ones(keys.size, np.bool_)
    new[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
    starts = np.flatnonzero(new)
    scaled = dataset.scaled(values[starts])
    return PairGroups(keys[starts].astype(np.int64), scaled, np.diff(np.append(starts, keys.size)))


# The words of `collision` are drawn where they support this many keys at most, counted once per word: a few
# seconds.
MAX_SUPPORTS = 2 * 10**9


class SimulatedCounts(NamedTuple):
    """What a server would count: the supports of all keys and of the dummies, where they are counted.

    `law` is the law of a key's counts, with what the reports themselves tell of it.
    """

    support: KeySupport
    dummies: DummySupport
    count_law: CountLaw


CountSimulator = Callable[[Any, Any, Generator], SimulatedCounts]


def count_reports(law: Law, prepared: SampledCounts | TakenPairs, rng: Generator) -> SimulatedCounts:
    """Draw the counts of all levels of every key, as if every report had been made and tallied."""
    count: CountSimulator = load_part(law.name, "simulator")
    return count(law, prepared, rng)


def count_ue(law: UeLaw, sampled: SampledCounts, rng: Generator) -> SimulatedCounts:
    """Count as `ue` would: independent multinomials per key."""
    if law.levels == ONE_LEVEL:
        [held] = sampled.counts
        counts = _drawn(held, law.sampled, rng) + _drawn(sampled.users - held, law.unsampled, rng)
        return SimulatedCounts(KeySupport(counts), NO_DUMMIES, law.count_law)
    kept, flipped = float(law.sampled.own), float(law.sampled.other)
    fake = float(law.unsampled.other)
    minus, plus = sampled.counts
    counts = rng.multinomial(plus, [flipped, kept, 1 - kept - flipped])
    counts += rng.multinomial(minus, [kept, flipped, 1 - kept - flipped])
    counts += rng.multinomial(sampled.users - plus - minus, [fake, fake, 1 - 2 * fake])
    return SimulatedCounts(KeySupport(counts[:, :2].T), NO_DUMMIES, law.count_law)


def count_grr(law: GrrLaw, sampled: SampledCounts, rng: Generator) -> SimulatedCounts:
    """Count as `grr` would: one multinomial over all words."""
    # Every word is at least as likely as `other`: so with chance symbols·other a report is uniform over all
    # words, and otherwise it is the true or, with two levels, the flipped word.
    other, items = float(law.other), sampled.counts.size
    anywhere = law.symbols * other
    stays, flips = float(law.sampled.own) - other, float(law.sampled.other) - other
    chances = np.clip([stays, flips, anywhere], 0, 1)
    drawn = rng.multinomial(sampled.counts, chances / chances.sum())
    scattered = int(drawn[..., 2].sum()) + int(rng.binomial(sampled.dummies, anywhere))
    on_keys = rng.binomial(scattered, law.keys / (law.keys + law.padding))
    spread = rng.multinomial(on_keys, np.full(items, 1 / items)).reshape(sampled.counts.shape)
    counts = drawn[..., 0] + drawn[::-1, :, 1] + spread
    # Every report supports one key or dummy.
    dummies = DummySupport(sampled.users - int(counts.sum()), law.padding)
    return SimulatedCounts(KeySupport(counts), dummies, law.count_law)


def count_ue_compact(law: UeCompactLaw, sampled: SampledCounts, rng: Generator) -> SimulatedCounts:
    """Count as `ue-compact` would: its words are drawn and decoded."""
    # Every residue is at least as likely as `outside`: so with chance q·outside a report is uniform over all
    # words, and otherwise a function that gives its key one of the true level's residues.
    anywhere = law.q * float(law.outside)
    # One column more than keys: the dummies, with either of the first two levels, if there are two.
    of_dummies = np.zeros((law.levels, 1), np.int64)
    of_dummies[1:2, 0] = rng.binomial(sampled.dummies, 0.5)
    of_dummies[0, 0] = sampled.dummies - of_dummies[1:2].sum()
    items = np.hstack([sampled.counts, of_dummies]).reshape(-1)
    true = rng.binomial(items, max(0.0, 1 - anywhere))
    keys = np.tile(np.arange(law.keys + 1), law.levels)
    firsts = np.repeat(law.firsts, law.keys + 1)
    functions = rng.integers(0, law.functions, int(true.sum()))
    residues = np.repeat(firsts, true) + rng.integers(0, law.r, functions.size)
    offsets = (residues - law.product(functions, np.repeat(keys, true))) % law.q
    counts = empty_counts(law.word_limit)
    counts.add(functions * law.q + offsets)
    counts.add(rng.integers(0, law.word_limit, sampled.users - functions.size))
    return SimulatedCounts(*decode_all(law, counts), law.count_law)


def count_collision(law: CollisionLaw, taken: TakenPairs, rng: Generator) -> SimulatedCounts:
    """Count as `collision` would: words are drawn as devices draw them, and their supports are counted."""
    if taken.users * law.items > MAX_SUPPORTS * law.symbols:
        return _count_by_key(law, taken, rng)
    functions = rng.integers(0, law.functions, taken.users)
    items = law.item(taken.keys, taken.levels)
    tape = VectorisedTape(rng.bytes)
    words = send_items(law, functions, taken.owners, items, np.arange(taken.users), tape)
    layout = _support_layout(law)
    counts = empty_counts(layout.cells)
    layout.add(counts, words)
    found = counts.take(np.arange(layout.cells))
    support = KeySupport(found[: law.items].reshape(law.keys, law.levels).T)
    # A tally that keeps words does not count unused positions.
    measured = law.decodes_all
    count_law = law.measured_law(int(found[layout.unused]), taken.users) if measured else law.count_law
    return SimulatedCounts(support, NO_DUMMIES, count_law)


def _count_by_key(law: CollisionLaw, taken: TakenPairs, rng: Generator) -> SimulatedCounts:
    """Count as if keys were independent.

    Exact for one key. A mean of squared errors adds up the keys' own and knows none of the covariances; sums
    do.
    """
    numbers = np.bincount(taken.levels * law.keys + taken.keys, minlength=law.items)
    holders = numbers.reshape(law.levels, law.keys)
    support = draw_level_counts(law.count_law, taken.users, holders, rng)
    return SimulatedCounts(support, NO_DUMMIES, law.count_law)


@lru_cache(maxsize=4)
def _support_layout(law: CollisionLaw) -> SupportLayout:
    """Return where supports are counted; simulations count often, so that loading what that needs pays."""
    prepare_counting(law)
    return SupportLayout(law, 0)


def draw_counts(count_law: CountLaw, users: int, holders: Integers, means: Floats, rng: Generator) -> KeySupport:
    """Draw the counts of keys with these holders and means, all values at the ends of the range."""
    held = np.zeros((count_law.holder.levels, holders.size), np.int64)
    held[-1] = rng.binomial(holders, (1 + means) / 2)
    held[0] = holders - held[-1]
    return draw_level_counts(count_law, users, held, rng)


def draw_level_counts(count_law: CountLaw, users: int, held: Integers, rng: Generator) -> KeySupport:
    """Draw the counts of keys whose levels have these holders (levels × keys), from the exact law."""
    levels = count_law.holder.levels
    counts = _drawn(users - held.sum(axis=0), count_law.absent, rng)
    for level in reversed(range(levels)):
        # What is drawn for the holder's own level comes first.
        order = [*range(1, level + 1), 0, *range(level + 1, levels)]
        counts += _drawn(held[level], count_law.holder, rng)[order]
    return KeySupport(counts)


def _drawn(reports: Integers, support: Support, rng: Generator) -> Integers:
    """Draw how many of some reports support the level held, and each of the others: levels × keys."""
    own, other, both = (float(chance) for chance in (support.own, support.other, support.own_and_other))
    others = support.levels - 1
    if others > 1 and both:
        # Levels are supported independently of each other.
        return np.stack([rng.binomial(reports, chance) for chance in (own, *[other] * others)])
    chances = [own - both, *[other - both] * others, both]
    drawn = rng.multinomial(reports, [*chances, max(0.0, 1 - sum(chances))]).T
    return np.asarray(drawn[: others + 1] + drawn[others + 1])
