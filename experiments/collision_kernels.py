"""Compiled loops over the functions of `collision`: the exact chance of each to support an item.

Given the function, a participant's report supports an item with probability α if the item shares a symbol
with one of theirs, and else with what is left, spread evenly over the other symbols. Adding up these chances
instead of reports that were drawn leaves out most of the noise.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pckv.base.arrays import Floats, Integers
from pckv.lab.dataset import Dataset

# Unused positions that are looked at per function, of those that there are.
UNUSED_PER_FUNCTION = 64
# Functions that are drawn for one choice of a participant, their pairs and signs.
FUNCTIONS_PER_CHOICE = 10
# Positions are doubles: products stay below 2^53, and half a position is more than any rounding error.
MAX_EXACT_POSITIONS = 2**25


class SignedRows(NamedTuple):
    """Participant i holds keys[offsets[i]:offsets[i + 1]], each positive with these chances."""

    offsets: Integers
    keys: NDArray[np.int32]
    positive: Floats


class PositionedFamily(NamedTuple):
    """The functions ((A·x + C) mod N) mod t, and what a report does with them.

    Attributes:
        prime: N, the number of positions.
        symbols: t.
        padding: The most pairs that a report is made from.
        hit: α, the chance of each symbol that a pair has.
        items: The position x of every item.
        unused: The positions of no item, in random order.
    """

    prime: int
    symbols: int
    padding: int
    hit: float
    items: Floats
    unused: Floats


class ChanceSums(NamedTuple):
    """Sums over functions.

    Attributes:
        functions: How many there were.
        supported: The chances of each item that is looked at.
        held: In how many the participant's report was made from that item.
        unused: The mean chance of an unused position.
        pairs: The pairs that reports were made from.
    """

    functions: int
    supported: Floats
    held: Integers
    unused: float
    pairs: int


class WorkSpace(NamedTuple):
    """Sums of chances; marks of a participant's symbols; symbols of their items, and of those looked at."""

    chances: Floats
    marks: Floats
    own: NDArray[np.int32]
    found: NDArray[np.int32]


def signed_rows(data: Dataset) -> SignedRows:
    """All people's keys with the chance that the value becomes a plus."""
    people = data.population
    return SignedRows(people.offsets, people.keys, (1 + data.scaled(people.values)) / 2)


@numba.njit(nogil=True, cache=True)
def fill_symbols(
    positions: Floats, function: tuple[float, float], family: PositionedFamily, found: NDArray[np.int32]
) -> None:
    """Fill in the symbols of some positions; in doubles, several at once on most processors."""
    prime, symbols = float(family.prime), float(family.symbols)
    per_prime, per_symbols = 1 / prime, 1 / symbols
    for place in range(positions.size):
        number = function[0] * positions[place] + function[1]
        number -= np.floor((number + 0.5) * per_prime) * prime
        found[place] = np.int32(number - np.floor((number + 0.5) * per_symbols) * symbols)


@numba.njit(nogil=True, cache=True)
def mark_own(own: NDArray[np.int32], marks: Floats) -> int:
    """Mark a participant's symbols; return how many they are."""
    distinct = 0
    for symbol in own:
        distinct += marks[symbol] == 0
        marks[symbol] = 1
    return distinct


@numba.njit(nogil=True, cache=True)
def add_chances(unmarked: float, marked: float, work: WorkSpace) -> None:
    """Add the chances of positions whose symbols were found, with a mark and without one."""
    more = marked - unmarked
    for place in range(work.found.size):
        work.chances[place] += unmarked + more * work.marks[work.found[place]]


@numba.njit(nogil=True, cache=True)
def work_space(family: PositionedFamily, looked_at: int) -> WorkSpace:
    """Room for one participant and this many positions looked at."""
    return WorkSpace(
        np.zeros(looked_at),
        np.zeros(family.symbols),
        np.empty(family.padding, np.int32),
        np.empty(looked_at, np.int32),
    )


@numba.njit(nogil=True, cache=True)
def add_function(
    own: Floats, looked_at: Floats, function: tuple[float, float], family: PositionedFamily, work: WorkSpace
) -> None:
    """Add the chances of the positions looked at, given a participant's own positions and one function."""
    symbols = work.own[: own.size]
    fill_symbols(own, function, family, symbols)
    distinct = mark_own(symbols, work.marks)
    other = (1 - distinct * family.hit) / (family.symbols - distinct)
    fill_symbols(looked_at, function, family, work.found)
    add_chances(other, family.hit, work)
    for symbol in symbols:
        work.marks[symbol] = 0


@numba.njit(nogil=True, cache=True)
def chances_of_all_functions(own: Floats, looked_at: Floats, family: PositionedFamily) -> Floats:
    """Return the mean chance, over all functions, of every position looked at, given a participant's own."""
    work = work_space(family, looked_at.size)
    for factor in range(1, family.prime):
        for shift in range(family.prime):
            add_function(own, looked_at, (float(factor), float(shift)), family, work)
    return np.asarray(work.chances / (family.prime * (family.prime - 1)))


@numba.njit(nogil=True, cache=True)
def choose_items(generator: Generator, people: SignedRows, rows: Integers, chosen: Integers) -> int:
    """Choose a participant, as many of their pairs as a report takes, and signs; return how many pairs."""
    participant = generator.integers(0, people.offsets.size - 1)
    start, stop = people.offsets[participant], people.offsets[participant + 1]
    size = stop - start
    taken = min(int(size), chosen.size)
    for place in range(size):
        rows[place] = start + place
    for place in range(taken):
        if size > taken:
            other = generator.integers(place, size)
            rows[place], rows[other] = rows[other], rows[place]
        row = rows[place]
        chosen[place] = 2 * people.keys[row] + (generator.random() < people.positive[row])
    return taken


@numba.njit(nogil=True, cache=True)
def chances_of_some_functions(
    generator: Generator, people: SignedRows, family: PositionedFamily, looked_at: Integers, choices: int
) -> ChanceSums:
    """Add up the chances of some items over random participants and functions."""
    window = min(UNUSED_PER_FUNCTION, family.unused.size)
    count = looked_at.size
    places = np.full(family.items.size, -1)
    places[looked_at] = np.arange(count)
    # The positions looked at: those of the items, then some of those unused.
    positions = np.empty(count + window)
    positions[:count] = family.items[looked_at]
    held, pairs = np.zeros(count, np.int64), 0
    chosen, own = np.empty(family.padding, np.int64), np.empty(family.padding)
    rows = np.empty(np.max(people.offsets[1:] - people.offsets[:-1]), np.int64)
    work = work_space(family, positions.size)
    for _ in range(choices):
        taken = choose_items(generator, people, rows, chosen)
        pairs += taken
        for place in range(taken):
            own[place] = family.items[chosen[place]]
            if places[chosen[place]] >= 0:
                held[places[chosen[place]]] += FUNCTIONS_PER_CHOICE
        for _ in range(FUNCTIONS_PER_CHOICE):
            start = generator.integers(0, family.unused.size - window + 1)
            positions[count:] = family.unused[start : start + window]
            factor = float(generator.integers(1, family.prime))
            shift = float(generator.integers(0, family.prime))
            add_function(own[:taken], positions, (factor, shift), family, work)
    return ChanceSums(
        choices * FUNCTIONS_PER_CHOICE,
        work.chances[:count],
        held,
        work.chances[count:].mean(),
        pairs * FUNCTIONS_PER_CHOICE,
    )
