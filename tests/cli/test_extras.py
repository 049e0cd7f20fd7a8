"""Commands in an environment without extras: they work, or say in one line which extra is missing."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.cli import COLUMNS, ESTIMATE, NEW, PERTURB, SIMULATE, TALLY
from support.parts import missing_part

ROOT = Path(__file__).parents[2]
BARE = ROOT / ".venv" / "bare" / "core" / "bin" / "python"

NEEDS = {
    "demo": ("altair", "charts"),
    "serve": ("fastapi", "serve"),
    "token new": ("fastapi", "serve"),
    "token new --analyst --token-file new.token": ("fastapi", "serve"),
    "token new --store postgresql://nobody@127.0.0.1/none": ("fastapi", "serve"),
    "store check": ("apsw", "serve"),
    "store check --store postgresql://nobody@127.0.0.1/none": ("psycopg_pool", "postgres"),
    "reproduce 4 --out paper": ("altair", "charts"),
    PERTURB: ("pyarrow", "files"),
    f"perturb pairs.csv --task grr.json {COLUMNS} --out -": ("pyarrow", "files"),
    TALLY: ("pyarrow", "files"),
    f"{TALLY} --engine duckdb": ("pyarrow", "files"),
    f"{TALLY} --engine spark": ("pyarrow", "files"),
    "tally - --task grr.json --out new.tally": ("pyarrow", "files"),
    ESTIMATE: ("pyarrow", "files"),
    "estimate good.tally --task grr.json --out new.parquet": ("pyarrow.parquet", "files"),
    "estimate good.tally --task grr.json --plot new.svg": ("altair", "charts"),
    f"{SIMULATE} --plot new.svg": ("altair", "charts"),
}
WORKS = [
    "--help",
    "--version",
    f"{NEW} --keys 3",
    "task show grr.json",
    "tally good.tally --task grr.json --out new.tally",
    "estimate good.tally --task grr.json --out new.csv",
    "audit --task grr.json",
    "card grr.json",
    "plan --keys 9 --users 999 --epsilon 1",
    SIMULATE,
]


# Runs commands as `python -m pckv` does, each in a process of its own that has what takes long to load: what is not
# installed cannot be loaded.
FORKING = """
import json, os, runpy, sys
import pckv.cli, pckv.estimators.estimate, pckv.planning.planner
for line in sys.stdin:
    folder, arguments = json.loads(line)
    if not (child := os.fork()):
        os.chdir(folder)
        for number, name in ((0, os.devnull), (1, "stdout"), (2, "stderr")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
        sys.argv[1:] = arguments
        runpy.run_module("pckv", run_name="__main__", alter_sys=True)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
Bare = Callable[[str], tuple[int, str, str]]


@pytest.fixture(scope="module")
def forking() -> Iterator[subprocess.Popen[str]]:
    """A process with nothing but the core's dependencies, which runs commands."""
    if not BARE.exists():
        missing_part("the bare environment (make test sets it up)")
    with subprocess.Popen(
        [str(BARE), "-c", FORKING],
        env={"PYTHONPATH": str(ROOT / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        yield process
        process.communicate()


@pytest.fixture
def bare(forking: subprocess.Popen[str], tmp_path: Path) -> Bare:
    """A function that runs a command; it returns the exit code, and the text of stdout and of stderr."""

    def run_command(command: str) -> tuple[int, str, str]:
        assert forking.stdin
        assert forking.stdout
        forking.stdin.write(json.dumps([str(tmp_path), shlex.split(command)]) + "\n")
        forking.stdin.flush()
        code = int(forking.stdout.readline())
        stdout, stderr = ((tmp_path / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return code, stdout, stderr

    return run_command


@pytest.mark.parametrize(("command", "needed"), NEEDS.items(), ids=NEEDS)
def test_a_missing_extra_is_one_line(bare: Bare, command: str, needed: tuple[str, str]) -> None:
    module, extra = needed
    line = f"pckv: this needs '{module}': pip install 'pckv[{extra}]'\n"
    assert bare(command) == (1, "", line)


@pytest.mark.parametrize("command", WORKS)
def test_the_core_works_without_extras(bare: Bare, command: str) -> None:
    code, _, stderr = bare(command)
    assert (code, stderr) == (0, "")
