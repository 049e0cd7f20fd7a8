"""Helpers for tests of series: rounds of reports of people who hold one key each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pckv import Series, Tally, Task
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many

ROUND_KEYS = ["alien", "heat", "up"]


def make_series(panels: int = 3, **options: object) -> Series:
    """Return a series about three keys, with values unless said otherwise."""
    chosen = {"values": (1, 5), "epsilon": 4, "padding": 1, "mechanism": "grr", "more": "refuse", **options}
    task = Task(name="weekly", keys=ROUND_KEYS, **chosen)  # type: ignore[arg-type]
    return Series(task=task, first="2030-01-07", period=7, panels=panels)


def collect_round(series: Series, number: int, shares: Sequence[float], people: int = 3000) -> Tally:
    """Return the tally of a round, to which people bring these shares of the keys; seeded by its number."""
    rng = np.random.default_rng(number)
    keys = rng.choice(len(ROUND_KEYS), people, p=shares).astype(np.int32)
    population = Population(np.arange(people + 1), keys, rng.uniform(1, 5, people))
    tally = Tally(series.task_of(number))
    for batch in perturb_many(tally.task, population, seeded_source(number)):
        tally.add_many(batch.messages)
    return tally


def collect_rounds(series: Series, rounds: int = 8, **options: int) -> list[Tally]:
    """Return the tallies of rounds, in the last of which the first key becomes more frequent."""
    return [
        collect_round(series, number, [0.6, 0.3, 0.1] if number == rounds else [0.2, 0.7, 0.1], **options)
        for number in range(1, rounds + 1)
    ]
