"""PCKV-UE's law for every key in one word (proofs/ue-compact.md).

A report is a random affine function over the keys' digit vectors: its value at the sampled key is
a randomized residue, and at every other key it is uniform. A residue says + if it is in one set of
residues, - if it is in another; the sets may overlap.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pckv.budget import epsilon_of, exp_lower
from pckv.channels import residues
from pckv.channels.base import THRESHOLD_BITS, FunctionCount, SamplingChannel, Support, response_threshold
from pckv.errors import ParameterError
from pckv.wire import Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", int, "NDArray[np.int64]")

# Histograms beyond this many words are not decoded for all keys at once.
MAX_DECODED_WORDS = 2**28


class UeCompactChannel(SamplingChannel):
    """A word is φ·q + φ0: t digits φ in base q, least significant first, and an offset φ0.

    It says of key k, with digits u, the residue ⟨φ, u⟩ + φ0 mod q. The r residues from 0 on say +, the
    r residues from r - o on say -, so that o of them say both; by default one says + and one -. All
    dummies are one more key, number d, with a fair sign.
    """

    name = "ue-compact"
    options = frozenset({"q", "r", "o"})
    # Slot, sign, φ, whether the residue is in the true set, which one.
    draws = 5
    functions: FunctionCount

    def __init__(  # noqa: PLR0917
        self,
        keys: int,
        padding: int,
        epsilon: Fraction,
        q: int | None = None,
        r: int = 1,
        o: int = 0,
        bits: int = THRESHOLD_BITS,
    ) -> None:
        super().__init__(keys, padding, epsilon, bits)
        self.bound = exp_lower(epsilon)
        self.q = residues.choose(keys, self.bound) if q is None else residues.check(q, keys)
        self.r, self.o = residues.check_sets(self.q, r, o)
        self.digits = residues.digits(keys, self.q)
        self.functions = FunctionCount(self.q**self.digits)

    @classmethod
    def read(cls, parameters: Mapping[str, object]) -> dict[str, Any]:
        if parameters and "q" not in parameters:
            raise ParameterError(f"{min(parameters)} must be given together with q")
        return super().read(parameters)

    @property
    def parameters(self) -> dict[str, str | int]:
        # The defaults are left out: one text per channel, and tasks from before there were sets keep theirs.
        stated: dict[str, str | int] = {"q": self.q}
        stated |= {"r": self.r} if self.r > 1 else {}
        return stated | ({"o": self.o} if self.o else {})

    @property
    def claim(self) -> Fraction:
        return self.bound

    @property
    def budgets(self) -> dict[str, float]:
        return {"signed key": epsilon_of(self.bound)}

    @property
    def word_limit(self) -> int:
        return self.functions * self.q

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

    def first(self, positive: Number) -> Number:
        """The first of the r residues that say +, or of those that say -; numbers or arrays alike."""
        return (1 - positive) * (self.r - self.o)

    @property
    def firsts(self) -> tuple[int, int]:
        """The first residue that says +, and the first that says -."""
        return self.first(1), self.first(0)

    @cached_property
    def kept(self) -> int:
        """Threshold: the residue is in the true sign's set."""
        return response_threshold(self.one, self.bound, self.q, self.r)

    @cached_property
    def inside(self) -> Fraction:
        """The chance of any one residue in the true sign's set."""
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
        alone = self.r - self.o
        return Support(alone * self.inside, alone * self.outside, self.o * self.inside)

    @property
    def unsampled(self) -> Support:
        alone = Fraction(self.r - self.o, self.q)
        return Support(alone, alone, Fraction(self.o, self.q))

    def max_support(self, targets: int) -> int:
        # A constant function (φ = 0) says the same of every key: +, or both signs where there is such a residue.
        return targets * (2 if self.o else 1)

    @property
    def pair_total(self) -> int:
        return self.one * self.r * (self.q - self.r) * self.functions

    def pair_weight(self, message: int, key: int, sign: int) -> int:
        place = self.residue(message, key) - self.first(int(sign > 0))
        return self.kept * (self.q - self.r) if 0 <= place < self.r else (self.one - self.kept) * self.r

    def dummy_weight(self, message: int) -> int:
        # All 2ℓ signed dummies are key number d with a fair sign.
        return self.padding * sum(self.pair_weight(message, self.keys, sign) for sign in (+1, -1))

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
