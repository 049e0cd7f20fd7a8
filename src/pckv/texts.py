"""Numbers in words: how shares are written for people."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal

# What is said of a key whose count noise alone may give.
TOO_RARE = "too rare to tell"


def percent(share: float) -> str:
    """Return a share as a percentage with two significant digits.

    >>> percent(0.4481), percent(0.00123), percent(1)
    ('45 %', '0.12 %', '100 %')
    """
    return f"{two_digits(100 * share)} %"


def plural(number: int, noun: str) -> str:
    """Return a number with a noun, which gets an s unless the number is 1.

    >>> plural(1, "day"), plural(1200, "report")
    ('1 day', '1,200 reports')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def two_digits(number: float) -> str:
    """Return a number with two significant digits, never as a power of ten.

    >>> two_digits(0.0456), two_digits(104.2), two_digits(2925)
    ('0.046', '100', '2,900')
    """
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:f}".rstrip("0").rstrip(".")  # noqa: PLR2004


def rounded_up(number: float, digits: int = 3) -> str:
    """Return a number with a few significant digits that is never below it, as limits on privacy must not be.

    >>> rounded_up(0.0936735), rounded_up(4.0), rounded_up(1e-7)
    ('0.0937', '4', '0.0000001')
    """
    text = f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(repr(number))):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
