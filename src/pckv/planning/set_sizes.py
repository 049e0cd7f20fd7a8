"""How many pairs people hold, known, estimated or assumed, and what they then hold of each key.

Keys follow Zipf's law: a person who holds m pairs holds the k-th most popular key with chance 1 - exp(-t/k),
where t is such that these chances add up to m. That is drawing m distinct keys with weights 1/k, to a very
good approximation. People with many pairs hold popular keys more often, but not in proportion to their pairs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pckv.base.errors import ParameterError

# Numbers up to this stand alone; later blocks are wider by a part of where they begin.
MAX_ALONE = 32
WIDENING = 16


class Block(NamedTuple):
    """Consecutive whole numbers: their middle, and how many they are."""

    middle: float
    width: int


def blocks(last: int, first: int = 1) -> list[Block]:
    """Return the blocks of `first` to `last`.

    >>> [block.width for block in blocks(200)][-5:]
    [9, 10, 11, 11, 2]
    """
    found = []
    while first <= last:
        width = 1 if first <= MAX_ALONE else min(first // WIDENING, last - first + 1)
        found.append(Block(first + (width - 1) / 2, width))
        first += width
    return found


MAX_SIZE, MAX_PEOPLE = 2**31, 1e15
# Where only the average size is known, people are taken to hold at most this many times as many pairs.
MAX_PER_TYPICAL = 3
# No person is expected to have a size with a smaller share than this.
NEGLIGIBLE_SHARE = 1e-9
# How exactly numbers are found and compared, relative to them.
PRECISION = 1e-9
# The least share of people that may hold any pair, and the least average.
MIN_SHARE = 1e-6
# Where the slope of an even spread is searched.
MAX_SLOPE, SLOPE_STEPS = 700.0, 80


class SetSizes:
    """A distribution of set sizes, from how many people (or what share of them) hold each number of pairs.

    >>> sizes = SetSizes({1: 600, 2: 300, 8: 100})
    >>> sizes.mean, sizes.percentile(0.9), round(sizes.share_above(2), 3)
    (2.0, 2, 0.1)
    """

    def __init__(self, people: Mapping[int, float], *, counted_from: int = 1, known_from: int | None = 1) -> None:
        # People with fewer pairs than this are counted as if they held this many.
        self.counted_from = counted_from
        # With a padding from this on it is known how much is hidden; None where sizes are only assumed.
        self.known_from = known_from
        counts = {check_size(size): _people(size, number) for size, number in people.items()}
        total = math.fsum(counts.values())
        if total == 0:
            raise ParameterError("sizes of 0 people: there must be people")
        self._shares = [(size, number / total) for size, number in sorted(counts.items()) if number > 0]
        self.mean = math.fsum(size * share for size, share in self._shares)
        if self.mean == 0:
            raise ParameterError("sizes of people who hold no pair: there is nothing to collect")

    @classmethod
    def assumed(cls, typical: float, most: int | None, keys: int, holding: float = 1.0) -> SetSizes:
        """Sizes where no more is known than how many pairs people hold on average, and at most.

        The average is that of all people; a share `holding` of them holds any pair. Their sizes are spread from 1
        to `most` as evenly as their own average allows (the distribution of maximum entropy). If `most` is left
        out, it is three times that average: with twice the average, where all sizes are as frequent, paddings
        were far too short for people whose sizes have a tail (docs/appendix/padding-choice.md).

        >>> SetSizes.assumed(3, None, keys=100).largest, SetSizes.assumed(3, 3, keys=100).largest
        (9, 3)
        >>> some = SetSizes.assumed(1, None, keys=100, holding=0.4)
        >>> round(some.holding, 6), round(some.mean, 6), some.largest
        (0.4, 1.0, 8)
        """
        average = _average_of_holders(typical, keys, holding)
        if most is not None and not average * (1 - PRECISION) <= most <= keys:
            whose = "of the average" if holding == 1 else "that those who hold any hold on average"
            raise ParameterError(
                f"most pairs must be at least the {average:.6g} pairs {whose} and at most the number of keys "
                f"({keys:,}), not {most}"
            )
        largest = min(keys, math.ceil(MAX_PER_TYPICAL * average)) if most is None else most
        held = [(size, holding * share) for size, share in _even_spread(1, largest, float, average)]
        return cls._of_groups([(0, 1 - holding), *held], known_from=most)

    @classmethod
    def of_shares(cls, ends: Sequence[int], shares: Sequence[float], error: float = 0.0) -> SetSizes:
        """From the answers to a task's size question: the estimated shares of people at its ends.

        The first end stands for all sizes up to it, and they are counted as that. Larger sizes were rounded
        at random to one of the other ends so that 1/size keeps its mean: they are spread evenly above the
        first end, with that mean. Of those as many are left out as the `error` of a share, twice, may have
        added: a few people with very many pairs decide on the padding, and noise must not look like them.

        >>> sizes = SetSizes.of_shares((2, 3, 8, 100), (0.8, 0.1, 0.1, 0))
        >>> round(sizes.share_above(2), 6), round(sizes.mean, 1)
        (0.2, 2.6)
        """
        if len(ends) != len(shares) or not all(0 <= share <= 1 for share in shares):
            raise ParameterError("sizes must have one share, from 0 to 1, for every end")
        if not ends or sorted({check_size(end) for end in ends}) != list(ends) or ends[0] < 1:
            raise ParameterError("the ends of sizes must be whole numbers from 1 on, each larger than the one before")
        larger = math.fsum(shares[1:])
        certain = max(larger - 2 * error, 0.0)
        if certain == 0:
            return cls({ends[0]: 1}, counted_from=ends[0])
        inverse = math.fsum(share / end for end, share in zip(ends[1:], shares[1:], strict=True)) / larger
        spread = _even_spread(ends[0] + 1, ends[-1], lambda size: -1 / size, -inverse)
        return cls._of_groups(
            [
                (ends[0], 1 - certain),
                *((size, certain * share) for size, share in spread if share > NEGLIGIBLE_SHARE),
            ],
            counted_from=ends[0],
        )

    @classmethod
    def of(cls, given: SetSizes | Mapping[int, float]) -> SetSizes:
        """Sizes, or a histogram of them."""
        return given if isinstance(given, SetSizes) else cls(given)

    @classmethod
    def _of_groups(
        cls, groups: Iterable[tuple[float, float]], *, counted_from: int = 1, known_from: int | None = 1
    ) -> SetSizes:
        people: dict[int, float] = {}
        for size, share in groups:
            # Between two whole numbers the share is split, so that the average stays.
            below, part = math.floor(size), size - math.floor(size)
            for whole, weight in ((below, 1 - part), (below + 1, part)):
                people[whole] = people.get(whole, 0.0) + share * weight
        held = {size: share for size, share in people.items() if share > 0}
        return cls(held, counted_from=counted_from, known_from=known_from)

    @property
    def holding(self) -> float:
        """The share of people who hold any pair."""
        return math.fsum(share for size, share in self._shares if size > 0)

    @property
    def largest(self) -> int:
        """The largest size of any person."""
        return self._shares[-1][0]

    @property
    def smallest(self) -> int:
        """The smallest size of any person."""
        return self._shares[0][0]

    @property
    def smallest_held(self) -> int:
        """The smallest size of any person who holds a pair."""
        return next(size for size, _ in self._shares if size > 0)

    def at_most(self, most: int) -> SetSizes:
        """The same people, larger sets counted as this size."""
        people: dict[int, float] = {}
        for size, share in self._shares:
            people[min(size, most)] = people.get(min(size, most), 0.0) + share
        return SetSizes(people, counted_from=min(self.counted_from, most), known_from=self.known_from)

    def percentile(self, share: float) -> int:
        """Return the least size that this share of the people does not exceed."""
        reached = 0.0
        for size, part in self._shares:
            reached += part
            # Shares are rounded.
            if reached >= share - 1e-9:
                return size
        return self.largest

    def share_above(self, padding: int) -> float:
        """The share of people who hold more pairs than this."""
        return math.fsum(share for size, share in self._shares if size > padding)

    def grouped(self) -> list[tuple[float, float]]:
        """The distribution in a few hundred groups at most: the average size of each, and its share."""
        found: list[tuple[float, float]] = []
        edges = iter([0.5, *(block.middle + block.width / 2 for block in blocks(self.largest))])
        edge, total, weight = next(edges), 0.0, 0.0
        for size, share in self._shares:
            if size > edge and weight > 0:
                found.append((total / weight, weight))
                total = weight = 0.0
            while size > edge:
                edge = next(edges)
            total, weight = total + size * share, weight + share
        return [*found, (total / weight, weight)]

    def __repr__(self) -> str:
        return f"<SetSizes: {self.mean:.3g} pairs on average, 90 % of people at most {self.percentile(0.9)}>"


def check_size(size: Any) -> int:
    """Return a size, or refuse what is not one."""
    try:
        whole = operator.index(size)
    except TypeError:
        whole = -1
    if not 0 <= whole <= MAX_SIZE:
        raise ParameterError(f"a size must be a whole number of at least 0 and at most 2^31, not {size!r}")
    return whole


def _average_of_holders(typical: float, keys: int, holding: float) -> float:
    """Return how many pairs those hold on average who hold any, or refuse an average that cannot be."""
    if not typical >= MIN_SHARE:
        raise ParameterError(f"pairs must be at least {MIN_SHARE:f}, not {typical:g}")
    if not typical >= holding * (1 - PRECISION):
        raise ParameterError(
            f"pairs must be at least the share of people who hold any ({holding:g}), not {typical:g}: "
            "each of those holds one or more"
        )
    average = max(1.0, typical / holding)
    if average > keys * (1 + PRECISION):
        what = f"pairs must be at most the number of keys ({keys:,}), not {typical:g}"
        each = f": the {holding:g} of people who hold any would hold {average:.6g} each, on average"
        raise ParameterError(what if holding == 1 else f"{what}{each}")
    return min(average, float(keys))


def _people(size: Any, number: Any) -> float:
    try:
        value = float(number)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not 0 <= value <= MAX_PEOPLE:
        raise ParameterError(f"size {size}: people must be at least 0 and at most 10^15, not {number!r}")
    return value


def _even_spread(
    least: int, largest: int, measure: Callable[[float], float], average: float
) -> list[tuple[float, float]]:
    """Sizes in blocks, with shares like exp(slope·size) that give a growing measure its average."""
    parts = [*(block for block in blocks(largest - 1, least)), Block(largest, 1)]
    values = [measure(block.middle) for block in parts]
    if not values[0] < average < values[-1]:
        return [(largest if average >= values[-1] else least, 1.0)]

    def spread(slope: float) -> list[float]:
        # The exponent is at most 0.
        anchor = largest if slope > 0 else least
        return [block.width * math.exp(slope * (block.middle - anchor)) for block in parts]

    low, high = -MAX_SLOPE, MAX_SLOPE
    for _ in range(SLOPE_STEPS):
        weights = spread((low + high) / 2)
        reached = math.fsum(map(operator.mul, values, weights)) / math.fsum(weights)
        low, high = ((low + high) / 2, high) if reached < average else (low, (low + high) / 2)
    total = math.fsum(weights)
    return [(block.middle, weight / total) for block, weight in zip(parts, weights, strict=True)]


# Solving for t, and for a key's popularity.
MAX_STEPS, HALVINGS = 100, 40


class _Group(NamedTuple):
    """People with about as many pairs: how many pairs, their share, and t."""

    size: float
    share: float
    intensity: float


class Spectrum:
    """What people with these set sizes hold of keys that follow Zipf's law.

    A key is known by its popularity: 1/k for the k-th of them.
    """

    def __init__(self, keys: int, sizes: SetSizes) -> None:
        self._ranks = ranks = blocks(keys)
        self._groups = [
            _Group(size, share, _intensity(size, keys, ranks)) for size, share in sizes.grouped() if size > 0
        ]

    def frequency(self, popularity: float) -> float:
        """The share of people who hold a key."""
        return math.fsum(group.share * _chance(group, popularity) for group in self._groups)

    def popularity(self, frequency: float) -> float:
        """The popularity of a key of this frequency; infinite where too few people hold any pair."""
        low, high = 0.0, 1.0
        while self.frequency(high) < frequency:
            low, high = high, 2 * high
            if high > 1 / PRECISION:
                return math.inf
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.frequency(middle) < frequency else (low, middle)
        return high

    def seen(self, popularity: float, padding: int) -> float:
        """The share of a key's frequency that reports show: holders of m pairs report it in ℓ/m of theirs."""
        held = [(group.size, group.share * _chance(group, popularity)) for group in self._groups]
        shown = math.fsum(share * min(1.0, padding / size) for size, share in held)
        return min(1.0, shown / math.fsum(share for _, share in held))

    def together(self, first: float, second: float, padding: int | None) -> tuple[float, float]:
        """The share of people who hold two keys, and what reports show of it with a padding; all without one.

        Holders of m pairs keep both in ℓ(ℓ - 1) of m(m - 1) of their reports.
        """
        held = shown = 0.0
        for group in self._groups:
            both = group.share * self._crossing(group) * _chance(group, first) * _chance(group, second)
            kept = 1.0 if padding is None else padding * (padding - 1) / max(group.size * (group.size - 1), 1e-9)
            held, shown = held + both, shown + both * min(1.0, kept)
        return held, shown

    def _crossing(self, group: _Group) -> float:
        """By what the product of two chances is corrected: people with m pairs hold m(m - 1)/2 times two keys."""
        squares = math.fsum(block.width * _chance(group, 1 / block.middle) ** 2 for block in self._ranks)
        return max(group.size * (group.size - 1), 0.0) / max(group.size**2 - squares, PRECISION)


def _chance(group: _Group, popularity: float) -> float:
    return -math.expm1(-group.intensity * popularity)


def _intensity(size: float, keys: int, ranks: list[Block]) -> float:
    """The t of a size, by Newton's method from below: the sum is concave in t."""
    if size >= keys:
        return math.inf
    t = size / math.fsum(block.width / block.middle for block in ranks)
    for _ in range(MAX_STEPS):
        missed = [block.width * math.exp(-t / block.middle) for block in ranks]
        short = size - (keys - math.fsum(missed))
        slope = math.fsum(part / block.middle for part, block in zip(missed, ranks, strict=True))
        if short <= PRECISION * size or slope == 0:
            break
        t += short / slope
    return t
