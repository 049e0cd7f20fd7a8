"""Tasks for tests that do not depend on what is left out."""

from __future__ import annotations

import json
from typing import Any

from pckv import Task
from pckv.base.canonical import dump
from pckv.contract.mixer import Mixer
from pckv.sealing.public_key import write_public_key
from support.sealing import KEYS


def a_task(**members: Any) -> Task:
    """Return a task named t with values from 0 to 1 and ε = 1, unless members say otherwise."""
    given: dict[str, Any] = {"name": "t", "values": (0, 1), "epsilon": 1} | members
    return Task(**given)


def a_mixed_task(
    task: Task, url: str, *, epsilon: str = "0.5", delta: str = "0.000001", closes: str | None = None
) -> Task:
    """Return a task with a mixer at an address, and a claim that need not hold: devices do not compute it."""
    mixer = Mixer(url, "A second party", write_public_key(KEYS[0]), batch=20, honest=10, epsilon=epsilon, delta=delta)
    members = {"mixer": mixer.to_member(), "closes": closes or task.closes}
    return Task.from_json(dump(json.loads(task.to_json()) | members))
