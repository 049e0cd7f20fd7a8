"""The device half of the buckets of sizes."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.channels.buckets import BucketsChannel
from pckv.device.padding import Pair
from pckv.randomness import Tape


def perturb(channel: BucketsChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """Report the bucket that the number of pairs falls into, or another."""
    bucket = channel.bucket_of(len(pairs))
    if tape.bernoulli(channel.kept):
        return bucket
    # One of the other buckets, all equally likely: the true one is skipped.
    other = tape.below(channel.rows - 1)
    return other if other < bucket else other + 1
