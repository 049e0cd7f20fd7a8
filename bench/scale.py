"""Counting report files relative to the reader alone, the command's start, devices and compiled loops."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import dataset, parquet

from bench.data import random_planes
from bench.measurement import Measurement, absolute, cost, race, ratio, speed
from bench.processes import interpret, with_peak_memory
from pckv import Task, perturb
from pckv.base.limits import REPORT_ID_BYTES
from pckv.counting.run import CountOptions, count_inputs
from pckv.files.reports.columns import report_metadata, report_schema
from pckv.files.reports.writer import ReportArrays, record_batches, write_reports
from pckv.tally.tally import compiled_tally

WORDS, GROUP = 10**8, 10**6
# With q = 5 these have 625 and 1,953,125 words.
KEYS = (100, 300_000)
COMMAND_WORDS, COMMAND_KEYS = 5 * 10**7, 1000
OTHER_WORDS = 2 * 10**7
# A command that loads numba and pandas takes 5.6 times as long as a warm call, or more.
MAX_START_RATIO = 3.5
REPORTS = 2_000
PLANES_BYTES = 25_000_000
COMMAND_LINE = "from pckv.cli import main; main(standalone_mode=False)"


def measurements() -> Iterator[Measurement]:
    """Make every comparison, one at a time."""
    with tempfile.TemporaryDirectory() as folder:
        for keys in KEYS:
            task = compact(keys)
            path = write_words(Path(folder), task, WORDS)
            yield count_file(f"tally a file ({task.word_limit:,} cells)", task, path, WORDS)
            yield memory(task, path)
            path.unlink()
            path = write_like_other_tools(Path(folder), task)
            name = f"tally a file with a dictionary and snappy ({task.word_limit:,} cells)"
            yield count_file(name, task, path, OTHER_WORDS)
            path.unlink()
        yield start_up(Path(folder))
    yield perturb_one()
    for keys in (100, 5_000):
        yield count_planes(keys)


def compact(keys: int) -> Task:
    """Return a task whose reports are words."""
    return Task(name="b", keys=keys, values=(1, 5), epsilon=1, mechanism={"name": "ue-compact", "q": 5})


def random_reports(task: Task, words: int) -> Iterator[ReportArrays]:
    """Yield random ids and words in batches of a million."""
    rng = np.random.default_rng(task.key_count)
    for _ in range(words // GROUP):
        ids = rng.integers(0, 256, (GROUP, REPORT_ID_BYTES), np.uint8)
        yield ids, rng.integers(0, task.word_limit or 0, GROUP)


def write_words(folder: Path, task: Task, words: int) -> Path:
    """Write a report file of random words in row groups of a million."""
    path = folder / f"{task.word_limit}.parquet"
    write_reports(path, task, random_reports(task, words))
    return path


def write_like_other_tools(folder: Path, task: Task) -> Path:
    """Write a report file with the defaults of most tools: columns that may be null, dictionaries, snappy."""
    path = folder / f"{task.word_limit}.snappy.parquet"
    schema = pa.schema([(field.name, field.type) for field in report_schema(task)])
    with parquet.ParquetWriter(path, schema, use_dictionary=True, compression="snappy") as writer:
        for batch in record_batches(task, random_reports(task, OTHER_WORDS)):
            writer.write_table(pa.Table.from_batches([batch]).cast(schema))
        writer.add_key_value_metadata(report_metadata(task))
    return path


def count_file(name: str, task: Task, path: Path, words: int) -> Measurement:
    """Tally a report file; the baseline is a scan that only reads the column."""

    def ours() -> None:
        count_inputs(task, [path], CountOptions())

    def baseline() -> None:
        scanner = dataset.dataset(path).scanner(columns=["word"], batch_readahead=2, fragment_readahead=1)
        for _ in scanner.to_batches():
            pass

    times = race(ours, baseline, turns=1, clock=time.perf_counter)
    return speed(name, times, words / 1e6, "M words/s", 0.6)


def start_up(folder: Path) -> Measurement:
    """Time `pckv tally` in a process of its own; the baseline is the same call in this warm process."""
    task = compact(COMMAND_KEYS)
    path = write_words(folder, task, COMMAND_WORDS)
    arguments = command(task, path)
    times = race(
        lambda: interpret(COMMAND_LINE, *arguments),
        lambda: count_inputs(task, [path], CountOptions()),
        turns=1,
        clock=time.perf_counter,
    )
    return ratio("pckv tally (5·10^7 words) to a warm call", "s", *times, MAX_START_RATIO, at_most=True)


def command(task: Task, path: Path) -> list[str]:
    """Return the arguments that tally a report file, next to which the task and the tally are written."""
    task_file, out = path.with_suffix(".json"), path.with_suffix(".tally")
    task_file.write_text(task.to_json(), encoding="utf-8")
    return ["tally", str(path), "--task", str(task_file), "--out", str(out), "--force"]


def memory(task: Task, path: Path) -> Measurement:
    """Measure the peak memory of `pckv tally` in a process of its own."""
    _, peak = with_peak_memory(COMMAND_LINE, *command(task, path))
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
    times = race(lambda: tally.add_many(planes), lambda: np.unpackbits(planes, axis=1).sum(0, dtype=np.uint32), turns=2)
    return speed(f"count planes, compiled (ue, {keys:,} keys)", times, planes.nbytes / 1e6, "MB/s", 5)
