"""How often default intervals hold frequencies and means where values depend on set sizes: docs/appendix/means.md.

The author of a task knows how many people there are, and of their pairs the right average, a third or three
times of it, or nothing. Counts are drawn from their exact law, and the size question is answered by the
device's own code.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from experiments.coverage import LEVEL, Collected, draw_counts
from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv import Task
from pckv.base.arrays import Floats, Integers
from pckv.base.population import Population
from pckv.estimators.estimate import default_method, estimate_supports
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.sets import PooledReports
from pckv.lab.dataset import Dataset
from pckv.lab.populations import weighted_sets

SEED, REPEATS, TOP = 20_266, 20, 10
# With fewer keys than this, collections are repeated more often: shares of intervals are to be as precise.
MIN_KEYS = 40
PAGE = """# Means where values depend on set sizes

How often do 95 % intervals contain the true frequency and the true mean, where people with many pairs give other
values, and the author of a task knows little of them? `make experiment NAME=means` wrote this page in {minutes:.0f}
minutes, with {repeats} collections per row, more where keys are few. The method is proved in `proofs/size-question.md`.

- "Pairs" is what the author of the task said of the number of pairs per person: the right average, a third of it (at
  least 1), three times of it (at most the number of keys), or nothing. The number of people was right.
- "Hold more" is the true share of people with more pairs than the padding.
- Coverage is that over all keys with holders, and over the ten most frequent. "Known" is the coverage over the keys
  that stand out with a mean that is not "unknown", and "known means" how many these are per collection.
- "Reported" is the coverage of the interval of the mean over reported pairs, which knows nothing of larger sets.
- The method was chosen among nine on the first eight of these collections with right pairs, by "hidden": that column
  may be optimistic there. Coverage follows from the proof and was not chosen by.
- "Hidden" is the share of the keys with a known mean over reported pairs whose mean is unknown.

Populations:

