"""Is the padding that a pilot leads to a good one? `pilot.py FOLDER [REPEATS [DATA...]]`.

A tenth of the people, at most 20,000, tell their set sizes through a pilot, `plan` chooses the padding from that, and
the others take part in the main task. Its error is compared with that of the best of some fixed paddings, which nobody
knows beforehand, with all people and no pilot. FOLDER holds pckv_clothing_fit.parquet and goodbooks10k_v1.parquet;
the other populations are made up.
"""

from __future__ import annotations

import itertools
import math
import sys
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

from pckv.channels import build
from pckv.device.vectorised import perturb_many
from pckv.estimators.estimate import estimate
from pckv.estimators.methods.corrected import corrected
from pckv.files.pairs.rows import Columns
from pckv.lab.counting import count_reports
from pckv.lab.dataset import Dataset
from pckv.lab.datasets import read_dataset
from pckv.lab.populations import movielike, zipf
from pckv.lab.sampling import SamplingModel
from pckv.lab.simulate import Result, simulate
from pckv.moments import CountMoments
from pckv.planning.plan import PADDINGS, Option, plan
from pckv.planning.set_sizes import MAX_DISTINGUISHED_SIZE, MAX_PILOT_REPORTS, PILOT_ONE_IN, SetSizes
from pckv.population import Population
from pckv.tally import Tally
from pckv.task import Task

REPEATS, TOP, SEED = "40", 50, 20_262
MECHANISMS, EPSILONS = ("collision", "ue-compact"), ("1", "2", "4")
MOST_ERROR = 1.25
SHOWN_PADDINGS, FEW_CHOICES = (2, 50), 3
LARGEST, FEW_PILOTS = (128, 256, 512, 1024, 2048), 10
COLUMNS = Columns("user", "item", "rating")


class Case(NamedTuple):
    """A population; the frequency that is asked for, if any; whether the bar is for it."""

    name: str
    dataset: Dataset
    frequency: float | None = None
    barred: bool = False


class Cell(NamedTuple):
    """One mechanism at one ε: the best fixed padding, and the errors and paddings by pilots."""

    best: Result
    errors: list[float]
    paddings: Counter[int]

    @property
    def ratio(self) -> tuple[float, float]:
        """The error beside the best one, and its standard error."""
        error = float(np.mean(self.errors))
        spread = float(np.std(self.errors, ddof=1)) / math.sqrt(len(self.errors))
        ratio = error / self.best.mse_frequency
        return ratio, ratio * math.hypot(spread / error, self.best.mse_frequency_se / self.best.mse_frequency)


def choices(paddings: Counter[int]) -> str:
    """The paddings that were chosen, and how often if they are few."""
    if len(paddings) > FEW_CHOICES:
        return f"{min(paddings)} to {max(paddings)}"
    return ", ".join(f"{padding} ({times})" for padding, times in paddings.most_common())


def clothing(folder: Path) -> Iterator[Case]:
    """Mostly one pair a person."""
    data = read_dataset(folder / "pckv_clothing_fit.parquet", COLUMNS, repeated="last")
    yield Case("clothing", data, barred=True)


def movies(_: Path) -> Iterator[Case]:
    """From twenty pairs to thousands."""
    yield Case("movielike", movielike(default_rng(1)), barred=True)


def goodbooks(folder: Path) -> Iterator[Case]:
    """Many pairs, and all keys alike: nothing that sizes tell of."""
    data = read_dataset(folder / "goodbooks10k_v1.parquet", COLUMNS, repeated="last")
    yield Case("goodbooks", data)
    yield Case("goodbooks, frequency .002", data, frequency=0.002)


def zipfs(_: Path) -> Iterator[Case]:
    """Everybody holds as many; a steeper head than is guessed."""
    for pairs in (1, 3, 10, 40):
        yield Case(f"zipf, {pairs} pairs", zipf(100_000, 1000, default_rng(pairs), pairs=pairs))


POPULATIONS: dict[str, Callable[[Path], Iterator[Case]]] = {
    "clothing": clothing,
    "movielike": movies,
    "goodbooks": goodbooks,
    "zipf": zipfs,
}


def part(dataset: Dataset, chosen: NDArray[np.bool_]) -> Dataset:
    """Some of the people."""
    people, sizes = dataset.population, dataset.population.sizes
    pairs = np.repeat(chosen, sizes)
    offsets = np.concatenate([[0], np.cumsum(sizes[chosen])])
    some = Population(offsets, people.keys[pairs], people.values[pairs])
    return Dataset(dataset.name, some, dataset.keys, dataset.low, dataset.high)


