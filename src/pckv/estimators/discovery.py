"""Frequent unlisted texts, found prefix by prefix (proofs/discovery.md).

Frequent prefixes are followed from group to group; texts that ended are counted from then on, tested and
estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.progress import Progress, no_progress
from pckv.contract.facts import mixed_text
from pckv.contract.task import Task
from pckv.estimators.estimate import check_level
from pckv.estimators.intervals import frequency_interval
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.results.discovery import Discovery, FollowedPrefix, FoundKey
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import END
from pckv.planning.discovery import DEFAULT_FOUND_RATE, followed_chance, moments_of, smallest_found_frequency
from pckv.statistics.binomial import binomial_upper_tail
from pckv.statistics.detection import check_rate, discoveries, selected_level
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport
from pckv.tally.supports import supports_of

# The most prefixes that are followed in one group: this many take about a gigabyte of memory.
MAX_CANDIDATES = 2**22


class GroupReports(NamedTuple):
    """The reports of one group: their words, how often each came, and how many there are."""

    words: Integers
    times: Integers
    reports: int


class Followed(NamedTuple):
    """A prefix, filled up, that was followed in a group, and how many reports of the group support it."""

    prefix: str
    group: int
    supports: int


@dataclass
class WholeText:
    """A text that ended, and how many of the reports support it, in its first group and in all later ones."""

    text: str
    count: int
    reports: int


@dataclass
class Search:
    """What was found on the way from the first group to the last.

    `whole` are the texts that ended, or that are as long as can be found; `tested` could have been among them.
    `examined` are all prefixes that could have been followed.
    """

    groups: list[GroupReports]
    followed: list[Followed] = field(default_factory=list)
    whole: list[WholeText] = field(default_factory=list)
    tested: int = 0
    examined: int = 0


def reports_by_group(tally: Tally, law: DiscoveryLaw) -> list[GroupReports]:
    """Split the words of a tally by their groups, which are ranges of words."""
    words, times = tally.counts.nonzero(law.word_limit)
    ends = np.arange(law.groups + 1) * (law.word_limit // law.groups)
    bounds = np.searchsorted(words, ends).tolist()
    parts = [slice(start, end) for start, end in pairwise(bounds)]
    return [GroupReports(words[part], times[part], int(times[part].sum())) for part in parts]


def search(
    task: Task,
    law: DiscoveryLaw,
    groups: list[GroupReports],
    most: int,
    progress: Progress = no_progress,
) -> Search:
    """Follow the prefixes whose counts a prefix without holders hardly ever has, at most `most` per group."""
    tree, result = task.tree, Search(groups)
    followed, enough = [""], min(most, max(1, MAX_CANDIDATES // tree.continuations))
    for group, reports in enumerate(groups):
        candidates = [prefix for known in followed for prefix in tree.continued(known, group)]
        earlier = [tree.prefix(whole.text, group) for whole in result.whole]
        items = [tree.item(task.digest, prefix, group) for prefix in (*candidates, *earlier)]
        counts = supports_of(
            law,
            reports.words,
            reports.times,
            np.array(items, np.int64),
            _part_of(progress, group, len(groups)),
        )
        for whole, count in zip(result.whole, counts[len(candidates) :].tolist(), strict=True):
            whole.count, whole.reports = whole.count + count, whole.reports + reports.reports
        is_last = group == len(groups) - 1
        result.examined += len(candidates)
        result.tested += sum(is_last or prefix.endswith(END) for prefix in candidates)
        of_candidates = counts[: len(candidates)]
        likely = null_chances(law, of_candidates, reports.reports) <= followed_chance(tree)
        passed = np.flatnonzero(likely)
        largest = np.sort(passed[np.argsort(-of_candidates[passed], kind="stable")][:enough])
        kept = [Followed(candidates[place], group, int(of_candidates[place])) for place in largest.tolist()]
        result.followed += kept
        ended = [one for one in kept if is_last or one.prefix.endswith(END)]
        result.whole += [WholeText(one.prefix.rstrip(END), one.supports, reports.reports) for one in ended]
        followed = [one.prefix for one in kept if not one.prefix.endswith(END)]
    return result


def null_chances(law: DiscoveryLaw, counts: Integers | Sequence[int], reports: object) -> Floats:
    """Return the chances of at least these counts of supports for prefixes without holders.

    A report supports such a prefix with the chance 1/t, independently of all others.
    """
    all_counts = np.asarray(counts, np.int64)
    trials = np.broadcast_to(np.asarray(reports, np.int64), all_counts.shape)
    chances = np.empty(all_counts.shape)
    # Equal counts have equal chances: there are few of them. Sorting pairs instead would hold up all other
    # threads.
    for number in np.unique(trials).tolist():
        same = trials == number
        distinct, place = np.unique(all_counts[same], return_inverse=True)
        tails = binomial_upper_tail(distinct.astype(np.float64), np.full(distinct.size, float(number)), 1 / law.symbols)
        chances[same] = tails[place]
    return chances


def _part_of(progress: Progress, group: int, groups: int) -> Progress:
    return lambda share: progress((group + share) / groups)


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
    """Find the texts that many people hold, without a list of them.

    Prefixes that stand out a little are followed from group to group. What counts as found is decided at the
    end, from all groups that report a text as a whole: from the first that shows its end on.

    A person with more texts than the padding ℓ, m of them, counts as ℓ/m for each: that capped frequency is
    estimated.

    Args:
        tally: The counted reports of a discovery.
        level: The level of the intervals. Those of the keys found have a higher one each, and so have those of the
            prefixes followed, since they were selected: on average at most a share of 1 - level of either does not
            contain the truth, the false coverage rate.
        false_discovery_rate: The share of texts without holders among those found, on average, is at most
            this.
        most: How many prefixes are followed from one group to the next at most.
        progress: Called with the share that is done.

    Returns:
        The texts, the most frequent ones first, and the prefixes that led to them.

    Raises:
        ParameterError: if an argument is outside its domain, the task is not a discovery, or there are fewer
            reports than groups.
    """
    task, tree, law = tally.task, tally.task.tree, tally.task.law
    if not isinstance(law, DiscoveryLaw):
        raise TypeError(law)
    check_level(level)
    check_rate(false_discovery_rate)
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ParameterError(f"most must be a whole number from 1 on, not {most!r}")
    if tally.reports < tree.groups:
        raise ParameterError(
            f"task {task.name!r} has more groups than reports: {tree.groups} groups, {tally.reports:,} reports"
        )
    found = search(task, law, reports_by_group(tally, law), most, progress)
    counts = [whole.count for whole in found.whole]
    chances = null_chances(law, counts, [whole.reports for whole in found.whole])
    stand_out = discoveries(chances, false_discovery_rate, found.tested)
    keys = [found.whole[place] for place in np.flatnonzero(stand_out)]
    counts, reports = [whole.count for whole in keys], [whole.reports for whole in keys]
    keys_level = selected_level(level, len(keys), found.tested)
    estimated = _estimate(law, counts, reports, tally.reports, keys_level)
    tree_level = selected_level(level, len(found.followed), found.examined)
    order = sorted(range(len(keys)), key=lambda place: (-estimated[place][0], keys[place].text))
    return Discovery(
        task=task.id,
        keys=tuple(
            FoundKey(keys[place].text, *estimated[place], len(keys[place].text) == tree.characters) for place in order
        ),
        tree=_tree(task, law, found, keys, tally.reports, tree_level),
        reports=tally.reports,
        epsilon=task.realised_epsilon,
        level=level,
        keys_level=keys_level,
        tree_level=tree_level,
        false_discovery_rate=false_discovery_rate,
        characters=tree.characters,
        padding=task.padding,
        smallest_frequency=smallest_found_frequency(law, tree, tally.reports, false_discovery_rate),
        mixed=mixed_text(task.mixer, task.reporting.epsilon),
    )


def _estimate(
    law: DiscoveryLaw, counts: Sequence[int], reports: Sequence[int], people: int, level: float
) -> list[tuple[float, float, float]]:
    """Return frequencies with intervals, each from the reports that say something of its text or prefix."""
    all_counts, all_reports = np.array(counts, np.int64), np.array(reports, np.int64)
    result = np.zeros((3, all_counts.size))
    for number in np.unique(all_reports).tolist():
        same = np.flatnonzero(all_reports == number)
        support = KeySupport(all_counts[same][None, :])
        moments = moments_of(law, left_out=1 - number / people)
        frequency = np.clip(unbiased_frequency(support, number, moments), 0, 1)
        result[:, same] = frequency, *frequency_interval(support, number, moments, level)
    return [(value, low, high) for value, low, high in result.T.tolist()]


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
            *estimated[place],
            one.prefix in led,
        )
        for place, one in enumerate(found.followed)
    )
