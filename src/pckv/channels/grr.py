"""PCKV-GRR: one signed key out of all, sent as one word (proofs/grr.md)."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import floor

from pckv.channels.base import AllocatedChannel, Signs, Support
from pckv.wire import Words


class GrrChannel(AllocatedChannel):
    """A word is 2·key + (1 for +, 0 for -); the words of the dummies follow the keys'."""

    name = "grr"
    padding_amplifies = True
    # Slot, dummy, sign, word, other word.
    draws = 5

    @cached_property
    def symbols(self) -> int:
        """Signed keys and signed dummies."""
        return 2 * (self.keys + self.padding)

    @property
    def word_limit(self) -> int:
        return self.symbols

    @property
    def counted_dummies(self) -> int:
        return self.padding

    @cached_property
    def message_format(self) -> Words:
        return Words(self.word_limit)

    @cached_property
    def set_apart(self) -> int:
        """How many words have a threshold of their own: the true one, or its key's two.

        Under the optimized allocation the flipped word is as likely as every other, and the
        mechanism is plain randomized response on the signed keys.
        """
        return 1 if self.allocation == "optimized" else 2

    @cached_property
    def spread(self) -> int:
        """The words that share what the thresholds leave, evenly."""
        return self.symbols - self.set_apart

    @cached_property
    def kept(self) -> int:
        """Threshold: the word is the true one."""
        return floor(self._own_key() * self.budget.value / (self.budget.value + 1))

    @cached_property
    def flipped(self) -> int:
        """Threshold: the true key with the other sign; 0 where that word is not set apart."""
        return 0 if self.set_apart == 1 else floor(self._own_key() / (self.budget.value + 1))

    def _own_key(self) -> Fraction:
        others = self.keys + self.padding - 1
        return self.one * self.budget.key / (self.budget.key + others)

    @cached_property
    def other(self) -> Fraction:
        """The chance of any one of the other words."""
        return Fraction(self.one - self.kept - self.flipped, self.one * self.spread)

    @property
    def realised(self) -> Fraction:
        chances = (self.sampled.plus, self.sampled.minus, self.other)
        rest = (self.padding - 1) * self.other
        return (max(chances) + rest) / (min(chances) + rest)

    @property
    def blanket(self) -> Fraction:
        # The common law is uniform over all words; a pair that is one of as few as possible shows most.
        least = min(self.sampled.plus, self.sampled.minus, self.other)
        return self.symbols * (least + (self.padding - 1) * self.other) / self.padding

    @property
    def sampled(self) -> Support:
        minus = self.other if self.set_apart == 1 else Fraction(self.flipped, self.one)
        return Support(Fraction(self.kept, self.one), minus)

    @property
    def unsampled(self) -> Support:
        return Support(self.other, self.other)

    def max_support(self, targets: int) -> int:
        return min(targets, 1)

    @property
    def pair_total(self) -> int:
        return self.one * self.spread

    def pair_weight(self, message: int, key: int, sign: int) -> int:
        word = self.word(key, sign > 0)
        if message == word:
            return self.kept * self.spread
        if message == word ^ 1 and self.set_apart > 1:
            return self.flipped * self.spread
        return self.one - self.kept - self.flipped

    def pairs_weight(self, message: int, signs: Signs) -> int:
        # To all pairs but that of its own key a word is one of many.
        own = {key: sign for key in (message >> 1,) if (sign := signs.get(key))}
        others = (len(signs) - len(own)) * (self.one - self.kept - self.flipped)
        return super().pairs_weight(message, own) + others

    def dummy_weight(self, message: int) -> int:
        # Every dummy's word is once the true one and once the flipped one, and otherwise one of many.
        other = self.one - self.kept - self.flipped
        on_key = 2 * self.padding * other
        if message < 2 * self.keys:
            return on_key
        flipped = other if self.set_apart == 1 else self.flipped * self.spread
        return on_key - 2 * other + self.kept * self.spread + flipped

    @staticmethod
    def word(key: int, positive: bool) -> int:
        """The word of a signed key."""
        return 2 * key + positive
