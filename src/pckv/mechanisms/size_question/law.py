"""How many pairs a participant holds, asked of a few instead of their pairs (proofs/size-question.md).

The answer is one of a few ends chosen relative to the padding, by plain randomized response. What a padding
hides of a size m is 1 - ℓ/m, so a size between two ends is rounded at random such that 1/m keeps its mean; where two
keys are asked about together, such that 1/(m(m - 1)) does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, perm

from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError
from pckv.mechanisms.base import THRESHOLD_BITS, MessageDistribution, response_threshold

# More than half of the reports would tell less of the pairs than they do of the sizes.
MAX_SHARE = Fraction(1, 2)
# The third end is this many paddings: it tells large sets from those a little above the padding.
LARGE_SETS = 4


def size_ends(keys: int, padding: int) -> tuple[int, ...]:
    """Return the sizes that are told apart; the first stands for all sizes up to the padding.

    The second is the first size beyond the padding, so that the other ends together are exactly the people
    who hold more. The last is the number of keys, which no set exceeds.

    >>> size_ends(100, 5), size_ends(6, 5), size_ends(5, 5)
    ((5, 6, 20, 100), (5, 6), (5,))
    """
    beyond = {end for end in (padding + 1, LARGE_SETS * padding, keys) if padding < end <= keys}
    return (padding, *sorted(beyond))


@dataclass(frozen=True)
class Rounding:
    """A size between two ends: it becomes the lower one with probability `down`/`total`."""

    lower: int
    down: int
    total: int


@dataclass(frozen=True)
class SizeQuestion:
    """The question how many pairs a participant holds, which a share of the reports answers.

    Args:
        keys: The number of keys.
        padding: How many pairs a report stands for at most; below the number of keys.
        epsilon: The privacy budget, the same as for reports of pairs.
        share: The probability that a report answers this question: above 0 and at most 1/2.
        order: How many keys must be kept for an item to be: 2 where keys are asked about together.
        bits: The size of the thresholds; 64 but for enumeration.
    """

    keys: int
    padding: int
    epsilon: Fraction
    share: Fraction
    order: int = 1
    bits: int = THRESHOLD_BITS

    # Whether the size is asked, how it is rounded, whether the answer is true, which other answer.
    draws = 4

    def __post_init__(self) -> None:
        if not 0 < self.share <= MAX_SHARE:
            raise ParameterError(f"size_share must be at least 0 and at most 0.5, not {float(self.share):g}")
        if self.padding >= self.keys:
            raise ParameterError(f"size_share must be 0: nobody can hold more pairs than the padding, {self.padding:,}")

    @property
    def one(self) -> int:
        """The number of values that a draw takes."""
        return 1 << self.bits

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The sizes that are told apart, by answer."""
        return size_ends(self.keys, self.padding)

    @cached_property
    def asked(self) -> int:
        """Threshold: the report answers this question."""
        return floor(self.share * self.one)

    @cached_property
    def claim(self) -> Fraction:
        """e^ε as randomized response promises it."""
        return exp_lower(self.epsilon)

    @cached_property
    def kept(self) -> int:
        """Threshold: the answer is the true one."""
        return response_threshold(self.one, self.claim, len(self.ends))

    @cached_property
    def true_chance(self) -> Fraction:
        """The probability of the true answer."""
        return Fraction(self.kept, self.one)

    @cached_property
    def other_chance(self) -> Fraction:
        """The probability of any one of the other answers."""
        return (1 - self.true_chance) / (len(self.ends) - 1)

    @property
    def realised(self) -> Fraction:
        """e^ε of the integers: the true answer against any other."""
        return max(self.true_chance / self.other_chance, self.other_chance / self.true_chance)

    @property
    def blanket(self) -> Fraction:
        """γ of the answers alone: each has at least this share of a uniform chance (proofs/shuffling.md)."""
        return len(self.ends) * min(self.true_chance, self.other_chance)

    def mixed_blanket(self, pairs: Fraction) -> Fraction:
        """Return γ of a report, given that of pairs: which question it answers depends on nothing."""
        asked = Fraction(self.asked, self.one)
        return (1 - asked) * pairs + asked * self.blanket

    def rounding(self, size: int) -> Rounding | None:
        """Return how a size is rounded to its neighbouring ends; None if it is an end itself."""
        size = min(max(size, self.padding), self.keys)
        upper = bisect_left(self.ends, size)
        if self.ends[upper] == size:
            return None
        low, high, own = (perm(end, self.order) for end in (self.ends[upper - 1], self.ends[upper], size))
        return Rounding(upper - 1, low * (high - own), own * (high - low))

    def answer_of_end(self, size: int) -> int:
        """Return the true answer of a size that is not rounded."""
        return bisect_left(self.ends, min(size, self.keys))

    def true_answers(self, size: int) -> Sequence[tuple[int, Fraction]]:
        """Return the answers that a size is rounded to, with their chances."""
        rounding = self.rounding(size)
        if rounding is None:
            return [(self.answer_of_end(size), Fraction(1))]
        down = Fraction(rounding.down, rounding.total)
        return [(rounding.lower, down), (rounding.lower + 1, 1 - down)]

    def distribution(self, size: int) -> MessageDistribution:
        """Return the exact law of the answer of a participant with this many pairs."""
        true = dict(self.true_answers(size))
        gain = self.true_chance - self.other_chance
        chances = [self.other_chance + gain * true.get(answer, 0) for answer in range(len(self.ends))]
        total = self.one * (len(self.ends) - 1)
        for chance in true.values():
            total *= chance.denominator
        return MessageDistribution({answer: int(chance * total) for answer, chance in enumerate(chances)}, total)

    @cached_property
    def hidden(self) -> tuple[Fraction, ...]:
        """What the padding hides of every pair of a participant, by end: 1 - ℓ/end."""
        return self.hidden_of(1)

    def hidden_of(self, order: int) -> tuple[Fraction, ...]:
        """Return what the padding hides of every `order` keys of a participant together, by end."""
        return tuple(1 - Fraction(perm(self.padding, order), perm(end, order)) for end in self.ends)

    @cached_property
    def hidden_variance(self) -> float:
        """The variance per answer of the estimated hidden share, where no set exceeds the padding."""
        first, *others = (float(weight) for weight in self.hidden)
        true, other = float(self.true_chance), float(self.other_chance)
        mean = true * first + other * sum(others)
        square = true * first**2 + other * sum(weight**2 for weight in others)
        return (square - mean**2) / (true - other) ** 2

    def mix(self, pairs: MessageDistribution, size: int, first_word: int) -> MessageDistribution:
        """Return the law of a report: of pairs, or of an answer, numbered after the words of pairs."""
        answers = self.distribution(size)
        mixture = {
            message: weight * (self.one - self.asked) * answers.total for message, weight in pairs.weights.items()
        }
        for answer, weight in answers.weights.items():
            mixture[first_word + answer] = weight * self.asked * pairs.total
        return MessageDistribution(mixture, self.one * pairs.total * answers.total)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the answers say, in words."""
        first, *beyond = self.ends
        return (f"at most {first:,}", *(f"about {end:,}" for end in beyond))
