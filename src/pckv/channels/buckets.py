"""How many pairs somebody holds, as one of a few buckets, by plain randomized response (proofs/buckets.md)."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import cached_property

from pckv.budget import epsilon_of, exp_lower
from pckv.channels.base import (
    SIZES,
    THRESHOLD_BITS,
    Channel,
    CountLaw,
    Law,
    Probabilities,
    Signs,
    Support,
    response_threshold,
)
from pckv.errors import ParameterError
from pckv.wire import Words

# Sizes up to this many pairs make 16 buckets.
MAX_PADDING = 2**14


class BucketsChannel(Channel):
    """A word is the number of a bucket of sizes: 0, 1, 2, 3-4, 5-8, doubling up to the padding.

    Larger sets count as the padding. The rows of its counts are the buckets, held with sign + by those whose size
    falls into them; keys and values are not looked at.
    """

    name = "buckets"
    # Reports do not show which of them are made from dummies.
    counted_dummies = 0
    kind = SIZES
    options = frozenset()
    # Whether the bucket is the true one, which other.
    draws = 2

    def __init__(self, keys: int, padding: int, epsilon: Fraction, bits: int = THRESHOLD_BITS) -> None:
        super().__init__(keys, padding, epsilon, bits)
        if padding > MAX_PADDING:
            raise ParameterError(f"padding of a task of sizes must be at most 2^14, not {padding}")
        self.bound = exp_lower(epsilon)
        doubling = (1 << power for power in range((padding - 1).bit_length()))
        # The largest size of every bucket.
        self.ends = (0, *doubling, padding)

    def bucket_of(self, size: int) -> int:
        """The number of the bucket that a size falls into."""
        return bisect_left(self.ends, min(size, self.padding))

    @property
    def starts(self) -> tuple[int, ...]:
        """The least size of every bucket."""
        return (0, *(end + 1 for end in self.ends[:-1]))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the buckets; the last is open, for larger sets count there too."""
        *closed, last = zip(self.starts, self.ends, strict=True)
        named = [str(start) if start == end else f"{start}-{end}" for start, end in closed]
        return (*named, f"{last[0]}+")

    @property
    def parameters(self) -> dict[str, str | int]:
        return {}

    @property
    def rows(self) -> int:
        return len(self.ends)

    @property
    def word_limit(self) -> int:
        return self.rows

    @cached_property
    def message_format(self) -> Words:
        return Words(self.word_limit)

    @cached_property
    def kept(self) -> int:
        """Threshold: the bucket is the true one."""
        return response_threshold(self.one, self.bound, self.rows)

    @cached_property
    def other(self) -> Fraction:
        """The chance of any one of the other buckets."""
        return Fraction(self.one - self.kept, self.one * (self.rows - 1))

    @property
    def claim(self) -> Fraction:
        return self.bound

    @property
    def realised(self) -> Fraction:
        return Fraction(self.kept, self.one) / self.other

    @property
    def budgets(self) -> dict[str, float]:
        return {"size": epsilon_of(self.bound)}

    @cached_property
    def probabilities(self) -> Probabilities:
        return Probabilities(a=Fraction(self.kept, self.one), b=self.other, p=Fraction(1))

    @cached_property
    def count_law(self) -> CountLaw:
        nothing = Fraction(0)
        return CountLaw(Support(Fraction(self.kept, self.one), nothing), Support(self.other, nothing))

    def held(self, signs: Signs) -> Signs:
        return {self.bucket_of(len(signs)): +1}

    def law(self, signs: Signs) -> Law:
        weights = dict.fromkeys(range(self.rows), self.one - self.kept)
        weights[self.bucket_of(len(signs))] = self.kept * (self.rows - 1)
        return Law(weights, self.one * (self.rows - 1))

    def max_support(self, targets: int) -> int:
        return min(targets, 1)
