"""Which frequencies differ between two rounds, at a stated false discovery rate (proofs/trends.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.errors import ParameterError
from pckv.estimators.intervals import GAUSSIAN_VARIANCE, two_sided_z
from pckv.estimators.results.trend import Changes
from pckv.estimators.trends.rounds import RoundCounts
from pckv.statistics.binomial import binomial_upper_tail
from pckv.statistics.detection import check_rate, discoveries
from pckv.statistics.moments import GAUSSIAN_NOISE


@dataclass(frozen=True, eq=False)
class ComparedRounds:
    """The counts of all rounds, any two of which can be compared.

    Attributes:
        counts: The counts of the rounds that have reports, in order.
        names: The names of the keys.
        level: The level of the intervals.
    """

    counts: tuple[RoundCounts, ...]
    names: list[str]
    level: float

    def __call__(self, before: int, after: int, rate: float) -> Changes:
        """Compare two rounds by their numbers, as `Trend.compare` does."""
        by_number = {each.number: each for each in self.counts}
        for number in (before, after):
            if number not in by_number:
                raise ParameterError(f"there are no reports of round {number:,}")
        return compare(by_number[before], by_number[after], self.names, self.level, check_rate(rate))


def compare(before: RoundCounts, after: RoundCounts, names: list[str], level: float, rate: float) -> Changes:
    """Compare two rounds of the same keys.

    Args:
        before: The counts of one round.
        after: Those of a later one.
        names: The names of the keys.
        level: The level of the intervals.
        rate: The false discovery rate of the flags.
    """
    # Noise may take a difference beyond 1; the interval moves back with it, since cut off it would be narrow
    # or empty.
    change = np.clip(after.frequency - before.frequency, -1, 1)
    variance = sum(_variance(each, np.clip(each.frequency, 0, 1)) for each in (before, after))
    reach = two_sided_z(level) * np.sqrt(variance)
    p_value = _p_values(before, after)
    changed = discoveries(p_value, rate)
    return Changes(
        before=before.number,
        after=after.number,
        false_discovery_rate=rate,
        level=level,
        keys_compared=len(names),
        keys_changed=int(changed.sum()),
        key=names,
        change=change,
        change_low=np.clip(change - reach, -1, 1),
        change_high=np.clip(change + reach, -1, 1),
        p_value=p_value,
        changed=changed,
    )


def _variance(counts: RoundCounts, frequency: Floats) -> Floats:
    # Panels are disjoint, so that the errors of their choice are opposed: their difference is that of two
    # samples of a large population. With one panel all people report, and only those who are not asked for
    # the size are chosen.
    return counts.noise_variance(frequency, counts.moments.left_out if counts.panels == 1 else 1.0)


def _p_values(before: RoundCounts, after: RoundCounts) -> Floats:
    """Return the chances of differences as large where the frequency is the same in both rounds."""
    both = (before, after)
    reports = sum(each.pair_reports for each in both)
    common = np.clip(sum(each.frequency * (each.pair_reports / reports) for each in both), 0, 1)
    deviation = np.sqrt(sum(_variance(each, common) for each in both))
    z = np.abs(after.frequency - before.frequency) / deviation
    found = np.array([math.erfc(distance * math.sqrt(0.5)) for distance in z.tolist()])
    if all(each.moments.supports_once for each in both) and any(
        each.pair_reports * each.moments.noise < GAUSSIAN_NOISE for each in both
    ):
        counts = [each.support.total for each in both]
        few = counts[0] + counts[1] < GAUSSIAN_VARIANCE
        found[few] = _exact_p_values(counts[0][few], counts[1][few], after.pair_reports / reports)
    return found


def _exact_p_values(before: Integers, after: Integers, share: float) -> Floats:
    """Return those of few counts: given their sum, each is in the later round by the share of its reports."""
    counts = [each.astype(np.float64) for each in (before, after)]
    more = binomial_upper_tail(counts[1], counts[0] + counts[1], share)
    fewer = binomial_upper_tail(counts[0], counts[0] + counts[1], 1 - share)
    return np.asarray(np.minimum(2 * np.minimum(more, fewer), 1.0))
