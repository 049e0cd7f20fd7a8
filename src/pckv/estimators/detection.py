"""Which keys stand out from the noise: the same answer for all methods (proofs/detection.md)."""

from __future__ import annotations

import numpy as np

from pckv.arrays import Flags
from pckv.moments import CountMoments
from pckv.planning.detection import detection_threshold
from pckv.tally.decode.support import KeySupport


def detected(support: KeySupport, reports: int, moments: CountMoments, keys: int, level: float) -> Flags:
    """Return whose counts are beyond what noise alone gives for any of the task's keys.

    `keys` is the number of keys of the task, whichever of them are asked for: where nobody holds any of them, the
    chance that one is detected is at most (1 - level)/2.
    """
    threshold = detection_threshold(moments, reports, keys, level)
    return np.asarray(support.total >= threshold)
