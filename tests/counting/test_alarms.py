"""Alarms about report files: who asks again gets the same answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import default_rng

from pckv import Tally
from pckv.counting.alarms import check_files
from support.report_files import counted
from support.sample_reports import report_file
from support.tasks import a_task

TASK = a_task(name="split", keys=50, padding=1, size_share=0, mechanism={"name": "ue-compact", "q": 5})


def test_the_same_reports_give_the_same_alarms_in_any_order(tmp_path: Path) -> None:
    """The reports were split at random at each call, so that another call gave other chances."""
    assert TASK.word_limit is not None
    words = default_rng(1).integers(0, TASK.word_limit, 4000)
    one = report_file(tmp_path / "one.parquet", TASK, words[:3000])
    two = report_file(tmp_path / "two.parquet", TASK, words[3000:], seed=3)
    mixed = report_file(tmp_path / "mixed.parquet", TASK, words[::-1])
    tally = counted(TASK, one, two)
    alarms = check_files(tally, [one, two])
    assert alarms is not None
    assert "shared symbols" in [test.name for test in alarms.tests]
    assert check_files(tally, [one, two]) == alarms
    assert check_files(counted(TASK, mixed), [mixed]) == alarms


def test_the_split_depends_on_all_reports(tmp_path: Path) -> None:
    """A liar who could predict it would know which half looks for what they did."""
    assert TASK.word_limit is not None
    words = default_rng(1).integers(0, TASK.word_limit, 4000)
    path = report_file(tmp_path / "one.parquet", TASK, words)
    tally, other = counted(TASK, path), Tally(TASK)
    other.merge(tally)
    other.add_many(np.zeros(1, np.int64))
    assert check_files(tally, [path]) != check_files(other, [path])
    assert check_files(tally, []) is None
