"""The command line: a collection end to end, and everything that is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from pckv import Tally, Task, __version__
from pckv.auditing.audit import standard_audits
from pckv.channels import MECHANISMS
from pckv.cli import main
from pckv.cli.remote import ask
from pckv.device.vectorised import perturb_many
from pckv.errors import PckvError
from pckv.files.reports.writer import write_reports
from pckv.planning.plan import plan
from pckv.seeded import seeded_source

MOVIES = ["up", "heat", "alien"]
GRR = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=20, mechanism="grr")
UE = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, mechanism="ue")
COMPACT = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, mechanism="ue-compact")
COLLISION = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, padding=2, mechanism="collision")
PILOT = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, padding=4, kind="sizes")
OTHER = Task(name="others", keys=MOVIES, values=(1, 5), epsilon=20, mechanism="grr")
COLUMNS = "--user user --key key --value value"
NEW = "task new --name movies --low 1 --high 5 --epsilon 1 --out new.json"
NEW_PILOT = "task pilot --name movies --low 1 --high 5 --epsilon 1 --out new.json"
PERTURB = f"perturb pairs.csv --task grr.json {COLUMNS} --out new.parquet"
TALLY = "tally words.parquet --task grr.json --out new.tally"
ESTIMATE = "estimate words.parquet --task grr.json"
SIMULATE = f"simulate pairs.csv {COLUMNS} --epsilon 1 --repeats 1 --workers 1"


def pairs_csv(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in ("user,key,value", *rows)).encode()


def forged_reports(task: Task, values: list[Any], kind: Any) -> bytes:
    """A report file whose messages nobody has checked."""
    column = "body" if task.word_limit is None else "word"
    ids = pa.array([bytes(16)] * len(values), pa.binary(16))
    table = pa.table({"report_id": ids, column: pa.array(values, kind)})
    file = io.BytesIO()
    with pq.ParquetWriter(file, table.schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"pckv.task": task.to_json(), "pckv.task_id": task.id})
    return file.getvalue()


def damaged(data: bytes, start: int | None = None) -> bytes:
    """A Parquet file with a hole in it: where its footer begins, unless told."""
    if start is None:
        start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:start] + b"\xff" * 16 + data[start + 16 :]


def parquet(**columns: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with good files, which every command runs in."""
    monkeypatch.chdir(tmp_path)
    words = np.array([5, 5, 5, 2, 2, 0, 6, 7])
    write_reports(Path("words.parquet"), GRR, [(np.zeros((words.size, 16), np.uint8), words)])
    tally, others = Tally(GRR), Tally(OTHER)
    tally.add_many(words)
    others.add_many(words)
    put(
        {
            "keys.txt": "\n".join(MOVIES).encode(),
            "grr.json": GRR.to_json().encode(),
            "ue.json": UE.to_json().encode(),
            "ue-compact.json": COMPACT.to_json().encode(),
            "collision.json": COLLISION.to_json().encode(),
            "buckets.json": PILOT.to_json().encode(),
            "other.json": OTHER.to_json().encode(),
            "pairs.csv": pairs_csv("ann,alien,5", "bob,heat,1", "cat,,"),
            "good.tally": bytes(tally),
            "other.tally": bytes(others),
        }
    )
    return tmp_path


