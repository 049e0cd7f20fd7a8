"""PCKV-UE's law for every key in one word (proofs/ue-compact.md).

A report is a random affine function over the keys' digit vectors: its value at the sampled key is
a randomized residue, and at every other key it is uniform. A residue says a level if it is in that level's
set of residues; the sets of two levels may overlap.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pckv.base.budget import epsilon_of, exp_lower
from pckv.base.errors import ParameterError
from pckv.base.limits import ONE_LEVEL
from pckv.base.wire import Words
from pckv.mechanisms.base import THRESHOLD_BITS, FunctionCount, SamplingLaw, Support, response_threshold
from pckv.mechanisms.ue_compact import residues

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", int, "NDArray[np.int64]")

# Histograms beyond this many words are not decoded for all keys at once.
MAX_DECODED_WORDS = 2**28


class UeCompactLaw(SamplingLaw):
    """A word is φ·q + φ0: t digits φ in base q, least significant first, and an offset φ0.

    It says of key k, with digits u, the residue ⟨φ, u⟩ + φ0 mod q. The r residues from 0 on say the highest
    level, the r residues from r - o on the one below it, and so on, so that o of them say two levels: 0 with
    more than two levels. By default there is one residue per level, and several where keys have no values. All dummies
    are one more key, number d, with either of the first two levels.
    """

    name = "ue-compact"
    options = frozenset({"q", "r", "o"})
    functions: FunctionCount

    def __init__(  # noqa: PLR0917
        self,
        keys: int,
        padding: int,
        epsilon: Fraction,
        q: int | None = None,
        r: int | None = None,
        o: int = 0,
        *,
        levels: int = 2,
        bits: int = THRESHOLD_BITS,
    ) -> None:
        super().__init__(keys, padding, epsilon, levels=levels, bits=bits)
        self.bound = exp_lower(epsilon)
        default_q, default_r = residues.choose(keys, self.bound, levels) if q is None else (q, 1)
        self.q = residues.check(default_q, keys)
        self.r, self.o = residues.check_sets(self.q, default_r if r is None else r, o, levels)
        self.digits = residues.digits(keys, self.q)
        self.functions = FunctionCount(self.q**self.digits)

    @classmethod
    def read(cls, parameters: Mapping[str, object]) -> dict[str, Any]:
        if parameters and "q" not in parameters:
            raise ParameterError(f"{min(parameters)} must be given together with q")
        return super().read(parameters)

    @property
    def parameters(self) -> dict[str, str | int]:
        # The defaults are left out: one text per law, and tasks from before there were sets keep theirs.
        stated: dict[str, str | int] = {"q": self.q}
        stated |= {"r": self.r} if self.r > 1 else {}
        return stated | ({"o": self.o} if self.o else {})

    @property
    def claim(self) -> Fraction:
        return self.bound

    @property
    def budgets(self) -> dict[str, float]:
        return {"key" if self.levels == ONE_LEVEL else "key and value": epsilon_of(self.bound)}

    @property
    def word_limit(self) -> int:
        return self.functions * self.q

    @property
    def draws(self) -> int:
        # Slot, level if there are several, φ, whether the residue is in the true set, which one.
        return 4 + (self.levels > ONE_LEVEL)

    @property
    def counted_dummies(self) -> int:
        # All dummies are one more key.
        return 1

    @cached_property
    def message_format(self) -> Words:
        return Words(self.word_limit)

    @property
    def decodes_all(self) -> bool:
        return self.word_limit <= MAX_DECODED_WORDS

    def first(self, level: Number) -> Number:
        """The first of the r residues that say a level; numbers or arrays alike."""
        return (self.levels - 1 - level) * (self.r - self.o)

    @property
    def firsts(self) -> tuple[int, ...]:
        """The first residue of every level."""
        return tuple(self.first(level) for level in range(self.levels))

    @cached_property
    def kept(self) -> int:
        """Threshold: the residue is in the true level's set."""
        return response_threshold(self.one, self.bound, self.q, self.r)

    @cached_property
    def inside(self) -> Fraction:
        """The chance of any one residue in the true level's set."""
        return Fraction(self.kept, self.one * self.r)

    @cached_property
    def outside(self) -> Fraction:
        """The chance of any one of the other residues."""
        return Fraction(self.one - self.kept, self.one * (self.q - self.r))

    @property
    def realised(self) -> Fraction:
        ratio = self.inside / self.outside
        return max(ratio, 1 / ratio)

    @property
    def blanket(self) -> Fraction:
        # The common law is uniform over all words.
        return self.q * min(self.inside, self.outside)

    @property
    def sampled(self) -> Support:
        own, both = self.r * self.inside, self.o * self.inside
        return self._support(own, (self.r - self.o) * self.outside + both, both)

    @property
    def unsampled(self) -> Support:
        one = Fraction(self.r, self.q)
        return self._support(one, one, Fraction(self.o, self.q))

    def _support(self, own: Fraction, other: Fraction, both: Fraction) -> Support:
        if self.o:
            return Support.overlapping(own, other, both)
        return Support.exclusive(self.levels, own, other)

    def max_support(self, targets: int) -> int:
        # A constant function (φ = 0) says the same of every key: one level, or two if a residue says two.
        return targets * (2 if self.o else 1)

    @property
    def pair_total(self) -> int:
        return self.one * self.r * (self.q - self.r) * self.functions

    def pair_weight(self, message: int, key: int, level: int) -> int:
        place = self.residue(message, key) - self.first(level)
        return self.kept * (self.q - self.r) if 0 <= place < self.r else (self.one - self.kept) * self.r

    def dummy_weight(self, message: int) -> int:
        # All dummies are key number d.
        return self.padding * sum(self.pair_weight(message, self.keys, level) for level in self.dummy_levels)

    def residue(self, word: Number, key: Number) -> Number:
        """What a word says of a key; numbers or numpy arrays alike."""
        return (self.product(word // self.q, key) + word) % self.q

    def product(self, function: Number, key: Number) -> Number:
        """⟨φ, u⟩ mod q."""
        q = self.q
        total = function % q * (key % q)
        for _ in range(1, self.digits):
            function, key = function // q, key // q
            total = total + function % q * (key % q)
        return total % q
