"""The library names no command-line options and reads no standard input: both belong to the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from support.parts import ROOT

PACKAGE = ROOT / "src/pckv"
# The path of every module, relative to the package.
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
LIBRARY = [path for path in MODULES if path.parts[0] != "cli"]
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the texts of a module that are not docstrings."""
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node


@pytest.mark.parametrize("name", sorted({path.parts[0] for path in LIBRARY}))
def test_no_text_names_an_option(name: str) -> None:
    for path in LIBRARY:
        if path.parts[0] == name:
            tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
            named = [text.value for text in texts(tree) if OPTION.search(str(text.value))]
            assert not named, path


def test_nobody_reads_standard_input() -> None:
    reading = {str(path) for path in LIBRARY if "sys.stdin" in (PACKAGE / path).read_text(encoding="utf-8")}
    # A program of its own, that the library starts and writes to.
    assert reading == {"sealing/opening_process.py"}