def put(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        Path(name).write_bytes(data)


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def run(command: str) -> Result:
    return CliRunner().invoke(main, shlex.split(command))


def done(command: str) -> str:
    """What a command that succeeds prints."""
    result = run(command)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def read_json(text: str) -> Any:
    """Parse JSON as strict readers do: without NaN and Infinity."""

    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def refused(command: str) -> str:
    """The one line of a refused command, which has changed nothing."""
    before = contents()
    result = run(command)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert (result.exit_code, result.stdout) == (1, "")
    assert contents() == before
    assert result.stderr.startswith("pckv: ")
    assert result.stderr.endswith("\n")
    assert len(result.stderr.splitlines()) == 1
    return result.stderr


# A collection, end to end


@pytest.mark.parametrize("keys", ["--keys-file keys.txt", "--key-count 3"], ids=["names", "numbers"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_whole_collection(keys: str, kind: str) -> None:
    """At ε = 20 hardly a report in a million is noise, so that the numbers are known."""
    printed = done(
        f"task new --name movies {keys} --low 1 --high 5 --epsilon 20 --mechanism grr --out task.json"
    )
    task = Task.from_json(Path("task.json").read_bytes())
    up, heat, alien = (task.key_name(key) for key in range(3))
    assert printed.startswith(task.id)

    rows: list[tuple[Any, Any, Any]] = [(user, alien, 5) for user in range(20)]
    rows += [(user, heat, 1) for user in range(20, 30)]
    rows += [(user, None, None) for user in range(30, 40)]
    if kind == "csv":
        lines = (",".join("" if part is None else str(part) for part in row) for row in rows)
        put({"data.csv": pairs_csv(*lines)})
    else:
        users, held, values = (list(column) for column in zip(*rows, strict=True))
        put({"data.parquet": parquet(user=users, key=held, value=values)})
    printed = done(f"perturb data.{kind} --task task.json {COLUMNS} --out reports.parquet")
    assert printed == "40 reports written to reports.parquet\n"

    printed = done("tally reports.parquet --task task.json --out counts.tally")
    assert printed == "40 reports counted into counts.tally\n"
    from_tally = done("estimate counts.tally --task task.json --json")
    assert done("estimate reports.parquet --task task.json --json") == from_tally
    found = {row["key"]: row for row in read_json(from_tally)["estimates"]}
    wanted = pytest.approx([0, 0.25, 0.5], abs=1e-4)
    assert [found[key]["frequency"] for key in (up, heat, alien)] == wanted
    assert [found[key]["mean"] for key in (heat, alien)] == pytest.approx([1, 5], abs=1e-6)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_user_sends_one_report_of_the_task(mechanism: str) -> None:
    done(f"perturb pairs.csv --task {mechanism}.json {COLUMNS} --out new.parquet")
    table = pq.read_table("new.parquet")
    assert table.num_rows == 3
    assert len(set(table.column("report_id").to_pylist())) == 3
    assert done(f"tally new.parquet --task {mechanism}.json --out new.tally").startswith("3 reports counted")


def test_a_new_task_is_as_asked() -> None:
    done(
        f"{NEW} --keys-file keys.txt --padding 2 --mechanism ue --allocation naive"
        " --opens 2026-01-01 --closes 2026-02-01"
    )
    asked = Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        padding=2,
        mechanism={"name": "ue", "allocation": "naive"},
        opens="2026-01-01",
        closes="2026-02-01",
    )
    assert Path("new.json").read_text() == asked.to_json()


@pytest.mark.parametrize("text", [b"up\nheat\nalien\n", b"up\r\nheat\r\nalien"], ids=["newline", "crlf"])
def test_keys_files_may_end_as_they_like(text: bytes) -> None:
    put({"keys.txt": text})
    done(f"{NEW} --keys-file keys.txt")
    assert Task.from_json(Path("new.json").read_bytes()).keys == tuple(MOVIES)


def test_a_keys_file_may_begin_with_a_byte_order_mark() -> None:
    put({"keys.txt": "\ufeffup\nheat\nalien\n".encode()})
    done(f"{NEW} --keys-file keys.txt")
    assert Task.from_json(Path("new.json").read_bytes()).keys == tuple(MOVIES)


def test_show_says_what_a_task_promises() -> None:
    printed = done("task show ue.json")
    for part in (UE.id, "movies", "ue", "allocation optimized", "realised epsilon"):
        assert part in printed
    assert read_json(done("task show ue.json --json")) == {
        "id": UE.id,
        "name": "movies",
        "kind": "pairs",
        "keys": 3,
        "low": 1.0,
        "high": 5.0,
        "epsilon": 1.0,
        "realised_epsilon": UE.realised_epsilon,
        "mechanism": "ue",
        "parameters": {"allocation": "optimized"},
        "padding": 1,
        "word_limit": None,
        "bytes_a_report": 18,
        "opens": None,
        "closes": None,
    }


def test_plan() -> None:
    made = plan(5850, 105_508, "1", 3)
    command = "plan --keys 5850 --users 105508 --epsilon 1 --pairs 3"
    printed = done(command)
    assert printed.startswith(f"Recommended: {made.mechanism} with padding {made.padding}")
    assert f"\n→ {made.mechanism}" in printed
    assert "Hostile reports" in printed
    assert read_json(done(f"{command} --json")) == json.loads(json.dumps(made.to_dict()))


def test_plan_from_sizes() -> None:
    put({"sizes.csv": b"size,people\n1,700\n2,150\n4,100\n9,40\n60,10\n"})
    made = plan(5850, 105_508, "2", sizes={1: 700, 2: 150, 4: 100, 9: 40, 60: 10})
    command = "plan --keys 5850 --users 105508 --epsilon 2 --sizes sizes.csv"
    printed = done(command)
    assert f"Recommended: {made.mechanism} with padding {made.padding}" in printed
    assert f"at a frequency of {made.frequency:.1%} with 2.36 pairs a person" in printed
    assert "People hold 2.36 pairs on average; 90% of them hold at most 4." in printed
    ways = printed.partition(f"Ways to choose the padding of {made.mechanism}:\n")[2].splitlines()[1:3]
    (usual,) = made.alternatives
    for line, rule, padding in zip(
        ways,
        ("→ least predicted error", "  90% of the people hold at most so many"),
        (made.padding, usual.padding),
        strict=True,
    ):
        assert line.startswith(rule)
        assert f" {padding} " in line
    assert "Ways to choose" not in done("plan --keys 5850 --users 105508 --epsilon 2 --pairs 3")
    assert read_json(done(f"{command} --json")) == json.loads(json.dumps(made.to_dict()))
    asked = read_json(done(f"{command} --frequency 0.001 --json"))
    assert (asked["frequency"], asked["padding"]) == (0.001, 1)


@pytest.mark.parametrize("objective", ["both", "frequency", "mean"])
def test_plan_for_an_objective(objective: str) -> None:
    printed = done(f"plan --keys 100 --users 50000 --epsilon 0.5 --objective {objective}")
    wanted = {"both": "both errors alike", "frequency": "the frequency", "mean": "the mean"}[objective]
    assert f"Chosen from these for {wanted}, at a frequency of 5.0%" in printed
    made = plan(100, 50_000, "0.5", objective=objective)
    for option in made.options:
        assert option.objection == "" or f"{option.mechanism} is not chosen: {option.objection}." in printed
        assert ", ".join(f"{name} {value}" for name, value in option.parameters.items()) in printed


def test_a_task_for_an_objective() -> None:
    command = (
        "task new --name t --key-count 20 --low 0 --high 1 --epsilon 0.5 --users 40000 --out new.json --force"
    )
    chosen = set()
    for objective in ("both", "frequency", "mean"):
        done(f"{command} --objective {objective}")
        chosen.add(Path("new.json").read_text(encoding="utf-8"))
    assert len(chosen) == 3
    done(f"{command} --mechanism ue-compact --q 19 --r 9 --o 3")
    assert '{"name":"ue-compact","o":3,"q":19,"r":9}' in Path("new.json").read_text(encoding="utf-8")
    done(f"{command} --mechanism ue --allocation tuned --beta 0.120")
    assert '{"allocation":"tuned","beta":"0.12","name":"ue"}' in Path("new.json").read_text(encoding="utf-8")
    none = "objective 'most' does not exist: choose from both, frequency, mean"
    for refused_command in (
        f"{command} --objective most",
        "plan --keys 9 --users 9 --epsilon 1 --objective most",
    ):
        assert refused(refused_command) == f"pckv: {none}\n"


def test_audit_of_a_task() -> None:
    printed = done("audit --task ue.json").splitlines()
    assert [line.endswith("holds") for line in printed] == [False, False, True]
    (made,) = read_json(done("audit --task ue.json --json"))
    assert (made["mechanism"], made["keys"], made["holds"]) == ("ue", 3, True)
    assert 0 < made["enumerated"] <= made["closed_form"] <= made["asked"] == 1


def test_audit_of_every_mechanism() -> None:
    made = read_json(done("audit --json"))
    assert {audit["mechanism"] for audit in made} == set(MECHANISMS)
    assert all(audit["holds"] for audit in made)


def test_audits_are_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    few = standard_audits(1, 1)
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: few)
    title, header, *rows = done("audit").splitlines()
    assert title.startswith("Exact ε")
    assert header.split()[:2] == ["mechanism", "keys"]
    assert [row.split()[-1] for row in rows] == ["holds"] * len(few)


def test_a_broken_promise_is_shown_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, broken = standard_audits(1, 1)[:2]
    monkeypatch.setattr("pckv.cli.audit.standard_audits", lambda **_: [kept, replace(broken, holds=False)])
    result = run("audit")
    assert (result.exit_code, result.stderr) == (1, "pckv: a mechanism loses more than it claims\n")
    assert [line.split()[-1] for line in result.stdout.splitlines()[-2:]] == ["holds", "BROKEN"]


# Estimates


def test_estimates_in_json_have_this_shape() -> None:
    made = read_json(done(f"{ESTIMATE} --json"))
    assert list(made) == ["task", "mechanism", "reports", "epsilon", "method", "level", "estimates"]
    rows = made.pop("estimates")
    assert made == {
        "task": GRR.id,
        "mechanism": "grr",
        "reports": 8,
        "epsilon": GRR.realised_epsilon,
        "method": "bayes",
        "level": 0.95,
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
        ]
        assert 0 <= row["frequency_low"] <= row["frequency_high"] <= 1
        assert 1 <= row["mean_low"] <= row["mean"] <= row["mean_high"] <= 5


def test_method_and_level_are_used() -> None:
    # The last key shows in 42 % of the reports: more than noise alone, less than if all held it.
    bodies = [b"\x04\x04"] * 126 + [b"\0\0"] * 174
    put({"new.parquet": forged_reports(UE, bodies, pa.binary())})
    wide, narrow = (
        read_json(done(f"estimate new.parquet --task ue.json --json --method baseline --level {level}"))
        for level in (0.8, 0.5)
    )
    assert (wide["method"], wide["level"], narrow["level"]) == ("baseline", 0.8, 0.5)
    outer, inner = wide["estimates"][-1], narrow["estimates"][-1]
    assert 0 < outer["frequency_low"] < inner["frequency_low"] < inner["frequency"]
    assert inner["frequency"] < inner["frequency_high"] < outer["frequency_high"] < 1


def test_post_processing_is_named() -> None:
    made = read_json(done(f"{ESTIMATE} --json --post consistent --method baseline"))
    assert made["method"] == "baseline+consistent"
    assert sum(row["frequency"] for row in made["estimates"]) <= GRR.padding
    assert done(f"{ESTIMATE} --post consistent").splitlines()[0].endswith("method bayes+consistent")
    options = "--mechanism grr --json --post consistent"
    assert [row["method"] for row in read_json(done(f"{SIMULATE} {options}"))] == ["bayes+consistent"]


def test_sizes_of_estimate_come_from_a_file() -> None:
    """Everybody holds two pairs and reports show one: the upper limits double, the frequencies stay."""
    put({"two.csv": b"size,people\n2,10\n"})
    made = [
        read_json(done(f"{ESTIMATE} --json --method corrected {options}"))
        for options in ("", "--sizes two.csv")
    ]
    assert [each["method"] for each in made] == ["corrected", "corrected"]
    plain, wide = ([row["frequency"] for row in each["estimates"]] for each in made)
    assert wide == plain
    highs = [[row["frequency_high"] for row in each["estimates"]] for each in made]
    assert highs[1] == [min(2 * high, 1) for high in highs[0]]


def test_top_is_sorted_by_frequency() -> None:
    rows = read_json(done(f"{ESTIMATE} --json --top 2"))["estimates"]
    assert [row["key"] for row in rows] == ["alien", "heat"]
    rows = read_json(done(f"{ESTIMATE} --json --top 99"))["estimates"]
    assert [row["key"] for row in rows] == ["alien", "heat", "up"]


def test_the_table_is_sorted_and_says_what_it_comes_from() -> None:
    title, header, *rows = done(ESTIMATE).splitlines()
    assert title.strip() == "8 reports, grr, realised ε 20, method bayes"
    assert header.split()[:2] == ["key", "frequency"]
    assert [row.split()[0] for row in rows] == ["alien", "heat", "up"]
    assert rows[0].split()[1] == "0.3750"


def test_long_tables_are_cut_and_say_so() -> None:
    done(f"{NEW} --key-count 23 --mechanism ue")
    put(
        {
            "new.parquet": forged_reports(
                Task.from_json(Path("new.json").read_bytes()), [bytes(6)], pa.binary()
            )
        }
    )
    *rows, last = done("estimate new.parquet --task new.json").splitlines()
    assert len(rows) == 2 + 20
    assert last == "… and 3 more keys (--out writes them all)"


@pytest.mark.parametrize(
    "key",
    [
        "[bold]x[/bold]",
        ":smile:",
        "back\\",
        "x" * 250,
    ],
    ids=["markup", "emoji", "backslash", "long"],
)
def test_keys_are_printed_as_they_are(key: str) -> None:
    put({"keys.txt": key.encode()})
    done(f"{NEW} --keys-file keys.txt --mechanism ue")
    put(
        {
            "new.parquet": forged_reports(
                Task.from_json(Path("new.json").read_bytes()), [bytes(2)], pa.binary()
            )
        }
    )
    assert done("estimate new.parquet --task new.json").splitlines()[-1].split()[0] == key


@pytest.mark.parametrize("options", ["", "--top 2"], ids=["all", "top"])
@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_tables_hold_what_is_printed(form: str, options: str) -> None:
    printed = read_json(done(f"{ESTIMATE} --json --out new.{form} {options}"))
    if form == "json":
        assert read_json(Path("new.json").read_text(encoding="utf-8")) == printed
    elif form == "parquet":
        table = pq.read_table("new.parquet")
        assert table.to_pylist() == printed["estimates"]
        assert table.schema.metadata[b"pckv.task"] == GRR.id.encode()
    else:
        with Path("new.csv").open(encoding="utf-8", newline="") as file:
            rows = [
                {name: text if name == "key" else float(text) for name, text in row.items()}
                for row in csv.DictReader(file)
            ]
        assert rows == printed["estimates"]


@pytest.mark.parametrize(
    ("form", "start", "part"),
    [
        ("svg", b"<svg", b"alien"),
        ("png", b"\x89PNG\r\n\x1a\n", b"IEND"),
        ("html", b"<!DOCTYPE html>", b"alien"),
    ],
    ids=["svg", "png", "html"],
)
def test_pictures(form: str, start: bytes, part: bytes) -> None:
    assert "alien" in done(f"{ESTIMATE} --plot new.{form}")
    data = Path(f"new.{form}").read_bytes()
    assert data.lstrip().startswith(start)
    assert part in data


# A pilot

# People by the number of pairs that they hold.
HOLDERS = {0: 500, 1: 3000, 2: 500, 3: 700, 4: 300, 5: 400, 11: 600}


def true_shares(holders: dict[int, int]) -> list[float]:
    """The shares of the buckets 0, 1, 2, 3-4 and 5+."""
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
    done(f"{NEW_PILOT} --key-count 20 --epsilon 2 --largest 8")
    done(f"perturb people.csv --task new.json {COLUMNS} --out new.parquet")
    done("tally new.parquet --task new.json --out new.tally")
    done("estimate new.tally --task new.json --level 0.999999 --out sizes.csv")
    with Path("sizes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["key"] for row in rows] == ["0", "1", "2", "3-4", "5+"]
    assert sum(float(row["frequency"]) for row in rows) == pytest.approx(1)

    def held(holders: dict[int, int]) -> list[bool]:
        ends = [(float(row["frequency_low"]), float(row["frequency_high"])) for row in rows]
        return [low <= share <= high for (low, high), share in zip(ends, true_shares(holders), strict=True)]

    assert all(held(HOLDERS))
    assert held({size + 1: people for size, people in HOLDERS.items()})[1:3] == [False, False]


def test_a_pilot_is_made_and_says_what_is_next() -> None:
    printed = done(f"{NEW_PILOT} --keys-file keys.txt --opens 2026-01-01 --closes 2026-02-01 --users 30000")
    asked = Task(
        name="movies",
        keys=MOVIES,
        values=(1, 5),
        epsilon=1,
        # Nobody holds more than all of them.
        padding=3,
        kind="sizes",
        opens="2026-01-01",
        closes="2026-02-01",
    )
    assert Path("new.json").read_text() == asked.to_json()
    first, ask_whom, *commands = printed.splitlines()
    assert first.startswith(f"{asked.id}  buckets")
    assert ask_whom.startswith(
        "Ask at most 3,000 people. Nobody may serve both here and in the task 'movies'"
    )
    assert commands == [
        "Then:",
        "  pckv estimate REPORTS --task new.json --out sizes.csv",
        "  pckv plan --keys 3 --users 27000 --epsilon 1 --sizes sizes.csv",
    ]
    done(f"{NEW_PILOT} --key-count 2000 --force")
    assert Task.from_json(Path("new.json").read_bytes()).padding == 512
    assert "--epsilon 1.23456789 --sizes" in done(f"{NEW_PILOT} --key-count 3 --force --epsilon 1.23456789")


@pytest.mark.parametrize(
    ("users", "said"),
    [
        ("", "Ask at most one in 10 people, and 20,000 in all."),
        ("--users 10", "Ask at most 1 people."),
        ("--users 3000000", "Ask at most 20,000 people."),
    ],
)
def test_a_pilot_asks_a_tenth_and_never_more_than_a_collector_takes(users: str, said: str) -> None:
    printed = done(f"{NEW_PILOT} --key-count 3 {users}")
    assert said in printed
    assert ("--users USERS " in printed) == (not users)


def test_show_says_what_a_pilot_tells_apart() -> None:
    printed = done("task show buckets.json")
    for part in ("sizes", "0, 1, 2, 3+"):
        assert part in printed
    shown = read_json(done("task show buckets.json --json"))
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
    assert message in refused(command)


def test_the_estimates_of_a_pilot_are_shares_of_its_buckets_in_their_order() -> None:
    put({"pilot.parquet": forged_reports(PILOT, [0] * 100 + [1] * 400 + [3] * 500, pa.int64())})
    command = "estimate pilot.parquet --task buckets.json"
    title, header, *rows = done(f"{command} --plot new.svg").splitlines()
    assert title.strip() == "1,000 reports, buckets, realised ε 1, method consistent"
    assert header.split() == ["pairs", "share", "of", "people", "95", "%", "interval"]
    assert [row.split()[0] for row in rows] == ["0", "1", "2", "3+"]
    drawn = Path("new.svg").read_text(encoding="utf-8")
    for said in ("How many pairs people hold", "share of people", "3+"):
        assert said in drawn
    for wrong in ("mean", "most frequent", "keys"):
        assert wrong not in drawn
    assert [row["key"] for row in read_json(done(f"{command} --top 2 --json"))["estimates"]] == ["3+", "1"]
    [row] = read_json(done(f"{command} --key 3+ --method consistent --json"))["estimates"]
    assert (row["mean_low"], row["mean_high"]) == (3, 4)


# Simulations


def test_the_same_seed_simulates_the_same_collection() -> None:
    options = "--mechanism ue --mechanism grr --padding 2 --json"
    printed = done(f"{SIMULATE} {options} --seed 3")
    assert [row["mechanism"] for row in read_json(printed)] == ["ue", "grr"]
    assert done(f"{SIMULATE} {options} --seed 3") == printed
    assert done(f"{SIMULATE} {options} --seed 4") != printed


# Tallies


@pytest.mark.parametrize("task", [GRR, UE, COMPACT, COLLISION], ids=["grr", "ue", "ue-compact", "collision"])
def test_any_split_of_the_reports_gives_the_same_bytes(task: Task) -> None:
    put({"task.json": task.to_json().encode()})
    for part in range(3):
        put({f"{part}.csv": pairs_csv(*(f"{user},alien,{1 + user % 5}" for user in range(10 * (part + 1))))})
        done(f"perturb {part}.csv --task task.json {COLUMNS} --out {part}.parquet")
        done(f"tally {part}.parquet --task task.json --out {part}.tally")
    counted = done("tally 0.parquet 1.parquet 2.parquet --task task.json --out all.tally")
    assert counted == "60 reports counted into all.tally\n"
    done("tally 2.tally 0.tally 1.tally --task task.json --out merged.tally")
    done("tally 0.tally 1.parquet --task task.json --out two.tally")
    done("tally two.tally 2.parquet --task task.json --out mixed.tally")
    whole = Path("all.tally").read_bytes()
    assert Tally.from_bytes(task, whole).reports == 60
    assert Path("merged.tally").read_bytes() == whole
    assert Path("mixed.tally").read_bytes() == whole
    estimates = done("estimate all.tally --task task.json --json")
    assert done("estimate 0.tally 1.parquet 2.tally --task task.json --json") == estimates


# What is mended


@pytest.mark.parametrize(
    ("rows", "option", "printed"),
    [
        (["ann,alien,0.5", "bob,up,inf", "cat,up,-inf", "dan,up,5"], "--clip", "4 reports … 3 rows clipped"),
        (["ann,jaws,4", "bob,up,3", "bob,jaws,4"], "--ignore-unknown", "2 reports … 2 rows ignored"),
        (["ann,up,4", "bob,up,3", "ann,up,2"], "--repeated last", "2 reports … 1 rows repeated"),
        (["ann,up,4", "bob,up,3", "ann,up,2"], "--repeated mean", "2 reports … 1 rows repeated"),
    ],
    ids=["clip", "ignore-unknown", "last", "mean"],
)
def test_what_is_refused_can_be_mended(rows: list[str], option: str, printed: str) -> None:
    put({"pairs.csv": pairs_csv(*rows)})
    refused(PERTURB)
    start, end = printed.split(" … ")
    assert done(f"{PERTURB} {option}") == f"{start} written to new.parquet, {end}\n"
    assert pq.read_metadata("new.parquet").num_rows == int(start.split()[0])


@pytest.mark.parametrize("value", ["nan", "NaN", "-nan"])
def test_not_a_number_is_never_mended(value: str) -> None:
    put({"pairs.csv": pairs_csv("ann,alien,4", f"bob,alien,{value}")})
    assert refused(f"{PERTURB} --clip") == "pckv: pairs.csv, line 3: value is NaN\n"


def test_a_mean_of_values_in_the_range_is_in_the_range() -> None:
    done("task new --name t --key-count 1 --low 0 --high 0.1 --epsilon 1 --out task.json")
    put({"pairs.csv": pairs_csv(*["ann,0,0.1"] * 3)})
    done(f"perturb pairs.csv --task task.json {COLUMNS} --out new.parquet --repeated mean")


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--epsilon 0", "epsilon must be above 0 and at most 20, not 0"),
        ("--epsilon -1", "epsilon must be above 0 and at most 20, not -1"),
        ("--epsilon nan", "epsilon must be a finite number, not nan"),
        ("--epsilon 21", "epsilon must be above 0 and at most 20, not 21"),
        ("--epsilon much", "epsilon must be a number, not 'much'"),
        ("--epsilon 1e-30", "epsilon"),
        ("--key-count 0", "a task needs at least one key"),
        ("--key-count -3", "a task needs at least one key"),
        ("--key-count 2147483649", "a task takes at most 2^31 keys, not 2,147,483,649"),
        ("--low 5", "low must be below high: 5 ≥ 5"),
        ("--low 7", "low must be below high: 7 ≥ 5"),
        ("--high inf", "high must be a finite number"),
        ("--padding 0", "padding must be at least 1"),
        ("--mechanism oue", "mechanism 'oue' does not exist: choose from ue, grr"),
        ("--allocation best", "allocation 'best' does not exist: choose from optimized"),
        ("--opens 2026-1-1", "opens must be a day as YYYY-MM-DD, not '2026-1-1'"),
        ("--opens 2026-02-01 --closes 2026-01-01", "cannot close on 2026-01-01"),
        ("--name ''", "the task's name is empty"),
    ],
)
def test_bad_tasks(options: str, message: str) -> None:
    assert message in refused(f"{NEW} --key-count 3 {options}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "keys.txt: the file is empty"),
        (b"up\nheat\nup\n", "keys.txt, line 3: key 'up' stands on line 1 already"),
        (b"up\n\nheat\n", "keys.txt, line 2: an empty key name"),
        (b"up\nheat\n\n", "keys.txt, line 3: an empty key name"),
        (b"up\n\xff\n", "keys.txt: not UTF-8"),
        (b"up\na\tb\n", "keys.txt, line 2: the key 'a\\tb' holds a control character"),
        (b"up\n" + b"x" * 257, "keys.txt, line 2: the key 'xxxxxxxxxxxxxxxxxxxx'… is longer than 256 bytes"),
    ],
    ids=["empty", "twice", "blank", "blank-end", "utf8", "tab", "long"],
)
def test_bad_keys_files(text: bytes, message: str) -> None:
    put({"keys.txt": text})
    assert refused(f"{NEW} --keys-file keys.txt").startswith(f"pckv: {message}")


