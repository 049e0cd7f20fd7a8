"""How the ranges of a task's estimates shrink with reports, and what no number of reports can show."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from pckv.contract.task import Task
from pckv.estimators.sets import SetSummary
from pckv.mechanisms.derivation import key_law
from pckv.planning.people import MAX_USERS
from pckv.planning.planner import GUESSED_MEAN_ERROR
from pckv.planning.prediction import ExpectedErrors, predict, smallest_frequency
from pckv.planning.sections import HALF_RANGE
from pckv.statistics.moments import CountMoments, Scale

# The curve runs from MIN_REPORTS to ten times today's reports, at least to MIN_SPAN.
MIN_REPORTS, MIN_SPAN = 100, 100_000
POINTS = 25


@dataclass(frozen=True)
class Precision:
    """The ranges to expect for a key of one frequency, by the number of reports.

    Half a range is what noise takes at a confidence of 95 %, with method `corrected`, and what people with more pairs
    than the padding may hide: at most as much as the answers to the size question allow.
    """

    task: Task
    sets: SetSummary
    reports: int
    frequency: float
    # How many hashed keys are asked for; None where keys are listed.
    candidates: int | None = None

    @property
    def _most_hidden(self) -> float:
        """What larger sets hide of this key at the worst: as if all its holders held all keys."""
        return self.frequency * (1 - self.task.padding / self.task.key_count) if self.task.can_truncate else 0.0

    @property
    def surely_hidden(self) -> float:
        """What larger sets surely hide of the key, at the intervals' level, with any number of reports."""
        lowest = 2 * self.sets.hidden - self.sets.hidden_high
        return min(max(lowest, 0.0), self._most_hidden) if self.sets.answers else 0.0

    def hidden(self, reports: float) -> float:
        """Return what larger sets may hide of the key, at the level of the intervals, with this many reports.

        The estimate of what is hidden is taken to stay, and its noise to shrink.
        """
        if not self.sets.answers:
            return self._most_hidden
        noise = (self.sets.hidden_high - self.sets.hidden) * math.sqrt(self.reports / reports)
        return min(self.sets.hidden + noise, self._most_hidden)

    @property
    def _moments(self) -> CountMoments:
        series = self.task.series
        panels = 1 if series is None else series.panels
        left_out = 1 - (1 - self.task.size_share) / panels
        law = key_law(self.task.law.count_law, self.task.derivation)
        return CountMoments.of(law, left_out, Scale.of_values(self.task.level_values))

    def noise(self, reports: float) -> ExpectedErrors:
        """Return the errors of the key's frequency and, in the task's units, mean that come from noise."""
        squares = predict(self._moments, reports * (1 - self.task.size_share), self.frequency)
        return ExpectedErrors(math.sqrt(squares.frequency), self._unit * math.sqrt(squares.mean))

    @property
    def _unit(self) -> float:
        return (self.task.ends[1] - self.task.ends[0]) / 2

    @property
    def guessed_mean_error(self) -> float:
        """The error of guessing the mean, without a report."""
        return GUESSED_MEAN_ERROR * self._unit

    def _variance(self) -> float:
        """The largest variance of the frequency per report: it is linear in what reports show."""
        shown = (self.frequency, self.frequency - self._most_hidden)
        return max(map(self._moments.frequency_variance, shown)) / (1 - self.task.size_share)

    def needed_for_noise(self, wanted: float) -> int:
        """Return how many reports bring half a range down to this, if nothing is hidden."""
        return math.ceil(HALF_RANGE**2 * self._variance() / wanted**2)

    def needed(self, wanted: float) -> int | None:
        """Return how many reports bring half a range down to this, what is hidden included; None if none do."""
        if not self.sets.answers and self._most_hidden >= wanted:
            return None

        def is_enough(reports: int) -> bool:
            return HALF_RANGE * math.sqrt(self._variance() / reports) + self.hidden(reports) <= wanted

        low = high = self.needed_for_noise(wanted)
        while not is_enough(high):
            low, high = high, 2 * high
            if high > MAX_USERS:
                return None
        return low + bisect_left(range(low, high), x=True, key=is_enough)

    def half_range(self, reports: float) -> float:
        """Return half the range of the key's frequency once there are this many reports.

        Where people were not asked how many pairs they hold, it is that of the noise: the worst case would
        hide it.
        """
        hidden = self.hidden(reports) if self.sets.answers else 0.0
        return min(HALF_RANGE * self.noise(reports).frequency + hidden, 1.0)

    def smallest(self, reports: float) -> float:
        """Return the least frequency that stands out from this many reports four times out of five."""
        size_share = Fraction(str(self.task.size_share))
        return smallest_frequency(
            self.task.law,
            reports,
            size_share=size_share,
            candidates=self.candidates,
            derivation=self.task.derivation,
        )

    def curve(self) -> list[tuple[float, float]]:
        """Return numbers of reports, up to ten times today's, and half the range with each."""
        last = max(MIN_SPAN, 10 * self.reports)
        steps = (MIN_REPORTS * (last / MIN_REPORTS) ** (step / (POINTS - 1)) for step in range(POINTS))
        return [(reports, self.half_range(reports)) for reports in steps]
