"""Made-up estimates of pilots."""

from __future__ import annotations

import numpy as np

from pckv import Estimates
from pckv.planning.set_sizes import SetSizes

LABELS = ["0", "1", "2", "3-4", "5-8", "9-16", "17+"]


def pilot(shares: list[float], low: list[float] | None = None) -> Estimates:
    """Return the estimates of a pilot, one row per bucket."""
    rows = len(shares)
    return Estimates(
        task="t",
        mechanism="buckets",
        reports=1000,
        epsilon=1.0,
        method="consistent",
        level=0.95,
        key=LABELS[-rows:] if rows < len(LABELS) else LABELS,
        frequency=np.array(shares),
        frequency_low=np.array(shares if low is None else low),
        frequency_high=np.ones(rows),
        mean=np.arange(rows, dtype=np.float64),
        mean_low=np.arange(rows, dtype=np.float64),
        mean_high=np.arange(rows, dtype=np.float64),
        mean_known=np.ones(rows, np.bool_),
        detected=np.zeros(rows, np.bool_),
        mean_misfit=np.zeros(rows, np.bool_),
    )


def shares_of(sizes: SetSizes) -> dict[int, float]:
    """Return the share of people per size."""
    return dict(sizes._shares)