def edited_task(**changes: Any) -> bytes:
    return json.dumps(json.loads(GRR.to_json()) | changes, separators=(",", ":"), sort_keys=True).encode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not a task"),
        (GRR.to_json().encode() + b"\n", "not in canonical form"),
        (GRR.to_json().replace(":", ": ").encode(), "not in canonical form"),
        (edited_task(colour="red"), "member 'colour' is unknown"),
        (edited_task(version=2), "version 2"),
        (edited_task(epsilon="21"), "at most 20, not 21"),
        (b"\xff", "not UTF-8"),
        (edited_task(mechanism={"name": []}), "mechanism"),
        (edited_task(epsilon="0." + "0" * 29 + "1"), "epsilon"),
    ],
    ids=["empty", "newline", "spaces", "member", "version", "epsilon", "utf8", "mechanism", "tiny"],
)
@pytest.mark.parametrize(
    "command",
    [
        "task show bad.json",
        "audit --task bad.json",
        PERTURB.replace("grr.json", "bad.json"),
        TALLY.replace("grr.json", "bad.json"),
        ESTIMATE.replace("grr.json", "bad.json"),
    ],
    ids=lambda command: command.split()[0],
)
def test_bad_task_files(command: str, text: bytes, message: str) -> None:
    put({"bad.json": text})
    line = refused(command)
    assert line.startswith("pckv: bad.json: not a task")
    assert message in line


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["ann,alien,0.5"], "line 2: value 0.5 is outside [1, 5] (--clip"),
        (["ann,alien,5", "ann,up,-inf"], "line 3: value -inf is outside [1, 5]"),
        (["ann,alien,inf"], "line 2: value inf is outside [1, 5]"),
        (["ann,alien,nan"], "line 2: value is NaN"),
        (["ann,alien,four"], "line 2: value 'four' is not a number"),
        (["ann,alien,"], "line 2: value '' is not a number"),
        (["ann,alien,5", "bob,jaws,5"], "line 3: key 'jaws' is not a key of task 'movies' (--ignore-unknown"),
        (["ann,,5"], "line 2: key '' is not a key"),
        ([",alien,5"], "line 2: no user"),
        (["ann,up,4", "bob,up,3", "ann,up,2"], "line 4: key 'up' again for the same user (--repeated"),
        (['ann,alien,"9\n"'], "line 3: value 9 is outside"),
        (['ann,"jaws\n",5'], "line 3: key 'jaws\\n' is not a key"),
    ],
    ids=[
        "outside",
        "minus-inf",
        "inf",
        "nan",
        "word",
        "no-value",
        "unknown",
        "no-key",
        "no-user",
        "twice",
        "value-newline",
        "key-newline",
    ],
)
def test_bad_pairs(rows: list[str], message: str) -> None:
    put({"pairs.csv": pairs_csv(*rows)})
    assert refused(PERTURB).startswith(f"pckv: pairs.csv, {message}")


