"""Run device code on intervals of draws instead of numbers, to find its exact law at the shipped thresholds.

Every run follows one path with one value per draw, and finds the box of draws that take the same path. Moving
on from box to box visits all draws, 2^64 values each, in as many runs as there are paths. What cannot be
followed makes boxes smaller, or is refused.

The exact law of messages, from the paths of an interval tape: constant on ranges, so that any size can be
compared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from pckv.auditing.traced import Number, Seed, Traced, Variable, plain
from pckv.base.errors import AuditFailure
from pckv.base.randomness import BITS, Tape
from pckv.mechanisms.base import FunctionCount

# More paths than this mean that the code does something with its draws that should not be there.
MAX_PATHS = 100_000


class Box(NamedTuple):
    """The values of one draw that take a path: of its remainder by `modulus`, or of the draw itself."""

    modulus: int | None
    low: int
    high: int


@dataclass(frozen=True)
class Leaf:
    """All draws of one path, and their messages: every step-th from `first` to `last`, equally likely.

    `lowest` and `highest` are the draws at two corners of the boxes, which make the first and the last
    message. The chance is given the seed, which is the same in all leaves.
    """

    boxes: tuple[Box, ...]
    lowest: tuple[int, ...]
    highest: tuple[int, ...]
    first: int
    last: int
    step: int
    chance: Fraction

    @property
    def messages(self) -> int:
        """The number of messages."""
        return (self.last - self.first) // self.step + 1


class _Rejected(Exception):
    """A draw was rejected: the same choice is made again."""


class IntervalTape(Tape):
    """A tape whose draws, of `one` values each, are traced in one run.

    `values` are two numbers per draw, which add up to its value: where a box of draws starts, and a remainder;
    later draws are 0. `seed` is the hash function that is drawn, where one is. `choices` are limits that are
    passed to `below` in this order, with the results then.
    """

    def __init__(self, values: list[int], seed: int, one: int, choices: Sequence[tuple[int, Number]] = ()) -> None:
        self.one = one
        # Results of `below` that are the same in all runs, by the number of their draw; and how many of the
        # choices were made.
        self.given: dict[int, int] = {}
        self.choices_made = 0
        # The numbers that hash functions are drawn below.
        self.function_limits: set[int] = set()
        self._choices = choices
        self.variables: list[Variable] = []
        self._values = values
        self._seed = seed
        self._draws_left: int | None = None

    def draw(self) -> Number:
        """Return the next draw, traced."""
        if self._draws_left == 0:
            raise _Rejected
        if self._draws_left is not None:
            self._draws_left -= 1
        values, place = self._values, 2 * len(self.variables)
        if place + 1 < len(values):
            value = values[place] + values[place + 1]
        elif place < len(values):
            value = values[place]
        else:
            value = self.given.get(len(self.variables), 0)
        self.variables.append(Variable(0, self.one - 1, value))
        return Traced(self.variables[-1])

    def below(self, count: int) -> Number:
        """Return what the device's own `below` makes of the next draw."""
        chosen: Number | None = None
        if self.choices_made < len(self._choices) and count == self._choices[self.choices_made][0]:
            chosen = self._choices[self.choices_made][1]
            self.given[len(self.variables)] = int(chosen)
            self.choices_made += 1
        elif isinstance(count, FunctionCount):
            self.given[len(self.variables)] = self._seed
            self.function_limits.add(int(count))
        # A second draw would mean that the first was rejected.
        self._draws_left = 1
        result = super().below(count)
        self._draws_left = None
        if chosen is not None:
            return chosen
        return Seed(self.variables[-1].value % count) if isinstance(count, FunctionCount) else result


class _Coordinate(NamedTuple):
    """A draw's start or remainder in one run: its possible values, and those that take the same path."""

    value: int
    last: int
    size: int
    high: int


class _Path(NamedTuple):
    """One run: its coordinates, two per draw, and its message; None if a draw was rejected."""

    coordinates: list[_Coordinate]
    counts: list[int | None]
    message: Number | None
    # Which coordinate the message depends on.
    place: int | None


class _Found:
    """A path while the walk goes on: its box grows together from the last coordinate to the first."""

    __slots__ = ("path", "spans", "total", "ways")

    def __init__(self, path: _Path) -> None:
        self.path = path
        self.ways = self.total = 1
        self.spans: list[tuple[int, int]] = [(0, 0)] * len(path.coordinates)


def explore(
    run: Callable[[Tape], Number], seed: int = 0, bits: int = BITS, choices: Sequence[tuple[int, Number]] = ()
) -> list[Leaf]:
    """Return all paths of a function of a tape, which returns the message that the draws make.

    All runs draw the same hash function, the `seed`, where they draw one. `choices` are limits that are passed to
    `below` in this order, with the results in all runs: for code that chooses among too many to visit. A run that
    makes a message of pairs must make all of them, which its caller checks.

    Raises:
        AuditFailure: if a decision depends on the seed, or if there are too many paths to follow.
    """
    found, _ = _Walk(run, lambda values: IntervalTape(values, seed, 1 << bits, choices)).visit([])
    return [_leaf(each) for each in found]


