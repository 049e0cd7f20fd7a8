"""The pilot of a task: created, answered, estimated."""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections import Counter
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from pckv import Task
from pckv.device.vectorised import perturb_many
from pckv.seeded import seeded_source
from support.cli import (
    COLUMNS,
    ESTIMATE,
    MOVIES,
    NEW,
    NEW_PILOT,
    PILOT,
    forged_reports,
    pairs_csv,
    put,
    read_json,
    run,
    run_ok,
    run_refused,
)

# How many people hold each number of pairs.
HOLDERS = {0: 500, 1: 3000, 2: 500, 3: 700, 4: 300, 5: 400, 11: 600}


def true_shares(holders: dict[int, int]) -> list[float]:
    """Return the shares of the buckets 0, 1, 2, 3-4 and 5+."""
    people = Counter[int]()
    for size, number in holders.items():
        people[bisect_left((0, 1, 2, 4), size)] += number
    return [people[bucket] / people.total() for bucket in range(5)]


def people_csv(holders: dict[int, int]) -> bytes:
    sizes = [size for size, people in holders.items() for _ in range(people)]
    rows = [f"{user},{key},3" for user, size in enumerate(sizes) for key in range(size)]
    return pairs_csv(*rows, *(f"{user},," for user, size in enumerate(sizes) if size == 0))


def test_a_pilot_from_its_task_to_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every interval at 99.9999 % holds its true share: α = 5·10^-6 over the five, with a fixed seed.

    The control, people who hold a pair more, must fail: with n = 6,000 at ε = 2 a standard error is .009 and an
    interval ±.044, and two of their shares are off by .42: the power is above .999999.
    """
    seeded = partial(perturb_many, source=seeded_source(1))
    monkeypatch.setattr("pckv.cli.perturb.perturb_many", seeded)
    put({"people.csv": people_csv(HOLDERS)})
    run_ok(f"{NEW_PILOT} --key-count 20 --epsilon 2 --largest 8")
    run_ok(f"perturb people.csv --task new.json {COLUMNS} --out new.parquet")
    run_ok("tally new.parquet --task new.json --out new.tally")
    run_ok("estimate new.tally --task new.json --level 0.999999 --out sizes.csv")
    with Path("sizes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["key"] for row in rows] == ["0", "1", "2", "3-4", "5+"]
    assert sum(float(row["frequency"]) for row in rows) == pytest.approx(1)

    def covers(holders: dict[int, int]) -> list[bool]:
        ends = [(float(row["frequency_low"]), float(row["frequency_high"])) for row in rows]
        return [low <= share <= high for (low, high), share in zip(ends, true_shares(holders), strict=True)]

    assert all(covers(HOLDERS))
    assert covers({size + 1: people for size, people in HOLDERS.items()})[1:3] == [False, False]


def test_a_new_pilot_prints_the_next_commands() -> None:
    printed = run_ok(f"{NEW_PILOT} --keys-file keys.txt --opens 2026-01-01 --closes 2026-02-01 --users 30000")
    expected = Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        # Nobody holds more pairs than there are keys.
        padding=3,
        kind="sizes",
        opens="2026-01-01",
        closes="2026-02-01",
    )
    assert Path("new.json").read_text() == expected.to_json()
    first, ask_whom, *commands = printed.splitlines()
    assert first.startswith(f"{expected.id}  buckets")
    assert ask_whom.startswith(
        "Ask at most 3,000 people. Nobody may take part in both the pilot and the task 'movies' itself"
    )
    assert commands == [
        "Then:",
        "  pckv estimate REPORTS --task new.json --out sizes.csv",
        "  pckv plan --keys 3 --users 27000 --epsilon 1 --sizes sizes.csv",
    ]
    on_stream = run(f"{NEW_PILOT.replace('new.json', '-')} --keys-file keys.txt").stderr
    assert "  pckv estimate REPORTS --task PILOT.json --out sizes.csv\n" in on_stream
    run_ok(f"{NEW_PILOT} --key-count 2000 --force")
    assert Task.from_json(Path("new.json").read_bytes()).padding == 512
    assert "--epsilon 1.23456789 --sizes" in run_ok(f"{NEW_PILOT} --key-count 3 --force --epsilon 1.23456789")


@pytest.mark.parametrize(
    ("users", "sentence"),
    [
        ("", "Ask at most one in 10 people, and 20,000 in all."),
        ("--users 10", "Ask at most 1 people."),
        ("--users 3000000", "Ask at most 20,000 people."),
    ],
)
def test_a_pilot_asks_a_tenth_and_never_more_than_a_collector_takes(users: str, sentence: str) -> None:
    printed = run_ok(f"{NEW_PILOT} --key-count 3 {users}")
    assert sentence in printed
    assert ("--users USERS " in printed) == (not users)


def test_show_lists_the_buckets_of_a_pilot() -> None:
    printed = run_ok("task show buckets.json")
    for part in ("sizes", "0, 1, 2, 3+"):
        assert part in printed
    shown = read_json(run_ok("task show buckets.json --json"))
    assert (shown["kind"], shown["buckets"]) == ("sizes", ["0", "1", "2", "3+"])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{NEW_PILOT} --key-count 3 --largest 0", "padding must be at least 1"),
        (f"{NEW_PILOT} --key-count 20000 --largest 16385", "padding of a task of sizes must be at most 2^14"),
        (f"{NEW_PILOT} --key-count 0", "a task needs at least one key"),
        (f"{NEW_PILOT} --key-count 3 --epsilon 0", "epsilon must be above 0"),
        (f"{NEW_PILOT} --keys-file gone.txt", "gone.txt"),
        (f"{NEW} --key-count 3 --mechanism buckets", "mechanism 'buckets' is for tasks of kind 'sizes'"),
        (
            "estimate pilot.parquet --task buckets.json --method corrected",
            "method 'corrected' is not for a task of sizes",
        ),
        ("estimate pilot.parquet --task buckets.json --key alien", "bucket 'alien' does not exist"),
        ("estimate pilot.parquet --task grr.json", "pilot.parquet"),
        (f"{ESTIMATE} --method consistent", "method 'consistent' does not exist"),
    ],
)
def test_what_a_pilot_cannot_do(command: str, message: str) -> None:
    put({"pilot.parquet": forged_reports(PILOT, [0, 1], pa.int64())})
    assert message in run_refused(command)


def test_the_estimates_of_a_pilot_are_shares_of_its_buckets_in_their_order() -> None:
    put({"pilot.parquet": forged_reports(PILOT, [0] * 100 + [1] * 400 + [3] * 500, pa.int64())})
    command = "estimate pilot.parquet --task buckets.json"
    title, header, *rows = run_ok(f"{command} --plot new.svg").splitlines()
    assert title.strip() == "1,000 reports, buckets, realised ε 1, method consistent"
    assert header.split() == ["pairs", "share", "of", "people", "95", "%", "interval"]
    assert [row.split()[0] for row in rows] == ["0", "1", "2", "3+"]
    picture = Path("new.svg").read_text(encoding="utf-8")
    for label in ("How many pairs people hold", "share of people", "3+"):
        assert label in picture
    for wrong in ("mean", "most frequent", "keys"):
        assert wrong not in picture
    assert [row["key"] for row in read_json(run_ok(f"{command} --top 2 --json"))["estimates"]] == ["3+", "1"]
    [row] = read_json(run_ok(f"{command} --key 3+ --method consistent --json"))["estimates"]
    assert (row["mean_low"], row["mean_high"]) == (3, 4)
