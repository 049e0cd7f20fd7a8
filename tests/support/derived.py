"""People for tasks with a segment or of keys together, and their reports."""

from __future__ import annotations

import numpy as np

from pckv import Tally, Task
from pckv.base.arrays import Flags, Integers
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many


def people_who_hold(held: Flags, labels: Integers | None = None, value: float = 0.0) -> Population:
    """Return people from a row per person and a column per key."""
    keys = np.nonzero(held)[1].astype(np.int32)
    return Population(np.append(0, np.cumsum(held.sum(axis=1))), keys, np.full(keys.size, value), labels)


def collect(task: Task, population: Population, seed: int = 1) -> Tally:
    """Return the counted reports of people."""
    tally = Tally(task)
    for batch in perturb_many(task, population, seeded_source(seed)):
        tally.add_many(batch.messages)
    return tally
