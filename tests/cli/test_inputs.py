"""Every command names inputs that are missing or broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.cli import ESTIMATE, GRR, NEW, PERTURB, SIMULATE, TALLY, put, run_refused


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
    line = run_refused(command)
    assert line.startswith("pckv: bad.json: not a task")
    assert message in line


INPUTS = {
    "task show INPUT": "task show",
    "audit --task INPUT": "audit",
    f"{NEW} --keys-file INPUT": "task new",
    f"{NEW} --keys 3 --about INPUT": "task new about",
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
    assert run_refused(command.replace("INPUT", "gone")) == "pckv: gone: No such file or directory\n"


@pytest.mark.parametrize("command", INPUTS, ids=INPUTS.values())
def test_an_empty_folder_is_no_input(command: str) -> None:
    Path("folder").mkdir()
    of_reports = INPUTS[command] in {"tally", "tally second", "estimate"}
    problem = "no report files (*.parquet) in this folder" if of_reports else "Is a directory"
    assert run_refused(command.replace("INPUT", "folder")) == f"pckv: folder: {problem}\n"
