"""The privacy budget: e^ε as a rational bound, composition and allocation.

All arithmetic is in integers and fractions, so that Python and JavaScript derive the same
thresholds bit for bit from the decimal text of ε. Wherever a number must be rounded it is
rounded toward privacy.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from pckv.base.errors import ParameterError

ALLOCATIONS = ("optimized", "non-optimized", "naive")
# e^ε is kept to this many binary places, always rounded down.
PRECISION_BITS = 256
# The series is cut after this many terms; for x ≤ 1 the rest is below 2^-330.
TAYLOR_TERMS = 70
# The second way to e^ε is this many squarings, kept to this many binary places: within 2^-300 of e^ε.
SQUARINGS, SQUARING_BITS = 320, 768
# ε is shown to this many decimal places, always rounded up.
DECIMAL_PLACES = 15


@lru_cache
def exp_lower(epsilon: Fraction) -> Fraction:
    """The largest bound this recipe gives that is not above e^ε, for ε ≥ 0.

    Halve ε until it is at most 1, sum the series (a lower sum), floor to 256 binary places,
    then square back, flooring each time.

    >>> float(exp_lower(Fraction(1)))
    2.718281828459045
    """
    halvings = 0
    while epsilon > 1:
        epsilon /= 2
        halvings += 1
    numerator, denominator = 1, 1
    for term in range(TAYLOR_TERMS - 1, 0, -1):
        scaled = denominator * term * epsilon.denominator
        numerator, denominator = scaled + epsilon.numerator * numerator, scaled
    bound = (numerator << PRECISION_BITS) // denominator
    for _ in range(halvings):
        bound = (bound * bound) >> PRECISION_BITS
    return Fraction(bound, 1 << PRECISION_BITS)


def is_within(ratio: Fraction, epsilon: Fraction) -> bool:
    """Return whether a likelihood ratio is at most e^ε, computed in another way than `exp_lower`.

    (1 + ε/2^k)^(2^k) is never above e^ε: k squarings, each rounded down. The two ways share no step, so that
    a fault in one is found by the other.

    >>> is_within(exp_lower(Fraction(1)), Fraction(1)), is_within(Fraction(272, 100), Fraction(1))
    (True, False)
    """
    one = 1 << SQUARING_BITS
    power = one + (epsilon.numerator << (SQUARING_BITS - SQUARINGS)) // epsilon.denominator
    for _ in range(SQUARINGS):
        power = power * power >> SQUARING_BITS
    return ratio.numerator * one <= power * ratio.denominator


def epsilon_of(ratio: Fraction) -> float:
    """ε of a likelihood ratio, rounded up: the least 15-place decimal whose bound covers it.

    >>> epsilon_of(Fraction(3))
    1.09861228866811
    """
    if ratio <= 1:
        return 0.0
    with decimal.localcontext(prec=60):
        logarithm = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        steps = math.ceil(logarithm.scaleb(DECIMAL_PLACES))
    while exp_lower(_decimal_steps(steps)) < ratio:
        steps += 1
    while exp_lower(_decimal_steps(steps - 1)) >= ratio:
        steps -= 1
    # What people read is the decimal text of the float: that must not be below.
    shown = float(_decimal_steps(steps))
    return shown if Fraction(repr(shown)) >= _decimal_steps(steps) else math.nextafter(shown, math.inf)


def _decimal_steps(steps: int) -> Fraction:
    return Fraction(steps, 10**DECIMAL_PLACES)


@dataclass(frozen=True, slots=True)
class Budget:
    """How ε is split: rational lower bounds of e^ε1 (key) and e^ε2 (value)."""

    key: Fraction
    value: Fraction

    def composed(self, padding: int = 1) -> Fraction:
        """The loss e^ε of perturbing key and value together: Theorem 3.

        At padding 1 this is Theorem 2, PCKV-UE's loss at any padding.
        """
        spread = (padding - 1) * (self.value + 1) / 2
        least = min(self.key, (self.value + 1) / 2)
        return (self.key * self.value + spread) / (least + spread)


def allocate(allocation: str, epsilon: Fraction, padding: int = 1) -> Budget:
    """Split ε between key and value (Lemmas 2 and 3; the paper's two alternatives).

    The formulas are PCKV-GRR's; at padding 1 they are PCKV-UE's at any padding.

    >>> budget = allocate("optimized", Fraction(1))
    >>> budget.composed() == exp_lower(Fraction(1))
    True
    """
    whole, half = exp_lower(epsilon), exp_lower(epsilon / 2)
    gain = padding * (whole - 1)
    if allocation == "optimized":
        return Budget(key=gain / 2 + 1, value=gain + 1)
    if allocation == "non-optimized":
        return Budget(key=(gain + 1) * (1 + 1 / half) / 2, value=half)
    if allocation == "naive":
        return Budget(key=half, value=half)
    raise ParameterError(f"allocation {allocation!r} does not exist: choose from {', '.join(ALLOCATIONS)}")
