"""People for tasks with a segment or of keys together, and their reports."""

from __future__ import annotations

import numpy as np

from pckv import Tally, Task
from pckv.base.arrays import Flags, Integers
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.tally.decode.support import item_support


def people_who_hold(held: Flags, labels: Integers | None = None, value: float = 0.0) -> Population:
    """Return people from a row per person and a column per key."""
    keys = np.nonzero(held)[1].astype(np.int32)
    return Population(np.append(0, np.cumsum(held.sum(axis=1))), keys, np.full(keys.size, value), labels)


def labels_claimed(tally: Tally) -> list[bool]:
    """Return which labels reports claim: by themselves, or with a key within them."""
    segment = tally.task.segment
    if segment is None:
        return []
    labels, counts = len(segment.labels), item_support(tally).counts
    within = counts[:, labels:].sum(axis=0).reshape(labels, tally.task.key_count).sum(axis=1)
    return [bool(claims) for claims in counts[0, :labels] + within]


def collect(task: Task, population: Population, seed: int = 1) -> Tally:
    """Return the counted reports of people."""
    tally = Tally(task)
    for batch in perturb_many(task, population, seeded_source(seed)):
        tally.add_many(batch.messages)
    return tally
