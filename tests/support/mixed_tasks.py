"""Mixers of tasks for tests."""

from __future__ import annotations

from typing import Any

from pckv import Task
from support.tasks import a_task

# The u-coordinate 9, the base point of X25519.
KEY = "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
MIXER: dict[str, Any] = {
    "url": "https://mix.example",
    "operator": "A second party",
    "key": KEY,
    "batch": 2000,
    "honest": 1500,
    "epsilon": "1",
    "delta": "0.000001",
}


def a_mixed_task(mixer: dict[str, Any] | None = None, **members: Any) -> Task:
    """Return a task whose reports are mixed, as members and members of its mixer say."""
    usual: dict[str, Any] = {"keys": 3, "epsilon": 2, "padding": 1, "mechanism": "grr", "size_share": 0}
    return a_task(**(usual | {"closes": "2031-01-01", "mixer": MIXER | (mixer or {})} | members))
