"""Whether a pilot leads to a good padding, on real and synthetic data: the tables of docs/padding.md.

A tenth of the people, at most 20,000, report their set sizes in a pilot, `plan` chooses the padding from that, and
the others take part in the main task. Its error is compared with that of the best of some fixed paddings, which nobody
knows beforehand, with all people and no pilot. The rating sets are pckv_clothing_fit.parquet and
goodbooks10k_v1.parquet.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from experiments.settings import ExperimentSettings
from pckv.channels import build
from pckv.device.vectorised import perturb_many
from pckv.estimators.estimate import estimate
from pckv.estimators.methods.corrected import corrected
from pckv.lab.counting import count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.figures import realdata
from pckv.lab.figures.figure import Scale
from pckv.lab.populations import movielike, zipf
from pckv.lab.sampling import SamplingModel
from pckv.lab.simulate import Result, simulate
from pckv.moments import CountMoments
from pckv.planning.plan import PADDINGS, Option, plan
from pckv.planning.set_sizes import MAX_DISTINGUISHED_SIZE, MAX_PILOT_REPORTS, PILOT_ONE_IN, SetSizes
from pckv.population import Population
from pckv.tally import Tally
from pckv.task import Task

REPEATS, TOP, SEED = 40, 50, 20_262
MECHANISMS, EPSILONS = ("collision", "ue-compact"), ("1", "2", "4")
MAX_RATIO = 1.25
SHOWN_PADDINGS, FEW_CHOICES = (2, 50), 3
LARGEST_SIZES, FEW_PILOTS = (128, 256, 512, 1024, 2048), 10


class PilotCase(NamedTuple):
    """A population; the frequency that the plan is given, if any; whether the bar applies to it."""

    name: str
    dataset: Dataset
    frequency: float | None = None
    barred: bool = False


class PilotResult(NamedTuple):
    """One mechanism at one ε: the best fixed padding, and the errors and paddings that pilots led to."""

    best: Result
    errors: list[float]
    paddings: Counter[int]

    @property
    def ratio(self) -> tuple[float, float]:
        """The error relative to the best one, and the standard error of that."""
        error = float(np.mean(self.errors))
        spread = float(np.std(self.errors, ddof=1)) / math.sqrt(len(self.errors))
        ratio = error / self.best.mse_frequency
        return ratio, ratio * math.hypot(spread / error, self.best.mse_frequency_se / self.best.mse_frequency)


def choices(paddings: Counter[int]) -> str:
    """Describe the paddings that were chosen, and how often if they are few."""
    if len(paddings) > FEW_CHOICES:
        return f"{min(paddings)} to {max(paddings)}"
    return ", ".join(f"{padding} ({times})" for padding, times in paddings.most_common())


def clothing(folder: Path) -> Iterator[PilotCase]:
    """Yield a population with mostly one pair per person."""
    yield PilotCase("clothing", realdata.clothing(Scale(data=folder)), barred=True)


def movies(_: Path) -> Iterator[PilotCase]:
    """Yield a population with twenty to thousands of pairs per person."""
    yield PilotCase("movielike", movielike(default_rng(1)), barred=True)


def goodbooks(folder: Path) -> Iterator[PilotCase]:
    """Yield a population with many pairs and similar keys: sizes say nothing about its frequencies."""
    data = realdata.goodbooks(Scale(data=folder))
    yield PilotCase("goodbooks", data)
    yield PilotCase("goodbooks, frequency .002", data, frequency=0.002)


def zipfs(_: Path) -> Iterator[PilotCase]:
    """Yield populations where everybody holds the same number of pairs, with a steeper head than is guessed."""
    for pairs in (1, 3, 10, 40):
        yield PilotCase(f"zipf, {pairs} pairs", zipf(100_000, 1000, default_rng(pairs), pairs=pairs))


POPULATIONS: dict[str, Callable[[Path], Iterator[PilotCase]]] = {
    "clothing": clothing,
    "movielike": movies,
    "goodbooks": goodbooks,
    "zipf": zipfs,
}
PARTS = tuple(POPULATIONS)


def subset(dataset: Dataset, chosen: NDArray[np.bool_]) -> Dataset:
    """Return some of the people."""
    people, sizes = dataset.population, dataset.population.sizes
    pairs = np.repeat(chosen, sizes)
    offsets = np.concatenate([[0], np.cumsum(sizes[chosen])])
    some = Population(offsets, people.keys[pairs], people.values[pairs])
    return Dataset(dataset.name, some, dataset.keys, dataset.low, dataset.high)


def draw_pilot(dataset: Dataset, rng: Generator) -> NDArray[np.bool_]:
    """Choose who takes part in the pilot."""
    chosen = np.zeros(dataset.users, np.bool_)
    number = min(dataset.users // PILOT_ONE_IN, MAX_PILOT_REPORTS)
    chosen[rng.choice(dataset.users, number, replace=False)] = True
    return chosen


def run_pilot(
    dataset: Dataset, epsilon: str, rng: Generator, largest: int = MAX_DISTINGUISHED_SIZE
) -> SetSizes:
    """Return the set sizes that a pilot among these people estimates."""
    values = (dataset.low, dataset.high)
    task = Task(
        name="pilot", keys=dataset.keys, values=values, epsilon=epsilon, padding=largest, kind="sizes"
    )
    tally = Tally(task)
    for batch in perturb_many(task, dataset.population, rng.bytes):
        tally.add_many(batch.messages)
    return SetSizes.of_pilot(estimate(tally))


def plan_options(case: PilotCase, users: int, epsilon: str, sizes: SetSizes) -> dict[str, Option]:
    """Return the option that a plan has for every mechanism."""
    planned = plan(
        case.dataset.keys, users, epsilon, sizes=sizes, frequency=case.frequency, objective="frequency"
    )
    return {option.mechanism: option for option in planned.options}


class MainTask(NamedTuple):
    """The main task, among those who did not take part in the pilot."""

    case: PilotCase
    model: SamplingModel

    def error(self, option: Option, epsilon: str, rng: Generator) -> float:
        """Simulate the main task; return its squared error."""
        keys, users = self.model.keys, self.model.users
        channel = build(option.mechanism, keys, option.padding, Fraction(epsilon), option.parameters)
        support = count_reports(channel, self.model.prepare(channel, rng), rng)
        frequency, _ = corrected(support, users, CountMoments.of(channel.count_law))
        top, truth = self.case.dataset.top(TOP), self.case.dataset.truth[0]
        return float(np.mean((frequency[top] - truth[top]) ** 2))


def measure(case: PilotCase, repeats: int) -> dict[tuple[str, str], PilotResult]:
    """Return the results of a population; mechanisms at one ε share their pilots."""
    dataset = case.dataset
    fixed = simulate(
        dataset,
        epsilon=EPSILONS,
        mechanism=MECHANISMS,
        padding=PADDINGS,
        method="corrected",
        repeats=repeats,
        top=TOP,
        objective="frequency",
        seed=SEED,
    )
    results = {
        (name, epsilon): PilotResult(
            min(
                (row for row in fixed if (row.mechanism, row.epsilon) == (name, float(epsilon))),
                key=lambda row: row.mse_frequency,
            ),
            [],
            Counter(),
        )
        for name in MECHANISMS
        for epsilon in EPSILONS
    }
    for repeat in range(repeats):
        rng = default_rng([SEED, repeat])
        chosen = draw_pilot(dataset, rng)
        pilot, main_task = subset(dataset, chosen), MainTask(case, SamplingModel(subset(dataset, ~chosen)))
        for epsilon in EPSILONS:
            sizes = run_pilot(pilot, epsilon, rng)
            options = plan_options(case, main_task.model.users, epsilon, sizes)
            for name in MECHANISMS:
                results[name, epsilon].errors.append(main_task.error(options[name], epsilon, rng))
                results[name, epsilon].paddings[options[name].padding] += 1
    return results


def by_largest(case: PilotCase) -> Iterator[list[str]]:
    """Yield a row per mechanism and ε: the paddings that pilots lead to, by the largest size that they distinguish."""
    paddings: dict[tuple[str, str, int], Counter[int]] = defaultdict(Counter)
    for repeat in range(FEW_PILOTS):
        rng = default_rng([SEED, repeat])
        pilot = subset(case.dataset, draw_pilot(case.dataset, rng))
        for largest, epsilon in itertools.product(LARGEST_SIZES, EPSILONS):
            sizes = run_pilot(pilot, epsilon, rng, largest)
            for name, option in plan_options(case, case.dataset.users - pilot.users, epsilon, sizes).items():
                paddings[name, epsilon, largest][option.padding] += 1
    for name, epsilon in itertools.product(MECHANISMS, EPSILONS):
        yield [
            case.name,
            name,
            epsilon,
            *(choices(paddings[name, epsilon, largest]) for largest in LARGEST_SIZES),
        ]


def guess(case: PilotCase) -> list[str]:
    """Return a row per population: its most frequent keys, and what is guessed about them from all its sizes."""
    dataset, top = case.dataset, case.dataset.top(TOP)
    numbers, people = np.unique(dataset.population.sizes, return_counts=True)
    sizes = SetSizes(dict(zip(numbers.tolist(), people.tolist(), strict=True)))
    true = dataset.truth[0][top]
    row = [
        case.name,
        f"{sizes.mean:.3g}",
        f"{np.sqrt(np.mean(true**2)):.2%}",
        f"{sizes.popular_frequency(dataset.keys):.2%}",
    ]
    for padding in SHOWN_PADDINGS:
        shown = dataset.sampled_share(padding)[top].sum() / true.sum()
        row += [f"{shown:.1%}", f"{sizes.seen(padding):.1%}"]
    return row


def run(settings: ExperimentSettings) -> bool:
    """Print a row per result; return whether all bars are met."""
    repeats = settings.repeats or REPEATS
    table = Table("data", "mechanism", "ε", "best fixed", "by pilots", "error / the best", "", box=None)
    shown = (f"{what} at {padding}" for padding in SHOWN_PADDINGS for what in ("shown", "guess"))
    guesses = Table("data", "pairs", f"top {TOP}", "guess", *shown, box=None)
    sizes = Table("data", "mechanism", "ε", *(f"up to {largest}" for largest in LARGEST_SIZES), box=None)
    met = True
    for case in (case for name in settings.parts or PARTS for case in POPULATIONS[name](settings.data)):
        guesses.add_row(*guess(case))
        for row in by_largest(case) if case.barred else ():
            sizes.add_row(*row)
        for (name, epsilon), result in measure(case, repeats).items():
            met &= result.ratio[0] <= MAX_RATIO or not case.barred
            table.add_row(case.name, name, epsilon, *result_columns(result, barred=case.barred))
    console = Console(width=140)
    console.print(
        f"Mean squared error of the frequency of the {TOP} most frequent keys, {repeats} repeats, method corrected"
    )
    paddings = ", ".join(map(str, PADDINGS))
    console.print(
        f"Bar: at most {MAX_RATIO} times that of the best of {paddings}, without the people of the pilot"
    )
    console.print(table)
    console.print(
        f"\nThe {TOP} most frequent keys: their frequency, and the share of it that reports show at a padding"
    )
    console.print(guesses)
    console.print(
        f"\nThe paddings that {FEW_PILOTS} pilots lead to, by the largest size that they distinguish"
    )
    console.print(sizes)
    return met


def result_columns(result: PilotResult, *, barred: bool) -> tuple[str, ...]:
    """Return the last columns of a row."""
    ratio, error = result.ratio
    return (
        f"{result.best.padding} ({result.best.mse_frequency:.3g})",
        choices(result.paddings),
        f"{ratio:.2f} ± {error:.2f}",
        ("met" if ratio <= MAX_RATIO else "MISSED") if barred else "",
    )
