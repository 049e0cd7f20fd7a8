"""The trend of a year of weekly rounds, from their tallies and from a collector: seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np
from numpy.random import default_rng

from bench.measurement import Measurement, absolute, seconds
from bench.processes import ROOT
from pckv import Series, Tally, Task
from pckv.base.days import utc_today
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.base.wire import Report
from pckv.device.vectorised import perturb_many
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import trend
from pckv.store.store import Store

# The collector that the tests use.
sys.path.insert(0, str(ROOT / "tests"))
from support.collectors import ANALYST, bearer, running
from support.stores import change, opened

KEYS, ROUNDS, PANELS, REPORTS = 200, 52, 4, 10**6
REPEATS, TREND_SECONDS, REQUEST_SECONDS = 3, 5, 2
PART = """
    INSERT INTO parts (task, number, reports, uncounted, content)
    SELECT number, $1, $2, 0, $3 FROM tasks WHERE id = $4
"""


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
        yield from requests(series, tallies, name)


def requests(series: Series, tallies: list[Tally], name: str) -> Iterator[Measurement]:
    """Ask a collector that has all rounds in SQLite, and takes reports for the last one meanwhile."""
    task = series.task_of(ROUNDS)
    reports = [Report(number.to_bytes(16), task.message_format.encode(0)) for number in range(REPEATS)]
    with TemporaryDirectory() as folder, opened(f"sqlite:///{folder}/pckv.db") as store:
        fill(store, series, tallies)
        with running(store, lambda: series.opens(ROUNDS)) as collector:

            def ask() -> None:
                path = f"/series/{series.id}/trend?top=20"
                collector.client.get(path, headers=bearer(ANALYST), timeout=300).raise_for_status()

            yield absolute(f"{name}: first request", "s", [seconds(ask)])
            found = []
            for report in reports:
                collector.upload(task, report)
                found.append(seconds(ask))
            yield absolute(f"{name}: request after another report", "s", found, REQUEST_SECONDS)
            again = [seconds(ask) for _ in range(REPEATS)]
            yield absolute(f"{name}: the same request again", "s", again, REQUEST_SECONDS)


def fill(store: Store, series: Series, tallies: list[Tally]) -> None:
    """Store the rounds as they are when their reports have been counted."""
    store.add_series(series, utc_today())
    for number, tally in enumerate(tallies, 1):
        store.add_round(tally.task, utc_today())
        change(store, PART, number, tally.reports, bytes(tally), tally.task.id)


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
