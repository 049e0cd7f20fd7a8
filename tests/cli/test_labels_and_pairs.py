"""Labels and keys together on the command line: the whole way, and one line for what cannot be."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from pckv import Estimates, Series, Task
from support.cli import contents, put, read_json, run, run_ok, run_refused

DRINKS = ("tea", "milk", "cocoa", "water")
NEW = "--name drinks --keys-file drinks.txt --epsilon 8 --users 2000 --pairs 2 --most-pairs 2"
LABELS, TOGETHER = '--segment "age=under 30,over 30"', "--together"
COLUMNS = "--user user --key key"
# Reports have the system's randomness: at this level an interval misses once in a million times.
SURE = "--level 0.999999"
# Labels and keys that people hold, and how many do.
SETS = {
    ("under 30", ("tea", "milk")): 500,
    ("under 30", ("cocoa",)): 300,
    ("over 30", ("tea", "water")): 150,
    ("over 30", ("water",)): 900,
    ("over 30", ()): 150,
}


@pytest.fixture(autouse=True)
def files() -> None:
    people = [held for held, count in SETS.items() for _ in range(count)]
    rows = [f"{user},{key},{label}" for user, (label, keys) in enumerate(people) for key in keys or ("",)]
    put({"drinks.txt": "\n".join(DRINKS).encode(), "held.csv": "\n".join(["user,key,age", *rows]).encode()})


def collect(options: str) -> Task:
    """Make a task with some options, and reports of the people."""
    columns = f"{COLUMNS} --segment age" if options == LABELS else COLUMNS
    assert run_ok(f"task new {NEW} {options} --out task.json")
    printed = run_ok(f"perturb held.csv --task task.json {columns} --out reports.parquet")
    assert printed.startswith("2,000 reports written")
    run_ok("tally reports.parquet --task task.json --out counts.tally")
    return Task.from_json(Path("task.json").read_bytes())


@pytest.mark.verify
def test_by_label() -> None:
    task = collect(LABELS)
    assert task.segment is not None
    assert (task.segment.name, task.segment.labels) == ("age", ("under 30", "over 30"))
    put({"labels.txt": b" under 30\nover 30 \n"})
    assert run_ok(f"task new {NEW} --segment age=labels.txt --out file.json")
    assert Path("file.json").read_bytes() == Path("task.json").read_bytes()
    printed = run_ok("estimate counts.tally --task task.json")
    # Overall, then labels, then keys within them, then what differs, and what that says.
    places = [
        printed.index(text)
        for text in (
            *(
                "\nkey ",
                "Labels of “age”",
                "Shares within the labels of “age”, those",
                "Shares that differ between labels",
            ),
            "differences of shares between labels of “age” stand out from the noise",
        )
    ]
    assert places == sorted(places)
    assert "under 30  cocoa" in printed
    document = read_json(run_ok(f"estimate counts.tally --task task.json {SURE} --json"))
    assert {row["segment"] for row in document["segments"]["cells"]} == {"under 30", "over 30"}
    del document["alarms"]
    segments = Estimates.from_dict(document).segments
    assert segments is not None
    shares = {(row.segment, row.key): (row.share_low, row.share_high) for row in segments.cells}
    low, high = shares["under 30", "milk"]
    assert low < 500 / 800 < high
    alone = run_ok("estimate counts.tally --task task.json --within --out cells.csv")
    assert "Labels of" not in alone
    assert "Within the labels of “age”" in alone
    with Path("cells.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["segment"], row["key"]) for row in rows] == [(row.segment, row.key) for row in segments.cells]


def test_no_pair_is_said_with_what_was_counted() -> None:
    run_ok(f"task new {NEW} {TOGETHER} --out task.json")
    put({"none.csv": b"user,key\n1,tea\n2,milk\n"})
    run_ok(f"perturb none.csv --task task.json {COLUMNS} --out reports.parquet")
    printed = run_ok("estimate reports.parquet --task task.json --pairs")
    assert printed.startswith("2 reports, grr, realised ε ")
    assert "No two keys together stand out from the noise." in printed


@pytest.mark.verify
def test_together() -> None:
    assert collect(TOGETHER).together
    printed = run_ok("estimate counts.tally --task task.json")
    assert "pairs of keys stand out from the noise" in printed
    printed = run_ok("estimate counts.tally --task task.json --pairs --out held-together.csv")
    assert printed.splitlines()[1].split()[:4] == ["first", "key", "second", "key"]
    with Path("held-together.csv").open(encoding="utf-8") as file:
        rows = {(row["first"], row["second"]): row for row in csv.DictReader(file)}
    assert rows["tea", "milk"]["relation"] == "together"
    run_ok(f"estimate counts.tally --task task.json --pairs {SURE} --out sure.json")
    [row] = [row for row in read_json(Path("sure.json").read_text())["rows"] if row["second"] == "milk"]
    assert row["share_low"] < 0.25 < row["share_high"]


@pytest.mark.verify
@pytest.mark.parametrize(("options", "table"), [(LABELS, "--within"), (TOGETHER, "--pairs")])
def test_charts(options: str, table: str) -> None:
    collect(options)
    run_ok(f"estimate counts.tally --task task.json {table} --plot chart.svg")
    text = Path("chart.svg").read_text(encoding="utf-8")
    assert all(word in text for word in ("tea", "cocoa", "over 30" if table == "--within" else "lift"))


def test_plans_are_those_of_tasks() -> None:
    for options, said in ((LABELS, "Within a label that 50 % of people"), (TOGETHER, "Two keys together")):
        assert said in run_ok(f"plan {NEW} {options} --out planned.json --force")
        run_ok(f"task new {NEW} {options} --out task.json --force")
        assert Path("planned.json").read_bytes() == Path("task.json").read_bytes()
    document = read_json(run_ok(f"plan --keys 4 --users 2000 --epsilon 8 {LABELS} --label-share 0.1 --json"))
    assert (document["segment"]["labels"], document["segment"]["label_share"]) == (2, 0.1)


def test_series_and_cards_have_them() -> None:
    options = "--first 2031-01-06 --period 7 --panels 2 --out series.json --force"
    for more, said in ((LABELS, "“age”, one of 2: under 30, over 30"), (TOGETHER, "every two keys")):
        run_ok(f"series new {NEW} {more} {options}")
        assert said in run_ok("series show series.json")
        run_ok("series task series.json --round 2 --out round.json --force")
        task = Task.from_json(Path("round.json").read_bytes())
        assert task.derivation == Series.from_json(Path("series.json").read_bytes()).task.derivation is not None
        assert said in run_ok("card round.json --no-audit")


TASK = f"task new {NEW} --out new.json"
PERTURB = f"perturb held.csv {COLUMNS} --out new.parquet"
REFUSED = [
    (f"{TASK} --segment age=a,a", "label 'a' appears twice"),
    (f"{TASK} --segment age={','.join(map(str, range(17)))}", "a segment takes 2 to 16 labels, not 17"),
    (f"{TASK} --segment age=a,A", "label 'A' looks like label 'a'"),
    (f"{TASK} --segment age=a,a\u200b", "looks like label 'a'"),
    (f"{TASK} --segment age=headed.txt", "label 'Age' looks like the name of the segment"),
    (f"{PERTURB} --task by-age.json --segment user", "column 'user' cannot be both user and segment"),
    (f"{PERTURB} --task by-age.json --segment key", "column 'key' cannot be both key and segment"),
    (f"{TASK} --together --low 1 --high 5", "together is for keys without values"),
    (f"{TASK} --together --mechanism ue --padding 2", "together needs mechanism 'collision' or 'grr', not 'ue'"),
    (f"{TASK} --together --padding 1", "padding must be at least 2 for together: one key has no partner"),
    (f"{PERTURB} --task by-age.json --segment years", "held.csv: no column 'years'; there are 'user', 'key', 'age'"),
    (
        f"{PERTURB} --task odd.json --segment age",
        "held.csv, line 2: label 'under 30' is not one of the segment 'age': a, b",
    ),
]
MISUSED = [
    (f"{TASK} --segment age=a,b --together", "give --segment or --together: one task cannot ask both"),
    (f"{TASK} --segment age=a,b --segment region=c,d", "Invalid value for '--segment': a task has one segment."),
    (f"{TASK.replace('--most-pairs 2', '--most-pairs 1')} --together", "--together is not for people who hold one key"),
    (f"plan {NEW} --label-share 0.1", "--label-share is about a segment: give --segment, too"),
    (f"plan {NEW} --segment age=a,b --together", "give --segment or --together: one task cannot ask both"),
    (f"{TASK} --segment age", "'age' names no labels: write NAME=LABEL,LABEL,… or NAME=FILE."),
    (f"{TASK} --segment age=a.txt", "'a.txt' is neither a file nor several labels with commas between them."),
    (f"{PERTURB} --task by-age.json", "Missing option '--segment', the column of labels of 'age'."),
    (f"{PERTURB} --task plain.json --segment age", "--segment is not for this task, which has no segment"),
    (
        "estimate by-age.parquet --task by-age.json --pairs",
        "--pairs is for tasks that ask which keys are held together",
    ),
    ("estimate by-age.parquet --task by-age.json --within --pairs", "give --within or --pairs"),
    ("estimate plain.parquet --task plain.json --within", "--within is for tasks with a segment"),
]


@pytest.fixture
def tasks() -> None:
    for name, options in (("by-age", LABELS), ("odd", "--segment age=a,b"), ("plain", "")):
        run_ok(f"task new {NEW} {options} --out {name}.json")
    run_ok(f"perturb held.csv --task by-age.json {COLUMNS} --segment age --out by-age.parquet")
    run_ok(f"perturb held.csv --task plain.json {COLUMNS} --out plain.parquet")


@pytest.mark.usefixtures("tasks")
def test_what_cannot_be_is_refused_in_one_line() -> None:
    put({"headed.txt": b"Age\nunder 30\nover 30\n"})
    for command, problem in REFUSED:
        assert problem in run_refused(command), command
    before = contents()
    for command, problem in MISUSED:
        result = run(command)
        assert (result.exit_code, result.stdout, contents()) == (2, "", before)
        assert problem in result.stderr, command
