"""Counting report files relative to the reader alone, and the costs of devices and compiled loops."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pyarrow import dataset

from bench.data import random_planes
from bench.measurement import Measurement, absolute, cost, race, speed
from bench.processes import with_peak_memory
from pckv import Task, perturb
from pckv.counting.run import CountOptions, count_inputs
from pckv.files.reports.writer import write_reports
from pckv.limits import REPORT_ID_BYTES
from pckv.tally.compiled import compiled_tally

WORDS, GROUP = 10**8, 10**6
# With q = 5 these have 625 and 1,953,125 words.
KEYS = (100, 300_000)
REPORTS = 2_000
PLANES_BYTES = 25_000_000
COMMAND_LINE = "from pckv.cli import main; main(standalone_mode=False)"


def measurements() -> Iterator[Measurement]:
    """Make every comparison, one at a time."""
    with tempfile.TemporaryDirectory() as folder:
        for keys in KEYS:
            task = compact(keys)
            path = write_words(Path(folder), task)
            yield count_file(task, path)
            yield memory(task, path)
            path.unlink()
    yield perturb_one()
    for keys in (100, 5_000):
        yield count_planes(keys)


def compact(keys: int) -> Task:
    """Return a task whose reports are words."""
    return Task(name="b", keys=keys, values=(1, 5), epsilon=1, mechanism={"name": "ue-compact", "q": 5})


def write_words(folder: Path, task: Task) -> Path:
    """Write a report file of random words in row groups of a million."""
    rng = np.random.default_rng(task.key_count)
    path = folder / f"{task.word_limit}.parquet"
    batches = (
        (
            rng.integers(0, 256, (GROUP, REPORT_ID_BYTES), np.uint8),
            rng.integers(0, task.word_limit or 0, GROUP),
        )
        for _ in range(WORDS // GROUP)
    )
    write_reports(path, task, batches)
    return path


def count_file(task: Task, path: Path) -> Measurement:
    """Tally an open report file; the baseline is a scan that only reads the column."""

    def ours() -> None:
        count_inputs(task, [path], CountOptions())

    def baseline() -> None:
        scanner = dataset.dataset(path).scanner(columns=["word"], batch_readahead=2, fragment_readahead=1)
        for _ in scanner.to_batches():
            pass

    times = race(ours, baseline, turns=1, clock=time.perf_counter)
    return speed(f"tally a file ({task.word_limit:,} cells)", times, WORDS / 1e6, "M words/s", 0.6)


def memory(task: Task, path: Path) -> Measurement:
    """Measure the peak memory of `pckv tally` in a process of its own."""
    task_file, out = path.with_suffix(".json"), path.with_suffix(".tally")
    task_file.write_text(task.to_json(), encoding="utf-8")
    _, peak = with_peak_memory(COMMAND_LINE, "tally", str(path), "--task", str(task_file), "--out", str(out))
    return absolute(f"peak memory ({task.word_limit:,} cells)", "MB", [peak], 500)


def perturb_one() -> Measurement:
    """Make one compact report over a million keys; the baseline is one over a hundred."""
    few, many = compact(100), compact(10**6)
    pairs = [{str(key): 3.0, str(key + 1): 5.0} for key in range(0, 98, 2)] * (REPORTS // 49)

    def perturb_all(task: Task) -> None:
        for held in pairs:
            perturb(task, held)

    times = race(lambda: perturb_all(many), lambda: perturb_all(few), turns=5)
    return cost("perturb one (ue-compact, 10^6 keys against 100)", times, len(pairs), 1.5)


def count_planes(keys: int) -> Measurement:
    """Count bit planes with compiled loops on one core; the baseline unpacks and sums the same bytes."""
    tally = compiled_tally(Task(name="b", keys=keys, values=(1, 5), epsilon=1, mechanism="ue"))
    planes = random_planes(keys, PLANES_BYTES)
    times = race(
        lambda: tally.add_many(planes),
        lambda: np.unpackbits(planes, axis=1).sum(0, dtype=np.uint32),
        turns=2,
    )
    return speed(f"count planes, compiled (ue, {keys:,} keys)", times, planes.nbytes / 1e6, "MB/s", 5)
