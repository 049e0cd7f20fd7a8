"""`pckv plan`."""

from __future__ import annotations

import json

import pytest

from pckv.planning.plan import plan
from support.cli import (
    put,
    read_json,
    run_ok,
    run_refused,
)


def test_plan() -> None:
    expected = plan(5850, 105_508, "1", 3)
    command = "plan --keys 5850 --users 105508 --epsilon 1 --pairs 3"
    printed = run_ok(command)
    assert printed.startswith(f"Recommended: {expected.mechanism} with padding {expected.padding}")
    assert f"\n→ {expected.mechanism}" in printed
    assert "Hostile reports" in printed
    assert read_json(run_ok(f"{command} --json")) == json.loads(json.dumps(expected.to_dict()))


def test_plan_from_sizes() -> None:
    put({"sizes.csv": b"size,people\n1,700\n2,150\n4,100\n9,40\n60,10\n"})
    expected = plan(5850, 105_508, "2", sizes={1: 700, 2: 150, 4: 100, 9: 40, 60: 10})
    command = "plan --keys 5850 --users 105508 --epsilon 2 --sizes sizes.csv"
    printed = run_ok(command)
    assert f"Recommended: {expected.mechanism} with padding {expected.padding}" in printed
    assert f"at a frequency of {expected.frequency:.1%} with 2.36 pairs per person" in printed
    assert "People hold 2.36 pairs on average; 90% of them hold at most 4." in printed
    ways = printed.partition(f"Ways to choose the padding of {expected.mechanism}:\n")[2].splitlines()[1:3]
    (usual,) = expected.alternatives
    for line, rule, padding in zip(
        ways,
        ("→ least predicted error", "  90% of the people hold at most that many"),
        (expected.padding, usual.padding),
        strict=True,
    ):
        assert line.startswith(rule)
        assert f" {padding} " in line
    assert "Ways to choose" not in run_ok("plan --keys 5850 --users 105508 --epsilon 2 --pairs 3")
    assert read_json(run_ok(f"{command} --json")) == json.loads(json.dumps(expected.to_dict()))
    at_frequency = read_json(run_ok(f"{command} --frequency 0.001 --json"))
    assert (at_frequency["frequency"], at_frequency["padding"]) == (0.001, 1)


@pytest.mark.parametrize("objective", ["both", "frequency", "mean"])
def test_plan_for_an_objective(objective: str) -> None:
    printed = run_ok(f"plan --keys 100 --users 50000 --epsilon 0.5 --objective {objective}")
    phrase = {"both": "both errors alike", "frequency": "the frequency", "mean": "the mean"}[objective]
    assert f"Chosen from these for {phrase}, at a frequency of 5.0%" in printed
    expected = plan(100, 50_000, "0.5", objective=objective)
    for option in expected.options:
        assert (
            option.reason_not_chosen == ""
            or f"{option.mechanism} is not chosen: {option.reason_not_chosen}." in printed
        )
        assert ", ".join(f"{name} {value}" for name, value in option.parameters.items()) in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--epsilon 0", "epsilon must be above 0"),
        ("--epsilon nan", "epsilon must be a finite number"),
        ("--keys 0", "keys must be at least 1"),
        ("--keys 2147483649", "keys must be at least 1 and at most 2^31, not 2147483649"),
        ("--users 0", "users must be at least 1"),
        ("--pairs 0", "pairs must be at least 1"),
        ("--pairs 11", "pairs must be at least 1 and at most the number of keys, not 11"),
        ("--frequency 0", "frequency must be"),
        ("--frequency nan", "frequency must be"),
        ("--epsilon 1e-30", "epsilon"),
        ("--frequency 1e-300", "frequency"),
        (f"--users 1{'0' * 400}", "users"),
        ("--sizes new.csv", "new.csv: No such file or directory"),
        ("--sizes .", ".: a file of sizes is .csv, .json, .parquet"),
        (
            "--sizes pairs.csv",
            "pairs.csv: there must be columns size and people, or the estimates of a pilot",
        ),
        ("--sizes grr.json", "grr.json: not the JSON of a pilot's estimates"),
        ("--sizes words.parquet", "words.parquet: there must be columns size and people"),
        ("--sizes sizes.csv --pairs 2", "pairs and sizes say the same: give one of them"),
    ],
    ids=lambda text: text[:30],
)
def test_bad_plans(options: str, message: str) -> None:
    put({"sizes.csv": b"size,people\n1,5\n"})
    assert message in run_refused(f"plan --keys 10 --users 100 --epsilon 1 {options}")
