"""Counts of two levels, as the paper has them: reports that support + and reports that support -."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pckv.base.arrays import Integers
from pckv.mechanisms.base import Support
from pckv.tally.decode.support import KeySupport


def signed_support(plus: Integers | Sequence[int], minus: Integers | Sequence[int]) -> KeySupport:
    """Return the support of keys from n1 and n2."""
    return KeySupport(np.stack([np.asarray(minus), np.asarray(plus)]))


def sign_chances(support: Support) -> tuple[float, float, float]:
    """Return the chances that a report supports the held sign alone, the other sign alone, or both."""
    both = support.own_and_other
    return float(support.own - both), float(support.other - both), float(both)
