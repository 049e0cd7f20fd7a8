"""Counting, perturbing and importing, relative to plain numpy and the operating system.

Bars are ratios within one run; both sides of every comparison are fixed here (docs/appendix/speed.md).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bench.data import random_planes
from bench.measurement import PAIRS, Measurement, absolute, cost, difference, race, seconds, speed
from bench.processes import interpret, loaded_modules
from pckv import Tally, Task, perturb, shuffled_privacy
from pckv.base.population import Population
from pckv.device.vectorised import perturb_many

WORDS = 10_000_000
PLANES_BYTES = 25_000_000
PARTICIPANTS = 1_000_000
SHUFFLED_REPORTS, MAX_SHUFFLED_SECONDS = 1_000_000, 10
REPORTS = 5_000
# Participants hold two pairs each; the third slot has dummies drawn too.
PADDING = 3
LOW, HIGH = 1.0, 5.0
COUNTING = """
import numpy
from pckv import Tally, Task
for mechanism in ("grr", "ue"):
    Tally(Task(name="b", keys=100, values=(1, 5), epsilon=1, mechanism=mechanism)).add_many(
        numpy.zeros(10**6, numpy.int64) if mechanism == "grr" else numpy.zeros((10**4, 26), numpy.uint8)
    )
"""


def measurements() -> Iterator[Measurement]:
    """Make every comparison, one at a time."""
    for keys in (100, 30_000, 100_000, 1_000_000):
        yield count_words(keys)
    for keys in (100, 5_000):
        yield count_planes(keys)
    yield modules_of("numba", "while counting", COUNTING)
    yield perturb_arrays(100)
    for keys in (100, 1_000_000):
        yield perturb_one(keys)
    for names in ("pckv", "pckv, pckv.device"):
        yield import_time(names)
    yield modules_of("numpy", "on the device", "import pckv, pckv.device")
    yield shuffled_reports()


def task_of(mechanism: str, keys: int) -> Task:
    """Return the task that a comparison runs on."""
    return Task(name="b", keys=keys, values=(LOW, HIGH), epsilon=1, padding=PADDING, mechanism=mechanism)


def count_words(keys: int) -> Measurement:
    """Count words; the baseline is one bincount of the same array."""
    tally = Tally(task_of("grr", keys))
    cells = tally.cells
    words = np.random.default_rng(keys).integers(0, cells, WORDS)
    times = race(lambda: tally.add_many(words), lambda: np.bincount(words.view(np.int64), minlength=cells), turns=5)
    return speed(f"count words (grr, {keys:,} keys)", times, WORDS / 1e6, "M words/s", 0.85)


def count_planes(keys: int) -> Measurement:
    """Count bit planes; the baseline unpacks and sums the same bytes."""
    tally = Tally(task_of("ue", keys))
    planes = random_planes(keys, PLANES_BYTES)
    times = race(lambda: tally.add_many(planes), lambda: np.unpackbits(planes, axis=1).sum(0, dtype=np.uint32), turns=2)
    return speed(f"count planes (ue, {keys:,} keys)", times, planes.nbytes / 1e6, "MB/s", 1.2)


def perturb_arrays(keys: int) -> Measurement:
    """Perturb many participants at once; the baseline is plain numpy on as many random bytes."""
    task = task_of("grr", keys)
    population = random_population(keys, PARTICIPANTS)
    read = bytes_read(task, population)
    times = race(lambda: list(perturb_many(task, population)), lambda: plain_grr(task, population, read), turns=2)
    return speed(f"perturb arrays (grr, {keys:,} keys)", times, PARTICIPANTS / 1e6, "M reports/s", 0.8)


def random_population(keys: int, participants: int) -> Population:
    """Return participants with two pairs each."""
    rng = np.random.default_rng(keys)
    first = rng.integers(0, keys, participants)
    second = (first + rng.integers(1, keys, participants)) % keys
    return Population(
        offsets=np.arange(0, 2 * participants + 1, 2),
        keys=np.stack([first, second], axis=1).reshape(-1),
        values=rng.uniform(LOW, HIGH, 2 * participants),
    )


def bytes_read(task: Task, population: Population) -> int:
    """Return how many random bytes it takes to perturb a population."""
    read = 0

    def source(count: int) -> bytes:
        nonlocal read
        read += count
        return os.urandom(count)

    list(perturb_many(task, population, source))
    return read


def plain_grr(task: Task, population: Population, read: int) -> tuple[bytes, NDArray[np.int64]]:
    """Run PCKV-GRR as one would write it down: floats, no rejected draws, `read` random bytes in total."""
    ids = os.urandom(16 * len(population))
    words = plain_words(task, population)
    moved = uniform(len(words)) >= float(task.law.probabilities.a * task.law.probabilities.p)
    # What is left to read is a draw for every moved word, up to chance.
    dummies = int(np.count_nonzero(words >= 2 * task.key_count))
    spare = uniform((read - len(ids)) // 8 - 3 * len(words) - dummies)
    other_words = 2 * (task.key_count + task.padding) - 1
    others = (np.resize(spare, np.count_nonzero(moved)) * other_words).astype(np.int64)
    words[moved] = others + (others >= words[moved])
    return ids, words


def plain_words(task: Task, population: Population) -> NDArray[np.int64]:
    """Pad, sample one pair per participant and turn its value into a sign."""
    sizes, values = population.sizes, population.values
    low, high = task.ends
    if not np.all((values >= low) & (values <= high)):
        raise ValueError("a value out of range")
    slots = (uniform(len(sizes)) * np.maximum(sizes, task.padding)).astype(np.int64)
    real = slots < sizes
    chosen = (population.offsets[:-1] + slots)[real]
    keys = np.empty(len(sizes), np.int64)
    keys[real] = population.keys[chosen]
    keys[~real] = task.key_count + (uniform(len(sizes) - len(chosen)) * task.padding).astype(np.int64)
    levels = np.full(len(sizes), 0.5)
    levels[real] = (values[chosen] - low) / (high - low)
    return np.asarray(2 * keys + (uniform(len(sizes)) < levels))


def uniform(count: int) -> NDArray[np.float64]:
    """Return floats below 1 from the operating system's randomness."""
    return np.frombuffer(os.urandom(8 * count), np.uint64) / 2.0**64


