"""Which counts tell a key from one without holders, in plans and estimates alike (proofs/detection.md).

A key is detected if its count of supports has a chance of at most (1 - level)/2, shared among all keys of the
task, where no person holds the key. Of hashed keys, which have no list, those asked for are tested together
at a false discovery rate. Counts are sums of independent reports, each of which supports a number of the
key's levels.

`DEFAULT_FLAG_RATE` is that of flags in a table: hashed keys that are there, keys that changed between rounds.
Who reads them named the keys, and sees all of them with their intervals. What a discovery finds has a
stricter one, `DEFAULT_FOUND_RATE` in `planning/discovery.py`.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import ParameterError
from pckv.statistics.binomial import convolution_power
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments, SupportMoments

# The false discovery rate of flags where none is named.
DEFAULT_FLAG_RATE = 0.05
# The level of plans, and how often a frequency must be detected to count as one that stands out from the
# noise.
DETECTION_LEVEL = 0.95
DETECTION_POWER = 0.8
# The exact law is computed up to this many standard deviations above the expected count, and this many counts
# more.
_DEVIATIONS, _MORE_COUNTS = 12, 60
_MIN_CHANCE = 1e-100
_BISECTIONS = 60
# In how many equally likely parts the numbers of reports that are left after a size question are divided.
_QUANTILES = 20
# What a smooth bound allows for counts being whole numbers.
_WHOLE_COUNTS = 1.5


def detection_threshold(moments: CountMoments, reports: int, keys: int, level: float) -> int:
    """Return the least count of supports at which a key of a task with this many keys is detected."""
    return threshold_by_chance(moments, reports)(_one_sided(level) / keys)


def discovery_threshold(
    moments: CountMoments, reports: int, counts: Sequence[tuple[int, int]], level: float, rate: float
) -> int:
    """Return the least count at which keys that are tested together are detected (Benjamini and Hochberg).

    `counts` has every count of supports that some key has, from the largest on, and how many keys have at least
    that. A key is not detected where its own interval, of this level, reaches 0. Where no key is detected, the
    count is one that none of them has.
    """
    threshold = threshold_by_chance(moments, reports)
    (largest, _), (_, keys) = counts[0], counts[-1]
    found = (
        count
        for count, at_least in reversed(counts)
        if count >= threshold(min(rate * at_least / keys, _one_sided(level)))
    )
    return next(found, largest + 1)


def threshold_by_chance(moments: CountMoments, reports: int) -> Callable[[float], int]:
    """Return a function from a chance to the least count that a key without holders has at most as often."""
    if reports * moments.noise < GAUSSIAN_NOISE:
        return _exact_thresholds(moments.absent, reports)
    return partial(_gaussian_threshold, moments.absent, reports)


def false_chance(keys: int, rate: float | None = None) -> float:
    """Return how often a plan lets a single key without holders be detected, of this many that are tested."""
    alone = _one_sided(DETECTION_LEVEL)
    return alone / keys if rate is None else min(rate / keys, alone)


def _one_sided(level: float) -> float:
    """Return the chance that an interval of this level leaves out at one end."""
    return (1 - level) / 2


def smallest_detected_frequency(
    moments: CountMoments,
    expected_reports: float,
    keys: int,
    seen: float = 1.0,
    *,
    rate: float | None = None,
) -> float:
    """Return the least frequency that is detected four times out of five, at level 95 %; at most 1.

    Args:
        moments: The moments of the law's count law.
        expected_reports: The number of reports that will say something of pairs.
        keys: The number of keys of the task, or of those that are tested.
        seen: The share of a frequency that reports show: below 1 where the padding is too short.
        rate: Of hashed keys, the false discovery rate; as if this were the only key that is there.
    """
    reports, chance = max(1, round(expected_reports)), false_chance(keys, rate)
    exact = reports * moments.noise < GAUSSIAN_NOISE
    shown = (_fewest_holders if exact else _smallest_gaussian)(moments, reports, chance)
    return min(shown / seen, 1.0)


def joint_frequency(moments: CountMoments, expected_reports: float, chance: float, keys: int) -> float | None:
    """Return a frequency from which keys are detected all together, four times out of five; None if there is none.

    It is an upper bound that is never larger with more reports (proofs/light.md). The exact least frequency,
    `smallest_detected_frequency` of a single key, rises and falls as counts are whole numbers.

    Args:
        moments: The moments of the law's count law.
        expected_reports: The number of reports that will say something of pairs.
        chance: How often a single key without holders may be detected.
        keys: How many keys are to be detected together.
    """
    false, missed = -NormalDist().inv_cdf(chance), -NormalDist().inv_cdf((1 - DETECTION_POWER) / keys)
    absent, reports = moments.absent, expected_reports
    skewed = (false * false - 1) / 6 * third_moment(absent) / absent.variance_sum
    threshold = false * math.sqrt(reports * absent.variance_sum) + max(skewed, 0.0) + _WHOLE_COUNTS

    def is_detected(f: float) -> bool:
        spread = missed * math.sqrt(reports * moments.sum_variance(f))
        return reports * moments.signal * f >= threshold + spread

    return _least_frequency(is_detected) if is_detected(1.0) else None


@lru_cache(maxsize=8)
def _exact_thresholds(absent: SupportMoments, reports: int) -> Callable[[float], int]:
    deviation = math.sqrt(reports * absent.variance_sum)
    size = math.ceil(reports * absent.mean_sum + _DEVIATIONS * deviation) + _MORE_COUNTS
    # The chance of a count of at least 1, 2, …, from the largest on.
    at_least = [1 - chance for chance in accumulate(sum_chances(absent, reports, size))]

    def threshold(tail: float) -> int:
        found = bisect_left(at_least, -tail, key=operator.neg)
        return min(found + 1, size)

    return threshold


def _gaussian_threshold(absent: SupportMoments, reports: int, tail: float) -> int:
    """Return the normal quantile of the count, corrected for the skewness of its law (Cornish and Fisher)."""
    z, variance = -NormalDist().inv_cdf(tail), absent.variance_sum
    # The far tail of a skewed law is heavier than a normal one: uncorrected, 2,000 keys without holders would
    # have four times as many false detections as stated.
    skewness = third_moment(absent) / (variance * math.sqrt(variance * reports))
    quantile = z + (z * z - 1) * skewness / 6
    return math.ceil(reports * absent.mean_sum + quantile * math.sqrt(reports * variance) + 0.5)


def third_moment(support: SupportMoments) -> float:
    """Return the third central moment of one report's supports."""
    mean = support.mean_sum
    return sum(chance * (count - mean) ** 3 for count, chance in enumerate(support.numbers))


