"""Ways to plant a fault into the device code for one participant or for many."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from pckv.channels import Channel
from pckv.device import perturb as single
from pckv.device import vectorised
from pckv.device.vectorised import VectorisedTape
from pckv.mechanisms import load_part
from pckv.task import Task

Plant = Callable[[pytest.MonkeyPatch], None]
Wrap = Callable[[Any], Any]


def replaced(owner: Any, name: str, wrap: Wrap) -> Plant:
    """Replace something by what `wrap` makes of it."""
    return lambda patch: patch.setattr(owner, name, wrap(getattr(owner, name)))


def sampler(path: Any, wrap: Wrap) -> Plant:
    """Replace the samplers that one path loads."""

    @cache
    def load(*part: str) -> Any:
        return wrap(load_part(*part))

    return lambda patch: patch.setattr(path, "load_part", load)


def one_sampler(wrap: Wrap) -> Plant:
    """Replace the samplers for one participant."""
    return sampler(single, wrap)


def many_sampler(wrap: Wrap) -> Plant:
    """Replace the samplers for many participants."""
    return sampler(vectorised, wrap)


def with_padding(channel: Any, padding: int) -> Any:
    """Return a channel that pads otherwise and keeps its thresholds."""
    for name in ("spread", "symbols", "kept", "flipped", "hit", "fake"):
        getattr(channel, name, None)
    changed = copy.copy(channel)
    vars(changed)["padding"] = padding
    return changed


def with_task_padding(task: Task, padding: int) -> Task:
    """Return a task whose channel pads otherwise and keeps its thresholds."""
    changed = copy.copy(task)
    channel: Channel = with_padding(task.channel, padding)
    vars(changed)["channel"] = channel
    return changed


class ChangedTape(VectorisedTape):
    """A tape whose draws are changed, or only listened to."""

    def __init__(self, tape: VectorisedTape, change: Callable[[Any], Any] = lambda numbers: numbers) -> None:
        super().__init__()
        self._tape, self._change = tape, change
        self.last_below: tuple[Any, Any] | None = None

    def draw(self, participants: Any, each: int = 1) -> Any:
        return self._change(self._tape.draw(participants, each).copy())

    def below(self, participants: Any, limits: Any) -> Any:
        self.last_below = participants, self._tape.below(participants, limits)
        return self.last_below[1].copy()
