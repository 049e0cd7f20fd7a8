"""How often intervals hold the truth, by the rank of the key: docs/appendix/coverage.md.

Averages over all keys hide the few that people look at. With some populations only, it prints the bars and
writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv.base.arrays import Flags, Floats
from pckv.estimators.methods.registry import METHODS, KeyEstimates
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.figures.figure import FigureScale
from pckv.lab.figures.realdata import clothing
from pckv.lab.populations import gaussian, uniform, zipf
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments

SEED, LEVEL = 20_265, 0.95
COMPARED = ("corrected", "bayes")
# The most frequent keys, which reports show, and groups of ranks: the first and the end of each.
TOP = 10
RANKS = {"1": (0, 1), "2 to 10": (1, 10), "11 to 50": (10, 50), "all": (0, None)}
MIN_COVERAGE, MIN_TOP_COVERAGE = 0.93, 0.90
PAGE = """# Coverage by rank

How often does a 95 % interval contain the true value, for the keys that people look at? This page
has the coverage of the most frequent keys, of those after them, and of all. `make experiment
NAME=rank-coverage DATA=FOLDER` writes it in 10 minutes, where FOLDER contains the rating sets.

- Ranks are those of the true frequencies. "Lowest" is the rank from 1 to 10 that is covered least.
- "Two miss" is how often two or more of the ten keys with the largest estimates are not covered.
  For `corrected` these are also the keys with the luckiest noise, and at small ε many of them miss.
- Widths are relative to those of `corrected`.
- On Clothing the truth is the frequency that reports show: some people hold more pairs than the
  padding, which is a separate question ([choose-padding.md](../how-to/choose-padding.md)).
