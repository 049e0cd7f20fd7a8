"""What reports can tell and what they cannot: the least frequency, and the people needed."""

from __future__ import annotations

import math
from fractions import Fraction

from pckv.channels import Channel
from pckv.moments import CountMoments
from pckv.planning.detection import DEFAULT_FLAG_RATE, smallest_detected_frequency


def smallest_frequency(
    channel: Channel,
    users: float,
    seen: float = 1.0,
    size_share: Fraction = Fraction(0),
    candidates: int | None = None,
) -> float:
    """Return the least frequency that stands out from the noise of this many users four times out of five; at most 1.

    `seen` is the share of a frequency that reports show, `size_share` that of reports that answer the size question, and
    `candidates` how many hashed keys are asked for.
    """
    reports = max(1, math.floor(users * float(1 - size_share)))
    moments = CountMoments.of(channel.count_law, float(size_share))
    if candidates is None:
        return smallest_detected_frequency(moments, reports, channel.keys, seen)
    return smallest_detected_frequency(moments, reports, candidates, seen, rate=DEFAULT_FLAG_RATE)


def users_for(
    channel: Channel,
    frequency: float,
    error: float,
    seen: float = 1.0,
    size_share: Fraction = Fraction(0),
) -> int | None:
    """How many users bring the error of a frequency down to this; None if its bias is larger."""
    shown = frequency * seen
    allowed = error**2 - (frequency - shown) ** 2
    variance = CountMoments.of(channel.count_law, float(size_share)).frequency_variance(shown)
    return math.ceil(variance / allowed / float(1 - size_share)) if allowed > 0 else None
