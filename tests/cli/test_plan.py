"""`pckv plan`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pckv import Tally, Task, estimate
from pckv.base.words import percent, two_digits
from pckv.planning.discovery import plan_discovery
from pckv.planning.planner import plan
from pckv.planning.sections import range_points
from support.cli import put, read_json, run, run_ok, run_refused
from support.tasks import a_task

PLAN = "plan --keys 100 --users 20000 --epsilon 1"
RATED = f"{PLAN} --levels 2"


def test_plan() -> None:
    expected = plan(100, 20_000, "1", 3, levels=2)
    printed = run_ok(f"{RATED} --pairs 3")
    lines = printed.splitlines()
    first, recommended, *others = expected.sections()
    last = 1 + len(first.sentences)
    assert lines[: last + 1] == [first.title, *first.sentences, ""]
    assert lines[last - 2 : last] == [expected.verdict, expected.assumed]
    assert lines[last + 1 : last + 3] == [
        "Recommended",
        f"{expected.mechanism} with padding {expected.padding}: a report has 24 bytes and stands for up to 5 pairs.",
    ]
    for section in (first, recommended, *others):
        assert {section.title, *section.sentences} <= set(lines)
    assert f"\n→ {expected.mechanism}" in printed
    assert f"about 80 % of the time, or more often, if {percent(expected.smallest_frequency)} of people" in printed
    assert f"the most frequent            {percent(expected.frequencies[0])}" in printed
    assert "method corrected" in printed
    assert "Guessing the overall mean for every key would typically be off by 0.577" in printed
    assert f"are assumed to hold more than {expected.padding} pairs" in printed
    assert "5 % of the reports measure how many hold more" in printed
    assert "Hostile reports" in printed
    assert read_json(run_ok(f"{RATED} --pairs 3 --json")) == json.loads(json.dumps(expected.to_dict()))


def test_hostile_reports_are_those_of_the_chosen_coin_and_limit() -> None:
    """With a server's coin, no device chooses a function: a plan for it does not say what such a choice would gain."""
    said = run_ok(f"{PLAN} --pairs 3 --coin server --most-influence 10")
    assert "one hostile report counts as at most 10 people for a key" in said
    gained = plan(100, 20_000, 1, 3, coin="server", most_influence=10).hostile.server_coin
    assert gained is not None
    hostile = said[said.index("Hostile reports") :].splitlines()[1]
    people = two_digits(gained.people)
    assert f"report counts as {people} people for a key, on average over the collector's coins; if 1 %" in hostile
    assert "at most" not in hostile
    assert "considered" not in run_ok(f"{PLAN} --pairs 3")


def test_verbose_prints_the_probabilities_and_parameters() -> None:
    """They are in the JSON always, and in words only on request."""
    plan_of = f"{RATED} --pairs 3"
    facts = read_json(run_ok(f"{plan_of} --json"))
    short, long = run_ok(plan_of), run_ok(f"{plan_of} --verbose")
    assert set(short.splitlines()) < set(long.splitlines())
    for name in ("a", "b", "p"):
        assert re.search(rf"^{name} +{facts[name]:.9f} ", long, re.MULTILINE)
        assert f"{facts[name]:.5f}" not in short
    for name, value in facts["parameters"].items():
        assert re.search(rf"^{name} +{value} +parameter of {facts['mechanism']}$", long, re.MULTILINE)


def test_a_padding_that_shows_what_people_hold() -> None:
    """The commands of the first page and of the form, whose paddings once were 2 and 1."""
    assert 4 <= read_json(run_ok(f"{PLAN} --pairs 3 --json"))["padding"] <= 6
    assert read_json(run_ok("plan --keys 12 --users 500 --epsilon 2 --pairs 3 --json"))["padding"] >= 3


def test_plan_in_the_units_of_the_values() -> None:
    printed = run_ok(f"{PLAN} --pairs 3 --low 1 --high 5")
    assert "mean, of [1, 5]" in printed
    assert "off by 1.15" in printed
    assert read_json(run_ok(f"{PLAN} --pairs 3 --low 1 --high 5 --json")) == json.loads(
        json.dumps(plan(100, 20_000, 1, 3, values=(1, 5)).to_dict())
    )


