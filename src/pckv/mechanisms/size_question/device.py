"""The device half of the size question."""

from __future__ import annotations

from pckv.base.randomness import Tape
from pckv.mechanisms.size_question.law import SizeQuestion


def answer(question: SizeQuestion, size: int, tape: Tape) -> int:
    """Answer how many pairs a participant holds, by randomized response.

    The draws, in order: which end (only for a size between two), whether it is true, and which other if not.
    """
    rounding = question.rounding(size)
    if rounding is None:
        true = question.answer_of_end(size)
    else:
        true = rounding.lower + (tape.below(rounding.total) >= rounding.down)
    if tape.bernoulli(question.kept):
        return true
    # One of the other answers, all equally likely: the true one is skipped.
    other = tape.below(len(question.ends) - 1)
    return other if other < true else other + 1