BAD_PAIR_FILES = {
    "empty": (b"", ": the file is empty"),
    "header-only": (b"user,key,value\n", ": no rows"),
    "no-column": (b"user,movie,value\n1,up,3\n", ": no column 'key'; there are 'user', 'movie', 'value'"),
    "few-fields": (pairs_csv("1,up,3", "2,up"), ", line 3: 2 fields where the header has 3"),
    "many-fields": (pairs_csv("1,up,3,4"), ", line 2: 4 fields where the header has 3"),
    "quote": (pairs_csv("1,up,3", '2,"up"s,3'), ", line 3: "),
    "open-quote": (pairs_csv("1,up,3", '2,"up,3'), ", line 3: "),
    "utf8": (pairs_csv("1,up,3") + b"2,\xff,3\n", ", line 3: not UTF-8"),
    "parquet-column": (parquet(user=[1], movie=["up"], value=[3]), ": no column 'key'"),
    "parquet-value": (parquet(user=[1, 2], key=["up", "up"], value=[3, 9]), ", row 1: value 9 is outside"),
    "parquet-key": (parquet(user=[1], key=["jaws"], value=[3]), ", row 0: key 'jaws'"),
    "parquet-empty": (parquet(user=[], key=[], value=[]), ": no rows"),
    "parquet-cut": (parquet(user=[1], key=["up"], value=[3])[:-6], ": not a Parquet file"),
    "parquet-magic": (b"PAR1", ": not a Parquet file"),
    "parquet-footer": (damaged(parquet(user=[1], key=["up"], value=[3])), ": not a Parquet file"),
    "parquet-page": (damaged(parquet(user=[1], key=["up"], value=[3]), 4), ": cannot be read ("),
    "parquet-lists": (parquet(user=[[1]], key=["up"], value=[3]), ": cannot be read ("),
    "parquet-binary": (parquet(user=[b"\xff"], key=["up"], value=[3]), ": cannot be read ("),
}


