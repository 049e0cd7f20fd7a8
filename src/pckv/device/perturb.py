"""The device half: pairs in, one report out. Standard library only, `many` apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pckv.device.padding import Pair, level
from pckv.errors import PairsError
from pckv.mechanisms import load_part
from pckv.randomness import Tape
from pckv.task import Task
from pckv.wire import Report

Sampler = Callable[[Any, Sequence[Pair], Tape], int]


def perturb(task: Task, pairs: Mapping[str, float]) -> Report:
    """Return one participant's report, made with the operating system's randomness.

    Every call spends the task's ε: store the report and send the same bytes again on a retry.

    Args:
        task: The contract of the collection.
        pairs: The participant's keys and values; it may be empty.

    Raises:
        PairsError: if a key is not the task's, or a value is outside its range; nothing was perturbed.

    >>> from pckv import Task
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> report = perturb(task, {"alien": 5})
    >>> len(report.id), len(report.body)
    (16, 8)
    """
    return perturb_from(Tape(task.channel.draws), task, pairs)


def perturb_from(tape: Tape, task: Task, pairs: Mapping[str, float]) -> Report:
    """The same from a given tape: for test vectors and audits."""
    channel = task.channel
    sampler: Sampler = load_part(channel.name, "sampler")
    message = sampler(channel, read_pairs(task, pairs), tape)
    return Report(tape.report_id, channel.message_format.encode(message))


def read_pairs(task: Task, pairs: Mapping[str, float]) -> list[Pair]:
    """Check a participant's pairs against the task; keys as numbers, values as levels."""
    low, high = task.low, task.high
    checked = []
    for key, value in pairs.items():
        index = task.key_index(key)
        try:
            within = low <= value <= high
        except TypeError:
            within = False
        if not within:
            raise PairsError(f"value {value!r} of key {key!r} is not a number within [{low:g}, {high:g}]")
        checked.append((index, level(float(value), low, high)))
    return checked
