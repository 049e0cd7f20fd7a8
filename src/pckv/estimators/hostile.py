"""Intervals that hold whatever a number of the reports say (proofs/hostile.md).

Any `hostile` of the reports may be hostile, and it is not known which. What they add to a key's counts is
bounded, and so are the counts of the others. An interval here holds all values that the honest reports alone
do not contradict, whichever they are.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import ParameterError
from pckv.estimators.intervals import (
    GAUSSIAN_VARIANCE,
    Interval,
    MeanInterval,
    exact_interval,
    people_of,
    reach_from_end,
    roots_of,
    score_limits,
    two_sided_z,
)
from pckv.mechanisms.base import CountLaw
from pckv.statistics.detection import Detection
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments, Scale
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport

# A number of reports, or a share of them in percent.
_HOSTILE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)%|([0-9]{1,18})")


def count_hostile(hostile: int | str, reports: int) -> int:
    """Return how many reports may be hostile: a number, or a share of all such as "1%", rounded up.

    Where there are no reports none is hostile.

    Raises:
        ParameterError: if it is neither, or if no report would be left.

    >>> count_hostile(20, 1000), count_hostile("20", 1000), count_hostile("0.15%", 1000)
    (20, 20, 2)
    """
    found = _number_of(hostile, reports)
    if found is None:
        raise ParameterError(f"hostile reports must be a number such as 100, or a share such as 1%, not {hostile!r}")
    if not reports:
        return 0
    if found and found >= reports:
        raise ParameterError(f"hostile reports must be fewer than all reports: {found:,} of {reports:,} leave none")
    return found


def _number_of(hostile: object, reports: int) -> int | None:
    if isinstance(hostile, str):
        match = _HOSTILE.fullmatch(hostile)
        if match is None:
            return None
        share, number = match.groups()
        return int(number) if share is None else math.ceil(Fraction(share) / 100 * reports)
    try:
        number = operator.index(hostile)  # type: ignore[arg-type]
    except TypeError:
        return None
    return None if isinstance(hostile, bool) or number < 0 else number


@dataclass(frozen=True)
class HonestReports:
    """What is known of the honest ones among some reports; at most `hostile`, and not all, are hostile.

    `least` and `most` are the moments of their count law with the least and the most noise that it may have.
    """

    reports: int
    hostile: int
    least: CountMoments
    most: CountMoments

    @classmethod
    def of(
        cls,
        count_laws: tuple[CountLaw, CountLaw],
        reports: int,
        hostile: int,
        others: int,
        scale: Scale | None = None,
    ) -> HonestReports:
        """Return the honest ones of these reports, next to others that say nothing of the counts."""
        # With fewer honest reports, those that are left out are a larger share of the honest people.
        left_out = others / (reports - hostile + others)
        least, most = (_widest(CountMoments.of(count_law, left_out, scale)) for count_law in count_laws)
        return cls(reports, hostile, least, most)

    def on(self, scale: Scale) -> HonestReports:
        """Return the same reports with other values of the levels."""
        return replace(self, least=_widest(self.least.on(scale)), most=_widest(self.most.on(scale)))

    @property
    def max_supports(self) -> int:
        """How often one report can support a key: several times where it can support several levels."""
        return len(self.most.absent.numbers) - 1

    @classmethod
    def of_pairs(cls, tally: Tally, hostile: int) -> HonestReports | None:
        """Return those of a tally that are about pairs; None if all of them may be hostile."""
        reports = tally.pair_reports
        if hostile >= reports:
            return None
        scale = Scale.of_values(tally.task.level_values)
        return cls.of(tally.honest_laws(hostile), reports, hostile, tally.people - reports, scale)

    @property
    def fewest(self) -> int:
        """The number of honest reports if all others are hostile."""
        return self.reports - self.hostile

    @property
    def _laws(self) -> tuple[CountMoments, CountMoments]:
        return self.least, self.most

    def frequency_interval(self, support: KeySupport, level: float) -> Interval:
        """Return all frequencies among honest people that honest reports may not contradict at this level."""
        fewer, total = self._totals(support)
        lowest, highest = self._frequency(fewer, self.most), self._frequency(total, self.least)
        low = np.where(lowest <= 0, 0.0, self._score_limits(lowest, self.most, level)[0])
        high = np.where(highest >= 1, 1.0, self._score_limits(highest, self.least, level)[1])
        if self.fewest * self.least.noise < GAUSSIAN_NOISE:
            few = self._may_be_few(support)
            people = people_of(self.fewest, self.most)
            exact_low = exact_interval(fewer[few], self.fewest, self.most, level, people).low
            # The same number of holders is a smaller share of more honest people.
            low[few] = np.minimum(low[few], exact_low * self.fewest / self.reports)
            exact_high = exact_interval(total[few], self.fewest, self.least, level, people).high
            high[few] = np.maximum(high[few], exact_high)
        of_zero, of_one = self._end_variances
        width = self._width(min(self.least.signal, self.most.signal), level)
        low = np.minimum(low, 1 - reach_from_end(np.maximum(highest - 1, 0), of_one, width))
        high = np.maximum(high, reach_from_end(np.minimum(lowest, 0), of_zero, width))
        return Interval(np.clip(low, 0, 1), np.clip(high, 0, 1))

    def _totals(self, support: KeySupport) -> tuple[Integers, Integers]:
        """Return the least and the most supports that the honest reports may have."""
        total = support.total
        return np.maximum(total - self.max_supports * self.hostile, 0), total

    def _frequency(self, total: Integers, moments: CountMoments) -> Floats:
        return np.asarray((total / self.fewest - moments.noise) / moments.signal, np.float64)

    def _frequencies(self, support: KeySupport) -> list[Floats]:
        """Return estimates, among which are the least and the largest that the honest reports may give."""
        return [self._frequency(total, count_law) for total, count_law in product(self._totals(support), self._laws)]

    def _score_limits(self, estimate: Floats, moments: CountMoments, level: float) -> Interval:
        """Return score limits from the fewest honest reports, with the variance of all."""
        at_zero, at_one = self._end_variances
        return score_limits(estimate, self._width(moments.signal, level), at_zero, at_one - at_zero)

    @property
    def _end_variances(self) -> tuple[float, float]:
        """The variance of one report's supports of a key that no participant holds, and of one that all hold."""
        sampled = self.most.left_out * self.least.signal**2
        return self.most.absent.variance_sum, self.most.holder.variance_sum + sampled

    def _width(self, signal: float, level: float) -> float:
        return two_sided_z(level) ** 2 * self.reports / self.fewest**2 / signal**2

    def _may_be_few(self, support: KeySupport) -> Flags:
        """Return where the honest counts may be too few to be Gaussian."""
        variances = [
            moments.sum_variance(np.maximum(frequency, 0))
            for frequency, moments in product(self._frequencies(support), self._laws)
        ]
        return np.asarray(self.fewest * np.minimum.reduce(variances) < GAUSSIAN_VARIANCE)

    def mean_interval(self, support: KeySupport, level: float) -> MeanInterval:
        """Return the hull of all means that honest reports may not contradict at this level.

        For every mean weight w, T - κ·w·(S - noise) of the honest reports lies between its values at the
        corners of what hostile reports can add; a mean is accepted if some value in between is small enough.
        An end of the range is also accepted where the data point beyond it, and means as near to it as its own
        error at least. Keys without values have no means, and nothing is computed of them.
        """
        if not self.most.has_means:
            nothing = np.zeros(support.total.size)
            return MeanInterval(nothing, nothing, np.zeros(nothing.size, np.bool_))
        constant, slope = self._ratio_variance(support)
        width = two_sided_z(level) ** 2 * self.reports
        scale = self.most.scale
        ends = scale.low - scale.centre, scale.high - scale.centre
        corners = list(self._corners(support))
        inside = np.concatenate(
            [
                roots_of(expected**2 - width * slope, -2 * difference * expected, difference**2 - width * constant)
                for difference, expected in corners
            ]
        )
        not_above, not_below, reach = [], [], []
        least_expected = _least_size([expected for _, expected in corners])
        for end in ends:
            at_end = [difference - end * expected for difference, expected in corners]
            allowed = np.sqrt(np.maximum(width * (constant + slope * end**2), 0))
            not_above.append(np.minimum.reduce(at_end) <= allowed)
            not_below.append(np.maximum.reduce(at_end) >= -allowed)
            beyond = np.minimum.reduce(at_end) < 0 if end < 0 else np.maximum.reduce(at_end) > 0
            with np.errstate(divide="ignore"):
                reach.append(np.where(beyond, np.minimum(allowed / least_expected, ends[1] - ends[0]), 0.0))
        is_mean = (inside >= ends[0]) & (inside <= ends[1])
        low = np.where(not_above[0], ends[0], np.where(is_mean, inside, ends[1]).min(axis=0))
        high = np.where(not_below[1], ends[1], np.where(is_mean, inside, ends[0]).max(axis=0))
        low, high = np.minimum(low, ends[1] - reach[1]), np.maximum(high, ends[0] + reach[0])
        accepted = is_mean.any(axis=0) | (not_above[0] & not_below[0]) | (not_above[1] & not_below[1])
        return MeanInterval(low + scale.centre, high + scale.centre, ~accepted)

    def _corners(self, support: KeySupport) -> Iterator[tuple[Floats, Floats]]:
        """Yield T, and what T would be for a mean weight of 1, at each corner of the honest reports."""
        scale = self.most.scale.weights
        # Several keys that are counted as one have each level several times.
        weights = sorted(scale * (self.max_supports // len(scale) or 1))
        # What one hostile report adds to S and T: any number of levels, those of the least weights or of the
        # largest.
        added = {
            (number, sum(some))
            for number in range(self.max_supports + 1)
            for some in (weights[:number], weights[len(weights) - number :])
        }
        weighted = support.weighted(self.most.scale.weights)
        for moments, (to_sum, to_difference) in product(dict.fromkeys(self._laws), sorted(added)):
            total = support.total - self.hostile * to_sum
            ratio = moments.contrast / moments.signal
            yield weighted - self.hostile * to_difference, ratio * (total - self.fewest * moments.noise)

    def _ratio_variance(self, support: KeySupport) -> tuple[Floats, Floats]:
        """Return the largest (V0, V2) of `CountMoments.ratio_variance` over all estimated frequencies.

        V1 is 0, since the levels are taken to be as spread as they can be.
        """
        estimates = self._frequencies(support)
        ends = np.minimum.reduce(estimates), np.maximum.reduce(estimates)
        frequencies = [np.maximum(end, 0) for end in ends]
        without_holders, held_by_all = (
            [moments.ratio_variance(frequency) for moments in self._laws] for frequency in (0.0, 1.0)
        )
        constant, slope = (
            np.maximum.reduce(
                [
                    f * held[part] + (1 - f) * absent[part]
                    for f in frequencies
                    for held in held_by_all
                    for absent in without_holders
                ]
            )
            for part in (0, 2)
        )
        return constant, slope

    def detected(self, support: KeySupport, detection: Detection) -> Flags:
        """Return whose counts are beyond what noise and hostile reports together give."""
        fewer, _ = self._totals(support)
        return detection.detected(fewer, self.fewest, self.most)

    def least_standard_error(self, support: KeySupport) -> Floats:
        """Return the least standard errors that the keys' own frequencies may have."""
        exact = replace(self.least, left_out=0.0)
        variances = [exact.frequency_variance(np.clip(f, 0, 1)) for f in self._frequencies(support)]
        return np.asarray(np.sqrt(np.minimum.reduce(variances) / self.reports))


def _least_size(corners: list[Floats]) -> Floats:
    """Return the least absolute values between the corners: 0 where these have both signs."""
    least, most = np.minimum.reduce(corners), np.maximum.reduce(corners)
    return np.asarray(np.maximum(np.maximum(least, -most), 0.0))


def _widest(moments: CountMoments) -> CountMoments:
    """Return the moments where levels are as spread as they can be, whatever their mean."""
    return replace(moments, spread=max(weight * weight for weight in moments.scale.weights))
