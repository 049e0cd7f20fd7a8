"""The lab's speed and memory: `make bench` runs this after the core's."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from rich.console import Console
from rich.table import Table

from pckv.channels import build
from pckv.channels.ue import UeChannel
from pckv.files.pairs.rows import Columns
from pckv.lab.counting import count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.datasets import read_ratings
from pckv.lab.populations import uniform
from pckv.lab.sampling import SamplingModel

PAIRS = 7
# The plain way makes this many reports at a time, and is timed on so many; its cost is linear in them.
PLAIN_USERS = {100: 100_000, 10_000: 2_000}


def plain(dataset: Dataset, channel: UeChannel, users: int, rng: np.random.Generator) -> np.ndarray:
    """Make the reports of the first users with plain numpy and sum them."""
    held = dataset.population.keys[:users]
    positive = rng.random(users) < (dataset.population.values[:users] + 1) / 2
    fake, kept, shown = (
        float(p) for p in (channel.unsampled.plus, channel.sampled.plus, channel.probabilities.a)
    )
    numbers = rng.random((users, dataset.keys))
    plus, minus = numbers < fake, (numbers >= fake) & (numbers < 2 * fake)
    own = (np.arange(users), held)
    draws = rng.random(users)
    truth, lie = draws < kept, (draws >= kept) & (draws < shown)
    plus[own] = np.where(positive, truth, lie)
    minus[own] = np.where(positive, lie, truth)
    return np.stack([plus.sum(axis=0), minus.sum(axis=0)])


def seconds(action: object) -> float:
    """How long a call takes."""
    start = time.process_time()
    action()  # type: ignore[operator]
    return time.process_time() - start


def compare(users: int, keys: int) -> tuple[float, float, float]:
    """Seconds of ours and of the plain way for all users, and the median ratio of interleaved pairs."""
    rng = np.random.default_rng(0)
    dataset = uniform(users, keys, rng)
    model = SamplingModel(dataset)
    channel = build("ue", keys, 1, Fraction(1), {})
    assert isinstance(channel, UeChannel)  # noqa: S101
    few = PLAIN_USERS[keys]
    ours, theirs = [], []
    for _ in range(PAIRS):
        ours.append(seconds(lambda: count_reports(channel, model.draw(1, rng), rng)))
        theirs.append(seconds(lambda: plain(dataset, channel, few, rng)) * users / few)
    return median(ours), median(theirs), median(b / a for a, b in zip(ours, theirs, strict=True))


def from_scratch(users: int, keys: int) -> float:
    """Seconds of one simulated collection, making the population ready for it included."""
    rng = np.random.default_rng(0)
    dataset = uniform(users, keys, rng)
    channel = build("ue", keys, 1, Fraction(1), {})
    return median(
        seconds(lambda: count_reports(channel, SamplingModel(dataset).draw(1, rng), rng)) for _ in range(3)
    )


def peak_memory(what: str) -> float:
    """Bytes at the peak of a process that does one thing."""
    done = subprocess.run([sys.executable, __file__, what], capture_output=True, text=True, check=True)
    return float(done.stdout)


def simulate_many() -> None:
    """Simulate ten million users with one pair each."""
    rng = np.random.default_rng(0)
    dataset = uniform(10**7, 100, rng)
    channel = build("ue", 100, 1, Fraction(1), {})
    count_reports(channel, SamplingModel(dataset).draw(1, rng), rng)


def read_many() -> None:
    """Read twenty million ratings; a process of its own wrote them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.parquet"
        subprocess.run([sys.executable, __file__, "write_many", str(path)], check=True)
        read_ratings(path, Columns("user", "movie", "stars"), low=0.5, high=5, repeated="last")


def write_many(path: str) -> None:
    """Ratings of the size of MovieLens 20M."""
    rng, rows = np.random.default_rng(0), 20_000_263
    columns = {
        "user": np.sort(rng.integers(0, 138_493, rows)),
        "movie": rng.integers(0, 26_744, rows),
        "stars": rng.integers(1, 11, rows) / 2,
    }
    parquet.write_table(pa.table(columns), path)


def main() -> int:
    """Print the table; 1 if a bar is missed."""
    table = Table(
        "what", "ours", "plain numpy", "ratio", "bar", "met", title="Simulating ue, 10^6 users with one pair"
    )
    met = []
    for keys, bar in ((100, 100), (10_000, 1000)):
        ours, theirs, ratio = compare(10**6, keys)
        met.append(ratio >= bar)
        row = (f"{keys:,} keys", f"{ours * 1000:.2f} ms", f"{theirs:.2f} s", f"{ratio:,.0f}×", f"≥ {bar:,}×")
        table.add_row(*row, "yes" if met[-1] else "NO")
    for what, name, limit in (
        ("peak memory, simulating 10^7 users", "simulate_many", 1.5e9),
        ("peak memory, reading 2·10^7 ratings", "read_many", 1e9),
    ):
        peak = peak_memory(name)
        met.append(peak < limit)
        row = (what, f"{peak / 1e9:.2f} GB", "", "", f"< {limit / 1e9:g} GB")
        table.add_row(*row, "yes" if met[-1] else "NO")
    for users, keys in ((10**5, 10**2), (10**6, 10**2), (10**5, 10**5), (10**6, 10**5)):
        spent = f"{from_scratch(users, keys) * 1000:.1f} ms"
        table.add_row(f"from scratch, n = {users:,}, d = {keys:,}", spent, "", "", "", "")
    Console(width=130).print(table)
    return 0 if all(met) else 1


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    elif sys.argv[1] == "write_many":
        write_many(sys.argv[2])
    else:
        {"simulate_many": simulate_many, "read_many": read_many}[sys.argv[1]]()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
