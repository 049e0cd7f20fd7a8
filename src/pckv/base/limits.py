"""Limits and defaults of the product, and the checks of parameters that several packages need."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError

MAX_KEYS = 2**31
# The most reports of a mixed task's batch, and the largest δ that it may claim.
MAX_BATCH, MAX_CENTRAL_DELTA = 10**9, Fraction(1, 100_000)
MAX_EPSILON = 20
# A plan advises no larger ε than this, the weakest that the form for a new task offers by name.
MAX_ADVISED_EPSILON = 3
# Below this, thresholds of 64 bits are too coarse at 2^31 keys for rounding to stay toward privacy.
MIN_EPSILON = Fraction(1, 10**6)
# The keys of a task that lists none: any text is a key, and its number a hash. Only this mechanism can ask
# reports about keys that are named afterwards, and it takes this many keys with levels.
HASHED, HASHED_MECHANISM, MAX_ITEMS = "hashed", "collision", 2**30 - 2
REPORT_ID_BYTES = 16
# The largest body of a report: two bit planes of 2^18 keys. With more keys an audit, which follows every bit of
# them, would take minutes.
MAX_BODY_BYTES = 2**16
# The mechanism that is chosen when a task is made.
AUTO = "auto"
# Of more pairs than the padding a random choice is reported, or they are refused where pairs are entered.
MORE = SAMPLE, REFUSE = "sample", "refuse"
# Who draws the public function of a report: the device, or the collector, which hands out a coin per report.
COINS = DEVICE_COIN, SERVER_COIN = "device", "server"
# How many levels a value is reported as one of: the signs of the paper are two.
MIN_LEVELS, MAX_LEVELS = 2, 16
# What a task collects: keys with or without values, or unknown texts.
KINDS = PAIRS, DISCOVERY = "pairs", "discovery"
# A key without a value has one level.
ONE_LEVEL = 1
# A value between two levels becomes one of them at random, so that means are right on average, or is refused.
BETWEEN = ROUND, REFUSE_BETWEEN = "round", "refuse"
MAX_PANELS, MAX_ROUNDS = 1000, 1_000_000
# In Python, a task is chosen for this many people where none are named; commands and forms ask.
DEFAULT_USERS = 10_000

Numeric = int | float | str | Decimal


def check_epsilon(epsilon: Numeric, what: str = "epsilon") -> str:
    """Return the decimal text of an ε that a task may have, or raise a `ParameterError`."""
    text = decimal_text(epsilon, what)
    if not 0 < Fraction(text) <= MAX_EPSILON:
        raise ParameterError(f"{what} must be above 0 and at most {MAX_EPSILON}, not {text}")
    if Fraction(text) < MIN_EPSILON:
        raise ParameterError(f"{what} must be at least {float(MIN_EPSILON):f}, not {text}")
    return text


def check_whole(number: object, what: str) -> int:
    """Return a whole number, or refuse anything else."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise ParameterError(f"{what} must be a whole number, not {number!r}")
    return number


def check_count(count: object, what: str, most: int) -> int:
    """Return a whole number from 1 to `most`, or refuse anything else."""
    if not 1 <= (number := check_whole(count, what)) <= most:
        raise ParameterError(f"{what} must be at least 1 and at most {most:,}, not {number:,}")
    return number


def check_padding(padding: int) -> int:
    """Return a padding that a task may have, or raise a `ParameterError`."""
    if not 1 <= check_whole(padding, "padding") <= MAX_KEYS:
        raise ParameterError(f"padding must be at least 1 and at most 2^31, not {padding}")
    return padding


def check_choice(chosen: str, what: str, choices: tuple[str, ...]) -> str:
    """Return one of some texts, such as those of `MORE`, `BETWEEN` and `COINS`, or refuse anything else."""
    if chosen not in choices:
        raise ParameterError(f"{what} must be {' or '.join(map(repr, choices))}, not {chosen!r}")
    return chosen
