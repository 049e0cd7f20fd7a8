"""Hashed keys with a planted truth: false discoveries and errors against the plan: docs/appendix/hashed.md.

The first part draws counts of every candidate from their exact law. The second makes real reports and decodes
them, with fewer people and candidates. With some parts only, bars are printed and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from rich.progress import track

from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv import Tally, Task, estimate
from pckv.base.arrays import Flags, Floats
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.linear import corrected
from pckv.lab.counting import SamplingModel, draw_level_counts
from pckv.lab.dataset import Dataset
from pckv.lab.populations import zipf
from pckv.lab.processes import map_in_processes
from pckv.planning.prediction import predicted_errors
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection
from pckv.statistics.moments import CountMoments

SEED, REPEATS, LEVEL = 20_276, 200, 0.95
EPSILONS, PAIRS = ("1", "2", "4"), (1, 3)
MAX_DEVIATION = 0.10
# A rate that is held exactly is measured above this many of its standard errors in one of a thousand
# experiments.
STANDARD_ERRORS = 3
# Means are compared for keys this many standard errors above 0: those of others depend on what is done with
# the range.
MIN_STANDARD_ERRORS = 8


class PlantedKeys(NamedTuple):
    """How many people there are, how many keys they hold together, and how many are asked about."""

    people: int
    held: int
    candidates: int


PARTS = {"law": PlantedKeys(10**6, 200, 10**4), "reports": PlantedKeys(40_000, 12, 400)}


class Discoveries(NamedTuple):
    """One setting, averaged over the repeats.

    `false` is the share of keys without holders among those marked, with its standard error, and `found` the
    share of the held keys that are marked. Errors are roots of mean squares relative to those that the plan
    predicts; `means` is how many keys those of means are about.
    """

    part: str
    epsilon: str
    pairs: int
    false: float
    false_error: float
    found: float
    frequency: float
    mean: float
    means: int


class _Setting(NamedTuple):
    """A task, its people, and what is true of the keys they hold."""

    task: Task
    dataset: Dataset
    candidates: int
    frequency: Floats
    mean: Floats


class _Marked(NamedTuple):
    """What one collection says of the candidates, of which the first are held; means on [-1, 1]."""

    detected: Flags
    frequency: Floats
    mean: Floats


def _setting(part: str, epsilon: str, pairs: int) -> _Setting:
    people, held, candidates = PARTS[part]
    dataset = zipf(people, held, default_rng([SEED, pairs]), pairs=pairs, exponent=0.8)
    task = Task(
        name="planted keys",
        keys="hashed",
        values=(-1, 1),
        epsilon=epsilon,
        users=people,
        padding=pairs,
        size_share=0,
    )
    return _Setting(task, dataset, candidates, *dataset.population.truth(held))


def _from_law(setting: _Setting, model: SamplingModel, rng: Generator) -> _Marked:
    """Draw the counts of all candidates."""
    law, people = setting.task.law, setting.dataset.users
    taken, held = model.take(law.padding, rng), np.zeros((law.levels, setting.candidates), np.int64)
    np.add.at(held, (taken.levels, taken.keys), 1)
    support = draw_level_counts(law.count_law, people, held, rng)
    moments = CountMoments.of(law.count_law)
    test = Detection(setting.candidates, LEVEL, DEFAULT_FLAG_RATE)
    return _Marked(test.detected(support.total, people, moments), *corrected(support, people, moments))


def _from_reports(setting: _Setting, rng: Generator) -> _Marked:
    """Make all reports, count them, and ask about all candidates by name."""
    task, people = setting.task, setting.dataset.population
    texts = [f"key {number}" for number in range(setting.candidates)]
    numbers = np.array([task.key_index(text) for text in texts], np.int32)
    tally = Tally(task)
    source = seeded_source(int(rng.integers(2**31)))
    for batch in perturb_many(task, Population(people.offsets, numbers[people.keys], people.values), source):
        tally.add_many(batch.messages)
    found = estimate(tally, "corrected", LEVEL, texts)
    return _Marked(found.detected, found.frequency, found.mean)


def measure_discoveries(part: str, epsilon: str, pairs: int, repeats: int) -> Discoveries:
    """Collect several times and compare what is marked, and what is estimated, with the truth."""
    setting = _setting(part, epsilon, pairs)
    model, held = SamplingModel(setting.dataset), setting.frequency.size
    false, found, squares = [], [], []
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        marked = _from_law(setting, model, rng) if part == "law" else _from_reports(setting, rng)
        discoveries = int(marked.detected.sum())
        false.append(int(marked.detected[held:].sum()) / max(discoveries, 1))
        found.append(marked.detected[:held].mean())
        errors = marked.frequency[:held] - setting.frequency, marked.mean[:held] - setting.mean
        squares.append([error**2 for error in errors])
    predicted = [
        predicted_errors(setting.task.law, setting.dataset.users, float(frequency)) for frequency in setting.frequency
    ]
    of_frequency, of_mean = np.mean(squares, axis=0)
    well_known = setting.frequency > MIN_STANDARD_ERRORS * np.array([each.frequency for each in predicted])
    return Discoveries(
        part,
        epsilon,
        pairs,
        float(np.mean(false)),
        float(np.std(false, ddof=1) / np.sqrt(repeats)),
        float(np.mean(found)),
        _ratio(of_frequency, [each.frequency for each in predicted]),
        _ratio(of_mean[well_known], np.array([each.mean for each in predicted])[well_known]),
        int(well_known.sum()),
    )


def _ratio(squares: Floats, predicted: Sequence[float] | Floats) -> float:
    """Return a root of mean squares relative to the predicted one; 1 where there is nothing to compare."""
    if not squares.size:
        return 1.0
    return float(np.sqrt(squares.mean() / np.mean(np.square(predicted))))


def requirements_of(cells: Sequence[Discoveries]) -> Iterator[Requirement]:
    """Yield what must hold."""
    for cell in cells:
        name = f"{cell.part}, ε = {cell.epsilon}, {cell.pairs} pairs per person"
        yield Requirement(
            f"{name}: false discoveries",
            f"≤ {DEFAULT_FLAG_RATE:.0%}, up to {STANDARD_ERRORS} standard errors",
            f"{cell.false:.2%} ± {cell.false_error:.2%}",
            cell.false <= DEFAULT_FLAG_RATE + STANDARD_ERRORS * cell.false_error,
        )
    for what in ("frequency", "mean"):
        compared = [cell for cell in cells if what == "frequency" or cell.means]
        if not compared:
            continue
        furthest = max(compared, key=lambda cell: abs(getattr(cell, what) - 1))
        off = getattr(furthest, what) - 1
        yield Requirement(
            f"error of the {what} relative to the predicted one, furthest of {len(compared)}",
            f"within {MAX_DEVIATION:.0%}",
            f"{off:+.1%} ({furthest.part}, ε = {furthest.epsilon}, {furthest.pairs} pairs)",
            abs(off) <= MAX_DEVIATION,
        )


INTRODUCTION = f"""# Measured: hashed keys

