"""What the cells of `ue` and `grr` say of the keys: one cell per level, number levels·key + level."""

from __future__ import annotations

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.progress import Progress
from pckv.mechanisms.base import Law
from pckv.tally.counts import Counts


def support(law: Law, counts: Counts, keys: Integers, _progress: Progress) -> Integers:
    """For each of some keys, how many reports support every level: levels × keys."""
    levels = np.arange(law.levels)[:, None]
    return counts.take((law.levels * keys + levels).reshape(-1)).reshape(law.levels, -1)
