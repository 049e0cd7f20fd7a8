"""Rules that every source file follows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.parts import ROOT

MAX_LINES = 600
PACKAGES = sorted(str(path.parent.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("__init__.py"))
# The names of `pckv` are loaded on first use, which takes a table and two functions.
LAZY_NAMES = {"_HOMES", "__version__", "__getattr__", "__dir__"}


def sources() -> Iterator[Path]:
    for folder in ("src", "tests"):
        yield from (ROOT / folder).rglob("*.py")


def test_the_top_level_holds_packages_only() -> None:
    loose = {path.name for path in (ROOT / "src" / "pckv").iterdir() if path.is_file()}
    assert loose == {"__init__.py", "__main__.py", "py.typed"}


def test_files_stay_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in sources()}
    assert not {path: lines for path, lines in lengths.items() if lines > MAX_LINES}


def test_a_class_name_means_one_thing() -> None:
    homes: dict[str, list[str]] = {}
    for path in (path for folder in ("src", "bench", "experiments") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert len(homes) > 100
    assert not {name: paths for name, paths in homes.items() if len(paths) > 1}


def test_constants_are_named_in_plain_words() -> None:
    """Limits are MAX and MIN, rates are PER; MOST_USERS or ROWS_A_BATCH would have to be explained."""
    odd = re.compile(r"^(MOST|LEAST|LARGEST|SMALLEST|LONGEST|FEWEST)_|_A_")
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id.isupper():
                assert not odd.search(node.id), (path, node.id)


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
    assert logic((ROOT / "src" / package / "__init__.py").read_text(encoding="utf-8"), allowed) == []


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
