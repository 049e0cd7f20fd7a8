"""Rules that every source file follows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.parts import ROOT

MAX_LINES = 400
# Files that are longer today. Nothing is added to this list: it only shrinks.
STILL_TOO_LONG = frozenset(
    {
        "tests/channels/test_collision.py",
        "tests/channels/test_compact.py",
        "tests/counting/test_collect.py",
        "tests/estimators/test_bayes.py",
        "tests/files/test_bulk.py",
    }
)
# Package files that hold logic today; this list only shrinks too.
STILL_WITH_LOGIC: frozenset[str] = frozenset()
PACKAGES = sorted(str(path.parent.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("__init__.py"))
# The names of `pckv` are loaded on first use, which takes a table and two functions.
LAZY_NAMES = {"_HOMES", "__version__", "__getattr__", "__dir__"}


def sources() -> Iterator[Path]:
    for folder in ("src", "tests"):
        yield from (ROOT / folder).rglob("*.py")


def test_files_stay_short() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in sources()
    }
    too_long = {path: lines for path, lines in lengths.items() if lines > MAX_LINES}
    assert too_long.keys() <= STILL_TOO_LONG, too_long
    # Whoever splits one of them takes it off the list.
    assert too_long.keys() >= STILL_TOO_LONG & lengths.keys()


def logic(text: str, allowed: frozenset[str] = frozenset()) -> list[str]:
    """Return the statements of a package file that are more than a docstring, imports and `__all__`."""
    return [
        ast.unparse(statement)
        for number, statement in enumerate(ast.parse(text).body)
        if not (
            isinstance(statement, ast.Import | ast.ImportFrom)
            or (number == 0 and is_docstring(statement))
            or is_type_checking_import(statement)
            or defined(statement) <= {"__all__", *allowed}
        )
    ]


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def is_type_checking_import(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.If)
        and ast.unparse(statement.test) == "TYPE_CHECKING"
        and all(isinstance(line, ast.Import | ast.ImportFrom) for line in statement.body)
        and not statement.orelse
    )


def defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines; itself if it does anything else."""
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        return {ast.unparse(target) for target in statement.targets}
    return {ast.unparse(statement)}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_file_has_no_logic(package: str) -> None:
    allowed = frozenset(LAZY_NAMES) if package == "pckv" else frozenset()
    found = logic((ROOT / "src" / package / "__init__.py").read_text(encoding="utf-8"), allowed)
    # A package that has lost its logic is taken off the list.
    assert bool(found) == (package in STILL_WITH_LOGIC), found


@pytest.mark.parametrize(
    "line",
    [
        "def function() -> None: ...",
        "class Thing: ...",
        "CONSTANT = 1",
        "print(1)",
        "if True:\n    import os",
        "try:\n    import os\nexcept ImportError:\n    pass",
        "if TYPE_CHECKING:\n    import os\n    print(1)",
        "import os\n'not a docstring'",
    ],
)
def test_logic_in_a_package_file_is_found(line: str) -> None:
    head = '"""A package."""\nfrom pckv import Task\n__all__ = ["Task"]\n'
    assert logic(head) == []
    assert len(logic(head + line)) == 1
