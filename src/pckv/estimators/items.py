"""Items of one kind, such as labels, keys within labels, or two keys together: their counts and what they say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.progress import Progress, no_progress
from pckv.contract.task import Task
from pckv.estimators.hostile import HonestReports
from pckv.estimators.intervals import Interval, frequency_interval
from pckv.estimators.key_columns import DecodedKeys, HostileReports, key_columns, own_standard_error
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.sets import PooledReports, raise_limits
from pckv.mechanisms.base import CountLaw, ItemLaw, Support
from pckv.mechanisms.derivation import ByGroup, Together
from pckv.statistics.detection import Detection, selected_level
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments, JointMoments, Scale
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, item_support

# Products of two estimates are taken to be normal if each is at least this many standard errors.
MIN_DEVIATIONS = 4
# The first list of the largest that intervals hold for, and how many times longer every further one is.
FIRST_LIST = 10


@dataclass(frozen=True, eq=False)
class Items:
    """Some items of one kind, by their `numbers`.

    `order` is how many of a participant's keys must be kept for such an item to be; 0 where it is always kept.
    """

    counted: PooledReports
    numbers: Integers
    support: KeySupport
    moments: CountMoments
    hostile: HostileReports
    order: int

    @classmethod
    def of(
        cls,
        tally: Tally,
        numbers: Integers,
        hostile: int,
        *,
        most: int,
        order: int,
        one_level: bool = False,
        progress: Progress = no_progress,
    ) -> Items:
        """Return items of a tally, of which a participant has at most as many as `most`.

        With `one_level`, only their first level is counted.
        """
        task, support = tally.task, item_support(tally, numbers, progress)
        scale = Scale.of_values(task.level_values)
        if one_level:
            support, scale = KeySupport(support.counts[:1]), Scale((0.0,))

        def adapted(law: CountLaw) -> CountLaw:
            return (_one_level(law) if one_level else law)._replace(padding=most)

        people, reports = tally.people, tally.pair_reports
        counted = PooledReports(task, tally.reports, people, tally.size_answers, adapted(tally.item_law))
        honest = None
        if 0 < hostile < reports:
            least, largest = tally.honest_item_laws(hostile)
            laws = adapted(least), adapted(largest)
            honest = HonestReports.of(laws, reports, hostile, people - reports, scale)
        left_out = 1 - reports / people if people else 0.0
        moments = CountMoments.of(counted.count_law, left_out, scale)
        return cls(counted, numbers, support, moments, HostileReports(hostile, honest), order)

    def take(self, items: Integers) -> Items:
        """Return some of the items, by their places."""
        return replace(self, numbers=self.numbers[items], support=self.support.take(items))

    def __len__(self) -> int:
        return self.support.keys

    @property
    def reports(self) -> int:
        """How many reports are about pairs."""
        return self.counted.pair_reports

    @cached_property
    def frequency(self) -> Floats:
        """The unbiased frequencies, which may lie outside [0, 1]."""
        if not self.reports:
            return np.zeros(len(self))
        return unbiased_frequency(self.support, self.reports, self.moments)

    @cached_property
    def joint(self) -> JointMoments:
        """The covariances of two items."""
        law = self.counted.task.law
        assert isinstance(law, ItemLaw)  # noqa: S101
        return JointMoments.of(law.joint_support(self.counted.count_law.absent.own), self.moments.left_out)

    @property
    def well_known(self) -> Flags:
        """Which frequencies are so many times their standard error that products with them are nearly normal."""
        return np.asarray(self.frequency > MIN_DEVIATIONS * np.sqrt(self.variance(np.clip(self.frequency, 0, 1))))

    @property
    def are_few(self) -> bool:
        """Whether false supports are so few that counts are not normal."""
        return self.reports * self.moments.noise < GAUSSIAN_NOISE

    def variance(self, frequency: Floats) -> Floats:
        """Return the variance of estimates where these are the true frequencies."""
        return np.asarray(self.moments.frequency_variance(frequency) / self.reports)

    @property
    def most_shift(self) -> float:
        """By how much hostile reports can move a frequency at most."""
        honest = self.hostile.honest
        if not self.hostile.reports:
            return 0.0
        if honest is None:
            return 1.0
        return min(honest.max_supports * honest.hostile / (honest.fewest * self.moments.signal), 1.0)

    def detected(self, detection: Detection) -> Flags:
        """Return which items stand out from the noise, whatever hostile reports say."""
        if not self.reports:
            return np.zeros(len(self), np.bool_)
        if not self.hostile.reports:
            return detection.detected(self.support.total, self.reports, self.moments)
        honest = self.hostile.honest
        if honest is None:
            return np.zeros(len(self), np.bool_)
        own = honest.frequency_interval(self.support, detection.level)
        return honest.detected(self.support, detection) & (own.low > 0)

    def interval(self, level: float) -> Interval:
        """Return the intervals of frequencies from their own counts, what larger sets hide and hostile reports say."""
        if not self.reports:
            return Interval(np.zeros(len(self)), np.ones(len(self)))
        own = frequency_interval(self.support, self.reports, self.moments, level)
        if self.hostile.reports:
            own = own.joined(self._honest_interval(level))
        if not self.order:
            return own
        error = own_standard_error(self.support, self.reports, self.moments)
        task, answers = self.counted.task, self.counted.size_answers
        return Interval(own.low, raise_limits(task, answers, own.high, error, level, self.hostile.reports, self.order))

    def _honest_interval(self, level: float) -> Interval:
        if self.hostile.honest is None:
            return Interval(np.zeros(len(self)), np.ones(len(self)))
        return self.hostile.honest.frequency_interval(self.support, level)

    def columns(self, method: str, detection: Detection) -> dict[str, Any]:
        """Return the columns of estimates, as those of keys."""
        decoded = DecodedKeys(self.numbers, self.support, None)
        return key_columns(self.counted, decoded, method, detection, self.hostile, order=self.order)


def _one_level(law: CountLaw) -> CountLaw:
    holder, absent = (Support.independent(1, each.own, each.other) for each in (law.holder, law.absent))
    return law._replace(holder=holder, absent=absent)


def selected_intervals(points: Floats, level: float, tested: int, interval: Callable[[float], Interval]) -> Interval:
    """Return intervals of what is shown, of these points, by the false coverage rate rule for any list of the largest.

    The largest are those that noise has raised most. So the ten, the hundred, … largest have the level of as many that
    are shown, and on average at most a share of 1 - level of each such list, and of all, does not contain the truth.
    """
    order, low, high = np.argsort(-points, kind="stable"), np.zeros(points.size), np.ones(points.size)
    start, end = 0, FIRST_LIST
    while start < points.size:
        rows = order[start:end]
        found = interval(selected_level(level, min(end, points.size), tested))
        low[rows], high[rows] = found.low[rows], found.high[rows]
        start, end = end, FIRST_LIST * end
    return Interval(low, high)


def item_name(task: Task, number: int) -> str:
    """Return what an item is called in sentences: a label, a key within one, a key, or two keys."""

    def key(place: int) -> str:
        return f"“{task.key_names([place])[0]}”"

    derivation, keys = task.derivation, task.key_count
    if task.segment is not None and isinstance(derivation, ByGroup):
        if number < derivation.labels:
            return f"the label “{task.segment.labels[number]}”"
        label, place = divmod(number - derivation.labels, keys)
        return f"{key(place)} within the label “{task.segment.labels[label]}”"
    if number < keys or not isinstance(derivation, Together):
        return key(number)
    first, second = (int(places[number - keys]) for places in np.triu_indices(keys, 1))
    return f"{key(first)} together with {key(second)}"
