"""Tasks for tests that do not depend on what is left out."""

from __future__ import annotations

from typing import Any

from pckv import Task


def a_task(**members: Any) -> Task:
    """Return a task named t with values from 0 to 1 and ε = 1, unless members say otherwise."""
    given: dict[str, Any] = {"name": "t", "values": (0, 1), "epsilon": 1} | members
    return Task(**given)
