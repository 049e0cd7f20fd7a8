"""Ways to plant a fault into the device code for one participant or for many, and faults of what it samples."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from pckv.auditing.variants import with_law
from pckv.contract.task import Task
from pckv.device import perturb as single
from pckv.device import vectorised
from pckv.device.vectorised import VectorisedTape
from pckv.mechanisms.padding import VALUE_ONE
from pckv.mechanisms.registry import load_part

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


def with_padding(law: Any, padding: int) -> Any:
    """Return a law that pads otherwise and keeps its thresholds."""
    for name in ("spread", "symbols", "kept", "flipped", "hit", "fake"):
        getattr(law, name, None)
    changed = copy.copy(law)
    vars(changed)["padding"] = padding
    return changed


def with_task_padding(task: Task, padding: int) -> Task:
    """Return a task whose law pads otherwise and keeps its thresholds."""
    return with_law(task, with_padding(task.law, padding), task.size_question)


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


def one_dummy(right: Any) -> Any:
    """Every dummy is the first: a loss of 1.67 instead of 1 with five keys and padding 5."""
    return lambda law, sampled, tape: right(with_padding(law, 1), sampled, tape)


def dummies_with_a_minus(right: Any) -> Any:
    """A dummy always has the lowest level."""
    return lambda law, sampled, tape: right(
        law, sampled._replace(chances=sampled.chances * sampled.real), tape
    )


def first_digit_only(right: Any) -> Any:
    """The digits of a key above the first are forgotten."""
    return lambda law, sampled, tape: right(law, sampled._replace(keys=sampled.keys % law.q), tape)


def true_residue_not_skipped(right: Any) -> Any:
    """A moved residue may be the true one, and is never the last."""

    def perturb(law: Any, sampled: Any, tape: Any) -> Any:
        heard = ChangedTape(tape)
        words = right(law, sampled, heard)
        assert heard.last_below is not None
        # With larger sets of residues the last numbers drawn are places inside them.
        if law.r == 1:
            moved, drawn = heard.last_below
            places = np.searchsorted(sampled.participants, moved)
            digits = words[places] % law.q
            residues = law.residue(words[places], sampled.keys[places])
            words[places] += (digits + drawn - residues) % law.q - digits
        return words

    return perturb


def one_pair_only(right: Any) -> Any:
    """Of all pairs that are taken, only every participant's first counts."""

    def perturb(law: Any, taken: Any, tape: Any) -> Any:
        first = np.flatnonzero(np.diff(taken.owners, prepend=-1))
        fewer = {name: getattr(taken, name)[first] for name in ("owners", "keys", "below", "chances")}
        return right(law, taken._replace(**fewer), tape)

    return perturb


def signs_lost(right: Any) -> Any:
    """Every value counts as the highest."""
    return lambda law, taken, tape: right(
        law, taken._replace(chances=np.full_like(taken.chances, VALUE_ONE)), tape
    )


def sizes_cut_at_the_padding(right: Any) -> Any:
    """Larger sets answer the size question as if they were cut to the padding first."""
    return lambda question, sizes, people, tape: right(
        question, np.minimum(sizes, question.padding), people, tape
    )


def sizes_rounded_up(right: Any) -> Any:
    """Sizes between two ends always answer the upper one."""

    def answer(question: Any, sizes: Any, people: Any, tape: Any) -> Any:
        ends = np.array(question.ends)
        clipped = np.clip(sizes, question.padding, question.keys)
        return right(question, ends[np.searchsorted(ends, clipped)], people, tape)

    return answer


def large_batches_repeat(right: Any) -> Any:
    """Words repeat within batches of more than 100,000 people."""

    def perturb(law: Any, chosen: Any, tape: Any) -> Any:
        words = right(law, chosen, tape)
        first, further = np.split(words, [100_000])
        return np.concatenate([first, first[: len(further)], further[len(first) :]])

    return perturb
