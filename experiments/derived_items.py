"""Whether results by group and of keys together hold what they say: docs/appendix/derived-items.md."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from experiments.derived_controls import ItemShares, control_scores
from experiments.derived_populations import POPULATIONS, KnownPeople, make_people
from experiments.derived_rows import (
    EPSILONS,
    USERS,
    CollectionJob,
    CollectionRow,
    ScoredCollection,
    needs_more,
    page,
    requirements,
    rows_of,
)
from experiments.derived_scores import shown_scores
from experiments.settings import ExperimentSettings, show_requirements
from pckv.base.arrays import Floats, Integers
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from pckv.device.vectorised import perturb_many
from pckv.estimators.estimate import estimate
from pckv.lab.processes import map_in_processes
from pckv.mechanisms.derivation import ByGroup, Segment
from pckv.planning.assessment import Assessment
from pckv.planning.derived import ItemErrors
from pckv.planning.people import expect
from pckv.tally.tally import Tally

# Collections per population and setting: at first, and at most, where too few claims were made to say anything.
REPEATS, MAX_REPEATS = 10, 40
# A ratio to a parent that has fewer standard errors than this is far from normal.
KNOWN_ERRORS = 10
# A part that takes a minute.
QUICK = "quick"
QUICK_SETTINGS, QUICK_REPEATS = (("4", 20_000), ("5.3", 200_000)), 3
PARTS = (QUICK, *POPULATIONS)


@lru_cache(maxsize=2)
def people_of(name: str, users: int) -> KnownPeople:
    """Return a population, kept for the next collections."""
    return make_people(name, users)


def make_task(people: KnownPeople, epsilon: str) -> Task:
    """Return the task of an operator who says how many people they expect, and how many keys each on average."""
    asked: dict[str, object] = {"together": True}
    if people.labels is not None:
        asked = {"segment": Segment("group", [f"group {number}" for number in range(people.label_sizes.size)])}
    return Task(
        name="derived items",
        keys=people.keys,
        epsilon=epsilon,
        pairs=people.expected_pairs,
        users=people.users,
        **asked,  # type: ignore[arg-type]
    )


def collect(people: KnownPeople, task: Task, seed: int) -> Tally:
    """Let every person report once, by the vectorised code of the device, and count the reports."""
    tally = Tally(task)
    for batch in perturb_many(task, people.population, seeded_source(seed)):
        tally.add_many(batch.messages)
    return tally


class PlannedErrors(NamedTuple):
    """What reports show of every item, and the standard errors that the plan predicts of it, and of ratios to parents.

    Ratios are those of `children` to `parents`, items by their numbers, as far as parents are known well.
    """

    shown: Floats
    of_items: Floats
    children: Integers
    parents: Integers
    of_ratios: Floats

    def ratios(self, shares: Floats) -> Floats:
        """Return the shares of children relative to those of their parents."""
        return np.asarray(shares[self.children] / shares[self.parents])

    def squares(self, shares: Floats) -> tuple[float, float]:
        """Return the mean squared errors of estimated shares, and of ratios, relative to the predicted ones."""
        items = (shares - self.shown) / self.of_items
        ratios = (self.ratios(shares) - self.ratios(self.shown)) / self.of_ratios
        return float(np.mean(items**2)), float(np.mean(ratios**2)) if ratios.size else 1.0


@lru_cache(maxsize=8)
def planned_errors(name: str, users: int, epsilon: str) -> PlannedErrors:
    """Return the standard errors that the plan with the operator's hints predicts."""
    people = people_of(name, users)
    task = make_task(people, epsilon)
    derivation = task.derivation
    hints = {"users": users, "pairs": people.expected_pairs, "levels": (1.0,), "derivation": derivation}
    plan = ItemErrors(Assessment(task.law, expect(people.keys, **hints)))  # type: ignore[arg-type]
    shown = people.reported(task.padding)
    of_items = np.sqrt(plan.moments.frequency_variance(shown) / plan.reports)
    if isinstance(derivation, ByGroup):
        parents = np.repeat(np.arange(derivation.labels), derivation.keys)
        children = derivation.labels + np.arange(parents.size)
    else:
        parents = np.concatenate(np.triu_indices(people.keys, 1))
        children = np.tile(np.arange(people.keys, shown.size), 2)
    known = shown[parents] > KNOWN_ERRORS * of_items[parents]
    children, parents = children[known], parents[known]
    places = zip(shown[children].tolist(), shown[parents].tolist(), strict=True)
    of_ratios = np.array([plan.ratio_error(child, parent, child, parent) for child, parent in places])
    return PlannedErrors(shown, of_items, children, parents, of_ratios)


def measure(job: CollectionJob) -> ScoredCollection:
    """Collect once and compare all that is shown with the truth."""
    people = people_of(job.name, job.users)
    tally = collect(people, make_task(people, job.epsilon), job.seed)
    items = ItemShares.of(tally)
    shown, controls = shown_scores(people, estimate(tally)), control_scores(people, tally, items)
    errors = planned_errors(job.name, job.users, job.epsilon).squares(items.share)
    return ScoredCollection(job, shown, controls, errors)


def measure_all(jobs: Sequence[CollectionJob], workers: int) -> Iterator[ScoredCollection]:
    """Measure collections, all of a population after each other, and say how far it is."""
    for number, each in enumerate(map_in_processes(measure, [(job,) for job in jobs], workers), 1):
        yield each
        if number % 20 == 0 or number == len(jobs):
            print(f"{number} of {len(jobs)} collections", flush=True)


def run_settings(
    names: Sequence[str], settings: Sequence[tuple[str, int]], repeats: int, most: int, workers: int | None = None
) -> list[CollectionRow]:
    """Collect so often at every setting, and again where too few claims were made, up to the largest number."""
    wanted = {(name, epsilon, users) for name in names for epsilon, users in settings}
    found: list[ScoredCollection] = []
    for first in range(0, most, repeats):
        ordered = sorted(wanted, key=lambda each: (each[0], each[2], each[1]))
        jobs = [CollectionJob(*each, repeat) for each in ordered for repeat in range(first, first + repeats)]
        found += measure_all(jobs, workers or os.cpu_count() or 1)
        wanted &= needs_more(rows_of(found))
    return rows_of(found)


def run(settings: ExperimentSettings) -> bool:
    """Measure all populations, print the bars and write the page; return whether all bars are met."""
    names = [name for name in POPULATIONS if name in settings.parts] or list(POPULATIONS)
    if QUICK in settings.parts:
        rows = run_settings(names, QUICK_SETTINGS, *[settings.repeats or QUICK_REPEATS] * 2)
    else:
        repeats = settings.repeats or REPEATS
        rows = run_settings(names, list(product(EPSILONS, USERS)), repeats, max(MAX_REPEATS, repeats))
    for row in rows:
        print(row.text)
    bars = list(requirements(rows))
    if not settings.parts:
        (settings.out / "derived-items.md").write_text(page(rows, bars), encoding="utf-8")
    return show_requirements(bars)
