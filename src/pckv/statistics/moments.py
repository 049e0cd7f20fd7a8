"""The exact moments of a key's counts, from the law of a mechanism: what estimators and plans compute with.

Everything takes plain numbers or numpy arrays alike and imports no numpy itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pckv.base.limits import ONE_LEVEL
from pckv.mechanisms.base import CountLaw, JointSupport, Support

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", float, "NDArray[np.float64]")

# The ratio of a report's mean square support to its mean support: 1 if it is never more than one.
SUPPORTS_ONCE = 1.02
# Levels that are symmetric up to this are so but for rounding.
SYMMETRY = 1e-9
# With fewer false supports expected per key than this, counts are not Gaussian.
GAUSSIAN_NOISE = 50


@dataclass(frozen=True, slots=True)
class Scale:
    """What each level counts for: its value on [-1, 1], or 1 or 0 where a share of the holders is asked for.

    A mean over holders is estimated from the weighted count T = Σ w_j·n_j with weights w that sum to 0: what
    each level counts for less the mean of all levels, the `centre`. `squares` is the sum of the squared
    weights.
    """

    values: tuple[float, ...]

    @property
    def centre(self) -> float:
        """The mean of all levels, each counted once."""
        return sum(self.values) / len(self.values)

    @property
    def weights(self) -> tuple[float, ...]:
        """What each level adds to T."""
        centre = self.centre
        return tuple(value - centre for value in self.values)

    @property
    def squares(self) -> float:
        """The sum of the squared weights."""
        return sum(weight * weight for weight in self.weights)

    @property
    def low(self) -> float:
        """The least that a level counts for."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The most that a level counts for."""
        return max(self.values)

    @property
    def is_symmetric(self) -> bool:
        """Whether the values are the same from either end, but for their signs: equally spaced ones are."""
        return all(abs(low + high) < SYMMETRY for low, high in zip(self.values, reversed(self.values), strict=True))

    @classmethod
    def of_values(cls, values: Sequence[float]) -> Scale:
        """Return the scale of a task's level values, from the least to the largest, on [-1, 1].

        A key without a value has one level, and no mean: its level counts for nothing.
        """
        low, high = values[0], values[-1]
        if len(values) == ONE_LEVEL:
            return cls((0.0,))
        return cls(tuple(2 * (value - low) / (high - low) - 1 for value in values))


def equal_scale(levels: int) -> Scale:
    """Return the scale of equally spaced levels."""
    return Scale.of_values(range(levels))


@dataclass(frozen=True, slots=True)
class SupportMoments:
    """Moments of one report's S, how many levels of a key it supports, and T, the sum of their weights.

    For a holder whose level has weight w the mean of T is `contrast`·w, that of T·S is `product`·w, and that
    of T² is `noise_square`·Σw² + `own_square`·w². `numbers` are the chances that S is 0, 1, ….
    """

    mean_sum: float
    mean_square_sum: float
    contrast: float
    product: float
    noise_square: float
    own_square: float
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, support: Support, repeats: int = 1) -> SupportMoments:
        """The moments of a law, rounded once from exact fractions.

        `repeats` of the law's levels have the same weight, and are counted together.
        """
        levels, own, other, own_and_other, two_others, numbers = support
        single, more = own + (levels - 1) * other, levels - 2
        pairs = (levels - 1) * (2 * own_and_other + more * two_others)
        return cls(
            mean_sum=float(single),
            mean_square_sum=float(single + pairs),
            contrast=float(own - other),
            product=float(own - other + more * (own_and_other - two_others)),
            noise_square=float(repeats * (other - two_others)),
            own_square=float(own - other - 2 * (own_and_other - two_others)),
            numbers=tuple(map(float, numbers)),
        )

    @property
    def variance_sum(self) -> float:
        """The variance of S."""
        return self.mean_square_sum - self.mean_sum**2


