"""Every test of the command line runs in a folder of its own, with good files in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pckv import Tally
from pckv.files.reports.writer import write_reports
from support.cli import COLLISION, COMPACT, GRR, MOVIES, OTHER, UE, pairs_csv, put


@pytest.fixture(autouse=True)
def folder_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run every test in a folder that has good files."""
    monkeypatch.chdir(tmp_path)
    words = np.array([5, 5, 5, 2, 2, 0, 6, 7])
    write_reports(Path("words.parquet"), GRR, [(np.zeros((words.size, 16), np.uint8), words)])
    tally, others = Tally(GRR), Tally(OTHER)
    tally.add_many(words)
    others.add_many(words)
    put(
        {
            "keys.txt": "\n".join(MOVIES).encode(),
            "grr.json": GRR.to_json().encode(),
            "ue.json": UE.to_json().encode(),
            "ue-compact.json": COMPACT.to_json().encode(),
            "collision.json": COLLISION.to_json().encode(),
            "other.json": OTHER.to_json().encode(),
            "pairs.csv": pairs_csv("ann,alien,5", "bob,heat,1", "cat,,"),
            "good.tally": bytes(tally),
            "other.tally": bytes(others),
        }
    )
    return tmp_path
