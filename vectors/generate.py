"""Write the test vectors of format version 1: `make vectors`.

Once a version is released its files never change, and this script must keep writing the same bytes (a test compares
them). A new format gets a folder of its own.
"""

from __future__ import annotations

import json
import sys
from itertools import chain
from pathlib import Path

import numpy as np

import without_values
from catalogue import COLLISION_TASKS, COMPACT_TASKS, TASKS
from coin_vectors import coin_vectors
from discovery_vectors import prefix_vectors
from level_vectors import level_thresholds, level_vectors
from pckv.base.errors import PckvError
from pckv.counting.engines import numpy as numpy_engine
from pckv.counting.job import Job
from pckv.estimators.estimate import estimate
from pckv.files.reports.reader import ReportFile
from pckv.files.reports.writer import write_reports
from pckv.tally import Tally
from report_vectors import report_vectors
from sealed_vectors import sealed_vectors
from series_vectors import series_vectors
from tally_vectors import sample_reports, tally_vectors
from task_vectors import task_vectors
from thresholds import thresholds
from unlisted_tasks import HASHED_TASKS, OTHER_TASKS
from unlisted_vectors import key_vectors

FOLDER = Path(__file__).parent / "v1"


def write(folder: Path) -> None:
    """Write all vectors below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, cases in (
        ("thresholds", chain(thresholds(), level_thresholds(), without_values.thresholds_without_values())),
        ("tasks", task_vectors()),
        ("reports", report_vectors()),
        ("tallies", tally_vectors()),
        ("coins", coin_vectors()),
        ("series", series_vectors()),
        ("levels", level_vectors()),
        ("keys", key_vectors(*HASHED_TASKS, *OTHER_TASKS, *without_values.HASHED_TASKS, *without_values.OTHER_TASKS)),
        ("prefixes", prefix_vectors()),
        ("sealed", sealed_vectors()),
    ):
        text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n"
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    write_golden_files(folder)


def write_golden_files(folder: Path) -> None:
    """Write a task, a report file, a tally and its estimates per mechanism, for later releases to read."""
    for task in (*TASKS[:2], COMPACT_TASKS[0], COLLISION_TASKS[0]):
        reports = list(sample_reports(task, 500))
        tally = Tally(task)
        tally.add_many(reports)
        place = folder / "golden" / task.mechanism
        place.mkdir(parents=True, exist_ok=True)
        (place / "task.json").write_bytes(task.to_json().encode())
        (place / "counts.tally").write_bytes(bytes(tally))
        # The paper's method does not change from release to release.
        (place / "estimates.json").write_text(estimate(tally, "corrected").to_json() + "\n", encoding="utf-8")
        ids = np.frombuffer(b"".join(report.id for report in reports), np.uint8).reshape(-1, 16)
        bodies = np.frombuffer(b"".join(report.body for report in reports), np.uint8).reshape(500, -1)
        messages = bodies if task.word_limit is None else bodies.view("<i8").reshape(-1).astype(np.int64)
        # The bytes depend on the Parquet library: a file that holds these reports stays as it is.
        if not _holds(place / "reports.parquet", tally):
            write_reports(place / "reports.parquet", task, [(ids, messages)])


def _holds(path: Path, tally: Tally) -> bool:
    """Return whether a file of reports is there and counts to this tally."""
    try:
        return numpy_engine.count(Job(tally.task, (ReportFile(path, tally.task),))).tally == tally
    except PckvError:
        return False


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
