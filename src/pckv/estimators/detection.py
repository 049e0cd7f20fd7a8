"""Which keys stand out from the noise: the same answer for all methods (proofs/detection.md)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pckv.arrays import Flags, Integers
from pckv.errors import ParameterError
from pckv.moments import CountMoments
from pckv.planning.detection import detection_threshold, discovery_threshold


class Detection(NamedTuple):
    """How keys are told from those that nobody holds.

    Attributes:
        keys: How many keys are tested: all of the task, whichever of them are asked for; of hashed keys, which have no
            list, those asked for.
        level: That of the intervals. Where nobody holds any of the keys, the chance that one is detected is at most
            (1 - level)/2.
        rate: Of hashed keys, the false discovery rate instead: the share of keys that nobody holds among those detected,
            on average, is at most this. None where keys are listed.
    """

    keys: int
    level: float
    rate: float | None = None

    def detected(self, totals: Integers, reports: int, moments: CountMoments) -> Flags:
        """Return which counts of supports are beyond what noise alone gives."""
        if self.rate is None:
            threshold = detection_threshold(moments, reports, self.keys, self.level)
        else:
            counts, times = np.unique(totals, return_counts=True)
            at_least = list(zip(counts[::-1].tolist(), np.cumsum(times[::-1]).tolist(), strict=True))
            threshold = discovery_threshold(moments, reports, at_least, self.level, self.rate)
        return np.asarray(totals >= threshold)


def check_rate(rate: float) -> float:
    """Return a false discovery rate, or refuse what is none."""
    if not 0 < rate < 1:
        raise ParameterError(f"the false discovery rate must be above 0 and below 1, not {rate}")
    return rate
