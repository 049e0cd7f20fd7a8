"""The bars of `accuracy` for populations that no constant of `bayes` was tuned on; writes nothing."""

from __future__ import annotations

from numpy.random import default_rng

from experiments.accuracy import AccuracyCase, requirements_of, run_cells
from experiments.settings import ExperimentSettings, show_requirements
from pckv.lab.figures.figure import FigureScale
from pckv.lab.populations import gaussian, uniform, zipf

CASES = {
    "uniform, 500 keys": AccuracyCase(lambda _: uniform(30_000, 500, default_rng(11)), 1, 20),
    "gaussian, 300 keys": AccuracyCase(lambda _: gaussian(300_000, 300, default_rng(12), key_scale=80), 1, 20),
    "zipf 0.8, 2 pairs": AccuracyCase(lambda _: zipf(50_000, 3000, default_rng(13), 2, 0.8), 2, 20),
    "zipf 1.5": AccuracyCase(lambda _: zipf(200_000, 2000, default_rng(14), 1, 1.5), 1, 20),
    "zipf 1.1, 5 pairs": AccuracyCase(lambda _: zipf(100_000, 1000, default_rng(15), 5, 1.1), 5, 20),
    "zipf 1, 3 pairs": AccuracyCase(lambda _: zipf(20_000, 20_000, default_rng(16), 3, 1.0), 3, 20),
}
PARTS = tuple(CASES)


def run(settings: ExperimentSettings) -> bool:
    """Run all cells and print the bars; return whether all are met."""
    chosen = {name: CASES[name] for name in settings.parts or CASES}
    return show_requirements(requirements_of(run_cells(chosen, FigureScale(), settings.repeats)))
