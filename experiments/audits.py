"""Audits of tasks with any two options of `pckv task new` together: the seconds and the memory that they take.

Every audit is a process of its own, as `pckv audit` is. Writes `audits.md`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from experiments.task_options import FILES, all_rows, arguments
from pckv.cli.program import main

MAX_SECONDS, MAX_MEGABYTES = 30, 500
SHOWN = 10
# The largest `ue`, paddings at the ends of what is followed, and a task of the usual kind with unlisted keys.
LARGEST: tuple[tuple[str, ...], ...] = (
    ("--keys", "262144", "--mechanism", "ue", "--padding", "100"),
    ("--keys", "1000", "--mechanism", "collision", "--padding", "101", "--levels", "16"),
    ("--keys", "1000", "--mechanism", "collision", "--padding", "40", "--other", "--levels", "16"),
    ("--keys", "5000", "--mechanism", "collision", "--padding", "300"),
    ("--keys", "1000", "--mechanism", "grr", "--padding", "101", "--levels", "16", "--other"),
    ("--hashed", "--padding", "101", "--levels", "16", "--coin", "server"),
    ("--keys", "20", "--other", "--mechanism", "collision", "--padding", "5"),
)


class MeasuredAudit(NamedTuple):
    """One audit: what was audited, what it found, and what it took."""

    options: str
    holds: bool
    paths: int
    seconds: float
    megabytes: float


def run(settings: ExperimentSettings) -> bool:
    """Audit all tasks, print a line each, and write the document."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        wanted = [arguments(factors, row) for factors, row in all_rows()]
        largest = [["--low", "1", "--high", "5", "--epsilon", "1", *more] for more in LARGEST]
        measured = []
        for options in [*wanted, *largest][:: settings.repeats or 1]:
            measured.append(_measure(folder, options))
            print(f"{measured[-1].seconds:6.1f} s {measured[-1].megabytes:4.0f} MB  {measured[-1].options}", flush=True)
    slowest = max(each.seconds for each in measured)
    most = max(each.megabytes for each in measured)
    held = sum(each.holds for each in measured)
    requirements = [
        Requirement("audits that hold", "all", f"{held} of {len(measured)}", held == len(measured)),
        Requirement("seconds of one audit", f"at most {MAX_SECONDS}", f"{slowest:.1f}", slowest <= MAX_SECONDS),
        Requirement("memory of one audit", f"at most {MAX_MEGABYTES} MB", f"{most:.0f} MB", most <= MAX_MEGABYTES),
    ]
    (settings.out / "audits.md").write_text(_document(measured, requirements), encoding="utf-8")
    return show_requirements(requirements)


def _measure(folder: Path, options: list[str]) -> MeasuredAudit:
    """Make a task, and audit it in a process of its own; seconds are those of the processor."""
    task = folder / "task.json"
    with chdir(folder):
        main(["task", "new", "--name", "audited", *options, "--out", str(task), "--force"], standalone_mode=False)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    found = folder / "found.json"
    with found.open("wb") as out:
        audited = [sys.executable, "-m", "pckv", "audit", "--task", str(task), "--json"]
        process = subprocess.Popen(audited, cwd=folder, env=environment, stdout=out)  # noqa: S603
        _, _, usage = os.wait4(process.pid, 0)
        # Popen is told that its process was waited for.
        process.returncode = 0
    [audit] = json.loads(found.read_text(encoding="utf-8") or "[{}]")
    return MeasuredAudit(
        " ".join(options),
        bool(audit.get("holds")),
        int(audit.get("paths", 0)),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
    )


def _document(measured: list[MeasuredAudit], requirements: list[Requirement]) -> str:
    slowest = sorted(measured, key=lambda each: -each.seconds)[:SHOWN]
    rows = "".join(
        f"| {each.seconds:.1f} | {each.megabytes:.0f} | {each.paths:,} | `{each.options}` |\n" for each in slowest
    )
    return (
        "# What audits take\n\n"
        f"`pckv audit` of {len(measured)} tasks. Any two values of two options of `pckv task new` meet in one of\n"
        "them, if a task can have both (`experiments/task_options.py`); the last few are the largest that are\n"
        "followed. Every audit is a process of its own; seconds are those of its processor, memory is its peak.\n"
        "Made by `make experiment NAME=audits`.\n\n"
        f"{requirements_table(requirements)}\n"
        f"The {SHOWN} slowest:\n\n"
        "| seconds | MB | paths | options |\n|---:|---:|---:|---|\n"
        f"{rows}\n"
        "**Next:** [audit checks](audit-checks.md).\n"
    )
