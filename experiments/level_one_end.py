"""Shares of keys whose holders are all at one end, among keys with mixed profiles: `bayes` relative to their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from experiments.settings import Requirement
from pckv.base.arrays import Flags, Floats
from pckv.estimators.methods.bayes import learn
from pckv.estimators.shares import own_shares, with_intervals
from pckv.lab.counting import draw_level_counts
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

SEED, KEYS, LEVEL = 20_276, 120, 0.95
LEVELS, MECHANISMS = (3, 5, 10), ("ue-compact", "collision")
# Reports and ε.
SETTINGS = ((10**5, "2"), (10**5, "4"), (10**6, "2"), (10**6, "4"))
# Keys with at least this many standard errors are well measured: their own shares tell where they are.
MEASURED = 8
MAX_RATIO, MIN_COVERAGE, MIN_DISTANCE = 1.05, 0.93, 0.001
ONE_END = """
## Keys wholly at one end

Every participant holds one of 120 keys, by Zipf's law with exponent 0.9. Profiles of most keys
scatter about a common one; the others have all holders at the lowest or the highest level. Nothing
was chosen on these populations: constants were chosen on four others of the same kinds. Numbers are
distances of `bayes` relative to those of the keys' own shares: of the keys at one end, those of
them whose frequency is at least 8 standard errors, the mixed keys, and all; the geometric mean over
mechanisms. Coverage is that of 95 % intervals of `bayes`, keys at one end and all keys. With one
common profile for all keys, as before (2 repeats), keys at one end were further off than their own
in 95 of 96 settings, 2.13 times in the geometric mean, well measured ones 2.05 times; mixed keys
were at 0.61. A key at one end that its counts do not show to be there remains further off.

| population | levels | reports | ε | one end | well measured | mixed | all keys | coverage, one end | all |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""


class OneEndPopulation(NamedTuple):
    """The common profile for a number of levels, how alike others are to it, and the share of keys at one end."""

    common: Callable[[int], Floats]
    alike: float
    at_low: float
    at_high: float


def _falling(levels: int) -> Floats:
    return np.asarray(0.6 ** np.arange(levels))


def _middle(levels: int) -> Floats:
    return np.asarray(np.exp(-((np.linspace(-1, 1, levels) / 0.5) ** 2)))


# Nothing was chosen on them.
POPULATIONS = {
    "equal, 15 % at the ends": OneEndPopulation(np.ones, 20, 0.05, 0.1),
    "falling, 25 % at the far end": OneEndPopulation(_falling, 50, 0.0, 0.25),
    "middle, 6 % at the low end": OneEndPopulation(_middle, 15, 0.06, 0.0),
    "falling, half at the ends": OneEndPopulation(_falling, 10, 0.25, 0.25),
}


class OneEnd(NamedTuple):
    """One setting, averaged over the collections: distances relative to the keys' own, and coverage."""

    population: str
    levels: int
    reports: int
    epsilon: str
    mechanism: str
    one_end: float
    measured: float
    mixed: float
    every: float
    cover: float
    cover_every: float


def measure_one_end(collections: int) -> list[OneEnd]:
    """Measure all settings."""
    return [
        _measure(name, levels, reports, epsilon, mechanism, collections)
        for name in POPULATIONS
        for levels in LEVELS
        for reports, epsilon in SETTINGS
        for mechanism in MECHANISMS
    ]


