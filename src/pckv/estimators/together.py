"""Two keys together: shares, conditional shares and lift, and which keys go together (proofs/derived-estimates.md)."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.progress import Progress
from pckv.estimators.intervals import Interval
from pckv.estimators.items import Items, selected_intervals
from pckv.estimators.methods.registry import METHODS
from pckv.estimators.ratios import ratio_interval, skewed_deviate, upper_chances
from pckv.estimators.results.columns import Origin
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.together import APART, TOGETHER, UNRELATED, PairsTogether
from pckv.estimators.sets import SECOND_FACTOR, TESTED_LEVEL, HiddenShare, hidden_limit, hidden_share
from pckv.mechanisms.derivation import Together
from pckv.statistics.detection import Detection, discoveries, selected_level
from pckv.statistics.moments import JointMoments
from pckv.tally import Tally

# Keys that must be kept for a key to be reported, and for two of them together.
ONE, TWO = 1, 2
# A lift that reports do not limit.
UNLIMITED = np.inf


def estimate_pairs(
    tally: Tally, estimates: Estimates, origin: Origin, rate: float, progress: Progress
) -> PairsTogether:
    """Estimate which keys people hold together, given the estimates of keys; of all keys, whichever these are."""
    task, derivation = tally.task, tally.task.derivation
    assert isinstance(derivation, Together)  # noqa: S101
    keys = np.arange(task.key_count)
    first, second = np.triu_indices(task.key_count, 1)
    padding = task.padding
    found = PairCounts(
        Items.of(tally, keys, origin.hostile, most=padding, order=ONE, progress=progress),
        Items.of(
            tally,
            derivation.child(first, second),
            origin.hostile,
            most=padding * (padding - 1) // 2,
            order=TWO,
            progress=progress,
        ),
        (first, second),
    )
    points, parents = estimates.frequency, found.parents
    # Postprocessed frequencies are not those that pairs are estimated with.
    if len(estimates) < task.key_count or estimates.method != origin.method:
        method = METHODS[origin.method]
        points = method.estimate(parents.support, parents.reports, parents.moments)[0]
    return found.table(task.key_names(keys.tolist()), points, origin, rate)


class PairCounts:
    """The counts of keys, and of two keys together: `places` are the two keys of every pair."""

    def __init__(self, parents: Items, children: Items, places: tuple[Integers, Integers]) -> None:
        self.parents, self.children, self.places = parents, children, places

    def take(self, pairs: Integers) -> PairCounts:
        """Return some of the pairs."""
        first, second = self.places
        return PairCounts(self.parents, self.children.take(pairs), (first[pairs], second[pairs]))

    def table(self, names: list[str], points: Floats, origin: Origin, rate: float) -> PairsTogether:
        """Return the pairs that stand out or are related, given the frequencies of keys that are shown."""
        tested = len(self.children)
        detected = self.children.detected(Detection(tested, origin.level, rate))
        relation = self._relations(rate)
        shown = np.flatnonzero(detected | (relation != 0))
        level = selected_level(origin.level, shown.size, tested)
        columns = self.children.columns(origin.method, Detection(tested, level, rate, detected))
        frequency, low, high = (columns[name][shown] for name in ("frequency", "frequency_low", "frequency_high"))
        some = self.take(shown)
        held = [np.clip(points[place], 0, 1) for place in some.places]
        # What is shown of two keys never exceeds either of them.
        share = np.clip(frequency, 0, np.minimum(*held))
        given_first, given_second = (_quotient(share, each) for each in held)
        lift = _quotient(share, held[0] * held[1])
        of_first, of_second = (
            selected_intervals(point, origin.level, tested, partial(some.given, place))
            for point, place in zip((given_first, given_second), some.places, strict=True)
        )
        of_lift = selected_intervals(lift, origin.level, tested, some.lift)
        is_limited = np.isfinite(of_lift.high) & (held[0] * held[1] > 0)
        order = np.argsort(-share, kind="stable")
        names_of = [[names[place] for place in places.tolist()] for places in some.places]
        return PairsTogether(
            origin,
            tested=tested,
            false_discovery_rate=rate,
            shown_level=level if shown.size else None,
            found=int(detected.sum()),
            together=int((relation == 1).sum()),
            apart=int((relation == -1).sum()),
            first=names_of[0],
            second=names_of[1],
            share=share,
            share_low=np.minimum(low, share),
            share_high=np.maximum(high, share),
            second_given_first=given_first,
            second_given_first_low=np.minimum(of_first.low, given_first),
            second_given_first_high=np.maximum(of_first.high, given_first),
            first_given_second=given_second,
            first_given_second_low=np.minimum(of_second.low, given_second),
            first_given_second_high=np.maximum(of_second.high, given_second),
            lift=np.where(is_limited, lift, np.nan),
            lift_low=np.where(is_limited, np.minimum(of_lift.low, lift), np.nan),
            lift_high=np.where(is_limited, np.maximum(of_lift.high, lift), np.nan),
            relation=[(UNRELATED, TOGETHER, APART)[number] for number in relation[shown].tolist()],
            detected=detected[shown],
        ).take(order)

    def _relations(self, rate: float) -> Integers:
        """Return 1 for keys that go together, -1 for those that exclude each other, at a false discovery rate."""
        if not self.children.reports:
            return np.zeros(len(self.children), np.int64)
        together, apart = self._deviates()
        nearer = upper_chances(np.maximum(together, apart))
        found = discoveries(np.minimum(2 * nearer, 1.0), rate)
        return np.where(found, np.where(together > apart, 1, -1), 0)

    def _deviates(self) -> tuple[Floats, Floats]:
        """Return by how many of its errors a pair is more or less frequent than if both keys were independent.

        What larger sets may hide is allowed for: of the keys in the first, of the pair in the second. The error is that
        of a pair that is just as frequent as allowed. Keys that are not known well are not compared.
        """
        children, parents = self.children, self.parents
        task, answers, hostile = children.counted.task, children.counted.size_answers, children.hostile.reports
        of_keys, of_pairs = (hidden_limit(task, answers, TESTED_LEVEL, hostile, order) for order in (ONE, TWO))
        first, second = (np.maximum(parents.frequency[place], 0) for place in self.places)
        shift = children.most_shift + parents.most_shift * (first + second) + parents.most_shift**2
        most, least = (first + of_keys) * (second + of_keys), np.maximum(first * second - of_pairs, 0)
        half_count = 0.5 / (children.reports * children.moments.signal)
        more = children.frequency - most - shift - half_count
        less = first * second - children.frequency - of_pairs - shift
        together = more / np.sqrt(self._product_variance(most, of_keys))
        apart = less / np.sqrt(self._product_variance(least, 0.0))
        held = np.clip(most, 0, 1)
        mean, spread = children.moments.sum_mean(held), children.moments.sum_variance(held)
        together = skewed_deviate(together, children.reports * mean, children.reports * spread)
        known = np.logical_and(*(parents.well_known[place] for place in self.places))
        return np.where(known, together, -np.inf), np.where(known, apart, -np.inf)

    def _product_variance(self, pair: Floats, hidden: float) -> Floats:
        """Return the variance of ĝ_jk - (ĝ_j + Λ)(ĝ_k + Λ), where this is the frequency of the pair."""
        denominator = self._product(HiddenShare(hidden), pair, list(self.places))
        held = np.minimum(np.clip(pair, 0, 1), denominator.least_key)
        variance = self.children.variance(held) - 2 * denominator.covariance(held) + denominator.variance
        return np.maximum(variance, 1e-300)

    def given(self, place: Integers, level: float) -> Interval:
        """Return the intervals of shares among the holders of one key of every pair."""
        return self._ratio([place], level, 1.0)

    def lift(self, level: float) -> Interval:
        """Return the intervals of lift; infinite where it is not limited."""
        return self._ratio(list(self.places), level, UNLIMITED)

    def _ratio(self, places: list[Integers], level: float, largest: float) -> Interval:
        children = self.children
        if not children.reports:
            return Interval(np.zeros(len(children)), np.full(len(children), largest))
        task, answers, hostile = children.counted.task, children.counted.size_answers, children.hostile.reports
        of_keys = hidden_share(task, answers, level, hostile)
        of_pairs = [hidden_share(task, answers, level, hostile, factor, TWO) for factor in (1, SECOND_FACTOR)]
        known = HiddenShare()
        low = self._fieller(places, known, of_keys, level, largest).low
        high = np.minimum.reduce([self._fieller(places, each, known, level, largest).high for each in of_pairs])
        found = Interval(low, high)
        if children.are_few:
            own, product = children.interval(level), self._product(known, children.frequency, places).value
            found = found.joined(Interval(*(np.clip(_quotient(limit, product), 0, largest) for limit in own)))
        return found.joined(self._whatever_is_said(places, level, largest)) if hostile else found

    def _whatever_is_said(self, places: list[Integers], level: float, largest: float) -> Interval:
        """Return intervals that hold whatever hostile reports say, from those of keys and pairs."""
        each = 1 - (1 - level) / (len(places) + 1)
        child, parent = self.children.interval(each), self.parents.interval(each)
        low, high = (np.prod([limit[place] for place in places], axis=0) for limit in parent)
        with np.errstate(divide="ignore", invalid="ignore"):
            most = np.where(low > 0, child.high / low, largest)
        return Interval(np.clip(_quotient(child.low, high), 0, largest), np.clip(most, 0, largest))

    def _fieller(
        self, places: list[Integers], of_pair: HiddenShare, of_keys: HiddenShare, level: float, largest: float
    ) -> Interval:
        """Return Fieller's intervals where pairs, or keys, may be more frequent by what is hidden."""
        children, factor, larger = self.children, of_pair.factor, max(of_pair.value, 0.0)
        denominator = self._product(of_keys, children.frequency, places)

        def variance(ratio: float | Floats) -> Floats:
            # The frequency of the pair, as far as reports show it, if this is the ratio.
            shown = (ratio * denominator.value - larger) / factor
            of_child = factor**2 * children.variance(shown) + of_pair.error**2
            covariance = factor * denominator.covariance(shown)
            return np.asarray(of_child - 2 * ratio * covariance + ratio**2 * denominator.variance)

        return ratio_interval(factor * children.frequency + larger, denominator.value, variance, level, largest)

    def _product(self, hidden: HiddenShare, pair: Floats, places: list[Integers]) -> _Product:
        """Return the product of one key's or two keys' frequencies, each raised by what is hidden."""
        parents, joint, reports = self.parents, self.parents.joint, self.parents.reports
        own = [np.clip(parents.frequency[place], 0, 1) for place in places]
        raised = [hidden.factor * each + max(hidden.value, 0.0) for each in own]
        rest = [np.prod([other for other in raised if other is not each], axis=0) for each in raised]
        slopes = [hidden.factor * each for each in rest]
        errors = [parents.variance(each) for each in own]
        variance = sum(slope**2 * error for slope, error in zip(slopes, errors, strict=True))
        if len(places) > 1:
            shared = np.clip(pair, 0, np.minimum(*own))
            covariance = joint.covariance(own[0], own[1], shared) / reports
            variance = variance + 2 * slopes[0] * slopes[1] * covariance + hidden.factor**4 * errors[0] * errors[1]
        variance = variance + (hidden.error * sum(rest)) ** 2
        return _Product(own, np.prod(raised, axis=0), np.asarray(variance), slopes, joint, reports)


class _Product(NamedTuple):
    """The product of frequencies, its variance, and how it varies with each of the keys' `own` ones."""

    own: list[Floats]
    value: Floats
    variance: Floats
    slopes: list[Floats]
    joint: JointMoments
    reports: int

    @property
    def least_key(self) -> Floats:
        """The frequency of the rarer key."""
        return np.asarray(np.minimum.reduce(self.own))

    def covariance(self, pair: Floats) -> Floats:
        """Return the covariance with the pair's frequency, if that is this one: its holders hold both keys."""
        each = zip(self.slopes, self.own, strict=True)
        found = np.sum([slope * self.joint.covariance(pair, own, pair) for slope, own in each], axis=0)
        return np.asarray(found / self.reports)


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Return a quotient, 0 where the denominator is."""
    found: Floats = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
    return found
