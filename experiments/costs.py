"""What one report costs, from device to decode, by mechanism and number of keys: the table of docs/scale.md."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.data import random_planes
from bench.measurement import seconds
from experiments.settings import ExperimentSettings
from pckv import Task, perturb
from pckv.arrays import Messages
from pckv.files.reports.writer import write_reports
from pckv.limits import REPORT_ID_BYTES
from pckv.tally.compiled import CompiledTally
from pckv.tally.decode.support import key_support

MECHANISMS = ("grr", "ue-compact", "ue")
KEYS = (10**2, 10**3, 10**4, 10**5, 10**6)
# Enough reports for a steady time per report, and few enough bytes for the memory.
MAX_REPORTS, MAX_BYTES = 2_000_000, 10**8
DEVICE_SECONDS = 0.5


@dataclass(frozen=True)
class ReportCost:
    """One row: bytes sent and stored per report, and seconds per report or decode."""

    mechanism: str
    keys: int
    sent: int
    device: float
    ingest: float
    stored: float
    decode: float

    def line(self) -> str:
        """Return the row in Markdown."""
        return (
            f"| `{self.mechanism}` | {self.keys:,} | {self.sent:,} | {duration(self.device)} | "
            f"{duration(self.ingest)} | {self.stored:,.1f} | {duration(self.decode)} |"
        )


def duration(value: float) -> str:
    """Return a duration in a readable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def measure(mechanism: str, keys: int) -> ReportCost:
    """Measure one row at ε = 1 and padding 1."""
    task = Task(name="costs", keys=keys, values=(1, 5), epsilon=1, mechanism=mechanism)
    reports = max(50, min(MAX_REPORTS, MAX_BYTES // task.channel.body_bytes))
    messages = random_messages(task, reports)
    tally = CompiledTally(task)
    tally.add_many(messages[:10])
    return ReportCost(
        mechanism,
        keys,
        REPORT_ID_BYTES + task.channel.body_bytes,
        device_seconds(task),
        best_of(lambda: tally.add_many(messages)) / reports,
        stored_bytes(task, messages) / reports,
        best_of(lambda: key_support(tally)),
    )


def random_messages(task: Task, reports: int) -> Messages:
    """Return uniformly random reports."""
    rng = np.random.default_rng(task.key_count)
    if task.word_limit is not None:
        return rng.integers(0, task.word_limit, reports)
    return random_planes(task.key_count, reports * task.channel.body_bytes)


def device_seconds(task: Task) -> float:
    """Return the seconds per report on the device path."""
    pairs = {task.key_name(0): 3.0}
    perturb(task, pairs)
    start, reports = time.perf_counter(), 0
    while time.perf_counter() - start < DEVICE_SECONDS:
        perturb(task, pairs)
        reports += 1
    return (time.perf_counter() - start) / reports


def best_of(action: Callable[[], object], turns: int = 3) -> float:
    """Return the shortest of a few runs in seconds."""
    return min(seconds(action) for _ in range(turns))


def stored_bytes(task: Task, messages: Messages) -> int:
    """Return the size of a report file."""
    ids = np.random.default_rng(0).integers(0, 256, (len(messages), REPORT_ID_BYTES), np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.parquet"
        write_reports(path, task, [(ids, messages)])
        return path.stat().st_size


def run(_: ExperimentSettings) -> bool:
    """Print the table."""
    print("| mechanism | keys | bytes sent | device | count | bytes stored | decode all keys |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for mechanism in MECHANISMS:
        for keys in KEYS:
            print(measure(mechanism, keys).line(), flush=True)
    return True
