"""Controls that must fail: intervals of ratios as if nothing were hidden or counted twice, and tests to match.

Both are made from unbiased shares of items. Intervals take a child and its parents for independent. Tests know their
covariances, as those of the product do, and leave out only what larger sets may hide.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from experiments.derived_populations import KnownPeople
from experiments.derived_scores import (
    FoundDifferences,
    FoundPairs,
    JudgedIntervals,
    Scores,
    score_labels,
    score_pairs,
)
from pckv.base.arrays import Flags, Floats
from pckv.estimators.linear import unbiased_frequency
from pckv.mechanisms.base import ItemLaw
from pckv.mechanisms.derivation import ByGroup, Together
from pckv.statistics.detection import DEFAULT_FLAG_RATE, discoveries
from pckv.statistics.moments import CountMoments, JointMoments
from pckv.tally.decode.support import item_support
from pckv.tally.tally import Tally

# Of the normal law, for intervals of 95 %.
QUANTILE = 1.96


class ItemShares(NamedTuple):
    """Unbiased shares of people who report each item, their variances, and how two items of one person covary.

    The covariance of two items' shares is `together` times the share of people who report both.
    """

    share: Floats
    variance: Floats
    together: float

    @classmethod
    def of(cls, tally: Tally) -> ItemShares:
        """Estimate them by the linear method."""
        law, reports = tally.task.law, tally.pair_reports
        assert isinstance(law, ItemLaw)  # noqa: S101
        moments = CountMoments.of(tally.item_law, left_out=1 - reports / tally.reports)
        support = item_support(tally)
        share = unbiased_frequency(support, reports, moments)
        joint = JointMoments.of(law.joint_support(tally.item_law.absent.own))
        # By how much more a report supports both items of a person than both of two people's.
        return cls(
            share,
            np.asarray(moments.frequency_variance(np.clip(share, 0, 1)) / reports),
            (joint.both - 2 * joint.one + joint.neither) / joint.signal**2 / reports,
        )


def control_scores(people: KnownPeople, tally: Tally, items: ItemShares) -> Scores:
    """Score the naive intervals and tests of a tally."""
    score = _labels if people.labels is not None else _pairs
    return score(people, tally, items)


def _ratio(child: Floats, parent: Floats, child_variance: Floats, parent_variance: Floats) -> tuple[Floats, Floats]:
    """Return ratios and their standard errors by the delta method, both numbers taken for independent."""
    parent = np.maximum(parent, 1e-9)
    ratio = child / parent
    return ratio, np.sqrt(child_variance + ratio**2 * parent_variance) / parent


def _shares(ratio: Floats, error: Floats, truth: Floats, selected: Flags) -> JudgedIntervals:
    low, high = (np.clip(ratio + sign * QUANTILE * error, 0, 1) for sign in (-1, 1))
    return JudgedIntervals(truth, ratio, low, high, selected)


def _labels(people: KnownPeople, tally: Tally, items: ItemShares) -> Scores:
    derivation = tally.task.derivation
    assert isinstance(derivation, ByGroup)  # noqa: S101
    count, keys = derivation.labels, derivation.keys
    parent, parent_variance = items.share[:count, None], items.variance[:count, None]
    child, child_variance = (each[count:].reshape(count, keys) for each in items[:2])
    ratio, error = _ratio(child, parent, child_variance, parent_variance)
    stands_out = discoveries(_one_sided(child / np.sqrt(child_variance)).ravel(), DEFAULT_FLAG_RATE)
    within = _shares(ratio.ravel(), error.ravel(), people.within_labels.ravel(), stands_out)
    first, second = np.triu_indices(count, 1)
    crossed = child[first] * parent[second] - child[second] * parent[first]
    # Of one label's child and parent; people with different labels share nothing.
    own = child_variance[first] * parent[second] ** 2 + child_variance[second] * parent[first] ** 2
    others = child[second] ** 2 * parent_variance[first] + child[first] ** 2 * parent_variance[second]
    covariance = -2 * items.together * parent[second] * child[second] * np.maximum(child[first], 0)
    covariance += -2 * items.together * parent[first] * child[first] * np.maximum(child[second], 0)
    z = crossed / np.sqrt(np.maximum(own + others + covariance, 1e-18))
    found = discoveries(_two_sided(z).ravel(), DEFAULT_FLAG_RATE).reshape(z.shape)
    rows, key = np.nonzero(found)
    difference = ratio[first[rows], key] - ratio[second[rows], key]
    spread = 2 * np.hypot(error[first[rows], key], error[second[rows], key])
    differences = FoundDifferences(key, first[rows], second[rows], difference, difference - spread, difference + spread)
    return score_labels(people, within, differences)


def _pairs(people: KnownPeople, tally: Tally, items: ItemShares) -> Scores:
    derivation = tally.task.derivation
    assert isinstance(derivation, Together)  # noqa: S101
    keys = derivation.keys
    j, k = np.triu_indices(keys, 1)
    both, both_variance = items.share[keys:], items.variance[keys:]
    share, variance = items.share[:keys], items.variance[:keys]
    expected = share[j] * share[k]
    seen = np.maximum(both, 0)
    test_variance = both_variance + share[k] ** 2 * variance[j] + share[j] ** 2 * variance[k]
    # A person who reports the pair reports both keys.
    test_variance += 2 * items.together * seen * (expected - share[j] - share[k])
    z = (both - expected) / np.sqrt(np.maximum(test_variance, 1e-18))
    signs = np.where(discoveries(_one_sided(z), DEFAULT_FLAG_RATE), 1, 0)
    signs = np.where(discoveries(_one_sided(-z), DEFAULT_FLAG_RATE), -1, signs)
    # As the product does, pairs are shown that stand out or are related.
    stands_out = discoveries(_one_sided(both / np.sqrt(both_variance)), DEFAULT_FLAG_RATE)
    shown = np.flatnonzero(stands_out | (signs != 0))
    j, k, both, both_variance = j[shown], k[shown], both[shown], both_variance[shown]
    truth, stands_out = people.given, stands_out[shown]
    first, second = (_ratio(both, share[parent], both_variance, variance[parent]) for parent in (j, k))
    given = _shares(
        np.append(first[0], second[0]),
        np.append(first[1], second[1]),
        np.append(truth[j, k], truth[k, j]),
        np.ones(2 * shown.size, np.bool_),
    )
    shares = _shares(both, np.sqrt(both_variance), people.both[j, k], stands_out)
    lift, error = both / expected[shown], np.sqrt(both_variance) / np.maximum(both, 1e-9)
    low, high = (np.maximum(lift, 0) * np.exp(sign * QUANTILE * np.minimum(error, 50)) for sign in (-1, 1))
    of_lift = JudgedIntervals(people.lift[j, k], lift, low, high, np.ones(shown.size, np.bool_), largest=np.inf)
    return score_pairs(people, shares, given, of_lift, FoundPairs(j, k, signs[shown]))


def _one_sided(z: Floats) -> Floats:
    normal = NormalDist()
    return np.array([normal.cdf(-each) for each in z.ravel()]).reshape(z.shape)


def _two_sided(z: Floats) -> Floats:
    return np.minimum(2 * _one_sided(np.abs(z)), 1.0)
