"""Which frequencies differ between two rounds: intervals, and a stated false discovery rate (proofs/trends.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats, Integers
from pckv.estimators.intervals import GAUSSIAN_VARIANCE, two_sided_z
from pckv.estimators.trends.rounds import RoundCounts
from pckv.statistics.binomial import binomial_upper_tail
from pckv.statistics.moments import GAUSSIAN_NOISE


class KeyChange(NamedTuple):
    """By how much one key's frequency changed between two rounds.

    Attributes:
        key: The name of the key.
        change: The frequency of the later round less that of the earlier one, with its interval `change_low` to
            `change_high`.
        p_value: The chance of a difference as large if the frequency is the same in both rounds.
        changed: Whether the change is real, at the false discovery rate of the table.
    """

    key: str
    change: float
    change_low: float
    change_high: float
    p_value: float
    changed: bool


@dataclass(frozen=True, eq=False)
class Changes:
    """What changed between two rounds, one `KeyChange` per key.

    Among the keys with `changed`, at most a share of `rate` is expected not to have changed. That holds for all keys that
    were compared, `keys_compared`, of which `keys_changed` changed, whichever of them the table has.
    """

    before: int
    after: int
    rate: float
    level: float
    keys_compared: int
    keys_changed: int
    key: list[str]
    change: Floats
    change_low: Floats
    change_high: Floats
    p_value: Floats
    changed: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.key)

    def __iter__(self) -> Iterator[KeyChange]:
        """Yield the change of every key."""
        columns = (getattr(self, name) for name in KeyChange._fields[1:])
        return map(KeyChange._make, zip(self.key, *(column.tolist() for column in columns), strict=True))

    @property
    def order(self) -> NDArray[np.int64]:
        """The numbers of the rows, those that moved most, relative to the noise, first."""
        return np.lexsort((-np.abs(self.change), self.p_value))

    def take(self, rows: NDArray[np.int64]) -> Changes:
        """Return some rows of the table."""
        columns = {name: getattr(self, name)[rows] for name in KeyChange._fields[1:]}
        keys = [self.key[row] for row in rows]
        return replace(self, key=keys, **columns)

    @property
    def sentence(self) -> str:
        """How many of all keys changed, in words."""
        changed = self.keys_changed
        which = "No key" if not changed else f"{changed:,} of {self.keys_compared:,} keys"
        among = f" (at most {100 * self.rate:g} % of such flags are false, on average)" if changed else ""
        return f"{which} changed between rounds {self.before:,} and {self.after:,}{among}."

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values."""
        return {
            "before": self.before,
            "after": self.after,
            "false_discovery_rate": self.rate,
            "level": self.level,
            "keys_compared": self.keys_compared,
            "keys_changed": self.keys_changed,
            "sentence": self.sentence,
            "keys": [row._asdict() for row in self],
        }


def compare(before: RoundCounts, after: RoundCounts, names: list[str], level: float, rate: float) -> Changes:
    """Compare two rounds of the same keys.

    Args:
        before: The counts of one round.
        after: Those of a later one.
        names: The names of the keys.
        level: The level of the intervals.
        rate: The false discovery rate of the flags.
    """
    # Noise may take a difference beyond 1; the interval moves back with it, since cut off it would be narrow or empty.
    change = np.clip(after.frequency - before.frequency, -1, 1)
    variance = sum(_variance(each, np.clip(each.frequency, 0, 1)) for each in (before, after))
    reach = two_sided_z(level) * np.sqrt(variance)
    p_value = _p_values(before, after)
    changed = discoveries(p_value, rate)
    return Changes(
        before=before.number,
        after=after.number,
        rate=rate,
        level=level,
        keys_compared=len(names),
        keys_changed=int(changed.sum()),
        key=names,
        change=change,
        change_low=np.clip(change - reach, -1, 1),
        change_high=np.clip(change + reach, -1, 1),
        p_value=p_value,
        changed=changed,
    )


def _variance(counts: RoundCounts, frequency: Floats) -> Floats:
    # Panels are disjoint, so that the errors of their choice are opposed: their difference is that of two samples of a
    # large population. With one panel everybody reports, and only those who are not asked for the size are chosen.
    return counts.noise_variance(frequency, counts.moments.left_out if counts.panels == 1 else 1.0)


def _p_values(before: RoundCounts, after: RoundCounts) -> Floats:
    """Return the chances of differences as large where the frequency is the same in both rounds."""
    both = (before, after)
    reports = sum(each.pair_reports for each in both)
    common = np.clip(sum(each.frequency * (each.pair_reports / reports) for each in both), 0, 1)
    deviation = np.sqrt(sum(_variance(each, common) for each in both))
    z = np.abs(after.frequency - before.frequency) / deviation
    found = np.array([math.erfc(distance * math.sqrt(0.5)) for distance in z.tolist()])
    if all(each.moments.supports_once for each in both) and any(
        each.pair_reports * each.moments.noise < GAUSSIAN_NOISE for each in both
    ):
        counts = [each.support.total for each in both]
        few = counts[0] + counts[1] < GAUSSIAN_VARIANCE
        found[few] = _exact_p_values(counts[0][few], counts[1][few], after.pair_reports / reports)
    return found


def _exact_p_values(before: Integers, after: Integers, share: float) -> Floats:
    """Return those of few counts: given both together, each of them is in the later round by the share of its reports."""
    counts = [each.astype(np.float64) for each in (before, after)]
    more = binomial_upper_tail(counts[1], counts[0] + counts[1], share)
    fewer = binomial_upper_tail(counts[0], counts[0] + counts[1], 1 - share)
    return np.asarray(np.minimum(2 * np.minimum(more, fewer), 1.0))


def discoveries(p_values: Floats, rate: float) -> Flags:
    """Return which of many hypotheses are refused at a false discovery rate (Benjamini and Hochberg).

    >>> discoveries(np.array([0.9, 0.001, 0.02, 0.03]), 0.05).tolist()
    [False, True, True, True]
    """
    if not p_values.size:
        return np.zeros(0, np.bool_)
    allowed = rate * np.arange(1, p_values.size + 1) / p_values.size
    passed = np.flatnonzero(np.sort(p_values) <= allowed)
    limit = allowed[passed[-1]] if passed.size else -1.0
    return np.asarray(p_values <= limit)