def draw_pilot(dataset: Dataset, rng: Generator) -> NDArray[np.bool_]:
    """Who serves in the pilot."""
    chosen = np.zeros(dataset.users, np.bool_)
    number = min(dataset.users // PILOT_ONE_IN, MAX_PILOT_REPORTS)
    chosen[rng.choice(dataset.users, number, replace=False)] = True
    return chosen


def run_pilot(
    dataset: Dataset, epsilon: str, rng: Generator, largest: int = MAX_DISTINGUISHED_SIZE
) -> SetSizes:
    """What a pilot among these people tells."""
    values = (dataset.low, dataset.high)
    task = Task(
        name="pilot", keys=dataset.keys, values=values, epsilon=epsilon, padding=largest, kind="sizes"
    )
    tally = Tally(task)
    for batch in perturb_many(task, dataset.population, rng.bytes):
        tally.add_many(batch.messages)
    return SetSizes.of_pilot(estimate(tally))


def planned(case: Case, users: int, epsilon: str, sizes: SetSizes) -> dict[str, Option]:
    """What a plan has for every mechanism."""
    made = plan(
        case.dataset.keys, users, epsilon, sizes=sizes, frequency=case.frequency, objective="frequency"
    )
    return {option.mechanism: option for option in made.options}


class Rest(NamedTuple):
    """Those who did not serve in the pilot, made ready for the main task."""

    case: Case
    model: SamplingModel

    def error(self, option: Option, epsilon: str, rng: Generator) -> float:
        """Simulate the main task."""
        keys, users = self.model.keys, self.model.users
        channel = build(option.mechanism, keys, option.padding, Fraction(epsilon), option.parameters)
        support = count_reports(channel, self.model.prepare(channel, rng), rng)
        found, _ = corrected(support, users, CountMoments.of(channel.count_law))
        top, truth = self.case.dataset.top(TOP), self.case.dataset.truth[0]
        return float(np.mean((found[top] - truth[top]) ** 2))


def measure(case: Case, repeats: int) -> dict[tuple[str, str], Cell]:
    """All cells of a population; mechanisms at one ε share their pilots."""
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
    cells = {
        (name, epsilon): Cell(
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
        pilot, rest = part(dataset, chosen), Rest(case, SamplingModel(part(dataset, ~chosen)))
        for epsilon in EPSILONS:
            sizes = run_pilot(pilot, epsilon, rng)
            options = planned(case, rest.model.users, epsilon, sizes)
            for name in MECHANISMS:
                cells[name, epsilon].errors.append(rest.error(options[name], epsilon, rng))
                cells[name, epsilon].paddings[options[name].padding] += 1
    return cells


def by_largest(case: Case) -> Iterator[list[str]]:
    """A row a mechanism and ε: the paddings that pilots lead to, by the largest size that they tell apart."""
    found: dict[tuple[str, str, int], Counter[int]] = defaultdict(Counter)
    for repeat in range(FEW_PILOTS):
        rng = default_rng([SEED, repeat])
        pilot = part(case.dataset, draw_pilot(case.dataset, rng))
        for largest, epsilon in itertools.product(LARGEST, EPSILONS):
            sizes = run_pilot(pilot, epsilon, rng, largest)
            for name, option in planned(case, case.dataset.users - pilot.users, epsilon, sizes).items():
                found[name, epsilon, largest][option.padding] += 1
    for name, epsilon in itertools.product(MECHANISMS, EPSILONS):
        yield [case.name, name, epsilon, *(choices(found[name, epsilon, largest]) for largest in LARGEST)]


def guess(case: Case) -> list[str]:
    """A row a population: what is guessed of its most frequent keys from all its sizes, and what is true."""
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


def main() -> int:
    """Print a row a cell; 1 if a bar is not met."""
    folder, repeats, *names = sys.argv[1], *(sys.argv[2:] or [REPEATS])
    table = Table("data", "mechanism", "ε", "best fixed", "by pilots", "error beside the best", "", box=None)
    shown = (f"{what} at {padding}" for padding in SHOWN_PADDINGS for what in ("shown", "guess"))
    guesses = Table("data", "pairs", f"top {TOP}", "guess", *shown, box=None)
    sizes = Table("data", "mechanism", "ε", *(f"up to {largest}" for largest in LARGEST), box=None)
    met = True
    for case in (case for name in names or POPULATIONS for case in POPULATIONS[name](Path(folder))):
        guesses.add_row(*guess(case))
        for row in by_largest(case) if case.barred else ():
            sizes.add_row(*row)
        for (name, epsilon), cell in measure(case, int(repeats)).items():
            ratio, error = cell.ratio
            met &= ratio <= MOST_ERROR or not case.barred
            table.add_row(
                case.name,
                name,
                epsilon,
                f"{cell.best.padding} ({cell.best.mse_frequency:.3g})",
                choices(cell.paddings),
                f"{ratio:.2f} ± {error:.2f}",
                ("met" if ratio <= MOST_ERROR else "NOT MET") if case.barred else "",
            )
    console = Console(width=140)
    console.print(
        f"Mean squared error of the frequency of the {TOP} most frequent keys, {repeats} repeats, method corrected"
    )
    console.print(
        f"Bar: at most {MOST_ERROR} times that of the best of {', '.join(map(str, PADDINGS))}, the pilot's people left out"
    )
    console.print(table)
    console.print(
        f"\nThe {TOP} most frequent keys: their frequency, and the share of it that reports show at a padding"
    )
    console.print(guesses)
    console.print(
        f"\nThe paddings that {FEW_PILOTS} pilots lead to, by the largest size that they tell apart"
    )
    console.print(sizes)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
