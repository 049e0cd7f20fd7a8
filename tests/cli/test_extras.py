"""Commands in an environment without extras: they work, or say in one line which extra is missing."""

from __future__ import annotations

import shlex
import subprocess
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
    f"{NEW} --key-count 3",
    "task show grr.json",
    "tally good.tally --task grr.json --out new.tally",
    "estimate good.tally --task grr.json --out new.csv",
    "audit --task grr.json",
    "card grr.json",
    "plan --keys 9 --users 999 --epsilon 1",
    SIMULATE,
]


def bare(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command with nothing but the core's dependencies."""
    if not BARE.exists():
        missing_part("the bare environment (make test sets it up)")
    return subprocess.run(
        [str(BARE), "-m", "pckv", *shlex.split(command)],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(("command", "needed"), NEEDS.items(), ids=NEEDS)
def test_a_missing_extra_is_one_line(command: str, needed: tuple[str, str]) -> None:
    module, extra = needed
    result = bare(command)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"pckv: this needs '{module}': pip install 'pckv[{extra}]'\n"


@pytest.mark.parametrize("command", WORKS)
def test_the_core_works_without_extras(command: str) -> None:
    result = bare(command)
    assert (result.returncode, result.stderr) == (0, "")
