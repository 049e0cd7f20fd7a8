"""How many pairs somebody holds, as one of a few ends, by plain randomized response."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import floor

from pckv.budget import exp_lower
from pckv.channels.base import THRESHOLD_BITS
from pckv.errors import ParameterError


class SizeQuestion:
    """The question that a share of the reports answers instead of the pairs."""

    def __init__(
        self, keys: int, padding: int, epsilon: Fraction, share: Fraction, bits: int = THRESHOLD_BITS
    ) -> None:
        self.keys = keys
        self.padding = padding
        self.epsilon = epsilon
        self.share = share
        self.one = 1 << bits
        if padding >= keys:
            raise ParameterError("nobody can hold more pairs than the padding: there is nothing to ask")

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The sizes that are told apart; the first stands for all up to it."""
        found = {self.padding, self.padding + 1, 4 * self.padding, self.keys}
        return tuple(sorted(end for end in found if end <= self.keys))

    @cached_property
    def kept(self) -> int:
        """Threshold: the answer is the true end."""
        bound = exp_lower(self.epsilon)
        return floor(self.one * bound / (bound + len(self.ends) - 1))
