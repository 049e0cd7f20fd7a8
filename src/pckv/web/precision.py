"""How the errors of a running task shrink with reports, and what no number of reports can show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from fastapi import APIRouter, Query

from pckv.charts.estimates import errors_chart
from pckv.collector.analysis.estimates import MAX_ASKED_KEYS, QueryOptions
from pckv.collector.http.auth import Account
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import ADMIN_PROBLEMS, TASK_PROBLEMS, ProblemKind, problem_responses
from pckv.collector.state import CurrentCollector
from pckv.contract.task import Task
from pckv.estimators.sets import SetSummary
from pckv.planning.people import MAX_USERS, MIN_FREQUENCY
from pckv.planning.plan import DEFAULT_CANDIDATES, GUESSED_MEAN_ERROR
from pckv.planning.prediction import ExpectedErrors, predict, smallest_frequency
from pckv.statistics.moments import CountMoments, Scale

# The curve runs from MIN_REPORTS to ten times today's reports, at least to MIN_SPAN.
MIN_REPORTS, MIN_SPAN = 100, 100_000
POINTS = 25
# The frequency that the page begins with.
REFERENCE_FREQUENCY = 0.05
EXPECTED, TODAY = "expected", "today"

router = APIRouter(tags=["dashboard"])


@dataclass(frozen=True)
class Precision:
    """The errors to expect for a key of one frequency, by the number of reports.

    Errors are one standard deviation of method `corrected`. They come from noise, and from people with more pairs than the
    padding, who hide a part of their keys: at most as much as the answers to the size question allow.
    """

    task: Task
    sets: SetSummary
    reports: int
    frequency: float
    # How many hashed keys are asked for; None where keys are listed.
    candidates: int | None = None

    @property
    def _most_hidden(self) -> float:
        """What larger sets hide of this key at the worst, whatever their sizes: as if all its holders held all keys."""
        return (
            self.frequency * (1 - self.task.padding / self.task.key_count) if self.task.can_truncate else 0.0
        )

    @property
    def surely_hidden(self) -> float:
        """What larger sets can hide of the key for sure, at the level of the intervals: more reports do not change it."""
        lowest = 2 * self.sets.hidden - self.sets.hidden_high
        return min(max(lowest, 0.0), self._most_hidden) if self.sets.answers else 0.0

    def hidden(self, reports: float) -> float:
        """Return what larger sets may hide of the key, at the level of the intervals, once there are this many reports.

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
        return CountMoments.of(self.task.law.count_law, left_out, Scale.of_values(self.task.level_values))

    def noise(self, reports: float) -> ExpectedErrors:
        """Return the errors of the key's frequency and mean that come from noise, the latter in the task's units."""
        squares = predict(self._moments, reports * (1 - self.task.size_share), self.frequency)
        return ExpectedErrors(math.sqrt(squares.frequency), self._unit * math.sqrt(squares.mean))

    @property
    def _unit(self) -> float:
        return (self.task.high - self.task.low) / 2

    @property
    def guessed_mean_error(self) -> float:
        """The error of guessing the mean, without a report."""
        return GUESSED_MEAN_ERROR * self._unit

    def _variance(self) -> float:
        """The variance of the frequency per report, whichever part of it is hidden: it is linear in what reports show."""
        shown = (self.frequency, self.frequency - self._most_hidden)
        return max(map(self._moments.frequency_variance, shown)) / (1 - self.task.size_share)

    def needed_for_noise(self, wanted: float) -> int:
        """Return how many reports bring the noise down to this error."""
        return math.ceil(self._variance() / wanted**2)

    def needed(self, wanted: float) -> int | None:
        """Return how many reports bring the error down to this, whatever larger sets hide; None if none do."""
        if not self.sets.answers and self._most_hidden >= wanted:
            return None

        def is_enough(reports: int) -> bool:
            return self._variance() / reports + self.hidden(reports) ** 2 <= wanted**2

        low = high = self.needed_for_noise(wanted)
        while not is_enough(high):
            low, high = high, 2 * high
            if high > MAX_USERS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high

    def curve(self) -> dict[str, Any]:
        """Draw the error of the frequency against the number of reports."""
        last = max(MIN_SPAN, 10 * self.reports)
        steps = [MIN_REPORTS * (last / MIN_REPORTS) ** (step / (POINTS - 1)) for step in range(POINTS)]
        rows = [self._row(step, EXPECTED) for step in steps]
        if self.reports:
            rows.append(self._row(self.reports, TODAY))
        specification: dict[str, Any] = errors_chart(
            rows, x="reports", expected=EXPECTED, marked=TODAY, quantities=["frequency"]
        ).to_dict()
        return specification

    def error(self, reports: float) -> float:
        """Return the error of the key's frequency once there are this many reports.

        Where nobody was asked how many pairs they hold, it is that of the noise: the worst case would hide it.
        """
        return math.hypot(self.noise(reports).frequency, self.hidden(reports) if self.sets.answers else 0.0)

    def smallest(self, reports: float) -> float:
        """Return the least frequency that stands out from the noise of this many reports four times out of five."""
        size_share = Fraction(str(self.task.size_share))
        return smallest_frequency(self.task.law, reports, size_share=size_share, candidates=self.candidates)

    def _row(self, reports: float, series: str) -> dict[str, Any]:
        return {"reports": reports, "series": series, "frequency": self.error(reports)}


