"""`pckv estimate`: tables, files, pictures, and what is refused."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Task
from pckv.estimators.results.estimates import Estimates
from support.cli import (
    ESTIMATE,
    GRR,
    MOVIES,
    NEW,
    SIMULATE,
    forged_reports,
    put,
    read_json,
    run_ok,
    run_refused,
)


def test_estimates_in_json_have_this_shape() -> None:
    printed = read_json(run_ok(f"{ESTIMATE} --json"))
    about = [
        "task",
        "mechanism",
        "reports",
        "epsilon",
        "method",
        "level",
        "hostile",
        "impossible",
        "estimand",
        "verdict",
        "sizes",
    ]
    assert list(printed) == [*about, "estimates", "alarms"]
    assert printed.pop("alarms")["unusual"] == []
    rows = printed.pop("estimates")
    assert printed.pop("estimand").startswith("frequency: the share of people who hold a key")
    assert "stand out from the noise" in printed.pop("verdict")[-1]
    assert printed.pop("sizes")["padding"] == GRR.padding
    assert printed == {
        "task": GRR.id,
        "mechanism": "grr",
        "reports": 8,
        "epsilon": GRR.realised_epsilon,
        "method": "bayes",
        "level": 0.95,
        "hostile": 0,
        "impossible": [],
    }
    assert [row["key"] for row in rows] == MOVIES
    for row in rows:
        assert list(row) == [
            "key",
            "frequency",
            "frequency_low",
            "frequency_high",
            "mean",
            "mean_low",
            "mean_high",
            "mean_known",
            "detected",
            "reported_mean_low",
            "reported_mean_high",
            "reported_mean_known",
        ]
        assert 0 <= row["frequency_low"] <= row["frequency_high"] <= 1
        assert 1 <= row["mean_low"] <= row["mean"] <= row["mean_high"] <= 5


def test_method_and_level_are_used() -> None:
    # The last key shows in 42 % of the reports: more than noise alone, less than if all held it.
    # No participant holds more pairs than the padding, so that upper limits say nothing of larger sets.
    task = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, mechanism="ue", more="refuse")
    bodies = [b"\x04\x04"] * 126 + [b"\0\0"] * 174
    put({"new.parquet": forged_reports(task, bodies, pa.binary()), "new.json": task.to_json().encode()})
    wide, narrow = (
        read_json(run_ok(f"estimate new.parquet --task new.json --json --method baseline --level {level}"))
        for level in (0.8, 0.5)
    )
    assert (wide["method"], wide["level"], narrow["level"]) == ("baseline", 0.8, 0.5)
    outer, inner = wide["estimates"][-1], narrow["estimates"][-1]
    assert 0 < outer["frequency_low"] < inner["frequency_low"] < inner["frequency"]
    assert inner["frequency"] < inner["frequency_high"] < outer["frequency_high"] < 1


def test_intervals_against_hostile_reports() -> None:
    plain, hostile = (read_json(run_ok(f"{ESTIMATE} --json {more}")) for more in ("", "--hostile 1%"))
    assert (plain["hostile"], hostile["hostile"]) == (0, 1)
    for before, after in zip(plain["estimates"], hostile["estimates"], strict=True):
        assert after["frequency"] == before["frequency"]
        assert after["frequency_high"] >= before["frequency_high"]
    printed = run_ok(f"{ESTIMATE} --hostile 2").splitlines()
    assert "intervals hold whatever 2 of the reports say" in printed[0]
    assert any("whatever 2 of the reports say" in line for line in printed[1:])


@pytest.mark.parametrize("hostile", ["8", "100%", "-1", "0.5", "nan", "1e9", "half"])
def test_a_bad_number_of_hostile_reports_is_refused_in_one_line(hostile: str) -> None:
    assert "hostile reports must be" in run_refused(f"{ESTIMATE} --hostile={hostile} --out h.csv")
    assert not Path("h.csv").exists()


def test_post_processing_is_named() -> None:
    printed = read_json(run_ok(f"{ESTIMATE} --json --post consistent --method baseline"))
    assert printed["method"] == "baseline+consistent"
    assert sum(row["frequency"] for row in printed["estimates"]) <= GRR.padding
    assert run_ok(f"{ESTIMATE} --post consistent").splitlines()[0].endswith("method bayes+consistent")
    options = "--mechanism grr --json --post consistent"
    assert [row["method"] for row in read_json(run_ok(f"{SIMULATE} {options}"))] == ["bayes+consistent"]


def test_a_key_given_twice_counts_once() -> None:
    once, twice = (
        read_json(run_ok(f"{ESTIMATE} --json --key up {more}")) for more in ("--key heat", "--key heat --key up")
    )
    assert [row["key"] for row in once["estimates"]] == ["up", "heat"]
    assert twice == once
    assert "A key given twice counts once." in " ".join(run_ok("estimate --help").split())


def test_top_is_sorted_by_frequency() -> None:
    rows = read_json(run_ok(f"{ESTIMATE} --json --top 2"))["estimates"]
    assert [row["key"] for row in rows] == ["alien", "heat"]
    rows = read_json(run_ok(f"{ESTIMATE} --json --top 99"))["estimates"]
    assert [row["key"] for row in rows] == ["alien", "heat", "up"]


def test_the_table_is_sorted_and_says_what_it_comes_from() -> None:
    title, header, *rows, about_sets, about_keys, alarms = run_ok(ESTIMATE).splitlines()
    assert title.strip() == "8 reports, grr, realised ε 20, method bayes"
    assert header.split()[:2] == ["key", "frequency"]
    assert [row.split()[0] for row in rows] == ["alien", "heat", "up"]
    assert re.fullmatch(r"alien +38 % +\d+ to 100 % +\S+ +\S+ to \S+", rows[0])
    assert "out from the noise" in about_keys
    assert about_sets.startswith("How many pairs people hold is not known")
    assert alarms.startswith("Single reports of this mechanism cannot be tested")


def test_long_tables_are_cut_and_say_so() -> None:
    run_ok(f"{NEW} --keys 23 --mechanism ue")
    put({"new.parquet": forged_reports(Task.from_json(Path("new.json").read_bytes()), [bytes(6)], pa.binary())})
    title, header, *rows, more, _, about_keys, alarms = run_ok("estimate new.parquet --task new.json").splitlines()
    assert title.startswith("1 report, ")
    assert header.startswith("key")
    assert len(rows) == 20
    # One report says nothing, not even that a key is rare.
    assert all(re.match(r"\d+ +unknown +0 to 100 % +unknown ", row) for row in rows)
    assert about_keys.startswith("No key stands out from the noise: how frequent they are is unknown.")
    assert more == "… and 3 more keys (--out writes them all)"
    assert alarms == "Nothing unusual about the random parts of the reports."


@pytest.mark.parametrize(
    "key", ["[bold]x[/bold]", ":smile:", "back\\", "x" * 250], ids=["markup", "emoji", "backslash", "long"]
)
def test_keys_are_printed_as_they_are(key: str) -> None:
    put({"keys.txt": key.encode()})
    run_ok(f"{NEW} --keys-file keys.txt --mechanism ue")
    put({"new.parquet": forged_reports(Task.from_json(Path("new.json").read_bytes()), [bytes(2)], pa.binary())})
    assert run_ok("estimate new.parquet --task new.json").splitlines()[2].split()[0] == key


@pytest.mark.parametrize("options", ["", "--top 2"], ids=["all", "top"])
@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_tables_hold_what_is_printed(form: str, options: str) -> None:
    printed = read_json(run_ok(f"{ESTIMATE} --json --out new.{form} {options}"))
    if form == "json":
        assert read_json(Path("new.json").read_text(encoding="utf-8")) == printed
    elif form == "parquet":
        table = pq.read_table("new.parquet")
        assert table.to_pylist() == printed["estimates"]
        told = {
            name: read_json(table.schema.metadata[f"pckv.{name}".encode()].decode()) for name in Estimates.REPEATED[:2]
        }
        assert told == {name: printed[name] for name in told}
        assert table.schema.metadata[b"pckv.task"] == GRR.id.encode()
    else:
        with Path("new.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        repeated = {name: printed[name] for name in Estimates.REPEATED if name in printed}
        assert rows == [{name: str(value) for name, value in (row | repeated).items()} for row in printed["estimates"]]


@pytest.mark.parametrize(
    ("form", "start", "part"),
    [
        ("svg", b"<svg", b"movies: 3 keys"),
        ("png", b"\x89PNG\r\n\x1a\n", b"IEND"),
        ("html", b"<!DOCTYPE html>", b"alien"),
    ],
    ids=["svg", "png", "html"],
)
def test_pictures(form: str, start: bytes, part: bytes) -> None:
    assert "alien" in run_ok(f"{ESTIMATE} --plot new.{form}")
    data = Path(f"new.{form}").read_bytes()
    assert data.lstrip().startswith(start)
    assert part in data


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--level 0", "level must be between 0 and 1, not 0"),
        ("--level 1", "level must be between 0 and 1, not 1"),
        ("--level 1.5", "level must be between 0 and 1, not 1.5"),
        ("--level nan", "level must be between 0 and 1, not nan"),
        ("--out new.xlsx", "new.xlsx: results are written as .csv, .parquet or .json"),
        ("--out new", "new: results are written as .csv, .parquet or .json"),
        ("--plot new.gif", "pictures are written as .svg, .png or .html"),
        ("--plot new", "new: pictures are written as"),
        ("--out new.csv --plot new.gif", "pictures are written as"),
        ("--out new.csv --plot new.svg --level 2", "level must be"),
    ],
)
def test_bad_options_of_estimate(options: str, message: str) -> None:
    assert message in run_refused(f"{ESTIMATE} {options}")


def test_estimates_of_a_folder() -> None:
    Path("in").mkdir()
    Path("words.parquet").rename("in/words.parquet")
    put({"in/more.parquet": forged_reports(GRR, [5, 5], pa.int64())})
    assert read_json(run_ok("estimate in --task grr.json --json"))["reports"] == 10
    assert run_refused("estimate in in/more.parquet --task grr.json").startswith("pckv: in/more.parquet: given twice")


def test_a_picture_says_of_how_many_keys_it_shows_the_most_frequent() -> None:
    run_ok(f"{NEW} --keys 100 --mechanism ue")
    task = Task.from_json(Path("new.json").read_bytes())
    put({"new.parquet": forged_reports(task, [bytes(26)], pa.binary())})
    for options, title in (
        ("--top 10", "10 most frequent of 100 keys"),
        ("", "20 most frequent of 100 keys"),
    ):
        run_ok(f"estimate new.parquet --task new.json --plot new.svg --force {options}")
        assert title in Path("new.svg").read_text(encoding="utf-8")
