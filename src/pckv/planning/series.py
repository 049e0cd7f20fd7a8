"""What errors to expect of a series: of one round, pooled, and smoothed (proofs/trends.md).

A round's frequency has noise of variance v, and moves into the next round by a step of variance D². After
many rounds, the variance of the last one, given all before it, is P = M·v/(M + v), where M = (D² + √(D⁴ +
4D²v))/2 is what it was before the round's own reports. Where nothing moves, R rounds are R times as many
reports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_PANELS, MAX_ROUNDS, check_count
from pckv.base.words import percent, points
from pckv.planning.assessment import Assessment
from pckv.planning.prediction import expected_errors
from pckv.planning.sections import Section, range_points

# Where it is not said how many rounds there are, every panel reports this many times.
ROUNDS_PER_PANEL = 4


@dataclass(frozen=True)
class SeriesErrorAt:
    """The errors to expect of a key of one frequency.

    Attributes:
        frequency: The true one.
        one_round: The error of a round on its own; `pooled` that of as many rounds as there are panels.
        smoothed: After all rounds, smoothed, if the frequency does not change.
        smoothed_drifting: That of the last round if it drifts in every round; None where no drift was named.
    """

    frequency: float
    one_round: float
    pooled: float
    smoothed: float
    smoothed_drifting: float | None


@dataclass(frozen=True)
class PlannedSeries:
    """What to expect of a series.

    Attributes:
        panels: How many there are: any that many rounds in a row hold at most one report of a device.
        rounds: How many rounds the series has; over all of them a device spends at most `total_epsilon`.
        reports_per_round: How many reports a round has.
        drift: By how much frequencies change from one round to the next, as a share of the people.
        errors: By the frequency of a key.
    """

    panels: int
    rounds: int
    drift: float | None
    reports_per_round: int
    total_epsilon: float
    errors: tuple[SeriesErrorAt, ...]

    def section(self, spent: tuple[str, ...] = ()) -> Section:
        """Return what the plan says of the series; of mixed reports `spent` says what a device spends."""
        panels, reports = f"{self.panels:,}", f"{self.reports_per_round:,}"
        rows = []
        for error in self.errors:
            errors = (error.one_round, error.pooled, error.smoothed, error.smoothed_drifting)
            rows.append((percent(error.frequency), *(range_points(each) for each in errors if each is not None)))
        drifting = () if self.drift is None else (f"smoothed, drift {points(self.drift)} per round",)
        smoothed = f"{self.rounds:,} rounds smoothed, no change"
        alone = (
            f"Any {panels} rounds in a row hold at most one report of a device; over all {self.rounds:,} "
            f"rounds it spends at most ε = {self.total_epsilon:g}."
        )
        return Section(
            f"As a series: {panels} panels, about {reports} reports per round; 95 % ranges of frequencies",
            spent or (alone,),
            ("true frequency", "one round", f"{panels} rounds pooled", smoothed, *drifting),
            tuple(rows),
        )


@dataclass(frozen=True)
class Rounds:
    """The rounds of a series: how many people take turns in how many panels, and how frequencies change.

    `drift` is the standard deviation of a frequency's change per round; None where none is named.
    """

    users: int
    panels: int
    rounds: int
    drift: float | None

    @classmethod
    def planned(cls, panels: int | None, rounds: int | None, drift: float | None, users: int) -> Rounds | None:
        """Return the rounds that a plan is about, if any; refuse what no series can have."""
        if panels is None:
            if rounds is not None or drift is not None:
                raise ParameterError("rounds and drift are about a series: say how many panels it has")
            return None
        check_count(panels, "panels", MAX_PANELS)
        if rounds is not None and check_count(rounds, "rounds", MAX_ROUNDS) < panels:
            raise ParameterError(f"rounds must be at least the number of panels, {panels:,}, not {rounds:,}")
        if panels > users:
            raise ParameterError(f"{users:,} people cannot be in {panels:,} panels")
        if drift is not None and not 0 <= drift <= 1:
            raise ParameterError(f"drift must be at least 0 and at most 1, not {drift}")
        return cls(users, panels, ROUNDS_PER_PANEL * panels if rounds is None else rounds, drift)

    def expected(self, chosen: Assessment, frequencies: Sequence[float]) -> PlannedSeries:
        """Return the errors to expect, by frequency, where rounds have the law that was chosen."""
        return PlannedSeries(
            panels=self.panels,
            rounds=self.rounds,
            drift=self.drift,
            reports_per_round=chosen.expected.people.users,
            total_epsilon=math.ceil(self.rounds / self.panels) * float(chosen.law.epsilon),
            errors=tuple(self._error_at(chosen, frequency) for frequency in frequencies),
        )

    def _error_at(self, chosen: Assessment, frequency: float) -> SeriesErrorAt:
        panels, asked = self.panels, float(chosen.size_share)
        seen = chosen.expected.seen(frequency, chosen.padding)
        in_all_panels = panels * chosen.expected.people.users * (1 - asked)
        one_round, pooled = (
            expected_errors(
                chosen.moments_without(1 - (1 - asked) / share), in_all_panels / share, frequency, seen
            ).frequency
            for share in (panels, 1)
        )
        shown, hidden = frequency * seen, frequency * (1 - seen)
        moments = chosen.moments_without(1 - (1 - asked) / panels)
        noise = moments.frequency_variance(shown) * panels / in_all_panels
        smoothed = noise / self.rounds
        drifting = None if self.drift is None else max(steady_variance(noise, self.drift**2), smoothed)
        return SeriesErrorAt(
            frequency=frequency,
            one_round=one_round,
            pooled=pooled,
            smoothed=math.hypot(math.sqrt(smoothed), hidden),
            smoothed_drifting=None if drifting is None else math.hypot(math.sqrt(drifting), hidden),
        )


def steady_variance(noise: float, step: float) -> float:
    """Return the variance of the last of many rounds, given all, where levels move by steps of a variance.

    >>> round(steady_variance(1.0, 0.5), 6), steady_variance(1.0, 0.0)
    (0.5, 0.0)
    """
    before = (step + math.sqrt(step * (step + 4 * noise))) / 2
    return before * noise / (before + noise)
