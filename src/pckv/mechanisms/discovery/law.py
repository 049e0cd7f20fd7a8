"""Discovery: `collision` of prefixes, whose length the public function says (proofs/discovery.md)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self

from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_ITEMS, ONE_LEVEL
from pckv.mechanisms.base import THRESHOLD_BITS, FunctionCount
from pckv.mechanisms.collision.affine import Number
from pckv.mechanisms.collision.law import INDICES, MAX_NAMED_WORDS, CollisionLaw, best_symbols

# The items of a text: those of its prefixes, one per group.
Path = tuple[int, ...]


class DiscoveryLaw(CollisionLaw):
    """Functions are in groups: function group·2^32 + index asks about prefixes of the length of its group.

    A participant holds texts, each of which is a `Path`. Given the function, a report is one of `collision`
    with one level, made from the distinct items that the texts have in its group.
    """

    def __init__(
        self,
        padding: int,
        epsilon: Fraction,
        *,
        groups: int,
        symbols: int | None = None,
        positions: int | None = None,
        generator: int | None = None,
        bits: int = THRESHOLD_BITS,
        indices: int | None = None,
    ) -> None:
        """Fix the public family; fewer `indices` and bits than there are serve enumeration."""
        functions = groups * (indices or INDICES)
        most = MAX_NAMED_WORDS // functions
        if symbols is None:
            symbols = min(best_symbols(padding, exp_lower(epsilon), ONE_LEVEL), most)
        super().__init__(
            MAX_ITEMS,
            padding,
            epsilon,
            symbols=symbols,
            positions=positions,
            generator=generator,
            levels=ONE_LEVEL,
            bits=bits,
            functions=indices,
        )
        if self.symbols > most:
            raise ParameterError(f"symbols must be at most {most:,} with {groups} groups, not {self.symbols:,}")
        self.groups = groups
        self.by_index = True
        self.functions = FunctionCount(functions)

    @classmethod
    def of_groups(cls, groups: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object]) -> Self:
        """Build the law from a task's parameters; what is not given takes its default."""
        for unknown in sorted(set(parameters) - cls.options):
            raise ParameterError(f"mechanism {cls.name!r} has no parameter {unknown!r}")
        return cls(padding, epsilon, groups=groups, **cls.read(parameters))

    @property
    def decodes_all(self) -> bool:
        # Most prefixes are never looked at.
        return False

    def group_of(self, function: Number) -> Number:
        """The group that a function belongs to, the first being 0."""
        return function // (self.functions // self.groups)

    def coefficients(self, function: Number) -> tuple[Number, Number]:
        return super().coefficients(function % (self.functions // self.groups))

    def _items(self, held: Mapping[Any, int]) -> list[Path]:
        return list(held)

    def _asked(self, function: int, chosen: tuple[Any, ...]) -> tuple[int, ...]:
        group = self.group_of(function)
        return tuple(path[group] for path in chosen)
