"""The device half of PCKV-UE."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.base.limits import ONE_LEVEL
from pckv.base.randomness import Tape
from pckv.mechanisms.padding import Pair, draw_level, sample
from pckv.mechanisms.ue.law import UeLaw


def perturb(law: UeLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    """Sample a pair and roll every key's die; a dummy leaves all keys unsampled."""
    sampled = sample(pairs, law.padding, tape)
    key, positive = (sampled[0], draw_level(law, sampled, tape) == 1) if sampled else (None, False)
    fake, either = law.fake, law.levels * law.fake
    draw, has_signs = tape.draw, law.levels > ONE_LEVEL
    presence = bytearray(law.message_format.plane_bytes)
    sign = bytearray(law.message_format.plane_bytes)
    for position in range(law.keys):
        number = draw()
        if position == key:
            present = number < law.kept + law.flipped
            plus = positive == (number < law.kept)
        else:
            present = number < either
            plus = number < fake
        if present:
            bit = 1 << (position & 7)
            presence[position >> 3] |= bit
            if plus and has_signs:
                sign[position >> 3] |= bit
    return int.from_bytes(presence + sign, "little")
