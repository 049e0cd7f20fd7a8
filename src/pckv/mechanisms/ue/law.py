"""PCKV-UE: one three-sided die per key, sent as two bit planes; without values, one coin and plane (proofs/ue.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, floor, prod
from typing import Any

from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import MIN_LEVELS, ONE_LEVEL
from pckv.base.wire import BitPlanes
from pckv.mechanisms.base import THRESHOLD_BITS, AllocatedLaw, Support

# ε is split as under `optimized`, and how often a sign is faked is the task's own choice.
TUNED = "tuned"
# Beyond these, thresholds of 64 bits are too coarse for rounding to stay toward privacy.
MIN_BETA = Fraction(1, 10**6)
MAX_BETA = Fraction(1, 2) - MIN_BETA


class UeLaw(AllocatedLaw):
    """Independent positions; the paper's dummies carry nothing and are dropped before sending.

    A message is presence | sign << 8·plane_bytes, key k in bit k of either plane.
    """

    name = "ue"
    # Reports do not show which of them are made from dummies.
    counted_dummies = 0
    options = frozenset({"allocation", "beta"})
    # A report has at most one sign per key.
    max_levels = 2
    padding_amplifies = False

    def __init__(
        self,
        keys: int,
        padding: int,
        epsilon: Fraction,
        allocation: str = "optimized",
        beta: str | None = None,
        *,
        levels: int = 2,
        bits: int = THRESHOLD_BITS,
    ) -> None:
        if allocation == TUNED and levels != MIN_LEVELS:
            raise ParameterError(f"allocation {TUNED!r} has two levels, not {levels}: take 'optimized'")
        split = "optimized" if allocation == TUNED else allocation
        super().__init__(keys, padding, epsilon, split, levels=levels, bits=bits)
        self.allocation = allocation
        self.beta = beta

    @classmethod
    def read(cls, parameters: Mapping[str, object]) -> dict[str, Any]:
        found = super().read(parameters)
        if (found["allocation"] == TUNED) != ("beta" in parameters):
            raise ParameterError(f"allocation {TUNED!r} and beta go together: the canonical form has both or neither")
        return found | ({"beta": checked_beta(parameters["beta"])} if "beta" in parameters else {})

    @property
    def parameters(self) -> dict[str, str | int]:
        return super().parameters | ({} if self.beta is None else {"beta": self.beta})

    @cached_property
    def message_format(self) -> BitPlanes:
        return BitPlanes(self.keys, self.levels)

    @cached_property
    def draws(self) -> int:
        # Slot, sign if there are two, and one draw per key.
        return self.levels + self.keys

    @cached_property
    def silent(self) -> int:
        """Threshold: the sampled position stays empty (a = 1/2, unless it is tuned)."""
        return self.one // 2 if self.beta is None else self.one - self.kept - self.flipped

    @cached_property
    def flipped(self) -> int:
        """Threshold: the sampled position shows the other sign."""
        if self.beta is not None:
            return ceil(self.kept / self.claim)
        return ceil(self.silent / (self.budget.value + 1)) if self.levels > ONE_LEVEL else 0

    @cached_property
    def kept(self) -> int:
        """Threshold: the sampled position shows its own sign.

        Where it is tuned: βE/(1 + β(E - 1)), less a share 1/N, which leaves room to round the others up.
        """
        if self.beta is not None:
            room = self.one + self.fake * (self.claim - 1)
            return floor(self.fake * self.claim * (self.one - 1) / room)
        return self.one - self.silent - self.flipped

    @cached_property
    def fake(self) -> int:
        """Threshold: any other position shows a given sign.

        β where it is tuned, else the least integer with kept/fake · (1 - L·fake)/silent within the claim.
        """
        if self.beta is not None:
            return floor(self.one * Fraction(self.beta))
        return ceil(Fraction(self.kept * self.one) / (self.claim * self.silent + self.levels * self.kept))

    @cached_property
    def _odds(self) -> tuple[Fraction, ...]:
        """How likely a report is relative to one with nothing sampled, by what it shows of the position."""
        unsent = Fraction(self.silent, self.one - self.levels * self.fake)
        shown = (self.kept, self.flipped)[: self.levels]
        return *(Fraction(threshold, self.fake) for threshold in shown), unsent, Fraction(1)

    @property
    def realised(self) -> Fraction:
        return max(self._odds) / min(self._odds)

    @property
    def blanket(self) -> Fraction:
        return min(self._odds)

    @property
    def sampled(self) -> Support:
        return Support.exclusive(self.levels, Fraction(self.kept, self.one), Fraction(self.flipped, self.one))

    @property
    def unsampled(self) -> Support:
        return Support.exclusive(self.levels, Fraction(self.fake, self.one), Fraction(self.fake, self.one))

    @property
    def steps_per_report(self) -> int:
        return self.levels * self.keys

    def max_support(self, targets: int) -> int:
        return targets

    @property
    def pair_total(self) -> int:
        return int(self.one**self.keys)

    def messages(self) -> Iterator[int]:
        states = (+1, 0) if self.levels == ONE_LEVEL else (+1, -1, 0)
        return map(self.message, product(states, repeat=self.keys))

    def dummy_weight(self, message: int) -> int:
        # Dummies' own positions are dropped: to the others they are all alike.
        return 2 * self.padding * self.pair_weight(message, self.keys, 0)

    def pair_weight(self, message: int, key: int, level: int) -> int:
        sign = 1 if self.levels == ONE_LEVEL else 2 * level - 1
        sampled = {sign: self.kept, -sign: self.flipped, 0: self.silent}
        other = {+1: self.fake, -1: self.fake, 0: self.one - self.levels * self.fake}
        states = enumerate(self.states(message))
        return prod((sampled if position == key else other)[state] for position, state in states)

    def states(self, message: int) -> list[int]:
        """What a message shows per key: +1, -1 or 0 (absent); without values, +1 or 0."""
        plane = 8 * self.message_format.plane_bytes
        # All bits at once, from the first key on: shifting out each of many would take quadratic time.
        bits = f"{message:0{2 * plane}b}"[::-1]
        shown = {"00": 0, "01": 0, "10": +1 if self.levels == ONE_LEVEL else -1, "11": +1}
        return [shown[present + sign] for present, sign in zip(bits[: self.keys], bits[plane:], strict=False)]

    def message(self, states: tuple[int, ...]) -> int:
        """The message that shows these states: +1, -1 or 0 (absent) per key."""
        presence = sum(1 << key for key, state in enumerate(states) if state)
        has_sign = self.levels > ONE_LEVEL
        sign = sum(1 << key for key, state in enumerate(states) if state > 0 and has_sign)
        return presence | sign << 8 * self.message_format.plane_bytes


def checked_beta(beta: object) -> str:
    """The decimal text of a β that a task may have."""
    text = decimal_text(beta, "beta")
    if not MIN_BETA <= Fraction(text) <= MAX_BETA:
        least, most = decimal_text(float(MIN_BETA), "beta"), decimal_text(float(MAX_BETA), "beta")
        raise ParameterError(f"beta must be at least {least} and at most {most}, not {text}")
    return text
