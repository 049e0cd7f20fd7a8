"""The device half of Collision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from pckv.base.randomness import Tape
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.padding import Pair, draw_level

# A pair, or a text.
Held = TypeVar("Held")


def perturb(law: CollisionLaw, pairs: Sequence[Pair], tape: Tape, function: int | None = None) -> int:
    """Send the pairs to symbols by a hash function, given or random, and report one of these or another.

    The draws, in order: which pairs (only with more of them than the padding), one level per pair, the
    function (unless it is given), the symbol, and the other symbol if it is not one of theirs.
    """
    items = [law.item(pair[0], draw_level(law, pair, tape)) for pair in choose(pairs, law.padding, tape)]
    if function is None:
        function = tape.below(law.functions)
    return send(law, function, items, tape)


def send(law: CollisionLaw, function: int, items: Iterable[int], tape: Tape) -> int:
    """Report a function, and a symbol that one of the items is sent to, or another."""
    own = law.own_symbols(function, items)
    number = tape.draw()
    if number < len(own) * law.hit:
        symbol = own[number // law.hit]
    else:
        # One of the other symbols, all equally likely: the participant's own are skipped.
        symbol = tape.below(law.symbols - len(own))
        for taken in own:
            symbol += taken <= symbol
    return function * law.symbols + symbol


def choose(held: Sequence[Held], most: int, tape: Tape) -> Sequence[Held]:
    """Return all that a participant holds, or as much as a report takes, every choice equally likely."""
    if len(held) <= most:
        return held
    shuffled = list(held)
    for place in range(most):
        other = place + tape.below(len(held) - place)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled[:most]
