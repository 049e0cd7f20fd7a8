"""What is known of one key: a row of the table of estimates, in numbers and in words."""

from __future__ import annotations

from typing import Any, NamedTuple

from pckv.base.words import TOO_RARE, Ranged, percent, ranged
from pckv.estimators.results.distributions import DEVIATIONS, LevelShare

# What tables for people say instead of a mean that may be anywhere in its range.
UNKNOWN = "unknown"
# A share or a deviation whose interval is at least this wide, relative to the widest possible, is unknown.
UNKNOWN_SPAN = 0.95


class KeyEstimate(NamedTuple):
    """What is known of one key: a row of the table, in plain numbers.

    Attributes:
        key: The name of the key.
        frequency: The share of people who hold the key, with its interval `frequency_low` to `frequency_high`.
        mean: The mean value that they give it, in the task's own units, with its interval `mean_low` to `mean_high`.
        mean_known: False where the interval of the mean spans 95 % of the range or more, or the key is not detected: perhaps
            nobody holds it.
        detected: Whether the key stands out from the noise.
        shares: The share of the holders at every level, with its interval; empty where the task has two levels.
        deviation: The standard deviation of the values, with its interval `deviation_low` to `deviation_high`; None where
            the task has two levels.
        collides: Whether the key shares its number with another one that was asked for, so that reports do not tell them
            apart; None where keys are not hashed.
    """

    key: str
    frequency: float
    frequency_low: float
    frequency_high: float
    mean: float
    mean_low: float
    mean_high: float
    mean_known: bool
    detected: bool
    shares: tuple[LevelShare, ...] = ()
    deviation: float | None = None
    deviation_low: float | None = None
    deviation_high: float | None = None
    collides: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values; shares, deviation and `collides` only where there are any."""
        row = self._asdict()
        found = {name: row[name] for name in COLUMNS}
        if self.shares:
            found |= {name: row[name] for name in DEVIATIONS}
            found["shares"] = [share._asdict() for share in self.shares]
        if self.collides is not None:
            found["collides"] = self.collides
        return found


# The columns that every table has.
COLUMNS = KeyEstimate._fields[: KeyEstimate._fields.index("shares")]


def key_cells(row: KeyEstimate) -> tuple[str, ...]:
    """Return what a table for people says of a key; perhaps nobody holds one that is too rare to tell."""
    share = ranged(100 * row.frequency, 100 * row.frequency_low, 100 * row.frequency_high, " %")
    mean = ranged(row.mean, row.mean_low, row.mean_high)
    shown = (share.value, share.range) if row.detected else (TOO_RARE, share.most)
    shares = row.shares if row.detected else [None] * len(row.shares)
    return (
        row.key,
        *shown,
        mean.value if row.mean_known else UNKNOWN,
        mean.range,
        *_deviation_cells(row),
        *map(_share_cell, shares),
    )


def unlisted_note(row: KeyEstimate) -> str:
    """Say how many people hold keys that are not listed, given what is known of the key that stands for them."""
    low, high = percent(row.frequency_low), percent(row.frequency_high)
    if not row.detected:
        return f"Up to {high} of people may hold keys that are not listed"
    return f"{percent(row.frequency)} of people hold keys that are not listed ({low} to {high})"


def _deviation_cells(row: KeyEstimate) -> list[str]:
    """Return what a table for people says of the standard deviation; nothing where the task has two levels."""
    if row.deviation is None or row.deviation_low is None or row.deviation_high is None:
        return []
    largest = (row.shares[-1].value - row.shares[0].value) / 2
    if not row.detected or row.deviation_high - row.deviation_low >= UNKNOWN_SPAN * largest:
        return [UNKNOWN]
    return [ranged(row.deviation, row.deviation_low, row.deviation_high).value]


def answer_cells(answer: Ranged, row: KeyEstimate) -> tuple[str, str]:
    """Return what a table for people says of an answer about a key, and its interval."""
    return answer.value if row.detected else UNKNOWN, answer.range


def _share_cell(share: LevelShare | None) -> str:
    """Return what a table for people says of the share of a level; one that may be anything is unknown."""
    if share is None or share.high - share.low >= UNKNOWN_SPAN:
        return UNKNOWN
    return ranged(100 * share.share, 100 * share.low, 100 * share.high, " %").value
