"""Tasks over channels that no task names: fewer hash functions or bits, so that everything can be enumerated."""

from __future__ import annotations

import copy
from dataclasses import replace

from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from pckv.task import Task


def without_question(task: Task) -> Task:
    """Return a copy of a task of which all reports are about pairs; its id stays the task's."""
    toy = copy.copy(task)
    vars(toy).update(size_question=None)
    for cached in ("message_format", "realised_epsilon"):
        vars(toy).pop(cached, None)
    return toy


def with_channel(task: Task, channel: Channel, question: SizeQuestion | None = None) -> Task:
    """Return a copy of a task that perturbs and counts with another channel; its id stays the task's.

    Args:
        task: The task to copy.
        channel: How the copy reports pairs.
        question: The size question of the copy; by default the task's, if it has one, with thresholds of as many bits
            as the channel's.
    """
    toy = copy.copy(task)
    if question is None and task.size_question is not None:
        question = replace(task.size_question, bits=channel.bits)
    vars(toy).update(channel=channel, size_question=question)
    # What was computed from the other channel is computed again.
    for cached in ("message_format", "realised_epsilon"):
        vars(toy).pop(cached, None)
    return toy
