"""What several levels cost relative to two, and how well the shares of the levels will be known."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pckv.moments import CountMoments, Scale
from pckv.planning.assessment import Assessment

# Means are taken to be near an end of the range at this share of the way to it from the middle.
NEAR_END = 0.95


@dataclass(frozen=True)
class LevelCost:
    """Errors with several levels relative to those with two, each with the setting that is best for it.

    They are those of a key of the typical frequency before clipping, which hides how noisy an estimate is.

    Attributes:
        frequency: Of a frequency, bias included.
        mean_middle: Of a mean in the middle of the range.
        mean_near_ends: Of a mean near that end of the range where levels cost more.
    """

    frequency: float
    mean_middle: float
    mean_near_ends: float


def level_cost(several: Assessment, two: Assessment) -> LevelCost:
    """Return what levels cost relative to two, from the best setting with each."""
    ours, theirs = _TypicalKey(several), _TypicalKey(two)
    return LevelCost(
        frequency=ours.frequency_error / theirs.frequency_error,
        mean_middle=ours.mean_error(0) / theirs.mean_error(0),
        mean_near_ends=max(ours.mean_error(m) / theirs.mean_error(m) for m in (-NEAR_END, NEAR_END)),
    )


def share_error(assessment: Assessment, frequency: float) -> float:
    """Return the error to expect of the share of a level among the holders of a key; at most 1.

    It is that of a level which as many hold as any other: 1/L of the holders.
    """
    return _TypicalKey(assessment, frequency).share_error


def guessed_share_error(levels: int) -> float:
    """Return how far off it is to guess that all levels have the same share, where any shares are equally likely.

    >>> round(guessed_share_error(5), 3)
    0.163
    """
    return math.sqrt((levels - 1) / (levels + 1)) / levels


class _TypicalKey:
    """A key, by default one of the typical frequency, and the errors of its estimates before clipping."""

    def __init__(self, assessment: Assessment, frequency: float | None = None) -> None:
        expected, channel = assessment.expected, assessment.channel
        self.frequency = expected.typical_frequency if frequency is None else frequency
        self.shown = self.frequency * expected.seen(self.frequency, channel.padding)
        asked = float(assessment.size_share)
        self.reports = expected.users * (1 - asked)
        self.moments = CountMoments.of(channel.count_law, asked, expected.scale)

    @property
    def frequency_error(self) -> float:
        noise = math.sqrt(self.moments.frequency_variance(self.shown) / self.reports)
        return math.hypot(noise, self.frequency - self.shown)

    def mean_error(self, mean: float) -> float:
        """The error of a mean on [-1, 1]."""
        return math.sqrt(self.moments.mean_variance(self.shown, mean) / self.reports)

    @property
    def share_error(self) -> float:
        levels = self.moments.levels
        # The share of a level is the mean of 1 for it and 0 for all others.
        counted = self.moments.on(Scale((1.0, *[0.0] * (levels - 1))))
        return min(1.0, math.sqrt(counted.mean_variance(self.shown, 1 / levels) / self.reports))
