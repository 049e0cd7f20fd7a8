"""Numbers that notice how they are used: what device code is run on instead of plain draws.

A draw is a `Variable`: a value, and the box of values around it for which every step taken so far would have
been the same. A `Traced` number is a linear function of one variable. Comparing it narrows the box; what
cannot be followed pins the variable to its value. A `Seed`, the number of a public hash function, may enter
arithmetic and the report, but no decision: a comparison with a constant raises `AuditFailure`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from pckv.base.errors import AuditFailure

# A number as device code sees it: plain, traced, or a seed.
Number: TypeAlias = Any


class Variable:
    """A uniform integer from `first` to `last`, with its value and the box that the value may move in."""

    __slots__ = ("first", "fixed", "high", "last", "low", "remainder", "value")

    def __init__(self, first: int, last: int, value: int) -> None:
        self.first, self.last, self.value = first, last, value
        self.low, self.high = first, last
        # The remainder that was taken of it, and whether its own box must stay because of that.
        self.remainder: Remainder | None = None
        self.fixed = False

    def is_below(self, bound: int) -> bool:
        """Return whether the value is below a bound, and keep to the values with the same answer."""
        if self.value < bound:
            if bound <= self.high:
                self._narrow(self.low, bound - 1)
            return True
        if bound > self.low:
            self._narrow(bound, self.high)
        return False

    def _narrow(self, low: int, high: int) -> None:
        if self.fixed:
            raise AuditFailure("interval tape: a draw is used both as it is and by its remainder")
        self.low, self.high = low, high

    def pin(self) -> int:
        """Return the value, and keep to it."""
        self.is_below(self.value)
        self.is_below(self.value + 1)
        return self.value


class Remainder(Variable):
    """The remainder of a draw: uniform once the draw is known to be in a complete run of `count` numbers."""

    __slots__ = ("count", "draw")

    def __init__(self, draw: Variable, count: int) -> None:
        super().__init__(0, count - 1, draw.value % count)
        self.draw, self.count = draw, count
        draw.remainder = self

    def settle(self) -> None:
        """Find out which run the draw is in: one of the complete ones, or an incomplete one at either end."""
        draw, count = self.draw, self.count
        if draw.fixed:
            return
        start = -(-draw.low // count) * count
        stop = (draw.high + 1) // count * count
        if start < stop:
            if not draw.is_below(start):
                draw.is_below(stop)
        elif start <= draw.high:
            draw.is_below(start)
        if (draw.high - draw.low + 1) % count:
            self.first, self.last = draw.low % count, draw.high % count
            self.low, self.high = max(self.low, self.first), min(self.high, self.last)
        draw.fixed = True

    def is_below(self, bound: int) -> bool:
        """Return whether the remainder is below a bound, which narrows its box."""
        self.settle()
        return super().is_below(bound)


class Ordered:
    """A number whose comparisons are all made of one question: whether it is below a bound."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def is_below(self, bound: int) -> bool:
        """Return whether this is below a bound, which narrows the box of the draw."""
        raise NotImplementedError

    def __lt__(self, other: Number) -> bool:
        return self.is_below(plain(other))

    def __le__(self, other: Number) -> bool:
        return self.is_below(plain(other) + 1)

    def __gt__(self, other: Number) -> bool:
        return not self.is_below(plain(other) + 1)

    def __ge__(self, other: Number) -> bool:
        return not self.is_below(plain(other))

    def __eq__(self, other: object) -> bool:
        bound = plain(other)
        return not self.is_below(bound) and self.is_below(bound + 1)


def _pinned(compute: Callable[[int, int], int]) -> Callable[[Traced, Number], int]:
    return lambda self, other: compute(self.pin(), plain(other))


