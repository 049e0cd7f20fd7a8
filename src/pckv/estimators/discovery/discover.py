"""From a tally of a discovery to the texts that many people hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats
from pckv.base.errors import ParameterError
from pckv.base.progress import Progress, no_progress
from pckv.contract.task import Task
from pckv.estimators.discovery.search import Search, WholeText, null_chances, reports_by_group, search
from pckv.estimators.estimate import check_level
from pckv.estimators.intervals import frequency_interval
from pckv.estimators.methods.baseline import unbiased_frequency
from pckv.estimators.results.discovery import Discovery, FollowedPrefix, FoundKey
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import END
from pckv.planning.discovery import DEFAULT_FOUND_RATE, moments_of, smallest_found_frequency
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport

# Prefixes that are followed from one group to the next at most.
DEFAULT_MOST = 1_000


def discover(
    tally: Tally,
    level: float = 0.95,
    *,
    false_discovery_rate: float = DEFAULT_FOUND_RATE,
    most: int = DEFAULT_MOST,
    progress: Progress = no_progress,
) -> Discovery:
    """Find the texts that many people hold, of which nobody made a list.

    Prefixes that stand out a little are followed from group to group. What counts as found is decided at the end, from
    all groups that report a text as a whole: from the first that shows its end on.

    Somebody with more texts than the padding ℓ, m of them, counts as ℓ/m for each: that capped frequency is estimated.

    Args:
        tally: The counted reports of a discovery.
        level: The level of the intervals, each on its own.
        false_discovery_rate: The share of texts that nobody holds among those found, on average, is at most this.
        most: How many prefixes are followed from one group to the next at most.
        progress: Called with the share that is done.

    Returns:
        The texts, the most frequent ones first, and the prefixes that led to them.

    Raises:
        ParameterError: if an argument is outside its domain, the task is not a discovery, or there are fewer reports than
            groups.
    """
    task, tree, law = tally.task, tally.task.tree, tally.task.law
    if not isinstance(law, DiscoveryLaw):
        raise TypeError(law)
    check_level(level)
    _check_arguments(false_discovery_rate, most)
    if tally.reports < tree.groups:
        raise ParameterError(
            f"task {task.name!r} has more groups than reports: {tree.groups} groups, {tally.reports:,} reports"
        )
    found = search(task, law, reports_by_group(tally, law), most, progress)
    keys = [
        whole
        for whole, stands_out in zip(
            found.whole, _found(law, found, false_discovery_rate).tolist(), strict=True
        )
        if stands_out
    ]
    estimated = _estimate(
        law, [whole.count for whole in keys], [whole.reports for whole in keys], tally.reports, level
    )
    order = sorted(range(len(keys)), key=lambda place: (-estimated.frequency[place], keys[place].text))
    return Discovery(
        task=task.id,
        keys=tuple(
            FoundKey(keys[place].text, *estimated.row(place), len(keys[place].text) == tree.characters)
            for place in order
        ),
        tree=_tree(task, law, found, keys, tally.reports, level),
        reports=tally.reports,
        epsilon=task.realised_epsilon,
        level=level,
        false_discovery_rate=false_discovery_rate,
        characters=tree.characters,
        padding=task.padding,
        smallest_frequency=smallest_found_frequency(law, tree, tally.reports, false_discovery_rate),
    )


def _check_arguments(rate: float, most: int) -> None:
    if not 0 < rate < 1:
        raise ParameterError(f"the false discovery rate must be above 0 and below 1, not {rate}")
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ParameterError(f"most must be a whole number from 1 on, not {most!r}")


def _found(law: DiscoveryLaw, found: Search, rate: float) -> Flags:
    """Return which texts stand out from all that were tested (Benjamini and Hochberg)."""
    counts = np.array([whole.count for whole in found.whole], np.int64)
    chances = null_chances(law, counts, [whole.reports for whole in found.whole])
    ranked = np.sort(chances)
    passes = np.flatnonzero(ranked <= rate * np.arange(1, ranked.size + 1) / max(found.tested, 1))
    return np.asarray(chances <= (ranked[passes[-1]] if passes.size else -1.0))


class _Frequencies(NamedTuple):
    frequency: Floats
    low: Floats
    high: Floats

    def row(self, place: int) -> tuple[float, float, float]:
        return float(self.frequency[place]), float(self.low[place]), float(self.high[place])


def _estimate(
    law: DiscoveryLaw, counts: Sequence[int], reports: Sequence[int], people: int, level: float
) -> _Frequencies:
    """Return frequencies with intervals, each from the reports that say something of its text or prefix."""
    all_counts, all_reports = np.array(counts, np.int64), np.array(reports, np.int64)
    result = _Frequencies(*(np.zeros(all_counts.size) for _ in range(3)))
    for number in np.unique(all_reports).tolist():
        same = np.flatnonzero(all_reports == number)
        support = KeySupport(all_counts[same][None, :])
        moments = moments_of(law, left_out=1 - number / people)
        result.frequency[same] = np.clip(unbiased_frequency(support, number, moments), 0, 1)
        result.low[same], result.high[same] = frequency_interval(support, number, moments, level)
    return result


def _tree(  # noqa: PLR0917
    task: Task, law: DiscoveryLaw, found: Search, keys: list[WholeText], people: int, level: float
) -> tuple[FollowedPrefix, ...]:
    """Return the prefixes that were followed, and which of them led to a key."""
    counts = [one.supports for one in found.followed]
    reports = [found.groups[one.group].reports for one in found.followed]
    estimated = _estimate(law, counts, reports, people, level)
    led = {task.tree.prefix(whole.text, group) for whole in keys for group in range(task.tree.groups)}
    return tuple(
        FollowedPrefix(
            one.prefix.rstrip(END),
            task.tree.lengths[one.group],
            one.prefix.endswith(END) or one.group == task.tree.groups - 1,
            *estimated.row(place),
            one.prefix in led,
        )
        for place, one in enumerate(found.followed)
    )
