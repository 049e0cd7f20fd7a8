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
from pckv.mechanisms.derivation import Derivation, Together, key_law
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.influence import people_per_report
from pckv.planning.people import Expectations
from pckv.planning.prediction import (
    FREQUENCY,
    MEAN,
    MSE,
    ExpectedErrors,
    SquaredErrors,
    expected_errors,
    predict,
    smallest_frequency,
)
from pckv.planning.sections import MAX_GREEN_SHARE_ERROR, Light
from pckv.statistics.detection import DEFAULT_FLAG_RATE, false_chance, joint_frequency
from pckv.statistics.moments import CountMoments, Scale

SHARES = ("0.05", "0.1", "0.2")
# The width of the interval of a key that matters relative to one with known sizes.
MAX_WIDTH_FACTOR = 1.4


def size_question(law: Law, share: Fraction, derivation: Derivation | None = None) -> SizeQuestion:
    """Return the size question that a share of the reports answers: about pairs, whatever items are made of them."""
    if derivation is None:
        return SizeQuestion(law.keys, law.padding, law.epsilon, share)
    kept = derivation.kept(law.padding)
    return SizeQuestion(derivation.keys, kept, law.epsilon, share, derivation.order)


def choose_size_share(law: Law, frequency: float = 0.0, derivation: Derivation | None = None) -> str:
    """Return the least share whose answers keep intervals narrow; 0 where the question does not arise.

    `frequency` is that of a key that matters, as reports show it.
    """
    if law.word_limit is None or not _may_hide(law, derivation):
        return "0"

    def width_factor(share: str) -> float:
        """How much wider the interval of a frequency becomes because the sizes are only estimated."""
        asked = Fraction(share)
        question = size_question(law, asked, derivation)
        moments = CountMoments.of(key_law(law.count_law, derivation))
        of_pairs = float(moments.frequency_variance(frequency)) / float(1 - asked)
        return (1 + math.sqrt(1 + question.hidden_variance / float(asked) / of_pairs)) / 2

    return next((share for share in SHARES if width_factor(share) <= MAX_WIDTH_FACTOR), SHARES[-1])


def _may_hide(law: Law, derivation: Derivation | None) -> bool:
    """Whether there are more keys than a report stands for."""
    return law.padding < law.keys if derivation is None else derivation.kept(law.padding) < derivation.keys


