"""What is known of one key: a row of estimates, in plain numbers and in words."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from pckv.base.words import TOO_RARE, Ranged, ranged
from pckv.estimators.results.distributions import DEVIATIONS, LevelShare

# What rows have of means, and tables whose keys have no values do not.
REPORTED = ("reported_mean_low", "reported_mean_high", "reported_mean_known")
MEANS = ("mean", "mean_low", "mean_high", "mean_known", *REPORTED)
# What tables for people say instead of a mean that may be anywhere in its range.
UNKNOWN = "unknown"
# A share or a deviation whose interval is at least this wide, relative to the widest possible, is unknown.
UNKNOWN_SPAN = 0.95


class KeyEstimate(NamedTuple):
    """What is known of one key: a row of `Estimates`, in plain numbers, under the names of its members.

    Where the task has two levels, there are no `shares` of them, and no standard deviation of the values. Keys without
    values have no means: these are not a number (NaN), and left out of JSON, files and tables. Where keys are not
    hashed, `collides` is None.
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
    reported_mean_low: float
    reported_mean_high: float
    reported_mean_known: bool
    shares: tuple[LevelShare, ...] = ()
    deviation: float | None = None
    deviation_low: float | None = None
    deviation_high: float | None = None
    collides: bool | None = None
    mean_misfit: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values; shares, deviation, `collides`, `mean_misfit` only if any."""
        row = self._asdict()
        found = {name: row[name] for name in columns_of(has_means=self.has_mean)}
        if self.shares:
            found |= {name: row[name] for name in DEVIATIONS}
            found["shares"] = [share._asdict() for share in self.shares]
        if self.collides is not None:
            found["collides"] = self.collides
        if self.mean_misfit:
            found["mean_misfit"] = True
        return found

    def cells(self) -> tuple[str, ...]:
        """Return what a table for people says of the key; one that noise alone may give may have no holders."""
        share = ranged(100 * self.frequency, 100 * self.frequency_low, 100 * self.frequency_high, " %")
        return (
            self.key,
            *self._frequency_cells(share),
            *(self._mean_cells() if self.has_mean else ()),
            *self._deviation_cells(),
            *map(self._share_cell, self.shares),
        )

    @property
    def has_mean(self) -> bool:
        """Whether keys have values, and so means."""
        return not math.isnan(self.mean)

    def _mean_cells(self) -> tuple[str, str]:
        mean = ranged(self.mean, self.mean_low, self.mean_high)
        return mean.value if self.mean_known else UNKNOWN, mean.range

    def _frequency_cells(self, share: Ranged) -> tuple[str, str]:
        if self.detected:
            return share.value, share.range
        # A key that everybody may hold is not known to be rare.
        return TOO_RARE if self.frequency_high < 1 else UNKNOWN, share.most

    def reported_cells(self) -> tuple[str, str]:
        """Return what a table for people says of the mean over the reported pairs."""
        mean = ranged(self.mean, self.reported_mean_low, self.reported_mean_high)
        return mean.value if self.reported_mean_known else UNKNOWN, mean.range

    def _deviation_cells(self) -> list[str]:
        if self.deviation is None or self.deviation_low is None or self.deviation_high is None:
            return []
        largest = (self.shares[-1].value - self.shares[0].value) / 2
        if not self.detected or self.deviation_high - self.deviation_low >= UNKNOWN_SPAN * largest:
            return [UNKNOWN]
        return [ranged(self.deviation, self.deviation_low, self.deviation_high).value]

    def _share_cell(self, share: LevelShare) -> str:
        if not self.detected or share.high - share.low >= UNKNOWN_SPAN:
            return UNKNOWN
        return ranged(100 * share.share, 100 * share.low, 100 * share.high, " %").value


# The columns that every table has, but for those of means.
COLUMNS = KeyEstimate._fields[: KeyEstimate._fields.index("shares")]


def columns_of(*, has_means: bool) -> tuple[str, ...]:
    """Return the columns that every table has whose keys have values, or none."""
    return COLUMNS if has_means else tuple(name for name in COLUMNS if name not in MEANS)
