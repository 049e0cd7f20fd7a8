"""A collection, end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pckv import Tally, Task
from support.cli import COLLISION, COLUMNS, COMPACT, GRR, UE, pairs_csv, parquet, put, read_json, run_ok


@pytest.mark.parametrize("keys", ["--keys-file keys.txt", "--keys 3"], ids=["names", "numbers"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_whole_collection(keys: str, kind: str) -> None:
    """At ε = 20 hardly a report in a million is noise, so that the numbers are known."""
    printed = run_ok(
        f"task new --name movies {keys} --low 1 --high 5 --epsilon 20 --users 9 --mechanism grr --size-share 0 --out task.json"
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
    printed = run_ok(f"perturb data.{kind} --task task.json {COLUMNS} --out reports.parquet")
    assert printed == "40 reports written to reports.parquet\n"

    printed = run_ok("tally reports.parquet --task task.json --out counts.tally")
    assert printed == "40 reports counted into counts.tally\n"
    from_tally = read_json(run_ok("estimate counts.tally --task task.json --json"))
    from_reports = read_json(run_ok("estimate reports.parquet --task task.json --json"))
    # Only reports can be checked for alarms.
    assert from_tally.pop("alarms") is None
    assert from_reports.pop("alarms") is not None
    assert from_reports == from_tally
    estimates = {row["key"]: row for row in from_tally["estimates"]}
    # Fewer than five keys have the frequencies of `corrected`: of 40 people, at least one holds a key.
    expected = pytest.approx([1 / 40, 0.25, 0.5], abs=1e-3)
    assert [estimates[key]["frequency"] for key in (up, heat, alien)] == expected
    assert [estimates[key]["mean"] for key in (heat, alien)] == pytest.approx([1, 5], abs=1e-6)


@pytest.mark.parametrize("task", [GRR, UE, COMPACT, COLLISION], ids=["grr", "ue", "ue-compact", "collision"])
def test_any_split_of_the_reports_gives_the_same_bytes(task: Task) -> None:
    put({"task.json": task.to_json().encode()})
    for part in range(3):
        put({f"{part}.csv": pairs_csv(*(f"{user},alien,{1 + user % 5}" for user in range(10 * (part + 1))))})
        run_ok(f"perturb {part}.csv --task task.json {COLUMNS} --out {part}.parquet")
        run_ok(f"tally {part}.parquet --task task.json --out {part}.tally")
    counted = run_ok("tally 0.parquet 1.parquet 2.parquet --task task.json --out all.tally")
    assert counted == "60 reports counted into all.tally\n"
    run_ok("tally 2.tally 0.tally 1.tally --task task.json --out merged.tally")
    run_ok("tally 0.tally 1.parquet --task task.json --out two.tally")
    run_ok("tally two.tally 2.parquet --task task.json --out mixed.tally")
    all_at_once = Path("all.tally").read_bytes()
    assert Tally.from_bytes(task, all_at_once).reports == 60
    assert Path("merged.tally").read_bytes() == all_at_once
    assert Path("mixed.tally").read_bytes() == all_at_once
    counted, mixed = (
        read_json(run_ok(f"estimate {files} --task task.json --json"))
        for files in ("all.tally", "0.tally 1.parquet 2.tally")
    )
    assert mixed | {"alarms": None} == counted
