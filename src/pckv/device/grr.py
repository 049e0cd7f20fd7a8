"""The device half of PCKV-GRR."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.channels.grr import GrrChannel
from pckv.device.padding import Pair, draw_level, sample
from pckv.randomness import Tape


def perturb(channel: GrrChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """Sample a pair and report its word, or another."""
    pair = sample(pairs, channel.padding, tape) or _dummy(channel, tape)
    word = channel.word(pair[0], draw_level(pair, tape))
    number = tape.draw()
    if number < channel.kept:
        return word
    if number < channel.kept + channel.flipped:
        return word ^ 1
    # The words that are set apart are skipped: the true one alone, or both of its key.
    other = tape.below(channel.spread)
    return other if other < word & -channel.set_apart else other + channel.set_apart


def _dummy(channel: GrrChannel, tape: Tape) -> Pair:
    return channel.keys + tape.below(channel.padding), 0, channel.one // 2
