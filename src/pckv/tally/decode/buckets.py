"""What the words of `buckets` say: a word is a bucket of set sizes, and buckets have no sign."""

from __future__ import annotations

import numpy as np

from pckv.arrays import Integers
from pckv.channels import Channel
from pckv.progress import Progress
from pckv.tally.counts import Counts


def support(_: Channel, counts: Counts, buckets: Integers, _progress: Progress) -> tuple[Integers, Integers]:
    """For each of some buckets, how many reports name it."""
    return counts.take(buckets), np.zeros_like(buckets)
