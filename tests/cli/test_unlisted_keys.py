"""Unlisted keys on the command line: `task new --other` and `--hashed`, `estimate --keys-file`."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from pckv import Tally, Task
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from support.cli import MOVIES, NEW, put, read_json, run, run_ok, run_refused

HASHED = Task(name="sites", keys="hashed", values=(1, 5), epsilon=6, padding=1, more="refuse")
OTHERS = Task(name="apps", keys=MOVIES, other="rest", values=(1, 5), epsilon=6, padding=1, more="refuse")
ASK = "estimate hashed.tally --task hashed.json"
SEE = "estimate others.tally --task others.json"


@pytest.fixture(autouse=True)
def _tallies() -> None:
    for name, task in (("hashed", HASHED), ("others", OTHERS)):
        tally = Tally(task)
        keys = np.array([task.held_index("heat"), task.held_index("brazil")] * 300)
        population = Population(np.arange(601), keys, np.tile([4.0, 2.0], 300))
        for batch in perturb_many(task, population, seeded_source(2)):
            tally.add_many(batch.messages)
        put({f"{name}.tally": bytes(tally), f"{name}.json": task.to_json().encode()})
    put({"candidates.txt": b"heat\nbrazil\nnobody holds this\n"})


def test_candidates_are_read_from_a_file() -> None:
    found = read_json(run_ok(f"{ASK} --keys-file candidates.txt --json"))
    assert [row["key"] for row in found["estimates"]] == ["heat", "brazil", "nobody holds this"]
    assert [row["detected"] for row in found["estimates"]] == [True, True, False]
    assert [row["collides"] for row in found["estimates"]] == [False, False, False]
    assert (found["method"], found["false_discovery_rate"]) == ("corrected", 0.05)
    stricter = run_ok(f"{ASK} --keys-file candidates.txt --key heat --key up --false-discovery-rate 0.01")
    assert "2 of 4 keys stand out from the noise (at most 1 % of such flags" in stricter
    run_ok(f"{ASK} --key heat --out found.csv")
    [row] = csv.DictReader(Path("found.csv").read_text(encoding="utf-8").splitlines())
    assert (row["key"], row["collides"]) == ("heat", "False")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "candidates.txt: the file is empty"),
        (b"a\nb\na\n", "candidates.txt, line 3 'a' is the same as line 1"),
        (b"a\n\nb\n", "candidates.txt, line 2 is empty"),
        (b"a\n" + b"x" * 257, "candidates.txt, line 2 'xxxxxxxxxxxxxxxxxxxx'… is longer than 256 bytes"),
        ("a\nb\ne\u0301\n".encode(), "candidates.txt, line 3 'e\u0301' is not in Unicode normal form C"),
        (b"a\nb\x07\n", "candidates.txt, line 2 'b\\x07' holds a control character"),
        (b"\xff\n", "candidates.txt: not UTF-8"),
    ],
)
def test_a_bad_file_of_candidates_is_refused_by_its_line(content: bytes, problem: str) -> None:
    put({"candidates.txt": content})
    assert problem in run_refused(f"{ASK} --keys-file candidates.txt --out new.csv")


def test_hashed_keys_must_be_named() -> None:
    assert "name the keys" in run_refused(ASK)
    assert "for hashed keys" in run_refused(f"{SEE} --false-discovery-rate 0.1")


def test_keys_of_a_list_may_come_from_a_file() -> None:
    put({"candidates.txt": b"heat\nrest\n"})
    found = read_json(run_ok(f"{SEE} --keys-file candidates.txt --json"))
    assert [row["key"] for row in found["estimates"]] == ["heat", "rest"]
    put({"candidates.txt": b"heat\nbrazil\n"})
    assert "key 'brazil' is not a key of task 'apps'" in run_refused(f"{SEE} --keys-file candidates.txt")


def test_keys_that_are_not_listed_are_shown_apart() -> None:
    lines = run_ok(SEE).splitlines()
    first, *others, last = (line.split("  ")[0] for line in lines[2:6])
    assert (first, sorted(others), last) == ("heat", ["alien", "up"], "rest (all unlisted keys)")
    assert any("of people hold keys that are not listed" in line for line in lines)
    found = read_json(run_ok(f"{SEE} --json --top 1"))
    assert [row["key"] for row in found["estimates"]] == ["heat", "rest"]
    assert found["other"] == "rest"


def test_tasks_with_a_key_for_all_others() -> None:
    put({"keys.txt": b"alien\nheat\n"})
    run_ok(f"{NEW} --keys-file keys.txt --other")
    task = Task.from_json(Path("new.json").read_bytes())
    assert (task.other, task.key_count) == ("other", 3)
    run_ok(f"{NEW} --keys-file keys.txt --force --other 'something else'")
    shown = read_json(run_ok("task show new.json --json"))
    assert (shown["keys"], shown["other"]) == (3, "something else")
    assert "name of a listed key, 'heat'" in run_refused(f"{NEW} --keys-file keys.txt --force --other heat")


def test_plans_for_hashed_keys() -> None:
    command = "plan --hashed --users 1000000 --epsilon 4 --pairs 2"
    printed = run_ok(f"{command} --candidates 500 --out new.json --name sites --low 1 --high 5")
    assert "stands out from the noise among 500 keys that are asked for" in printed
    assert Task.from_json(Path("new.json").read_bytes()).is_hashed
    few, usual = (read_json(run_ok(f"{command} --json {more}")) for more in ("--candidates 500", ""))
    assert (few["keys"], few["candidates"], usual["candidates"]) == ("hashed", 500, 10_000)
    assert few["smallest_frequency"] < usual["smallest_frequency"]
    assert "candidates are for hashed keys" in run_refused("plan --keys 3 --candidates 5 --users 9 --epsilon 1")
    assert "candidates must be at least 1" in run_refused(f"{command} --candidates 0")


def test_tasks_with_hashed_keys() -> None:
    made = run_ok(f"{NEW} --hashed --pairs 2")
    assert "536,870,911" not in made
    task = Task.from_json(Path("new.json").read_bytes())
    assert (task.is_hashed, task.mechanism) == (True, "collision")
    shown = read_json(run_ok("task show new.json --json"))
    assert (shown["keys"], shown["other"], shown["bytes_per_report"]) == ("hashed", None, 24)
    assert "left out where keys are hashed" in run_refused(f"{NEW} --hashed --force --other")
    assert "hashed keys need mechanism" in run_refused(f"{NEW} --hashed --force --mechanism grr")
    for options in ("", "--hashed --keys 3"):
        refused = run(f"{NEW} {options}")
        assert refused.exit_code == 2
        assert "give one of --keys-file, --keys and --hashed" in refused.stderr


def test_texts_that_cannot_be_keys_are_left_out_of_a_file() -> None:
    put({"pairs.csv": "user,key,value\n1,heat,4\n2,a\tb,4\n3,{},2\n3,cafe\u0301,1\n".format("x" * 257).encode()})
    command = "perturb pairs.csv --task hashed.json --user user --key key --value value"
    said = "2 pairs left out, with a text that cannot be a key"
    assert said in run_ok(f"{command} --check")
    assert run_ok(f"{command} --out new.parquet") == f"3 reports written to new.parquet, {said}\n"
