"""Within labels: shares and means of keys, and which keys differ between labels (proofs/derived-estimates.md)."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.progress import Progress
from pckv.estimators.intervals import Interval, two_sided_z
from pckv.estimators.items import Items, selected_intervals
from pckv.estimators.ratios import ratio_interval, skewed_deviate, upper_chances
from pckv.estimators.results.columns import Origin
from pckv.estimators.results.segments import CELL_MEANS, LabelShares, SegmentCells, SegmentDifferences, Segments
from pckv.estimators.sets import SECOND_FACTOR, TESTED_LEVEL, HiddenShare, hidden_limit, hidden_share
from pckv.mechanisms.derivation import ByGroup
from pckv.statistics.detection import Detection, discoveries, selected_level
from pckv.statistics.projection import project_to_sum
from pckv.tally import Tally

# The errors of so many shares that add up to 1 are one error with two signs.
TWO = 2


def estimate_segments(  # noqa: PLR0917
    tally: Tally, keys: Integers, names: list[str], origin: Origin, rate: float, progress: Progress
) -> Segments:
    """Estimate what is known of keys, by their numbers and names, within the labels of a task's segment."""
    task, derivation = tally.task, tally.task.derivation
    assert isinstance(derivation, ByGroup)  # noqa: S101
    assert task.segment is not None  # noqa: S101
    label_numbers = np.arange(derivation.labels)
    cells = derivation.child(label_numbers[:, None], keys).reshape(-1)
    found = LabelCounts(
        Items.of(tally, label_numbers, origin.hostile, most=1, order=0, one_level=True),
        Items.of(tally, cells, origin.hostile, most=task.padding, order=1, progress=progress),
    )
    labels = list(task.segment.labels)
    differences = keys.size * math.comb(len(labels), 2)
    flags = found.children.detected(Detection(cells.size, origin.level, rate))
    wider = selected_level(origin.level, int(flags.sum()), cells.size)
    differ = found.differences(names, labels, origin, rate)
    return Segments(
        name=task.segment.name,
        false_discovery_rate=rate,
        cells_tested=cells.size,
        differences_tested=differences,
        detected_level=wider if flags.any() else None,
        differences_level=selected_level(origin.level, len(differ), differences) if len(differ) else None,
        cells_found=int(flags.sum()),
        differences_found=len(differ),
        labels=found.labels(labels, origin),
        cells=found.cells(labels, names, origin, (flags, wider, rate)),
        differences=differ,
    )


class _Part(NamedTuple):
    """A weighted frequency, and how many levels it is counted over."""

    weight: Floats
    frequency: Floats
    levels: int


