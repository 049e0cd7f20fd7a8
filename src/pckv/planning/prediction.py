"""The squared errors that method `corrected` will have, clipping included: what `auto` compares.

For a key of frequency f and mean m among n users, the sum S and the weighted sum T of the counts of its
levels (`pckv.statistics.moments`; with two levels, n1 + n2 and n1 - n2) have means, variances and a
covariance that follow from the law of the mechanism. Given S the estimated mean is piecewise linear in T, so that
one integral is closed and the other a sum over S: over a grid of a Gaussian, or over the whole numbers where
S counts few reports.

With more than two levels the holders' values are taken to be as far apart as their mean allows, all at the
ends of the range: values that are closer together have no larger errors.

Also what errors are compared by, the least frequency that reports can tell, and the people needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

from pckv.base.errors import ParameterError
from pckv.base.stopping import check_stop
from pckv.mechanisms.base import CountLaw, Law
from pckv.mechanisms.derivation import Derivation, key_law
from pckv.statistics.detection import DEFAULT_FLAG_RATE, smallest_detected_frequency
from pckv.statistics.moments import CountMoments, Scale


def smallest_frequency(  # noqa: PLR0917
    law: Law,
    users: float,
    seen: float = 1,
    size_share: Fraction = Fraction(0),
    candidates: int | None = None,
    derivation: Derivation | None = None,
) -> float:
    """Return the least frequency that stands out from the noise four times out of five; at most 1.

    `seen` is the share of a frequency that reports show, `size_share` that of reports that answer the size
    question, and `candidates` how many hashed keys are asked for. Where items are derived, it is that of a key.
    """
    reports = max(1, math.floor(users * float(1 - size_share)))
    moments = CountMoments.of(key_law(law.count_law, derivation), float(size_share))
    if candidates is None:
        keys = law.keys if derivation is None else derivation.keys
        return smallest_detected_frequency(moments, reports, keys, seen)
    return smallest_detected_frequency(moments, reports, candidates, seen, rate=DEFAULT_FLAG_RATE)


def users_for(  # noqa: PLR0917
    law: Law,
    frequency: float,
    error: float,
    seen: float = 1.0,
    size_share: Fraction = Fraction(0),
    derivation: Derivation | None = None,
) -> int | None:
    """How many users bring the error of a frequency down to this; None if its bias is larger."""
    shown = frequency * seen
    allowed = error**2 - (frequency - shown) ** 2
    moments = CountMoments.of(key_law(law.count_law, derivation), float(size_share))
    variance = moments.frequency_variance(shown)
    return math.ceil(variance / allowed / float(1 - size_share)) if allowed > 0 else None


# Counts expected below this are summed one by one, where false supports are rare.
FEW_REPORTS = 30
RARE_NOISE = 0.1
# With more reports than this that support a key, their weighted sum is treated as Gaussian. Up to it, sums
# are kept apart if they differ by more than one cell, of which there are this many per half range.
FEW_SIGNS = 12
CELLS = 8
# The grid of a standard Gaussian.
GRID_STEPS = 24
GRID_END = 4.2
# Lines shorter than this, in standard deviations, are steps.
STEP = 1e-4
# Means are spread over [-1, 1], and errors are even in them where levels are symmetric: Gauss's two places of
# [0, 1]. More would see that means next to ±1 are clipped, which lowers every mechanism's error alike.
MEANS = (0.5 - math.sqrt(1 / 12), 0.5 + math.sqrt(1 / 12))


# By cell: the chance of sums of weights within it, and that chance times their mean.
_WeightedSums = dict[int, tuple[float, float]]


class SquaredErrors(NamedTuple):
    """Expected squared errors of a key's frequency and mean; the mean's is on [-1, 1]."""

    frequency: float
    mean: float


class ExpectedErrors(NamedTuple):
    """Their roots: how far off an estimate typically is."""

    frequency: float
    mean: float


def predicted_errors(  # noqa: PLR0917
    law: Law, users: float, frequency: float, seen: float = 1, left_out: float = 0, scale: Scale | None = None
) -> ExpectedErrors:
    """Return the errors to expect of a key of this frequency, as roots of the expected squares.

    `users` is the number of reports, and `left_out` the share of the people, chosen at random, whose reports
    are about something else. The levels are equally spaced unless a `scale` is given; the rest is `predict`'s.
    """
    return expected_errors(CountMoments.of(law.count_law, left_out, scale), users, frequency, seen)


def expected_errors(moments: CountMoments, users: float, frequency: float, seen: float = 1) -> ExpectedErrors:
    """Return the same from the moments of a key's counts."""
    squares = predict(moments, users, frequency, seen)
    return ExpectedErrors(math.sqrt(squares.frequency), math.sqrt(squares.mean))


class _Sum(NamedTuple):
    """One value of S and its weight: the unbiased frequency, and the law of the value sum given it."""

    weight: float
    frequency: float
    value: float
    deviation: float


