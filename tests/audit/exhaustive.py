"""Run a sampler over every value of a small tape, to find its law without trusting it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from pckv.base.randomness import Tape
from pckv.device.perturb import Sampler
from pckv.mechanisms.base import Law, MessageDistribution
from pckv.mechanisms.padding import Pair


class Choices(NamedTuple):
    """What a tape can give at one place, each with the number of draws that give it, and their sum."""

    outcomes: Sequence[int]
    draws: Sequence[int]
    total: int


class OneDraw(Tape):
    """A tape of one draw; asking for a second means that the first was rejected."""

    def __init__(self, number: int, one: int) -> None:
        self._numbers = [number]
        self.one = one

    def draw(self) -> int:
        return self._numbers.pop()


class BiasedBelow(OneDraw):
    """A planted fault: the remainder, without rejecting the incomplete last run."""

    def below(self, count: int) -> int:
        return self.draw() % count


class ExhaustiveTape(Tape):
    """A tape of short draws that walks through all of its values, one run after another.

    A direct draw branches over every value. What `below` and `bernoulli` make of a draw is found
    by running them on every value too; values they reject lead back to the same choice, so they
    drop out of its chances.
    """

    def __init__(self, bits: int, primitives: type[OneDraw] = OneDraw) -> None:
        self.one = 1 << bits
        self.primitives = primitives
        self._path: list[int] = []
        self._widths: list[int] = []
        self._depth = 0
        # The chance of this run as ways out of a total: integers, since there are many runs.
        self.ways, self.total = 1, 1
        self._every = Choices(range(self.one), [1] * self.one, self.one)
        self._known: dict[tuple[str, int], Choices] = {}

    def draw(self) -> int:
        return self._choose(self._every)

    def below(self, count: int) -> int:
        return self._choose(self._choices("below", count))

    def bernoulli(self, threshold: int) -> bool:
        return bool(self._choose(self._choices("bernoulli", threshold)))

    def _choices(self, method: str, argument: int) -> Choices:
        place = (method, argument)
        if place not in self._known:
            outcomes: Counter[int] = Counter()
            for number in range(self.one):
                try:
                    outcomes[int(getattr(self.primitives(number, self.one), method)(argument))] += 1
                except IndexError:
                    continue
            self._known[place] = Choices(list(outcomes), list(outcomes.values()), outcomes.total())
        return self._known[place]

    def _choose(self, choices: Choices) -> int:
        if self._depth == len(self._path):
            self._path.append(0)
            self._widths.append(len(choices.outcomes))
        place = self._path[self._depth]
        self._depth += 1
        self.ways *= choices.draws[place]
        self.total *= choices.total
        return choices.outcomes[place]

    def rewind(self) -> bool:
        """Move on to the next path through the tape; False once all were walked."""
        while self._path and self._path[-1] + 1 == self._widths[-1]:
            self._path.pop()
            self._widths.pop()
        if not self._path:
            return False
        self._path[-1] += 1
        self._depth, self.ways, self.total = 0, 1, 1
        return True


def sampler_law(sampler: Sampler, law: Law, pairs: Sequence[Pair], tape: ExhaustiveTape) -> dict[int, Fraction]:
    """Return the exact law of a sampler's messages, as it runs."""
    return law_of_runs(lambda: sampler(law, pairs, tape), tape)


def law_of_runs(run: Callable[[], int], tape: ExhaustiveTape) -> dict[int, Fraction]:
    """Return the exact law of what a function of this tape gives, by running it on all of its values."""
    ways: Counter[tuple[int, int]] = Counter()
    walking = True
    while walking:
        message = run()
        ways[message, tape.total] += tape.ways
        walking = tape.rewind()
    distribution: dict[int, Fraction] = {}
    for (message, total), number in ways.items():
        distribution[message] = distribution.get(message, Fraction(0)) + Fraction(number, total)
    return distribution


def in_weights(chances: Mapping[int, Fraction]) -> MessageDistribution:
    """Return a law in the form of the laws'."""
    total = math.lcm(*(chance.denominator for chance in chances.values()))
    return MessageDistribution({message: int(chance * total) for message, chance in chances.items()}, total)
