"""A discovery from the command line: make its task, perturb a file of texts, find the keys, and measure them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pckv import Task
from support.cli import put, run, run_ok, run_refused
from support.texts import tally_of

TASK = "task new --discover --name terms --epsilon 2 --alphabet abcdef --characters 4 --out terms.json"
PERTURB = "perturb terms.csv --task terms.json --user user --key term --out new.parquet"
DISCOVER = "discover new.parquet --task terms.json"
USERS = 4_000


@pytest.fixture
def reports() -> None:
    """Write the reports of people of whom a third each hold one of two texts, and one holds something else."""
    texts = ["face", "bad", ""]
    rows = "".join(f"u{user},{texts[user % 3]}\n" for user in range(USERS))
    put({"terms.csv": f"user,term\n{rows}x,Ätsch\n".encode()})
    run_ok(TASK)
    said = f"{USERS + 1:,} reports written to new.parquet, 1 text left out, for it cannot be found\n"
    assert run_ok(PERTURB) == said


@pytest.mark.usefixtures("reports")
def test_from_texts_to_the_keys_of_a_measurement() -> None:
    """At ε 2 a third of 4,000 people stands out in every group: the chance to miss one is below 10^-9."""
    printed = run_ok(f"{DISCOVER} --out found.txt")
    assert "4,001 reports, realised ε 2, at most 1 % false discoveries on average" in printed
    assert "95 % interval" in printed
    assert " may be longer: only the first 4 characters are found." in printed
    assert {"face", "bad"} <= set(Path("found.txt").read_text(encoding="utf-8").splitlines())
    run_ok("task new --name minutes --keys-file found.txt --low 0 --high 9 --epsilon 1 --users 900 --out measure.json")
    assert "face" in Task.from_json(Path("measure.json").read_bytes()).keys  # type: ignore[operator]


@pytest.mark.usefixtures("reports")
def test_a_tally_gives_the_same_keys_as_its_reports() -> None:
    run_ok("tally new.parquet --task terms.json --out new.tally")
    run_ok("tally new.parquet --task terms.json --out duckdb.tally --engine duckdb")
    assert Path("duckdb.tally").read_bytes() == Path("new.tally").read_bytes()
    of_reports = run_ok(f"{DISCOVER} --json")
    assert run_ok("discover new.tally --task terms.json --json") == of_reports
    first = json.loads(run_ok(f"{DISCOVER} --top 1 --json"))
    assert first["keys"] == json.loads(of_reports)["keys"][:1]
    assert first["tree"][0].keys() >= {"prefix", "length", "frequency", "frequency_low", "leads_to_key"}
    for suffix in ("csv", "json"):
        run_ok(f"{DISCOVER} --out keys.{suffix}")
        assert "face" in Path(f"keys.{suffix}").read_text(encoding="utf-8")
    run_ok(f"{DISCOVER} --out keys.parquet --plot keys.svg")
    assert "face" in pq.read_table("keys.parquet").column("key").to_pylist()
    assert "face" in Path("keys.svg").read_text(encoding="utf-8")


def test_nothing_found_is_said() -> None:
    task = Task.discovery(name="terms", epsilon=1, characters=2)
    put({"terms.json": task.to_json().encode(), "few.tally": bytes(tally_of(task, {}, 100, seed=1))})
    assert "\nNo key was found among 100 reports." in run_ok("discover few.tally --task terms.json")


def test_a_task_says_what_it_finds() -> None:
    run_ok(f"{TASK} --groups 2 --padding 2 --closes 2027-01-01")
    shown = json.loads(run_ok("task show terms.json --json"))
    assert shown["kind"] == "discovery"
    assert shown["keys"] == {"alphabet": "abcdef", "characters": 4, "groups": 2}
    assert (shown["padding"], shown["closes"]) == (2, "2027-01-01")


def test_plans_say_which_frequency_is_found() -> None:
    printed = run_ok("plan --discover --users 1000000 --epsilon 2")
    assert "A text of 24 characters that 2.1 % of the people hold is found 80 % of the time" in printed
    few = run_ok("plan --discover --users 100 --epsilon 1")
    assert few.startswith("Too few people\nNo text of 24 characters is sure to be found")
    planned = json.loads(run_ok("plan --discover --users 1000000 --epsilon 4 --characters 12 --json"))
    assert planned["groups"] == 12
    assert planned["rule_of_thumb"] < planned["frequency"] < 0.005
    longer = json.loads(run_ok("plan --discover --users 1000000 --epsilon 4 --characters 12 --padding 5 --json"))
    assert planned["frequency"] < longer["frequency"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("task new --discover --name t --low 1 --epsilon 1 --out t.json", "--low is not for --discover"),
        ("task new --name t --groups 3 --epsilon 1 --out t.json", "--groups is for --discover"),
        ("task new --name t --keys 3 --epsilon 1 --levels 3 --out t.json", "--levels needs values"),
        ("plan --discover --users 5 --epsilon 1 --pairs 2", "--pairs is not for --discover"),
        ("plan --discover --users 5", "Missing option '--epsilon'"),
        ("plan --keys 5 --users 5 --epsilon 1 --padding 2", "--padding is for --discover"),
        (f"{PERTURB} --value v", "are not for a discovery, which has no values"),
        (
            "perturb pairs.csv --task grr.json --user user --key key --out n.parquet",
            "Missing option '--value'",
        ),
    ],
)
def test_wrong_usage(command: str, message: str) -> None:
    run_ok(TASK)
    result = run(command)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("discover words.parquet --task grr.json", "task 'movies' is not a discovery, but about 3 keys"),
        (
            "discover none.tally --task terms.json",
            "'terms' has more groups than reports: 4 groups, 3 reports",
        ),
        (
            "estimate none.tally --task terms.json",
            "task 'terms' is a discovery: pckv discover finds its keys",
        ),
        (
            "discover none.tally --task terms.json --out keys.md",
            "keys.md: results are written as .txt, .csv, .parquet or .json",
        ),
        ("discover none.tally --task terms.json --level 2", "level must be between 0 and 1"),
        ("plan --discover --users 0 --epsilon 1", "users must be a whole number from 1 on"),
    ],
)
def test_refused(command: str, message: str) -> None:
    run_ok(TASK)
    task = Task.from_json(Path("terms.json").read_bytes())
    put({"none.tally": bytes(tally_of(task, {}, 3, seed=1))})
    assert message in run_refused(command)
