"""Which tests run when: `make test` runs all but those with the marker `verify`, `make verify` runs all.

A test gets the marker where it is written, or by the lists below, which say why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

# Tests that `make verify` alone runs.
VERIFIED = {
    "packages, images and the site are built": (
        r"test_(packages|npm_package|containers|workflows|site|newcomer|tutorial|figures)\.py"
    ),
}
# Tests of which `make test` runs the first case of each function: the others take the same code path.
REPRESENTED = {
    "one planted fault stands for those of its check": r"mutant|faulty|is_caught|fault",
}


def wide(*values: Any) -> list[Any]:
    """Return values for `parametrize` that `make verify` alone runs: others take the same code path."""
    return [pytest.param(value, marks=pytest.mark.verify) for value in values]


def mark_for_verify(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that the lists leave to `make verify`."""
    verified, represented = ("|".join(patterns.values()) for patterns in (VERIFIED, REPRESENTED))
    functions: set[str] = set()
    for item in items:
        function, has_cases, _ = item.nodeid.partition("[")
        is_repeated = bool(has_cases) and function in functions and re.search(represented, function)
        if re.search(verified, function) or is_repeated:
            item.add_marker(pytest.mark.verify)
        functions.add(function)
