"""Shares of five levels on the rating sets, what levels cost the mean, and medians of load times: docs/appendix/levels.md.

With some parts only, bars are printed and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.progress import track

from experiments.level_few_keys import FewKeys, measure_few_keys
from experiments.level_means import MeanCost, measure_means
from experiments.level_medians import MedianErrors, measure_medians
from experiments.levels_page import write_page
from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv.base.arrays import Flags, Floats
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.profiles import KnownFrequencies, learn_profiles
from pckv.estimators.shares import LevelShares, own_interval, own_shares, with_intervals
from pckv.lab.counting import count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import FigureScale
from pckv.lab.figures.realdata import clothing, ecommerce, goodbooks
from pckv.lab.processes import map_in_processes
from pckv.lab.sampling import PlacedValues, SamplingModel
from pckv.mechanisms.registry import build
from pckv.statistics.detection import Detection
from pckv.statistics.moments import CountMoments, equal_scale
from pckv.tally.decode.support import KeySupport

SEED, REPEATS, LEVEL, TOP, LEVELS = 20_272, 20, 0.95, 50, 5
EPSILONS = ("1", "2", "4")
MIN_GAIN, MIN_COVERAGE, MAX_DEVIATION = 2.0, 0.93, 0.10
# With this many times the people, keys are frequent enough for their means to be compared in more settings.
MORE_PEOPLE = 20
# Intervals need not be wider than the keys' own, but for what is not known of the common profile.
MAX_RELATIVE_WIDTH = 1.25
PARTS = ("shares", "means", "medians", "few")


class RatingCase(NamedTuple):
    """A rating set, the padding it is collected with, and the mechanisms that are compared."""

    make: Callable[[FigureScale], Dataset]
    padding: int
    mechanisms: tuple[str, ...]


CASES = {
    "E-commerce": RatingCase(ecommerce, 1, ("ue-compact",)),
    "Clothing": RatingCase(clothing, 2, ("ue-compact", "collision")),
    "Goodbooks": RatingCase(goodbooks, 5, ("ue-compact", "collision")),
}


class ShareErrors(NamedTuple):
    """One mechanism at one ε on one population, averaged over the repeats.

    Distances are total variation distances of the top keys' shares: of the keys' own counts, of `bayes`, of `bayes` if it
    knew the distribution of the frequencies, and of equal shares. `cover` are the shares of 95 % intervals that hold the truth, of all keys, the
    top keys and the detected keys, of which there were `detected` in all repeats; `own_cover` of the keys' own intervals.
    """

    data: str
    mechanism: str
    epsilon: str
    own: float
    bayes: float
    informed: float
    equal: float
    cover: tuple[float, float, float]
    own_cover: float
    detected: int
    width: float
    own_width: float

    @property
    def gain(self) -> float:
        """How many times nearer `bayes` is to the truth than the keys' own counts."""
        return self.own / self.bayes


class Rated:
    """A rating set prepared for measuring: its samples, and the true shares among the pairs that reports are about."""

    def __init__(self, name: str, dataset: Dataset, padding: int) -> None:
        self.name, self.dataset, self.padding = name, dataset, padding
        self.scale = equal_scale(LEVELS)
        self.model = SamplingModel(dataset, self.scale.values)
        held = self.holders_by_level()
        self.frequency = held.sum(axis=1) / dataset.users
        self.held = self.frequency > 0
        self.shares = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
        self.top = np.argsort(-self.frequency, kind="stable")[:TOP]

    def holders_by_level(self) -> Floats:
        """Return how many report each level of each key, holders of more pairs than the padding counting for less."""
        people = self.dataset.population
        weights = np.repeat(self.padding / np.maximum(people.sizes, self.padding), people.sizes)
        below, chances = PlacedValues.of(self.dataset.scaled(people.values), self.scale.values)
        found = np.zeros((self.dataset.keys, LEVELS))
        np.add.at(found, (people.keys, below), weights * (1 - chances))
        np.add.at(found, (people.keys, below + 1), weights * chances)
        return found

    def distance(self, shares: Floats) -> float:
        """Return the mean total variation distance of the top keys' shares."""
        return float(np.abs(shares - self.shares)[self.top].sum(axis=1).mean() / 2)


