"""Counting reports of `collision`, relative to checking every key against every report, and from files.

The ratios are of wall-clock time on all cores (docs/appendix/speed.md).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.random import default_rng

from bench.hashed_decode import hashed_support
from bench.measurement import PAIRS, Measurement, absolute, difference, race, seconds, speed
from bench.processes import with_peak_memory
from pckv import Tally, Task, estimate
from pckv.base.arrays import Integers
from pckv.base.limits import REPORT_ID_BYTES
from pckv.files.reports.writer import write_reports
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.tally.decode.support import key_support
from pckv.tally.supports import count_positions

REPORTS = 100_000
# Keys, padding, and how many times as fast as the baseline: a usual size, and that of the data set
# `movielike`.
DECODES = ((10_000, 5, 12), (26_744, 100, 80))
# Hashed keys that are asked for, and how many times as fast as the baseline their reports are checked.
CANDIDATES, CHECK_BAR = 1_000, 1.2
MANY_CANDIDATES, MANY_CHECKED = 10_000, 10**6
# Keys and symbols whose supports are counted one by one.
LOOPS = ((1_000, 22), (10_000, 22), (26_744, 470), (250_000, 22), (250_000, 92))
SUPPORTS = 2**24
FILE_KEYS, FILE_PADDING, FEW, MANY, GROUP = 10_000, 5, 10**6, 10**7, 10**6
MAX_SECONDS, MAX_MEGABYTES, MAX_KILOBYTES = 60, 500, 200
# The words of ten times as many reports take 72 MB, and a second thread that reads them, which few do not
# need, 45 MB.
MAX_GROWTH = 60
COMMAND_LINE = """
import time
from pckv.cli import main
start = time.perf_counter()
main(standalone_mode=False)
print(time.perf_counter() - start, time.process_time())
"""


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    for keys, padding, bar in DECODES:
        yield decode(keys, padding, bar)
    yield check_candidates()
    yield estimate_candidates()
    for keys, symbols in LOOPS:
        yield per_support(keys, symbols)
    yield from count_files()


def collision_task(keys: int, padding: int) -> Task:
    """Return a task at ε = 1."""
    return Task(name="b", keys=keys, values=(1, 5), epsilon=1, padding=padding, mechanism="collision")


def law_of(task: Task) -> CollisionLaw:
    """Return the law of a task."""
    if not isinstance(task.law, CollisionLaw):
        raise TypeError(task.mechanism)
    return task.law


def random_words(law: CollisionLaw, reports: int) -> Integers:
    """Return uniformly random words about pairs."""
    return default_rng(law.keys).integers(0, law.word_limit, reports)


def decode(keys: int, padding: int, bar: float) -> Measurement:
    """Count reports and decode all keys; the baseline decodes as many words of hashes."""
    task = collision_task(keys, padding)
    law = law_of(task)
    words = random_words(law, REPORTS)
    hashed = default_rng(1).integers(0, 2**32 * law.symbols, REPORTS)

    def ours() -> None:
        tally = Tally(task)
        tally.add_many(words)
        key_support(tally)

    times = race(ours, lambda: hashed_support(hashed, law.symbols, keys), turns=1, clock=time.perf_counter)
    name = f"decode {REPORTS:,} reports ({keys:,} keys, {law.symbols} symbols)"
    return speed(name, times, REPORTS / 1e3, "k reports/s", bar)


def check_candidates() -> Measurement:
    """Check reports against hashed keys that are asked for; the baseline decodes as many words of hashes."""
    task = Task(name="b", keys="hashed", values=(1, 5), epsilon=2, padding=3)
    law = law_of(task)
    tally = Tally(task)
    tally.add_many(random_words(law, REPORTS))
    numbers = default_rng(2).integers(0, task.key_count, CANDIDATES)
    hashed = default_rng(1).integers(0, 2**32 * law.symbols, REPORTS)
    times = race(
        lambda: key_support(tally, numbers),
        lambda: hashed_support(hashed, law.symbols, CANDIDATES),
        turns=1,
        clock=time.perf_counter,
    )
    name = f"check {REPORTS:,} reports against {CANDIDATES:,} hashed keys"
    return speed(name, times, REPORTS * CANDIDATES / 1e6, "M keys/s", CHECK_BAR)


def estimate_candidates() -> Measurement:
    """Estimate hashed keys by name, from reports in memory, on all cores."""
    task = Task(name="b", keys="hashed", values=(1, 5), epsilon=2, padding=3)
    tally = Tally(task)
    tally.add_many(random_words(law_of(task), MANY_CHECKED))
    names = [f"candidate {number}" for number in range(MANY_CANDIDATES)]
    name = f"estimate {MANY_CANDIDATES:,} hashed keys from {MANY_CHECKED:,} reports"
    return absolute(name, "s", [seconds(lambda: estimate(tally, keys=names))], MAX_SECONDS)


def per_support(keys: int, symbols: int) -> Measurement:
    """Count the positions that reports support, on one core once the loop is compiled."""
    task = Task(name="b", keys=keys, values=(1, 5), epsilon=1, mechanism={"name": "collision", "symbols": symbols})
    law = law_of(task)
    words = random_words(law, SUPPORTS // law.steps_per_report - 1)
    supports = words.size * law.positions / symbols

    def count() -> None:
        count_positions(law, words, compiled=True)

    count()
    times = [1e9 * seconds(count, time.thread_time) / supports for _ in range(PAIRS)]
    return absolute(f"count a support ({keys:,} keys, {symbols} symbols)", "ns", times)


def count_files() -> Iterator[Measurement]:
    """Run `pckv tally` on few and on many reports, each in a process of its own."""
    task = collision_task(FILE_KEYS, FILE_PADDING)
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "task.json").write_text(task.to_json(), encoding="utf-8")
        for reports in (FEW, MANY):
            write_words(Path(folder) / "a.parquet", task, reports)
            out = Path(folder) / f"{reports}.tally"
            took, busy, peak = tally_file(Path(folder) / "a.parquet", out)
            peaks.append(peak)
            name = f"tally a file of {reports:,} reports, {FILE_KEYS:,} keys"
            yield absolute(name, "s", [took], MAX_SECONDS)
            yield absolute(f"{name}: processor time", "s", [busy])
            yield absolute(f"{name}: peak memory", "MB", [peak], MAX_MEGABYTES)
            yield absolute(f"{name}: size", "kB", [out.stat().st_size / 1e3], MAX_KILOBYTES)
    yield difference("peak memory of ten times as many reports", "MB", peaks[1:], peaks[:1], MAX_GROWTH)


def write_words(path: Path, task: Task, reports: int) -> None:
    """Write a report file in row groups of a million."""
    rng = np.random.default_rng(reports)
    batches = (
        (
            rng.integers(0, 256, (GROUP, REPORT_ID_BYTES), np.uint8),
            rng.integers(0, task.word_limit or 0, GROUP),
        )
        for _ in range(reports // GROUP)
    )
    write_reports(path, task, batches)


def tally_file(path: Path, out: Path) -> tuple[float, float, float]:
    """Return the seconds, the processor's seconds and the megabytes that `pckv tally` takes."""
    task = path.with_name("task.json")
    printed, peak = with_peak_memory(COMMAND_LINE, "tally", str(path), "--task", str(task), "--out", str(out))
    took, busy = map(float, printed.splitlines()[-1].split())
    return took, busy, peak