def _measure(  # noqa: PLR0917
    name: str, levels: int, reports: int, epsilon: str, mechanism: str, collections: int
) -> OneEnd:
    count_law = build(mechanism, KEYS, 1, Fraction(epsilon), {}, levels=levels).count_law
    moments = CountMoments.of(count_law)
    distances: list[tuple[Floats, Floats]] = []
    groups, inside = [], []
    weights = np.arange(1, KEYS + 1) ** -0.9
    for collection in range(collections):
        rng = default_rng([SEED, collection])
        profiles, one_end = draw_profiles(POPULATIONS[name], levels, rng)
        holders = rng.multinomial(reports, rng.permutation(weights) / weights.sum())
        held = rng.multinomial(holders, profiles)
        support = draw_level_counts(count_law, reports, held.T, rng)
        truth = held / np.maximum(holders, 1)[:, None]
        posterior = learn(support, reports, moments)
        found = with_intervals(posterior.profiles.shares, partial(posterior.mean_interval, level=LEVEL))
        own = own_shares(support, reports, moments)
        distances.append((np.abs(own - truth).sum(axis=1) / 2, np.abs(found.shares - truth).sum(axis=1) / 2))
        frequency: Floats = holders / reports
        measured = frequency >= MEASURED * np.sqrt(moments.frequency_variance(frequency) / reports)
        groups.append(np.stack([one_end, one_end & measured, ~one_end, np.ones(KEYS, np.bool_)]))
        inside.append(((found.low - 1e-9 <= truth) & (truth <= found.high + 1e-9)).mean(axis=1))
    own_all, ours_all = (np.concatenate(each) for each in zip(*distances, strict=True))
    members, covered = np.hstack(groups), np.concatenate(inside)
    ratios = (_ratio(ours_all[rows], own_all[rows]) for rows in members)
    cover = covered[members[0]].mean(), covered.mean()
    return OneEnd(name, levels, reports, epsilon, mechanism, *ratios, *map(float, cover))


def _ratio(ours: Floats, own: Floats) -> float:
    """Return the ratio of mean distances; one that is nearly 0 counts as that."""
    return float(ours.mean() / max(own.mean(), MIN_DISTANCE)) if own.size else np.nan


def draw_profiles(population: OneEndPopulation, levels: int, rng: Generator) -> tuple[Floats, Flags]:
    """Return a profile per key, and which keys have all holders at one end."""
    common = population.common(levels)
    profiles = rng.dirichlet(population.alike * common / common.sum(), KEYS)
    draw = rng.random(KEYS)
    low, high = draw < population.at_low, draw > 1 - population.at_high
    profiles[low], profiles[high] = np.eye(levels)[0], np.eye(levels)[-1]
    return profiles, low | high


def one_end_table(cells: Sequence[OneEnd]) -> Iterator[str]:
    """Yield the section: a row per population and setting."""
    yield ONE_END
    for setting in dict.fromkeys(cell[:4] for cell in cells):
        same = [cell for cell in cells if cell[:4] == setting]
        ratios = [_together(same, quantity) for quantity in ("one_end", "measured", "mixed", "every")]
        covers = [f"{min(cell.cover for cell in same):.1%}", f"{min(cell.cover_every for cell in same):.1%}"]
        name, levels, reports, epsilon = setting
        yield f"| {name} | {levels} | {reports:,} | {epsilon} | {' | '.join([*ratios, *covers])} |\n"


def _together(cells: Sequence[OneEnd], quantity: str) -> str:
    """Return the geometric mean of those that are numbers; 0 counts as nearly so."""
    ratios = np.array([getattr(cell, quantity) for cell in cells])
    return "none" if np.isnan(ratios).all() else f"{np.exp(np.nanmean(np.log(np.maximum(ratios, 1e-3)))):.2f}"


def one_end_requirements(cells: Sequence[OneEnd]) -> Iterator[Requirement]:
    """Yield what must hold of keys at one end."""
    for what, quantity in (("keys at one end", "one_end"), (f"those {MEASURED} standard errors above 0", "measured")):
        ratios = [(float(getattr(cell, quantity)), cell) for cell in cells]
        known = [(ratio, cell) for ratio, cell in ratios if not np.isnan(ratio)]
        worst, where = max(known)
        above = sum(ratio > MAX_RATIO for ratio, _ in known)
        yield Requirement(
            f"distance of shares relative to the keys' own, {what}",
            f"≤ {MAX_RATIO}",
            f"above in {above} of {len(known)}, worst {worst:.2f} ({_name(where)})",
            not above,
        )
    for what, quantity in (("keys at one end", "cover"), ("all keys among them", "cover_every")):
        least, where = min((float(getattr(cell, quantity)), cell) for cell in cells)
        yield Requirement(
            f"coverage of 95 % intervals of shares, {what}",
            f"≥ {MIN_COVERAGE:.0%}",
            f"{least:.1%} ({_name(where)})",
            least >= MIN_COVERAGE,
        )


def _name(cell: OneEnd) -> str:
    return f"{cell.population}, {cell.levels} levels, `{cell.mechanism}`, {cell.reports:,} reports, ε = {cell.epsilon}"
