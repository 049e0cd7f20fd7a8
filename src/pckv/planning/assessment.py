"""How good a channel is for the people expected: its squared errors over the keys that matter, truncation included."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pckv.channels import Channel
from pckv.limits import SAMPLE
from pckv.moments import CountMoments
from pckv.planning.expectations import Expectations
from pckv.planning.objective import FREQUENCY, MSE
from pckv.planning.prediction import SquaredErrors, predict
from pckv.planning.size_share import SIZE_SHARES, choose_size_share

# The errors of means are predicted at few of the ten ranks (counted from 0), each for its neighbours too.
RANKS, RANK_WEIGHTS = (0, 2, 9), (0.2, 0.4, 0.4)


@dataclass(frozen=True)
class Assessment:
    """What a channel is predicted to do.

    Attributes:
        channel: The channel.
        size_share: The share of reports that answers the size question.
        score: What channels are compared by: the squared error that the objective asks for.
        truncation: By how much the most frequent key comes out too low, because people hold more pairs.
        standard_error: Of the most frequent key.
    """

    channel: Channel
    size_share: Fraction
    score: float
    truncation: float
    standard_error: float

    @property
    def is_honest(self) -> bool:
        """Whether truncation is within the noise of the key that it changes most."""
        return self.truncation <= self.standard_error


def assess(channel: Channel, expected: Expectations) -> Assessment:
    """Predict a channel's errors for the people expected.

    A frequency's are those before clipping: where all is noise, clipping would make all channels look alike.
    """
    moments, shown = CountMoments.of(channel.count_law), expected.shown(channel.padding)
    size_share = planned_size_share(channel, expected)
    asked = size_share
    if not size_share and expected.more == SAMPLE and channel.padding < channel.keys:
        # A mechanism that cannot measure how much it hides is not rewarded for that.
        asked = SIZE_SHARES[0]
    reports = expected.users * float(1 - asked)
    squares = [
        moments.frequency_variance(visible) / reports + (frequency - visible) ** 2
        for frequency, visible in zip(expected.frequencies, shown, strict=True)
    ]
    frequency_error = math.fsum(squares) / len(squares)
    mean_error = (
        0.0 if expected.objective in {FREQUENCY, MSE} else _mean_error(moments, reports, expected, shown)
    )
    return Assessment(
        channel=channel,
        size_share=size_share,
        score=expected.aim.score(SquaredErrors(frequency_error, mean_error)),
        truncation=expected.frequencies[0] - shown[0],
        standard_error=math.sqrt(moments.frequency_variance(shown[0]) / reports),
    )


def planned_size_share(channel: Channel, expected: Expectations) -> Fraction:
    """Return the share of reports that is to answer the size question; 0 where a task must not ask it."""
    if expected.more != SAMPLE:
        return Fraction(0)
    shown = expected.shown(channel.padding)
    return choose_size_share(channel, shown[len(shown) // 2])


def _mean_error(
    moments: CountMoments, reports: float, expected: Expectations, shown: tuple[float, ...]
) -> float:
    """The squared error of means, over the keys that matter."""
    found: dict[int, float] = {}
    last = len(shown) - 1
    for rank, weight in zip(RANKS, RANK_WEIGHTS, strict=True):
        found[min(rank, last)] = found.get(min(rank, last), 0.0) + weight
    return math.fsum(
        weight
        * predict(
            moments, reports, expected.frequencies[rank], min(1.0, shown[rank] / expected.frequencies[rank])
        ).mean
        for rank, weight in found.items()
    )
