"""What a report costs, from device to decode, by mechanism and keys: the table of docs/appendix/costs.md."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.data import random_planes
from bench.measurement import Action, Measurement, absolute, seconds
from pckv import Task, perturb
from pckv.base.arrays import Messages
from pckv.base.limits import REPORT_ID_BYTES
from pckv.files.reports.writer import write_reports
from pckv.tally.decode.support import key_support
from pckv.tally.tally import compiled_tally

MECHANISMS = ("grr", "ue-compact", "ue")
KEYS = (10**2, 10**3, 10**4, 10**5, 10**6)
# Enough reports for a steady time per report, and few enough bytes for the memory.
MAX_REPORTS, MAX_BYTES = 2_000_000, 10**8
# Enough calls for a steady time, and few enough for the largest reports.
MAX_CALLS, MAX_CALL_BYTES = 10_000, 500_000
TURNS = 3


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    for mechanism in MECHANISMS:
        for keys in KEYS:
            yield from costs(mechanism, keys)


def costs(mechanism: str, keys: int) -> Iterator[Measurement]:
    """Measure one mechanism at ε = 1 and padding 1: bytes and time per report, and the time of one decode."""
    task = Task(name="costs", keys=keys, values=(1, 5), epsilon=1, mechanism=mechanism)
    body_bytes = task.law.body_bytes
    reports = max(50, min(MAX_REPORTS, MAX_BYTES // body_bytes))
    messages = random_messages(task, reports)
    tally = compiled_tally(task)
    tally.add_many(messages[:10])
    name = f"{mechanism}, {keys:,} keys"
    yield absolute(f"{name}: sent per report", "bytes", [REPORT_ID_BYTES + body_bytes])
    yield absolute(f"{name}: device per report", "µs", device_microseconds(task))
    count_seconds = repeated(lambda: tally.add_many(messages))
    yield absolute(f"{name}: count per report", "ns", [1e9 * value / reports for value in count_seconds])
    yield absolute(f"{name}: stored per report", "bytes", [stored_bytes(task, messages) / reports])
    decode_seconds = repeated(lambda: key_support(tally))
    yield absolute(f"{name}: decode all keys", "ms", [1e3 * value for value in decode_seconds])


def random_messages(task: Task, reports: int) -> Messages:
    """Return uniformly random reports."""
    rng = np.random.default_rng(task.key_count)
    if task.word_limit is not None:
        return rng.integers(0, task.word_limit, reports)
    return random_planes(task.key_count, reports * task.law.body_bytes)


def device_microseconds(task: Task) -> list[float]:
    """Return the microseconds per report on the device path."""
    pairs = {task.key_name(0): 3.0}
    perturb(task, pairs)
    calls = max(1, min(MAX_CALLS, MAX_CALL_BYTES // task.law.body_bytes))

    def run() -> None:
        for _ in range(calls):
            perturb(task, pairs)

    return [1e6 * value / calls for value in repeated(run)]


def repeated(action: Action) -> list[float]:
    """Return the seconds of a few runs."""
    return [seconds(action) for _ in range(TURNS)]


def stored_bytes(task: Task, messages: Messages) -> int:
    """Return the size of a report file."""
    ids = np.random.default_rng(0).integers(0, 256, (len(messages), REPORT_ID_BYTES), np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.parquet"
        write_reports(path, task, [(ids, messages)])
        return path.stat().st_size
