"""The reports whose chances are the least and the largest of all, at any padding and number of levels.

With as many pairs as the padding no slot is a dummy's, and a report is made that speaks for all of them at
once, or against all: nothing else is further from the common law (proofs/shuffling.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from pckv.mechanisms.base import HeldLevels, Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw


def extreme_reports(law: Law, random: Random) -> Iterator[tuple[HeldLevels, int]]:
    """Yield what a participant holds, and a message that is likely or unlikely for all of it."""
    level, keys = random.randrange(law.levels), random.sample(range(law.keys), min(law.padding, law.keys))
    held = dict.fromkeys(keys, level)
    if isinstance(law, UeLaw):
        fakes = [random.choice((0, 1, -1)) for _ in range(law.keys)]
        for state in (1, -1, 0):
            yield held, law.message(tuple(state if key in held else fake for key, fake in enumerate(fakes)))
    elif isinstance(law, GrrLaw):
        # Words of a pair that is held, of its other levels, of other keys, and of dummies.
        for word in (law.word(keys[0], level), law.word(keys[0], law.levels - 1 - level), law.symbols - 1):
            yield held, word
        yield held, law.word(random.choice([key for key in range(law.keys + 1) if key not in held]), level)
    elif isinstance(law, UeCompactLaw):
        # The constant functions say the same of all keys: the level that is held, or not.
        for residue in (law.first(level), law.first(level) + law.r, law.first(level) - 1):
            yield held, residue % law.q
    else:
        assert isinstance(law, CollisionLaw)
        yield from _collisions(law, random)


def _collisions(law: CollisionLaw, random: Random) -> Iterator[tuple[HeldLevels, int]]:
    """Yield pairs that a function sends to symbols which all differ, with one of these and with another symbol."""
    function = random.randrange(law.functions)
    sent_to: dict[int, tuple[int, int]] = {}
    keys = iter(range(law.keys))
    while len(sent_to) < law.padding:
        pair = (next(keys), random.randrange(law.levels))
        sent_to.setdefault(int(law.symbol(function, law.item(*pair))), pair)
    other = next(symbol for symbol in range(law.symbols) if symbol not in sent_to)
    for symbol in (next(iter(sent_to)), other):
        yield dict(sent_to.values()), function * law.symbols + symbol


def reached_constants(law: Law, random: Random) -> tuple[Fraction, Fraction]:
    """Return γ and R of the extreme reports, relative to the common law of the mechanism."""
    factors = []
    for held, message in extreme_reports(law, random):
        common = law.chance({}, message) if law.word_limit is None else Fraction(1, law.word_limit)
        factors.append(law.chance(held, message) / common)
    return min(factors), max(factors) / min(factors)


def reached_by_answers(question: SizeQuestion) -> tuple[Fraction, Fraction]:
    """Return γ and R of the answers to a size question, relative to the uniform law."""
    laws = [question.distribution(size) for size in range(question.keys + 1)]
    chances = [Fraction(weight, law.total) for law in laws for weight in law.weights.values()]
    return len(laws[0].weights) * min(chances), max(chances) / min(chances)
