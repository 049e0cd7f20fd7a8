"""How often hostile-report intervals hold the truth under attacks by 1 %: docs/appendix/hostile.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from experiments.attacks import maximal_gain, random_message, random_pair
from experiments.settings import ExperimentSettings, Requirement, show_requirements
from experiments.steering import possible_sayings, size_answers, steered_reports
from pckv.base.arrays import Integers, Messages
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from pckv.device.vectorised import perturb_many
from pckv.estimators.estimate import estimate
from pckv.lab.dataset import Dataset
from pckv.lab.populations import zipf_sets
from pckv.tally import Tally

SEED, LEVEL, REPEATS = 20_270, 0.95, 200
HONEST, HOSTILE, KEYS, PADDING = 19_800, 200, 20, 3
# By rank of the true frequency; attacks on one key are on the second of them.
TARGET_RANKS, STEERED = (0, 4, 14), 1
MIN_COVERAGE, MAX_ORDINARY_COVERAGE = 0.95, 0.5
HEADERS = (
    "frequency",
    "mean, or larger sets",
    "ordinary frequency",
    "ordinary mean, or larger sets",
    "width",
    "ordinary width",
)
# How many functions an attacker compares for one report.
TRIES = 64


class HostileCase(NamedTuple):
    """How reports are made; with larger sets than the padding, a share of them answer the size question."""

    mechanism: str | Mapping[str, object]
    epsilon: int
    larger_sets: bool = False

    @property
    def task(self) -> Task:
        """A task of this kind."""
        return Task(
            name="hostile",
            keys=KEYS,
            values=(-1, 1),
            epsilon=self.epsilon,
            padding=PADDING,
            mechanism=self.mechanism,
            more="sample" if self.larger_sets else "refuse",
            size_share="0.1" if self.larger_sets else "0",
        )


CASES = {
    "`ue`": HostileCase("ue", 4),
    "`grr`": HostileCase("grr", 4),
    "`ue-compact`": HostileCase({"name": "ue-compact", "q": 23}, 4),
    "`ue-compact` with overlap": HostileCase({"name": "ue-compact", "q": 23, "r": 4, "o": 1}, 4),
    "`collision`": HostileCase("collision", 4),
    "`collision`, larger sets": HostileCase("collision", 4, larger_sets=True),
    "`grr`, larger sets": HostileCase("grr", 4, larger_sets=True),
}
PARTS = tuple(CASES)

AttackMessages = Callable[[Generator], Messages]


class HostileAttack(NamedTuple):
    """An attack on some keys: how its reports are made."""

    keys: Integers
    make: AttackMessages


class HostileCoverage(NamedTuple):
    """How often intervals hold the truth under one attack, with and without regard to it, and median widths.

    Where people hold larger sets than the padding, the share of these people takes the place of the mean,
    which is then that of reported pairs: another quantity.
    """

    case: str
    attack: str
    frequency: float
    other: float
    ordinary_frequency: float
    ordinary_other: float
    width: float
    ordinary_width: float


@cache
def people(*, larger_sets: bool) -> Dataset:
    """Return the honest people: 1 to 3 pairs each by Zipf's law, or 1 to 6.

    All who hold more than 3 hold the first key: its frequency exceeds what reports show by as much as sizes
    allow.
    """
    rng = default_rng([SEED, larger_sets])
    if not larger_sets:
        return zipf_sets(rng.integers(1, PADDING + 1, HONEST), KEYS, rng)
    drawn = zipf_sets(rng.integers(1, 2 * PADDING + 1, HONEST), KEYS, rng)
    offsets, keys = drawn.population.offsets, drawn.population.keys.copy()
    have_first = np.logical_or.reduceat(keys == 0, offsets[:-1])
    keys[offsets[:-1][(drawn.population.sizes > PADDING) & ~have_first]] = 0
    return replace(drawn, population=Population(offsets, keys, drawn.population.values))


def attacks_on(task: Task, targets: Integers) -> dict[str, HostileAttack]:
    """Return the literature's three attacks, and the worst on one key and on the size question."""
    key = targets[STEERED : STEERED + 1]

    def steered(says: str) -> AttackMessages:
        return lambda rng: steered_reports(task, int(key[0]), says, HOSTILE, rng)

    def lied_about_sizes(answer: int) -> AttackMessages:
        return lambda _: size_answers(task, answer, HOSTILE)

    def from_random_pairs(rng: Generator) -> Messages:
        return random_pair(task, targets, HOSTILE, rng, seeded_source(int(rng.integers(2**32))))

    found = {
        "maximal gain": HostileAttack(targets, lambda rng: maximal_gain(task, targets, HOSTILE, rng, TRIES)),
        "random message": HostileAttack(targets, lambda rng: random_message(task, HOSTILE, rng)),
        "random pair": HostileAttack(targets, from_random_pairs),
    }
    for says in possible_sayings(task.law):
        found[f"all say {says}"] = HostileAttack(key, steered(says))
    if task.size_question is not None:
        found["all hold few pairs"] = HostileAttack(targets, lied_about_sizes(0))
        found["all hold all keys"] = HostileAttack(targets, lied_about_sizes(len(task.size_question.ends) - 1))
    return found


