"""What the cells of `ue` and `grr` say of the keys: one cell per level, number levels·key + level."""

from __future__ import annotations

import numpy as np

from pckv.arrays import Integers
from pckv.channels import Channel
from pckv.progress import Progress
from pckv.tally.counts import Counts


def support(channel: Channel, counts: Counts, keys: Integers, _progress: Progress) -> Integers:
    """For each of some keys, how many reports support every level: levels × keys."""
    levels = np.arange(channel.levels)[:, None]
    return counts.take((channel.levels * keys + levels).reshape(-1)).reshape(channel.levels, -1)
