"""The device half of PCKV-UE in one word."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.channels.ue_compact import UeCompactChannel
from pckv.device.padding import Pair, draw_level, sample
from pckv.randomness import Tape


def perturb(channel: UeCompactChannel, pairs: Sequence[Pair], tape: Tape, function: int | None = None) -> int:
    """Sample a pair, randomize its residue, and hide it in an affine function: the given one, or a random one."""
    pair = sample(pairs, channel.padding, tape) or (channel.keys, 0, channel.one // 2)
    first = channel.first(draw_level(pair, tape))
    if function is None:
        function = tape.below(channel.functions)
    if tape.bernoulli(channel.kept):
        # One of the true set's residues, all equally likely; a set of one takes no draw.
        residue = first + (tape.below(channel.r) if channel.r > 1 else 0)
    else:
        # One of the other residues, all equally likely: the true set is skipped.
        other = tape.below(channel.q - channel.r)
        residue = other if other < first else other + channel.r
    return function * channel.q + (residue - channel.product(function, pair[0])) % channel.q
