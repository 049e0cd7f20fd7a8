"""Arrays of draws that remember what they are compared with: how code for many participants treats rare draws.

A narrow band of draws can only be treated differently by comparing with its ends. So every constant that a draw, or its
remainder, is compared with is recorded, and batches are then replayed with draws next to all of these constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Source
from pckv.device.vectorised import Draws, VectorisedTape

_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
_FOLLOWED = (np.add, np.subtract, np.multiply, np.remainder, np.floor_divide, np.divmod, np.right_shift)
# Of an array of many numbers that draws are compared with, this many are recorded.
MAX_RECORDED = 64


class DrawRecord:
    """What draws were compared with, and the draws at which these comparisons turn."""

    def __init__(self) -> None:
        self.constants: set[int] = set()

    def add(self, numbers: Any, shift: int) -> None:
        """Record numbers that a draw, shifted to the right by that many bits, was compared with."""
        distinct = np.unique(np.asarray(numbers))
        chosen = distinct[:: max(1, distinct.size // MAX_RECORDED)]
        self.constants |= {int(number) << shift for number in chosen.tolist()}

    def corners(self) -> list[int]:
        """Return the draws at and next to all constants."""
        near = {constant + step for constant in self.constants for step in (-1, 0, 1)}
        return sorted(number for number in near if 0 <= number < 2**64)


class ComparedDraws(np.ndarray[Any, Any]):
    """Draws, or what was computed from them; the number of a public hash function takes part in no decision."""

    record: DrawRecord | None = None
    shift = 0
    is_function = False

    def __array_finalize__(self, origin: Any) -> None:
        for name in ("record", "shift", "is_function"):
            setattr(self, name, getattr(origin, name, getattr(ComparedDraws, name)))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute with plain arrays; record comparisons, and refuse what cannot be followed."""
        if "out" in options:
            options["out"] = tuple(_plain(out) for out in options["out"])
        result = getattr(ufunc, method)(*map(_plain, inputs), **options)
        if ufunc in _COMPARISONS:
            self._compare(inputs)
            return result
        if "out" in options:
            return result
        if ufunc not in _FOLLOWED and not self.is_function:
            raise AuditFailure(f"compared draws: what {ufunc.__name__} makes of a draw cannot be followed")
        shift = int(inputs[1]) if ufunc is np.right_shift and not self.is_function else 0
        if isinstance(result, tuple):
            return tuple(self._derived(part, shift) for part in result)
        return self._derived(result, shift)

    def _compare(self, inputs: tuple[Any, ...]) -> None:
        others = [each for each in inputs if not isinstance(each, ComparedDraws)]
        if self.is_function:
            if any(np.ndim(other) == 0 for other in others):
                raise AuditFailure("compared draws: a decision depends on the number of a hash function")
        elif self.record is not None:
            for other in others:
                self.record.add(other, self.shift)

    def _derived(self, result: Any, shift: int) -> Any:
        derived = np.asarray(result).view(ComparedDraws)
        derived.record, derived.is_function = self.record, self.is_function
        derived.shift = self.shift + shift
        return derived


def _plain(number: Any) -> Any:
    return number.view(np.ndarray) if isinstance(number, ComparedDraws) else number


class ComparingTape(VectorisedTape):
    """A tape whose draws record what they are compared with."""

    def __init__(self, source: Source, functions: int | None) -> None:
        super().__init__(source)
        self.record = DrawRecord()
        self._functions = functions

    def draw(self, participants: Integers, each: int = 1) -> Draws:
        """Uniform 64-bit integers that record comparisons."""
        draws = super().draw(participants, each).view(ComparedDraws)
        draws.record = self.record
        return draws

    def below(self, participants: Integers, limits: Draws | np.uint64) -> Integers:
        """Uniform integers below limits that record comparisons; those below the number of functions name one."""
        numbers = super().below(participants, limits)
        if isinstance(numbers, ComparedDraws):
            numbers.is_function = np.ndim(limits) == 0 and int(limits) == self._functions
        return numbers


def recorded_corners(run: Callable[[VectorisedTape], object], source: Source, functions: int | None) -> list[int]:
    """Return the draws at which what a function of a tape does may change."""
    tape = ComparingTape(source, functions)
    run(tape)
    return tape.record.corners()