@router.get(
    "/tasks/{task_id}/precision",
    summary="How errors shrink with reports",
    responses=problem_responses(ProblemKind.MALFORMED, *ADMIN_PROBLEMS, *TASK_PROBLEMS),
)
@Policy(Access.ANALYSTS)
async def precision(
    task_id: str,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
    frequency: Annotated[float, Query(ge=MIN_FREQUENCY, le=1)] = REFERENCE_FREQUENCY,
    wanted: Annotated[float, Query(ge=1e-6, lt=1)] = 0.01,
    candidates: Annotated[int, Query(ge=1, le=MAX_ASKED_KEYS)] = DEFAULT_CANDIDATES,
) -> dict[str, Any]:
    """Return the errors expected today for a key of a frequency, and the reports needed for a wanted error.

    `frequency_error` and `mean_error` are of noise alone; `hidden` is by how much the frequency may be higher at the level of
    the intervals, because people hold more pairs than the padding, and `surely_hidden` the part of it that is sure. `needed`
    counts noise and what is hidden, and is null where no number of reports is enough, as far as sizes are known;
    `needed_for_noise` is for people who hold no more. Keys below `smallest` are often too rare to tell today; of hashed keys,
    among this many `candidates`. The curve is a Vega-Lite specification.
    """
    stored = await collector.contracts.find(task_id)
    # What hostile reports can do does not shrink with reports, as noise does: the curve is that of honest ones. Only what
    # is known of sets matters, for which any one key does where not all are estimated at once.
    options = options._replace(hostile="0", keys=(stored.task.key_name(0),))
    _, estimates = await collector.estimates.find(account, stored.task, options)
    asked = candidates if stored.task.is_hashed else None
    known = Precision(stored.task, estimates.sets, estimates.reports, frequency, asked)
    now = known.noise(known.reports) if known.reports else None
    return {
        "reports": known.reports,
        "frequency": frequency,
        "candidates": known.candidates,
        "smallest": known.smallest(known.reports) if known.reports else None,
        "frequency_error": now and now.frequency,
        "mean_error": now and now.mean,
        "guessed_mean_error": known.guessed_mean_error,
        "padding": stored.task.padding,
        "asks_sizes": stored.task.size_question is not None,
        "size_answers": known.sets.answers,
        "hidden": known.hidden(known.reports),
        "surely_hidden": known.surely_hidden,
        "wanted": wanted,
        "needed": known.needed(wanted),
        "needed_for_noise": known.needed_for_noise(wanted),
        "chart": await collector.analysis_threads.run_short(known.curve),
    }