@pytest.mark.parametrize(("data", "message"), BAD_PAIR_FILES.values(), ids=BAD_PAIR_FILES)
def test_bad_files_of_pairs(data: bytes, message: str) -> None:
    put({"pairs.csv": data})
    assert refused(PERTURB).startswith(f"pckv: pairs.csv{message}")


def test_parquet_texts_that_are_not_utf8() -> None:
    put({"pairs.csv": parquet(user=["abcd"], key=["up"], value=[3]).replace(b"abcd", b"ab\xffd")})
    assert refused(PERTURB).startswith("pckv: pairs.csv: cannot be read (")


BAD_INPUTS = {
    "another-task": (OTHER, forged_reports(GRR, [3], pa.int64()), f": reports of another task ('{GRR.id}')"),
    "word-too-large": (
        GRR,
        forged_reports(GRR, [3, 8], pa.int64()),
        ", row group 0: report 1: word 8 is not below 8",
    ),
    "word-negative": (
        GRR,
        forged_reports(GRR, [-1], pa.int64()),
        ", row group 0: report 0: word -1 is not below 8",
    ),
    "word-null": (GRR, forged_reports(GRR, [3, None], pa.int64()), ", row group 0: report 1: no word"),
    "word-text": (GRR, forged_reports(GRR, ["3"], pa.string()), ": column 'word' is string, not int64"),
    "body-short": (
        UE,
        forged_reports(UE, [b"\0"], pa.binary()),
        ", row group 0: report 0: a body has 2 bytes, not 1",
    ),
    "body-long": (
        UE,
        forged_reports(UE, [b"\0\0", b"\0\0\0"], pa.binary()),
        ", row group 0: report 1: a body has 2 bytes, not 3",
    ),
    "spare-bit": (
        UE,
        forged_reports(UE, [b"\0\0", b"\x08\0"], pa.binary()),
        ", row group 0: report 1: a bit beyond the last of 3 keys is set",
    ),
    "stray-sign": (
        UE,
        forged_reports(UE, [b"\0\x01"], pa.binary()),
        ", row group 0: report 0: a sign is set where nothing is present",
    ),
    "no-task": (GRR, parquet(report_id=[bytes(16)], word=[3]), ": not a report file (it names no task)"),
    "column-name": (
        GRR,
        forged_reports(GRR, [3], pa.int64()).replace(b"report_id", b"report\xffid"),
        ": not a report file (",
    ),
    "reports-footer": (GRR, damaged(forged_reports(GRR, [3], pa.int64())), ": not a report file ("),
    "reports-cut": (GRR, forged_reports(GRR, [3], pa.int64())[:-6], ": not a report file ("),
    "tally-of-another": (OTHER, bytes(Tally(GRR)), ": a tally of another task"),
    "tally-cut": (GRR, bytes(Tally(GRR))[:-1], ": not a tally: truncated or edited (the checksum"),
    "tally-edited": (
        GRR,
        bytes(Tally(GRR)).replace(bytes(8), b"\1" + bytes(7), 1),
        ": not a tally: truncated or edited (the checksum",
    ),
    "tally-empty": (GRR, b"", ": the file is empty"),
    "neither": (GRR, pairs_csv("ann,alien,5"), ": not a tally: it does not begin like one"),
}