def predict(moments: CountMoments, users: float, frequency: float, seen: float = 1.0) -> SquaredErrors:
    """Return the expected squared errors for a key of this frequency, its mean anywhere on [-1, 1].

    Of keys without values, the error of the mean is 0. `seen` is the share of the frequency that reports show: less
    than all where the padding is too short.
    """
    check_stop()
    shown = frequency * seen
    holders = users * shown * moments.holder.mean_sum
    few = moments.noise < RARE_NOISE and users * moments.noise < FEW_REPORTS and holders < FEW_REPORTS
    sums = _few_sums if few else _gaussian_sums
    means = MEANS if moments.scale.is_symmetric else (*MEANS, *(-mean for mean in MEANS))
    if not moments.has_means:
        means = (0.0,)
    frequency_error = mean_error = 0.0
    for mean in means:
        for point in sums(moments, users, shown, mean):
            clipped = min(max(point.frequency, 1 / users), 1.0)
            frequency_error += point.weight * (clipped - frequency) ** 2
            if moments.has_means:
                mean_error += point.weight * _mean_error(point, clipped, mean)
    return SquaredErrors(frequency_error / len(means), mean_error / len(means))


def _gaussian_sums(moments: CountMoments, users: float, f: float, m: float) -> Iterator[_Sum]:
    """S on a grid; T given S."""
    contrast, covariance = moments.contrast, moments.covariance(f, m) / users
    variance = moments.sum_variance(f) / users
    slope = covariance / variance
    rest = moments.difference_variance(f, m) / users - slope * covariance
    deviation, given = math.sqrt(variance), math.sqrt(max(rest, 0.0)) / contrast
    centre, values = moments.scale.centre, f * moments.weight(m)
    for z, weight in _GRID:
        moved = z * deviation
        unbiased = f + moved / moments.signal
        yield _Sum(weight, unbiased, values + slope * moved / contrast + centre * unbiased, given)


def _few_sums(moments: CountMoments, users: float, f: float, m: float) -> Iterator[_Sum]:
    """S counts a Poisson number of false supports and a binomial one of holders'; T adds up their weights."""
    false, true = users * (1 - f) * moments.noise, users * f * moments.holder.mean_sum
    trials, scale = max(1, round(users * f)), moments.scale
    shares = _support_shares(moments, true / (false + true), m)
    mean = sum(share * weight for share, weight in zip(shares, scale.weights, strict=True))
    square = sum(share * weight**2 for share, weight in zip(shares, scale.weights, strict=True))
    unit = 1 / (users * moments.contrast)
    most = math.ceil(false + true + 5 * math.sqrt(false + true) + 6)
    sums: _WeightedSums = {0: (1.0, 0.0)}
    for count, chance in enumerate(_sum_chances(false, trials, min(true / trials, 1.0), most)):
        unbiased = (count / users - moments.noise) / moments.signal
        offset = scale.centre * unbiased
        if count > FEW_SIGNS:
            deviation = unit * math.sqrt(count * (square - mean**2))
            yield _Sum(chance, unbiased, unit * count * mean + offset, deviation)
            continue
        for part, total in sums.values():
            if part:
                yield _Sum(chance * part, unbiased, unit * total / part + offset, 0.0)
        sums = _with_one_more(sums, shares, scale.weights)


def _support_shares(moments: CountMoments, true: float, m: float) -> list[float]:
    """Return how often a support is one of each level, a share `true` of all supports being the holders'."""
    levels, scale = moments.levels, moments.scale
    if not moments.has_means:
        return [1.0]
    # All holders' values are at the ends of the range.
    at_ends = {0: (scale.high - m) / (scale.high - scale.low), levels - 1: 0.0}
    at_ends[levels - 1] = 1 - at_ends[0]
    own = true * moments.contrast / moments.holder.mean_sum
    return [(1 - own) / levels + own * at_ends.get(level, 0.0) for level in range(levels)]


def _with_one_more(sums: _WeightedSums, shares: Sequence[float], weights: Sequence[float]) -> _WeightedSums:
    """Return the law of sums of one more weight; cells keep the mean of what falls into them."""
    found: _WeightedSums = {}
    for (part, total), (share, weight) in product(sums.values(), zip(shares, weights, strict=True)):
        chance, more = part * share, (total + part * weight) * share
        cell = round(CELLS * more / chance) if chance else 0
        before, before_total = found.get(cell, (0.0, 0.0))
        found[cell] = before + chance, before_total + more
    return found


def _sum_chances(poisson: float, trials: int, chance: float, most: int) -> list[float]:
    """The chances of 0, 1, … for a Poisson number and a binomial one together."""
    first, second = [math.exp(-poisson)], [(1 - chance) ** trials]
    for count in range(most):
        first.append(first[-1] * poisson / (count + 1))
        odds = chance / (1 - chance) if chance < 1 else 0.0
        second.append(second[-1] * max(trials - count, 0) / (count + 1) * odds)
    if chance == 1:
        second[min(trials, most)] = 1.0
    return [sum(first[part] * second[count - part] for part in range(count + 1)) for count in range(most + 1)]


