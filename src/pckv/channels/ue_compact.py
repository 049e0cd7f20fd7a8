"""PCKV-UE's law for every key in one word (proofs/ue-compact.md).

A report is a random affine function over the keys' digit vectors: its value at the sampled key is
a randomized residue, and at every other key it is uniform.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING, TypeVar

from pckv.budget import epsilon_of, exp_lower
from pckv.channels import residues
from pckv.channels.base import THRESHOLD_BITS, Channel, Law, SamplingChannel, Support

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", int, "NDArray[np.int64]")

# What a key's residue says; every other one says that the key is absent.
PLUS, MINUS = 0, 1
# Histograms beyond this many words are not decoded for all keys at once.
MOST_DECODED = 2**28
SMALL_PRIME = 11


class UeCompactChannel(SamplingChannel):
    """A word is φ·q + φ0: t digits φ in base q, least significant first, and an offset φ0.

    It says of key k, with digits u, the residue ⟨φ, u⟩ + φ0 mod q. All dummies are one more key,
    number d, with a fair sign.
    """

    name = "ue-compact"
    options = frozenset({"q"})
    body_bytes = 8
    # Slot, sign, φ, residue, other residue.
    draws = 5

    def __init__(
        self,
        keys: int,
        padding: int,
        epsilon: Fraction,
        q: int | None = None,
        bits: int = THRESHOLD_BITS,
    ) -> None:
        super().__init__(keys, padding, epsilon, bits)
        self.bound = exp_lower(epsilon)
        self.q = residues.choose(keys, self.bound) if q is None else residues.check(q, keys)
        self.digits = residues.digits(keys, self.q)
        self.functions: int = self.q**self.digits

    @classmethod
    def from_parameters(
        cls,
        keys: int,
        padding: int,
        epsilon: Fraction,
        parameters: Mapping[str, object],
        bits: int = THRESHOLD_BITS,
    ) -> UeCompactChannel:
        cls.check_known(parameters)
        q = residues.check(parameters["q"], keys) if "q" in parameters else None
        return cls(keys, padding, epsilon, q, bits)

    @classmethod
    def variants(cls) -> tuple[dict[str, object], ...]:
        return ({}, {"q": 3}, {"q": 7})

    @property
    def parameters(self) -> dict[str, str | int]:
        return {"q": self.q}

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
    def decodes_all(self) -> bool:
        return self.word_limit <= MOST_DECODED

    @property
    def why(self) -> str:
        loss = float(residues.error(self.q, self.bound)) - 1
        best = residues.best(self.keys, self.bound)
        reason = f"q = {self.q}: {self.word_limit:,} words, {loss:.1%} more error than ue"
        if self.q != best:
            reason += f" (q = {best}: {float(residues.error(best, self.bound)) - 1:.1%})"
        if not self.decodes_all:
            reason += "; too many words to decode all keys together, only those asked for"
        return reason

    @cached_property
    def kept(self) -> int:
        """Threshold: the residue is the true sign's."""
        return floor(self.one * self.bound / (self.bound + self.q - 1))

    @property
    def realised(self) -> Fraction:
        ratio = self.sampled.plus / self.sampled.minus
        return max(ratio, 1 / ratio)

    @property
    def sampled(self) -> Support:
        other = Fraction(self.one - self.kept, self.one * (self.q - 1))
        return Support(Fraction(self.kept, self.one), other)

    @property
    def unsampled(self) -> Support:
        return Support(Fraction(1, self.q), Fraction(1, self.q))

    def smaller(self) -> Channel | None:
        # Words are q² even for one key, so that there a small prime stands for a large one.
        if self.keys > 1 or self.q <= SMALL_PRIME:
            return super().smaller()
        return UeCompactChannel(self.keys, self.padding, self.epsilon, SMALL_PRIME, self.bits)

    def most_supported(self, targets: int) -> int:
        # The word 0 (φ = 0, φ0 = 0) says + of every key.
        return targets

    @property
    def pair_total(self) -> int:
        return self.one * (self.q - 1) * self.functions

    def pair_law(self, key: int, sign: int) -> Law:
        true = PLUS if sign > 0 else MINUS
        kept, other = self.kept * (self.q - 1), self.one - self.kept
        weights = {
            word: kept if self.residue(word, key) == true else other for word in range(self.word_limit)
        }
        return Law(weights, self.pair_total)

    def dummy_weights(self) -> dict[int, int]:
        # All 2ℓ signed dummies are key number d with a fair sign.
        plus, minus = (self.pair_law(self.keys, sign).weights for sign in (+1, -1))
        return {word: self.padding * (plus[word] + minus[word]) for word in plus}

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
