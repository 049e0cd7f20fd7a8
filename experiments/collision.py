"""`collision` against the better of `ue` and `grr`, each with its best padding.

The rating set is pckv_clothing_fit.parquet; the other population is synthetic (`movielike`, with the figures
of MovieLens 20M).
"""

from __future__ import annotations

from numpy.random import default_rng
from rich.console import Console
from rich.table import Table

from experiments.settings import ExperimentSettings
from pckv.files.pairs.rows import Columns
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.populations import movielike
from pckv.lab.simulate import Result, simulate

REPEATS, TOP = 30, 50
OURS, OTHERS = "collision", ("ue", "grr")
# ε, quantity, how many times lower the error of `collision` must be.
CLOTHING_BARS = (("1", "frequency", 0.95), ("4", "frequency", 1.3))
MOVIE_BARS = (("1", "frequency", 4.0), ("1", "mean", 3.0), ("3", "mean", 10.0))


def best(results: list[Result], names: tuple[str, ...], epsilon: str, quantity: str) -> tuple[float, Result]:
    """Return the smallest error of some mechanisms over all paddings."""
    error, _, result = min(
        (getattr(row, f"mse_{quantity}"), number, row)
        for number, row in enumerate(results)
        if row.mechanism in names and row.epsilon == float(epsilon)
    )
    return error, result


def compare(
    table: Table,
    data: Dataset,
    paddings: tuple[int, ...],
    bars: tuple[tuple[str, str, float], ...],
    repeats: int,
) -> bool:
    """Simulate everything once and add a row per bar; return whether all are met."""
    epsilons = sorted({epsilon for epsilon, _, _ in bars})
    results = simulate(
        data,
        epsilon=epsilons,
        mechanism=(OURS, *OTHERS),
        padding=paddings,
        method="corrected",
        repeats=repeats,
        top=TOP,
    )
    met = True
    for epsilon, quantity, bar in bars:
        ours, our_row = best(results, (OURS,), epsilon, quantity)
        theirs, their_row = best(results, OTHERS, epsilon, quantity)
        met &= theirs / ours >= bar
        table.add_row(
            data.name,
            epsilon,
            quantity,
            f"{ours:.3g} (padding {our_row.padding})",
            f"{theirs:.3g} ({their_row.mechanism}, padding {their_row.padding})",
            f"{theirs / ours:.2f} ×",
            f"≥ {bar:g} ×",
            "met" if theirs / ours >= bar else "MISSED",
        )
    return met


def run(settings: ExperimentSettings) -> bool:
    """Print the errors on both populations; return whether all bars are met."""
    repeats = settings.repeats or REPEATS
    console = Console(width=140)
    table = Table("data", "ε", "error of", OURS, "the better of ue and grr", "lower by", "bar", "", box=None)
    columns = Columns("user", "item", "rating")
    path = settings.data / "pckv_clothing_fit.parquet"
    clothing = read_ratings(path, columns, low=2, high=10, repeated="last")
    met = compare(table, clothing, (1, 2, 3, 5), CLOTHING_BARS, repeats)
    met &= compare(table, movielike(default_rng(1)), (1, 10, 50, 100), MOVIE_BARS, repeats)
    console.print(f"Mean squared errors of the {TOP} most frequent keys, {repeats} repeats, method corrected")
    console.print(table)
    return met
