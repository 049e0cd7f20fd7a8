"""Tasks over channels that no task names: fewer hash functions or bits, so that everything can be enumerated."""

from __future__ import annotations

import copy

from pckv.channels import Channel
from pckv.task import Task


def with_channel(task: Task, channel: Channel) -> Task:
    """Return a copy of a task that perturbs and counts with another channel; its id stays the task's."""
    toy = copy.copy(task)
    vars(toy)["channel"] = channel
    return toy
