"""Seconds and memory of a discovery over 10^7 reports, and whether Spark agrees (only when named).

Each person holds one of 50,000 random texts, by Zipf's law. Times are wall-clock times of commands in
processes of their own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.measurement import Measurement, absolute, ratio
from bench.processes import interpret, with_peak_memory
from pckv import Task
from pckv.base.population import Population
from pckv.device.vectorised import perturb_texts
from pckv.files.reports.writer import write_reports

REPORTS, TEXTS, LENGTHS, EPSILON = 10**7, 50_000, (3, 28), 4
MAX_SECONDS, MAX_MEGABYTES = 600, 2_000
COMMAND_LINE = "from pckv.cli import main; main(standalone_mode=False)"


def measurements() -> Iterator[Measurement]:
    """Discover from the reports, and from the tally that Spark makes of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task_file, reports = folder / "task.json", folder / "reports.parquet"
        task = Task.discovery(name="b", epsilon=EPSILON)
        task_file.write_text(task.to_json(), encoding="utf-8")
        write_texts(reports, task)
        start = time.perf_counter()
        found, peak = with_peak_memory(COMMAND_LINE, "discover", str(reports), "--task", str(task_file), "--json")
        yield absolute("pckv discover, 10^7 reports", "s", [time.perf_counter() - start], MAX_SECONDS)
        yield absolute("peak memory", "MB", [peak], MAX_MEGABYTES)
        tally = folder / "spark.tally"
        count = ["tally", str(reports), "--task", str(task_file), "--out", str(tally), "--engine", "spark"]
        start = time.perf_counter()
        interpret(COMMAND_LINE, *count)
        again = interpret(COMMAND_LINE, "discover", str(tally), "--task", str(task_file), "--json")
        yield absolute("the same from a tally by Spark", "s", [time.perf_counter() - start], MAX_SECONDS)
        same = float(again.strip() == found.strip())
        yield ratio("Spark's result is the same (1) or not (0)", "", [same], [1.0], 1, at_most=False)


def write_texts(path: Path, task: Task) -> None:
    """Write the report of each person."""
    rng = np.random.default_rng(5)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz "))
    drawn = (task.tree.cut("".join(rng.choice(letters, size))) for size in rng.integers(*LENGTHS, TEXTS))
    texts = list(dict.fromkeys(drawn))
    weights = 1 / np.arange(1.0, len(texts) + 1)
    held = rng.choice(len(texts), REPORTS, p=weights / weights.sum()).astype(np.int32)
    people = Population(np.arange(REPORTS + 1), held, np.ones(REPORTS))
    write_reports(path, task, perturb_texts(task, texts, people))
