"""Set sizes from files: histograms, and what earlier tasks measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Tally, Task, estimate
from pckv.base.errors import DataError
from pckv.files.set_sizes import read_set_sizes
from pckv.planning.set_sizes import SetSizes
from support.tasks import a_task


def shares_of(sizes: SetSizes) -> dict[int, float]:
    return dict(sizes._shares)


def test_histograms(tmp_path: Path) -> None:
    histogram = tmp_path / "sizes.csv"
    histogram.write_text("note,size,people\nx,1,600\ny,0,0\nz,12,400.5\n", encoding="utf-8-sig")
    expected = {1: 600 / 1000.5, 12: 400.5 / 1000.5}
    assert shares_of(read_set_sizes(histogram)) == pytest.approx(expected)
    table = tmp_path / "sizes.parquet"
    pq.write_table(pa.table({"size": [1, 12], "people": [600, 400.5]}), table)
    assert shares_of(read_set_sizes(table)) == pytest.approx(expected)


def tally_of(answers: list[int], epsilon: float = 2) -> Tally:
    """Return a tally of a task with padding 4: the given numbers of size answers, and 100 reports of pairs."""
    task = a_task(name="first", keys=100, epsilon=epsilon, padding=4, mechanism="grr", size_share="0.2")
    tally = Tally(task)
    limit = task.law.word_limit
    assert limit is not None
    tally.add_many(np.repeat(np.arange(limit - 1, limit + 4), [100, *answers]))
    return tally


def test_what_an_earlier_task_measured(tmp_path: Path) -> None:
    tally = tally_of([6000, 2000, 1000, 1000])
    estimates, counts = tmp_path / "estimates.json", tmp_path / "counts.tally"
    estimates.write_text(estimate(tally).to_json(), encoding="utf-8")
    counts.write_bytes(bytes(tally))
    by_estimates, by_tally = read_set_sizes(estimates), read_set_sizes(counts, tally.task)
    assert shares_of(by_estimates) == pytest.approx(shares_of(by_tally))
    question = tally.task.size_question
    assert question is not None
    true, other = float(question.true_chance), float(question.other_chance)
    above = 1 - (0.6 - other) / (true - other)
    error = (true * (1 - true) / 10_000) ** 0.5 / (true - other)
    assert by_tally.smallest == 4
    assert by_tally.share_above(4) == pytest.approx(above - 2 * error, abs=1e-3)


def test_few_answers_say_nothing_of_larger_sets(tmp_path: Path) -> None:
    tally = tally_of([6, 1, 1, 2], epsilon=1)
    (tmp_path / "counts.tally").write_bytes(bytes(tally))
    assert shares_of(read_set_sizes(tmp_path / "counts.tally", tally.task)) == {4: 1}


def test_bad_tallies_and_estimates(tmp_path: Path) -> None:
    tally, counts, estimates = tally_of([0, 0, 0, 0]), tmp_path / "counts.tally", tmp_path / "estimates.json"
    counts.write_bytes(bytes(tally))
    nothing = "no report of this task says how many pairs a participant holds"
    with pytest.raises(DataError, match=nothing):
        read_set_sizes(counts, tally.task)
    estimates.write_text(estimate(tally).to_json(), encoding="utf-8")
    with pytest.raises(DataError, match=nothing):
        read_set_sizes(estimates)
    other = Task(name="other", keys=100, values=(0, 1), epsilon=1, padding=4)
    with pytest.raises(DataError, match=r"counts\.tally: .*task"):
        read_set_sizes(counts, other)
    good = json.loads(estimate(tally_of([6000, 2000, 1000, 1000])).to_json())
    for change in (
        {"ends": [4, 5, 17, 100]},
        {"ends": [4]},
        {"ends": [100, 4]},
        {"shares": [0.5, 0.5]},
        {"shares": [0.5, 0.5, 0.5, "x"]},
        {"shares": [0.5, -0.5, 0.5, 0.5]},
        {"ends": "4"},
        {"answers": None},
    ):
        estimates.write_text(json.dumps(good | {"sizes": good["sizes"] | change}), encoding="utf-8")
        with pytest.raises(DataError, match=r"estimates\.json: (not the JSON of a task's|sizes must have one share)"):
            read_set_sizes(estimates)
    for epsilon in ("x", 0, -1, None):
        estimates.write_text(json.dumps(good | {"epsilon": epsilon}), encoding="utf-8")
        with pytest.raises(DataError, match="not the JSON of a task's estimates"):
            read_set_sizes(estimates)


COLUMNS = "there must be columns size and people"
NO_ESTIMATES = "not the JSON of a task's estimates"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("sizes.txt", b"size,people\n1,1\n", "sizes are read from .csv, .parquet or .json, or from a tally and its task"),
        ("sizes.csv", b"", COLUMNS),
        ("sizes.csv", b"user,movie\nann,alien\n", COLUMNS),
        ("sizes.csv", b"size,people\n", "sizes of 0 people: there must be people"),
        ("sizes.csv", b"size,people\n1,\n", "size 1: people must be at least 0 and at most 10^15, not ''"),
        ("sizes.csv", b"size,people\n1\n", "size 1: people must be at least 0 and at most 10^15, not None"),
        (
            "sizes.csv",
            b"size,people\n1.0,5\n",
            "a size must be a whole number of at least 0 and at most 2^31, not '1.0'",
        ),
        ("sizes.csv", b"size,people\n1,5\n2,3\n1,9\n", "size 1 is there twice"),
        ("sizes.csv", b"size,people\n1,\xff\n", "not UTF-8 (spreadsheets save it as 'CSV UTF-8')"),
        ("sizes.csv", b'size,people\n1,"5\n', "not CSV (unexpected end of data)"),
        ("estimates.json", b"{", NO_ESTIMATES),
        ("estimates.json", b"[1, 2]", NO_ESTIMATES),
        ("estimates.json", b'{"estimates": []}', NO_ESTIMATES),
        ("estimates.json", b"[" * 100_000, NO_ESTIMATES),
        ("sizes.parquet", b"PAR1", "not a Parquet file that can be read"),
        ("sizes.parquet", {"word": [1, 2]}, COLUMNS),
        ("sizes.parquet", {"size": [1, -2], "people": [1, 2]}, "a size must be a whole number of at least 0 and at most 2^31, not -2"),
    ],
)  # fmt: skip
def test_bad_files_of_sizes(tmp_path: Path, name: str, data: Any, message: str) -> None:
    path = tmp_path / name
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        pq.write_table(pa.table(data), path)
    with pytest.raises(DataError) as refusal:
        read_set_sizes(path)
    assert str(refusal.value) == f"{path}: {message}"
