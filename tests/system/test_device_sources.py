"""What device code may look at: its arguments and the tape, and neither clock, environment, files nor other randomness.

All other code may draw only where a table says so, with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import pytest

from support.parts import ROOT

SOURCE = ROOT / "src" / "pckv"
FILES = sorted(
    path
    for pattern in (
        "device/*.py",
        "mechanisms/*/*.py",
        "mechanisms/base.py",
        "mechanisms/padding.py",
        "base/randomness.py",
        "base/budget.py",
        "base/wire.py",
        "base/population.py",
        "sealing/envelope.py",
        "sealing/public_key.py",
        "sealing/seal.py",
    )
    for path in SOURCE.glob(pattern)
)
# Modules whose results depend on nothing but their arguments.
ALLOWED = {
    *(
        "__future__",
        "abc",
        "bisect",
        "collections",
        "dataclasses",
        "decimal",
        "enum",
        "fractions",
        "functools",
    ),
    *("itertools", "math", "numbers", "numpy", "pckv", "struct", "typing"),
}
# The operating system is asked for random bytes, and for nothing else.
TAPES = {"device/vectorised.py", "base/randomness.py"}
# Texts become numbers by a hash, which is public.
TEXTS = {"mechanisms/discovery/prefix_tree.py": {"hashlib", "string", "unicodedata"}}
REFUSED = {"__import__", "compile", "eval", "exec", "globals", "hash", "id", "input", "open"}


def faults_of(text: str, *, is_tape: bool, also: AbstractSet[str] = frozenset()) -> Iterator[str]:
    """Yield what a source uses that device code may not."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                modules = {name.name.partition(".")[0] for name in names}
            case ast.ImportFrom(module=str(module)):
                modules = {module.partition(".")[0]}
            case _:
                modules = set()
        yield from sorted(modules - ALLOWED - also - ({"os"} if is_tape else set()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REFUSED:
            yield node.func.id
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            whole = f"{node.value.id}.{node.attr}"
            if (node.value.id == "os" and node.attr != "urandom") or whole == "np.random":
                yield whole


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_device_code_looks_at_nothing_else(path: object) -> None:
    name = str(path.relative_to(SOURCE))  # type: ignore[attr-defined]
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert list(faults_of(text, is_tape=name in TAPES, also=TEXTS.get(name, set()))) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import time\ntime.time()", "time"),
        ("def f():\n    from random import random", "random"),
        ("import os\nos.environ.get('DEBUG')", "os.environ"),
        ("import numpy as np\nnp.random.default_rng(1)", "np.random"),
        ("hash(key) % 7", "hash"),
        ("import datetime as dt", "datetime"),
    ],
)
def test_a_fault_is_found(text: str, found: str) -> None:
    assert list(faults_of(text, is_tape=True)) == [found]


SYSTEM, GENERATOR = "the system's randomness", "a generator"
# Every file that draws, by what it draws from and what for.
DRAWING = {
    (SYSTEM, "reports, panels and orders, which tests/audit/test_sources.py computes again"): (
        "base/randomness.py client/panel.py device/vectorised.py shuffling/permutation.py shuffling/shuffle.py"
    ),
    (SYSTEM, "coins, as tests/collector/test_admission.py checks"): "collector/ingest/admission.py",
    (SYSTEM, "orders of batches, as tests/mixing/test_release.py checks"): "mixing/transactions.py",
    (SYSTEM, "names of temporary files, pauses, tokens and hash functions, which no report shows"): (
        "base/durable.py cli/demo_processes.py client/transport.py collector/http/auth.py collector/http/rate_limit.py "
        "counting/deduplicator.py store/sql/reports.py store/sqlite.py"
    ),
    (GENERATOR, "simulations, audits and sample files, of no participant"): (
        "auditing/positions.py cli/sample.py lab/baselines.py lab/counting.py lab/figures/claims.py "
        "lab/figures/figure.py lab/figures/realdata.py lab/figures/synthetic.py lab/populations.py "
        "lab/simulate.py lab/simulator.py planning/influence.py"
    ),
    (GENERATOR, "which reports alarms look at, and pauses of a store"): (
        "counting/alarms.py estimators/alarms.py store/postgres.py"
    ),
}
SOURCES = {"os.urandom": SYSTEM, "os.getrandom": SYSTEM, "secrets": SYSTEM, "uuid": SYSTEM, "ssl.RAND_bytes": SYSTEM}
SOURCES |= dict.fromkeys(("random", "numpy.random", "np.random", "pckv.base.seeded"), GENERATOR)


def drawn_from(text: str) -> set[str]:
    """Return what a source file draws from."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=modules):
                names.update(module.name for module in modules)
            case ast.ImportFrom(module=str(module), names=members):
                names.update((module, *(f"{module}.{member.name}" for member in members)))
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                names.add(f"{owner}.{name}")
    return {SOURCES[name] for name in names & SOURCES.keys()}


def test_every_file_that_draws_is_known() -> None:
    found = {
        (source, str(path.relative_to(SOURCE)))
        for path in SOURCE.rglob("*.py")
        for source in drawn_from(path.read_text(encoding="utf-8"))
    }
    assert found == {(source, file) for (source, _), files in DRAWING.items() for file in files.split()}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import secrets", SYSTEM),
        ("from os import urandom", SYSTEM),
        ("import os\nsource = os.urandom", SYSTEM),
        ("import random", GENERATOR),
        ("from numpy import random", GENERATOR),
        ("import numpy as np\nnp.random.default_rng()", GENERATOR),
        ("from pckv.base.seeded import seeded_source", GENERATOR),
    ],
)
def test_what_a_file_draws_from_is_found(text: str, found: str) -> None:
    assert drawn_from(text) == {found}
