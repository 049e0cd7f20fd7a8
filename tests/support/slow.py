"""Values of a parameter that run with `--slow` alone."""

from __future__ import annotations

from typing import Any

import pytest


def slow(*values: Any) -> list[Any]:
    """Return values for `parametrize` whose tests are skipped without `--slow`: others take the same code path."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
