"""The counts of rounds: decoded once per round, and pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.errors import TallyError
from pckv.base.progress import Progress, no_progress
from pckv.contract.series import Series
from pckv.estimators.linear import unbiased_frequency, unbiased_value_sum
from pckv.estimators.sets import PooledReports
from pckv.mechanisms.base import CountLaw, Support
from pckv.mechanisms.derivation import key_law
from pckv.statistics.moments import CountMoments, Scale
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support


@dataclass(frozen=True, eq=False)
class RoundCounts:
    """All that a trend needs of the tally of a round: two numbers per key, small enough to be kept.

    `keys` are the numbers of the keys that were decoded, and `support` are their counts.
    """

    number: int
    panels: int
    reports: int
    size_answers: Integers
    keys: Integers
    support: KeySupport
    count_law: CountLaw
    scale: Scale

    @classmethod
    def of(
        cls, series: Series, tally: Tally, keys: Integers | None = None, progress: Progress = no_progress
    ) -> RoundCounts:
        """Decode the tally of a round of a series: the keys of these numbers, by default all.

        Raises:
            TallyError: if the tally is not that of a round of the series.
        """
        member = tally.task.series
        if member is None or member.id != series.id or tally.task != series.task_of(member.round):
            raise TallyError(f"task {tally.task.name!r} is not a round of series {series.name!r}")
        numbers = np.arange(series.task.key_count) if keys is None else keys
        return cls(
            number=member.round,
            panels=series.panels,
            reports=tally.reports,
            size_answers=tally.size_answers,
            keys=numbers,
            support=key_support(tally, numbers, progress),
            count_law=tally.count_law,
            scale=Scale.of_values(tally.task.level_values),
        )

    def take(self, keys: Integers) -> RoundCounts:
        """Return the counts of some keys, by their numbers; all of them must have been decoded."""
        if np.array_equal(keys, self.keys):
            return self
        places = np.searchsorted(self.keys, keys)
        if not np.array_equal(self.keys[np.minimum(places, self.keys.size - 1)], keys):
            raise TallyError(f"keys were asked for that are not decoded in round {self.number:,}")
        return self.at(places)

    def at(self, places: Integers) -> RoundCounts:
        """Return the counts at some places of the keys that were decoded."""
        return replace(self, keys=self.keys[places], support=self.support.take(places))

    @property
    def pair_reports(self) -> int:
        """How many reports are about pairs."""
        return self.reports - int(self.size_answers.sum())

    @cached_property
    def moments(self) -> CountMoments:
        """The moments of the counts, as a sample of all people."""
        left_out = 1 - self.pair_reports / (self.reports * self.panels)
        return CountMoments.of(self.count_law, left_out, self.scale)

    @cached_property
    def mechanism_moments(self) -> CountMoments:
        """The moments of the counts of the people who reported pairs."""
        return CountMoments.of(self.count_law, scale=self.scale)

    @cached_property
    def frequency(self) -> Floats:
        """The unbiased frequencies, which may lie outside [0, 1]."""
        return unbiased_frequency(self.support, self.pair_reports, self.moments)

    @property
    def value_sum(self) -> Floats:
        """The unbiased sums of values per person: frequency times mean."""
        return unbiased_value_sum(self.support, self.pair_reports, self.mechanism_moments, self.frequency)

    def noise_variance(self, frequency: Floats, left_out: float) -> Floats:
        """Return the variance of estimates where these are the true frequencies.

        `left_out` is the share of the people who did not report pairs: 1 if those who did are a small sample.
        """
        of_sample = left_out * frequency * (1 - frequency)
        of_mechanism = self.mechanism_moments.frequency_variance(frequency)
        return np.asarray((of_mechanism + of_sample) / self.pair_reports)


def pooled_support(rounds: Sequence[RoundCounts]) -> KeySupport:
    """Return the counts of all rounds together; functions of reports differ, but supports add up."""
    return KeySupport(add_up([each.support.counts for each in rounds]))


def add_up(counts: Sequence[Integers]) -> Integers:
    """Return the sum of counts, cell by cell."""
    return np.asarray(np.sum(counts, axis=0, dtype=np.int64))


def pool(series: Series, rounds: Sequence[RoundCounts]) -> PooledReports:
    """Return the reports of at most as many rounds in a row as there are panels: each person at most once."""
    reports = sum(each.reports for each in rounds)
    return PooledReports(
        task=series.task,
        reports=reports,
        # Panels of whom there is no report are people who were left out.
        people=round(reports * series.panels / len(rounds)) if rounds else 0,
        size_answers=add_up([each.size_answers for each in rounds]) if rounds else np.zeros(0, np.int64),
        count_law=_average_law([(each.count_law, each.pair_reports) for each in rounds])
        if rounds
        else key_law(series.task.law.count_law, series.task.derivation),
    )


def last_rounds(rounds: Sequence[RoundCounts], panels: int) -> list[RoundCounts]:
    """Return those among the last rounds, as many as there are panels, that have reports."""
    return [each for each in rounds if each.number > rounds[-1].number - panels]


def _average_law(count_laws: Sequence[tuple[CountLaw, int]]) -> CountLaw:
    """Return the law of a report that is any of the reports of several rounds."""
    total = sum(reports for _, reports in count_laws)
    if len({count_law for count_law, _ in count_laws}) == 1 or not total:
        return count_laws[0][0]
    shares = [(count_law, Fraction(reports, total)) for count_law, reports in count_laws]
    return CountLaw(
        _average_support([(count_law.holder, share) for count_law, share in shares]),
        _average_support([(count_law.absent, share) for count_law, share in shares]),
        max(count_law.padding for count_law, _ in count_laws),
    )


def _average_support(supports: Sequence[tuple[Support, Fraction]]) -> Support:
    (average, seen), *others = supports
    for support, share in others:
        seen += share
        # One law so far with what was seen of it, and this one with its share.
        average = average.mixed(support, 1 - share / seen)
    return average
