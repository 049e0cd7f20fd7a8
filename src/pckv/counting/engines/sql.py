"""What the engines that count by SQL share: reading their tables, and accounting for every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pckv.counting.batches import Counted, Problem
from pckv.counting.deduplicator import conflict
from pckv.counting.engines import numpy as numpy_engine
from pckv.errors import DataError, require
from pckv.files.reports.format import ReportFile
from pckv.tally import Tally
from pckv.task import Task

if TYPE_CHECKING:
    from pckv.counting.job import Job


def read_counts(task: Task, files: Sequence[ReportFile], table: Any) -> Counted:
    """What a table of words, times, repeats and conflicts adds up to; what are no words is a problem."""
    compute = require("pyarrow.compute", extra="files")
    for report_id in table.column("conflict").drop_null():
        raise conflict(files, report_id.as_py())
    word = table.column("word")
    rows = int(compute.sum(table.column("times")).as_py() or 0)
    table = table.filter(compute.and_(compute.greater_equal(word, 0), compute.less(word, task.word_limit)))
    counted = Counted(Tally(task), repeated=int(compute.sum(table.column("repeated")).as_py() or 0))
    words, times = (table.column(name).to_numpy().astype(np.int64) for name in ("word", "times"))
    counted.tally.add_counted(words, times)
    if rows > counted.tally.reports:
        counted.problems.append(Problem("the table", "no words of the task", rows - counted.tally.reports))
    return counted


def count_instead(job: Job, failure: str) -> Counted:
    """After an engine failed: the numpy engine names a place that cannot be read, or passes over it."""
    counted = numpy_engine.count(replace(job, progress=lambda _: None))
    if not counted.problems:
        raise DataError(failure)
    return counted


def settle(job: Job, engine: str, counted: Counted) -> Counted:
    """Every row is counted, repeated or has something wrong with it; the numpy engine knows where."""
    left_out = job.rows - counted.tally.reports - counted.repeated
    if left_out:
        counted.problems = numpy_engine.count(replace(job, dedupe=False, progress=lambda _: None)).problems
        if sum(problem.reports or 0 for problem in counted.problems) != left_out:
            raise DataError(f"{engine}: {left_out:,} of {job.rows:,} reports were lost on the way")
    job.progress(job.rows)
    return counted
