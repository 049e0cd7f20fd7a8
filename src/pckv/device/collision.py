"""The device half of Collision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from pckv.channels.collision import CollisionChannel
from pckv.device.padding import Pair, draw_level
from pckv.randomness import Tape

# A pair, or a text.
Held = TypeVar("Held")


def perturb(channel: CollisionChannel, pairs: Sequence[Pair], tape: Tape, function: int | None = None) -> int:
    """Send the pairs to symbols by a hash function, the given one or a random one, and report one of those or another.

    The draws, in order: which pairs (only with more of them than the padding), one level per pair, the
    function (unless it is given), the symbol, and the other symbol if it is none of their own.
    """
    items = [channel.item(pair[0], draw_level(pair, tape)) for pair in choose(pairs, channel.padding, tape)]
    if function is None:
        function = tape.below(channel.functions)
    return send(channel, function, items, tape)


def send(channel: CollisionChannel, function: int, items: Iterable[int], tape: Tape) -> int:
    """Report a function, and a symbol that one of the items is sent to, or another."""
    own = channel.own_symbols(function, items)
    number = tape.draw()
    if number < len(own) * channel.hit:
        symbol = own[number // channel.hit]
    else:
        # One of the other symbols, all equally likely: the participant's own are skipped.
        symbol = tape.below(channel.symbols - len(own))
        for taken in own:
            symbol += taken <= symbol
    return function * channel.symbols + symbol


def choose(held: Sequence[Held], most: int, tape: Tape) -> Sequence[Held]:
    """All that somebody holds, or as much of it as a report takes, every choice equally likely."""
    if len(held) <= most:
        return held
    shuffled = list(held)
    for place in range(most):
        other = place + tape.below(len(held) - place)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled[:most]