def test_a_plan_writes_the_task_that_task_new_makes() -> None:
    people = "--users 20000 --epsilon 1 --pairs 2 --most-pairs 3"
    survey = "--name movies --keys-file keys.txt --low 1 --high 5"
    printed = run_ok(f"plan {people} {survey} --out planned.json")
    assert "\nRecommended\n" in printed
    assert run_ok(f"task new {people} {survey} --out new.json")
    task = Task.from_json(Path("planned.json").read_bytes())
    assert Path("new.json").read_bytes() == Path("planned.json").read_bytes()
    expected = plan(3, 20_000, 1, 2, most_pairs=3, levels=2)
    assert (task.mechanism, task.padding, task.size_share) == (
        expected.mechanism,
        expected.padding,
        expected.size_share,
    )
    assert run(f"plan {people} {survey} --out planned.json").exit_code == 1
    assert run_ok(f"plan {people} {survey} --out planned.json --force")


def test_plan_from_sizes() -> None:
    put({"sizes.csv": b"size,people\n1,700\n2,150\n4,100\n9,40\n60,10\n"})
    expected = plan(5850, 105_508, "2", sizes={1: 700, 2: 150, 4: 100, 9: 40, 60: 10})
    command = "plan --keys 5850 --users 105508 --epsilon 2 --sizes sizes.csv"
    printed = run_ok(command)
    assert ", 1 to 60 keys per person, 2.36 on average" in printed
    ways = printed.partition("Other ways to choose, with their 95 % ranges\n")[2].splitlines()[1:4]
    usual, rarer = expected.alternatives
    for line, rule, padding in zip(
        ways,
        (
            "→ least predicted error",
            "  90 % of the people hold at most that many",
            "  if those keys are 10 times as rare",
        ),
        (expected.padding, usual.padding, rarer.padding),
        strict=True,
    ):
        assert line.startswith(rule)
        assert f" {padding} " in line
    assert read_json(run_ok(f"{command} --json")) == json.loads(json.dumps(expected.to_dict()))
    at_frequency = read_json(run_ok(f"{command} --frequency 0.001 --json"))
    assert (at_frequency["frequencies"], at_frequency["padding"]) == ([0.001], 1)


def test_plan_from_an_earlier_task() -> None:
    """A first task with padding 2 in which a third of the people held 3 pairs, by its tally and by its estimates."""
    task = a_task(name="first", keys=50, epsilon=20, padding=2, mechanism="grr", size_share="0.5")
    assert task.size_question is not None
    tally = Tally(task)
    limit = task.law.word_limit
    assert limit is not None
    tally.add_many(np.repeat(np.array([0, limit, limit + 1]), [3000, 2000, 1000]))
    put({"first.json": task.to_json().encode(), "first.tally": bytes(tally)})
    Path("estimates.json").write_text(estimate(tally).to_json(), encoding="utf-8")
    command = "plan --keys 50 --users 1000000 --epsilon 4 --levels 2 --json"
    by_tally = read_json(run_ok(f"{command} --sizes first.tally --sizes-task first.json"))
    assert ", 2 to 3 pairs per person, 2.33 on average" in by_tally["assumed"]
    assert by_tally["padding"] == 3
    by_estimates = read_json(run_ok(f"{command} --sizes estimates.json"))
    assert by_estimates == by_tally
    refused = run_refused("plan --keys 50 --users 100 --epsilon 4 --sizes first.tally --sizes-task grr.json")
    assert refused.startswith("pckv: first.tally: ")
    assert "says how many pairs" in run_refused(
        "plan --keys 50 --users 100 --epsilon 4 --sizes good.tally --sizes-task grr.json"
    )


