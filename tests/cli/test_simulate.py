"""`pckv simulate`."""

from __future__ import annotations

import pytest

from pckv.channels import CHANNELS
from pckv.estimators.estimate import METHODS
from pckv.lab.baselines.registry import BASELINE_NAMES
from support.cli import (
    SIMULATE,
    read_json,
    run_ok,
    run_refused,
)


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
        ("--plot new.gif", "new.gif: a picture is .svg, .png, .html"),
        ("--low -inf", "low"),
        ("--seed -1", "seed"),
    ],
)
def test_bad_simulations(options: str, message: str) -> None:
    assert message in run_refused(f"{SIMULATE} {options}")


def test_help_names_every_mechanism_and_method() -> None:
    printed = " ".join(run_ok("simulate --help").split())
    assert (
        f"auto, {', '.join(CHANNELS)}, or one of the paper's baselines {', '.join(BASELINE_NAMES)};"
        in printed
    )
    assert f"[{'|'.join(METHODS)}]" in printed