def _mean_error(point: _Sum, clipped: float, mean: float) -> float:
    """E(m̂ - m)² where m̂ = (n̂1 - n̂2)/f̂ and n̂1, n̂2 = (frequency ± value)/2 are clipped to [0, f̂].

    m̂ is an odd function of the value: straight lines between ±inner and ±outer, and ±1 beyond.
    """
    _, frequency, value, deviation = point
    knots: Sequence[tuple[float, float]] = ((-frequency, -1.0), (frequency, 1.0))
    if frequency != clipped:
        inner, outer = sorted((abs(frequency), abs(2 * clipped - frequency)))
        middle = inner / clipped if 0 <= frequency <= 2 * clipped else 0.0
        knots = ((-outer, -1.0), (-inner, -middle), (inner, middle), (outer, 1.0))
    if deviation == 0:
        return (_interpolated(knots, value) - mean) ** 2
    return _squared_lines([((place - value) / deviation, height - mean) for place, height in knots])


def _interpolated(knots: Sequence[tuple[float, float]], place: float) -> float:
    """The value of straight lines through knots, constant beyond them."""
    if place <= knots[0][0]:
        return knots[0][1]
    for (left, low), (right, high) in pairwise(knots):
        if place < right:
            return low + (high - low) * (place - left) / (right - left)
    return knots[-1][1]


def _squared_lines(knots: Sequence[tuple[float, float]]) -> float:
    """The expected square, at a standard Gaussian place, of straight lines through knots."""
    below = [math.erfc(-place * _ROOT_HALF) / 2 for place, _ in knots]
    density = [_DENSITY * math.exp(-place * place / 2) for place, _ in knots]
    total = knots[0][1] ** 2 * below[0] + knots[-1][1] ** 2 * (1 - below[-1])
    for number, ((left, low), (right, high)) in enumerate(pairwise(knots)):
        if right - left > STEP:
            slope = (high - low) / (right - left)
            constant = low - slope * left
            total += (constant**2 + slope**2) * (below[number + 1] - below[number])
            total += 2 * constant * slope * (density[number] - density[number + 1])
            total += slope**2 * (left * density[number] - right * density[number + 1])
    return total


_ROOT_HALF = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)
_PLACES = [GRID_END * (2 * step + 1 - GRID_STEPS) / GRID_STEPS for step in range(GRID_STEPS)]
_WEIGHTS = [math.exp(-z * z / 2) for z in _PLACES]
_GRID = [(z, weight / sum(_WEIGHTS)) for z, weight in zip(_PLACES, _WEIGHTS, strict=True)]

# Both errors, one of them, or that of frequencies where a short padding may bias them.
OBJECTIVES = BOTH, FREQUENCY, MEAN, MSE = "both", "frequency", "mean", "mse"
# Who asks for frequencies may lose this factor of the mean's squared error, and the other way round.
MAX_TRADE_OFF = 1.02


class Objective(NamedTuple):
    """Which error counts, and for what population: n users, keys of one frequency, means anywhere.

    Levels are equally spaced unless a scale is given.
    """

    target: str
    users: int
    frequency: float
    scale: Scale | None = None

    def score(self, errors: SquaredErrors) -> float:
        """What mechanisms are compared by: one squared error, or the geometric mean of both."""
        if self.target == BOTH:
            return math.sqrt(errors.frequency * errors.mean)
        return errors.mean if self.target == MEAN else errors.frequency

    def loss(self, errors: SquaredErrors, ue: SquaredErrors, trade_off: float = MAX_TRADE_OFF) -> float:
        """What parameters are compared by: the error relative to ue's; of both, the one that loses more."""
        frequency, mean = errors.frequency / ue.frequency, errors.mean / ue.mean
        if self.target == BOTH:
            return max(frequency, mean)
        wanted, other = (mean, frequency) if self.target == MEAN else (frequency, mean)
        return wanted if other <= trade_off else math.inf

    def predict(self, count_law: CountLaw) -> SquaredErrors:
        """The errors of a law with this count law."""
        return predict(CountMoments.of(count_law, scale=self.scale), self.users, self.frequency)


def check_objective(target: str | None, *, has_values: bool = True) -> str:
    """Return an objective, by default that of all there is to estimate, or refuse what is not one.

    Keys without values have frequencies alone.
    """
    if target is None:
        return BOTH if has_values else FREQUENCY
    if target not in OBJECTIVES:
        raise ParameterError(f"objective {target!r} does not exist: choose from {', '.join(OBJECTIVES)}")
    if not has_values and target in {BOTH, MEAN}:
        raise ParameterError(f"objective {target!r} needs values: without them, choose from {FREQUENCY}, {MSE}")
    return target
