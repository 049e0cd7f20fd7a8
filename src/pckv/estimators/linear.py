"""The paper's linear estimators: the unbiased baseline, and Algorithm 4 (proofs/corrected.md)."""

from __future__ import annotations

import numpy as np

from pckv.base.arrays import Floats
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport


def unbiased_frequency(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """f̂ = (S/n - b)/(a - b)·ℓ, S being the count of all levels: n1 + n2 where there are two."""
    total = support.total / reports
    return np.asarray((total - moments.noise) / moments.signal, np.float64)


def baseline(support: KeySupport, reports: int, moments: CountMoments) -> tuple[Floats, Floats]:
    """Frequency and mean, neither kept within bounds; a mean over nothing is 0."""
    frequency = unbiased_frequency(support, reports, moments)
    value_sum = unbiased_value_sum(support, reports, moments, frequency)
    mean = np.divide(value_sum, frequency, out=np.zeros_like(frequency), where=frequency != 0)
    return frequency, mean


def unbiased_value_sum(support: KeySupport, reports: int, moments: CountMoments, frequency: Floats) -> Floats:
    """Return the holders' values added up, per report, given the unbiased frequency."""
    weighted = support.weighted(moments.scale.weights) / reports / moments.contrast
    return np.asarray(weighted + moments.scale.centre * frequency)


def corrected(support: KeySupport, reports: int, moments: CountMoments) -> tuple[Floats, Floats]:
    """Frequency within [1/n, 1] and mean within [-1, 1].

    Half the sum and half the difference of n̂1 and n̂2 (Lemma 1), both as shares of the holders: the padding
    cancels. With more than two levels, as if the holders' values were all at the ends of the range.
    """
    unbiased = unbiased_frequency(support, reports, moments)
    frequency = np.clip(unbiased, 1 / reports, 1)
    half_difference = unbiased_value_sum(support, reports, moments, unbiased) / 2
    holders_plus = np.clip(unbiased / 2 + half_difference, 0, frequency)
    holders_minus = np.clip(unbiased / 2 - half_difference, 0, frequency)
    return frequency, (holders_plus - holders_minus) / frequency
