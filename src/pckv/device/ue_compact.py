"""The device half of PCKV-UE in one word."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.channels.ue_compact import MINUS, PLUS, UeCompactChannel
from pckv.device.padding import Pair, sample
from pckv.randomness import Tape


def perturb(channel: UeCompactChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """Sample a pair, randomize its residue, and hide it in a random affine function."""
    key, level = sample(pairs, channel.padding, tape) or (channel.keys, channel.one // 2)
    residue = PLUS if tape.bernoulli(level) else MINUS
    function = tape.below(channel.functions)
    if not tape.bernoulli(channel.kept):
        # One of the other residues, all alike: the true one is skipped.
        other = tape.below(channel.q - 1)
        residue = other if other < residue else other + 1
    return function * channel.q + (residue - channel.product(function, key)) % channel.q