class LabelCounts:
    """The counts of labels and of keys within them: cells of a label are together."""

    def __init__(self, parents: Items, children: Items) -> None:
        self.parents, self.children = parents, children
        self.size = len(children) // len(parents)
        # The label of every cell.
        self.of_cell = np.repeat(np.arange(len(parents)), self.size)
        self._levels = (children.moments.levels, 1)
        # No label has fewer people: not to divide by less.
        self.least = 1 / max(parents.reports, 1)

    @property
    def shares(self) -> Floats:
        """The shares of labels that are possible together: everybody has one."""
        return np.asarray(project_to_sum(self.parents.frequency[None, :])[0])

    def labels(self, labels: list[str], origin: Origin) -> LabelShares:
        """Return the table of labels."""
        share, (low, high) = self.shares, self._label_interval(origin.level)
        return LabelShares(origin, labels, share, np.minimum(low, share), np.maximum(high, share))

    def _label_interval(self, level: float) -> Interval:
        """Return the intervals of labels' shares: everybody has one, so that what all are too high by is taken off.

        Hostile reports say anything, and counts of a few are not normal, but for two labels whose errors are one with
        two signs: labels then keep the intervals of their own counts.
        """
        parents = self.parents
        if not parents.reports or parents.hostile.reports or (parents.are_few and len(parents) > TWO):
            return parents.interval(level)
        found = parents.frequency - (parents.frequency.sum() - 1) / len(parents)
        held = np.clip(found, 0, 1)
        first, second = np.meshgrid(held, held)
        errors = parents.joint.covariance(first, second, np.zeros_like(first)) / parents.reports
        np.fill_diagonal(errors, parents.variance(held))
        centred = np.eye(len(parents)) - 1 / len(parents)
        variance = np.diag(centred @ errors @ centred)
        half = two_sided_z(level) * np.sqrt(np.maximum(variance, 0))
        return Interval(np.clip(found - half, 0, 1), np.clip(found + half, 0, 1))

    def cells(
        self, labels: list[str], names: list[str], origin: Origin, found: tuple[Flags, float, float]
    ) -> SegmentCells:
        """Return the table of keys within labels, those that are detected at the level of what is selected."""
        flags, wider, rate = found
        at_level, at_wider = (
            self.children.columns(origin.method, Detection(flags.size, level, rate, flags))
            for level in (origin.level, wider)
        )
        columns = {
            name: np.where(flags, at_wider[name], at_level[name])
            for name in ("frequency", "frequency_low", "frequency_high", *CELL_MEANS)
        }
        parent = self.shares[self.of_cell]
        of_all = np.clip(columns["frequency"], 0, parent)
        share = np.divide(of_all, parent, out=np.zeros_like(parent), where=parent > 0)
        shown, others = np.flatnonzero(flags), self.within(origin.level)
        selected = selected_intervals(
            share[shown], origin.level, flags.size, lambda level: self.within(level).take(shown)
        )
        low, high = (np.array(each) for each in others)
        low[shown], high[shown] = selected
        return SegmentCells(
            origin,
            segment=[label for label in labels for _ in names],
            key=names * len(labels),
            share=share,
            share_low=np.minimum(low, share),
            share_high=np.maximum(high, share),
            share_of_all=of_all,
            share_of_all_low=np.minimum(columns["frequency_low"], of_all),
            share_of_all_high=np.maximum(columns["frequency_high"], of_all),
            detected=flags,
            **({name: columns[name] for name in CELL_MEANS} if self.children.counted.task.has_values else {}),
        )

    def within(self, level: float) -> Interval:
        """Return the intervals of shares within labels."""
        if not self.children.reports:
            return self.children.interval(level)
        task, answers = self.children.counted.task, self.children.counted.size_answers
        hostile = self.children.hostile.reports
        raised = [hidden_share(task, answers, level, hostile, factor) for factor in (1, SECOND_FACTOR)]
        high = np.minimum.reduce([self._fieller(hidden, level).high for hidden in raised])
        found = Interval(self._fieller(HiddenShare(), level).low, high)
        if self.children.are_few:
            low, high = self.children.interval(level)
            share = np.maximum(self.parents.frequency[self.of_cell], self.least)
            found = found.joined(Interval(np.clip(low / share, 0, 1), np.clip(high / share, 0, 1)))
        return found.joined(self._whatever_is_said(level)) if hostile else found

    def _fieller(self, hidden: HiddenShare, level: float) -> Interval:
        """Return Fieller's intervals where cells may be more frequent by what is hidden."""
        children, parents = self.children, self.parents
        parent, larger = parents.frequency[self.of_cell], max(hidden.value, 0.0)
        held, of_parent = np.clip(parent, 0, 1), parents.variance(np.clip(parent, 0, 1))

        def variance(ratio: float | Floats) -> Floats:
            # The share of people in the cell, if this is the ratio.
            shown = (ratio * held - larger) / hidden.factor
            covariance = children.joint.covariance(shown, held, shown, self._levels) / children.reports
            of_child = hidden.factor**2 * children.variance(shown)
            mixed = 2 * ratio * hidden.factor * covariance
            return np.asarray(of_child - mixed + ratio**2 * of_parent + hidden.error**2)

        return ratio_interval(hidden.factor * children.frequency + larger, parent, variance, level)

    def _whatever_is_said(self, level: float) -> Interval:
        """Return intervals that hold whatever hostile reports say, from those of labels and cells."""
        each = 1 - (1 - level) / 2
        child, parent = self.children.interval(each), self.parents.interval(each)
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.nan_to_num(child.low / parent.high[self.of_cell], nan=0.0)
            high = np.nan_to_num(child.high / parent.low[self.of_cell], nan=1.0, posinf=1.0)
        return Interval(np.clip(low, 0, 1), np.clip(high, 0, 1))

    def differences(self, names: list[str], labels: list[str], origin: Origin, rate: float) -> SegmentDifferences:
        """Return which keys differ between labels, with intervals at the level of what is selected."""
        pairs = np.array(list(combinations(range(len(labels)), 2)))
        first, second = (place.reshape(-1) for place in self._cells_of(pairs))
        deviate = self._difference_deviates(first, second)
        found = np.flatnonzero(discoveries(np.minimum(2 * upper_chances(deviate), 1.0), rate))
        first, second = first[found], second[found]
        shares = self.children.frequency / np.maximum(self.parents.frequency[self.of_cell], self.least)
        swap = shares[first] < shares[second]
        first, second = np.where(swap, second, first), np.where(swap, first, second)
        level = selected_level(origin.level, found.size, deviate.size)
        share_a, share_b = (np.clip(shares[place], 0, 1) for place in (first, second))
        difference = np.maximum(share_a - share_b, 0)
        low, high = self._difference_limits(first, second, level)
        order = np.argsort(-difference, kind="stable")
        table = SegmentDifferences(
            origin,
            key=[names[cell % self.size] for cell in first.tolist()],
            label_a=[labels[cell // self.size] for cell in first.tolist()],
            label_b=[labels[cell // self.size] for cell in second.tolist()],
            difference=difference,
            # That there is a difference was tested: its sign is known.
            difference_low=np.clip(low, 0, difference),
            difference_high=np.clip(np.maximum(high, difference), 0, 1),
        )
        return table.take(order)

    def _cells_of(self, pairs: Integers) -> tuple[Integers, Integers]:
        """Return the cells of all keys within the first and the second label of some pairs of labels."""
        cells = np.arange(self.size)
        return self.size * pairs[:, :1] + cells, self.size * pairs[:, 1:] + cells

    def _difference_deviates(self, first: Integers, second: Integers) -> Floats:
        """Return by how many of its errors the difference is beyond what larger sets and hostile reports make.

        ĉ_g·π̂_h - ĉ_h·π̂_g is 0 where shares are equal: no ratio is needed. Its error is that of equal shares.
        Labels that are not known well are not compared.
        """
        children, parents = self.children, self.parents
        if not children.reports:
            return np.full(first.size, -np.inf)
        g, h = self.of_cell[first], self.of_cell[second]
        pi_g, pi_h = parents.frequency[g], parents.frequency[h]
        c_g, c_h = children.frequency[first], children.frequency[second]
        share_g, share_h = np.clip(pi_g, self.least, 1), np.clip(pi_h, self.least, 1)
        common = np.clip((c_g + c_h) / (share_g + share_h), 0, 1)
        variance = share_h**2 * self._less_its_share(common, g) + share_g**2 * self._less_its_share(common, h)
        variance -= 2 * share_g * share_h * self._between_labels((common, g), (common, h))
        known = parents.well_known
        task, answers = children.counted.task, children.counted.size_answers
        hidden = hidden_limit(task, answers, TESTED_LEVEL, children.hostile.reports)
        allowed = hidden * np.maximum(share_g, share_h) + self._most_shift(c_g, c_h, share_g, share_h)
        distance = c_g * pi_h - c_h * pi_g
        beyond = np.abs(distance) - allowed
        more = np.where(distance > 0, g, h)
        mean, spread = self._count_moments(common * parents.frequency[more])
        deviate = skewed_deviate(beyond / np.sqrt(np.maximum(variance, 1e-300)), mean, spread)
        return np.where(known[g] & known[h], deviate, -np.inf)

    def _less_its_share(self, share: Floats, labels: Integers) -> Floats:
        """Return the variance of ĉ_g - share·π̂_g, if that is the share within the label."""
        parent = np.clip(self.parents.frequency[labels], 0, 1)
        child = share * parent
        covariance = self.children.joint.covariance(child, parent, child, self._levels) / self.children.reports
        variance = self.children.variance(child) - 2 * share * covariance + share**2 * self.parents.variance(parent)
        return np.maximum(variance, 0)

    def _between_labels(self, first: tuple[Floats, Integers], second: tuple[Floats, Integers]) -> Floats:
        """Return the covariance of ĉ_g - share·π̂_g of two labels, given the shares within these.

        Nobody has both. A report that supports few items at once tells less of one label where it tells of another.
        """
        total = np.zeros(first[1].size)
        for one, other in product(self._parts(*first), self._parts(*second)):
            levels = one.levels, other.levels
            shared = self.children.joint.covariance(one.frequency, other.frequency, np.zeros_like(total), levels)
            total += one.weight * other.weight * shared
        return total / self.children.reports

    def _parts(self, share: Floats, labels: Integers) -> tuple[_Part, _Part]:
        """Return ĉ_g and -share·π̂_g."""
        parent = np.clip(self.parents.frequency[labels], 0, 1)
        of_child, of_parent = self._levels
        return _Part(np.ones_like(share), share * parent, of_child), _Part(-share, parent, of_parent)

    def _count_moments(self, frequency: Floats) -> tuple[Floats, Floats]:
        """Return the mean and variance of a cell's count of supports."""
        reports, moments, held = self.children.reports, self.children.moments, np.clip(frequency, 0, 1)
        return np.asarray(reports * moments.sum_mean(held)), np.asarray(reports * moments.sum_variance(held))

    def _most_shift(self, c_g: Floats, c_h: Floats, pi_g: Floats, pi_h: Floats) -> Floats:
        """Return by how much hostile reports can move ĉ_g·π̂_h - ĉ_h·π̂_g at most."""
        child, parent = self.children.most_shift, self.parents.most_shift
        rest = child * (pi_g + pi_h) + parent * (np.abs(c_g) + np.abs(c_h)) + 2 * child * parent
        return np.asarray(rest)

    def _difference_limits(self, first: Integers, second: Integers, level: float) -> Interval:
        """Return limits of differences from those of both shares.

        Limits of single shares, without what is hidden, are recovered as errors; what is hidden is added.
        """
        if not first.size:
            return Interval(np.zeros(0), np.zeros(0))
        known, raised = self._fieller(HiddenShare(), level), self.within(level)
        point = self.children.frequency / np.maximum(self.parents.frequency[self.of_cell], self.least)
        point = np.clip(point, known.low, known.high)
        below, above = point - known.low, known.high - point
        more_below, more_above = known.low - np.minimum(raised.low, known.low), np.maximum(raised.high - known.high, 0)
        difference = point[first] - point[second]
        sides = [(point[cells], self.of_cell[cells]) for cells in (first, second)]
        errors = np.sqrt(np.prod([self._less_its_share(*side) for side in sides], axis=0))
        alike = np.divide(self._between_labels(*sides), errors, out=np.zeros_like(errors), where=errors > 0)
        low = difference - _spread(below[first], above[second], alike) - more_below[first] - more_above[second]
        high = difference + _spread(above[first], below[second], alike) + more_above[first] + more_below[second]
        return Interval(low, high)


def _spread(first: Floats, second: Floats, correlation: Floats) -> Floats:
    """Return the error of a difference from those of both."""
    return np.asarray(np.sqrt(np.maximum(first**2 + second**2 - 2 * correlation * first * second, 0)))
