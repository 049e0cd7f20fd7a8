"""Counting a report file, or the line that refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv import Tally, Task
from pckv.base.errors import DataError
from pckv.counting.engines.numpy import count
from pckv.counting.job import Job
from pckv.files.reports.reader import ReportFile
from pckv.files.reports.writer import write_reports
from support.sample_reports import some_ids, some_messages


def counted(task: Task, *paths: Path) -> Tally:
    return count(Job(task, tuple(ReportFile(path, task) for path in paths))).tally


def report_refusal(path: Path, task: Task) -> str:
    with pytest.raises(DataError) as caught:
        counted(task, path)
    return str(caught.value)


def batches_file(path: Path, task: Task, *sizes: int) -> Path:
    write_reports(path, task, ((some_ids(size), some_messages(task, size)) for size in sizes))
    return path