def perturb_one(keys: int) -> Measurement:
    """Make one report on the device path; the baseline is one small read of the system's randomness."""
    task = task_of("grr", keys)
    population = random_population(keys, REPORTS)
    people = [{str(key): value for key, value in population.pairs(person).items()} for person in range(REPORTS)]

    def ours() -> None:
        for pairs in people:
            perturb(task, pairs)

    def baseline() -> None:
        for _ in people:
            os.urandom(64)

    times = race(ours, baseline, turns=5)
    return cost(f"perturb one (grr, {keys:,} keys)", times, REPORTS, 12)


def import_time(names: str) -> Measurement:
    """Import in a fresh interpreter; the baseline does nothing. Both are timed on the wall clock."""
    times = race(lambda: interpret(f"import {names}"), lambda: interpret("pass"), turns=1, clock=time.perf_counter)
    ours, baseline = ([1e3 * each for each in side] for side in times)
    return difference(f"import {names}", "ms", ours, baseline, 150)


def modules_of(package: str, when: str, code: str) -> Measurement:
    """Count the modules of a package that the code must not load."""
    loaded = sum(name.partition(".")[0] == package for name in loaded_modules(code))
    return absolute(f"modules of {package}, {when}", "", [loaded], bar=0)


def shuffled_reports() -> Measurement:
    """Bound the central ε of shuffled reports: the time must not grow with their number."""
    task = Task(name="b", keys=100, values=(LOW, HIGH), epsilon=4, padding=5, mechanism="collision")

    def bound() -> None:
        shuffled_privacy(task, SHUFFLED_REPORTS, 1e-7)

    times = [seconds(bound) for _ in range(PAIRS)]
    return absolute("central ε of 10^6 shuffled reports", "s", times, MAX_SHUFFLED_SECONDS)