class _Repeat(NamedTuple):
    """One collection: distances, intervals, and which keys were detected."""

    distances: tuple[float, float, float]
    own: LevelShares
    bayes: LevelShares
    detected: Flags


def measure_shares(rated: Rated, mechanism: str, epsilon: str, repeats: int) -> ShareErrors:
    """Collect several times and compare shares with the truth."""
    law = build(mechanism, rated.dataset.keys, rated.padding, Fraction(epsilon), {}, levels=LEVELS)
    rows, cover, own_cover, widths, found = [], [], [], [], 0
    of_detected: list[Flags] = []
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        support, _, count_law = count_reports(law, rated.model.prepare(law, rng), rng)
        one = _repeat(rated, support, CountMoments.of(count_law, scale=rated.scale))
        rows.append(one.distances)
        inside, own_inside = (_inside(each, rated.shares) for each in (one.bayes, one.own))
        cover.append((inside[rated.held].mean(), inside[rated.top].mean()))
        own_cover.append(own_inside[rated.held].mean())
        of_detected.append(inside[one.detected])
        found += int(one.detected.sum())
        widths.append([(each.high - each.low)[rated.top].mean() for each in (one.bayes, one.own)])
    own, bayes, informed = np.mean(rows, axis=0)
    all_keys, top_keys = np.mean(cover, axis=0)
    detected_cover = float(np.concatenate(of_detected).mean()) if found else 1.0
    width, own_width = np.mean(widths, axis=0)
    return ShareErrors(
        data=rated.name,
        mechanism=mechanism,
        epsilon=epsilon,
        own=float(own),
        bayes=float(bayes),
        informed=float(informed),
        equal=rated.distance(np.full_like(rated.shares, 1 / LEVELS)),
        cover=(float(all_keys), float(top_keys), detected_cover),
        own_cover=float(np.mean(own_cover)),
        detected=found,
        width=float(width),
        own_width=float(own_width),
    )


def _repeat(rated: Rated, support: KeySupport, moments: CountMoments) -> _Repeat:
    users = rated.dataset.users
    posterior = learn(support, users, moments)
    own = own_shares(support, users, moments)
    known = _known_with_distribution(rated.frequency, support, users, moments)
    informed = learn_profiles(support, users, moments, known).shares
    shares = posterior.profiles.shares
    return _Repeat(
        (rated.distance(own), rated.distance(shares), rated.distance(informed)),
        with_intervals(own, own_interval(support, users, moments, LEVEL)),
        with_intervals(shares, partial(posterior.mean_interval, level=LEVEL)),
        Detection(support.keys, LEVEL).detected(support.total, users, moments) & rated.held,
    )