class Traced(Ordered):
    """scale · variable + offset, with a positive scale."""

    __slots__ = ("offset", "scale", "variable")

    def __init__(self, variable: Variable, scale: int = 1, offset: int = 0) -> None:
        self.variable, self.scale, self.offset = variable, scale, offset

    @property
    def is_whole(self) -> bool:
        """Whether this is the variable itself."""
        return (self.scale, self.offset) == (1, 0)

    def pin(self) -> int:
        """Return the value, and keep to it."""
        return self.scale * self.variable.pin() + self.offset

    def is_below(self, bound: int) -> bool:
        """Return whether this is below a bound, which narrows the box of the variable."""
        return self.variable.is_below(-((self.offset - bound) // self.scale))

    def __add__(self, other: Number) -> Traced:
        return Traced(self.variable, self.scale, self.offset + plain(other))

    __radd__ = __add__

    def __sub__(self, other: Number) -> Number:
        of_it = isinstance(other, Traced) and other.variable is self.variable.remainder is not None
        if of_it and self.is_whole and other.is_whole:
            return RunStart(other.variable)
        return self + -plain(other)

    def __mul__(self, other: Number) -> Number:
        factor = plain(other)
        if factor <= 0:
            return self.pin() * factor
        return Traced(self.variable, self.scale * factor, self.offset * factor)

    __rmul__ = __mul__

    def __mod__(self, other: Number) -> Traced:
        count, variable = plain(other), self.variable
        untouched = variable.remainder is None and (variable.low, variable.high) == (
            variable.first,
            variable.last,
        )
        if type(variable) is Variable and untouched and self.is_whole:
            return Traced(Remainder(variable, count))
        return self + -(self // count) * count

    def __floordiv__(self, other: Number) -> int:
        count = plain(other)
        quotient = (self.scale * self.variable.value + self.offset) // count
        self.is_below(quotient * count)
        self.is_below((quotient + 1) * count)
        return quotient

    def __rshift__(self, other: Number) -> int:
        return self // (1 << plain(other))

    # What is not linear pins the variable.
    __xor__ = __rxor__ = _pinned(operator.xor)
    __and__ = __rand__ = _pinned(operator.and_)
    __or__ = __ror__ = _pinned(operator.or_)
    __lshift__ = _pinned(operator.lshift)

    def __rsub__(self, other: Number) -> int:
        return plain(other) - self.pin()

    def __rmod__(self, other: Number) -> int:
        return plain(other) % self.pin()

    def __rfloordiv__(self, other: Number) -> int:
        return plain(other) // self.pin()

    def __index__(self) -> int:
        return self.pin()

    __int__ = __index__

    def __repr__(self) -> str:
        # A decision may look at the digits.
        return repr(self.pin())

    def __bool__(self) -> bool:
        return self != 0


class RunStart(Ordered):
    """A draw less its remainder: where its run starts. It is only ever compared."""

    __slots__ = ("remainder",)

    def __init__(self, remainder: Remainder) -> None:
        self.remainder = remainder

    def is_below(self, bound: int) -> bool:
        """Return whether the run starts below a bound, which narrows the box of the draw."""
        count = self.remainder.count
        return self.remainder.draw.is_below(-(-bound // count) * count)


def _refuse(*_: object) -> Any:
    raise AuditFailure("interval tape: a decision depends on the number of a hash function")


def _arithmetic(compute: Callable[[int, int], int]) -> Callable[[Seed, Number], Any]:
    def method(self: Seed, other: Number) -> Any:
        # Hash functions are evaluated on every path, so the usual kinds of operands come first.
        if type(other) is int:
            return Seed(compute(self.value, other))
        if type(other) is Seed:
            return Seed(compute(self.value, other.value))
        return NotImplemented if isinstance(other, Traced) else Seed(compute(self.value, plain(other)))

    return method


def _reflected(compute: Callable[[int, int], int]) -> Callable[[Seed, Number], Any]:
    return lambda self, other: Seed(compute(plain(other), self.value))


def _comparison(compare: Callable[[int, int], bool]) -> Callable[[Seed, Number], Any]:
    def method(self: Seed, other: object) -> Any:
        if isinstance(other, Traced):
            return NotImplemented
        return compare(self.value, other.value) if isinstance(other, Seed) else _refuse()

    return method


class Seed:
    """The number of a public hash function, or what was computed from it: no decision may depend on it alone.

    Values of a function may be compared with each other and with draws, which is how a sampler avoids them.
    """

    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: int) -> None:
        self.value = value

    __add__, __radd__ = _arithmetic(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _arithmetic(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _arithmetic(operator.mul), _reflected(operator.mul)
    __floordiv__, __mod__ = _arithmetic(operator.floordiv), _arithmetic(operator.mod)
    __and__, __rand__ = _arithmetic(operator.and_), _reflected(operator.and_)
    __xor__, __rxor__ = _arithmetic(operator.xor), _reflected(operator.xor)
    __rshift__ = _arithmetic(operator.rshift)
    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)
    __eq__, __ne__ = _comparison(operator.eq), _comparison(operator.ne)
    __bool__ = __index__ = __int__ = __repr__ = _refuse


def _held(compute: Callable[[int, int], int]) -> Callable[[Held, Number], Any]:
    def method(self: Held, other: Number) -> Any:
        if type(other) is int:
            return Held(compute(int(self), other))
        return NotImplemented if isinstance(other, Traced | Seed) else Held(compute(int(self), int(other)))

    return method


def _held_reflected(compute: Callable[[int, int], int]) -> Callable[[Held, Number], Any]:
    return lambda self, other: Held(compute(int(other), int(self)))


def _held_comparison(*sides: object) -> Any:
    if isinstance(sides[1], Traced | Seed):
        return NotImplemented
    raise AuditFailure("interval tape: a decision depends on a key, a value or a choice alone")


class Held(int):
    """A key that a person holds, the threshold of its value, or a given choice: no decision may depend on it alone.

    It may enter arithmetic, and draws may be compared with what comes out. A choice is a place in a list.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    __add__, __radd__ = _held(operator.add), _held_reflected(operator.add)
    __sub__, __rsub__ = _held(operator.sub), _held_reflected(operator.sub)
    __mul__, __rmul__ = _held(operator.mul), _held_reflected(operator.mul)
    __floordiv__, __mod__ = _held(operator.floordiv), _held(operator.mod)
    __and__, __rand__ = _held(operator.and_), _held_reflected(operator.and_)
    __xor__, __rxor__ = _held(operator.xor), _held_reflected(operator.xor)
    __or__, __rshift__, __lshift__ = _held(operator.or_), _held(operator.rshift), _held(operator.lshift)
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _held_comparison

    def __bool__(self) -> bool:
        raise AuditFailure("interval tape: a decision depends on a key, a value or a choice alone")


def plain(number: Number) -> int:
    """Return a number that takes part in arithmetic; a traced one is pinned, a seed is this run's."""
    # Most operands are plain already, and every comparison of every path comes here.
    if type(number) is int:
        return number
    if isinstance(number, Seed):
        return number.value
    return number.pin() if isinstance(number, Traced) else operator.index(number)


def current(number: Number) -> int:
    """Return what a number is in this run; the box of a traced one stays as it is."""
    if isinstance(number, Traced):
        return number.scale * number.variable.value + number.offset
    return plain(number)