@dataclass(frozen=True, slots=True)
class CountMoments:
    """Means and variances, per report, of a key's counts, from the law of a mechanism.

    The population is fixed: a share f of the reports comes from holders of mean value m, on the `scale`.
    Where the spread of their values is unknown, all are taken to be m; how their levels are spread is
    `spread`, the mean of the squared weights of the holders' levels, or as large as their mean allows where
    that is None. `left_out` is the share of the people whose reports say nothing of their pairs, a random
    choice that adds the error of a sample. Frequencies add up to the `padding` at most, as far as reports
    show them.
    """

    holder: SupportMoments
    absent: SupportMoments
    scale: Scale
    left_out: float = 0.0
    spread: Any = None
    padding: int = 1

    @classmethod
    def of(cls, count_law: CountLaw, left_out: float = 0.0, scale: Scale | None = None) -> CountMoments:
        """The moments of a law's count law; levels are equally spaced unless a scale is given.

        Where the law is that of several keys as one, their levels are more than those of the scale.
        """
        scale = scale or equal_scale(count_law.holder.levels)
        repeats = count_law.holder.levels // len(scale.values)
        holder, absent = (SupportMoments.of(each, repeats) for each in (count_law.holder, count_law.absent))
        return cls(holder, absent, scale, left_out, padding=count_law.padding)

    def on(self, scale: Scale) -> CountMoments:
        """Return the moments of the same counts with other values of the levels."""
        return replace(self, scale=scale, spread=None)

    @property
    def levels(self) -> int:
        """How many levels a key has."""
        return len(self.scale.values)

    @property
    def has_means(self) -> bool:
        """Whether keys have values, and so means."""
        return self.levels > ONE_LEVEL

    @property
    def noise(self) -> float:
        """How often a report supports a level of a key that its sender lacks, summed over levels (b)."""
        return self.absent.mean_sum

    @property
    def supports_once(self) -> bool:
        """Whether a report almost never supports two levels of a key, so that sums are binomial."""
        return self.absent.mean_square_sum <= SUPPORTS_ONCE * self.absent.mean_sum

    @property
    def signal(self) -> float:
        """How much more often a holder supports their key than others do: (a - b)/ℓ."""
        return self.holder.mean_sum - self.absent.mean_sum

    @property
    def contrast(self) -> float:
        """How much of a holder's level shows: with two levels a(2p - 1)/ℓ."""
        return self.holder.contrast

    @property
    def square_if_absent(self) -> float:
        """The mean of T² for a person who does not hold the key."""
        return self.absent.noise_square * self.scale.squares

    def weight(self, mean: Number) -> Number:
        """What a mean is on the scale of the weights."""
        return mean - self.scale.centre

    def sum_mean(self, f: Number) -> Number:
        """The mean of S/n, S being the count of all levels."""
        return self.noise + self.signal * f

    def sum_variance(self, f: Number) -> Number:
        """n·Var of S/n."""
        # A sample of the holders varies by f(1 - f), here bounded by f: variances stay linear in f.
        of_sample = self.left_out * f * self.signal**2
        return f * self.holder.variance_sum + (1 - f) * self.absent.variance_sum + of_sample

    def largest_spread(self, weight: Number) -> Number:
        """The largest mean of squared weights that a mean weight of holders allows: all are at the ends."""
        low, high = min(self.scale.weights), max(self.scale.weights)
        return -low * high + (low + high) * weight

    def _squares(self) -> tuple[Any, float]:
        """(e0, e1): holders' levels of mean weight w have the mean squared weight e0 + e1·w, or at most that.

        Between two ends no values are spread more than those that are all at the ends.
        """
        if self.spread is not None:
            return self.spread, 0.0
        low, high = min(self.scale.weights), max(self.scale.weights)
        return -low * high, low + high

    def _holder_squares(self) -> tuple[Any, float]:
        """The mean of T² of a holder: constant, and slope in the mean weight."""
        constant, slope = self._squares()
        own = self.holder.own_square
        return self.holder.noise_square * self.scale.squares + own * constant, own * slope

    def difference_variance(self, f: Number, m: Number) -> Number:
        """n·Var of T/n."""
        weight = self.weight(m)
        constant, slope = self._holder_squares()
        held: Number = constant + slope * weight - (1 - self.left_out) * (self.contrast * weight) ** 2
        return f * held + (1 - f) * self.square_if_absent

    def covariance(self, f: Number, m: Number) -> Number:
        """n·Cov of S/n and T/n."""
        own = self.holder.product - self.contrast * self.holder.mean_sum
        return f * self.weight(m) * (own + self.left_out * self.signal * self.contrast)

    def frequency_variance(self, f: Number) -> Number:
        """n·Var f̂, the exact form: Theorem 4's plus the sampling step it misses."""
        return self.sum_variance(f) / self.signal**2

    def ratio_variance(self, f: Number) -> tuple[Number, Number, Number]:
        """(V0, V1, V2) such that n·Var(T̄ - κ·w·(S̄ - noise)) = V0 + V1·w + V2·w² for the mean weight w.

        κ is contrast/signal.
        """
        kappa, present = self.contrast / self.signal, self.holder
        held = (
            kappa**2 * present.variance_sum
            - 2 * kappa * (present.product - self.contrast * present.mean_sum)
            - self.contrast**2
        )
        constant, slope = self._holder_squares()
        return (
            f * constant + (1 - f) * self.square_if_absent,
            f * slope,
            f * held + (1 - f) * kappa**2 * self.absent.variance_sum,
        )

    def mean_variance(self, f: Number, m: Number) -> Number:
        """n·Var m̂ to first order, m̂ being a ratio of two noisy numbers."""
        constant, linear, square = self.ratio_variance(f)
        weight = self.weight(m)
        return (constant + linear * weight + square * weight * weight) / (self.contrast * f) ** 2


@dataclass(frozen=True, slots=True)
class JointMoments:
    """Covariances, per report, of the supports of two items: of a sender who holds both, one or neither.

    `signal` is how much more often an item is supported that its sender holds, and `left_out` the share of the people
    whose reports say nothing of their pairs, as in `CountMoments`.
    """

    both: float
    one: float
    neither: float
    signal: float
    left_out: float = 0.0

    @classmethod
    def of(cls, joint: JointSupport, left_out: float = 0.0) -> JointMoments:
        """The covariances of a law, rounded once from exact fractions."""
        both, one, neither, own, other = joint
        return cls(
            both=float(both - own * own),
            one=float(one - own * other),
            neither=float(neither - other * other),
            signal=float(own - other),
            left_out=left_out,
        )

    def covariance(self, first: Number, second: Number, shared: Number, levels: tuple[int, int] = (1, 1)) -> Number:
        """n·Cov of two estimated frequencies, given these and the share of people who hold both.

        `levels` are how many items the counts of each add up: of two keys with levels, a holder holds one each.
        """
        of_first, of_second = levels
        more_first, more_second = of_first - 1, of_second - 1
        both = self.both + (more_first + more_second) * self.one + more_first * more_second * self.neither
        first_only = of_second * (self.one + more_first * self.neither)
        second_only = of_first * (self.one + more_second * self.neither)
        neither = of_first * of_second * self.neither
        of_reports: Number = (
            shared * both
            + (first - shared) * first_only
            + (second - shared) * second_only
            + (1 - first - second + shared) * neither
        )
        # A sample of the people varies by f - f·g, bounded by f as for variances.
        return of_reports / self.signal**2 + self.left_out * shared