@pytest.mark.parametrize("objective", ["both", "frequency", "mean", "mse"])
def test_plan_for_an_objective(objective: str) -> None:
    printed = run_ok(f"plan --keys 100 --users 50000 --epsilon 0.5 --levels 2 --objective {objective}")
    phrase = {
        "both": "frequencies and means alike",
        "frequency": "frequencies",
        "mean": "means",
        "mse": "frequencies, also where larger sets bias them",
    }[objective]
    assert f"Mechanisms compared for {phrase}; 95 % ranges at a frequency of" in printed
    expected = plan(100, 50_000, "0.5", objective=objective, levels=2)
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
        ("--users 0", "users must be a whole number of at least 1"),
        ("--pairs 0", "pairs must be at least 0.000001, not 0"),
        ("--pairs nan", "pairs must be at least 0.000001"),
        (
            "--holding 0",
            "holding, the share of people who hold any pair, must be at least 0.000001 and at most 1, not 0",
        ),
        ("--holding 40", "must be at least 0.000001 and at most 1, not 40"),
        ("--pairs 0.3 --holding 0.4", "pairs must be at least the share of people who hold any (0.4), not 0.3"),
        ("--holding 0.4 --frequency 0.5", "at most the share of people who hold any pair (0.4), not 0.5"),
        ("--pairs 11", "pairs must be at most the number of keys (10), not 11"),
        ("--pairs 3 --most-pairs 2", "most pairs must be at least the 3 pairs of the average"),
        ("--most-pairs 11", "at most the number of keys (10), not 11"),
        ("--frequency 0", "frequency must be"),
        ("--frequency nan", "frequency must be"),
        ("--epsilon 1e-30", "epsilon"),
        ("--frequency 1e-300", "frequency"),
        (f"--users 1{'0' * 400}", "users"),
        ("--low 5 --high 1", "low must be below high"),
        ("--low x --high 1", "low"),
        ("--sizes new.csv", "new.csv: No such file or directory"),
        ("--sizes .", ".: sizes are read from .csv, .parquet or .json, or from a tally and its task"),
        ("--sizes pairs.csv", "pairs.csv: there must be columns size and people"),
        ("--sizes grr.json", "grr.json: not the JSON of a task's estimates"),
        ("--sizes words.parquet", "words.parquet: there must be columns size and people"),
        ("--sizes sizes.csv --pairs 2", "sizes say how many pairs people hold"),
        (
            "--sizes negative.csv",
            "negative.csv: size 1: people must be at least 0 and at most 10^15, not '-5'",
        ),
        ("--sizes nobody.csv", "nobody.csv: sizes of 0 people: there must be people"),
    ],
    ids=lambda text: text[:30],
)
def test_bad_plans(options: str, message: str) -> None:
    put(
        {
            "sizes.csv": b"size,people\n1,5\n",
            "negative.csv": b"size,people\n1,-5\n2,9\n",
            "nobody.csv": b"size,people\n1,0\n",
        }
    )
    assert message in run_refused(f"plan --keys 10 --users 100 --epsilon 1 {options}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "give one of --keys-file, --keys and --hashed"),
        ("--keys 3 --keys-file keys.txt", "give one of --keys-file, --keys and --hashed"),
        ("--keys 3 --low 1", "give both --low and --high"),
        ("--keys 3 --out new.json", "give --name, too, and with --levels --low and --high"),
        ("--keys 3 --low 1 --high 5 --out new.json", "give --name, too, and with --levels --low and --high"),
        ("--keys 3 --low 1 --high 5 --name x --out -", "name a file"),
        ("--keys 3 --low 1 --high 5 --name x --out new.json --json", "leave out --json"),
        ("--keys 3 --sizes-task grr.json", "--sizes-task is for the tally that --sizes names"),
    ],
)
def test_wrong_usage(options: str, message: str) -> None:
    result = run(f"plan --users 100 --epsilon 1 {options}")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("new.json").exists()


def test_a_series_has_the_errors_of_its_rounds() -> None:
    command = "plan --keys 20 --users 10000 --epsilon 2"
    printed = run_ok(f"{command} --panels 4 --rounds 8 --drift .01")
    assert "As a series: 4 panels, about 2,500 reports per round; 95 % ranges of frequencies\n" in printed
    assert "smoothed, drift 1 point per round" in printed
    assert "over all 8 rounds it spends at most ε = 4." in printed
    assert "As a series" not in run_ok(command)
    assert read_json(run_ok(f"{command} --panels 2 --json"))["series"]["rounds"] == 8
    assert run(f"{command} --rounds 8").exit_code == 2


def test_the_task_of_a_planned_series_is_chosen_for_the_people_of_one_round() -> None:
    command = "plan --keys 20 --epsilon 2 --pairs 3 --name movies --low 1 --high 5"
    run_ok(f"{command} --users 12000 --panels 4 --out series.json")
    run_ok(f"{command} --users 3000 --out round.json")
    run_ok(f"{command} --users 12000 --out whole.json")
    assert Path("series.json").read_bytes() == Path("round.json").read_bytes()
    assert Path("series.json").read_bytes() != Path("whole.json").read_bytes()


LEVELS = f"{PLAN} --pairs 3 --levels 1,2,3,4,5"


