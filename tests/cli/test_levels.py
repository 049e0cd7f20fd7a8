"""Tasks with more than two levels on the command line: made, shown, reported to, estimated and drawn."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pckv import Task
from support.cli import COLUMNS, MOVIES, NEW, pairs_csv, put, read_json, run, run_ok, run_refused

LEVELS = f"{NEW} --keys-file keys.txt --padding 1 --mechanism grr"
NAMED = Task(
    name="movies",
    keys=MOVIES,
    values=(1, 5),
    levels=[1, 2, 3, 4, 5],
    between="refuse",
    epsilon=20,
    padding=1,
    size_share=0,
)
ROUNDING = Task(name="movies", keys=MOVIES, values=(1, 5), levels=5, epsilon=20, padding=1)
PERTURB = f"perturb pairs.csv {COLUMNS} --out new.parquet --task"
ROWS = [f"u{number},{MOVIES[number % 2]},{1 + number % 5}" for number in range(60)]


@pytest.fixture(autouse=True)
def level_tasks(folder_with_files: Path) -> Path:
    put({"named.json": NAMED.to_json().encode(), "rounding.json": ROUNDING.to_json().encode()})
    return folder_with_files


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--levels 5", {"levels": 5}),
        ("--levels 1,2.5,5", {"levels": [1, "2.5", 5]}),
        ("--levels '1, 2, 5'", {"levels": [1, 2, 5], "between": "refuse"}),
        ("--levels '1, 2, 5' --between round", {"levels": [1, 2, 5], "between": "round"}),
        ("--levels 5", {"levels": 5, "between": "round"}),
        ("--levels 5 --between refuse", {"levels": 5, "between": "refuse"}),
        ("", {}),
    ],
)
def test_a_new_task_has_levels(options: str, expected: dict[str, object]) -> None:
    run_ok(f"{LEVELS} {options}")
    task = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, padding=1, mechanism="grr", **expected)  # type: ignore[arg-type]
    assert Path("new.json").read_text() == task.to_json()


def test_a_new_series_has_levels() -> None:
    run_ok(
        "series new --name movies --low 1 --high 5 --epsilon 1 --keys-file keys.txt --users 900 --padding 1 --levels 1,2,5 "
        "--first 2030-01-07 --period 7 --panels 2 --rounds 4 --out series.json"
    )
    assert '"levels":["1","2","5"]' in Path("series.json").read_text()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--levels 1", "levels must be at least 2 and at most 16"),
        ("--levels 17", "levels must be at least 2 and at most 16"),
        ("--levels -5", "levels must be at least 2 and at most 16"),
        ("--levels 1,3,2,5", "levels must ascend: 3 is followed by 2"),
        ("--levels 1,2,2,5", "levels must ascend: 2 is followed by 2"),
        ("--levels 1,2,6", "level 6 is not within [1, 5]"),
        ("--levels 1,2,3", "the levels must begin with 1 and end with 5"),
        ("--levels 5 --mechanism ue", "mechanism 'ue' takes 2 levels, not 5"),
    ],
)
def test_levels_that_no_task_can_have_are_refused(options: str, reason: str) -> None:
    assert reason in run_refused(f"{LEVELS} {options}")


@pytest.mark.parametrize("levels", ["five", "1.5", "5e0", "1,,2", "1,x", "", "9" * 5000])
def test_levels_that_are_no_numbers_are_misused(levels: str) -> None:
    result = run(f"{LEVELS} --levels '{levels}'")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Invalid value for '--levels'" in result.stderr
    assert not Path("new.json").exists()


def test_show_says_which_levels_a_task_has() -> None:
    printed = run_ok("task show named.json")
    assert "5: 1, 2, 3, 4, 5; nothing in between is taken" in printed
    shown = read_json(run_ok("task show named.json --json"))
    assert (shown["levels"], shown["between"]) == (["1", "2", "3", "4", "5"], "refuse")
    assert shown["level_values"] == [1, 2, 3, 4, 5]
    assert read_json(run_ok("task show rounding.json --json"))["levels"] == 5
    assert "2: 1, 5; a value in between is reported as one of the two" in run_ok("task show grr.json")


def test_a_value_between_levels_is_refused_rounded_or_clipped() -> None:
    put({"pairs.csv": pairs_csv("ann,alien,2", "bob,heat,2.4", "cat,heat,9", "dan,up,1.5")})
    assert run_refused(f"{PERTURB} named.json") == (
        "pckv: pairs.csv, line 4: value 9 is outside [1, 5] (--clip moves it to the nearest end)\n"
    )
    put({"pairs.csv": pairs_csv("ann,alien,2", "bob,heat,2.4", "dan,up,1.5")})
    assert run_refused(f"{PERTURB} named.json") == (
        "pckv: pairs.csv, line 3: value 2.4 is not one of 1, 2, 3, 4, 5 (--clip moves it to the nearest level)\n"
    )
    assert "2 values clipped" in run_ok(f"{PERTURB} named.json --clip")
    estimates = read_json(run_ok("estimate new.parquet --task named.json --method corrected --json"))["estimates"]
    # At ε = 20 reports say what people hold: 2.4 became 2, and 1.5 the lower of two that are equally near.
    largest = {row["key"]: max(row["shares"], key=lambda share: share["share"]) for row in estimates}
    assert {key: share["value"] for key, share in largest.items()} == {"up": 1, "heat": 2, "alien": 2}
    put({"pairs.csv": pairs_csv("ann,alien,2", "bob,heat,2.4")})
    assert "clipped" not in run_ok(f"{PERTURB} rounding.json --force")


def test_the_mean_of_repeated_levels_is_moved_to_one() -> None:
    put({"pairs.csv": pairs_csv("ann,alien,2", "ann,alien,5")})
    refusal = run_refused(f"{PERTURB} named.json --repeated mean")
    assert refusal == (
        "pckv: pairs.csv: mean 3.5 of a user's values of key 'alien' is not one of 1, 2, 3, 4, 5 "
        "(--clip moves it to the nearest level)\n"
    )
    run_ok(f"{PERTURB} named.json --repeated mean --clip")


@pytest.fixture
def reports() -> str:
    """Make reports of people who gave each of the levels to two of the keys."""
    put({"pairs.csv": pairs_csv(*ROWS)})
    run_ok(f"{PERTURB} named.json")
    return "estimate new.parquet --task named.json"


def test_estimates_have_shares(reports: str) -> None:
    printed = run_ok(f"{reports} --quantile 0.5 --above 3 --below 2")
    header = next(line for line in printed.splitlines() if line.startswith("key"))
    for name in ("at 1", "at 2", "at 3", "at 4", "at 5", "quantile 0.5", "above 3", "below 2"):
        assert name in header
    assert "unknown" in next(line for line in printed.splitlines() if line.startswith("alien"))
    document = read_json(run_ok(f"{reports} --quantile 0.5 --quantile .9 --above 3 --below 2 --json"))
    assert document["between"] == "refuse"
    row = document["estimates"][0]
    assert [answer["p"] for answer in row["quantiles"]] == [0.5, 0.9]
    assert row["quantiles"][0]["value"] == 3
    assert row["above"][0]["share"] == pytest.approx(0.4, abs=0.05)
    assert row["below"][0]["share"] == pytest.approx(0.2, abs=0.05)


def test_files_have_shares(reports: str) -> None:
    for suffix in ("csv", "json", "parquet"):
        run_ok(f"{reports} --quantile 0.5 --out table.{suffix}")
    with Path("table.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = pq.read_table("table.parquet").to_pylist()
    plain = json.loads(Path("table.json").read_text(encoding="utf-8"))["estimates"]
    for row, same, document in zip(rows, table, plain, strict=True):
        assert float(row["share_4_high"]) == same["share_4_high"] == document["shares"][3]["high"]
        assert float(row["quantile_0.5"]) == same["quantile_0.5"] == document["quantiles"][0]["value"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--quantile 1.5", "a quantile must be between 0 and 1, not 1.5"),
        ("--above 9", "value 9.0 is not within [1, 5]"),
        (
            "--below 2.5",
            "value 2.5 is between two levels, where values were rounded: choose from 1, 2, 3, 4, 5",
        ),
    ],
)
def test_bad_questions_are_refused(options: str, reason: str) -> None:
    put({"pairs.csv": pairs_csv("ann,alien,2")})
    run_ok(f"{PERTURB} rounding.json")
    refusal = run_refused(f"estimate new.parquet --task rounding.json {options} --out new.csv")
    assert refusal == f"pckv: {reason}\n"


def test_two_levels_answer_no_questions() -> None:
    refusal = run_refused("estimate good.tally --task grr.json --quantile 0.5")
    assert "only tasks with more than two levels tell how values are spread" in refusal


def test_shares_are_drawn(reports: str) -> None:
    run_ok(f"{reports} --plot all.svg")
    drawn = Path("all.svg").read_text(encoding="utf-8")
    for text in ("share of holders", "share of people", "mean", "value", "unknown"):
        assert f">{text}<" in drawn
    run_ok(f"{reports} --key heat --plot one.svg")
    drawn = Path("one.svg").read_text(encoding="utf-8")
    for text in ("movies: heat", "share of holders at or below", "10 %", "90 %"):
        assert f">{text}<" in drawn
