"""Alarms about the reports of files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from numpy.random import default_rng

from pckv.base.arrays import Messages
from pckv.contract.task import Task
from pckv.counting.batches import batch_messages
from pckv.estimators.alarms import Alarms, check_reports
from pckv.files.reports.reader import ReportFile, find_inputs
from pckv.tally import Tally


def check_files(tally: Tally, paths: Sequence[Path]) -> Alarms | None:
    """Return what is unusual about the reports of some files; None if there are no reports.

    Args:
        tally: What was counted before: the reports of the files, and perhaps more. The same tally and files
            give the same result, in any order of up to `MAX_WORDS` reports.
        paths: The files. Tallies among them have forgotten what alarms look at.
    """
    task = tally.task
    files = [ReportFile(path, task) for path in find_inputs(paths).reports]
    # Asking again until chance shows no alarm, or one, would give more false results than stated. The seed
    # cannot be predicted, because it depends on all reports.
    generator = default_rng(int.from_bytes(hashlib.sha256(bytes(tally)).digest()))
    return check_reports(task, _messages(task, files), generator) if files else None


def _messages(task: Task, files: Sequence[ReportFile]) -> Iterator[Messages]:
    for file in files:
        for group in range(file.groups):
            for batch in file.batches(group, ids=False):
                yield batch_messages(task, batch)
