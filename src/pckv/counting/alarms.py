"""Alarms about the reports of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pckv.arrays import Messages
from pckv.counting.batches import batch_messages
from pckv.estimators.alarms.check import check_reports
from pckv.estimators.alarms.result import Alarms
from pckv.files.reports.inputs import find_inputs
from pckv.files.reports.reader import ReportFile
from pckv.task import Task


def check_files(task: Task, paths: Sequence[Path]) -> Alarms | None:
    """Return what is unusual about the reports of some files, which were counted before; None if there are no reports.

    Tallies have forgotten what alarms look at.
    """
    files = [ReportFile(path, task) for path in find_inputs(paths).reports]
    return check_reports(task, _messages(task, files)) if files else None


def _messages(task: Task, files: Sequence[ReportFile]) -> Iterator[Messages]:
    for file in files:
        for group in range(file.groups):
            for batch in file.batches(group, ids=False):
                yield batch_messages(task, batch)
