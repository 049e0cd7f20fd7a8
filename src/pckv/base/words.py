"""Numbers in words: how shares are written for people."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal
from typing import Literal, NamedTuple

# The languages in which files for people are written.
Language = Literal["en", "de"]
ENGLISH: Language = "en"
# What is said of a key whose count noise alone may give.
TOO_RARE = "not distinguishable from noise"
# What stands behind the name of the key for all that are not listed, which is no key among others.
UNLISTED = "all unlisted keys"
# How many decimals a number with a range has at most, and how many where the range is a point.
MAX_DECIMALS, POINT_DECIMALS = 6, 3


class Ranged(NamedTuple):
    """A number with its range, and with one from none on, in words: "49 %", "43 to 59 %", "0 to 59 %"."""

    value: str
    range: str
    most: str


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


def either(texts: Iterable[str]) -> str:
    """Return texts of which one is meant, in words.

    >>> either([".csv", ".parquet", ".json"]), either([".csv"])
    ('.csv, .parquet or .json', '.csv')
    """
    *others, last = texts
    return f"{', '.join(others)} or {last}" if others else last


def two_digits(number: float) -> str:
    """Return a number with two significant digits, never as a power of ten.

    >>> two_digits(0.0456), two_digits(104.2), two_digits(2925)
    ('0.046', '100', '2,900')
    """
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:f}".rstrip("0").rstrip(".")  # noqa: PLR2004


def ranged(value: float, low: float, high: float, unit: str = "") -> Ranged:
    """Return a number and its range with two digits of the range's width: more would be noise.

    >>> ranged(49.27, 43.22, 58.6, " %")
    Ranged(value='49 %', range='43 to 59 %', most='0 to 59 %')
    >>> ranged(-0.39, -1.125, 0.348).range
    '−1.1 to 0.3'
    """
    places = decimals(low, high)
    # "z" leaves out the sign of a zero.
    shown, least, most = (f"{number:z,.{places}f}" for number in (value, low, high))
    return Ranged(signed(f"{shown}{unit}"), between(least, f"{most}{unit}"), f"0 to {most}{unit}")


def decimals(low: float, high: float) -> int:
    """Return how many decimals show two digits of a range's width.

    >>> decimals(43.22, 58.6), decimals(-1.125, 0.348)
    (0, 1)
    """
    width = high - low
    return min(MAX_DECIMALS, max(0, 1 - math.floor(math.log10(width)))) if 0 < width < math.inf else POINT_DECIMALS


def between(least: str, most: str) -> str:
    """Return a range of numbers in words.

    >>> between("-25", "+2 %")
    '−25 to +2 %'
    """
    return signed(f"{least} to {most}")


def signed(numbers: str) -> str:
    """Return numbers with minus signs in place of hyphens."""
    return numbers.replace("-", "−")


def points(share: float) -> str:
    """Return a difference of shares in percentage points.

    >>> points(0.0642), points(0.01)
    ('6.4 points', '1 point')
    """
    return in_points(two_digits(100 * share))


def in_points(number: str) -> str:
    """Return a number of percentage points, as it is written, with its unit.

    >>> in_points("0.5"), in_points("+1"), in_points("-1")
    ('0.5 points', '+1 point', '−1 point')
    """
    return signed(f"{number} {'point' if number.lstrip('+-') == '1' else 'points'}")


def rounded_up(number: float, digits: int = 3) -> str:
    """Return a number with a few significant digits that is never below it, as limits on privacy must not be.

    >>> rounded_up(0.0936735), rounded_up(4.0), rounded_up(1e-7)
    ('0.0937', '4', '0.0000001')
    """
    text = f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(repr(number))):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# What is shown of a text from elsewhere.
MAX_NOTE_LENGTH = 200


def sentence(clause: str) -> str:
    """Return a clause as a sentence of its own.

    >>> sentence("one batch of a mixer")
    'One batch of a mixer.'
    """
    return f"{clause[0].upper()}{clause[1:]}."


def one_line(text: str) -> str:
    """Return a text from elsewhere in a form that is safe on a terminal: one line, printable, not long."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:MAX_NOTE_LENGTH])
    return " ".join(shown.split())
