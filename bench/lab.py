"""Simulating a collection relative to making and summing its reports in numpy, and the lab's memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from bench.measurement import PAIRS, Measurement, Times, absolute, seconds, speed
from bench.processes import interpret, with_peak_memory
from pckv.files.pairs.rows import Columns
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.populations import uniform
from pckv.mechanisms.registry import build
from pckv.mechanisms.ue.law import UeLaw

USERS = 10**6
# The plain way is timed on this many users at once, by number of keys; its cost is linear in them.
PLAIN_USERS = {100: 100_000, 10_000: 2_000}
BARS = {100: 100, 10_000: 1000}
MANY_USERS, SIMULATION_MEGABYTES = 10**7, 1500
# As many as MovieLens 20M has.
RATINGS, RATERS, MOVIES, READING_MEGABYTES = 20_000_263, 138_493, 26_744, 1000


def measurements() -> Iterator[Measurement]:
    """Make every comparison, one at a time."""
    for keys, bar in BARS.items():
        yield simulate_ue(keys, bar)
    for name, function, bar in (
        ("peak memory, simulating 10^7 users", simulate_many, SIMULATION_MEGABYTES),
        ("peak memory, reading 2·10^7 ratings", read_many, READING_MEGABYTES),
    ):
        _, peak = with_peak_memory(f"from bench.lab import {function.__name__} as run; run()")
        yield absolute(name, "MB", [peak], bar)
    for users, keys in ((10**5, 10**2), (10**6, 10**2), (10**5, 10**5), (10**6, 10**5)):
        yield from_scratch(users, keys)


def simulate_ue(keys: int, bar: float) -> Measurement:
    """Simulate `ue` for users with one pair each; the baseline is scaled up from fewer users."""
    rng = np.random.default_rng(0)
    dataset = uniform(USERS, keys, rng)
    model = SamplingModel(dataset)
    law = build("ue", keys, 1, Fraction(1), {})
    assert isinstance(law, UeLaw)  # noqa: S101
    few = PLAIN_USERS[keys]
    times = Times([], [])
    for _ in range(PAIRS):
        times.ours.append(seconds(lambda: count_reports(law, model.draw(1, rng), rng), time.process_time))
        plain = seconds(lambda: plain_ue(dataset, law, few, rng), time.process_time)
        times.baseline.append(plain * USERS / few)
    return speed(f"simulate ue ({keys:,} keys)", times, USERS / 1e6, "M users/s", bar)


def plain_ue(dataset: Dataset, law: UeLaw, users: int, rng: np.random.Generator) -> np.ndarray:
    """Make the reports of the first users with plain numpy and sum them."""
    held = dataset.population.keys[:users]
    positive = rng.random(users) < (dataset.population.values[:users] + 1) / 2
    fake, kept, shown = (float(p) for p in (law.unsampled.other, law.sampled.own, law.probabilities.a))
    numbers = rng.random((users, dataset.keys))
    plus, minus = numbers < fake, (numbers >= fake) & (numbers < 2 * fake)
    own = (np.arange(users), held)
    draws = rng.random(users)
    truth, lie = draws < kept, (draws >= kept) & (draws < shown)
    plus[own] = np.where(positive, truth, lie)
    minus[own] = np.where(positive, lie, truth)
    return np.stack([plus.sum(axis=0), minus.sum(axis=0)])


def from_scratch(users: int, keys: int) -> Measurement:
    """Time one simulated collection, including the preparation of its population."""
    rng = np.random.default_rng(0)
    dataset = uniform(users, keys, rng)
    law = build("ue", keys, 1, Fraction(1), {})
    times = [
        1e3 * seconds(lambda: count_reports(law, SamplingModel(dataset).draw(1, rng), rng), time.process_time)
        for _ in range(3)
    ]
    return absolute(f"simulate from scratch (n = {users:,}, d = {keys:,})", "ms", times)


def simulate_many() -> None:
    """Simulate ten million users with one pair each."""
    rng = np.random.default_rng(0)
    dataset = uniform(MANY_USERS, 100, rng)
    law = build("ue", 100, 1, Fraction(1), {})
    count_reports(law, SamplingModel(dataset).draw(1, rng), rng)


def read_many() -> None:
    """Read twenty million ratings, which another process writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.parquet"
        interpret("import sys; from bench.lab import write_ratings as run; run(sys.argv[1])", str(path))
        read_ratings(path, Columns("user", "movie", "stars"), low=0.5, high=5, repeated="last")


def write_ratings(path: str) -> None:
    """Write random ratings of the size of MovieLens 20M."""
    rng = np.random.default_rng(0)
    columns = {
        "user": np.sort(rng.integers(0, RATERS, RATINGS)),
        "movie": rng.integers(0, MOVIES, RATINGS),
        "stars": rng.integers(1, 11, RATINGS) / 2,
    }
    parquet.write_table(pa.table(columns), path)
