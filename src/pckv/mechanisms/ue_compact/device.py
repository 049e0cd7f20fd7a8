"""The device half of PCKV-UE in one word."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.base.randomness import Tape
from pckv.mechanisms.padding import Pair, draw_level, sample
from pckv.mechanisms.ue_compact.law import UeCompactLaw


def perturb(law: UeCompactLaw, pairs: Sequence[Pair], tape: Tape, function: int | None = None) -> int:
    """Sample a pair, randomize its residue, and hide it in an affine function, given or random."""
    pair = sample(pairs, law.padding, tape) or (law.keys, 0, law.one // 2)
    first = law.first(draw_level(law, pair, tape))
    if function is None:
        function = tape.below(law.functions)
    if tape.bernoulli(law.kept):
        # One of the true set's residues, all equally likely; a set of one takes no draw.
        residue = first + (tape.below(law.r) if law.r > 1 else 0)
    else:
        # One of the other residues, all equally likely: the true set is skipped.
        other = tape.below(law.q - law.r)
        residue = other if other < first else other + law.r
    return function * law.q + (residue - law.product(function, pair[0])) % law.q