- A share of *r* repeats has a standard error of √(.95·.05/*r*): 1.1 points for 400 repeats.

"""
HEAD = (
    "| population | ε | method | rank 1 | 2 to 10 | lowest | 11 to 50 | all | two miss | width, top 10 | width, all "
    "| mean, rank 1 | mean, 2 to 10 | mean, 11 to 50 | mean, all |\n|---|---|---|" + "---:|" * 12 + "\n"
)


class CoverageCase(NamedTuple):
    """A population, and how it is collected."""

    make: Callable[[FigureScale], Dataset]
    mechanism: str
    padding: int
    epsilons: tuple[str, ...]
    repeats: int


CASES = {
    "demo": CoverageCase(lambda _: zipf(20_000, 100, default_rng(1), pairs=3), "collision", 3, ("1", "2", "3"), 400),
    "12 keys": CoverageCase(lambda _: zipf(500, 12, default_rng(SEED), pairs=3), "collision", 3, ("1", "2", "4"), 400),
    "zipf, 1,000 keys": CoverageCase(
        lambda _: zipf(100_000, 1000, default_rng(SEED + 1)), "ue-compact", 1, ("1", "2", "4"), 200
    ),
    "gaussian": CoverageCase(
        lambda _: gaussian(100_000, 100, default_rng(SEED + 2)), "ue-compact", 1, ("1", "2", "4"), 200
    ),
    "uniform": CoverageCase(
        lambda _: uniform(100_000, 100, default_rng(SEED + 3)), "ue-compact", 1, ("1", "2", "4"), 200
    ),
    "Clothing": CoverageCase(clothing, "collision", 2, ("1", "2", "4"), 40),
}
PARTS = tuple(CASES)


class CollectionCoverage(NamedTuple):
    """One collection by one method, keys by their ranks, and whether two of the shown keys miss."""

    frequency: Flags
    mean: Flags
    width: Floats
    two_miss: bool


class RankCoverage(NamedTuple):
    """One population at one ε by one method: averages over collections."""

    data: str
    epsilon: str
    method: str
    frequency: Floats
    mean: Floats
    held: Flags
    width: Floats
    two_miss: float

    def of_ranks(self, ranks: str) -> float:
        """Return the coverage of the frequencies in a group of ranks."""
        first, end = RANKS[ranks]
        return float(self.frequency[first:end].mean())

    def of_means(self, ranks: str) -> float:
        """Return the coverage of the means in a group of ranks, of keys with holders."""
        group = slice(*RANKS[ranks])
        return float(self.mean[group][self.held[group]].mean())


def run(settings: ExperimentSettings) -> bool:
    """Measure all populations, print the bars and write the page; return whether all bars are met."""
    rows: list[RankCoverage] = []
    for name in settings.parts or CASES:
        case = CASES[name]
        dataset = case.make(FigureScale(data=settings.data))
        for epsilon in case.epsilons:
            rows += measure(name, case, dataset, epsilon, settings.repeats or case.repeats)
            print(*table(rows[-2:]), sep="")
    if not settings.parts:
        text = PAGE + HEAD + "".join(table(rows)) + _repeats(settings.repeats)
        (settings.out / "coverage.md").write_text(text, encoding="utf-8")
    return show_requirements(requirements_of(rows))


def measure(name: str, case: CoverageCase, dataset: Dataset, epsilon: str, repeats: int) -> Iterator[RankCoverage]:
    """Simulate collections, and give both methods the same counts."""
    law = build(case.mechanism, dataset.keys, case.padding, Fraction(epsilon), {})
    model = SamplingModel(dataset)
    frequency, mean = dataset.sampled_share(case.padding), dataset.truth[1]
    ranked = np.argsort(-frequency, kind="stable")
    found: dict[str, list[CollectionCoverage]] = {method: [] for method in COMPARED}
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        support, _, count_law = count_reports(law, model.prepare(law, rng), rng)
        moments = CountMoments.of(count_law)
        for method in COMPARED:
            estimates = METHODS[method].estimate_with_intervals(support, dataset.users, moments, LEVEL)
            found[method].append(_compare(estimates, frequency, mean, ranked))
    for method, collections in found.items():
        yield RankCoverage(
            data=name,
            epsilon=epsilon,
            method=method,
            frequency=np.mean([one.frequency for one in collections], axis=0),
            mean=np.mean([one.mean for one in collections], axis=0),
            held=frequency[ranked] > 0,
            width=np.mean([one.width for one in collections], axis=0),
            two_miss=float(np.mean([one.two_miss for one in collections])),
        )


def _compare(estimates: KeyEstimates, frequency: Floats, mean: Floats, ranked: np.ndarray) -> CollectionCoverage:
    low, high = estimates.frequency_interval
    inside = (low <= frequency) & (frequency <= high)
    mean_low, mean_high = estimates.mean_interval(LEVEL)
    mean_inside = (mean_low <= mean) & (mean <= mean_high)
    shown = np.argsort(-estimates.frequency, kind="stable")[:TOP]
    return CollectionCoverage(
        inside[ranked], mean_inside[ranked], (high - low)[ranked], bool((~inside[shown]).sum() > 1)
    )


def table(rows: list[RankCoverage]) -> Iterator[str]:
    """Yield a line per row; rows come in pairs, `corrected` first."""
    for place, row in enumerate(rows):
        reference = rows[place - place % len(COMPARED)]
        widths = [row.width[:end].mean() / reference.width[:end].mean() for end in (TOP, reference.width.size)]
        numbers = [
            row.of_ranks("1"),
            row.of_ranks("2 to 10"),
            float(row.frequency[:TOP].min()),
            *(row.of_ranks(ranks) for ranks in ("11 to 50", "all")),
            row.two_miss,
            *widths,
            *(row.of_means(ranks) for ranks in RANKS),
        ]
        yield f"| {row.data} | {row.epsilon} | `{row.method}` | "
        yield " | ".join(f"{number:.3f}" for number in numbers) + " |\n"


def _repeats(given: int | None) -> str:
    repeats = ", ".join(f"{name} {given or case.repeats}" for name, case in CASES.items())
    return f"\nRepeats: {repeats}.\n\n**Next:** [intervals and larger sets](larger-sets.md).\n"


def requirements_of(rows: list[RankCoverage]) -> list[Requirement]:
    """Return what must hold of `bayes`, per population and ε: averages over ε hide single ones."""
    requirements = []
    for row in rows:
        if row.method == "bayes":
            top, everything = float(row.frequency[:TOP].mean()), row.of_ranks("all")
            name = f"{row.data}, ε = {row.epsilon}"
            requirements += [
                Requirement(f"{name}, top {TOP}", f"≥ {MIN_TOP_COVERAGE}", f"{top:.3f}", top >= MIN_TOP_COVERAGE),
                Requirement(f"{name}, all keys", f"≥ {MIN_COVERAGE}", f"{everything:.3f}", everything >= MIN_COVERAGE),
            ]
    return requirements