@pytest.mark.parametrize(
    ("task", "data", "message"),
    BAD_INPUTS.values(),
    ids=BAD_INPUTS,
)
@pytest.mark.parametrize(
    "command", ["tally bad --out new.tally", "estimate bad --out new.csv --plot new.svg"]
)
def test_bad_reports_and_tallies(command: str, task: Task, data: bytes, message: str) -> None:
    put({"task.json": task.to_json().encode(), "bad": data})
    assert refused(f"{command} --task task.json").startswith(f"pckv: bad{message}")


def test_one_bad_file_among_good_ones_is_named() -> None:
    put({"bad.parquet": forged_reports(GRR, [99], pa.int64())})
    for inputs in ("words.parquet bad.parquet", "bad.parquet good.tally"):
        line = refused(f"tally {inputs} --task grr.json --out new.tally")
        assert line.startswith("pckv: bad.parquet, row group 0: report 0: word 99")
    line = refused("tally words.parquet other.tally --task grr.json --out new.tally")
    assert line == "pckv: other.tally: a tally of another task\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--method best", "method 'best' does not exist: choose from baseline, corrected"),
        ("--post best", "post 'best' does not exist: choose from consistent\n"),
        ("--post oversize", "post 'oversize' does not exist"),
        ("--sizes new.csv", "new.csv: No such file or directory"),
        ("--sizes pairs.csv", "pairs.csv: there must be columns size and people"),
        ("--level 0", "level must be between 0 and 1, not 0"),
        ("--level 1", "level must be between 0 and 1, not 1"),
        ("--level 1.5", "level must be between 0 and 1, not 1.5"),
        ("--level nan", "level must be between 0 and 1, not nan"),
        ("--out new.xlsx", "new.xlsx: a table is .csv, .parquet, .json"),
        ("--out new", "new: a table is .csv, .parquet, .json"),
        ("--plot new.gif", "a picture is .svg, .png, .html"),
        ("--plot new", "new: a picture"),
        ("--out new.csv --plot new.gif", "a picture is"),
        ("--out new.csv --plot new.svg --level 2", "level must be"),
    ],
)
def test_bad_options_of_estimate(options: str, message: str) -> None:
    assert message in refused(f"{ESTIMATE} {options}")


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
    assert message in refused(f"plan --keys 10 --users 100 --epsilon 1 {options}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--mechanism oue", "mechanism 'oue' does not exist: choose from auto, ue, grr"),
        ("--padding 0", "padding must be at least 1"),
        ("--method best", "method 'best' does not exist"),
        ("--post best", "post 'best' does not exist"),
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
    assert message in refused(f"{SIMULATE} {options}")


INPUTS = {
    "task show INPUT": "task show",
    "audit --task INPUT": "audit",
    f"{NEW} --keys-file INPUT": "task new",
    PERTURB.replace("pairs.csv", "INPUT"): "perturb",
    PERTURB.replace("grr.json", "INPUT"): "perturb task",
    TALLY.replace("words.parquet", "INPUT"): "tally",
    TALLY.replace("words.parquet", "words.parquet INPUT"): "tally second",
    TALLY.replace("grr.json", "INPUT"): "tally task",
    f"{ESTIMATE} --out new.csv".replace("words.parquet", "INPUT"): "estimate",
    f"{ESTIMATE} --out new.csv".replace("grr.json", "INPUT"): "estimate task",
    f"{SIMULATE} --plot new.svg".replace("pairs.csv", "INPUT"): "simulate",
}


@pytest.mark.parametrize("command", INPUTS, ids=INPUTS.values())
def test_a_missing_input_is_named(command: str) -> None:
    assert refused(command.replace("INPUT", "gone")) == "pckv: gone: No such file or directory\n"


@pytest.mark.parametrize("command", INPUTS, ids=INPUTS.values())
def test_an_empty_folder_is_no_input(command: str) -> None:
    Path("folder").mkdir()
    of_reports = INPUTS[command] in {"tally", "tally second", "estimate"}
    problem = "no report files (*.parquet) in this folder" if of_reports else "Is a directory"
    assert refused(command.replace("INPUT", "folder")) == f"pckv: folder: {problem}\n"


# What is written


DEMO = "demo --out ."
WRITING = [
    (f"{NEW} --key-count 3", "new.json"),
    (PERTURB, "new.parquet"),
    (TALLY, "new.tally"),
    (f"{ESTIMATE} --out new.csv", "new.csv"),
    (f"{ESTIMATE} --out new.parquet", "new.parquet"),
    (f"{ESTIMATE} --out new.json", "new.json"),
    (f"{ESTIMATE} --plot new.svg", "new.svg"),
    (f"{SIMULATE} --plot new.svg", "new.svg"),
]
WRITING_IDS = [f"{command.split()[0]}-{output}" for command, output in WRITING]


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.demo.USERS", 50)


@pytest.mark.usefixtures("small_demo")
@pytest.mark.parametrize(
    ("command", "output"),
    [
        *WRITING,
        (f"{NEW_PILOT} --key-count 3", "new.json"),
        (DEMO, "estimates.csv"),
        (DEMO, "estimates.html"),
    ],
)
def test_an_output_is_replaced_only_by_force(command: str, output: str) -> None:
    put({output: b"old"})
    assert refused(command) == f"pckv: {output} exists: use --force to replace it\n"
    done(f"{command} --force")
    assert len(Path(output).read_bytes()) > len(b"old")
    assert not list(Path().glob("*.part"))


@pytest.mark.parametrize(
    ("command", "output"), [part for part in WRITING if "task new" not in part[0]], ids=WRITING_IDS[1:]
)
def test_an_output_that_is_there_is_refused_before_any_work(command: str, output: str) -> None:
    put({output: b"old"})
    command = command.replace("pairs.csv", "gone").replace("words.parquet", "gone")
    assert refused(command) == f"pckv: {output} exists: use --force to replace it\n"


def test_one_output_that_is_there_refuses_both() -> None:
    put({"new.svg": b"old"})
    assert refused(f"{ESTIMATE} --out new.csv --plot new.svg").startswith("pckv: new.svg exists")