class _Walk:
    """A walk through all boxes of draws."""

    def __init__(self, run: Callable[[Tape], Number], make_tape: Callable[[list[int]], IntervalTape]) -> None:
        self._run, self._make_tape = run, make_tape
        self._paths = 0

    def visit(self, values: list[int]) -> tuple[list[_Found], list[int]]:
        """Return the paths of draws that start with these values, and how far each value could move."""
        path = self._follow(values)
        limits = [coordinate.high for coordinate in path.coordinates]
        found = [] if path.message is None else [_Found(path)]
        chosen = [coordinate.value for coordinate in path.coordinates]
        for place in reversed(range(len(values), len(chosen))):
            coordinate, limit = path.coordinates[place], limits[place]
            parts = [(coordinate.value, limit, found)]
            while limit < coordinate.last:
                start = limit + 1
                others, moved = self.visit([*chosen[:place], start])
                limit = moved[place]
                parts.append((start, limit, others))
                limits[:place] = map(min, limits, moved[:place])
            found = _joined(place, coordinate.size, parts)
        return found, limits

    def _follow(self, values: list[int]) -> _Path:
        self._paths += 1
        if self._paths > MAX_PATHS:
            raise AuditFailure(f"interval tape: more than {MAX_PATHS:,} paths")
        tape = self._make_tape(values)
        try:
            message = self._run(tape)
        except _Rejected:
            return _Path(_coordinates(tape), [], None, None)
        place = _place(tape, message.variable) if isinstance(message, Traced) else None
        counts = [draw.remainder.count if draw.remainder else None for draw in tape.variables]
        return _Path(_coordinates(tape), counts, message, place)


def _joined(place: int, size: int, parts: list[tuple[int, int, list[_Found]]]) -> list[_Found]:
    """Return the paths of all parts of a coordinate; rejections lead back to the same choice and drop out."""
    accepted = size - sum(high - low + 1 for low, high, found in parts if not found)
    for low, high, found in parts:
        for each in found:
            each.spans[place] = (low, high)
            each.ways *= high - low + 1
            each.total *= accepted
    return [each for _, _, found in parts for each in found]


def _coordinates(tape: IntervalTape) -> list[_Coordinate]:
    coordinates = []
    for number, draw in enumerate(tape.variables):
        remainder = draw.remainder
        if remainder is None:
            coordinates += [
                _Coordinate(draw.value, draw.last, draw.last + 1, draw.high),
                _Coordinate(0, 0, 1, 0),
            ]
            continue
        remainder.settle()
        if remainder.first:
            raise AuditFailure("interval tape: the remainder of a draw starts in the middle of a run")
        coordinates.append(_Coordinate(draw.low, draw.last, draw.last + 1, draw.high))
        value = remainder.value
        if number in tape.given:
            coordinates.append(_Coordinate(value, value, 1, value))
        else:
            coordinates.append(_Coordinate(value, remainder.last, remainder.last + 1, remainder.high))
    return coordinates


def _place(tape: IntervalTape, variable: Variable) -> int:
    """Return which coordinate a variable is."""
    for number, draw in enumerate(tape.variables):
        if variable is draw or variable is draw.remainder:
            return 2 * number + (variable is not draw)
    raise AuditFailure("interval tape: a message depends on something that was not drawn")


def _leaf(found: _Found) -> Leaf:
    path, spans = found.path, found.spans
    boxes, lowest, highest = [], [], []
    for number, count in enumerate(path.counts):
        (start, stop), (low, high) = spans[2 * number : 2 * number + 2]
        boxes.append(Box(None, start, stop) if count is None else Box(count, low, high))
        lowest.append(start + low)
        complete = count is not None and (stop + 1 - start) % count == 0
        highest.append(stop if count is None else (stop + 1 - count if complete else start) + high)
    first = last = message = path.message
    step = 1
    if isinstance(message, Traced) and path.place is not None:
        step = message.scale
        first, last = (step * value + message.offset for value in spans[path.place])
    return Leaf(
        tuple(boxes),
        tuple(lowest),
        tuple(highest),
        plain(first),
        plain(last),
        step,
        Fraction(found.ways, found.total),
    )


class PiecewiseLaw:
    """A law as sums of uniform ones, each over every step-th message of a range."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        # By step and the remainder of the messages by it: where the probability of one message changes, and
        # by what.
        changes: dict[tuple[int, int], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        self.mass = Fraction(0)
        for leaf in leaves:
            self.mass += leaf.chance
            of_one = leaf.chance / leaf.messages
            of_step = changes[leaf.step, leaf.first % leaf.step]
            of_step[leaf.first] += of_one
            of_step[leaf.last + 1] -= of_one
        # Every message is asked for twice: to compare laws with what is stated, and with each other.
        self.chance = cache(self._chance)
        self._pieces = {
            place: (sorted(of_step), list(accumulate(of_step[start] for start in sorted(of_step))))
            for place, of_step in changes.items()
        }

    def _chance(self, message: int) -> Fraction:
        """Return the probability of a message."""
        total = Fraction(0)
        for (step, remainder), (starts, chances) in self._pieces.items():
            piece = bisect_right(starts, message) - 1
            if piece >= 0 and message % step == remainder:
                total += chances[piece]
        return total

    def turning_points(self) -> set[int]:
        """Return messages among which every value of the law is found: all next to a change."""
        return {
            start + move
            for (step, _), (starts, _) in self._pieces.items()
            for start in starts
            for move in range(-step, step)
        }


def turning_points(distributions: Iterable[PiecewiseLaw], stop: int) -> list[int]:
    """Return messages below a limit at which laws can be compared: between two of them nothing changes."""
    return sorted(
        message
        for message in set().union(*(distribution.turning_points() for distribution in distributions))
        if 0 <= message < stop
    )


def worst_ratio_at(laws: Sequence[Callable[[int], Fraction]], messages: Iterable[int]) -> Fraction:
    """Return the largest ratio of the probabilities of one message under any two laws, which give them."""
    worst = Fraction(1)
    for message in messages:
        chances = [chance(message) for chance in laws]
        low, high = min(chances), max(chances)
        if low == 0 < high:
            raise AuditFailure(f"interval tape: message {message} is possible for one input and not for another")
        worst = max(worst, high / low if high else worst)
    return worst
