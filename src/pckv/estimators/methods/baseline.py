"""The paper's baseline: unbiased, with the full variance of the noise."""

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
