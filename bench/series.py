"""The trend of a year of weekly rounds from their tallies: seconds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.random import default_rng

from bench.measurement import Measurement, absolute, seconds
from pckv import Series, Tally, Task
from pckv.device.vectorised import perturb_many
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import trend
from pckv.population import Population
from pckv.seeded import seeded_source

KEYS, ROUNDS, PANELS, REPORTS = 200, 52, 4, 10**6
REPEATS, TREND_SECONDS = 3, 5


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    for mechanism in ("collision", "ue-compact"):
        task = Task(name="weekly", keys=KEYS, values=(-1, 1), epsilon=2, padding=1, mechanism=mechanism)
        series = Series(task=task, first="2030-01-07", period=7, panels=PANELS)
        tallies = rounds(series)
        name = f"{mechanism}, {ROUNDS} rounds of {REPORTS:,} reports, {KEYS} keys"
        found = [seconds(partial(trend, series, tallies)) for _ in range(REPEATS)]
        yield absolute(f"{name}: trend from tallies", "s", found, TREND_SECONDS)
        counts = [RoundCounts.of(series, tally) for tally in tallies]
        yield absolute(
            f"{name}: trend from decoded counts",
            "s",
            [seconds(partial(trend, series, counts)) for _ in range(REPEATS)],
            TREND_SECONDS,
        )


def rounds(series: Series) -> list[Tally]:
    """Return the tallies of all rounds; to be counted, every round has the reports of the first one."""
    rng = default_rng(0)
    weights = np.arange(1, KEYS + 1) ** -1.0
    keys = rng.choice(KEYS, REPORTS, p=weights / weights.sum()).astype(np.int32)
    people = Population(np.arange(REPORTS + 1), keys, rng.uniform(-1, 1, REPORTS))
    first = Tally(series.task_of(1))
    for batch in perturb_many(first.task, people, seeded_source(0)):
        first.add_many(batch.messages)
    tallies = [first]
    for number in range(2, ROUNDS + 1):
        tally = Tally(series.task_of(number), first.counts)
        tally.reports = first.reports
        tallies.append(tally)
    return tallies
