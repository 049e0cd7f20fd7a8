"""`pckv simulate`."""

from __future__ import annotations

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
        ("--plot new.gif", "new.gif: a picture is .svg, .png, .html"),
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


def test_help_names_every_mechanism_and_method() -> None:
    printed = " ".join(run_ok("simulate --help").split())
    assert f"auto, {', '.join(LAWS)}, or one of the paper's baselines {', '.join(BASELINE_NAMES)};" in printed
    assert f"[{'|'.join(METHODS)}]" in printed