How many of the candidates marked as present have no holders, and do errors match those that a plan
predicts? [Unlisted keys](../how-to/unlisted-keys.md) explains hashed keys. `make experiment
NAME=hashed` writes this page.

- *law*: 1,000,000 people hold 200 keys, which are among 10,000 candidates. Counts of every
  candidate are drawn from their exact law.
- *reports*: 40,000 people, 12 keys, 400 candidates. Reports are made by the devices' code and
  checked against every candidate.
- Every participant holds 1 or 3 pairs, and the padding is equal to that number. The frequencies of
  the held keys fall with their rank to the power of 0.8. The false discovery rate is
  {DEFAULT_FLAG_RATE:.0%}, the method `corrected`.
- Errors are root mean squares over the held keys, relative to the predicted ones; errors of means
  are for keys above {MIN_STANDARD_ERRORS} of their standard errors.

"""
TABLE = """
| | ε | pairs | false discoveries | held keys found | error of frequency | of mean | keys |
|---|---:|---:|---:|---:|---:|---:|---:|
"""


def _page(cells: Sequence[Discoveries], requirements: Sequence[Requirement]) -> Iterator[str]:
    yield INTRODUCTION
    yield requirements_table(requirements)
    yield TABLE
    for part, epsilon, pairs, false, error, found, frequency, mean, means in cells:
        yield (
            f"| {part} | {epsilon} | {pairs} | {false:.2%} ± {error:.2%} | {found:.0%} | {frequency:.3f} "
            f"| {mean:.3f} | {means} |\n"
        )
    yield "\n**Next:** [levels](levels.md).\n"


def run(settings: ExperimentSettings) -> bool:
    """Run both parts, print the bars and write the page; return whether all bars are met."""
    repeats = settings.repeats or REPEATS
    jobs = [
        (part, epsilon, pairs, repeats) for part in settings.parts or PARTS for epsilon in EPSILONS for pairs in PAIRS
    ]
    results = map_in_processes(measure_discoveries, jobs, os.cpu_count() or 1)
    cells = list(track(results, "hashed keys", total=len(jobs)))
    requirements = list(requirements_of(cells))
    if not settings.parts:
        (settings.out / "hashed.md").write_text("".join(_page(cells, requirements)), encoding="utf-8")
    return show_requirements(requirements)