def measure(name: str, repeats: int) -> Iterator[HostileCoverage]:
    """Collect honest reports, add those of each attack in turn, and compare intervals with the truth."""
    case = CASES[name]
    task, dataset = case.task, people(larger_sets=case.larger_sets)
    targets = dataset.top(None)[list(TARGET_RANKS)]
    attacks = attacks_on(task, targets)
    inside: dict[str, list[tuple[np.ndarray, ...]]] = {attack: [] for attack in attacks}
    for repeat in range(repeats):
        honest = Tally(task)
        for batch in perturb_many(task, dataset.population, seeded_source(SEED + repeat)):
            honest.add_many(batch.messages)
        for number, (attack, (keys, make)) in enumerate(attacks.items()):
            tally = Tally(task)
            tally.merge(honest)
            tally.add_many(make(default_rng([SEED, repeat, number])))
            inside[attack].append(_compare(tally, dataset, keys))
    for attack, found in inside.items():
        columns = [np.concatenate(column) for column in zip(*found, strict=True)]
        shares = (float(np.mean(column)) for column in columns[:4])
        yield HostileCoverage(name, attack, *shares, *(float(np.median(column)) for column in columns[4:]))


def _compare(tally: Tally, dataset: Dataset, keys: Integers) -> tuple[np.ndarray, ...]:
    """Return where both kinds of intervals hold the truth, and the widths of those of frequencies."""
    task = tally.task
    frequency, mean = (truth[keys] for truth in dataset.truth)
    larger = float(np.mean(dataset.population.sizes > task.padding))
    inside, widths = [], []
    for hostile in (HOSTILE, 0):
        found = estimate(tally, "corrected", LEVEL, task.key_names(keys.tolist()), hostile=hostile)
        inside.append((found.frequency_low <= frequency) & (frequency <= found.frequency_high))
        if task.size_question is None:
            inside.append((found.mean_low <= mean) & (mean <= found.mean_high))
        else:
            inside.append(np.array([found.sets.larger_low <= larger <= found.sets.larger_high]))
        widths.append(found.frequency_high - found.frequency_low)
    return *inside, *widths


def run(settings: ExperimentSettings) -> bool:
    """Measure all cases and print the table of docs/appendix/hostile.md; return whether all bars are met."""
    rows: list[HostileCoverage] = []
    print(f"| mechanism | attack | {' | '.join(HEADERS)} |\n|---|---|" + "---:|" * len(HEADERS))
    for name in settings.parts or CASES:
        for row in measure(name, settings.repeats or REPEATS):
            rows.append(row)
            print(_line(row), flush=True)
    return show_requirements(requirements_of(rows))


def _line(row: HostileCoverage) -> str:
    return f"| {row.case} | {row.attack} | {' | '.join(f'{number:.3f}' for number in row[2:])} |"


def requirements_of(rows: Iterable[HostileCoverage]) -> list[Requirement]:
    """Return the bars: every attack is covered, and ordinary intervals miss under one on each mechanism."""
    found: list[Requirement] = []
    by_case: dict[str, list[float]] = {}
    for row in rows:
        lowest = min(row.frequency, row.other)
        what = f"{row.case}, {row.attack}: lowest coverage"
        found.append(Requirement(what, f"at least {MIN_COVERAGE}", f"{lowest:.3f}", lowest >= MIN_COVERAGE))
        by_case.setdefault(row.case, []).append(min(row.ordinary_frequency, row.ordinary_other))
    for case, ordinary in by_case.items():
        what = f"{case}: ordinary intervals, worst attack"
        bar = f"below {MAX_ORDINARY_COVERAGE}, or the attacks would show nothing"
        found.append(Requirement(what, bar, f"{min(ordinary):.3f}", min(ordinary) < MAX_ORDINARY_COVERAGE))
    return found
