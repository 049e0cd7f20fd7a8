"""What the cells of `ue` and `grr` say of the keys: 2·key + (1 for +, 0 for -)."""

from __future__ import annotations

from pckv.arrays import Integers
from pckv.channels import Channel
from pckv.progress import Progress
from pckv.tally.counts import Counts


def support(_: Channel, counts: Counts, keys: Integers, _progress: Progress) -> tuple[Integers, Integers]:
    """For each of some keys, how many reports support + and how many support -."""
    return counts.take(2 * keys + 1), counts.take(2 * keys)
