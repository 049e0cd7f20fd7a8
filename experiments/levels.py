"""Shares of five levels, what levels cost the mean, and medians of load times: docs/appendix/levels.md.

With some parts only, bars are printed and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.progress import track

from experiments.level_few_keys import FewKeys, measure_few_keys
from experiments.level_means import COLLECTIONS, MIN_STANDARD_ERRORS, MeanCost, measure_means
from experiments.level_medians import (
    GUESSED_MEDIAN,
    GUESSED_SPREAD,
    LONGEST,
    MedianErrors,
    guessed_levels,
    measure_medians,
)
from experiments.level_one_end import OneEnd, measure_one_end, one_end_requirements, one_end_table
from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv.base.arrays import Flags, Floats
from pckv.estimators.linear import unbiased_frequency
from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.profiles import KnownFrequencies, learn_profiles
from pckv.estimators.shares import LevelShares, own_interval, own_shares, with_intervals
from pckv.lab.counting import PlacedValues, SamplingModel, count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import FigureScale
from pckv.lab.figures.realdata import clothing, ecommerce, goodbooks
from pckv.lab.processes import map_in_processes
from pckv.mechanisms.registry import build
from pckv.statistics.detection import Detection
from pckv.statistics.moments import CountMoments, equal_scale
from pckv.tally.decode.support import KeySupport

INTRODUCTION = """# Measured: levels

How close are the shares of levels to the true ones, how often do their intervals hold, and what do
levels cost the mean? [levels.md](../explanation/levels.md) explains levels, and
[proofs/shares.md](../../proofs/shares.md) derives the estimates. `make experiment NAME=levels
DATA=FOLDER` writes this page, where FOLDER contains the rating sets.

- Ratings have five levels. The padding is 1 for E-commerce, 2 for Clothing and 5 for Goodbooks. The
  true shares are those among the pairs that reports are about: a participant who holds more pairs
  than the padding counts for less.
- "Own" shares are made from each key's own counts alone (`corrected`). `bayes` learns from all
  keys. Its constants were chosen on synthetic populations, with one exception: the uniform prior on
  the mean of the common profile was chosen after its means had missed the true means too often on
  Clothing, whose ratings are mostly at one end.
- A distance is the total variation distance, half the sum of the differences of the five shares,
  averaged over the 50 most frequent keys.

## What must hold

"""
SHARES = """
## Shares of five levels

"Equal" is the distance of five equal shares, which need no report. "Distribution known" is that of
`bayes` if it knew the true frequencies, but not which key has which. If even that is not half of
"own", reports with this noise are not informative enough: all keys together show the common profile
only to the extent that they show which of them are frequent. Coverage is that of 95 % intervals of
`bayes` for all keys, the top 50, and the detected keys with their number in all repeats. Rare keys
that are detected are the luckiest of many, and so are their shares; they are few. The last columns
are the mean widths of the intervals of the top 50.

| data | mechanism | ε | own | `bayes` | × smaller | equal | distribution known | all keys | top 50 \
| detected | width | own width |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""
MEANS = f"""
## What five levels cost the mean

The error of the mean with five levels relative to that with two, over all keys whose frequency is
above {MIN_STANDARD_ERRORS} of its standard errors, with the same mechanism, padding and parameters;
settings without such a key are left out. In some rows the same people are included several times,
so that more keys qualify. Counts of single keys were drawn from their exact law {COLLECTIONS:,}
times. Predicted is √(Σ(v - m)²/(2 + 2m²)); computed is what the exact variances of the mechanism
give, to first order. These include the noise of the holders themselves and the fact that levels
exclude each other: with few residues per level, as at ε = 2, `ue-compact` costs more than
predicted.

| data | mechanism | ε | keys | measured | predicted | computed |
|---|---|---:|---:|---:|---:|---:|
"""
MEDIANS = f"""
## Medians of load times

Every participant loads one page. Times are log-normal per page: medians about 1.4 s, mostly within
a factor of 1.5, and standard deviations of the logarithm from 0.5 to 1. The author of the task
guesses a median of {GUESSED_MEDIAN:g} s and a deviation of {GUESSED_SPREAD:g} for all pages, and
chooses ten levels: 0, the quantiles 1/9 to 8/9 of the guess, and {LONGEST:g} s, at which longer
times are cut. `ue-compact`, padding 1.

Errors are means of |estimated/true median - 1| over the half of the pages that are loaded most.
"From the mean" is what two levels from 0 to {LONGEST:g} s give: the mean that `bayes` estimates,
times exp(-{GUESSED_SPREAD:g}²/2), which is the median of a log-normal law with this mean and the
guessed deviation. "From the true mean" is the same without any noise: the error of the guess alone,
although the law is of the guessed kind. Intervals hold for any data; their width is relative to the
median. With few people per page, ten levels are no closer than the guess at ε = 2 and 4: their
noise costs as much as the guess does, or more.

| people | pages | ε | `bayes` | own | from the mean | from the true mean | coverage | width |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""

FEW = """
## Few keys

Synthetic populations of 20,000 people with one pair each, whose profiles scatter a lot, a little or
hardly around a common one that is drawn afresh each time. Coverage is the minimum over two
mechanisms (`ue-compact`, `collision`) and the three degrees of scatter; widths are means.

