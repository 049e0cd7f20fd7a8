"""The error of `collision` against that of functions without structure, on the same people.

All people's pairs become real words twice, by the device's own code from the same draws: with the functions
of the task, and with a 64-bit mixer of (function, position), whose symbols behave as if independent. The
task's words are counted by a tally and estimated with its law; the mixer's are decoded for the keys looked
at. As a control, the task's counts are also estimated with β = 1/t instead of the measured chance: that must
be worse on zipf at ε = 4.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numba
import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray
from rich.progress import track

from experiments.collision_populations import EPSILONS, POPULATIONS, at_equal_distances, task_for
from experiments.settings import ExperimentSettings
from pckv.auditing.variants import with_law
from pckv.base.arrays import Floats, Integers
from pckv.contract.task import Task
from pckv.device.vectorised import VectorisedTape, perturb_many_from
from pckv.estimators.linear import unbiased_frequency
from pckv.lab.dataset import Dataset
from pckv.lab.processes import map_in_processes
from pckv.mechanisms.base import FunctionCount
from pckv.mechanisms.collision.affine import FACTORS, LOW_HALF, SHIFTS, START
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.collision.positions import item_positions
from pckv.statistics.moments import CountMoments
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support

REPEATS = 30
# At equal distances in rank, and enough to know the ratio of two errors to about one percent.
COMPARED_KEYS = 1000
MAX_RATIO = 1.03
# Where the control must be above the bar: many pairs per person and little noise.
CONTROLLED = ("zipf", "4")
PARTS = tuple(POPULATIONS)
ROW = "{:10}{:3}{:>11}{:>11}{:>18}{:>18}  {}"

# Few enough for one batch of the device's code, in which choices and signs are drawn before anything else.
PEOPLE_PER_PART = 20_000
MIXED_FUNCTIONS = 2**32
MIXER_START, HALF, MIXER_LOW_HALF = np.uint64(START), np.uint64(32), np.uint64(LOW_HALF)
MIXER_SHIFTS = tuple(np.uint64(shift) for shift in SHIFTS)
MIXER_FACTORS = tuple(np.uint64(factor) for factor in FACTORS)

Unsigned = NDArray[np.uint64]


@numba.njit(nogil=True, cache=True, inline="always")
def mixed(number: np.uint64) -> np.uint64:
    """A fixed permutation of the numbers below 2^64."""
    number = (number ^ (number >> MIXER_SHIFTS[0])) * MIXER_FACTORS[0]
    number = (number ^ (number >> MIXER_SHIFTS[1])) * MIXER_FACTORS[1]
    return number ^ (number >> MIXER_SHIFTS[2])


@numba.njit(nogil=True, cache=True, inline="always")
def mixed_symbol(seed: np.uint64, position: np.uint64, symbols: np.uint64) -> np.uint64:
    """⌊h·t/2^64⌋, h the position mixed with the seed of a function."""
    number = mixed(seed ^ position)
    return ((number >> HALF) * symbols + ((number & MIXER_LOW_HALF) * symbols >> HALF)) >> HALF


@numba.njit(nogil=True, cache=True)
def mixed_symbols(functions: Unsigned, positions: Unsigned, symbols: np.uint64) -> Unsigned:
    """The symbol of every position under the function in the same place."""
    found = np.empty(positions.size, np.uint64)
    for place in range(positions.size):
        found[place] = mixed_symbol(mixed(functions[place] + MIXER_START), positions[place], symbols)
    return found


@numba.njit(nogil=True, cache=True)
def add_mixed_supports(words: Unsigned, symbols: np.uint64, positions: Unsigned, counts: Integers) -> None:
    """Add to the count of every position the words that support it."""
    seeds, reported = np.empty_like(words), np.empty_like(words)
    for place in range(words.size):
        seeds[place] = mixed(words[place] // symbols + MIXER_START)
        reported[place] = words[place] % symbols
    for place in range(positions.size):
        total = np.int64(0)
        for word in range(words.size):
            total += np.int64(mixed_symbol(seeds[word], positions[place], symbols) == reported[word])
        counts[place] += total


class MixedLaw(CollisionLaw):
    """`collision` with a mixer of (function, position) instead of its own functions: for comparison only."""

    def __init__(self, law: CollisionLaw) -> None:
        super().__init__(law.keys, law.padding, law.epsilon, symbols=law.symbols)
        self.functions = FunctionCount(MIXED_FUNCTIONS)

    def symbol_at(self, function: Unsigned, position: Unsigned) -> Unsigned:
        """The symbols of many positions, each under a function of its own."""
        found: Unsigned = mixed_symbols(function, position, np.uint64(self.symbols))
        return found


class ComparedErrors(NamedTuple):
    """Mean squared errors of one repeat: the task's functions, mixed ones, and the task's with β = 1/t."""

    own: float
    mixed: float
    uncorrected: float


def words(task: Task, data: Dataset, seed: int) -> Iterator[Integers]:
    """Yield the words of all people, in parts that begin with the same draws whatever the functions are."""
    for number, start in enumerate(range(0, data.users, PEOPLE_PER_PART)):
        part = data.population.take(np.arange(start, min(start + PEOPLE_PER_PART, data.users)))
        # The people are the same in every repeat: their pairs are not checked each time.
        for batch in perturb_many_from(VectorisedTape(default_rng([seed, number]).bytes), task, part):
            yield batch.messages.view(np.int64)


def own_frequencies(task: Task, data: Dataset, keys: Integers, seed: int) -> tuple[Floats, Floats]:
    """Frequencies by the tally's law, and by the law's, where β = 1/t."""
    tally = Tally(task)
    for part in words(task, data, seed):
        tally.add_many(part)
    support = key_support(tally, keys)
    measured, uniform = (
        unbiased_frequency(support, data.users, CountMoments.of(count_law))
        for count_law in (tally.count_law, task.law.count_law)
    )
    return measured, uniform


def mixed_frequencies(task: Task, law: CollisionLaw, data: Dataset, keys: Integers, seed: int) -> Floats:
    """Frequencies from the words of mixed functions."""
    positions = item_positions(law.numbering, np.stack([2 * keys, 2 * keys + 1])).astype(np.uint64)
    counts = np.zeros(positions.shape, np.int64)
    for part in words(with_law(task, MixedLaw(law)), data, seed):
        add_mixed_supports(part.view(np.uint64), np.uint64(law.symbols), positions.reshape(-1), counts.reshape(-1))
    return unbiased_frequency(KeySupport(counts), data.users, CountMoments.of(law.count_law))


def repeat(task: Task, law: CollisionLaw, data: Dataset, keys: Integers, seed: int) -> ComparedErrors:
    """One collection with each kind of functions, from the same draws."""
    truth = data.sampled_share(task.padding)[keys]
    own, uncorrected = own_frequencies(task, data, keys, seed)
    mixed = mixed_frequencies(task, law, data, keys, seed)
    return ComparedErrors(*(float(np.mean((found - truth) ** 2)) for found in (own, mixed, uncorrected)))


def ratio_with_error(above: Floats, below: Floats) -> tuple[float, float]:
    """The ratio of two means over the same repeats, and its standard error."""
    ratio = above.mean() / below.mean()
    error = (above - ratio * below).std(ddof=1) / below.mean() / np.sqrt(above.size)
    return float(ratio), float(error)


def judge(name: str, data: Dataset, padding: int, repeats: int) -> bool:
    """Compare the errors at every ε; return whether the bars are met."""
    keys = at_equal_distances(data.top(None), COMPARED_KEYS)
    met = True
    for epsilon in EPSILONS:
        task, law = task_for(data, padding, epsilon)
        jobs = [(seed,) for seed in range(repeats)]
        results = map_in_processes(partial(repeat, task, law, data, keys), jobs, os.cpu_count() or 1)
        rows = np.array(list(track(results, f"{name}, ε {epsilon}", repeats, transient=True)))
        own, mixed, uncorrected = rows.T
        ratio, error = ratio_with_error(own, mixed)
        control, control_error = ratio_with_error(uncorrected, mixed)
        holds = ratio <= MAX_RATIO
        wanted = (name, epsilon) != CONTROLLED or control > MAX_RATIO
        errors = (f"{each.mean():.4g}" for each in (own, mixed))
        ratios = (f"{ratio:.3f} ± {error:.3f}", f"{control:.3f} ± {control_error:.3f}")
        verdict = ("met" if holds else "MISSED") + ("" if wanted else ", but β = 1/t MUST FAIL")
        print(ROW.format(name, epsilon, *errors, *ratios, verdict), flush=True)
        met &= holds and wanted
    return met


def run(settings: ExperimentSettings) -> bool:
    """Print the table; return whether all bars are met."""
    repeats = settings.repeats or REPEATS
    print(
        f"Mean squared errors of the frequencies of up to {COMPARED_KEYS:,} keys, {repeats} repeats; bar: the ratio of"
        f" the task's functions to mixed ones is at most {MAX_RATIO}"
    )
    print(ROW.format("data", "ε", "task", "mixed", "ratio", "with β = 1/t", ""))
    met = True
    for name in settings.parts or PARTS:
        population = POPULATIONS[name]
        met &= judge(name, population.load(settings.data), population.padding, repeats)
    return met