def share_above_variance(question: SizeQuestion, above: float) -> float:
    """Return the variance, per answer, of the estimated share of people with more pairs than the padding."""
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
        """The moments of a key's counts."""
        return self.moments_without(0.0)

    def moments_without(self, asked: float) -> CountMoments:
        """The same, where a share of the people, chosen at random, answers the size question."""
        question = self.expected.question
        return CountMoments.of(key_law(self.law.count_law, question.derivation), asked, question.scale)

    @property
    def padding(self) -> int:
        """How many pairs a report stands for at most."""
        derivation = self.expected.question.derivation
        return self.law.padding if derivation is None else derivation.kept(self.law.padding)

    @cached_property
    def shown(self) -> tuple[float, ...]:
        """The frequencies of the keys that matter, as reports show them."""
        return self.expected.shown(self.padding)

    @cached_property
    def size_share(self) -> Fraction:
        """The share of reports that answers the size question."""
        return Fraction(planned_size_share(self.law, self.expected))

    @cached_property
    def influence(self) -> float:
        """As how many people one hostile report counts for a key."""
        coin = self.expected.question.coin == SERVER_COIN and self.law.functions is not None
        return people_per_report(self.law, self.expected.question.cells, self.size_share, coin=coin)

    @property
    def size_question(self) -> SizeQuestion | None:
        """The size question that they answer, if any do."""
        share = self.size_share
        return size_question(self.law, share, self.expected.question.derivation) if share else None

    def errors_at(self, frequency: float, users: int | None = None) -> ExpectedErrors:
        """Return the errors to expect of a key, in the units of the values, with these users or others."""
        question, asked = self.expected.question, float(self.size_share)
        reports = (self.expected.people.users if users is None else users) * (1 - asked)
        seen = self.expected.seen(frequency, self.padding)
        errors = expected_errors(self.moments_without(asked), reports, frequency, seen)
        return errors._replace(mean=errors.mean * question.unit)

    @property
    def smallest_frequency(self) -> float:
        """The least frequency that stands out from the noise four times out of five; at most 1.

        If sizes have a shorter tail than an average allows, it does so more often.
        """
        people = self.expected.people
        seen = min(1.0, self.shown[-1] / people.frequencies[-1], self.expected.surely_seen(self.padding))
        question = self.expected.question
        candidates, derivation = question.candidates, question.derivation
        return smallest_frequency(self.law, people.users, seen, self.size_share, candidates, derivation)

    @cached_property
    def reach(self) -> float | None:
        """A frequency from which all keys that matter stand out together, four times out of five; None if none.

        It never rises with more people. So that it does not change with the share of the size question
        either, that is taken to be the largest which is chosen.
        """
        people, candidates = self.expected.people, self.expected.question.candidates
        asked = max(float(self.size_share), float(SHARES[-1])) if self.size_share else 0.0
        moments = self.moments_without(asked)
        chance = false_chance(people.key_count, None if candidates is None else DEFAULT_FLAG_RATE)
        shown = joint_frequency(moments, people.users * (1 - asked), chance, len(people.frequencies))
        seen = self.expected.least_seen(self.padding)
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
        return "green" if levels <= MIN_LEVELS or share_error(self, people.rarest) <= allowed else "amber"

    @property
    def hides(self) -> bool:
        """Whether reports may hide pairs, since people may hold more than a report stands for."""
        question = self.expected.question
        return not question.refuses_more and self.padding < question.keys

    @property
    def unmeasured(self) -> bool:
        """Whether reports may hide pairs, and neither they nor what is known of the people tells how many."""
        question, known_from = self.expected.question, self.expected.people.sizes.known_from
        is_known = known_from is not None and self.padding >= known_from
        # A share of 0 was asked for by name.
        return self.hides and not is_known and not self.size_share and question.size_share is None

    @cached_property
    def _reports(self) -> float:
        """How many reports of pairs errors are compared with."""
        asked = self.size_share
        if not asked and self.hides:
            # A mechanism that cannot measure how much it hides is not rewarded for that.
            asked = Fraction(SHARES[0])
        return self.expected.people.users * float(1 - asked)

    @cached_property
    def _items(self) -> tuple[tuple[float, float], ...]:
        """What the padding is chosen by: the frequencies of keys, and of two together, and what reports show of them.

        The errors of keys within a label follow those over all labels: the same share is hidden, with more noise.
        """
        known = tuple(zip(self.expected.people.frequencies, self.shown, strict=True))
        return (*known, *self.together) if isinstance(self.expected.question.derivation, Together) else known

    @cached_property
    def together(self) -> tuple[tuple[float, float], ...]:
        """The shares of people who hold two of the keys that matter, and what reports show of them."""
        return self.expected.shown_together(self.padding)

    @property
    def truncation(self) -> float:
        """By how much the item that truncation changes most comes out too low, because people hold more pairs."""
        return max(frequency - visible for frequency, visible in self._items)

    @property
    def truncates_within_noise(self) -> bool:
        """Whether truncation is at most one standard error of what it changes most."""
        _, visible = max(self._items, key=lambda item: item[0] - item[1])
        return self.truncation**2 <= self.moments.frequency_variance(visible) / self._reports

    @cached_property
    def frequency_error(self) -> float:
        """The mean squared error of the frequencies, before clipping.

        Where all is noise, clipped estimates are 0 or 1 whatever the law, and the noisiest would look best.
        """
        squares = [
            self.moments.frequency_variance(visible) / self._reports + (frequency - visible) ** 2
            for frequency, visible in self._items
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
    shown = Assessment(law, expected).shown
    return choose_size_share(law, shown[len(shown) // 2], question.derivation)


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
    ours, theirs = TypicalKey(several), TypicalKey(two)
    return LevelCost(
        frequency=ours.frequency_error / theirs.frequency_error,
        mean_middle=ours.mean_error(0) / theirs.mean_error(0),
        mean_near_ends=max(ours.mean_error(m) / theirs.mean_error(m) for m in (-NEAR_END, NEAR_END)),
    )


def share_error(assessment: Assessment, frequency: float) -> float:
    """Return the error to expect of the share of a level among the holders of a key; at most 1.

    It is that of a level which as many hold as any other: 1/L of the holders.
    """
    return TypicalKey(assessment, frequency).share_error


def guessed_share_error(levels: int) -> float:
    """Return how far off it is to guess the same share for all levels, where any shares are equally likely.

    >>> round(guessed_share_error(5), 3)
    0.163
    """
    return math.sqrt((levels - 1) / (levels + 1)) / levels


class TypicalKey:
    """A key, by default one of the typical frequency, and the errors of its estimates before clipping."""

    def __init__(self, assessment: Assessment, frequency: float | None = None) -> None:
        expected = assessment.expected
        self.frequency = expected.people.typical_frequency if frequency is None else frequency
        self.shown = self.frequency * expected.seen(self.frequency, assessment.padding)
        asked = float(assessment.size_share)
        self.reports = expected.people.users * (1 - asked)
        self.moments = assessment.moments_without(asked)

    @property
    def frequency_error(self) -> float:
        """The error of the frequency, bias included."""
        noise = math.sqrt(self.moments.frequency_variance(self.shown) / self.reports)
        return math.hypot(noise, self.frequency - self.shown)

    def mean_error(self, mean: float) -> float:
        """The error of a mean on [-1, 1]."""
        return math.sqrt(self.moments.mean_variance(self.shown, mean) / self.reports)

    @property
    def share_error(self) -> float:
        """The error of the share of a level among the holders."""
        levels = self.moments.levels
        # The share of a level is the mean of 1 for it and 0 for all others.
        counted = self.moments.on(Scale((1.0, *[0.0] * (levels - 1))))
        return min(1.0, math.sqrt(counted.mean_variance(self.shown, 1 / levels) / self.reports))
