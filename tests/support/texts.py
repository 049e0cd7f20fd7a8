"""People who hold texts, and the tally of their reports, for tests of discoveries."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pckv import Tally, Task
from pckv.base.population import Population
from pckv.device.vectorised import perturb_texts


def tally_of(task: Task, holders: Mapping[str, int], others: int, seed: int) -> Tally:
    """Count the reports of people who hold one text each, and of others who hold none."""
    texts = list(dict.fromkeys(map(task.tree.cut, holders)))
    held = [texts.index(task.tree.cut(text)) for text, count in holders.items() for _ in range(count)]
    offsets = np.append(np.arange(len(held) + 1), np.full(others, len(held)))
    people = Population(offsets, np.array(held, np.int32), np.ones(len(held)))
    tally = Tally(task)
    for batch in perturb_texts(task, texts, people, np.random.default_rng(seed).bytes):
        tally.add_many(batch.messages)
    return tally
