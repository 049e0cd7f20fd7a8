"""PCKV-GRR: one key with its level out of all, sent as one word (proofs/grr.md)."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import floor

from pckv.base.budget import epsilon_of
from pckv.base.limits import ONE_LEVEL
from pckv.base.wire import Words
from pckv.mechanisms.base import AllocatedLaw, Chance, HeldLevels, ItemLaw, JointSupport, Support, response_threshold


class GrrLaw(AllocatedLaw, ItemLaw):
    """A word is levels·key + level; the words of the dummies follow the keys'."""

    name = "grr"
    padding_amplifies = True

    @cached_property
    def symbols(self) -> int:
        """Keys and dummies, with each of the levels."""
        return self.levels * (self.keys + self.padding)

    @property
    def word_limit(self) -> int:
        return self.symbols

    @property
    def draws(self) -> int:
        # Slot, dummy, level if there are several, word, other word.
        return 4 + (self.levels > ONE_LEVEL)

    @property
    def counted_dummies(self) -> int:
        return self.padding

    @cached_property
    def message_format(self) -> Words:
        return Words(self.word_limit)

    @cached_property
    def set_apart(self) -> int:
        """How many words have their own threshold: the true one, or its key's two.

        Under the optimized allocation the flipped word is as likely as every other, and the
        mechanism is plain randomized response on keys with levels.
        """
        return 1 if self.allocation == "optimized" else 2

    @cached_property
    def spread(self) -> int:
        """The words that share what the thresholds leave, evenly."""
        return self.symbols - self.set_apart

    @cached_property
    def kept(self) -> int:
        """Threshold: the word is the true one."""
        if self.set_apart == 1:
            return response_threshold(self.one, self.budget.value, self.symbols)
        return floor(self._own_key() * self.budget.value / (self.budget.value + 1))

    @cached_property
    def flipped(self) -> int:
        """Threshold: the true key with the other of two levels; 0 where that word is not set apart."""
        return 0 if self.set_apart == 1 else floor(self._own_key() / (self.budget.value + 1))

    @property
    def budgets(self) -> dict[str, float]:
        if self.levels == ONE_LEVEL:
            return super().budgets
        any_level = (self.budget.value + self.levels - 1) / self.levels
        key = any_level if self.set_apart == 1 else self.budget.key
        return {"key": epsilon_of(key), "value": epsilon_of(self.budget.value)}

    def _own_key(self) -> Fraction:
        others = self.keys + self.padding - 1
        return self.one * self.budget.key / (self.budget.key + others)

    @cached_property
    def other(self) -> Fraction:
        """The chance of any one of the other words."""
        return Fraction(self.one - self.kept - self.flipped, self.one * self.spread)

    @property
    def realised(self) -> Fraction:
        chances: tuple[Fraction, ...] = (self.sampled.own, self.sampled.other, self.other)
        rest = (self.padding - 1) * self.other
        return (max(chances) + rest) / (min(chances) + rest)

    @property
    def blanket(self) -> Fraction:
        # The common law is uniform over all words; a pair that is one of as few as possible shows most.
        least: Fraction = min(self.sampled.own, self.sampled.other, self.other)
        return self.symbols * (least + (self.padding - 1) * self.other) / self.padding

    @property
    def sampled(self) -> Support:
        flipped = self.other if self.set_apart == 1 else Fraction(self.flipped, self.one)
        return Support.exclusive(self.levels, Fraction(self.kept, self.one), flipped)

    @property
    def unsampled(self) -> Support:
        return Support.exclusive(self.levels, self.other, self.other)

    def joint_support(self, other: Chance) -> JointSupport:
        # A word is that of one item, whatever is held.
        never = Fraction(0)
        return JointSupport(both=never, one=never, neither=never, own=self.count_law.holder.own, other=other)

    def max_support(self, targets: int) -> int:
        return min(targets, 1)

    @property
    def pair_total(self) -> int:
        return self.one * self.spread

    def pair_weight(self, message: int, key: int, level: int) -> int:
        word = self.word(key, level)
        if message == word:
            return self.kept * self.spread
        if message == word ^ 1 and self.set_apart > 1:
            return self.flipped * self.spread
        return self.one - self.kept - self.flipped

    def pairs_weight(self, message: int, held: HeldLevels) -> int:
        # For all pairs but that of its key, a word is one of many.
        own = {key: held[key] for key in (message // self.levels,) if key in held}
        others = (len(held) - len(own)) * (self.one - self.kept - self.flipped)
        return super().pairs_weight(message, own) + others

    def dummy_weight(self, message: int) -> int:
        # The word of one dummy, with either of its levels, and those of all others, for which any is alike.
        key, level = divmod(message, self.levels)
        other = self.one - self.kept - self.flipped
        if key < self.keys or level not in self.dummy_levels:
            return 2 * self.padding * other
        own = sum(self.pair_weight(message, key, drawn) for drawn in self.dummy_levels)
        return own + 2 * (self.padding - 1) * other

    def word(self, key: int, level: int) -> int:
        """The word of a key with one of its levels."""
        return self.levels * key + level