@pytest.mark.parametrize(("command", "output"), WRITING, ids=WRITING_IDS)
def test_a_missing_folder_for_the_output_is_named(command: str, output: str) -> None:
    line = refused(command.replace(output, f"nowhere/{output}"))
    assert line.startswith("pckv: nowhere")
    assert ".part" not in line


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond sixteen bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        # Modules that are imported meanwhile must not be cached in part.
        patch.setattr(sys, "dont_write_bytecode", True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("force", [False, True], ids=["fresh", "force"])
@pytest.mark.parametrize(("command", "output"), WRITING, ids=WRITING_IDS)
def test_a_failing_write_leaves_what_was(command: str, output: str, force: bool) -> None:
    if force:
        put({output: b"old"})
    with full_disk():
        line = refused(f"{command} --force" if force else command)
    assert "File too large" in line


@pytest.mark.parametrize(("command", "output"), WRITING, ids=WRITING_IDS)
def test_a_failing_write_names_the_output(command: str, output: str) -> None:
    with full_disk():
        line = refused(command)
    assert line.startswith(f"pckv: {output}: ")


def test_a_disk_that_is_full_half_way_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(path: Path, *_: object) -> int:
        path.write_bytes(b"PAR1 and then")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pckv.cli.perturb.write_reports", half)
    assert "No space left on device" in refused(PERTURB)


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Settings that are meant for other collectors do not count here.
    monkeypatch.setenv("PCKV_RATE", "1")
    monkeypatch.setattr("pckv.cli.demo.USERS", 1000)
    printed = done("demo --out made/here")
    assert "1,000 participants" in printed
    assert "true frequency" in printed
    assert "true mean" in printed
    rows = [line for line in printed.splitlines() if line.startswith("movie ")]
    assert len(rows) == 10
    true, estimated = max((float(row.split()[2]), float(row.split()[3])) for row in rows)
    assert estimated == pytest.approx(true, abs=0.2)
    made = tmp_path / "made/here"
    with (made / "estimates.csv").open(encoding="utf-8", newline="") as file:
        assert [row["key"] for row in csv.DictReader(file)] == [f"movie {key:03}" for key in range(100)]
    page = (made / "estimates.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "<table>" in page
    assert "frequency intervals hold the truth" in page
    again = printed.rstrip().splitlines()[-1]
    assert (
        again
        == f"The same again: pckv estimate {Path('made/here/reports.parquet')} --task made/here/task.json"
    )
    done(again.removeprefix("The same again: pckv ") + " --out again.csv")
    assert Path("again.csv").read_bytes() == (made / "estimates.csv").read_bytes()


SERVING_DEMO = """
from pckv.cli import demo, main
demo.USERS = 20
main(["demo", "--serve"])
"""


def test_the_demo_leaves_its_collector_running_until_it_is_interrupted() -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-c", SERVING_DEMO], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = next(line for line in process.stdout if "is at http://" in line).split()[4]
        token = process.stdout.readline().strip()
        found = ask("GET", address, "/tasks", token)
        assert [task["name"] for task in found["tasks"]] == ["demo"]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    with pytest.raises(PckvError, match="refused"):
        ask("GET", address, "/tasks", token)


def test_a_collector_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.cli.trial.SERVE", "import sys; sys.exit('no room')")
    assert refused("demo") == "pckv: the collector does not start: no room\n"
    assert not Path("demo").exists()


# Usage


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), group
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name)), command


@pytest.mark.parametrize(("path", "command"), list(commands(main)), ids=lambda part: part or None)
def test_every_command_explains_itself(path: str, command: click.Command) -> None:
    assert command.help
    for option in ("--help", "-h"):
        printed = done(f"{path} {option}")
        assert printed.startswith(f"Usage: main {path}".rstrip())
        assert " ".join(command.help.split("\n\n")[0].split()) in " ".join(printed.split())


def test_the_commands_of_a_collection_are_there() -> None:
    assert {path for path, _ in commands(main)} >= {
        "",
        "audit",
        "demo",
        "estimate",
        "perturb",
        "plan",
        "simulate",
        "tally",
        "task",
        "task new",
        "task pilot",
        "task show",
    }


@pytest.mark.parametrize(
    "command",
    [
        "",
        "task",
        "guess",
        "task new",
        f"{NEW} --keys-file keys.txt --key-count 3",
        NEW,
        f"{NEW} --key-count three",
        NEW_PILOT,
        f"{NEW_PILOT} --keys-file keys.txt --key-count 3",
        f"{NEW_PILOT} --key-count 3 --users 9",
        f"{NEW_PILOT} --key-count 3 --padding 2",
        f"{PERTURB} --colour red",
        f"{PERTURB} --repeated first",
        "perturb pairs.csv --task grr.json --out new.parquet",
        "tally --task grr.json --out new.tally",
        "tally words.parquet --out new.tally",
        "tally words.parquet --task grr.json",
        f"{TALLY} --engine excel",
        f"{TALLY} --spark-master local[2]",
        f"{TALLY} --engine duckdb --spark-master local[2]",
        f"{ESTIMATE} --top 0",
        f"{ESTIMATE} --level high",
        "plan --keys 10",
    ],
)
def test_wrong_usage_exits_2(command: str) -> None:
    before = contents()
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: main" in result.stderr
    assert contents() == before


# Options of tally


BAD_WORDS = [5, 99, None, 2, -1, 98]


def passed_over(command: str) -> tuple[str, list[str]]:
    """What a run that succeeds prints, and what it says that it has passed over."""
    result = run(command)
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr.splitlines()


@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
def test_what_is_passed_over_is_said(engine: str) -> None:
    put(
        {
            "bad.parquet": forged_reports(GRR, BAD_WORDS, pa.int64()),
            "cut.parquet": forged_reports(GRR, [3], pa.int64())[:-6],
            "ue.parquet": forged_reports(UE, [b"\0\0"], pa.binary()),
        }
    )
    command = f"tally *.parquet --task grr.json --out new.tally --skip-bad --engine {engine}"
    printed, skipped = passed_over(command)
    assert printed == "10 reports counted into new.tally, 4 skipped, 2 whole files skipped\n"
    assert skipped[0].startswith("skipped: cut.parquet: not a report file (")
    assert skipped[1:] == [
        f"skipped: ue.parquet: reports of another task ('{UE.id}')",
        "skipped: bad.parquet, row group 0: report 2: no word",
        "skipped: bad.parquet, row group 0: report 1: word 99 is not below 8 (and 2 more like it)",
    ]
    printed, _ = passed_over(f"{command} --force --json")
    made = read_json(printed)
    assert list(made) == ["task", "engine", "files", "reports", "repeated", "skipped"]
    assert (made["task"], made["engine"], made["files"], made["reports"]) == (GRR.id, engine, 2, 10)
    assert made["skipped"][1:] == [
        {"where": "ue.parquet", "reason": f"reports of another task ('{UE.id}')", "reports": None},
        {"where": "bad.parquet, row group 0", "reason": "report 2: no word", "reports": 1},
        {"where": "bad.parquet, row group 0", "reason": "report 1: word 99 is not below 8", "reports": 3},
    ]
    good = Tally(GRR)
    good.add_many(np.array([5, 5, 5, 2, 2, 0, 6, 7, 5, 2]))
    assert Path("new.tally").read_bytes() == bytes(good)
    assert refused(command.replace("new", "newer").replace("--skip-bad", "")).startswith(
        "pckv: cut.parquet: "
    )


