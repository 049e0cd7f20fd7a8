"""What one collection claims about labels and pairs, compared with the truth about all people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from experiments.derived_populations import KnownPeople
from pckv.base.arrays import Flags, Floats, Integers
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.segments import Segments
from pckv.estimators.results.together import APART, TOGETHER, PairsTogether

TOP = 10
# What has intervals, and what is claimed at a false discovery rate.
WITHIN, GIVEN, LIFT, DIFFERENCE = "share within a label", "P(k given j)", "lift", "difference of labels"
STANDS_OUT, DIFFER, GO_TOGETHER, EXCLUDE = "stand out", "labels differ", "go together", "exclude each other"


class JudgedIntervals(NamedTuple):
    """Estimates of one kind with their intervals, and which of them were selected because something stands out."""

    truth: Floats
    estimate: Floats
    low: Floats
    high: Floats
    selected: Flags
    # The widest interval that is possible: it says that nothing is known.
    largest: float = 1.0

    @property
    def covered(self) -> Flags:
        """Which intervals hold the truth; one of as many digits as tables have at its end counts."""
        return (self.low <= self.truth + 1e-12) & (self.truth <= self.high + 1e-12)

    @property
    def is_known(self) -> Flags:
        """Which intervals say anything at all."""
        return (self.low > 0) | (self.high < self.largest)

    @property
    def top(self) -> Integers:
        """The largest estimates among those selected, ten at most."""
        chosen = np.flatnonzero(self.selected)
        return chosen[np.argsort(-self.estimate[chosen], kind="stable")][:TOP]


class Covered(NamedTuple):
    """How many intervals hold the truth, of how many: of all, of those that say anything, of the ten largest."""

    all_shown: tuple[int, int]
    known: tuple[int, int]
    top: tuple[int, int]

    @classmethod
    def of(cls, intervals: JudgedIntervals) -> Covered:
        """Count them."""
        covered = intervals.covered
        chosen = (covered, covered[intervals.is_known], covered[intervals.top])
        return cls(*((int(each.sum()), int(each.size)) for each in chosen))


class Claims(NamedTuple):
    """How many claims of one kind were made, and how many of them are false."""

    made: int
    false: int

    @classmethod
    def of_positive(cls, found: JudgedIntervals) -> Claims:
        """Count shares that are said to stand out from the noise, and those of them that are 0."""
        return cls(int(found.selected.sum()), int((found.truth[found.selected] == 0).sum()))

    @property
    def share_false(self) -> float:
        """The share of false claims; 0 where none was made."""
        return self.false / max(self.made, 1)


class Scores(NamedTuple):
    """One collection: what its intervals hold, and what it claims."""

    intervals: Mapping[str, Covered]
    claims: Mapping[str, Claims]


class FoundPairs(NamedTuple):
    """Pairs of keys that are shown: their numbers, and 1 if they are said to go together, -1 to exclude each other."""

    first: Integers
    second: Integers
    sign: Integers


class FoundDifferences(NamedTuple):
    """Labels that were said to differ in a key: their numbers, and the difference with its interval."""

    key: Integers
    first: Integers
    second: Integers
    difference: Floats
    low: Floats
    high: Floats


def score_labels(people: KnownPeople, within: JudgedIntervals, found: FoundDifferences) -> Scores:
    """Compare shares within labels, and what was said to differ between them."""
    shares, made = people.within_labels, found.key.size
    truth = shares[found.first, found.key] - shares[found.second, found.key]
    signs = np.array(
        [people.differences(first, second)[key] for key, first, second in zip(*found[:3], strict=True)], np.int64
    )
    size, every = np.abs(found.difference), np.ones(made, np.bool_)
    differences = JudgedIntervals(truth, size, found.low, found.high, every, largest=np.inf)
    return Scores(
        {WITHIN: Covered.of(within), DIFFERENCE: Covered.of(differences)},
        {
            STANDS_OUT: Claims.of_positive(within),
            DIFFER: Claims(made, int((signs != np.sign(found.difference)).sum())),
        },
    )


def score_pairs(
    people: KnownPeople, shares: JudgedIntervals, given: JudgedIntervals, lift: JudgedIntervals, found: FoundPairs
) -> Scores:
    """Compare what is said of pairs of keys that are shown."""
    signs = people.relations[found.first, found.second]
    claims = {STANDS_OUT: Claims.of_positive(shares)}
    for name, sign in ((GO_TOGETHER, 1), (EXCLUDE, -1)):
        said = found.sign == sign
        claims[name] = Claims(int(said.sum()), int((signs[said] != sign).sum()))
    return Scores({GIVEN: Covered.of(given), LIFT: Covered.of(lift)}, claims)


def shown_scores(people: KnownPeople, estimates: Estimates) -> Scores:
    """Score what the product shows."""
    if people.labels is None:
        assert estimates.pairs is not None  # noqa: S101
        return _shown_pairs(people, estimates.pairs)
    assert estimates.segments is not None  # noqa: S101
    return _shown_labels(people, estimates.segments)


def _shown_labels(people: KnownPeople, shown: Segments) -> Scores:
    cells, found = shown.cells, shown.differences
    number = {label: place for place, label in enumerate(shown.labels.label)}
    rows = [number[label] for label in cells.segment], [int(key) for key in cells.key]
    within = JudgedIntervals(people.within_labels[rows], cells.share, cells.share_low, cells.share_high, cells.detected)
    first, second = (np.array([number[label] for label in each], np.int64) for each in (found.label_a, found.label_b))
    keys = np.array([int(key) for key in found.key], np.int64)
    ends = found.difference_low, found.difference_high
    return score_labels(people, within, FoundDifferences(keys, first, second, found.difference, *ends))


def _shown_pairs(people: KnownPeople, shown: PairsTogether) -> Scores:
    first, second = (np.array([int(key) for key in each], np.int64) for each in (shown.first, shown.second))
    sign = np.array([{TOGETHER: 1, APART: -1}.get(relation, 0) for relation in shown.relation], np.int64)
    every = np.ones(first.size, np.bool_)
    shares = JudgedIntervals(people.both[first, second], shown.share, shown.share_low, shown.share_high, shown.detected)
    given = JudgedIntervals(
        np.append(people.given[first, second], people.given[second, first]),
        np.append(shown.second_given_first, shown.first_given_second),
        np.append(shown.second_given_first_low, shown.first_given_second_low),
        np.append(shown.second_given_first_high, shown.first_given_second_high),
        np.tile(every, 2),
    )
    # What is not limited by the reports is not a number.
    low, high = np.nan_to_num(shown.lift_low, nan=0.0), np.nan_to_num(shown.lift_high, nan=np.inf)
    lift = JudgedIntervals(people.lift[first, second], np.nan_to_num(shown.lift), low, high, every, largest=np.inf)
    return score_pairs(people, shares, given, lift, FoundPairs(first, second, sign))
