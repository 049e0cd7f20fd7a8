"""How often words of `collision` support every item: their supports are arithmetic progressions of positions.

Word (A, C, z) supports the positions A⁻¹·(z - C + t·m) mod N for m = 0, 1, …: a start, and a step per further
one. Many words are counted position by position, a few are looked up among the positions of the items; where
a word supports more positions than there are items, every item is checked instead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Integers
from pckv.base.progress import Progress, no_progress
from pckv.mechanisms.collision.affine import Numbering
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.collision.positions import item_positions
from pckv.tally.counts import ONE

# More positions than this are not counted one by one: a counter for each would take too much memory.
MAX_COUNTED_POSITIONS = 2**25
# Counting by position pays from this many supports per position on; below, they are looked up.
SUPPORTS_PER_POSITION = 0.1
# Checking whether a word supports an item takes as long as counting this many supports, plain and compiled.
SUPPORTS_PER_CHECK = (4, 16)
# From this many supports on, another thread is worth starting.
SUPPORTS_PER_THREAD = 2**24
# Loading the compiled loop takes half a second, in which a plain one counts about this many.
SUPPORTS_WORTH_COMPILING = 2**27
# Pairs of a word and an item that are checked together: as many as stay in the cache.
CHECKS_AT_ONCE = 2**15
# Pairs that a thread checks in the compiled loop before it tells, in about half a second; and in how many
# fewer a plain loop takes as long as loading the compiled one.
CHECKS_PER_PART, CHECKS_WORTH_COMPILING = 2**28, 2**26
# Once that loop is loaded, it pays for this many times fewer.
LOADED_GAIN = 2**8
# Positions that the plain loop visits at once: enough to be worth a call of numpy, and few enough for a cache.
PLACES_AT_ONCE = 2**14
# Words that are counted together: enough to be worth a call, and few enough to take little memory.
MIN_PART_WORDS, MAX_PART_WORDS, PARTS_PER_THREAD = 2**8, 2**14, 4
# The module of the compiled loop, which loads numba.
COMPILED_LOOPS = "pckv.tally.loops"

Halves = NDArray[np.uint32]
CountLoop = Callable[[Integers, Integers, Integers, int, Integers], None]
CheckLoop = Callable[[Halves, Halves, Halves, Halves], None]


class Progressions(NamedTuple):
    """The positions that words support: `lengths` from `starts` on, `steps` apart, modulo their number."""

    starts: Integers
    steps: Integers
    lengths: Integers


def count_supports(law: CollisionLaw, words: Integers, *, compiled: bool = False) -> tuple[Integers, Integers]:
    """Return the cells that words support, of items and of all unused positions together, and how often."""
    steps = law.steps_per_report
    enough = words.size * steps >= SUPPORTS_PER_POSITION * law.positions
    together = enough and law.positions <= MAX_COUNTED_POSITIONS
    supports_per_check = SUPPORTS_PER_CHECK[compiled] if together else 1
    if law.items * supports_per_check <= steps:
        return check_items(law, words)
    if not together:
        return look_up(law, words)
    by_position = count_positions(law, words, compiled=compiled)
    of_items = by_position[all_positions(law.numbering)]
    unused = int(by_position.sum()) - int(of_items.sum())
    return np.arange(law.items + 1), np.append(of_items, unused)


def worth_compiling(supports: int) -> bool:
    """Return whether to count in the compiled loop: where it is loaded already, or pays for its start."""
    return COMPILED_LOOPS in sys.modules or supports >= SUPPORTS_WORTH_COMPILING


def progressions(law: CollisionLaw, words: Integers) -> Progressions:
    """Return the positions that words support."""
    factors, offsets, symbols = _coefficients(law, words)
    inverses = inverse(factors, law.positions)
    starts = (symbols - offsets) % law.positions * inverses % law.positions
    steps = law.symbols * inverses % law.positions
    return Progressions(starts, steps, _lengths(law, symbols))


def _lengths(law: CollisionLaw, symbols: Integers) -> Integers:
    """Return how many positions a function sends to each of some symbols."""
    return (law.positions - 1 - symbols) // law.symbols + 1


def _coefficients(law: CollisionLaw, words: Integers) -> tuple[Integers, Integers, Integers]:
    """Return A, C and z of words."""
    functions, symbols = np.divmod(words.view(np.uint64), np.uint64(law.symbols))
    factors, offsets = law.coefficients(functions)
    return factors.view(np.int64), offsets.view(np.int64), symbols.view(np.int64)


def inverse(numbers: Integers, prime: int) -> Integers:
    """Return the inverses of numbers modulo a prime: their powers by the prime less two."""
    result, square, exponent = np.ones_like(numbers), numbers, prime - 2
    while exponent:
        if exponent & 1:
            result = result * square % prime
        square = square * square % prime
        exponent >>= 1
    return result


def check_items(law: CollisionLaw, words: Integers) -> tuple[Integers, Integers]:
    """Check every item against every word; all other positions that a word supports are unused."""
    found = supports_of(law, words, np.ones_like(words), np.arange(law.items))
    total = int(_lengths(law, words % law.symbols).sum())
    return np.arange(law.items + 1), np.append(found, total - int(found.sum()))


def supports_of(
    law: CollisionLaw, words: Integers, times: Integers, items: Integers, progress: Progress = no_progress
) -> Integers:
    """Return how often words support each of some items, checked one by one; `times` counts the words.

    Where there are many of both, they are checked in the compiled loop, on all cores.
    """
    places = item_positions(law.numbering, items)
    enough = CHECKS_WORTH_COMPILING // (LOADED_GAIN if COMPILED_LOOPS in sys.modules else 1)
    loop = compiled_checks() if words.size * items.size >= enough else None
    if loop is not None:
        return _checked(law, words, times, places, loop, progress)
    found = np.zeros(items.size, np.int64)
    rows = max(1, CHECKS_AT_ONCE // max(1, items.size))
    for start in range(0, words.size, rows):
        part = slice(start, start + rows)
        factors, offsets, symbols = (column[:, None] for column in _coefficients(law, words[part]))
        found += times[part] @ (law.sent_to(factors, offsets, places) == symbols)
        progress(min(1.0, (start + rows) / words.size))
    return found


def _checked(  # noqa: PLR0917
    law: CollisionLaw, words: Integers, times: Integers, places: Integers, loop: CheckLoop, progress: Progress
) -> Integers:
    """Return how often words support the items at some places, counted in the compiled loop."""
    size = max(1, CHECKS_PER_PART // max(1, places.size))
    parts = [
        (int(number), some[start : start + size])
        for number in np.unique(times)
        for some in [words[times == number]]
        for start in range(0, some.size, size)
    ]
    halves, constants = places.astype(np.uint32), _check_constants(law)

    def check(part: tuple[int, Integers]) -> Halves:
        counts = np.zeros(places.size, np.uint32)
        loop(_functions(law, part[1]), halves, constants, counts)
        return counts

    found, done = np.zeros(places.size, np.int64), 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for (number, some), counts in zip(parts, pool.map(check, parts), strict=True):
            found += number * counts.astype(np.int64)
            done += some.size
            progress(done / words.size)
    return found


def _functions(law: CollisionLaw, words: Integers) -> Halves:
    """Return what the compiled loop needs of the functions and symbols of words, one row per word."""
    factors, offsets, symbols = _coefficients(law, words)
    shares = (factors.view(np.uint64) << np.uint64(32)) // np.uint64(law.positions)
    columns = [factors, shares.view(np.int64), offsets, law.symbols - symbols]
    return np.stack(columns, axis=1).astype(np.uint32)


def _check_constants(law: CollisionLaw) -> Halves:
    """Return what the compiled loop needs of the law: positions, and how to find multiples of its symbols."""
    symbols, every = law.symbols, 2**32
    even = symbols & -symbols
    inverse_of_odd = pow(symbols // even, -1, every)
    return np.array([law.positions, inverse_of_odd, even - 1, (every - 1) // symbols * even], np.uint32)


@lru_cache(maxsize=1)
def compiled_checks() -> CheckLoop | None:
    """Load the compiled loop of checks; None without numba, or where it cannot be compiled or cached."""
    one = np.ones(4, np.uint32)
    loop: CheckLoop | None = _compiled("count_checks", one.reshape(1, 4), one, one, np.zeros(4, np.uint32))
    return loop


@lru_cache(maxsize=1)
def _compiled_loop() -> CountLoop | None:
    """Load the compiled loop of counts, or return None in the same way."""
    one = np.ones(1, np.int64)
    loop: CountLoop | None = _compiled("count_progressions", one, one, one, 2, np.zeros(5, np.int64))
    return loop


def _compiled(name: str, *arguments: Any) -> Any:
    """Load a loop, and compile it now for the one kind of arguments that it is called with."""
    try:
        loop = getattr(import_module(COMPILED_LOOPS), name)
        loop(*arguments)
    except (ImportError, RuntimeError, OSError):
        return None
    return loop


def look_up(law: CollisionLaw, words: Integers) -> tuple[Integers, Integers]:
    """Find the items at the positions that some words support."""
    places, items = sorted_positions(law.numbering)
    counts = np.zeros(law.items + 1, np.int64)
    for supported in visited(law, words):
        found = np.minimum(np.searchsorted(places, supported), places.size - 1)
        hit = places[found] == supported
        np.add.at(counts, items[found[hit]], ONE)
        counts[law.items] += supported.size - int(hit.sum())
    cells = np.flatnonzero(counts)
    return cells, counts[cells]


def visited(law: CollisionLaw, words: Integers) -> Iterator[Integers]:
    """Yield the positions that words support, in arrays that are overwritten once the next is asked for."""
    for start in range(0, words.size, PLACES_AT_ONCE):
        lines = progressions(law, words[start : start + PLACES_AT_ONCE])
        yield from _walk(lines, law.positions)


def _walk(lines: Progressions, positions: int) -> Iterator[Integers]:
    """Yield the positions of progressions, as many of each at once as there is room for."""
    shortest = int(lines.lengths.min())
    each = max(1, min(shortest, PLACES_AT_ONCE // lines.starts.size))
    ranks = np.arange(each)
    places = ((lines.starts[:, None] + lines.steps[:, None] * ranks) % positions).reshape(-1)
    steps = np.repeat(lines.steps * each % positions, each)
    for _ in range(shortest // each):
        yield places
        places += steps
        # Unsigned, a place is the lesser of itself and itself less N: below N the latter would be huge.
        unsigned = places.view(np.uint64)
        np.minimum(unsigned, unsigned - np.uint64(positions), out=unsigned)
    # A progression is at most one longer than the shortest.
    left = lines.lengths - shortest // each * each
    yield places[(ranks < left[:, None]).reshape(-1)]


def count_positions(law: CollisionLaw, words: Integers, *, compiled: bool) -> Integers:
    """Return how often every position is supported, counted on all cores where that pays."""
    loop = _compiled_loop() if compiled else None
    threads = min(os.cpu_count() or 1, words.size * law.steps_per_report // SUPPORTS_PER_THREAD + 1)
    # Threads take one part after another, so that none waits for long for one that was held up.
    parts = iter(_parts_for(words, threads))

    def count(_: int) -> Integers:
        counts = np.zeros(law.positions, np.int64)
        for part in parts:
            if loop is not None:
                loop(*_coefficients(law, part), law.symbols, counts)
                continue
            for supported in visited(law, part):
                np.add.at(counts, supported, ONE)
        return counts

    if threads == 1:
        return count(0)
    with ThreadPoolExecutor(threads) as pool:
        first, *rest = pool.map(count, range(threads))
    for counts in rest:
        first += counts
    return first


def prepare_counting(law: CollisionLaw) -> None:
    """Load what counting needs, so that from now on even a few words are counted in the compiled loop."""
    if law.positions <= MAX_COUNTED_POSITIONS:
        all_positions(law.numbering)
        _compiled_loop()


def _parts_for(words: Integers, threads: int) -> list[Integers]:
    size = min(MAX_PART_WORDS, max(MIN_PART_WORDS, words.size // (PARTS_PER_THREAD * threads)))
    return [words[start : start + size] for start in range(0, words.size, size)]


@lru_cache(maxsize=4)
def all_positions(numbering: Numbering) -> NDArray[np.int32]:
    """Return the positions of all items."""
    return item_positions(numbering, np.arange(numbering.items)).astype(np.int32)


@lru_cache(maxsize=2)
def sorted_positions(numbering: Numbering) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the positions of all items in order, and the items that stand there."""
    places = all_positions(numbering)
    order = np.argsort(places).astype(np.int32)
    return places[order], order
