"""How often default intervals hold the true frequency, where people hold more pairs than was said.

Sizes are not given: a task is made from a typical number of pairs alone, as on the first page and in the
form. The two small populations are collected with real reports; for the large ones counts are drawn from
their exact law, and the size question is answered by the device's own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv import Tally, Task, estimate
from pckv.base.arrays import Floats, Integers
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import VectorisedTape, answer_sizes, perturb_many
from pckv.estimators.estimate import default_method, own_standard_error
from pckv.estimators.methods.registry import METHODS
from pckv.estimators.sets import HiddenShare, hidden_share
from pckv.files.pairs.rows import Columns
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.populations import movielike, zipf_sets
from pckv.mechanisms.base import CountLaw
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport, key_support

EPSILONS = ("1", "2", "4")
SEED, REPEATS, TOP, LEVEL = 20_264, 50, 10, 0.95
MIN_COVERAGE, MIN_TOP_COVERAGE, MAX_WIDTH_RATIO = 0.93, 0.90, 1.5
MAX_USERS_WITH_REPORTS = 20_000
PARTS = ("readme", "form", "clothing", "goodbooks", "movielike")


class Collected(NamedTuple):
    """People, and what the author of the task expected of them."""

    name: str
    dataset: Dataset
    typical_pairs: float
    expected_users: int


class Intervals(NamedTuple):
    """The intervals of all keys, and those of an analyst who knows the sizes."""

    low: Floats
    high: Floats
    informed_high: Floats


class Counted(NamedTuple):
    """What a collection counts of pairs, with the law of counts, and of sizes; the tally if there is one."""

    support: KeySupport
    reports: int
    count_law: CountLaw
    answers: Integers
    tally: Tally | None


class Coverage(NamedTuple):
    """Shares of intervals that hold the truth, and widths over the top keys."""

    all_keys: float
    top_keys: float
    width: float
    informed_width: float


def populations(settings: ExperimentSettings) -> Iterator[Collected]:
    """Yield the populations asked for, from fixed seeds."""
    wanted = settings.parts or PARTS
    columns = Columns("user", "item", "rating")
    if "readme" in wanted:
        rng = default_rng(SEED)
        yield Collected("readme", zipf_sets(rng.integers(1, 6, 20_000), 100, rng), 3, 20_000)
    if "form" in wanted:
        rng = default_rng(SEED + 1)
        sizes = np.maximum(rng.binomial(12, 4.1 / 12, 440), 1)
        yield Collected("form", zipf_sets(sizes, 12, rng, exponent=0.7), 3, 500)
    if "clothing" in wanted:
        data = read_ratings(settings.data / "pckv_clothing_fit.parquet", columns, repeated="last")
        yield _as_it_is("clothing", data)
    if "goodbooks" in wanted:
        data = read_ratings(settings.data / "goodbooks10k_v1.parquet", columns, repeated="last")
        yield _as_it_is("goodbooks", data)
    if "movielike" in wanted:
        yield _as_it_is("movielike", movielike(default_rng(SEED + 2)))


def _as_it_is(name: str, dataset: Dataset) -> Collected:
    """Let the author know how many people there are, and how many pairs they hold on average."""
    return Collected(name, dataset, max(1, round(float(dataset.population.sizes.mean()))), dataset.users)


def make_task(collected: Collected, epsilon: str) -> Task:
    """Return the task that an operator makes who only knows what is typical."""
    dataset = collected.dataset
    return Task(
        name=collected.name,
        keys=dataset.keys,
        values=(-1, 1),
        epsilon=epsilon,
        pairs=collected.typical_pairs,
        users=collected.expected_users,
    )


def collect_reports(task: Task, collected: Collected, repeat: int) -> Counted:
    """Make real reports and count them."""
    tally = Tally(task)
    for batch in perturb_many(task, collected.dataset.population, seeded_source(SEED + repeat)):
        tally.add_many(batch.messages)
    return Counted(key_support(tally), tally.pair_reports, tally.count_law, tally.size_answers, tally)


def draw_counts(task: Task, collected: Collected, repeat: int) -> Counted:
    """Draw the counts of pairs, and let the device's code answer the size question."""
    rng, dataset = default_rng([SEED, repeat]), collected.dataset
    sampled = _model(collected).prepare(task.law, rng, task.size_share)
    support, _, count_law = count_reports(task.law, sampled, rng)
    if task.size_question is None:
        return Counted(support, sampled.users, count_law, np.zeros(0, np.int64), None)
    asked = rng.choice(dataset.population.sizes, dataset.users - sampled.users, replace=False)
    tape = VectorisedTape(seeded_source(SEED + repeat))
    answers = answer_sizes(task.size_question, asked, np.arange(asked.size), tape)
    counts = np.bincount(answers, minlength=len(task.size_question.ends))
    return Counted(support, sampled.users, count_law, counts, None)


