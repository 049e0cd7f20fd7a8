"""Which tests run when: `make test` runs all but those with the marker `verify`, `make verify` runs all.

A test gets the marker where it is written, or by the lists below, which say why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

# Files that `make verify` alone runs.
VERIFIED = {
    "packages, images, guides and the site are built as users do": (
        "packages|npm_package|containers|workflows|site|newcomer|tutorial|figures"
        "|series_guides|unlisted_guide|levels_guide"
    ),
    "many repeats, many reports, or long runs": (
        "bayes_accuracy|size_question_cost|large_batches|collision_bias|soak|cluster|counting/test_collision"
    ),
    "pages and clients in a browser, beyond one of each kind": (
        "browser/test_charts|client_(admission|answers|ledger|reports|requests|series|tabs)"
        "|join_(admission|discovery|levels|pictures|states|unlisted)"
        "|level_results|new_task_unlisted|unlisted_results"
    ),
}
# Tests of which `make test` runs the first case per function: one planted fault, mechanism, engine or seed.
REPRESENTED = {
    "planted faults": r"mutant|fault|is_caught",
    "enumeration and replay of the samplers": r"tests/audit/|test_javascript|tests/mechanisms/test_compact",
    "simulation and long searches": (
        r"tests/lab/|test_(tuning|selection|simulation|model|series_schedules|processes|crash|demo)"
    ),
    "statistics of estimates": (
        r"test_(alarms|bayes|common_mean|detection|hostile|larger_sets|profiles|round_sampling|shares)"
    ),
    "the same reports in many ways": r"tests/(counting|shuffling)/|test_(arrow_uploads|decoding|openapi|supports)",
    "pages": r"tests/web/browser/",
}


def wide(*values: Any) -> list[Any]:
    """Return values for `parametrize` that `make verify` alone runs: others take the same code path."""
    return [pytest.param(value, marks=pytest.mark.verify) for value in values]


def mark_for_verify(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that the lists leave to `make verify`."""
    verified = re.compile(rf"/(test_)?({'|'.join(VERIFIED.values())})\.py")
    represented = re.compile("|".join(REPRESENTED.values()))
    functions: set[str] = set()
    for item in items:
        function, has_cases, _ = item.nodeid.partition("[")
        is_repeated = bool(has_cases) and function in functions and represented.search(function) is not None
        if verified.search(function) or is_repeated:
            item.add_marker(pytest.mark.verify)
        functions.add(function)