def _known_with_distribution(
    true: Floats, support: KeySupport, users: int, moments: CountMoments
) -> KnownFrequencies:
    """Return what totals tell of the frequencies to somebody who knows all true ones, but not which key has which."""
    holders, keys = np.unique(np.round(true * users), return_counts=True)
    frequency = holders / users
    distance = unbiased_frequency(support, users, moments)[:, None] - frequency
    variance = moments.frequency_variance(frequency) / users
    logarithm = np.log(keys) - (distance**2 / variance + np.log(variance)) / 2
    chances = np.exp(logarithm - logarithm.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    mean = chances @ frequency
    spread = np.maximum(chances @ frequency**2 - mean**2, 0)
    return KnownFrequencies(mean, spread, np.arange(support.keys))


def _inside(found: LevelShares, truth: Floats) -> Flags:
    return np.asarray((found.low - 1e-9 <= truth) & (truth <= found.high + 1e-9))


def requirements_of(
    shares: list[ShareErrors], means: list[MeanCost], medians: list[MedianErrors], few: list[FewKeys]
) -> Iterator[Requirement]:
    """Yield what must hold."""
    for cell in shares:
        name = f"{cell.data}, `{cell.mechanism}`, ε = {cell.epsilon}"
        yield Requirement(
            f"{name}: distance of shares",
            f"≥ {MIN_GAIN:g} × smaller",
            f"{cell.gain:.2f} ×",
            cell.gain >= MIN_GAIN,
        )
    for place, what in enumerate(("all keys", f"top {TOP}")):
        worst = min(shares, key=lambda cell: cell.cover[place], default=None)
        if worst:
            yield _coverage(
                f"{what}, worst of {len(shares)}",
                worst.cover[place],
                f" ({worst.data}, `{worst.mechanism}`, ε = {worst.epsilon})",
            )
    found = sum(cell.detected for cell in shares)
    if found:
        covered = sum(cell.detected * cell.cover[2] for cell in shares) / found
        yield _coverage("detected keys of all settings", covered, f" of {found * LEVELS:,}")
    as_they_are = [cell for cell in means if cell.data in CASES]
    if as_they_are:
        yield _furthest("predicted from means alone", as_they_are, [cell.predicted for cell in as_they_are])
        yield _furthest("computed from exact variances", means, [cell.computed for cell in means])
    if medians:
        least = min(medians, key=lambda cell: cell.cover)
        yield Requirement(
            f"coverage of 95 % intervals of medians, worst of {len(medians)}",
            f"≥ {MIN_COVERAGE:.0%}",
            f"{least.cover:.1%} ({least.people:,} people, ε = {least.epsilon})",
            least.cover >= MIN_COVERAGE,
        )
    if few:
        lowest = min(few, key=lambda cell: cell.cover)
        yield _coverage("2 to 50 keys", lowest.cover, f" ({lowest.keys} keys, ε = {lowest.epsilon})")
        widest = max(few, key=lambda cell: cell.width / cell.own_width)
        yield Requirement(
            "width of these intervals relative to the keys' own, 2 to 50 keys",
            f"≤ {MAX_RELATIVE_WIDTH:g} ×",
            f"{widest.width / widest.own_width:.2f} × ({widest.keys} keys, ε = {widest.epsilon})",
            widest.width <= MAX_RELATIVE_WIDTH * widest.own_width,
        )


def _coverage(of: str, share: float, remark: str) -> Requirement:
    what = f"coverage of 95 % intervals of shares, {of}"
    return Requirement(what, f"≥ {MIN_COVERAGE:.0%}", f"{share:.1%}{remark}", share >= MIN_COVERAGE)


def _furthest(what: str, cells: list[MeanCost], expected: list[float]) -> Requirement:
    off, cell = max(
        ((cell.measured / factor - 1, cell) for cell, factor in zip(cells, expected, strict=True)),
        key=lambda each: abs(each[0]),
    )
    return Requirement(
        f"cost of the mean relative to signs, {what}, furthest of {len(cells)}",
        f"within {MAX_DEVIATION:.0%}",
        f"{off:+.1%} ({cell.data}, `{cell.mechanism}`, ε = {cell.epsilon})",
        abs(off) <= MAX_DEVIATION,
    )


def run(settings: ExperimentSettings) -> bool:
    """Run all parts, print the bars and write the page; return whether all bars are met."""
    parts, repeats = settings.parts or PARTS, settings.repeats or REPEATS
    shares: list[ShareErrors] = []
    means: list[MeanCost] = []
    for name, case in CASES.items():
        if not {"shares", "means"} & set(parts):
            break
        rated = Rated(name, case.make(FigureScale(data=settings.data)), case.padding)
        jobs = [
            (mechanism, epsilon, repeats)
            for mechanism in case.mechanisms
            for epsilon in EPSILONS
            if "shares" in parts
        ]
        results = map_in_processes(partial(measure_shares, rated), jobs, os.cpu_count() or 1)
        shares += track(results, name, total=len(jobs))
        if "means" in parts:
            for times, label in ((1, name), (MORE_PEOPLE, f"{name}, {MORE_PEOPLE} × the people")):
                held, users = times * rated.holders_by_level(), times * rated.dataset.users
                means += measure_means(label, held, users, case.padding, case.mechanisms, EPSILONS)
    medians = measure_medians(EPSILONS, repeats) if "medians" in parts else []
    few = measure_few_keys(repeats) if "few" in parts else []
    requirements = list(requirements_of(shares, means, medians, few))
    if not settings.parts:
        write_page(
            settings.out,
            shares=shares,
            means=means,
            medians=medians,
            few=few,
            requirements=requirements,
        )
    return show_requirements(requirements)
