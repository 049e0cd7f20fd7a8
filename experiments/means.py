"""How often default intervals hold frequencies and means where values depend on set sizes: docs/appendix/means.md.

The author of a task knows how many people there are, and of their pairs the right average, a third or three
times of it, or nothing. Counts are drawn from their exact law, and the size question is answered by the
device's own code.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from experiments.coverage import LEVEL, Collected, draw_counts
from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from experiments.size_populations import HINTS, POPULATIONS, make_hinted_task
from pckv import Task
from pckv.estimators.estimate import default_method, estimate_supports
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.sets import PooledReports
from pckv.lab.dataset import Dataset

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


def collect(task: Task, collected: Collected, repeat: int) -> Estimates:
    """Return what the product estimates from simulated counts."""
    counted = draw_counts(task, collected, repeat)
    reports = PooledReports(
        task, counted.reports + int(counted.answers.sum()), collected.dataset.users, counted.answers, counted.count_law
    )
    return estimate_supports(reports, np.arange(task.key_count), counted.support, default_method(task), LEVEL)


def measure(dataset: Dataset, epsilon: str, hint: str, repeats: int) -> MeasuredCoverage:
    """Collect several times and compare intervals with the truth."""
    task, collected = make_hinted_task(dataset, epsilon, hint), Collected(dataset.name, dataset, 0, dataset.users)
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
