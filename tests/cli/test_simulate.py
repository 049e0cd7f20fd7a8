"""`pckv simulate`."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pckv.base.words import percent
from pckv.estimators.methods.registry import METHODS
from pckv.lab.baselines import BASELINE_NAMES
from pckv.mechanisms.registry import LAWS
from support.cli import SIMULATE, read_json, run_ok, run_refused


def test_the_same_seed_simulates_the_same_collection() -> None:
    options = "--mechanism ue --mechanism grr --padding 2 --json"
    printed = run_ok(f"{SIMULATE} {options} --seed 3")
    assert [row["mechanism"] for row in read_json(printed)] == ["ue", "grr"]
    assert run_ok(f"{SIMULATE} {options} --seed 3") == printed
    assert run_ok(f"{SIMULATE} {options} --seed 4") != printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--padding 0", "padding must be at least 1"),
        ("--repeats 0", "repeats must be at least 1"),
        ("--top 0", "top must be at least 1"),
        ("--low 2", "pairs.csv, line 3: value 1 is outside [2, …]"),
        ("--low 9 --high 5", "low must be below high"),
        ("--value price", "pairs.csv: no column 'price'"),
        ("--plot new.gif", "new.gif: pictures are written as .svg, .png or .html"),
        ("--low -inf", "low"),
        ("--seed -1", "seed"),
        ("--levels 1", "levels must be at least 2 and at most 16"),
        ("--levels 17", "levels must be at least 2 and at most 16"),
        ("--low 1 --high 5 --levels 1,3,2,5", "levels must ascend: 3 is followed by 2"),
        ("--low 1 --high 5 --levels 1,2,6", "level 6 is not within [1, 5]"),
        ("--low 1 --high 5 --levels 1,2,3", "the levels must begin with 1 and end with 5"),
        ("--mechanism ue --levels 5", "mechanism 'ue' takes 2 levels, not 5"),
    ],
)
def test_bad_simulations(options: str, message: str) -> None:
    assert message in run_refused(f"{SIMULATE} {options}")


def test_levels_are_compared_on_somebodys_data() -> None:
    """Rows of two levels have the members that they always had; of five, what they cost and tell."""
    options = "--low 1 --high 5 --mechanism grr --padding 1 --seed 1"
    two, five = read_json(run_ok(f"{SIMULATE} {options} --levels 2 --levels 1,2,3,4,5 --json"))
    assert [two] == read_json(run_ok(f"{SIMULATE} {options} --json"))
    more = {
        "levels",
        "share_keys",
        "total_variation",
        "total_variation_se",
        "frequency_factor",
        "mean_factor",
    }
    assert set(five) - set(two) == more
    assert five["levels"] == ["1", "2", "3", "4", "5"]
    printed = " ".join(run_ok(f"{SIMULATE} {options} --levels 2 --levels 5").split())
    assert "how many percent of a key's holders are placed at a wrong level" in printed
    off_by = percent(five["total_variation"])
    assert f"the shares of 5 levels among the holders of all 2 keys are off by {off_by} on average" in printed
    assert f" 5 {off_by} " in printed
    assert f"relative to two levels, the error of a frequency is {five['frequency_factor']:.2f} times" in printed
    assert "level" not in run_ok(f"{SIMULATE} {options}")


def test_bias_and_coverage_are_told() -> None:
    """The people of the file hold up to two pairs: with a padding of 1 frequencies are too low, and intervals cover."""
    options = "--low 1 --high 5 --mechanism grr --mechanism kvue --padding 1 --seed 1 --repeats 20"
    rows = read_json(run_ok(f"{SIMULATE} {options} --json"))
    told, baseline = rows
    assert 0.9 <= told["coverage_frequency"] <= 1
    assert 0.9 <= told["coverage_mean"] <= 1
    assert baseline["coverage_frequency"] is baseline["coverage_mean"] is None
    printed = run_ok(f"{SIMULATE} {options}")
    assert "Bias (the average error with its sign), and how many 95 % intervals cover the truth" in printed
    told_row, baseline_row = printed.partition("mean covered\n")[2].splitlines()[:2]
    covered = [f" {100 * told[name]:.3g} %" for name in ("coverage_frequency", "coverage_mean")]
    assert all(share in told_row for share in covered)
    assert "%" not in baseline_row


def test_columns_have_different_names_and_percentages_one_form() -> None:
    """The error in words is the root of the mean squared error."""
    options = "--low 1 --high 5 --mechanism grr --padding 1 --seed 1"
    (row,) = read_json(run_ok(f"{SIMULATE} {options} --json"))
    printed = run_ok(f"{SIMULATE} {options}")
    headers = [line.split("  ") for line in printed.splitlines() if line.startswith("mechanism")]
    names = [[name.strip() for name in header if name.strip()] for header in headers]
    assert [len(each) for each in names] == [len(set(each)) for each in names] == [9, 8]
    assert not re.search(r"\d%", printed)
    points = 100 * math.sqrt(row["mse_frequency"])
    assert f"is typically off by ±{points:.2g} points (they are held" in " ".join(printed.split())


def test_help_names_every_mechanism_and_method() -> None:
    printed = " ".join(run_ok("simulate --help").split())
    assert f"auto, {', '.join(LAWS)}, or one of the paper's baselines {', '.join(BASELINE_NAMES)};" in printed
    assert f"[{'|'.join(METHODS)}]" in printed


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_rows_are_written_as_they_are_printed(suffix: str) -> None:
    """Rows of two levels and of five have other members, and the levels of the latter are a text in a table."""
    command = f"{SIMULATE} --low 1 --high 5 --mechanism grr --padding 1 --levels 2 --levels 1,2,3,4,5"
    rows = read_json(run_ok(f"{command} --json --out rows{suffix}"))
    path = Path(f"rows{suffix}")
    if suffix == ".json":
        assert read_json(path.read_text(encoding="utf-8")) == rows
        return
    if suffix == ".parquet":
        read = pq.read_table(path).to_pylist()
    else:
        read = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert [row["levels"] for row in read] == [None if suffix == ".parquet" else "", "1,2,3,4,5"]
    for written, row in zip(read, rows, strict=True):
        assert set(written) == set(rows[1])
        for name in ("mse_frequency", "epsilon", "keys"):
            assert float(written[name]) == row[name]
    assert "rows.txt: results are written as .csv, .parquet or .json" in run_refused(f"{command} --out rows.txt")