@lru_cache(1)
def _model(collected: Collected) -> SamplingModel:
    return SamplingModel(collected.dataset)


def intervals(task: Task, collected: Collected, counted: Counted) -> Intervals:
    """Return the intervals that the product gives, and those with the sizes known."""
    left_out = 1 - counted.reports / collected.dataset.users
    moments = CountMoments.of(counted.count_law, left_out)
    bare = METHODS[default_method(task)].estimate_with_intervals(counted.support, counted.reports, moments, LEVEL)
    low, high = bare.frequency_interval
    informed = HiddenShare(collected.dataset.hidden_share(task.padding))
    if counted.tally is None:
        estimated = hidden_share(task, counted.answers, LEVEL)
        standard_error = own_standard_error(counted.support, counted.reports, moments)
        raised = estimated.raise_limits(high, standard_error, LEVEL)
    else:
        found = estimate(counted.tally)
        low, raised = found.frequency_low, found.frequency_high
    return Intervals(low, raised, informed.raise_limits(high, np.zeros_like(high), LEVEL))


def measure(collected: Collected, epsilon: str, repeats: int) -> tuple[Task, Coverage]:
    """Collect several times and compare the intervals with the truth."""
    task, truth = make_task(collected, epsilon), collected.dataset.truth[0]
    top = collected.dataset.top(TOP)
    collect = collect_reports if collected.dataset.users <= MAX_USERS_WITH_REPORTS else draw_counts
    rows = []
    for repeat in range(repeats):
        low, high, informed = intervals(task, collected, collect(task, collected, repeat))
        inside = (low <= truth) & (truth <= high)
        rows.append((inside.mean(), inside[top].mean(), *(np.median((end - low)[top]) for end in (high, informed))))
    means = np.mean(rows, axis=0)
    widths = np.median([row[2:] for row in rows], axis=0)
    return task, Coverage(float(means[0]), float(means[1]), float(widths[0]), float(widths[1]))


def requirements(name: str, found: Coverage) -> list[Requirement]:
    """Return what must hold for one population at one ε."""
    ratio = found.width / found.informed_width
    return [
        Requirement(f"{name}, all keys", f"≥ {MIN_COVERAGE}", f"{found.all_keys:.3f}", found.all_keys >= MIN_COVERAGE),
        Requirement(
            f"{name}, top {TOP}",
            f"≥ {MIN_TOP_COVERAGE}",
            f"{found.top_keys:.3f}",
            found.top_keys >= MIN_TOP_COVERAGE,
        ),
        Requirement(
            f"{name}, width",
            f"≤ {MAX_WIDTH_RATIO} × with sizes known",
            f"{ratio:.2f}",
            ratio <= MAX_WIDTH_RATIO,
        ),
    ]


def run(settings: ExperimentSettings) -> bool:
    """Print the coverage of every population at every ε, and the bars."""
    head = (
        "population",
        "ε",
        "mechanism",
        "padding",
        "size share",
        "hold more",
        "hidden",
        "all keys",
        "top 10",
        "width",
        "with sizes known",
    )
    table = Table(box=MARKDOWN)
    for name in head:
        table.add_column(name)
    bars = []
    for collected in populations(settings):
        for epsilon in EPSILONS:
            task, found = measure(collected, epsilon, settings.repeats or REPEATS)
            larger = float(np.mean(collected.dataset.population.sizes > task.padding))
            hidden = collected.dataset.hidden_share(task.padding)
            numbers = (f"{larger:.1%}", f"{hidden:.3f}", *(f"{value:.3f}" for value in found))
            table.add_row(collected.name, epsilon, task.mechanism, str(task.padding), f"{task.size_share:g}", *numbers)
            bars += requirements(f"{collected.name}, ε = {epsilon}", found)
    Console(width=170).print(table)
    return show_requirements(bars)
