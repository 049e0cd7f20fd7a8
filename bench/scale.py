"""Counting files at scale, beside the reader alone; device and kernel costs: part of `make bench`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pyarrow import dataset
from rich.console import Console
from rich.live import Live

from core import cells_of, empty_table, random_planes
from pckv import Task, perturb
from pckv.counting.run import CountOptions, count_inputs
from pckv.files.reports.writer import write_reports
from pckv.limits import REPORT_ID_BYTES
from pckv.tally.compiled import CompiledTally
from timing import Row, cost, race, speed

WORDS, GROUP = 10**8, 10**6
# With q = 5 these have 625 and 1,953,125 words.
KEYS = (100, 300_000)
REPORTS = 2_000
PIPED_WIDTH = 140
# The command line, and then its own peak: the one that the parent is told counts the parent's pages too.
WATCHED = """
import re
from pathlib import Path
from pckv.cli import main
main(standalone_mode=False)
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def rows(folder: Path) -> Iterator[Row]:
    """Every comparison, one at a time."""
    for keys in KEYS:
        task = compact(keys)
        path = write_words(folder, task)
        yield count_file(task, path)
        yield memory(task, path)
        path.unlink()
    yield perturb_one()
    for keys in (100, 5_000):
        yield count_planes(keys)


def compact(keys: int) -> Task:
    """A task whose reports are words."""
    return Task(name="b", keys=keys, values=(1, 5), epsilon=1, mechanism={"name": "ue-compact", "q": 5})


def write_words(folder: Path, task: Task) -> Path:
    """A report file of random words in row groups of a million."""
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


def count_file(task: Task, path: Path) -> Row:
    """`pckv tally` from the open file to the tally, beside a scan that only reads the column."""

    def ours() -> None:
        count_inputs(task, [path], CountOptions())

    def baseline() -> None:
        scanner = dataset.dataset(path).scanner(columns=["word"], batch_readahead=2, fragment_readahead=1)
        for _ in scanner.to_batches():
            pass

    times = race(ours, baseline, turns=1, clock=time.perf_counter)
    return speed(f"tally a file ({task.word_limit:,} cells)", times, WORDS / 1e6, "M words/s", 0.6)


def memory(task: Task, path: Path) -> Row:
    """The peak memory of the whole command, in a process of its own."""
    task_file, out = path.with_suffix(".json"), path.with_suffix(".tally")
    task_file.write_text(task.to_json(), encoding="utf-8")
    command = ["tally", str(path), "--task", str(task_file), "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *command], check=True, capture_output=True, text=True
    )
    peak = int(done.stdout.split()[-1]) / 1e3
    return Row(
        f"peak memory ({task.word_limit:,} cells)", "MB", peak, 500, [peak], 500, most=True, suffix=" MB"
    )


def perturb_one() -> Row:
    """One compact report over a million keys, beside one over a hundred."""
    few, many = compact(100), compact(10**6)
    pairs = [{str(key): 3.0, str(key + 1): 5.0} for key in range(0, 98, 2)] * (REPORTS // 49)

    def of(task: Task) -> None:
        for held in pairs:
            perturb(task, held)

    times = race(lambda: of(many), lambda: of(few), turns=5)
    return cost("perturb one (ue-compact, 10^6 keys against 100)", times, len(pairs), 1.5)


def count_planes(keys: int) -> Row:
    """Counting bit planes with compiled loops on one core, beside unpacking and summing the same bytes."""
    tally = CompiledTally(Task(name="b", keys=keys, values=(1, 5), epsilon=1, mechanism="ue"))
    planes = random_planes(keys)
    times = race(
        lambda: tally.add_many(planes),
        lambda: np.unpackbits(planes, axis=1).sum(0, dtype=np.uint32),
        turns=2,
    )
    return speed(f"count planes, compiled (ue, {keys:,} keys)", times, planes.nbytes / 1e6, "MB/s", 5)


def main() -> None:
    """Measure; exit code 1 if a bar is missed."""
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    table, results = empty_table(), []
    with tempfile.TemporaryDirectory() as folder, Live(table, console=console):
        for row in rows(Path(folder)):
            results.append(row)
            table.add_row(*cells_of(row))
    console.print()
    sys.exit(not all(row.met for row in results))


if __name__ == "__main__":
    main()
