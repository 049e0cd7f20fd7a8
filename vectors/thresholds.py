"""Vectors of thresholds: the integers of every law."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from pckv.base.budget import ALLOCATIONS, PRECISION_BITS, exp_lower
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import MAX_COUNTED_ITEMS, MAX_SYMBOLS, CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw

EPSILONS = ("0.01", "0.1", "0.5", "1", "3.14159", "8", "20")
# Keys and padding with every number of ends of the size question, and shares of it.
SIZES = ((2, 1), (3, 1), (4, 1), (6, 5), (12, 3), (13, 3), (100, 5), (2**31, 1), (2**31, 2**31 - 1))
SHARES = ("0.05", "0.5", "0.0000000000000000000000000001")
# The integers of a law that are its thresholds.
THRESHOLDS = {
    "ue": ("kept", "flipped", "fake"),
    "grr": ("kept", "flipped", "spread"),
    "ue-compact": ("kept", "functions"),
    "collision": ("hit", "functions"),
}


def thresholds() -> Iterator[dict[str, Any]]:
    """Yield the integers behind every probability, which follow from the decimal text of ε."""
    for epsilon, allocation in product(EPSILONS, ALLOCATIONS):
        for keys, padding in ((1, 1), (3, 2), (1000, 5), (2**31, 100)):
            ue = UeLaw(keys, padding, Fraction(epsilon), allocation)
            grr = GrrLaw(keys, padding, Fraction(epsilon), allocation)
            yield law_thresholds(epsilon, ue, grr, allocation=allocation)
    sizes = ((1, None), (3, 3), (3, None), (1000, 31), (1000, None), (2**31, 3), (2**31, None))
    for epsilon, (keys, q) in product(EPSILONS, sizes):
        compact = UeCompactLaw(keys, 1, Fraction(epsilon), q)
        yield law_thresholds(epsilon, compact, q=compact.q, q_is_chosen=q is None)
    for epsilon in EPSILONS:
        for keys, q, r, o in ((3, 3, 2, 1), (20, 19, 9, 3), (1000, 37, 14, 0), (2**31, 109, 29, 8)):
            sets = UeCompactLaw(keys, 1, Fraction(epsilon), q, r, o)
            yield law_thresholds(epsilon, sets, **sets.parameters)
        for beta in ("0.000001", "0.12", "0.3", "0.499999"):
            tuned = UeLaw(100, 1, Fraction(epsilon), "tuned", beta=beta)
            yield law_thresholds(epsilon, tuned, **tuned.parameters)
    pairs = ((1, None), (2, 3), (2, None), (100, None), (100, MAX_SYMBOLS))
    counted = [(1000, *stated) for stated in pairs]
    indexed = [(keys, 5, None) for keys in (MAX_COUNTED_ITEMS // 2, MAX_COUNTED_ITEMS // 2 + 1, CollisionLaw.max_keys)]
    for epsilon, (keys, padding, symbols) in product(EPSILONS, [*counted, *indexed]):
        collision = CollisionLaw(keys, padding, Fraction(epsilon), symbols=symbols)
        yield law_thresholds(epsilon, collision, **collision.parameters, symbols_are_chosen=symbols is None)
    for epsilon, (keys, padding), share in product(EPSILONS, SIZES, SHARES):
        yield _question_thresholds(epsilon, keys, padding, share)


def _question_thresholds(epsilon: str, keys: int, padding: int, share: str) -> dict[str, Any]:
    question = SizeQuestion(keys, padding, Fraction(epsilon), Fraction(share))
    return {
        "epsilon": epsilon,
        "size_share": share,
        "keys": keys,
        "padding": padding,
        "exp_lower_times_2_256": _exp_lower_text(epsilon),
        "size_question": {
            "ends": list(question.ends),
            "asked": str(question.asked),
            "kept": str(question.kept),
        },
    }


def _exp_lower_text(epsilon: str) -> str:
    return str(int(exp_lower(Fraction(epsilon)) * 2**PRECISION_BITS))


def law_thresholds(epsilon: str, *laws: Law, **stated: object) -> dict[str, Any]:
    """Return the integers of laws of one size, and what they follow from."""
    return {
        "epsilon": epsilon,
        **stated,
        "keys": laws[0].keys,
        "padding": laws[0].padding,
        "exp_lower_times_2_256": _exp_lower_text(epsilon),
        **{law.name: {part: str(getattr(law, part)) for part in THRESHOLDS[law.name]} for law in laws},
    }