def test_a_long_list_of_what_was_passed_over_is_cut() -> None:
    Path("in").mkdir()
    put({f"in/{number}.parquet": forged_reports(GRR, [99], pa.int64()) for number in range(23)})
    _, skipped = passed_over("tally in --task grr.json --out new.tally --skip-bad")
    assert len(skipped) == 21
    assert skipped[-1] == "skipped: … and 3 more places (--json lists them)"


@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
def test_ids_are_counted_once(engine: str) -> None:
    ids = np.arange(3 * 16, dtype=np.uint8).reshape(3, 16)
    write_reports(Path("a.parquet"), GRR, [(ids, np.array([5, 2, 0]))])
    write_reports(Path("b.parquet"), GRR, [(ids[1:], np.array([2, 0]))])
    write_reports(Path("c.parquet"), GRR, [(ids[:1], np.array([6]))])
    command = f"tally a.parquet b.parquet --task grr.json --out new.tally --dedupe --engine {engine}"
    assert done(command) == "3 reports counted into new.tally, 2 repeated\n"
    assert read_json(done(f"{command} --force --json"))["repeated"] == 2
    assert done(f"{command} --force".replace(" --dedupe", "")).startswith("5 reports counted")
    assert refused(command.replace("b.parquet", "c.parquet").replace("new", "newer")) == (
        f"pckv: report id {ids[0].tobytes().hex()} has different bodies: a.parquet, row group 0, report 0, "
        "and c.parquet, row group 0, report 0\n"
    )


def test_a_broken_run_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.counting.checkpoint.ROWS_PER_STEP", 1)
    put({"x.parquet": forged_reports(GRR, [99], pa.int64())})
    command = "tally words.parquet x.parquet --task grr.json --out new.tally --resume"
    result = run(command)
    assert result.stderr == "pckv: x.parquet, row group 0: report 0: word 99 is not below 8\n"
    assert Path("new.tally.progress").exists()
    assert not Path("new.tally").exists()
    put({"x.parquet": forged_reports(GRR, [1], pa.int64())})
    assert done(command) == "9 reports counted into new.tally\n"
    assert not Path("new.tally.progress").exists()
    done("tally words.parquet x.parquet --task grr.json --out whole.tally")
    assert Path("new.tally").read_bytes() == Path("whole.tally").read_bytes()
    put({"other.tally.progress": b"garbage"})
    line = refused(command.replace("new.tally", "other.tally --force"))
    assert line == "pckv: other.tally.progress: not the progress of this run (remove it to begin again)\n"


def test_no_reports_are_a_tally() -> None:
    write_reports(Path("none.parquet"), GRR, [])
    assert done("tally none.parquet --task grr.json --out new.tally") == "0 reports counted into new.tally\n"
    assert Path("new.tally").read_bytes() == bytes(Tally(GRR))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--dedupe --resume",
            "deduplication compares all files with each other, so that it cannot be resumed: leave out --dedupe or --resume",
        ),
        (
            "good.tally --dedupe",
            "good.tally: a tally has no report ids to deduplicate by: leave out --dedupe",
        ),
        ("words.parquet", "words.parquet: given twice, and would be counted twice"),
        ("'*.arrow'", "*.arrow: no file matches"),
        ("- --engine duckdb", "standard input is counted by the numpy engine, in one go"),
        ("- --resume", "standard input is counted by the numpy engine, in one go"),
        ("-", "standard input: not an Arrow stream ("),
        ("in", "in/ue.parquet: reports of another task"),
    ],
)
def test_bad_options_of_tally(options: str, message: str) -> None:
    Path("in").mkdir()
    put({"in/ue.parquet": forged_reports(UE, [b"\0\0"], pa.binary())})
    assert refused(f"{TALLY} {options}").startswith(f"pckv: {message}")


def test_estimates_of_a_folder() -> None:
    Path("in").mkdir()
    Path("words.parquet").rename("in/words.parquet")
    put({"in/more.parquet": forged_reports(GRR, [5, 5], pa.int64())})
    assert read_json(done("estimate in --task grr.json --json"))["reports"] == 10
    assert refused("estimate in in/more.parquet --task grr.json").startswith(
        "pckv: in/more.parquet: given twice"
    )


# The installed program


def program_command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("pckv")), *arguments]


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program_command(*arguments),
        check=False,
        text=True,
        encoding="utf-8",
        timeout=60,
        stderr=subprocess.PIPE,
        **options,
    )


def test_the_installed_program() -> None:
    good = program("task", "show", "grr.json", "--json", stdout=subprocess.PIPE)
    assert (good.returncode, good.stderr) == (0, "")
    assert read_json(good.stdout)["id"] == GRR.id
    bad = program("task", "show", "gone.json", stdout=subprocess.PIPE)
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr == "pckv: gone.json: No such file or directory\n"
    version = program("--version", stdout=subprocess.PIPE)
    assert version.stdout == f"pckv, version {__version__}\n"


def test_a_reader_who_leaves_early_is_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = program("task", "show", "grr.json", "--json", stdout=writer)
    finally:
        os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


def test_a_terminal_without_greek_letters() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    result = program(
        "estimate", "words.parquet", "--task", "grr.json", stdout=subprocess.PIPE, env=environment
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "alien" in result.stdout


def test_perturbing_again_makes_other_reports() -> None:
    """The command's randomness is the operating system's: nothing about it repeats."""
    files = []
    for name in ("one", "two"):
        done(PERTURB.replace("new.parquet", f"{name}.parquet"))
        files.append(pq.read_table(f"{name}.parquet").column("report_id").to_pylist())
    assert not set(files[0]) & set(files[1])


def test_perturb_into_tally() -> None:
    perturb = program_command(*PERTURB.replace("new.parquet", "-").split())
    tally = program_command(*["tally", "-", "--task", "grr.json", "--out", "new.tally"])
    with subprocess.Popen(perturb, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        result = subprocess.run(tally, stdin=writer.stdout, capture_output=True, timeout=60, check=False)
        assert writer.stderr
        assert writer.stderr.read() == b"3 reports written to standard output\n"
    assert writer.returncode == 0
    assert (result.stdout, result.stderr) == (b"3 reports counted into new.tally\n", b"")
    assert Tally.from_bytes(GRR, Path("new.tally").read_bytes()).reports == 3


def test_a_stream_that_cannot_be_written() -> None:
    with Path("/dev/full").open("wb") as full:
        result = program(*PERTURB.replace("new.parquet", "-").split(), stdout=full)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert "No space left on device" in result.stderr


def test_a_stream_whose_writer_is_refused_is_no_tally() -> None:
    put({"pairs.csv": pairs_csv("ann,alien,5", "bob,heat,99")})
    written = program(*PERTURB.replace("new.parquet", "-").split(), stdout=subprocess.PIPE)
    assert (written.returncode, written.stdout) == (1, "")
    assert "line 3: value 99" in written.stderr
    result = program(
        *["tally", "-", "--task", "grr.json", "--out", "new.tally"], input="", stdout=subprocess.PIPE
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("pckv: standard input: not an Arrow stream (")
    assert not Path("new.tally").exists()
