"""From counts to support: n1 and n2, the reports that support ⟨key, +⟩ and ⟨key, -⟩."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.tally import Tally


class KeySupport(NamedTuple):
    """For some keys, how many reports support either sign."""

    plus: NDArray[np.int64]
    minus: NDArray[np.int64]


def key_support(tally: Tally, keys: NDArray[np.int64] | None = None) -> KeySupport:
    """Decode all keys of a tally, or the ones asked for."""
    numbers = np.arange(tally.task.key_count) if keys is None else keys
    return KeySupport(plus=tally.counts.take(2 * numbers + 1), minus=tally.counts.take(2 * numbers))
