"""`pckv trend`: tables, files and pictures of the rounds of a series, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from pckv import Tally
from pckv.estimators.trends.trend import trend
from pckv.files.reports.writer import write_reports
from support.cli import OTHER, put, read_json, run, run_ok, run_refused
from support.rounds import collect_rounds, make_series

SERIES = make_series()
TREND = "trend series.json round1.tally round2.tally round3.tally round4.tally"


@pytest.fixture(scope="module")
def tallies() -> list[Tally]:
    return collect_rounds(SERIES, 4, people=1000)


@pytest.fixture(autouse=True)
def files_of_rounds(folder_with_files: Path, tallies: list[Tally]) -> None:
    assert folder_with_files.is_dir()
    put({f"round{number}.tally": bytes(tally) for number, tally in enumerate(tallies, 1)})
    put({"series.json": SERIES.to_json().encode()})


def refusal(command: str) -> str:
    return run_refused(command).removeprefix("pckv: ").rstrip()


def test_the_keys_that_moved_most_come_first() -> None:
    lines = run_ok(TREND).splitlines()
    assert lines[0] == "4 rounds (1 to 4), 4,000 reports, grr, realised ε 4 per report, 3 panels"
    # Both changed in the last round, which differs from the others, and has a line of its own.
    assert {line.split()[0] for line in lines[2:6:2]} == {"alien", "heat"}
    assert all(" 3 and 4 " in line for line in lines[2:6:2])
    assert [line.split()[:2] for line in lines[3:6:2]] == [[line.split()[0], "alone"] for line in lines[2:6:2]]
    assert lines[6].split()[0] == "up"
    assert "may hide" in lines[6]
    assert any(line.startswith("2 of 3 keys changed between rounds 1 and 4") for line in lines[7:9])


def test_json_is_that_of_the_library(tallies: list[Tally]) -> None:
    assert read_json(run_ok(f"{TREND} --json")) == trend(SERIES, tallies).to_dict()
    some = read_json(run_ok(f"{TREND} --json --key up --since 1 --false-discovery-rate .2 --level .9"))
    assert [key["key"] for key in some["keys"]] == ["up"]
    assert (some["changes"]["first"], some["changes"]["false_discovery_rate"], some["level"]) == (
        1,
        0.2,
        0.9,
    )


def test_reports_and_tallies_of_a_round_are_counted_together() -> None:
    words = np.array([5, 5, 2, 0])
    task = SERIES.task_of(4)
    write_reports(Path("more.parquet"), task, [(np.zeros((words.size, 16), np.uint8), words)])
    found = read_json(run_ok(f"{TREND} more.parquet --json"))
    assert [each["reports"] for each in found["rounds"]] == [1000, 1000, 1000, 1004]
    assert found["rounds"][3]["task"] == task.id


def test_tables_and_pictures_are_written() -> None:
    run_ok(f"{TREND} --out t.csv --plot t.svg")
    rows = list(csv.DictReader(Path("t.csv").read_text().splitlines()))
    assert len(rows) == 12
    assert "smoothed, with 95 % intervals" in Path("t.svg").read_text()
    run_ok(f"{TREND} --out t.parquet")
    assert pq.read_table("t.parquet").num_rows == 12
    run_ok(f"{TREND} --out t.json")
    assert len(read_json(Path("t.json").read_text())["keys"]) == 3


def test_files_of_other_tasks_are_refused_by_name() -> None:
    assert refusal(f"{TREND} good.tally") == (
        "good.tally: a tally of another task, not of one of the first 2,000 rounds of series 'weekly'"
    )
    assert refusal(f"{TREND} words.parquet") == (
        "words.parquet: reports of task 'movies', not of a round of series 'weekly'"
    )
    put({"empty.tally": b""})
    assert refusal(f"{TREND} empty.tally") == "empty.tally: the file is empty"
    assert refusal(f"{TREND} keys.txt") == "keys.txt: not a tally: it does not begin like one"
    assert "given twice" in refusal(f"{TREND} round1.tally")
    damaged = bytearray(Path("round2.tally").read_bytes())
    damaged[-40] ^= 1
    put({"round2.tally": bytes(damaged)})
    assert refusal(TREND).startswith("round2.tally: not a tally: truncated or edited")


def test_what_is_no_series_is_refused() -> None:
    put({"task.json": OTHER.to_json().encode()})
    assert refusal("trend task.json round1.tally").startswith("task.json: not a series")
    assert run("trend series.json").exit_code == 2


def test_rounds_keys_and_levels_that_do_not_exist_are_refused() -> None:
    assert refusal(f"{TREND} --since 9") == "round 9 is not before round 4"
    assert refusal("trend series.json round2.tally round4.tally --since 3") == ("there are no reports of round 3")
    assert refusal(f"{TREND} --key jaws") == "key 'jaws' is not a key of task 'weekly'"
    assert refusal(f"{TREND} --false-discovery-rate 1").startswith("the false discovery rate must be")
    assert refusal(f"{TREND} --level 0").startswith("level must be")
    assert refusal(f"{TREND} --plot t.txt") == "t.txt: pictures are written as .svg, .png or .html"
    assert refusal(f"{TREND} --out t.txt") == "t.txt: results are written as .csv, .parquet or .json"
    assert refusal(f"{TREND} --out series.json") == "series.json exists: use --force to replace it"