{populations}
"""
HEAD = (
    "| population | pairs | ε | mechanism, padding | hold more | frequency, all | top 10 | mean, all | top 10 | known "
    "| known means | reported, all | top 10 | hidden |\n|---|---|---|---|" + "---:|" * 10 + "\n"
)
EPSILONS = ("1", "2", "4")
MIN_COVERAGE, MIN_TOP_COVERAGE, MAX_HIDDEN = 0.93, 0.90, 0.10
# What the author of a task says of the number of pairs, relative to the right average.
HINTS: dict[str, float | None] = {"right": 1.0, "a third": 1 / 3, "three times": 3.0, "missing": None}


def _people(name: str, sizes: Integers, weights: Floats, rng: Generator, slope: float) -> Dataset:
    """Return people whose values rise by `slope` from the smallest set to the largest, or fall."""
    made = weighted_sets(name, sizes, weights, rng)
    return _with_values(made, rng, slope)


def _with_values(made: Dataset, rng: Generator, slope: float) -> Dataset:
    people = made.population
    own = np.repeat(people.sizes / max(int(people.sizes.max()), 1) - 0.5, people.sizes)
    means = rng.uniform(-0.3, 0.3, made.keys)
    values = np.clip(means[people.keys] + slope * own + rng.normal(0, 0.2, own.size), -1, 1)
    return Dataset(made.name, Population(people.offsets, people.keys, values), made.keys, -1.0, 1.0)


def _zipf(keys: int, exponent: float = 1.0) -> Floats:
    return np.asarray(np.arange(1.0, keys + 1) ** -exponent)


def _rising(rng: Generator) -> Dataset:
    """20,000 people hold 1 to 20 of 50 keys; values rise with the number of pairs."""
    sizes = np.minimum(rng.geometric(0.3, 20_000), 20)
    return _people("rising", sizes, _zipf(50), rng, 1.4)


def _heavy(rng: Generator) -> Dataset:
    """20,000 people and 60 keys; one in ten holds 20 pairs, of keys that others hold rarely, and gives high values."""
    keys, is_heavy = 60, rng.binomial(1, 0.1, 20_000) > 0
    light = weighted_sets("", np.where(is_heavy, 0, rng.integers(1, 4, is_heavy.size)), _zipf(keys), rng)
    heavy = weighted_sets("", np.where(is_heavy, 20, 0), _zipf(keys)[::-1].copy(), rng)
    sizes = light.population.sizes + heavy.population.sizes
    offsets = np.append(0, np.cumsum(sizes))
    held = np.empty(offsets[-1], np.int32)
    for part in (light, heavy):
        held[np.repeat(part.population.sizes > 0, sizes)] = part.population.keys
    people = Population(offsets, held, np.zeros(held.size))
    return _with_values(Dataset("heavy", people, keys, -1.0, 1.0), rng, 1.4)


def _empty(rng: Generator) -> Dataset:
    """Half of 20,000 people hold nothing, the others 1 to 8 of 40 keys; values rise."""
    sizes = rng.binomial(1, 0.5, 20_000) * rng.integers(1, 9, 20_000)
    return _people("empty", sizes, _zipf(40), rng, 1.2)


def _few(rng: Generator) -> Dataset:
    """3,000 people hold 1 to 5 of 6 keys, all alike; values fall."""
    return _people("few", rng.integers(1, 6, 3_000), np.ones(6), rng, -1.6)


def _flat(rng: Generator) -> Dataset:
    """50,000 people hold 1 to 9 of 200 keys, all alike; values rise."""
    return _people("flat", rng.integers(1, 10, 50_000), np.ones(200), rng, 1.4)


def _dominating(rng: Generator) -> Dataset:
    """Most of 20,000 people hold one of 50 keys, six in ten hold no other, the others up to 12; values fall."""
    sizes = np.where(rng.binomial(1, 0.6, 20_000) > 0, 1, rng.integers(2, 13, 20_000))
    weights = np.append(40.0, _zipf(49))
    return _people("dominating", sizes, weights, rng, -1.6)


def _independent(rng: Generator) -> Dataset:
    """20,000 people hold 1 to 5 of 100 keys; values do not depend on it."""
    return _people("independent", rng.integers(1, 6, 20_000), _zipf(100), rng, 0.0)


POPULATIONS: dict[str, Callable[[Generator], Dataset]] = {
    "rising": _rising,
    "heavy": _heavy,
    "empty": _empty,
    "few": _few,
    "flat": _flat,
    "dominating": _dominating,
    "independent": _independent,
}
PARTS = tuple(POPULATIONS)


class MeasuredCoverage(NamedTuple):
    """One population at one ε, with what its author knew: shares of intervals that hold the truth."""

    name: str
    epsilon: str
    hint: str
    task: Task
    larger: float
    frequency: float
    frequency_top: float
    mean: float
    mean_top: float
    # Where the key stands out and its mean is said to be known, and how many such keys a collection has.
    mean_known: float
    known: float
    reported: float
    reported_top: float
    # In all collections: means that larger sets make unknown, and means over reported pairs that are known.
    hidden: int
    before: int

    @property
    def row(self) -> str:
        """The row of the table."""
        shares = (self.frequency, self.frequency_top, self.mean, self.mean_top, self.mean_known)
        numbers = [f"{100 * self.larger:.0f} %", *(f"{share:.3f}" for share in shares), f"{self.known:.1f}"]
        numbers += [
            f"{self.reported:.3f}",
            f"{self.reported_top:.3f}",
            f"{100 * self.hidden / max(self.before, 1):.0f} %",
        ]
        way = f"`{self.task.mechanism}`, {self.task.padding}"
        return f"| {self.name} | {self.hint} | {self.epsilon} | {way} | " + " | ".join(numbers) + " |\n"


def make_task(dataset: Dataset, epsilon: str, hint: str) -> Task:
    """Return the task that an operator makes who says this of the number of pairs."""
    part = HINTS[hint]
    average = float(dataset.population.sizes.mean())
    pairs = None if part is None else float(np.clip(round(part * average, 1), 1, dataset.keys))
    return Task(name="means", keys=dataset.keys, values=(-1, 1), epsilon=epsilon, pairs=pairs, users=dataset.users)


def collect(task: Task, collected: Collected, repeat: int) -> Estimates:
    """Return what the product estimates from simulated counts."""
    counted = draw_counts(task, collected, repeat)
    reports = PooledReports(
        task, counted.reports + int(counted.answers.sum()), collected.dataset.users, counted.answers, counted.count_law
    )
    return estimate_supports(reports, np.arange(task.key_count), counted.support, default_method(task), LEVEL)


def measure(dataset: Dataset, epsilon: str, hint: str, repeats: int) -> MeasuredCoverage:
    """Collect several times and compare intervals with the truth."""
    task, collected = make_task(dataset, epsilon, hint), Collected(dataset.name, dataset, 0, dataset.users)
    frequency, mean = dataset.truth
    held, top = frequency > 0, dataset.top(TOP)
    rows, known, counts = [], [], np.zeros(2)
    for repeat in range(repeats):
        found = collect(task, collected, repeat)
        inside = (found.frequency_low <= frequency) & (frequency <= found.frequency_high)
        mean_inside = (found.mean_low <= mean) & (mean <= found.mean_high)
        reported = (found.reported_mean_low <= mean) & (mean <= found.reported_mean_high)
        rows.append([each[part].mean() for each in (inside, mean_inside, reported) for part in (held, top)])
        known.append((mean_inside[found.mean_known].sum(), found.mean_known.sum()))
        counts += (found.reported_mean_known.sum(), found.is_mean_hidden.sum())
    shares = np.mean(rows, axis=0)
    right, of_all = np.sum(known, axis=0)
    return MeasuredCoverage(
        dataset.name,
        epsilon,
        hint,
        task,
        float(np.mean(dataset.population.sizes > task.padding)),
        frequency=shares[0],
        frequency_top=shares[1],
        mean=shares[2],
        mean_top=shares[3],
        mean_known=right / of_all if of_all else 1.0,
        known=of_all / repeats,
        reported=shares[4],
        reported_top=shares[5],
        hidden=int(counts[1]),
        before=int(counts[0]),
    )


def run(settings: ExperimentSettings) -> bool:
    """Measure all populations, print the bars and write the page; return whether all bars are met."""
    start, repeats, rows = time.perf_counter(), settings.repeats or REPEATS, []
    for part in settings.parts or PARTS:
        dataset = POPULATIONS[part](default_rng(SEED))
        for hint, epsilon in itertools.product(HINTS, EPSILONS):
            rows.append(measure(dataset, epsilon, hint, repeats * max(1, MIN_KEYS // dataset.keys)))
            print(rows[-1].row, end="", flush=True)
    if not settings.parts:
        made = "".join(f"- *{name}*: {make.__doc__}\n" for name, make in POPULATIONS.items())
        minutes = (time.perf_counter() - start) / 60
        page = PAGE.format(minutes=max(minutes, 1), repeats=repeats, populations=made)
        bars = "\n" + requirements_table(list(requirements(rows)))
        text = page + HEAD + "".join(row.row for row in rows) + bars + "\n**Next:** [coverage by rank](coverage.md).\n"
        (settings.out / "means.md").write_text(text, encoding="utf-8")
    return show_requirements(list(requirements(rows)))


def requirements(rows: Sequence[MeasuredCoverage]) -> Iterator[Requirement]:
    """Yield what must hold: coverage in every row, and what larger sets may hide where the author was right."""
    for what, bar in (("frequency", MIN_COVERAGE), ("mean", MIN_COVERAGE)):
        for which, suffix, least in (("all keys", "", bar), (f"top {TOP}", "_top", MIN_TOP_COVERAGE)):
            worst = min(rows, key=attrgetter(what + suffix))
            value = getattr(worst, what + suffix)
            where = f"{worst.name}, {worst.hint}, ε = {worst.epsilon}"
            yield Requirement(f"{what}, {which}, least", f"≥ {least}", f"{value:.3f} ({where})", value >= least)
    right = [row for row in rows if row.hint == "right"]
    for name in dict.fromkeys(row.name for row in right):
        before = sum(row.before for row in right if row.name == name)
        share = sum(row.hidden for row in right if row.name == name) / max(before, 1)
        yield Requirement(
            f"{name}, right pairs: unknown", f"≤ {100 * MAX_HIDDEN:.0f} %", f"{100 * share:.1f} %", share <= MAX_HIDDEN
        )
