"""How good a channel is for the people expected: its squared errors over the keys that matter, truncation included."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from pckv.limits import SERVER_COIN
from pckv.moments import CountMoments
from pckv.planning.expectations import Expectations
from pckv.planning.influence import people_per_report
from pckv.planning.objective import FREQUENCY, MEAN, MSE
from pckv.planning.prediction import SquaredErrors, predict
from pckv.planning.size_share import SHARES, choose_size_share

# Errors of means are predicted at few of the ten ranks (counted from 0), each for its neighbours too.
MEAN_RANKS, MEAN_RANK_WEIGHTS = (0, 2, 9), (0.2, 0.4, 0.4)
# The mean square of a key's mean, which may be anywhere on [-1, 1].
MEAN_SQUARE = 1 / 3


@dataclass(frozen=True)
class Assessment:
    """What a channel is predicted to do for the people expected."""

    channel: Channel
    expected: Expectations

    @cached_property
    def moments(self) -> CountMoments:
        """The moments of its counts."""
        return CountMoments.of(self.channel.count_law, scale=self.expected.scale)

    @cached_property
    def shown(self) -> tuple[float, ...]:
        """The frequencies of the keys that matter, as reports show them."""
        return self.expected.shown(self.channel.padding)

    @cached_property
    def size_share(self) -> Fraction:
        """The share of reports that answers the size question."""
        return Fraction(planned_size_share(self.channel, self.expected))

    @cached_property
    def influence(self) -> float:
        """As how many people one hostile report counts for a key."""
        coin = self.expected.coin == SERVER_COIN and self.channel.functions is not None
        return people_per_report(self.channel, 1, self.size_share, coin=coin)

    @property
    def question(self) -> SizeQuestion | None:
        """The size question that they answer, if any do."""
        spec = self.channel
        return (
            SizeQuestion(spec.keys, spec.padding, spec.epsilon, self.size_share) if self.size_share else None
        )

    @cached_property
    def _reports(self) -> float:
        """How many reports of pairs errors are compared with."""
        asked = self.size_share
        if not asked and not self.expected.refuse_more and self.channel.padding < self.channel.keys:
            # A mechanism that cannot measure how much it hides is not rewarded for that.
            asked = Fraction(SHARES[0])
        return self.expected.users * float(1 - asked)

    @property
    def truncation(self) -> float:
        """By how much the most frequent key comes out too low, because people hold more pairs."""
        return self.expected.frequencies[0] - self.shown[0]

    @property
    def truncates_within_noise(self) -> bool:
        """Whether truncation is at most one standard error of the key that it changes most."""
        return self.truncation**2 <= self.moments.frequency_variance(self.shown[0]) / self._reports

    @cached_property
    def frequency_error(self) -> float:
        """The mean squared error of the frequencies, before clipping.

        Where all is noise, clipped estimates are 0 or 1 whatever the channel, and the noisiest one, almost always 0, would
        look best.
        """
        squares = [
            self.moments.frequency_variance(visible) / self._reports + (frequency - visible) ** 2
            for frequency, visible in zip(self.expected.frequencies, self.shown, strict=True)
        ]
        return math.fsum(squares) / len(squares)

    @property
    def padding_score(self) -> float:
        """What paddings of one mechanism are compared by: what they change most is frequencies, unless only means count."""
        if self.expected.objective != MEAN:
            return self.frequency_error
        errors = []
        for visible in self.shown:
            square = self.moments.mean_variance(visible, math.sqrt(MEAN_SQUARE)) / self._reports
            errors.append(square / (1 + square))
        return math.fsum(errors) / len(errors)

    @cached_property
    def score(self) -> float:
        """What mechanisms are compared by: the squared error that the objective asks for."""
        only_frequencies = self.expected.objective in {FREQUENCY, MSE}
        mean_error = 0.0 if only_frequencies else self._mean_error()
        return self.expected.aim.score(SquaredErrors(self.frequency_error, mean_error))

    def _mean_error(self) -> float:
        """The squared error of means, over the keys that matter."""
        weights: dict[int, float] = {}
        for rank, weight in zip(MEAN_RANKS, MEAN_RANK_WEIGHTS, strict=True):
            nearest = min(rank, len(self.shown) - 1)
            weights[nearest] = weights.get(nearest, 0.0) + weight
        return math.fsum(
            weight * predict(self.moments, self._reports, self.shown[rank]).mean
            for rank, weight in weights.items()
        )


def planned_size_share(channel: Channel, expected: Expectations) -> str:
    """Return the share of reports that is to answer the size question, as a task has it; 0 where none may."""
    if expected.size_share is not None:
        return expected.size_share
    if expected.refuse_more:
        return "0"
    shown = expected.shown(channel.padding)
    return choose_size_share(channel, shown[len(shown) // 2])
