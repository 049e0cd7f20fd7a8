"""What a report costs, from device to decode, by mechanism and number of keys: the table of docs/scale.md."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pckv import Task, perturb
from pckv.arrays import Messages
from pckv.files.reports.writer import write_reports
from pckv.limits import REPORT_ID_BYTES
from pckv.tally.compiled import CompiledTally
from pckv.tally.decode.support import key_support

MECHANISMS = ("grr", "ue-compact", "ue")
KEYS = (10**2, 10**3, 10**4, 10**5, 10**6)
# Enough reports that the time a report is steady, and not so many bytes that they leave the memory.
MOST_REPORTS, MOST_BYTES = 2_000_000, 10**8
DEVICE_SECONDS = 0.5


@dataclass(frozen=True)
class Cost:
    """One row: what a report costs under a mechanism."""

    mechanism: str
    keys: int
    sent: int
    device: float
    ingest: float
    stored: float
    decode: float

    def line(self) -> str:
        """The row in Markdown."""
        return (
            f"| `{self.mechanism}` | {self.keys:,} | {self.sent:,} | {amount(self.device)} | "
            f"{amount(self.ingest)} | {self.stored:,.1f} | {amount(self.decode)} |"
        )


def amount(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def measure(mechanism: str, keys: int) -> Cost:
    """Measure one row at ε = 1 and padding 1."""
    task = Task(name="costs", keys=keys, values=(1, 5), epsilon=1, mechanism=mechanism)
    reports = max(50, min(MOST_REPORTS, MOST_BYTES // task.channel.body_bytes))
    messages = random_messages(task, reports)
    tally = CompiledTally(task)
    tally.add_many(messages[:10])
    return Cost(
        mechanism,
        keys,
        REPORT_ID_BYTES + task.channel.body_bytes,
        device_seconds(task),
        best_of(lambda: tally.add_many(messages)) / reports,
        stored_bytes(task, messages) / reports,
        best_of(lambda: key_support(tally)),
    )


def random_messages(task: Task, reports: int) -> Messages:
    """Reports that say anything at all, each alike."""
    rng = np.random.default_rng(task.key_count)
    if task.word_limit is not None:
        return rng.integers(0, task.word_limit, reports)
    return random_planes(rng, task.key_count, reports)


def random_planes(rng: np.random.Generator, keys: int, reports: int) -> NDArray[np.uint8]:
    """Bodies of `ue` with fair bits: no sign without presence, no bit beyond the last key."""
    width = -(-keys // 8)
    presence, sign = rng.integers(0, 256, (2, reports, width), np.uint8)
    presence[:, -1] &= 0xFF >> (-keys % 8)
    return np.concatenate([presence, sign & presence], axis=1)


def device_seconds(task: Task) -> float:
    """The time of one report on the device path."""
    pairs = {task.key_name(0): 3.0}
    perturb(task, pairs)
    start, made = time.perf_counter(), 0
    while time.perf_counter() - start < DEVICE_SECONDS:
        perturb(task, pairs)
        made += 1
    return (time.perf_counter() - start) / made


def best_of(action: Callable[[], object], turns: int = 3) -> float:
    """The shortest of a few runs."""
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def stored_bytes(task: Task, messages: Messages) -> int:
    """The size of a report file."""
    ids = np.random.default_rng(0).integers(0, 256, (len(messages), REPORT_ID_BYTES), np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.parquet"
        write_reports(path, task, [(ids, messages)])
        return path.stat().st_size


def main() -> None:
    """Print the table."""
    print("| mechanism | keys | bytes sent | device | count | bytes stored | decode all keys |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for mechanism in MECHANISMS:
        for keys in KEYS:
            print(measure(mechanism, keys).line(), flush=True)


if __name__ == "__main__":
    main()
