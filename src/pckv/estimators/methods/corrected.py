"""The paper's Algorithm 4: outliers are moved to the nearest possible count (proofs/corrected.md)."""

from __future__ import annotations

import numpy as np

from pckv.base.arrays import Floats
from pckv.estimators.methods.baseline import unbiased_frequency, unbiased_value_sum
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport


def corrected(support: KeySupport, reports: int, moments: CountMoments) -> tuple[Floats, Floats]:
    """Frequency within [1/n, 1] and mean within [-1, 1].

    Half the sum and half the difference of n̂1 and n̂2 (Lemma 1), both as shares of the holders: the padding cancels.
    With more than two levels, as if the holders' values were all at the ends of the range.
    """
    unbiased = unbiased_frequency(support, reports, moments)
    frequency = np.clip(unbiased, 1 / reports, 1)
    half_difference = unbiased_value_sum(support, reports, moments, unbiased) / 2
    holders_plus = np.clip(unbiased / 2 + half_difference, 0, frequency)
    holders_minus = np.clip(unbiased / 2 - half_difference, 0, frequency)
    return frequency, (holders_plus - holders_minus) / frequency
