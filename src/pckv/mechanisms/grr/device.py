"""The device half of PCKV-GRR."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.base.randomness import Tape
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.padding import Pair, draw_level, sample


def perturb(law: GrrLaw, pairs: Sequence[Pair], tape: Tape) -> int:
    """Sample a pair and report its word, or another."""
    pair = sample(pairs, law.padding, tape) or _dummy(law, tape)
    word = law.word(pair[0], draw_level(law, pair, tape))
    number = tape.draw()
    if number < law.kept:
        return word
    if number < law.kept + law.flipped:
        return word ^ 1
    # The words that are set apart are skipped: the true one alone, or both of its key.
    other = tape.below(law.spread)
    return other if other < word & -law.set_apart else other + law.set_apart


def _dummy(law: GrrLaw, tape: Tape) -> Pair:
    return law.keys + tape.below(law.padding), 0, law.one // 2
