"""Collision: all of a participant's pairs, up to the padding, in one symbol (proofs/collision.md).

A public function, drawn for every report, sends items, which are keys with their levels, to symbols. The
report names the function and one symbol, which is more often than not one that a pair of theirs is sent to.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, groupby
from math import comb, floor, isqrt, lcm
from typing import Any

from pckv.base.budget import epsilon_of, exp_lower
from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_ITEMS, ONE_LEVEL, check_whole
from pckv.base.wire import Words
from pckv.mechanisms.base import (
    THRESHOLD_BITS,
    Bounds,
    Chance,
    CountLaw,
    FunctionCount,
    HeldLevels,
    ItemLaw,
    JointSupport,
    Probabilities,
    Support,
    SupportBounds,
)
from pckv.mechanisms.collision.affine import (
    MAX_POSITIONS,
    POSITIONS_PER_SYMBOL,
    Number,
    Numbering,
    best_generator,
    best_positions,
    is_generator,
    min_positions,
    numbers_of,
)
from pckv.mechanisms.primes import is_prime

# With more symbols there would be too many positions.
MAX_SYMBOLS = MAX_POSITIONS // POSITIONS_PER_SYMBOL
# With more items than this, counts of all of them would take too much memory: a tally keeps words.
MAX_COUNTED_ITEMS = 2**23
# Functions are named by both of their numbers while words, with the answers to a size question, stay below
# 2^63; and otherwise by one of this many indices.
MAX_NAMED_WORDS, INDICES = 2**62, 2**32


class CollisionLaw(ItemLaw):
    """A word is function·t + z: the number of a public function, and one of t symbols.

    Function (A - 1)·N + C sends an item at position x to symbol ((A·x + C) mod N) mod t. The word supports
    the items that the function sends to z. Item levels·key + level is a key with a level. The padding s is
    the most pairs that a report is made from.
    """

    name = "collision"
    max_keys = MAX_ITEMS // 2
    # Reports do not show which of them are made from dummies.
    counted_dummies = 0
    # Items without holders are supported a little less often than one in t (proofs/collision.md).
    exactly_uniform = False
    options = frozenset({"symbols", "positions", "generator"})
    functions: FunctionCount

    def __init__(
        self,
        keys: int,
        padding: int,
        epsilon: Fraction,
        *,
        symbols: int | None = None,
        positions: int | None = None,
        generator: int | None = None,
        levels: int = 2,
        bits: int = THRESHOLD_BITS,
        functions: int | None = None,
    ) -> None:
        """Fix the public family; fewer `functions` and positions than there are serve enumeration."""
        super().__init__(keys, padding, epsilon, levels=levels, bits=bits)
        if keys * levels > MAX_ITEMS:
            raise ParameterError(
                f"{self.name} takes at most {MAX_ITEMS // levels:,} keys with {levels} levels, not {keys:,}"
            )
        self.bound = exp_lower(epsilon)
        symbols = best_symbols(padding, self.bound, levels) if symbols is None else symbols
        self.symbols = check_symbols(symbols, padding)
        self.items = levels * keys
        fewest = min_positions(self.items, self.symbols)
        positions = best_positions(keys, self.items, self.symbols) if positions is None else positions
        self.positions = check_positions(positions, fewest if functions is None else self.items + 1)
        generator = best_generator(self.positions) if generator is None else generator
        self.numbering = Numbering(self.items, self.positions, check_generator(generator, self.positions))
        pairs = self.positions * (self.positions - 1)
        self.by_index = self.items > MAX_COUNTED_ITEMS or pairs * self.symbols > MAX_NAMED_WORDS
        self.functions = FunctionCount(functions or (INDICES if self.by_index else pairs))
        if bits == THRESHOLD_BITS and self.hit * self.symbols < self.one:
            raise ParameterError(f"padding {padding:,} is too large for ε = {float(epsilon):g}: 64 bits are too coarse")

    @property
    def parameters(self) -> dict[str, str | int]:
        return {"generator": self.numbering.generator, "positions": self.positions, "symbols": self.symbols}

    @property
    def claim(self) -> Fraction:
        return self.bound

    @property
    def budgets(self) -> dict[str, float]:
        return {"all pairs" if self.levels > ONE_LEVEL else "all keys": epsilon_of(self.bound)}

    @property
    def word_limit(self) -> int:
        return self.functions * self.symbols

    @cached_property
    def message_format(self) -> Words:
        return Words(self.word_limit)

    @property
    def draws(self) -> int:
        # Which pairs, their levels if there are several, the function, the symbol, another symbol.
        chosen = 0 if self.keys <= self.padding else self.padding
        return chosen + (min(self.keys, self.padding) if self.levels > ONE_LEVEL else 0) + 3

    @cached_property
    def hit(self) -> int:
        """Threshold, for every symbol that a pair is sent to: the report is that symbol.

        One number for any number of pairs: rounded apart for each, their ratios would not be bounded.
        """
        return floor(self.one * self.bound / (self.symbols - self.padding + self.padding * self.bound))

    @property
    def realised(self) -> Fraction:
        # A symbol of a participant's pairs against any other, with as many pairs as there may be.
        ratio = Fraction(self.hit * (self.symbols - self.padding), self.one - self.padding * self.hit)
        return max(ratio, 1 / ratio)

    @property
    def blanket(self) -> Fraction:
        # The common law is uniform over all words: functions, and symbols at any one of them.
        held = Fraction(self.hit, self.one)
        return self.symbols * min(held, (1 - self.padding * held) / (self.symbols - self.padding))

    @cached_property
    def probabilities(self) -> Probabilities:
        held, other = Fraction(self.hit, self.one), Fraction(1, self.symbols)
        any_level = held + (self.levels - 1) * other
        return Probabilities(a=any_level, b=self.levels * other, p=held / any_level)

    @cached_property
    def count_law(self) -> CountLaw:
        return self._law_with(Fraction(1, self.symbols))

    def measured_law(self, unused_supports: int, reports: int) -> CountLaw:
        """Return the law of the counts of a key's levels, given the supports of all unused positions.

        They are supported like items without holders: a little less often than one in t, and the less the
        more pairs people report. How much less is bounded, against chance and hostile reports.
        """
        unused = self.positions - self.items
        most = Fraction(1, self.symbols)
        if not reports:
            return self._law_with(most)
        gap = (Fraction(self.hit, self.one) - most) * self.padding / (self.positions - self.padding)
        return self._law_with(min(most, max(most - 2 * gap, Fraction(unused_supports, reports * unused))))

    @cached_property
    def support_bounds(self) -> SupportBounds:
        # Two places of a function are as good as random, three are not: which pairs are held together may make
        # an item without holders rarer or more frequent than one in t.
        held, items, levels = Fraction(self.hit, self.one), self.items, self.levels
        pairs = min(self.keys, self.padding)
        miss = self._other_symbol(pairs)
        if self.by_index:
            # A few of all functions: nothing is exact but the chances given a function.
            return SupportBounds(
                Bounds(miss, held), Bounds(levels * miss, levels * held), Bounds(0, self.steps_per_report)
            )
        # An item shares the symbol of the first pair as often as any two do, of the others perhaps never beyond
        # that. Pairs that share a symbol leave more to all others.
        alike = self.same_symbol_chance
        least = miss + (held - miss) * alike
        shared = (self._other_symbol(pairs - 1) - miss) * alike * comb(pairs, 2)
        most = min(held, Fraction(1, self.symbols) + shared)
        return SupportBounds(
            item=Bounds(least, held),
            key=Bounds(levels * least, held + (levels - 1) * most),
            total=Bounds(items * least, pairs * held + (items - pairs) * most),
        )

    def _other_symbol(self, own: int) -> Fraction:
        """The chance of any one symbol that none of a participant's pairs is sent to, given how many are."""
        return (1 - own * Fraction(self.hit, self.one)) / (self.symbols - own)

    @cached_property
    def same_symbol_chance(self) -> Fraction:
        """How often a random function sends two items, which take different places, to one symbol."""
        fewer, larger = divmod(self.positions, self.symbols)
        ordered_pairs = larger * (fewer + 1) * fewer + (self.symbols - larger) * fewer * (fewer - 1)
        return Fraction(ordered_pairs, self.positions * (self.positions - 1))

    def joint_support(self, other: Chance) -> JointSupport:
        """Return how often a report supports two items, given how often one that its sender does not hold.

        Both are supported where they are sent to one symbol and the report is that. If either is held, the report is
        one of its symbols as often as of any single item that is held (proofs/derived-estimates.md).
        """
        alike, held = self.same_symbol_chance, Fraction(self.hit, self.one)
        return JointSupport(both=alike * held, one=alike * held, neither=alike * other, own=held, other=other)

    def _law_with(self, other: Fraction) -> CountLaw:
        # Each level of a key has its own position, so that a report may support several.
        held = Fraction(self.hit, self.one)
        return CountLaw(
            holder=Support.independent(self.levels, held, other),
            absent=Support.independent(self.levels, other, other),
            padding=self.padding,
        )

    def weight(self, held: HeldLevels, message: int) -> int:
        """Add up the weights for every choice of pairs, given the word's function."""
        function, symbol = divmod(message, self.symbols)
        weight, unit = 0, _unit(self.symbols, self._taken(held))
        for chosen in combinations(self._items(held), self._taken(held)):
            own = _own_symbols(self, function, self._asked(function, chosen))
            if symbol in own:
                weight += self.hit * unit
            else:
                weight += (self.one - len(own) * self.hit) * (unit // (self.symbols - len(own)))
        return weight

    def total(self, held: HeldLevels) -> int:
        taken = self._taken(held)
        return self.functions * comb(len(held), taken) * self.one * _unit(self.symbols, taken)

    def _items(self, held: HeldLevels) -> list[Any]:
        return [self.item(key, level) for key, level in held.items()]

    def _asked(self, _function: int, chosen: tuple[Any, ...]) -> tuple[int, ...]:
        """The items of what was chosen that a function asks about: all of them."""
        return chosen

    def _taken(self, held: HeldLevels) -> int:
        return min(len(held), self.padding)

    @property
    def decodes_all(self) -> bool:
        # A tally counts the supports of every item, or keeps words, which are checked against a few keys.
        return self.items <= MAX_COUNTED_ITEMS

    @property
    def steps_per_report(self) -> int:
        # The positions that the function sends to the report's symbol.
        return -(-self.positions // self.symbols)

    def max_support(self, targets: int) -> int:
        # A search of the functions may find one that sends all levels of many keys to one symbol.
        return min(self.levels * targets, self.steps_per_report)

    def own_symbols(self, function: int, items: Iterable[int]) -> list[int]:
        """The distinct symbols that some items are sent to, in order."""
        return [symbol for symbol, _ in groupby(sorted(self.symbol(function, item) for item in items))]

    def symbol(self, function: Number, item: Number) -> Number:
        """The symbol that a function sends an item to; numbers or numpy arrays alike."""
        return self.symbol_at(function, self.numbering.position(item))

    def symbol_at(self, function: Number, position: Number) -> Number:
        """The symbol that a function sends a position to."""
        return self.sent_to(*self.coefficients(function), position)

    def sent_to(self, factor: Number, offset: Number, position: Number) -> Number:
        """The symbol that the function of these two numbers sends a position to."""
        return (factor * position + offset) % self.positions % self.symbols

    def coefficients(self, function: Number) -> tuple[Number, Number]:
        """A and C of a function."""
        if self.by_index:
            less_one, offset = numbers_of(function, self.positions)
        else:
            less_one, offset = function // self.positions, function % self.positions
        return less_one + 1, offset

    def item(self, key: Number, level: Number) -> Number:
        """The number of a key with one of its levels."""
        return self.levels * key + level


@lru_cache(maxsize=1024)
def _own_symbols(law: CollisionLaw, function: int, items: tuple[int, ...]) -> list[int]:
    """Remember the symbols of a set, of which the weights of many words are asked."""
    return law.own_symbols(function, items)


@lru_cache(maxsize=1024)
def _unit(symbols: int, taken: int) -> int:
    """Return a common multiple of all numbers of symbols that are not those of as many pairs, or of fewer."""
    return lcm(*(symbols - own for own in range(taken + 1)))


def best_symbols(padding: int, bound: Fraction, levels: int = 2) -> int:
    """The number of symbols with about the least error of a rare key, or the most that fit into a word.

    Without values it is the one with the least error of a frequency, which is smallest where
    (t - s)² = sE·(t - s) + 2sE(s - 1), s being the padding and E the bound.
    """
    about = floor(padding * bound) + 2 * padding - 1
    if levels == ONE_LEVEL:
        linear = padding * bound
        above = linear + isqrt(floor(linear * (linear + 8 * (padding - 1))))
        near = range(max(padding + 1, padding + floor(above / 2) - 1), padding + floor(above / 2) + 3)
        about = min(near, key=lambda symbols: (_frequency_error(symbols, padding, bound), symbols))
    return min(about, MAX_SYMBOLS)


def _frequency_error(symbols: int, padding: int, bound: Fraction) -> Fraction:
    """The variance of a rare key's frequency, times the number of reports and (E - 1)²."""
    others = symbols - padding
    return (symbols - 1) * (others + padding * bound) ** 2 / Fraction(others) ** 2


def check_symbols(symbols: object, padding: int) -> int:
    """A number of symbols that reports of this padding can be made with."""
    if (number := check_whole(symbols, "symbols")) <= padding:
        raise ParameterError(
            f"symbols must be more than the padding, so that some say none of the pairs: {symbols} ≤ {padding}"
        )
    if number > MAX_SYMBOLS:
        raise ParameterError(f"symbols must be at most {MAX_SYMBOLS:,}, not {number:,}")
    return number


def check_positions(positions: object, fewest: int) -> int:
    """A number of positions that is neither too small nor too large, and prime."""
    if not fewest <= (number := check_whole(positions, "positions")) <= MAX_POSITIONS:
        raise ParameterError(f"positions must be from {fewest:,} to {MAX_POSITIONS:,}, not {number:,}")
    if not is_prime(number):
        raise ParameterError(f"positions must be a prime number, not {number:,}")
    return number


def check_generator(generator: object, positions: int) -> int:
    """A generator, whose powers are all positions but 0."""
    if not is_generator(number := check_whole(generator, "generator"), positions):
        raise ParameterError(f"generator must be a primitive root modulo {positions:,}, not {number:,}")
    return number
