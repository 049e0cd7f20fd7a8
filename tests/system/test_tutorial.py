"""Every command of the tutorial, verbatim, in an empty folder; and what it says is true."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.parts import ROOT

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SERVE = "pckv serve"
ADDRESS = "http://127.0.0.1:8000"
STARTING_SECONDS = 60


def tutorial_commands() -> list[str]:
    blocks = BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    lines = [line for language, block in blocks for line in block.splitlines() if not language]
    return [line for line in lines if line.startswith("pckv ")]


def promised_lines() -> list[str]:
    """Return what the page says that commands print, always."""
    blocks = BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    return [line for language, block in blocks for line in block.splitlines() if language == "text"]


def environment(folder: Path) -> dict[str, str]:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {**os.environ, "PATH": path, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}


@contextmanager
def running(command: str, folder: Path) -> Iterator[None]:
    """Run a collector until the end of the block."""
    with subprocess.Popen(shlex.split(command), cwd=folder, env=environment(folder)) as process:
        try:
            wait_until_ready(process)
            yield
        finally:
            process.terminate()


def wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{ADDRESS}/readyz", timeout=5):  # noqa: S310
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the collector did not start")


def run(command: str, folder: Path) -> str:
    done = subprocess.run(
        shlex.split(command), cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Run all commands in order; the collector runs beside those that follow it."""
    folder, printed = tmp_path_factory.mktemp("empty"), {}
    commands = tutorial_commands()
    served = next(number for number, command in enumerate(commands) if command.startswith(SERVE))
    for command in commands[:served]:
        printed[command] = run(command, folder)
    with running(commands[served], folder):
        for command in commands[served + 1 :]:
            printed[command] = run(command, folder)
    return folder, printed


def test_every_command_runs(visited: tuple[Path, dict[str, str]]) -> None:
    folder, printed = visited
    assert len(printed) >= 12
    assert {"task.json", "reports.parquet", "counts.tally", "top.svg", "errors.svg"} <= {
        path.name for path in folder.iterdir()
    }


def test_commands_print_what_the_page_shows(visited: tuple[Path, dict[str, str]]) -> None:
    printed = "\n".join(visited[1].values()).splitlines()
    assert len(promised_lines()) >= 4
    assert not [line for line in promised_lines() if line not in printed]


def test_the_intervals_hold_the_truth(visited: tuple[Path, dict[str, str]]) -> None:
    """At 95 %, at most 6 of 10 miss: with independent misses, more happen once in a million runs."""
    folder, _ = visited
    found = json.loads(run("pckv estimate counts.tally --task task.json --json", folder))
    with (folder / "truth.csv").open(newline="") as file:
        truth = {row["movie"]: float(row["frequency"]) for row in csv.DictReader(file)}
    top = sorted(truth, key=lambda name: -truth[name])[:10]
    rows = {row["key"]: row for row in found["estimates"]}
    inside = [rows[key]["frequency_low"] <= truth[key] <= rows[key]["frequency_high"] for key in top]
    assert sum(inside) >= 4


def test_the_plan_and_the_task_agree(visited: tuple[Path, dict[str, str]]) -> None:
    folder, printed = visited
    task = json.loads((folder / "task.json").read_text(encoding="utf-8"))
    plan = next(text for command, text in printed.items() if command.startswith("pckv plan"))
    assert f"{task['mechanism']['name']} with padding {task['padding']}" in plan


def test_the_verdict_of_the_audit_is_that_it_holds(visited: tuple[Path, dict[str, str]]) -> None:
    audit = next(text for command, text in visited[1].items() if command.startswith("pckv audit"))
    header, *rows = [re.split(" {2,}", line) for line in audit[audit.index("mechanism") :].splitlines()]
    assert rows[0][header.index("verdict")] == "holds"


def test_people_with_more_pairs_than_the_padding_are_counted(visited: tuple[Path, dict[str, str]]) -> None:
    folder, printed = visited
    padding = json.loads((folder / "task.json").read_text(encoding="utf-8"))["padding"]
    with (folder / "ratings.csv").open(newline="") as file:
        held = Counter(row["user"] for row in csv.DictReader(file) if row["movie"])
    larger = sum(pairs > padding for pairs in held.values())
    said = next(text for command, text in printed.items() if command.startswith("pckv perturb"))
    assert (f"{larger:,} of " in said) == (larger > 0)
