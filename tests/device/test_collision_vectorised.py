"""`collision`: the vectorised sampler follows the law."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from pckv import Task
from pckv.auditing.conformance import law_at
from pckv.auditing.toy_tasks import with_channel
from pckv.channels.collision import CollisionChannel
from pckv.device import vectorised
from pckv.device.padding import VALUE_ONE
from pckv.device.vectorised import perturb_many
from pckv.population import Population
from support.collision import collision_channel

HOLDINGS: tuple[dict[int, float], ...] = ({}, {1: 0.5}, {0: 0.5, 1: -1.0}, {0: 0.5, 1: -1.0, 2: 0.0})


def vectorised_p_value(held: dict[int, float], assumed: dict[int, float], users: int) -> float:
    """χ² of the vectorised sampler's words against the law of some pairs, with three hash functions."""
    task = Task(name="t", keys=3, values=(-1, 1), epsilon=2, padding=2, mechanism="collision", size_share=0)
    task = with_channel(task, collision_channel(3, 2, "2", functions=3))
    people = Population(
        np.arange(users + 1) * len(held),
        np.tile(list(held), users).astype(np.int32),
        np.tile(list(held.values()), users) * 1.0,
    )
    observed = np.zeros(task.channel.word_limit or 0)
    for batch in perturb_many(task, people, default_rng(7).bytes):
        observed += np.bincount(batch.messages, minlength=observed.size)
    law = law_at(task.channel, assumed)
    expected = users * np.array([float(law[word]) for word in range(observed.size)])
    return float(stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), observed.size - 1))


@pytest.mark.parametrize("held", HOLDINGS, ids=len)
def test_vectorised_path_follows_the_law(held: dict[int, float]) -> None:
    """χ² over 51 words at α = 1e-6, n = 10^6: no pairs, fewer than the padding, as many, and more.

    The control is the law with the value of one key moved by .05, or one pair more where there is none. That moves
    .6 % of the reports at least between two words of a chance of .08: a noncentrality of 450 against 50 degrees of
    freedom.
    """
    assert vectorised_p_value(held, held, 10**6) > 1e-6
    moved = {**held, 1: held[1] + 0.05} if held else {1: 0.5}
    assert vectorised_p_value(held, moved, 10**6) < 1e-6


def test_planted_faults_of_the_vectorised_path_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = vectorised.perturb_collision

    def never_more_than_one(
        channel: CollisionChannel, taken: vectorised.Taken, tape: vectorised.VectorisedTape
    ) -> Any:
        first = np.flatnonzero(np.diff(taken.owners, prepend=-1))
        fewer = vectorised.Taken(
            taken.participants, taken.owners[first], taken.keys[first], taken.levels[first]
        )
        return right(channel, fewer, tape)

    def signs_lost(
        channel: CollisionChannel, taken: vectorised.Taken, tape: vectorised.VectorisedTape
    ) -> Any:
        return right(channel, taken._replace(levels=np.full_like(taken.levels, VALUE_ONE)), tape)

    for fault in (never_more_than_one, signs_lost):
        monkeypatch.setattr(vectorised, "load_part", lambda *_, fault=fault: fault)
        assert vectorised_p_value(HOLDINGS[2], HOLDINGS[2], 10**5) < 1e-6
