"""Follow frequent prefixes from group to group, and count how often texts that ended are supported from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.progress import Progress, no_progress
from pckv.contract.task import Task
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import END
from pckv.planning.discovery import followed_chance
from pckv.statistics.binomial import binomial_upper_tail
from pckv.tally import Tally
from pckv.tally.supports import supports_of

# Prefixes that are looked at in one group at most: so many take about a gigabyte of memory.
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
    """A text that ended, and how many of how many reports support it, in its first group and in all later ones."""

    text: str
    count: int
    reports: int


@dataclass
class Search:
    """What was found on the way from the first group to the last.

    Attributes:
        groups: The reports of every group.
        followed: All prefixes that were followed.
        whole: The texts that ended, or that are as long as can be found.
        tested: How many texts could have been among them.
    """

    groups: list[GroupReports]
    followed: list[Followed] = field(default_factory=list)
    whole: list[WholeText] = field(default_factory=list)
    tested: int = 0


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
    """Follow the prefixes whose counts hardly any prefix has that nobody holds, at most as many per group as `most`."""
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
    """Return the chances of at least these counts of supports for prefixes that nobody holds.

    A report supports such a prefix with the chance 1/t, independently of all others.
    """
    all_counts = np.asarray(counts, np.int64)
    trials = np.broadcast_to(np.asarray(reports, np.int64), all_counts.shape)
    chances = np.empty(all_counts.shape)
    # Equal counts have equal chances: there are few of them. Sorting pairs instead would hold up all other threads.
    for number in np.unique(trials).tolist():
        same = trials == number
        distinct, place = np.unique(all_counts[same], return_inverse=True)
        tails = binomial_upper_tail(
            distinct.astype(np.float64), np.full(distinct.size, float(number)), 1 / law.symbols
        )
        chances[same] = tails[place]
    return chances


def _part_of(progress: Progress, group: int, groups: int) -> Callable[[float], None]:
    def report(share: float) -> None:
        progress((group + share) / groups)

    return report
