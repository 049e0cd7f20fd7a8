"""What the engines that count by SQL share: reading their tables, and accounting for every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pckv.base.errors import DataError, require
from pckv.base.progress import no_progress
from pckv.contract.task import Task
from pckv.counting.deduplicator import conflict_error
from pckv.counting.engines import numpy as numpy_engine
from pckv.counting.job import BadReports, CountResult, Job
from pckv.files.reports.reader import ReportFile
from pckv.tally import Tally
from pckv.tally.layouts import WordLayout, layout_of


def can_group(task: Task) -> bool:
    """Return whether a tally counts words, which SQL can do by GROUP BY, and not what they support."""
    return isinstance(layout_of(task), WordLayout)


def read_word_counts(task: Task, files: Sequence[ReportFile], table: Any) -> CountResult:
    """Return the result of a table of words, times, repeats and conflicts; invalid words are skipped."""
    compute = require("pyarrow.compute", extra="files")
    for report_id in table.column("conflict").drop_null():
        raise conflict_error(files, report_id.as_py())
    word = table.column("word")
    rows = int(compute.sum(table.column("times")).as_py() or 0)
    table = table.filter(compute.and_(compute.greater_equal(word, 0), compute.less(word, task.word_limit)))
    result = CountResult(Tally(task), repeated=int(compute.sum(table.column("repeated")).as_py() or 0))
    words, times = (table.column(name).to_numpy().astype(np.int64) for name in ("word", "times"))
    result.tally.add_counted(words, times)
    if rows > result.tally.reports:
        result.skipped.append(BadReports("the table", "no words of the task", rows - result.tally.reports))
    return result


def recount_with_numpy(job: Job, failure: str) -> CountResult:
    """Count after an engine failed: the numpy engine names the place that cannot be read, or skips it."""
    result = numpy_engine.count(replace(job, progress=no_progress))
    if not result.skipped:
        raise DataError(failure)
    return result


def account_for_rows(job: Job, engine: str, result: CountResult) -> CountResult:
    """Check that each row was counted, repeated or bad; the numpy engine finds where the bad ones are."""
    left_out = job.rows - result.tally.reports - result.repeated
    if left_out:
        result.skipped = numpy_engine.count(replace(job, dedupe=False, progress=no_progress)).skipped
        if sum(bad.reports or 0 for bad in result.skipped) != left_out:
            raise DataError(f"{engine}: {left_out:,} of {job.rows:,} reports were lost on the way")
    job.progress(job.rows)
    return result
