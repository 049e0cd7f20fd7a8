"""The exact moments of a key's counts, from the channel's law: what estimators and plans compute with.

Everything takes plain numbers or numpy arrays alike and imports no numpy itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from pckv.channels import CountLaw, Support

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", float, "NDArray[np.float64]")
Chance = TypeVar("Chance", float, Fraction)

# The ratio of a report's mean square support to its mean support: 1 if it is never more than one.
SUPPORTS_ONCE = 1.02
# With fewer false supports expected per key than this, counts are not Gaussian.
GAUSSIAN_NOISE = 50


@dataclass(frozen=True, slots=True)
class SupportMoments:
    """Moments of one report's S = n1 + n2 and T = n1 - n2 for one key."""

    mean_sum: float
    mean_square_sum: float
    mean_difference: float
    mean_square_difference: float

    @classmethod
    def of(cls, support: Support) -> SupportMoments:
        """The moments of a law, rounded once from exact fractions."""
        return cls.of_chances(support.plus, support.minus, support.both)

    @classmethod
    def of_chances(cls, plus: Chance, minus: Chance, both: Chance) -> SupportMoments:
        """The moments of chances to support + alone, - alone and both."""
        one_sign = plus + minus
        return cls(
            mean_sum=float(one_sign + 2 * both),
            mean_square_sum=float(one_sign + 4 * both),
            mean_difference=float(plus - minus),
            mean_square_difference=float(one_sign),
        )

    @property
    def variance_sum(self) -> float:
        """The variance of S."""
        return self.mean_square_sum - self.mean_sum**2


@dataclass(frozen=True, slots=True)
class CountMoments:
    """Means and variances, per report, of a key's counts, from the channel's exact law.

    The population is fixed: a share f of the reports comes from holders of mean value m. Where
    the spread of their values is unknown, all are taken to be m. `left_out` is the share of the people
    whose reports say nothing of their pairs, a random choice that adds the error of a sample.
    """

    holder: SupportMoments
    absent: SupportMoments
    left_out: float = 0.0

    @classmethod
    def of(cls, law: CountLaw, left_out: float = 0.0) -> CountMoments:
        """The moments of a channel's count law."""
        return cls(SupportMoments.of(law.holder_plus), SupportMoments.of(law.absent), left_out)

    @property
    def noise(self) -> float:
        """How often a report supports a key that its sender does not hold (b, twice both)."""
        return self.absent.mean_sum

    @property
    def supports_once(self) -> bool:
        """Whether a report almost never supports both signs of a key, so that sums are binomial."""
        return self.absent.mean_square_sum <= SUPPORTS_ONCE * self.absent.mean_sum

    @property
    def signal(self) -> float:
        """How much more often a holder supports their key than others do: (a - b)/ℓ."""
        return self.holder.mean_sum - self.absent.mean_sum

    @property
    def contrast(self) -> float:
        """How much of a holder's sign shows: a(2p - 1)/ℓ."""
        return self.holder.mean_difference

    def sum_mean(self, f: Number) -> Number:
        """The mean of (n1 + n2)/n."""
        return self.noise + self.signal * f

    def sum_variance(self, f: Number) -> Number:
        """n·Var of (n1 + n2)/n."""
        # A sample of the holders varies by f(1 - f), here bounded by f: variances stay linear in f.
        of_sample = self.left_out * f * self.signal**2
        return f * self.holder.variance_sum + (1 - f) * self.absent.variance_sum + of_sample

    def difference_variance(self, f: Number, m: Number) -> Number:
        """n·Var of (n1 - n2)/n."""
        held = self.holder.mean_square_difference - (1 - self.left_out) * (self.contrast * m) ** 2
        return f * held + (1 - f) * self.absent.mean_square_difference

    def covariance(self, f: Number, m: Number) -> Number:
        """n·Cov of the two: a report's T·S is its T."""
        return f * self.contrast * m * (1 - self.holder.mean_sum + self.left_out * self.signal)

    def frequency_variance(self, f: Number) -> Number:
        """n·Var f̂, the exact form: Theorem 4's plus the sampling step it misses."""
        return self.sum_variance(f) / self.signal**2

    def ratio_variance(self, f: Number) -> tuple[Number, Number]:
        """(V0, V2) such that n·Var(T̄ - κ·m·(S̄ - noise)) = V0 + V2·m², κ = contrast/signal."""
        kappa, present, absent = self.contrast / self.signal, self.holder, self.absent
        held = (
            kappa**2 * present.variance_sum
            - 2 * kappa * self.contrast * (1 - present.mean_sum)
            - self.contrast**2
        )
        constant = f * present.mean_square_difference + (1 - f) * absent.mean_square_difference
        return constant, f * held + (1 - f) * kappa**2 * absent.variance_sum

    def mean_variance(self, f: Number, m: Number) -> Number:
        """n·Var m̂ to first order, m̂ being a ratio of two noisy numbers."""
        constant, slope = self.ratio_variance(f)
        return (constant + slope * m * m) / (self.contrast * f) ** 2
