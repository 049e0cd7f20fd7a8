"""When frequencies changed: all neighbouring windows of rounds, tested together (proofs/trends.md).

A comparison is that of two windows, each of 1, 2, 4, … rounds in a row, where the second begins after the first.
A key is flagged by its clearest comparison, allowing for how many there are per key (Bonferroni) and for all keys
(Benjamini and Hochberg). Of the comparisons of a flagged key that stand out at that limit, the narrowest say
when it changed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.estimators.intervals import GAUSSIAN_VARIANCE, two_sided_z
from pckv.estimators.results.changes import Changes, KeyChange, SeenChange
from pckv.estimators.trends.rounds import RoundCounts
from pckv.statistics.binomial import binomial_upper_tail
from pckv.statistics.detection import DETECTION_POWER, discoveries, selected_level, third_moment
from pckv.statistics.moments import GAUSSIAN_NOISE

# Windows have at most this many rounds: longer ones would find slower changes, at the price of more comparisons.
MAX_WINDOW = 16
# Keys and comparisons are handled in parts of about this many numbers.
NUMBERS_AT_ONCE = 2**20
# A count that is not this many standard errors off is not computed exactly: it is no change.
MIN_EXACT = 2.0
# Beyond this many standard errors, chances are 0 in double precision.
_FURTHEST = 38.0
_BISECTIONS = 40
_TINY = 1e-300


class Comparisons(NamedTuple):
    """Pairs of windows by the places of rounds: from `start` up to `cut`, and from there up to `end`."""

    start: Integers
    cut: Integers
    end: Integers

    def at(self, places: Integers) -> Comparisons:
        """Return some of them."""
        return Comparisons(*(each[places] for each in self))


def neighbouring_windows(rounds: int) -> Comparisons:
    """Return all pairs of windows of 1, 2, 4, … of this many rounds, of which one follows the other.

    >>> [each.tolist() for each in neighbouring_windows(3)]
    [[0, 1, 0, 0], [1, 2, 1, 2], [2, 3, 3, 3]]
    """
    widths = [2**power for power in range(MAX_WINDOW.bit_length()) if 2**power < rounds]
    found = [
        (start, start + before, start + before + after)
        for before, after in product(widths, widths)
        for start in range(rounds - before - after + 1)
    ]
    return Comparisons(*np.array(found, np.int64).reshape(-1, 3).T)


@dataclass(frozen=True, eq=False)
class ComparedCounts:
    """Sums over the rounds up to every one, of which a window is the difference of two.

    Attributes:
        counts: The rounds, in order.
        reports: How many reports are about pairs.
        frequency: By key, the sum of the unbiased frequencies of all reports.
        support: By key, how many supports there are.
        noise: The variances of frequencies by the mechanism, summed over reports: without holders, and how much
            more if all people hold the key.
        third: The same of third central moments.
        left_out: The share of people who are not asked, summed over reports.
    """

    counts: Sequence[RoundCounts]
    reports: Floats
    frequency: Floats
    support: Integers
    noise: Floats
    third: Floats
    left_out: Floats

    @classmethod
    def of(cls, counts: Sequence[RoundCounts]) -> ComparedCounts:
        """Sum up over rounds."""
        reports = np.array([each.pair_reports for each in counts], float)
        moments = [each.mechanism_moments for each in counts]
        variances = np.array([[each.frequency_variance(end) for end in (0.0, 1.0)] for each in moments])
        thirds = np.array(
            [[third_moment(law) / each.signal**3 for law in (each.absent, each.holder)] for each in moments]
        )
        left_out = [each.moments.left_out if each.panels == 1 else 1.0 for each in counts]
        return cls(
            counts,
            _sums(reports),
            _sums(np.stack([each.frequency for each in counts], axis=1) * reports),
            _sums(np.stack([each.support.total for each in counts], axis=1)),
            _sums(_from_zero(variances) * reports),
            _sums(_from_zero(thirds) * reports),
            _sums(np.array(left_out) * reports),
        )

    @cached_property
    def by_panel(self) -> Floats:
        """The roots of the numbers of reports, summed up by panel."""
        panels = self.counts[0].panels
        roots = np.zeros((panels, len(self.counts)))
        for place, each in enumerate(self.counts):
            roots[each.number % panels, place] = math.sqrt(each.pair_reports)
        return _sums(roots)

    def compare(self, at: Comparisons, keys: slice | list[int] = slice(None)) -> WindowPairs:
        """Return what some comparisons have of some keys."""
        before, after = (
            Window(
                reports := _between(self.reports, *ends),
                _between(self.frequency[keys], *ends) / reports,
                _between(self.support[keys], *ends),
                _between(self.noise, *ends) / reports**2,
                _between(self.third, *ends) / reports**3,
                _between(self.left_out, *ends) / reports**2,
            )
            for ends in ((at.start, at.cut), (at.cut, at.end))
        )
        fresh = before.sampling + after.sampling
        if self.counts[0].panels == 1:
            return WindowPairs(before, after, np.ones_like(fresh))
        # The people of a panel return with it, or are others: the error of choosing them is the same in all of
        # its rounds, or in none.
        of_panels = [
            _between(self.by_panel, *ends) / window.reports
            for window, ends in ((before, (at.start, at.cut)), (after, (at.cut, at.end)))
        ]
        returning = ((of_panels[0] - of_panels[1]) ** 2).sum(axis=0)
        return WindowPairs(before, after, np.maximum(returning / fresh, 1.0))

    @property
    def is_few(self) -> bool:
        """Whether counts may be so few that they are not normal, and are binomial."""
        return all(each.moments.supports_once for each in self.counts) and any(
            each.pair_reports * each.moments.noise < GAUSSIAN_NOISE for each in self.counts
        )

    def distances(self, at: Comparisons, keys: slice | list[int] = slice(None)) -> Floats:
        """Return by how many standard errors two windows differ, by key and comparison."""
        pairs = self.compare(at, keys)
        found = pairs.distances()
        if self.is_few:
            total = pairs.before.support + pairs.after.support
            few = (total < GAUSSIAN_VARIANCE) & (found > MIN_EXACT)
            share = np.broadcast_to(pairs.after.reports / (pairs.before.reports + pairs.after.reports), few.shape)
            exact = exact_p_values(pairs.before.support[few], pairs.after.support[few], share[few])
            found[few] = [_distance(p_value) for p_value in exact.tolist()]
        return found


def _sums(values: np.ndarray) -> np.ndarray:
    """Return sums over the rounds before every one, and over all."""
    start = np.zeros((*values.shape[:-1], 1), values.dtype)
    return np.concatenate([start, np.cumsum(values, axis=-1)], axis=-1)


def _between(sums: np.ndarray, start: Integers, end: Integers) -> np.ndarray:
    return np.asarray(sums[..., end] - sums[..., start])


def _from_zero(ends: Floats) -> Floats:
    """Return what a number is at 0, and by how much more at 1, in rows, given both in columns."""
    return np.stack([ends[:, 0], ends[:, 1] - ends[:, 0]])


class Window(NamedTuple):
    """One side of comparisons, by key and comparison: frequencies, counts, and what makes their errors."""

    reports: Floats
    frequency: Floats
    support: Integers
    noise: Floats
    third: Floats
    sampling: Floats

    def variance(self, frequency: Floats, returning: Floats) -> Floats:
        """Return the variance of a frequency where this is the true one."""
        of_choice = self.sampling * returning * frequency * (1 - frequency)
        return np.asarray(self.noise[0] + self.noise[1] * frequency + of_choice)

    def third_moment(self, frequency: Floats) -> Floats:
        """Return the third central moment of a frequency where this is the true one."""
        of_choice = self.sampling / self.reports * frequency * (1 - frequency) * (1 - 2 * frequency)
        return np.asarray(self.third[0] + self.third[1] * frequency + of_choice)


class WindowPairs(NamedTuple):
    """Both sides of comparisons, and by how much people who return make the error of choosing them larger."""

    before: Window
    after: Window
    returning: Floats

    @property
    def change(self) -> Floats:
        """The differences of unbiased frequencies."""
        return self.after.frequency - self.before.frequency

    @property
    def common(self) -> Floats:
        """The frequency that both windows together have."""
        before, after = self.before, self.after
        total = before.frequency * before.reports + after.frequency * after.reports
        return np.clip(total / (before.reports + after.reports), 0, 1)

    def distances(self) -> Floats:
        """Return differences in standard errors, less what the skewness of the counts explains."""
        common = self.common
        deviation = np.sqrt(sum(each.variance(common, self.returning) for each in (self.before, self.after)))
        distance = np.abs(self.change) / deviation
        third = self.after.third_moment(common) - self.before.third_moment(common)
        # The far tail of a skewed law is heavier on one side (Cornish and Fisher); on the other it is lighter,
        # which is not used. Beyond 3 / skewness the formula falls again.
        skewness = np.maximum(np.sign(self.change) * third / deviation**3, _TINY)
        valid = np.minimum(distance, 3 / skewness)
        return np.where(valid > 1, valid - skewness * (valid**2 - 1) / 6, distance)

    def interval(self, level: float) -> tuple[Floats, Floats, Floats]:
        """Return differences and their limits.

        Noise may take a difference beyond 1; the interval moves back with it, since cut off it would be narrow
        or empty.
        """
        change = np.clip(self.change, -1, 1)
        variance = sum(
            each.variance(np.clip(each.frequency, 0, 1), self.returning) for each in (self.before, self.after)
        )
        reach = two_sided_z(level) * np.sqrt(variance)
        return change, np.clip(change - reach, -1, 1), np.clip(change + reach, -1, 1)

    def smallest_change(self, frequency: Floats, distance: float) -> Floats:
        """Return the least change from a frequency that is this many standard errors four times out of five.

        At most 1, where no change is. Both directions are considered, as far as they are possible.
        """
        ends = [self._smallest(frequency, distance, sign) for sign in (1, -1)]
        possible = [1 - frequency, frequency]
        seen = [end <= most for end, most in zip(ends, possible, strict=True)]
        # Where none in a direction is seen so often, that is said of changes larger than any in it.
        least = np.maximum(*(np.minimum(end, most) for end, most in zip(ends, possible, strict=True)))
        return np.where(seen[0] | seen[1], least, 1.0)

    def _smallest(self, frequency: Floats, distance: float, sign: int) -> Floats:
        share = self.after.reports / (self.before.reports + self.after.reports)
        power = NormalDist().inv_cdf(DETECTION_POWER)

        def is_seen(change: Floats) -> Flags:
            later = np.clip(frequency + sign * change, 0, 1)
            common = frequency + share * (later - frequency)
            tested = sum(each.variance(common, self.returning) for each in (self.before, self.after))
            varies = self.before.variance(frequency, self.returning) + self.after.variance(later, self.returning)
            return np.asarray(change >= distance * np.sqrt(tested) + power * np.sqrt(varies))

        low, high = np.zeros_like(frequency), np.full_like(frequency, 2.0)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            seen = is_seen(middle)
            low, high = np.where(seen, low, middle), np.where(seen, middle, high)
        return high


def exact_p_values(before: Integers, after: Integers, share: Floats) -> Floats:
    """Return those of few counts: given their sum, each is in the later window by the share of its reports."""
    counts = [each.astype(np.float64) for each in (before, after)]
    more = binomial_upper_tail(counts[1], counts[0] + counts[1], share)
    fewer = binomial_upper_tail(counts[0], counts[0] + counts[1], 1 - share)
    return np.asarray(np.minimum(2 * np.minimum(more, fewer), 1.0))


def _distance(p_value: float) -> float:
    """Return how many standard errors have this chance, on both sides."""
    return -NormalDist().inv_cdf(p_value / 2) if p_value > _TINY else _FURTHEST


def find_changes(
    counts: Sequence[RoundCounts], names: list[str], frequency: Floats, level: float, rate: float, *, all_keys: bool
) -> Changes:
    """Return which keys changed over some rounds, and when.

    Args:
        counts: The rounds, at least two.
        names: The keys.
        frequency: Their frequencies in the last round, which tell how small a change is seen.
        level: The level of the intervals.
        rate: The false discovery rate.
        all_keys: Whether there is a row for every key, rather than for every change: of two rounds.
    """
    sums, windows = ComparedCounts.of(counts), neighbouring_windows(len(counts))
    per_key, keys = windows.start.size, len(names)
    clearest = np.concatenate([sums.distances(windows, part).max(axis=1) for part in _parts(keys, per_key)])
    p_value = np.minimum([math.erfc(distance * math.sqrt(0.5)) * per_key for distance in clearest.tolist()], 1.0)
    changed = discoveries(p_value, rate)
    flagged = int(changed.sum())
    selected = selected_level(level, flagged, keys * per_key)
    places = _located(sums, windows, changed, _distance(rate * flagged / (keys * per_key)) if flagged else 0.0)
    if all_keys:
        places = [(key, 0) for key in range(keys)]
    alone = _distance(rate / (keys * per_key))
    smallest = [
        (place, sums.compare(windows.at(np.array([place]))).smallest_change(frequency[:, None], alone)[:, 0])
        for place in _told(sums, windows, frequency)
    ]
    return Changes(
        first=counts[0].number,
        last=counts[-1].number,
        comparisons=per_key,
        false_discovery_rate=rate,
        level=level,
        changed_level=selected,
        keys_compared=keys,
        keys_changed=flagged,
        seen=tuple(SeenChange(*_numbers(counts, windows, place), float(of_keys.max())) for place, of_keys in smallest),
        key=names,
        p_value=p_value,
        changed=changed,
        smallest_change=smallest[0][1],
        rows=tuple(
            KeyChange(names[key], *_numbers(counts, windows, place), *interval, bool(changed[key]))
            for (key, place), interval in zip(
                places, _intervals(sums, windows, places, np.where(changed, selected, level)), strict=True
            )
        ),
    )


def _parts(keys: int, per_key: int) -> Iterator[slice]:
    size = max(1, NUMBERS_AT_ONCE // per_key)
    return (slice(start, start + size) for start in range(0, keys, size))


def _located(sums: ComparedCounts, windows: Comparisons, changed: Flags, limit: float) -> list[tuple[int, int]]:
    """Return the changes of flagged keys: the narrowest comparisons beyond a limit that share no step."""
    found, flagged = [], np.flatnonzero(changed).tolist()
    rows = (row for part in _parts(len(flagged), windows.cut.size) for row in sums.distances(windows, flagged[part]))
    for key, distances in zip(flagged, rows, strict=True):
        passed = np.flatnonzero(distances >= limit)
        width = (windows.end - windows.start)[passed]
        chosen: list[int] = []
        for place in passed[np.lexsort((-distances[passed], width))].tolist():
            if all(
                windows.end[place] <= windows.start[other] + 1 or windows.end[other] <= windows.start[place] + 1
                for other in chosen
            ):
                chosen.append(place)
        found += [(key, place) for place in sorted(chosen, key=lambda place: windows.start[place])]
    return found


def _told(sums: ComparedCounts, windows: Comparisons, frequency: Floats) -> list[int]:
    """Return the comparisons with the least error of the most frequent key: with the last round alone, and of all."""
    pairs, largest = sums.compare(windows, slice(0, 0)), float(np.clip(frequency.max(initial=0.0), 0, 1))
    variance = sum(each.variance(np.array(largest), pairs.returning) for each in (pairs.before, pairs.after))
    with_last = windows.cut == len(sums.counts) - 1
    return list(dict.fromkeys([int(np.argmin(np.where(with_last, variance, np.inf))), int(np.argmin(variance))]))


def _numbers(counts: Sequence[RoundCounts], windows: Comparisons, place: int) -> tuple[int, int, int, int]:
    """Return the numbers of the first and last rounds of both windows."""
    start, cut, end = (int(each[place]) for each in windows)
    return counts[start].number, counts[cut - 1].number, counts[cut].number, counts[end - 1].number


def _intervals(
    sums: ComparedCounts, windows: Comparisons, places: Sequence[tuple[int, int]], levels: Floats
) -> list[tuple[float, float, float]]:
    """Return changes with their limits, each at the level of its key."""
    found: dict[tuple[int, int], tuple[float, float, float]] = {}
    same: dict[tuple[int, float], list[tuple[int, int]]] = {}
    for key, place in places:
        same.setdefault((place, float(levels[key])), []).append((key, place))
    for (place, level), rows in same.items():
        pairs = sums.compare(windows.at(np.array([place])), [key for key, _ in rows])
        limits = zip(*(each[:, 0].tolist() for each in pairs.interval(level)), strict=True)
        found |= dict(zip(rows, limits, strict=True))
    return [found[each] for each in places]