def _smallest_gaussian(moments: CountMoments, reports: int, chance: float) -> float:
    """Return the least frequency whose normal count reaches the threshold often enough."""
    threshold, power = threshold_by_chance(moments, reports)(chance), NormalDist().inv_cdf(DETECTION_POWER)

    def is_detected(f: float) -> bool:
        margin = reports * moments.sum_mean(f) - (threshold - 0.5)
        return margin >= power * math.sqrt(reports * moments.sum_variance(f))

    return _least_frequency(is_detected)


def _least_frequency(is_detected: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high


def _fewest_holders(moments: CountMoments, reports: int, chance: float) -> float:
    """Return the least share, a whole number of holders, whose count reaches the threshold often enough."""
    people = round(reports / (1 - moments.left_out))
    missed = missed_rates(moments, people, chance)

    def is_detected(holders: int) -> bool:
        return missed(holders) <= 1 - DETECTION_POWER

    return (1 + bisect_left(range(1, people), x=True, key=is_detected)) / people


def missed_rates(moments: CountMoments, people: int, chance: float) -> Callable[[int], float]:
    """Return a function from the number of holders of a key, of this many people, to how often it is not detected.

    Where some people, chosen at random, report something else, they support nothing, and the threshold is that
    of the number of reports that are left. `chance` is how often a key without holders may be detected.
    """
    asked = moments.left_out
    thresholds = np.array([threshold_by_chance(moments, each)(chance) for each in _likely_reports(people, asked)])
    holder, absent = (_with_silent(each, asked) for each in (moments.holder, moments.absent))

    def missed(holders: int) -> float:
        size = int(thresholds.max())
        own, false = sum_chances(holder, holders, size), sum_chances(absent, people - holders, size)
        below = np.cumsum(np.convolve(own, false)[:size])
        return float(below[thresholds - 1].mean())

    return missed


def _likely_reports(people: int, asked: float) -> list[int]:
    """Return equally likely numbers of reports that are left where each person is asked something else by chance."""
    if not asked:
        return [people]
    spread = NormalDist((1 - asked) * people, math.sqrt(asked * (1 - asked) * people))
    likely = (spread.inv_cdf((step + 0.5) / _QUANTILES) for step in range(_QUANTILES))
    return [min(max(round(each), 1), people) for each in likely]


def _with_silent(support: SupportMoments, asked: float) -> SupportMoments:
    """Return the supports of a report that is about something else with this chance: none then."""
    nothing, *numbers = support.numbers
    left = 1 - asked
    return replace(support, numbers=(asked + left * nothing, *(left * number for number in numbers)))


def sum_chances(support: SupportMoments, reports: int, size: int) -> list[float]:
    """Return the chances that all reports together support a key 0, 1, …, size - 1 times.

    They are the coefficients of (c0 + c1·x + … + cL·x^L)^n, each of which follows from the L before it. Up to
    n all terms of that are positive; beyond it differences would lose digits, and sums are convolved.
    """
    if size > reports + 1:
        return list(map(float, convolution_power(support.numbers, reports, size)))
    nothing, *numbers = support.numbers
    nothing = max(nothing, _MIN_CHANCE)
    found = [math.exp(reports * math.log(nothing))]
    for count in range(1, size):
        # Of one report's supports, from the last count before this one on.
        before = zip(range(1, count + 1), numbers, reversed(found), strict=False)
        total = sum((times * (reports + 1) - count) * chance * known for times, chance, known in before)
        found.append(max(total, 0.0) / (count * nothing))
    return found


class Detection(NamedTuple):
    """How keys are told from those without holders.

    Attributes:
        keys: How many keys are tested: all of the task, whichever of them are asked for; of hashed keys,
            which have no list, those asked for.
        level: That of the intervals. Where none of the keys has holders, the chance that one is detected is
            at most (1 - level)/2.
        rate: Of hashed keys, the false discovery rate instead: the share of keys without holders among those
            detected, on average, is at most this. None where keys are listed.
        known: Which keys are detected, where that was found before, at another level.
    """

    keys: int
    level: float
    rate: float | None = None
    known: Flags | None = None

    def detected(self, totals: Integers, reports: int, moments: CountMoments) -> Flags:
        """Return which counts of supports are beyond what noise alone gives."""
        if self.known is not None:
            return self.known
        if self.rate is None:
            threshold = detection_threshold(moments, reports, self.keys, self.level)
        else:
            counts, times = np.unique(totals, return_counts=True)
            at_least = list(zip(counts[::-1].tolist(), np.cumsum(times[::-1]).tolist(), strict=True))
            threshold = discovery_threshold(moments, reports, at_least, self.level, self.rate)
        return np.asarray(totals >= threshold)


def discoveries(p_values: Floats, rate: float, tested: int | None = None) -> Flags:
    """Return which of many hypotheses are refused at a false discovery rate (Benjamini and Hochberg).

    Args:
        p_values: The chances of what was seen, or of anything more unusual, where a hypothesis is true.
        rate: The false discovery rate.
        tested: How many hypotheses there are, where only those with small chances are given; by default as
            many as are.

    >>> discoveries(np.array([0.9, 0.001, 0.02, 0.03]), 0.05).tolist()
    [False, True, True, True]
    """
    ranked = np.sort(p_values)
    allowed = rate * np.arange(1, ranked.size + 1) / max(ranked.size if tested is None else tested, 1)
    passed = np.flatnonzero(ranked <= allowed)
    return np.asarray(p_values <= (ranked[passed[-1]] if passed.size else -1.0))


def selected_level(level: float, shown: int, tested: int) -> float:
    """Return the level of intervals that are shown because of what was detected (Benjamini and Yekutieli 2005).

    Of the intervals of this many `shown` among those `tested`, on average at most a share of 1 - level does not
    contain its number: the false coverage rate. Where nothing is shown, the level is that of a single one.

    >>> selected_level(0.95, 10, 1000)
    0.9995
    """
    return 1 - (1 - level) * max(shown, 1) / max(tested, 1)


def check_rate(rate: float) -> float:
    """Return a false discovery rate, or refuse what is none."""
    if not 0 < rate < 1:
        raise ParameterError(f"the false discovery rate must be above 0 and below 1, not {rate}")
    return rate
