"""How good a law is for the people expected: its squared errors over the keys that matter, with truncation.

Also how large a share of the reports answers the size question, and what levels cost relative to two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pckv.base.limits import MIN_LEVELS, SERVER_COIN
from pckv.mechanisms.base import Law
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.influence import people_per_report
from pckv.planning.people import Expectations
from pckv.planning.prediction import (
    FREQUENCY,
    MEAN,
    MSE,
    ExpectedErrors,
    SquaredErrors,
    predict,
    predicted_errors,
    smallest_frequency,
)
from pckv.planning.sections import MAX_GREEN_SHARE_ERROR, Light
from pckv.statistics.detection import DEFAULT_FLAG_RATE, false_chance, joint_frequency
from pckv.statistics.moments import CountMoments, Scale

SHARES = ("0.05", "0.1", "0.2")
# The width of the interval of a key that matters relative to one with known sizes.
MAX_WIDTH_FACTOR = 1.4


def choose_size_share(law: Law, frequency: float = 0.0) -> str:
    """Return the least share whose answers keep intervals narrow; 0 where the question does not arise.

    `frequency` is that of a key that matters, as reports show it.
    """
    if law.word_limit is None or law.padding >= law.keys:
        return "0"

    def width_factor(share: str) -> float:
        """How much wider the interval of a frequency becomes because the sizes are only estimated."""
        asked = Fraction(share)
        question = SizeQuestion(law.keys, law.padding, law.epsilon, asked)
        of_pairs = float(CountMoments.of(law.count_law).frequency_variance(frequency)) / float(1 - asked)
        return (1 + math.sqrt(1 + question.hidden_variance / float(asked) / of_pairs)) / 2

    return next((share for share in SHARES if width_factor(share) <= MAX_WIDTH_FACTOR), SHARES[-1])


def share_above_variance(law: Law, share: Fraction, above: float) -> float:
    """Return the variance, per answer, of the estimated share of people with more pairs than the padding."""
    question = SizeQuestion(law.keys, law.padding, law.epsilon, share)
    true, other = float(question.true_chance), float(question.other_chance)
    answered = above * (1 - other) + (1 - above) * (1 - true)
    return answered * (1 - answered) / (true - other) ** 2


# Errors of means are predicted at few of the ten ranks (counted from 0), each for its neighbours too.
MEAN_RANKS, MEAN_RANK_WEIGHTS = (0, 2, 9), (0.2, 0.4, 0.4)
# The mean square of a key's mean, which may be anywhere on [-1, 1].
MEAN_SQUARE = 1 / 3


@dataclass(frozen=True)
class Assessment:
    """What a law is predicted to do for the people expected."""

    law: Law
    expected: Expectations

    @cached_property
    def moments(self) -> CountMoments:
        """The moments of its counts."""
        return CountMoments.of(self.law.count_law, scale=self.expected.question.scale)

    @cached_property
    def shown(self) -> tuple[float, ...]:
        """The frequencies of the keys that matter, as reports show them."""
        return self.expected.shown(self.law.padding)

    @cached_property
    def size_share(self) -> Fraction:
        """The share of reports that answers the size question."""
        return Fraction(planned_size_share(self.law, self.expected))

    @cached_property
    def influence(self) -> float:
        """As how many people one hostile report counts for a key."""
        coin = self.expected.question.coin == SERVER_COIN and self.law.functions is not None
        return people_per_report(self.law, 1, self.size_share, coin=coin)

    @property
    def size_question(self) -> SizeQuestion | None:
        """The size question that they answer, if any do."""
        law, share = self.law, self.size_share
        return SizeQuestion(law.keys, law.padding, law.epsilon, share) if share else None

    def errors_at(self, frequency: float, users: int | None = None) -> ExpectedErrors:
        """Return the errors to expect of a key, in the units of the values, with these users or others."""
        question, asked = self.expected.question, float(self.size_share)
        reports = (self.expected.people.users if users is None else users) * (1 - asked)
        seen = self.expected.seen(frequency, self.law.padding)
        errors = predicted_errors(self.law, reports, frequency, seen, asked, scale=question.scale)
        return errors._replace(mean=errors.mean * question.unit)

    @property
    def smallest_frequency(self) -> float:
        """The least frequency that stands out from the noise four times out of five; at most 1.

        If sizes have a shorter tail than an average allows, it does so more often.
        """
        people = self.expected.people
        seen = min(1.0, self.shown[-1] / people.frequencies[-1], self.expected.surely_seen(self.law.padding))
        candidates = self.expected.question.candidates
        return smallest_frequency(self.law, people.users, seen, self.size_share, candidates)

    @cached_property
    def reach(self) -> float | None:
        """A frequency from which all keys that matter stand out together, four times out of five; None if none.

        It never rises with more people. So that it does not change with the share of the size question
        either, that is taken to be the largest which is chosen.
        """
        people, candidates = self.expected.people, self.expected.question.candidates
        asked = max(float(self.size_share), float(SHARES[-1])) if self.size_share else 0.0
        moments = CountMoments.of(self.law.count_law, asked)
        chance = false_chance(people.key_count, None if candidates is None else DEFAULT_FLAG_RATE)
        shown = joint_frequency(moments, people.users * (1 - asked), chance, len(people.frequencies))
        seen = self.expected.least_seen(self.law.padding)
        return None if shown is None or shown > seen else shown / seen

    @cached_property
    def light(self) -> Light:
        """What to think of the law at first sight: `green` if the rarest plausible frequencies stand out.

        With more than two levels, their shares must be known better than by a guess, too.
        """
        people, levels = self.expected.people, self.expected.question.levels
        if self.reach is None or self.reach > people.hopeless:
            return "red"
        if self.reach > people.rarest:
            return "amber"
        allowed = MAX_GREEN_SHARE_ERROR * guessed_share_error(levels)
        return "green" if levels == MIN_LEVELS or share_error(self, people.rarest) <= allowed else "amber"

    @property
    def unmeasured(self) -> bool:
        """Whether reports may hide pairs, and neither they nor what is known of the people tells how many."""
        question, known_from, padding = self.expected.question, self.expected.people.sizes.known_from, self.law.padding
        is_known = known_from is not None and padding >= known_from
        hides = not question.refuses_more and padding < self.law.keys
        # A share of 0 was asked for by name.
        return hides and not is_known and not self.size_share and question.size_share is None

    @cached_property
    def _reports(self) -> float:
        """How many reports of pairs errors are compared with."""
        asked = self.size_share
        if not asked and not self.expected.question.refuses_more and self.law.padding < self.law.keys:
            # A mechanism that cannot measure how much it hides is not rewarded for that.
            asked = Fraction(SHARES[0])
        return self.expected.people.users * float(1 - asked)

    @property
    def truncation(self) -> float:
        """By how much the most frequent key comes out too low, because people hold more pairs."""
        return self.expected.people.frequencies[0] - self.shown[0]

    @property
    def truncates_within_noise(self) -> bool:
        """Whether truncation is at most one standard error of the key that it changes most."""
        return self.truncation**2 <= self.moments.frequency_variance(self.shown[0]) / self._reports

    @cached_property
    def frequency_error(self) -> float:
        """The mean squared error of the frequencies, before clipping.

        Where all is noise, clipped estimates are 0 or 1 whatever the law, and the noisiest would look best.
        """
        squares = [
            self.moments.frequency_variance(visible) / self._reports + (frequency - visible) ** 2
            for frequency, visible in zip(self.expected.people.frequencies, self.shown, strict=True)
        ]
        return math.fsum(squares) / len(squares)

    @property
    def padding_score(self) -> float:
        """What paddings of a mechanism are compared by: the error of frequencies, unless only means count."""
        if self.expected.wanted.objective != MEAN:
            return self.frequency_error
        mean = math.sqrt(MEAN_SQUARE)
        squares = [self.moments.mean_variance(visible, mean) / self._reports for visible in self.shown]
        return math.fsum(square / (1 + square) for square in squares) / len(squares)

    @cached_property
    def score(self) -> float:
        """What mechanisms are compared by: the squared error that the objective asks for."""
        only_frequencies = self.expected.wanted.objective in {FREQUENCY, MSE}
        mean_error = 0.0 if only_frequencies else self._mean_error()
        return self.expected.aim.score(SquaredErrors(self.frequency_error, mean_error))

    def _mean_error(self) -> float:
        """The squared error of means, over the keys that matter."""
        weights: dict[int, float] = {}
        for rank, weight in zip(MEAN_RANKS, MEAN_RANK_WEIGHTS, strict=True):
            nearest = min(rank, len(self.shown) - 1)
            weights[nearest] = weights.get(nearest, 0.0) + weight
        return math.fsum(
            weight * predict(self.moments, self._reports, self.shown[rank]).mean for rank, weight in weights.items()
        )


def planned_size_share(law: Law, expected: Expectations) -> str:
    """Return the share of reports that is to answer the size question, as a task has it; 0 where none may."""
    question = expected.question
    if question.size_share is not None:
        return question.size_share
    if question.refuses_more:
        return "0"
    shown = expected.shown(law.padding)
    return choose_size_share(law, shown[len(shown) // 2])


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
    """Return how far off it is to guess the same share for all levels, where any shares are equally likely.

    >>> round(guessed_share_error(5), 3)
    0.163
    """
    return math.sqrt((levels - 1) / (levels + 1)) / levels


class _TypicalKey:
    """A key, by default one of the typical frequency, and the errors of its estimates before clipping."""

    def __init__(self, assessment: Assessment, frequency: float | None = None) -> None:
        expected, law = assessment.expected, assessment.law
        self.frequency = expected.people.typical_frequency if frequency is None else frequency
        self.shown = self.frequency * expected.seen(self.frequency, law.padding)
        asked = float(assessment.size_share)
        self.reports = expected.people.users * (1 - asked)
        self.moments = CountMoments.of(law.count_law, asked, expected.question.scale)

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