| keys | ε | coverage | width | own width | relative |
|---:|---:|---:|---:|---:|---:|
"""


def write_page(
    folder: Path,
    *,
    shares: Sequence[ShareErrors],
    means: Sequence[MeanCost],
    medians: Sequence[MedianErrors],
    few: Sequence[FewKeys],
    one_end: Sequence[OneEnd],
    requirements: Sequence[Requirement],
) -> None:
    """Write the page."""
    parts = [
        INTRODUCTION,
        requirements_table(requirements),
        SHARES,
        *_shares(shares),
        *_means(means),
        *_medians(medians),
        *_few_keys(few),
        *one_end_table(one_end),
        "\n**Next:** [trends of series](series.md).\n",
    ]
    (folder / "levels.md").write_text("".join(parts), encoding="utf-8")


def _shares(cells: Sequence[ShareErrors]) -> Iterator[str]:
    for cell in cells:
        found = f"{cell.cover[2]:.1%} of {cell.detected}" if cell.detected else "none"
        yield (
            f"| {cell.data} | `{cell.mechanism}` | {cell.epsilon} | {cell.own:.3f} | {cell.bayes:.3f} "
            f"| **{cell.gain:.2f}** | {cell.equal:.3f} | {cell.informed:.3f} | {cell.cover[0]:.1%} "
            f"| {cell.cover[1]:.1%} | {found} | {cell.width:.2f} | {cell.own_width:.2f} |\n"
        )
    together = float(np.exp(np.mean([np.log(cell.gain) for cell in cells])))
    yield f"\nIn the geometric mean of these settings `bayes` is {together:.2f} × closer to the true shares.\n"


def _means(cells: Sequence[MeanCost]) -> Iterator[str]:
    yield MEANS
    for data, mechanism, epsilon, keys, *factors in cells:
        numbers = " | ".join(f"{factor:.3f}" for factor in factors)
        yield f"| {data} | `{mechanism}` | {epsilon} | {keys} | {numbers} |\n"


def _medians(cells: Sequence[MedianErrors]) -> Iterator[str]:
    yield MEDIANS
    for people, pages, epsilon, *errors, cover, width in cells:
        numbers = " | ".join(f"{error:.1%}" for error in errors)
        yield f"| {people:,} | {pages} | {epsilon} | {numbers} | {cover:.1%} | {width:.2f} |\n"
    yield f"\nThe levels are {', '.join(guessed_levels())} s.\n"


def _few_keys(cells: Sequence[FewKeys]) -> Iterator[str]:
    yield FEW
    for keys, epsilon, cover, width, own_width in cells:
        yield f"| {keys} | {epsilon} | {cover:.1%} | {width:.3f} | {own_width:.3f} | {width / own_width:.2f} |\n"


SEED, REPEATS, LEVEL, TOP, LEVELS = 20_272, 20, 0.95, 50, 5
EPSILONS = ("1", "2", "4")
MIN_GAIN, MIN_COVERAGE, MAX_DEVIATION = 2.0, 0.93, 0.10
# With this many times the people, keys are frequent enough for their means to be compared in more settings.
MORE_PEOPLE = 20
# Intervals need not be wider than the keys' own, but for what is not known of the common profile.
MAX_RELATIVE_WIDTH = 1.25
PARTS = ("shares", "means", "medians", "few", "one-end")


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

    Distances are total variation distances of the top keys' shares: of the keys' own counts, of `bayes`, of
    `bayes` if it knew the distribution of the frequencies, and of equal shares. `cover` are the shares of
    95 % intervals that hold the truth, of all keys, the top keys and the detected keys, of which there were
    `detected` in all repeats; `own_cover` of the keys' own intervals.
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
    """A rating set prepared for measuring: its samples, and the true shares among reported pairs."""

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
        """Return how many report each level of each key; people above the padding count for less."""
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


def _known_with_distribution(true: Floats, support: KeySupport, users: int, moments: CountMoments) -> KnownFrequencies:
    """Return what totals tell of the frequencies to an analyst who knows the true ones, but not whose."""
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
            (mechanism, epsilon, repeats) for mechanism in case.mechanisms for epsilon in EPSILONS if "shares" in parts
        ]
        results = map_in_processes(partial(measure_shares, rated), jobs, os.cpu_count() or 1)
        shares += track(results, name, total=len(jobs))
        if "means" in parts:
            for times, label in ((1, name), (MORE_PEOPLE, f"{name}, {MORE_PEOPLE} × the people")):
                held, users = times * rated.holders_by_level(), times * rated.dataset.users
                means += measure_means(label, held, users, case.padding, case.mechanisms, EPSILONS)
    medians = measure_medians(EPSILONS, repeats) if "medians" in parts else []
    few = measure_few_keys(repeats) if "few" in parts else []
    one_end = measure_one_end(repeats) if "one-end" in parts else []
    requirements = list(requirements_of(shares, means, medians, few))
    requirements += one_end_requirements(one_end) if one_end else ()
    if not settings.parts:
        write_page(
            settings.out,
            shares=shares,
            means=means,
            medians=medians,
            few=few,
            one_end=one_end,
            requirements=requirements,
        )
    return show_requirements(requirements)
