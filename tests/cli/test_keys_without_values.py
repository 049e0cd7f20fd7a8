"""Keys without values on the command line: the whole way, with no word of means, and one line for bad input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Series, Tally, Task, perturb
from pckv.base.errors import PairsError
from support.cli import put, run, run_ok, run_refused
from support.faults import Fault, in_place
from support.tiers import wide

NEW = "--name drinks --keys-file drinks.txt --epsilon 3 --users 2000 --pairs 2"
COLUMNS = "--user user --key key"
ABOUT_VALUES = re.compile(r"\b(means?|mean_\w+|ratings?|stars?|pairs?)\b")
DRINKS = Task(name="drinks", keys=["tea", "milk", "cocoa"], epsilon=3, users=2000, pairs=2)
# Sets of keys, each as often as its number says; the last people hold none.
SETS = {("tea",): 400, ("tea", "milk"): 300, ("milk", "cocoa"): 200, (): 100}


@pytest.fixture(autouse=True)
def files() -> None:
    """Write keys, a task without values, and what people hold, a row per key or a list per person."""
    people = [held for held, count in SETS.items() for _ in range(count)]
    rows = [f"{user},{key}" for user, held in enumerate(people) for key in held or ("",)]
    put({"drinks.txt": b"tea\nmilk\ncocoa\n", "held.csv": "\n".join(["user,key", *rows]).encode()})
    pq.write_table(pa.table({"user": range(len(people)), "key": [list(held) for held in people]}), "lists.parquet")
    Path("drinks.json").write_text(DRINKS.to_json(), encoding="utf-8")


def check_words(printed: str) -> None:
    """Check that nothing is said of values."""
    assert {match[0] for match in ABOUT_VALUES.finditer(printed)} == set(), printed


def test_the_whole_way() -> None:
    check_words(run_ok("task show drinks.json"))
    check_words(run_ok(f"plan {NEW} --out planned.json --verbose"))
    assert "mean" not in run_ok("plan --keys 3 --users 2000 --epsilon 3 --pairs 2 --json")
    assert run_ok(f"task new {NEW} --out new.json")
    assert Path("new.json").read_bytes() == Path("planned.json").read_bytes() == Path("drinks.json").read_bytes()
    for data in ("held.csv", "lists.parquet"):
        printed = run_ok(f"perturb {data} --task drinks.json {COLUMNS} --out reports.parquet --force")
        check_words(printed)
        assert printed.startswith("1,000 reports written")
    check_words(run_ok("tally reports.parquet --task drinks.json --out drinks.tally"))
    check_words(run_ok("estimate drinks.tally --task drinks.json --out e.csv"))
    check_words(run_ok("estimate drinks.tally --task drinks.json --method corrected --hostile 5"))
    check_words(Path("e.csv").read_text(encoding="utf-8"))
    document = json.loads(run_ok("estimate drinks.tally --task drinks.json --json"))
    assert [set(row) for row in document["estimates"]] == [
        {"key", "frequency", "frequency_low", "frequency_high", "detected"}
    ] * 3


def test_a_series() -> None:
    check_words(run_ok(f"series new {NEW} --first 2031-01-06 --period 7 --panels 2 --out series.json"))
    check_words(run_ok("series show series.json"))
    for number in (1, 2):
        run_ok(f"series task series.json --round {number} --out round-{number}.json")
        run_ok(f"perturb held.csv --task round-{number}.json {COLUMNS} --out round-{number}.parquet")
    check_words(run_ok("trend series.json round-1.parquet round-2.parquet --out trend.csv"))
    assert "mean" not in Path("trend.csv").read_text(encoding="utf-8").partition("\n")[0]


@pytest.mark.verify
def test_charts() -> None:
    run_ok(f"perturb held.csv --task drinks.json {COLUMNS} --out reports.parquet")
    run_ok("estimate reports.parquet --task drinks.json --plot e.svg")
    series = Series(task=DRINKS, first="2031-01-06", period=7, panels=1)
    put({"s.json": series.to_json().encode(), "round.json": series.task_of(1).to_json().encode()})
    run_ok(f"perturb held.csv --task round.json {COLUMNS} --out round.parquet")
    run_ok("trend s.json round.parquet --plot trend.svg")
    for chart in ("e.svg", "trend.svg"):
        check_words(Path(chart).read_text(encoding="utf-8"))


@pytest.mark.verify
def test_a_simulation() -> None:
    simulate = f"simulate held.csv {COLUMNS} --epsilon 2 --repeats 2 --workers 1"
    check_words(run_ok(f"{simulate} --mechanism ue --mechanism auto --out rows.csv --plot errors.svg"))
    check_words(Path("rows.csv").read_text(encoding="utf-8").partition("\n")[0])
    check_words(Path("errors.svg").read_text(encoding="utf-8"))


def test_a_key_is_held_once_and_others_are_counted() -> None:
    put({"again.csv": b"user,key\n1,tea\n1,tea\n1,cola\n2,\n3,beer\n3,cola\n"})
    run_ok(f"task new {NEW} --other --out with-other.json")
    said = run_ok(f"perturb again.csv --task with-other.json {COLUMNS} --check")
    check_words(said)
    assert "1 key merged with the same key of the same user." in said
    assert "3 held keys are not listed by the task and count as 'other'. The keys, with their numbers: " in said


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("perturb held.csv --task drinks.json --user user --key key --value stars", "are not for this task"),
        ("perturb held.csv --task drinks.json --user user --key key --clip", "are not for this task"),
        ("perturb held.csv --task drinks.json --user user --key key --repeated last", "are not for this task"),
        ("task new --name x --keys 3 --epsilon 1 --users 9 --levels 5", "--levels needs values: give --low and --high"),
        ("task new --name x --keys 3 --epsilon 1 --users 9 --low 1", "--low"),
        ("plan --keys 3 --epsilon 1 --users 9 --name x --levels 5", "--levels"),
        ("simulate held.csv --user user --key key --epsilon 1 --levels 5", "are about values: name their column"),
        ("simulate held.csv --user user --key key --epsilon 1 --low 1", "are about values: name their column"),
    ],
)
def test_options_of_values_are_refused(command: str, message: str) -> None:
    refused = run(f"{command} --out new.parquet")
    assert refused.exit_code == 2
    assert message in refused.stderr.splitlines()[-1]
    assert not Path("new.parquet").exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("plan --keys 3 --epsilon 1 --users 9 --objective mean", "objective 'mean' needs values"),
        (f"task new {NEW} --between round --out new.json", "keys without values have no levels"),
        (f"task new {NEW} --objective mean --out new.json", "objective 'mean' needs values"),
        (f"simulate held.csv {COLUMNS} --epsilon 1 --mechanism kvue", "mechanism 'kvue' needs values"),
        ("estimate drinks.tally --task drinks.json --quantile 0.5", "more than two levels"),
    ],
)
def test_what_needs_values_is_refused_in_one_line(command: str, message: str) -> None:
    Path("drinks.tally").write_bytes(bytes(Tally(DRINKS)))
    refused = run_refused(command)
    assert message in refused
    assert refused.count("\n") <= 1
    assert not Path("new.json").exists()


def test_a_file_of_pairs_needs_no_values() -> None:
    """A column of values that is not named is not read."""
    put({"rated.csv": b"user,key,value\nann,tea,9\nbob,milk,\n"})
    assert run_ok(f"perturb rated.csv --task drinks.json {COLUMNS} --out two.parquet").startswith("2 reports written")
    assert not Task.from_json(Path("drinks.json").read_bytes()).has_values


def check_kept_from_values() -> None:
    """Check that a column of values is refused, and a mapping, too."""
    assert run(f"perturb held.csv --task drinks.json {COLUMNS} --value stars --out new.parquet").exit_code == 2
    refused = ""
    try:
        perturb(DRINKS, {"tea": 1})
    except PairsError as error:
        refused = str(error)
    assert "takes a list of keys, which have no values" in refused


CHECKS = (test_the_whole_way, test_a_series, test_a_key_is_held_once_and_others_are_counted, check_kept_from_values)
FAULTS = [
    in_place(
        "a column of values is read",
        "cli/perturb.py",
        {"if not task.has_values and (columns.value or clip": "if not task.has_values and (clip"},
        check_kept_from_values,
    ),
    *wide(
        in_place(
            "a mapping is taken for a list",
            "device/perturb.py",
            {"isinstance(held, str | bytes | Mapping)": "isinstance(held, str | bytes)"},
            check_kept_from_values,
        ),
        in_place(
            "a key that a user has twice is refused",
            "files/pairs/population.py",
            {"else cls(repeated=LAST)": "else cls(clip, repeated)"},
            test_a_key_is_held_once_and_others_are_counted,
        ),
        in_place(
            "people hold pairs",
            "contract/domain.py",
            {'"pair" if self.has_values else "key"': '"pair"'},
            test_the_whole_way,
        ),
        in_place(
            "estimates have columns of means",
            "estimators/results/key_estimate.py",
            {"return COLUMNS if has_means else tuple(": "return COLUMNS or tuple("},
            test_the_whole_way,
        ),
        in_place(
            "trends have columns of means",
            "estimators/results/trend.py",
            {"return COLUMNS if has_means else tuple(": "return COLUMNS or tuple("},
            test_a_series,
        ),
        in_place(
            "a plan has errors of means",
            "planning/planner.py",
            {"errors.mean if option.expected.question.has_values else None": "errors.mean"},
            test_the_whole_way,
        ),
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_planted_faults_are_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


@pytest.mark.verify
@pytest.mark.parametrize("check", CHECKS)
def test_the_checks_of_planted_faults_pass_on_the_shipped_code(check: Callable[[], None]) -> None:
    check()
