"""`collision` against the better of `ue` and `grr`, each at its best padding: errors, with bars.

    python bench/mechanisms.py FOLDER [REPEATS]

FOLDER holds pckv_clothing_fit.parquet; the other population is made up (`movielike`, with the figures of
MovieLens 20M). The last table is of real words and their real decode: what a finite family of hash functions adds.
Then the time that a decode takes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from numpy.random import default_rng
from rich.console import Console
from rich.table import Table

from pckv.auditing.toy_tasks import with_channel
from pckv.channels.collision import FUNCTIONS, CollisionChannel
from pckv.device.vectorised import perturb_many
from pckv.estimators.methods.baseline import unbiased_frequency
from pckv.files.pairs.rows import Columns
from pckv.lab.dataset import Dataset
from pckv.lab.datasets import read_ratings
from pckv.lab.populations import movielike
from pckv.lab.simulate import Result, simulate
from pckv.moments import CountMoments
from pckv.population import Population
from pckv.tally import Tally
from pckv.tally.decode.support import key_support
from pckv.task import Task

REPEATS, TOP = 30, 50
OURS, OTHERS = "collision", ("ue", "grr")
# ε, quantity, how many times lower ours must be.
CLOTHING_BARS = (("1", "frequency", 0.95), ("4", "frequency", 1.3))
MOVIE_BARS = (("1", "frequency", 4.0), ("1", "mean", 3.0), ("3", "mean", 10.0))
# One key that half of all people hold, and others that nobody does.
HASH_USERS, HASH_KEYS, HASH_REPEATS = 10**6, 200, 20
# The family that is small enough to be seen, beside the one that is used, and the most that one may add.
SMALL_FAMILY, MOST_BIAS = 2**16, 0.05
DECODED_KEYS, DECODED_REPORTS, MOST_SECONDS = 10_000, 100_000, 10


def best(results: list[Result], names: tuple[str, ...], epsilon: str, quantity: str) -> tuple[float, Result]:
    """The least error of some mechanisms over all paddings."""
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
    """Simulate everything once, and add a row a bar; whether all are met."""
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
            "met" if theirs / ours >= bar else "NOT MET",
        )
    return met


def hash_bias(functions: int) -> tuple[float, float]:
    """Bias² and mean squared error of the keys that nobody holds, as shares of the theory's variance."""
    task = Task(name="bias", keys=HASH_KEYS, values=(-1, 1), epsilon=1, mechanism=OURS)
    task = with_channel(task, CollisionChannel(HASH_KEYS, 1, task.channel.epsilon, functions=functions))
    moments = CountMoments.of(task.channel.count_law)
    holders = HASH_USERS // 2
    offsets = np.minimum(np.arange(HASH_USERS + 1), holders)
    people = Population(offsets, np.zeros(holders, np.int32), np.ones(holders))
    source, found = default_rng(1).bytes, []
    for _ in range(HASH_REPEATS):
        tally = Tally(task)
        for batch in perturb_many(task, people, source):
            tally.add_many(batch.messages)
        found.append(unbiased_frequency(key_support(tally), HASH_USERS, moments)[1:])
    errors, variance = np.array(found), moments.frequency_variance(0.0) / HASH_USERS
    # The mean over the repeats still has 1/repeats of the variance in it.
    spread = errors.var(axis=0, ddof=1).mean()
    bias = (errors.mean(axis=0) ** 2).mean() - spread / HASH_REPEATS
    return float(bias / variance), float((errors**2).mean() / variance)


def decode_seconds() -> float:
    """How long all keys of a collection take, once the loop is compiled."""
    task = Task(name="decode", keys=DECODED_KEYS, values=(-1, 1), epsilon=1, padding=10, mechanism=OURS)
    tally = Tally(task)
    tally.add_many(default_rng(1).integers(0, task.channel.word_limit or 0, DECODED_REPORTS))
    key_support(tally, np.arange(DECODED_KEYS // 10))
    start = time.perf_counter()
    key_support(tally)
    return time.perf_counter() - start


def main() -> int:
    """Print both tables; 1 if a bar is not met."""
    folder, repeats = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else REPEATS  # noqa: PLR2004
    console = Console(width=140)
    table = Table("data", "ε", "error of", OURS, "the better of ue and grr", "lower by", "bar", "", box=None)
    columns = Columns("user", "item", "rating")
    clothing = read_ratings(folder / "pckv_clothing_fit.parquet", columns, low=2, high=10, repeated="last")
    met = compare(table, clothing, (1, 2, 3, 5), CLOTHING_BARS, repeats)
    met &= compare(table, movielike(default_rng(1)), (1, 10, 50, 100), MOVIE_BARS, repeats)
    console.print(f"Mean squared errors of the {TOP} most frequent keys, {repeats} repeats, method corrected")
    console.print(table)
    biases = Table("functions", "bias², of the variance", "error, of the variance", "bar", "", box=None)
    for functions in (FUNCTIONS, SMALL_FAMILY):
        bias, error = hash_bias(functions)
        used = functions == FUNCTIONS
        met &= bias <= MOST_BIAS or not used
        verdict = ("met" if bias <= MOST_BIAS else "NOT MET") if used else "for comparison"
        biases.add_row(f"{functions:,}", f"{bias:.1%}", f"{error:.2f}", f"≤ {MOST_BIAS:.0%}", verdict)
    console.print(biases)
    seconds = decode_seconds()
    met &= seconds <= MOST_SECONDS
    console.print(
        f"Decoding {DECODED_KEYS:,} keys from {DECODED_REPORTS:,} reports: {seconds:.1f} s, bar ≤ {MOST_SECONDS} s: "
        + ("met" if seconds <= MOST_SECONDS else "NOT MET")
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