def test_plan_for_levels() -> None:
    """The table has a column more, what levels cost is said, and the JSON has both; none of it with two levels."""
    expected = plan(100, 20_000, "1", 3, levels=[1, 2, 3, 4, 5])
    levels = expected.levels
    assert levels is not None
    printed = run_ok(LEVELS)
    assert f"\n{expected.sections()[0].sentences[1]}\n" in printed
    assert "mean, of [1, 5]" in printed
    first = next(line for line in printed.splitlines() if line.startswith("the most frequent "))
    assert first.endswith(f" {range_points(expected.errors[0].share_error or 0)}")
    assert f"would typically be off by {two_digits(100 * levels.guessed_share_error)} points" in printed
    assert read_json(run_ok(f"{LEVELS} --json")) == json.loads(json.dumps(expected.to_dict()))
    assert "with the level of its value" in run_ok(f"{LEVELS} --verbose")
    assert "level" not in run_ok(f"{RATED} --pairs 3")


def test_plan_writes_a_task_with_levels() -> None:
    options = "--low 1 --high 5 --name stars --out stars.json"
    run_ok(f"{LEVELS} {options}")
    task = Task.from_json(Path("stars.json").read_bytes())
    assert task.domain.values.levels == ("1", "2", "3", "4", "5")
    found = plan(100, 20_000, "1", 3, levels=[1, 2, 3, 4, 5])
    assert (task.mechanism, task.padding, task.parameters) == (
        found.mechanism,
        found.padding,
        found.parameters,
    )
    run_ok(f"{PLAN} --pairs 3 --levels 3 {options} --force")
    assert Task.from_json(Path("stars.json").read_bytes()).domain.values.levels == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--levels 1", "levels must be at least 2 and at most 16"),
        ("--levels 17", "levels must be at least 2 and at most 16"),
        ("--levels 1,3,2,5", "levels must ascend: 3 is followed by 2"),
        ("--levels 1,2,6 --low 1 --high 5", "level 6 is not within [1, 5]"),
        ("--levels 2,3,5 --low 1 --high 5", "the levels must begin with 1 and end with 5"),
    ],
)
def test_bad_levels(options: str, message: str) -> None:
    assert message in run_refused(f"{PLAN} {options}")


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ("1,,5", "'1,,5' is neither a number of levels nor their values, separated by commas."),
        ("five", "'five' is neither a number of levels nor their values, separated by commas."),
        ("2.5", "'2.5' is not a whole number of levels."),
    ],
)
def test_what_are_no_levels_is_a_usage_error(levels: str, message: str) -> None:
    refused = run(f"{PLAN} --levels {levels}")
    assert refused.exit_code == 2
    assert message in refused.stderr


def test_a_plan_for_a_mixer() -> None:
    """All people take part through it unless more are named; what its task needs is in the JSON."""
    expected = plan(2, 2000, "0.5", mixed=2000)
    assert expected.mixed is not None
    asked = "plan --keys 2 --mixed 2000 --epsilon 0.5"
    lines = run_ok(f"{asked} --wide").splitlines()
    for section in expected.sections():
        assert {section.title, *section.sentences} <= set(lines)
    found = read_json(run_ok(f"{asked} --json"))
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert found["mixed"]["mixer"] == {"batch": 1000, "honest": 750, "epsilon": "0.5", "delta": "0.000001"}
    assert found["epsilon"] == expected.mixed.local_epsilon > 1
    assert read_json(run_ok(f"{PLAN} --json"))["mixed"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--epsilon 1", "give --users, how many people will take part, or --mixed"),
        ("--users 100", "Missing option '--epsilon'"),
        ("--mixed 100 --epsilon 1 --out task.json --name x --low 1 --high 5", "--out is not for --mixed"),
        ("--mixed 100 --epsilon 1 --rounds 4", "give --panels, too"),
    ],
)
def test_what_a_plan_needs(options: str, message: str) -> None:
    result = run(f"plan --keys 100 {options}")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("task.json").exists()


def test_a_discovery_is_planned_for_a_mixer_too() -> None:
    expected = plan_discovery(users=3000, mixed=2000, epsilon="0.5", characters=3)
    asked = "plan --discover --characters 3 --users 3000 --mixed 2000 --epsilon 0.5"
    lines = run_ok(asked).splitlines()
    for section in expected.sections():
        assert {section.title, *section.sentences} <= set(lines)
    assert read_json(run_ok(f"{asked} --json"))["mixed"]["mixer"]["honest"] == 750
