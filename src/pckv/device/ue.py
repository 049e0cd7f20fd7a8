"""The device half of PCKV-UE."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.channels.ue import UeChannel
from pckv.device.padding import Pair, draw_level, sample
from pckv.randomness import Tape


def perturb(channel: UeChannel, pairs: Sequence[Pair], tape: Tape) -> int:
    """Sample a pair and roll every key's die; a dummy leaves all keys unsampled."""
    sampled = sample(pairs, channel.padding, tape)
    key, positive = (sampled[0], draw_level(sampled, tape) == 1) if sampled else (None, False)
    fake, either = channel.fake, 2 * channel.fake
    draw = tape.draw
    presence = bytearray(channel.message_format.plane_bytes)
    sign = bytearray(channel.message_format.plane_bytes)
    for position in range(channel.keys):
        number = draw()
        if position == key:
            present = number < channel.kept + channel.flipped
            plus = positive == (number < channel.kept)
        else:
            present = number < either
            plus = number < fake
        if present:
            bit = 1 << (position & 7)
            presence[position >> 3] |= bit
            if plus:
                sign[position >> 3] |= bit
    return int.from_bytes(presence + sign, "little")
