"""Reports of many participants at once are those that each of them makes alone from the same draws."""

from __future__ import annotations

import numpy as np
import pytest

from audit.replay import ReplayTape
from pckv import Task
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.base.randomness import Tape, fixed_source
from pckv.device.perturb import perturb_from
from pckv.device.vectorised import perturb_texts, perturb_texts_from

TEXTS = ["a", "ab", "abc", "abcd", "b", "ba", "cab", "cabb"]
USERS, SPARE = 400, 8


def population(rng: np.random.Generator) -> Population:
    """Every participant holds from none to five of the texts, in any order."""
    held = [rng.permutation(len(TEXTS))[: rng.integers(6)] for _ in range(USERS)]
    offsets = np.cumsum([0, *(len(numbers) for numbers in held)])
    keys = np.concatenate(held).astype(np.int32)
    return Population(offsets, keys, np.ones(keys.size))


@pytest.mark.parametrize("padding", [1, 3])
@pytest.mark.parametrize("groups", [2, 4])
def test_batches_equal_single_reports(padding: int, groups: int) -> None:
    task = Task.discovery(name="terms", epsilon=1, alphabet="abcd", characters=4, groups=groups, padding=padding)
    rng = np.random.default_rng(padding)
    people = population(rng)
    ids = rng.integers(0, 256, (USERS, 16), np.uint8)
    draws = rng.integers(0, 2**64, (USERS, task.draws + SPARE), np.uint64)
    # Every second draw is next to an end, where numbers are rejected and symbols change.
    draws[::2] = np.uint64(0) - (draws[::2] >> np.uint64(30))
    batches = list(perturb_texts_from(ReplayTape(ids, draws), task, TEXTS, people, 100 * task.draws))
    assert [len(batch.ids) for batch in batches] == [100] * 4
    words = np.concatenate([batch.messages for batch in batches])
    for person in range(USERS):
        source = fixed_source(ids[person].tobytes() + draws[person].tobytes())
        held = [TEXTS[number] for number in people.pairs(person)]
        report = perturb_from(Tape(task.draws, source), task, held)
        assert int.from_bytes(report.body, "little") == words[person]


def test_other_tasks_are_refused() -> None:
    task = Task(name="t", keys=2, values=(0, 1), epsilon=1)
    with pytest.raises(ParameterError, match="is not a discovery"):
        next(perturb_texts(task, TEXTS, population(np.random.default_rng(1))))
