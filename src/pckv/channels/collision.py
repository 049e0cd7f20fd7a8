"""Collision: all of a participant's pairs, up to the padding, in one symbol (proofs/collision.md).

A public hash function, drawn for every report, sends signed keys to symbols. The report names the
function and one symbol, which is more often than not one that a pair of theirs is sent to.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, groupby
from math import comb, floor, lcm

from pckv.budget import epsilon_of, exp_lower
from pckv.channels.base import (
    THRESHOLD_BITS,
    Channel,
    CountLaw,
    FunctionCount,
    Probabilities,
    Signs,
    Support,
)
from pckv.channels.hashing import Number, hashed, reduced
from pckv.errors import ParameterError
from pckv.wire import Words

# Enough hash functions for their number to add no measurable error.
FUNCTIONS = 2**32
# Words, functions times symbols, stay below 2^63.
MAX_SYMBOLS = 2**31 - 1


class CollisionChannel(Channel):
    """A word is function·t + z: the number of a hash function, and one of t symbols.

    It supports the signed keys that the function sends to z. The padding s is the most pairs that
    a report is made from. For enumeration there are families of fewer functions, and the one of
    all functions (None), which a hash stands in for.
    """

    name = "collision"
    # Reports do not show which of them are made from dummies.
    counted_dummies = 0
    options = frozenset({"symbols"})

    def __init__(
        self,
        keys: int,
        padding: int,
        epsilon: Fraction,
        symbols: int | None = None,
        bits: int = THRESHOLD_BITS,
        *,
        functions: int | None = FUNCTIONS,
    ) -> None:
        super().__init__(keys, padding, epsilon, bits)
        self.bound = exp_lower(epsilon)
        self.symbols = best_symbols(padding, self.bound) if symbols is None else symbols
        check_symbols(self.symbols, padding)
        self.exactly_uniform = functions is None
        self.functions = FunctionCount(self.symbols ** (2 * keys) if functions is None else functions)
        if bits == THRESHOLD_BITS and self.hit * self.symbols < self.one:
            raise ParameterError(
                f"padding {padding:,} is too large for ε = {float(epsilon):g}: 64 bits are too coarse"
            )

    @property
    def parameters(self) -> dict[str, str | int]:
        return {"symbols": self.symbols}

    @property
    def claim(self) -> Fraction:
        return self.bound

    @property
    def budgets(self) -> dict[str, float]:
        return {"signed pairs": epsilon_of(self.bound)}

    @property
    def word_limit(self) -> int:
        return self.functions * self.symbols

    @cached_property
    def message_format(self) -> Words:
        return Words(self.word_limit)

    @property
    def draws(self) -> int:
        # Which pairs, their signs, the function, the symbol, another symbol.
        pairs = self.keys if self.keys <= self.padding else 2 * self.padding
        return pairs + 3

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
        return Probabilities(a=held + other, b=2 * other, p=held / (held + other))

    @cached_property
    def count_law(self) -> CountLaw:
        # The two signs of a key are hashed apart, so that a report may support both.
        held, other = Fraction(self.hit, self.one), Fraction(1, self.symbols)
        return CountLaw(holder_plus=_independent(held, other), absent=_independent(other, other))

    def weight(self, signs: Signs, message: int) -> int:
        """Add up the weights for every choice of pairs, given the word's function."""
        function, symbol = divmod(message, self.symbols)
        weight = 0
        for chosen in combinations(self._items(signs), self._taken(signs)):
            own = _own_symbols(self, function, chosen)
            if symbol in own:
                weight += self.hit * self._unit
            else:
                weight += (self.one - len(own) * self.hit) * (self._unit // (self.symbols - len(own)))
        return weight

    def total(self, signs: Signs) -> int:
        return self.functions * comb(len(signs), self._taken(signs)) * self.one * self._unit

    def _items(self, signs: Signs) -> list[int]:
        return [self.item(key, sign > 0) for key, sign in signs.items()]

    def _taken(self, signs: Signs) -> int:
        return min(len(signs), self.padding)

    @cached_property
    def _unit(self) -> int:
        # A common multiple of all numbers of other symbols.
        return lcm(*(self.symbols - own for own in range(min(self.keys, self.padding) + 1)))

    def max_support(self, targets: int) -> int:
        # Whoever searches the functions may find one that sends both signs of many keys to one symbol.
        return 2 * targets

    def own_symbols(self, function: int, items: Iterable[int]) -> list[int]:
        """The distinct symbols that some items are sent to, in order."""
        return [symbol for symbol, _ in groupby(sorted(self.symbol(function, item) for item in items))]

    def symbol(self, function: Number, item: Number) -> Number:
        """The symbol that a function sends an item to; numbers or numpy arrays alike."""
        if self.exactly_uniform:
            return function // self.symbols**item % self.symbols
        return reduced(hashed(function, item), self.symbols)

    @staticmethod
    def item(key: Number, positive: Number) -> Number:
        """The number of a signed key."""
        return 2 * key + positive


@lru_cache(maxsize=1024)
def _own_symbols(channel: CollisionChannel, function: int, items: tuple[int, ...]) -> list[int]:
    """Remember the symbols of a set, of which the weights of many words are asked."""
    return channel.own_symbols(function, items)


def best_symbols(padding: int, bound: Fraction) -> int:
    """The number of symbols with the least error of a rare key, or the most that fit into a word."""
    return min(floor(padding * bound) + 2 * padding - 1, MAX_SYMBOLS)


def check_symbols(symbols: object, padding: int) -> int:
    """A number of symbols that reports of this padding can be made with."""
    if isinstance(symbols, bool) or not isinstance(symbols, int):
        raise ParameterError(f"symbols must be a whole number, not {symbols!r}")
    if symbols <= padding:
        raise ParameterError(
            f"symbols must be more than the padding, so that some say none of the pairs: {symbols} ≤ {padding}"
        )
    if symbols > MAX_SYMBOLS:
        raise ParameterError(f"symbols must be at most 2^31 - 1, for words of 63 bits, not {symbols}")
    return symbols


def _independent(plus: Fraction, minus: Fraction) -> Support:
    return Support(plus * (1 - minus), (1 - plus) * minus, plus * minus)
