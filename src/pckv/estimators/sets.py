"""People with more pairs than the padding: how many, and what their reports hide (proofs/size-question.md).

Reports show the capped frequency g of a key: a person with m > ℓ pairs counts as ℓ/m. For every θ ≥ 1 the
frequency f is at most θ·g + Λ, where Λ is the mean of 1 - θℓ/m over all people with more than θℓ pairs. The
answers to the size question estimate Λ. The upper limit of a frequency is the smaller one of two such bounds:
θ = 1 for frequent keys, and 4 for those that are rarer than what larger sets may hide. Of a key's
holders the share 1 - g/f is hidden, and their values may be anything.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.limits import REFUSE
from pckv.base.words import percent, plural, points, two_digits
from pckv.contract.task import Task
from pckv.estimators.hostile import HonestReports
from pckv.estimators.intervals import frequency_interval, two_sided_z
from pckv.mechanisms.base import CountLaw, Support
from pckv.mechanisms.size_question.law import LARGE_SETS, SizeQuestion
from pckv.statistics.moments import CountMoments
from pckv.statistics.projection import project_to_sum
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport

# People may hold as many hashed keys as there are: how many times more frequent that makes a key tells
# nothing.
MAX_FACTOR_TOLD = 10**6
# A padding suffices that hides at most this share of what the task's own hides.
SUFFICIENT_SHARE = 0.1
# θ of the second bound: one of the answers to the size question is θ times the padding, if people can hold as many.
SECOND_FACTOR = LARGE_SETS
# The level of what larger sets hide in tests of flags, whose rate of false ones does not depend on that of intervals.
TESTED_LEVEL = 0.95
# At low levels a lower limit and the second bound might both miss: that bound is not taken below what it is at
# least at this level.
MIN_SECOND_LEVEL = 0.8


@dataclass(frozen=True, eq=False)
class PooledReports:
    """The sum of several tallies of one contract, without their cells."""

    task: Task
    reports: int
    people: int
    size_answers: Integers
    count_law: CountLaw

    @property
    def pair_reports(self) -> int:
        """How many reports are about pairs: all but the answers to the size question."""
        return self.reports - int(self.size_answers.sum())


# What estimates need to know of counted reports, besides the support of keys.
CountedReports = Tally | PooledReports


@dataclass(frozen=True)
class SetSummary:
    """What is known of the people who hold more pairs than the padding.

    `larger` is their share among all people, with its interval; `hidden` is by how much the frequency of a
    key may exceed the capped one that reports show, `hidden_high` the upper limit of that. `shares` are those
    of the people at each of the `ends`, which are sizes; the first one stands for all sizes up to the
    padding.
    """

    padding: int
    more: str
    answers: int
    ends: tuple[int, ...]
    shares: tuple[float, ...]
    larger: float
    larger_low: float
    larger_high: float
    hidden: float
    hidden_high: float
    # How much a frequency may exceed the capped one at most, whatever people hold.
    factor: float

    def estimand(self, *, has_means: bool) -> str:
        """Return what the estimates estimate, in words."""
        told = "frequency: the share of people who hold a key"
        if has_means:
            told += "; mean: of the values they give it"
        if not self.larger_high:
            return told
        told += (
            f"; a person with m > {self.padding:,} {'pairs' if has_means else 'keys'} counts as {self.padding:,}/m in "
            "the estimates, and as any other one in what the intervals hold for"
        )
        reported = ", except reported_mean_low to reported_mean_high: the mean of the reported pairs"
        return told + (reported if has_means else "")

    @property
    def sufficient_padding(self) -> int | None:
        """The least padding that would hide at most a tenth as much, by the answers; None if none shows larger sets.

        People at the ends stand for those between them. As rounding keeps the mean of 1/m and (1 - ℓ/m)₊ is
        convex in 1/m, a padding ℓ hides at most what it would hide of the people at the ends.
        """

        def hides(padding: int) -> float:
            return sum(share * max(1 - padding / end, 0.0) for end, share in zip(self.ends, self.shares, strict=True))

        if not self.larger_low:
            return None
        allowed, rest = SUFFICIENT_SHARE * hides(self.padding), range(self.padding, self.ends[-1])
        return self.padding + bisect_left(rest, x=True, key=lambda padding: hides(padding) <= allowed)

    @property
    def matters_most(self) -> bool:
        """Whether people surely hold more pairs than the padding, or may, for all that was asked."""
        return self.larger_high > 0 and (self.larger_low > 0 or not self.answers)

    def sentence(self, *, has_shares: bool = False, has_means: bool = True) -> str:
        """Say how many people hold more pairs than reports stand for, and what that hides; empty if none can."""
        noun = "pair" if has_means else "key"
        pairs = plural(self.padding, noun)
        if not self.larger_high:
            return f"No participant holds more than {pairs}, by contract." if self.more == REFUSE else ""
        means = "the means, shares and quantiles of values" if has_shares else "the means"
        off = (
            f", and if people with many pairs give other values than the rest, {means} are off. The intervals include "
            "both."
            if has_means
            else ". The intervals include that."
        )
        if not self.answers:
            told = self.factor <= MAX_FACTOR_TOLD
            most = f"up to {two_digits(self.factor)} times" if told else "perhaps many times"
            return (
                f"How many {noun}s people hold is not known, and a report stands for at most {pairs}. If people "
                f"hold more, true frequencies are higher, {most}{off}"
            )
        if not self.larger_low:
            return (
                f"Up to {percent(self.larger_high)} of people may hold more than the {pairs} that a report stands for: "
                f"frequencies may be too low by up to {points(self.hidden_high)} for that reason{off}"
            )
        return (
            f"{percent(self.larger)} of people hold more than {pairs} ({percent(self.larger_low)} to "
            f"{percent(self.larger_high)}), but a report stands for at most {self.padding:,}. So frequencies may be "
            f"too low by up to {points(self.hidden_high)}{off}"
        )


@dataclass(frozen=True)
class HiddenShare:
    """A bound f ≤ θ·g + Λ: the estimate of Λ with its standard error, and θ, the `factor`."""

    value: float = 0.0
    error: float = 0.0
    factor: float = 1.0

    def raise_limits(self, high: Floats, standard_error: Floats, level: float) -> Floats:
        """Raise upper limits of capped frequencies, of these standard errors, to what larger sets may hide.

        The errors of both estimates are independent, so that their squares add up.
        """
        own = self.factor * standard_error
        noise = two_sided_z(level) * (np.sqrt(own**2 + self.error**2) - own)
        return np.minimum(self.factor * high + max(self.value, 0.0) + noise, 1.0)


def raise_limits(  # noqa: PLR0917
    task: Task,
    answers: Integers,
    high: Floats,
    standard_error: Floats,
    level: float,
    hostile: int = 0,
    order: int = 1,
) -> Floats:
    """Raise upper limits of capped frequencies, of these standard errors, to the smaller one of two bounds.

    Both are at the full level: where the second one may miss, the lower limit does not (proofs/size-question.md).
    """
    first, second = (hidden_share(task, answers, level, hostile, factor, order) for factor in (1, SECOND_FACTOR))
    spread = np.hypot(SECOND_FACTOR * standard_error, second.error)
    least = two_sided_z(MIN_SECOND_LEVEL) * (spread - SECOND_FACTOR / 2 * standard_error)
    limits = np.maximum(second.raise_limits(high, standard_error, level), least)
    return np.minimum(first.raise_limits(high, standard_error, level), limits)


def hidden_share(  # noqa: PLR0917
    task: Task, answers: Integers, level: float, hostile: int = 0, factor: int = 1, order: int = 1
) -> HiddenShare:
    """Estimate what larger sets hide, from the answers to the size question; the most if some are hostile.

    The `order` is how many keys must be kept for an item to be: 2 for two keys together. A few answers are
    added, the same number to each end, so that few people who all gave one answer are not taken for certain
    (Agresti and Coull). The `factor`, θ, is 1 or `SECOND_FACTOR`.
    """
    if not task.can_truncate:
        return HiddenShare()
    if task.size_question is None or not answers.any():
        return HiddenShare(factor=_most_times(task, order))
    if hostile >= int(answers.sum()):
        return HiddenShare(max(1 - factor * (1 - most_hidden(task, order)), 0.0), factor=factor)
    added, weights = two_sided_z(level) ** 2 / answers.size, _weights(task.size_question, factor, order)
    if hostile:
        found = _most_hidden_by(task.size_question, weights, answers, added, hostile)
    else:
        found = _hidden_by(task.size_question, weights, np.asarray(answers + added, np.float64))
    return replace(found, factor=factor)


def _weights(question: SizeQuestion, factor: int = 1, order: int = 1) -> Floats:
    """Return what a participant at each end adds to Λ: 1 - θℓ/end of a key, where that is positive."""
    return np.array([float(max(1 - factor * (1 - hidden), Fraction(0))) for hidden in question.hidden_of(order)])


def _most_times(task: Task, order: int = 1) -> float:
    """Return how many times its capped frequency a key may have at most, whatever people hold."""
    return math.perm(task.key_count, order) / math.perm(task.padding, order) if task.can_truncate else 1.0


def most_hidden(task: Task, order: int = 1) -> float:
    """Return what larger sets hide at most, whatever people hold: at most one pair per key."""
    return 1 - 1 / _most_times(task, order)


def hidden_limit(task: Task, answers: Integers, level: float, hostile: int = 0, order: int = 1) -> float:
    """Return the upper limit of what larger sets hide, at a two-sided level; without answers, the most."""
    if task.size_question is None or not answers.any():
        return most_hidden(task, order)
    found = hidden_share(task, answers, level, hostile, order=order)
    return min(max(found.value, 0.0) + two_sided_z(level) * found.error, most_hidden(task, order))


def _hidden_by(question: SizeQuestion, weights: Floats, answers: Floats) -> HiddenShare:
    """Return the linear estimate: unbiased, since rounding to ends keeps the mean of 1/m."""
    true, other = float(question.true_chance), float(question.other_chance)
    total = float(answers.sum())
    mean = float(weights @ answers) / total
    variance = max(float(weights**2 @ answers) / total - mean**2, 0.0)
    gain = true - other
    return HiddenShare((mean - other * float(weights.sum())) / gain, math.sqrt(variance / total) / gain)


def _most_hidden_by(
    question: SizeQuestion, weights: Floats, answers: Integers, added: float, hostile: int
) -> HiddenShare:
    """Return the largest estimate that the honest answers may give, and a bound of its error."""
    fewest = float(answers.sum()) - hostile + added * answers.size
    # Ends rise, and so do weights.
    mean, mean_square = (_largest_mean(values, answers, added, hostile) for values in (weights, weights**2))
    smallest = -_largest_mean(-weights[::-1], answers[::-1], added, hostile)
    variance = min(mean_square - smallest**2, float(weights[-1]) ** 2 / 4)
    gain = float(question.true_chance - question.other_chance)
    noise = float(question.other_chance) * float(weights.sum())
    return HiddenShare((mean - noise) / gain, math.sqrt(variance / fewest) / gain)


def _largest_mean(rising: Floats, answers: Integers, added: float, hostile: int) -> float:
    """Return the largest mean of rising values of the answers after up to `hostile` are taken away.

    Taking the least away raises the mean of the answers, but that of few answers and of the added ones may
    fall: each number of ends is tried. Between two of these the mean rises or falls throughout.
    """
    before = np.cumsum(answers) - answers
    taken = np.minimum(np.append(before, answers.sum()), hostile)
    left = answers - np.clip(taken[:, None] - before, 0, answers) + added
    return float((left @ rising / left.sum(axis=1)).max())


def summarise_sets(counted: CountedReports, level: float, hostile: int = 0) -> SetSummary:
    """Return how many people hold more pairs than the padding, and what that hides, with hostile reports."""
    task, answers = counted.task, counted.size_answers
    question, asked = task.size_question, bool(answers.any())
    low, high = (0.0, 1.0) if task.can_truncate else (0.0, 0.0)
    larger = hidden = 0.0
    shares: Sequence[float] = ()
    if question is not None and asked:
        shares = _shares(question, answers)
        larger = 1 - shares[0]
        low, high = _larger_interval(question, answers, counted.people, level, hostile)
        found = _hidden_by(question, _weights(question), answers.astype(np.float64))
        hidden = min(max(found.value, 0.0), most_hidden(task))
    hidden_high = max(hidden_limit(task, answers, level, hostile), hidden)
    return SetSummary(
        padding=task.padding,
        more=task.more,
        answers=int(answers.sum()),
        ends=question.ends if question is not None and asked else (),
        shares=tuple(shares),
        larger=larger,
        larger_low=min(low, larger),
        # A person who hides a share of a key holds more: the two limits must not contradict each other.
        larger_high=max(high, larger, hidden_high),
        hidden=hidden,
        hidden_high=hidden_high,
        factor=_most_times(task),
    )


def _shares(question: SizeQuestion, answers: Integers) -> list[float]:
    """Return the shares of people by end: not negative, and they sum to 1."""
    gain = float(question.true_chance - question.other_chance)
    unbiased = (answers / answers.sum() - float(question.other_chance)) / gain
    shares: list[float] = project_to_sum(unbiased).tolist()
    return shares


def _larger_interval(
    question: SizeQuestion, answers: Integers, people: int, level: float, hostile: int
) -> tuple[float, float]:
    """Return the interval of the share of people with more pairs than the padding: not at the first end."""
    # A person who holds more is a holder of one key with the higher of two levels.
    holder = Support.exclusive(2, 1 - question.other_chance, Fraction(0))
    absent = Support.exclusive(2, 1 - question.true_chance, Fraction(0))
    support = KeySupport(np.array([[0], [answers[1:].sum()]]))
    count_law, asked = CountLaw(holder, absent), int(answers.sum())
    if hostile >= asked:
        return 0.0, 1.0
    if hostile:
        honest = HonestReports.of((count_law, count_law), asked, hostile, people - asked)
        low, high = honest.frequency_interval(support, level)
    else:
        moments = CountMoments.of(count_law, left_out=1 - asked / people)
        low, high = frequency_interval(support, asked, moments, level)
    return float(low[0]), float(high[0])
