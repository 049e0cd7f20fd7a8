"""The bias that functions of `collision` leave in frequencies, by the exact chances of every report.

Per population and ε, ten million functions are drawn for random participants. An estimate is
f̂ = (S/n - 2β̄)/(α - β̄), S the supports of both signs of a key, β̄ the measured chance of an unused
position; its bias is computed from the mean chances of S in the same functions. Functions come in independent
blocks: the mean product of two different blocks' biases estimates the squared bias without the noise of the
measurement. The control numbers the positions of items plainly, 0, 1, 2, …, and must fail where people hold
many pairs.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.random import SeedSequence, default_rng
from rich.progress import track

from experiments.collision_kernels import (
    FUNCTIONS_PER_CHOICE,
    MAX_EXACT_POSITIONS,
    ChanceSums,
    PositionedFamily,
    chances_of_some_functions,
    signed_rows,
)
from experiments.collision_populations import EPSILONS, POPULATIONS, looked_at, task_for
from experiments.settings import ExperimentSettings
from pckv.base.arrays import Floats, Integers
from pckv.base.errors import ParameterError
from pckv.lab.dataset import Dataset
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.collision.positions import item_positions
from pckv.statistics.moments import CountMoments

FUNCTIONS_PER_BLOCK, BLOCKS = 500_000, 20
# A jackknife of products of two blocks leaves out one of at least three.
MIN_BLOCKS = 3
# What fails by far needs fewer functions to show it.
CONTROL_BLOCKS = 6
# The squared bias is compared with the variance of this many reports.
REPORTS, MAX_BIAS = 10**6, 0.01
# How many standard errors of the measurement a verdict leaves on either side of the bar.
STANDARD_ERRORS = 2
SEED = 17
# Where most people hold one pair, there are hardly any triples of items to be numbered badly.
CONTROLLED = ("zipf", "movielike")
PARTS = tuple(POPULATIONS)
ROW = "{:10}{:3}{:>8}{:>7}  {:10}{:>20}{:>20}{:>10}{:>10}  {}"


class SquaredBias(NamedTuple):
    """The squared bias over the variance, averaged over some keys, and its standard error."""

    share: float
    error: float

    @property
    def below(self) -> bool:
        """Whether it is below the bar, beyond the noise."""
        return self.share + STANDARD_ERRORS * self.error < MAX_BIAS

    @property
    def above(self) -> bool:
        """Whether it is above the bar, beyond the noise."""
        return self.share - STANDARD_ERRORS * self.error > MAX_BIAS


class MeasuredBias(NamedTuple):
    """What one setting gives: both groups of keys, β̄·t - 1, and its expected value."""

    top: SquaredBias
    rare: SquaredBias
    unused: float
    expected_unused: float


def positioned(law: CollisionLaw, items: Integers, rng: np.random.Generator) -> PositionedFamily:
    """The functions of a law, with the items at these positions."""
    if law.positions > MAX_EXACT_POSITIONS:
        raise ParameterError(f"{law.positions:,} positions are too many for the arithmetic of doubles")
    unused = np.setdiff1d(np.arange(law.positions), items)
    return PositionedFamily(
        law.positions,
        law.symbols,
        law.padding,
        law.hit / law.one,
        items.astype(np.float64),
        rng.permutation(unused).astype(np.float64),
    )


def biases(sums: ChanceSums, hit: float) -> Floats:
    """The bias of the frequency of every key whose two items were looked at."""
    other = sums.unused / sums.functions
    supported = sums.supported.reshape(-1, 2).sum(axis=1) / sums.functions
    held = sums.held.reshape(-1, 2).sum(axis=1) / sums.functions
    return np.asarray((supported - 2 * other) / (hit - other) - held)


def squared_bias(blocks: Floats, variance: Floats) -> SquaredBias:
    """The mean squared bias over keys, less the measurement's; its error by a jackknife over blocks.

    Args:
        blocks: The biases that independent blocks found, one row per block.
        variance: That of every key's estimate.
    """
    count = len(blocks)
    products = blocks @ blocks.T / variance.sum()
    np.fill_diagonal(products, 0)
    total = products.sum()
    without = (total - 2 * products.sum(axis=0)) / ((count - 1) * (count - 2))
    error = np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum())
    return SquaredBias(float(total / (count * (count - 1))), float(error))


def measure(data: Dataset, law: CollisionLaw, items: Integers, blocks: int) -> MeasuredBias:
    """Measure the bias of one law with the items at some positions."""
    family = positioned(law, items, default_rng(SEED))
    people, groups = signed_rows(data), looked_at(data)
    keys = np.union1d(groups.top, groups.rare)
    both_signs = np.stack([2 * keys, 2 * keys + 1], axis=1).reshape(-1)

    def block(seed: SeedSequence) -> ChanceSums:
        choices = FUNCTIONS_PER_BLOCK // FUNCTIONS_PER_CHOICE
        sums: ChanceSums = chances_of_some_functions(default_rng(seed), people, family, both_signs, choices)
        return sums

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        results = threads.map(block, SeedSequence(SEED).spawn(blocks))
        sums = list(track(results, f"{data.name}, ε {float(law.epsilon):g}", blocks, transient=True))
    found = np.array([biases(each, family.hit) for each in sums])
    functions = blocks * FUNCTIONS_PER_BLOCK
    pairs = sum(each.pairs for each in sums) / functions
    frequencies = data.sampled_share(law.padding)
    variance = CountMoments.of(law.count_law).frequency_variance(frequencies) / REPORTS
    top, rare = (squared_bias(found[:, np.searchsorted(keys, group)], variance[group]) for group in groups)
    times_uniform = family.hit * law.symbols
    return MeasuredBias(
        top,
        rare,
        sum(each.unused for each in sums) / functions * law.symbols - 1,
        -pairs * (times_uniform - 1) / (law.positions - pairs),
    )


def show(setting: tuple[str, ...], measured: MeasuredBias, verdict: str) -> None:
    """Print one measurement."""
    shares = (f"{100 * each.share:.3f} ± {100 * each.error:.3f} %" for each in (measured.top, measured.rare))
    unused = (f"{each:.3g}" for each in (measured.unused, measured.expected_unused))
    print(ROW.format(*setting, *shares, *unused, verdict), flush=True)


def judge(name: str, data: Dataset, padding: int, blocks: int) -> bool:
    """Measure the task's own numbering and the plain one at every ε; return whether the bars are met."""
    met = True
    for epsilon in EPSILONS:
        _, law = task_for(data, padding, epsilon)
        all_items = np.arange(law.items)
        setting = (name, epsilon, f"{law.positions:,}", f"{law.symbols:,}")
        own = measure(data, law, item_positions(law.numbering, all_items), blocks)
        holds = own.top.below and own.rare.below
        show((*setting, "task"), own, "met" if holds else "MISSED")
        plain = measure(data, law, all_items, min(blocks, CONTROL_BLOCKS))
        fails = plain.top.above or plain.rare.above
        wanted = fails or name not in CONTROLLED
        show((*setting, "plain"), plain, "fails, as it must" if fails else "" if wanted else "MUST FAIL")
        met &= holds and wanted
    return met


def run(settings: ExperimentSettings) -> bool:
    """Print the table; return whether all bars are met."""
    blocks = max(settings.repeats or BLOCKS, MIN_BLOCKS)
    print(
        f"Squared bias over the variance at {REPORTS:,} reports, {blocks * FUNCTIONS_PER_BLOCK:,} functions per row"
        f" (plain: {min(blocks, CONTROL_BLOCKS) * FUNCTIONS_PER_BLOCK:,}); bar: below {MAX_BIAS:.0%},"
        f" by {STANDARD_ERRORS} standard errors"
    )
    print(ROW.format("data", "ε", "N", "t", "numbering", "top keys", "rare keys", "β̄·t - 1", "expected", ""))
    met = True
    for name in settings.parts or PARTS:
        population = POPULATIONS[name]
        met &= judge(name, population.load(settings.data), population.padding, blocks)
    return met
