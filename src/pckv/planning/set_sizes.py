"""How many pairs people hold, known or estimated by a pilot: what a padding is chosen from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Any, Protocol

from pckv.errors import ParameterError

# A pilot distinguishes sizes up to this. Half or twice as many lead to much the same paddings (docs/padding.md).
MAX_DISTINGUISHED_SIZE = 512
# It asks one person in ten, and at most this many: nobody who serves in it can serve in the main task.
PILOT_ONE_IN, MAX_PILOT_REPORTS = 10, 20_000
# Keys that matter are popular, and those are held by people with small sets more often than others are: the
# chance to hold one grows with the size to this power.
POPULARITY_POWER = 0.5
# How often they are held is not known yet: the k-th most frequent is taken to be held by a share like 1/(k + 8).
POPULAR_KEYS, FLAT_HEAD = 50, 8
MAX_SIZE, MAX_PEOPLE = 2**31, 1e15


class PilotEstimates(Protocol):
    """A pilot's estimates, as far as sizes are read off them."""

    @property
    def key(self) -> Sequence[str]:
        """The buckets."""

    @property
    def frequency_low(self) -> Iterable[float]:
        """The low ends of the intervals of their shares."""


class SetSizes:
    """A distribution of set sizes, from how many people (or what share of them) hold each number of pairs.

    >>> sizes = SetSizes({1: 600, 2: 300, 8: 100})
    >>> sizes.mean, sizes.percentile(0.9), round(sizes.shown_pair_share(2), 3)
    (2.0, 2, 0.7)
    """

    def __init__(self, people: Mapping[int, float]) -> None:
        counts = {check_size(size): _people(size, number) for size, number in people.items()}
        total = math.fsum(counts.values())
        if total == 0:
            raise ParameterError("sizes of nobody: there must be people")
        self._shares = [(size, number / total) for size, number in sorted(counts.items()) if number > 0]
        self.mean = math.fsum(size * share for size, share in self._shares)
        if self.mean == 0:
            raise ParameterError("sizes of people who hold no pair: there is nothing to collect")

    @classmethod
    def of_buckets(cls, shares: Iterable[tuple[str, float]]) -> SetSizes:
        """From the shares of a pilot's buckets, all of them: 0, 1, 2, 3-4, 5-8, …, the last one open (257+).

        Sizes are spread over a bucket log-uniformly, and over the open one as if it ended where the next would
        begin.

        >>> SetSizes.of_buckets([("0", 0.5), ("1", 0), ("2", 0.5), ("3+", 0)]).mean
        1.0
        """
        buckets = sorted((*_bounds(label), _people(label, share)) for label, share in shares)
        _check_whole([(start, end, is_open) for start, end, is_open, _ in buckets])
        people: dict[int, float] = {}
        for start, end, _, share in buckets:
            weights = {size: 1 / max(size, 1) for size in range(start, end + 1)}
            total = sum(weights.values())
            people |= {size: share * weight / total for size, weight in weights.items()}
        if not any(people.values()):
            raise ParameterError("no share of a bucket can be told from zero: the pilot needs more people")
        return cls(people)

    @classmethod
    def of_pilot(cls, estimates: PilotEstimates) -> SetSizes:
        """From a pilot's estimates, as far as they are sure: by the low ends of the shares' intervals.

        A few people with very many pairs decide on the mean size. Noise in the share of a large bucket must not
        look like them.
        """
        return cls.of_buckets(zip(estimates.key, map(float, estimates.frequency_low), strict=True))

    @classmethod
    def of(cls, given: SetSizes | Mapping[int, float] | PilotEstimates) -> SetSizes:
        """Whatever tells of sizes."""
        if isinstance(given, SetSizes):
            return given
        return cls(given) if isinstance(given, Mapping) else cls.of_pilot(given)

    @property
    def largest(self) -> int:
        """The largest size that anybody has."""
        return self._shares[-1][0]

    def at_most(self, most: int) -> SetSizes:
        """The same people, larger sets counted as this size."""
        people: dict[int, float] = {}
        for size, share in self._shares:
            people[min(size, most)] = people.get(min(size, most), 0.0) + share
        return SetSizes(people)

    def percentile(self, share: float) -> int:
        """Return the least size that this share of the people does not exceed."""
        reached = 0.0
        for size, part in self._shares:
            reached += part
            # Shares are rounded.
            if reached >= share - 1e-9:
                return size
        return self.largest

    def shown_pair_share(self, padding: int) -> float:
        """1 - τ: the share of all pairs that this padding keeps, and of a frequency on average over the keys."""
        return self._shown_share(padding, power=1)

    def seen(self, padding: int) -> float:
        """The share of a popular key's frequency that reports show with this padding."""
        return self._shown_share(padding, POPULARITY_POWER)

    def _shown_share(self, padding: int, power: float) -> float:
        """Somebody with |S| pairs shows each with weight min(1, ℓ/|S|), and holds a key with chance ∝ |S|^power."""
        holders = [(size, share * size**power) for size, share in self._shares if size > 0]
        shown = math.fsum(weight * min(1, padding / size) for size, weight in holders)
        return min(1.0, shown / math.fsum(weight for _, weight in holders))

    def popular_frequency(self, keys: int) -> float:
        """The root mean square of the frequencies that the most frequent keys may have.

        All frequencies sum to the mean size. The k-th largest of d is taken to be f = 1 - exp(-c/(k + 8)), where c/(k + 8)
        sums to the mean size.
        """
        scale = self.mean / math.log((keys + FLAT_HEAD + 0.5) / (FLAT_HEAD + 0.5))
        squares = [
            math.expm1(-scale / (rank + FLAT_HEAD)) ** 2 for rank in range(1, min(keys, POPULAR_KEYS) + 1)
        ]
        return math.sqrt(math.fsum(squares) / len(squares))

    def __repr__(self) -> str:
        return f"<SetSizes: {self.mean:.3g} pairs on average, 90 % of people at most {self.percentile(0.9)}>"


def check_size(size: Any) -> int:
    """Return a size, or refuse what is not one."""
    try:
        whole = index(size)
    except TypeError:
        whole = -1
    if not 0 <= whole <= MAX_SIZE:
        raise ParameterError(f"a size must be a whole number of at least 0 and at most 2^31, not {size!r}")
    return whole


def _people(size: Any, number: Any) -> float:
    try:
        value = float(number)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not 0 <= value <= MAX_PEOPLE:
        raise ParameterError(f"size {size}: people must be at least 0 and at most 10^15, not {number!r}")
    return value


def _bounds(label: Any) -> tuple[int, int, bool]:
    """The least and the largest size of a bucket, and whether it is open."""
    found = re.fullmatch(r"([0-9]{1,5})(?:-([0-9]{1,5})|(\+))?", str(label))
    if found is None:
        raise ParameterError(f"{label!r} is not a bucket of sizes such as 2, 3-4 or 257+")
    start, is_open = int(found[1]), found[3] is not None
    # The open bucket would end, as all others do, at twice the end of the one before.
    end = max(start, 2 * (start - 1)) if is_open else int(found[2] or start)
    return start, end, is_open


def _check_whole(buckets: Sequence[tuple[int, int, bool]]) -> None:
    """A part of a pilot's table is no distribution, and keys that are numbers are no sizes."""
    starts = [start for start, _, _ in buckets]
    wanted = [0, *(end + 1 for _, end, _ in buckets[:-1])]
    if starts != wanted or [start for start, _, is_open in buckets if is_open] != starts[-1:]:
        raise ParameterError("a pilot has all buckets: 0, 1, 2, 3-4 and so on, the last one open (257+)")
