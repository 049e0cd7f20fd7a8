"""Discovery with planted truth: how many planted texts are found, and how many of those found are planted.

A million people hold one text each. Texts are planted at 1.5 times the frequency that the plan states; they
are random, or titles of books, many of which begin alike. All others hold one of 100,000 random texts.
Reports are made by the device's own code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from rich.console import Console

from experiments.settings import ExperimentSettings, Requirement, show_requirements
from experiments.titles import TITLES
from pckv import Discovery, Tally, Task, discover, plan_discovery
from pckv.base.population import Population
from pckv.device.vectorised import perturb_texts

SEED, REPEATS, USERS = 20_222, 5, 10**6
EPSILONS = ("2", "4")
PARTS = ("random", "titles")
# Times the planned frequency, and how much of all people hold planted texts.
FACTOR, PLANTED_SHARE = 1.5, 0.9
OTHER_TEXTS, LENGTHS = 100_000, (1, 30)
MIN_RECALL = MIN_PRECISION = 0.95


class Outcome(NamedTuple):
    """What one run found."""

    planted: int
    found: int
    both: int
    covered: int


def random_texts(alphabet: str, count: int, rng: Generator) -> list[str]:
    """Return different random texts of many lengths."""
    letters = np.array(list(alphabet))
    lengths = rng.integers(*LENGTHS, 2 * count)
    texts = dict.fromkeys("".join(rng.choice(letters, length)) for length in lengths.tolist())
    return list(texts)[:count]


def planted_texts(part: str, task: Task, count: int, rng: Generator) -> list[str]:
    """Return as many of the texts of a part, or all if there are fewer, no two of which are found as one."""
    texts = rng.permutation(TITLES).tolist() if part == "titles" else random_texts(task.tree.alphabet, 2 * count, rng)
    return list({task.tree.cut(text): text for text in texts}.values())[:count]


def run_once(part: str, epsilon: str, rng: Generator) -> Outcome:
    """Plant texts, collect reports, and find them."""
    task = Task.discovery(name="discovery", epsilon=epsilon)
    frequency = FACTOR * plan_discovery(users=USERS, epsilon=epsilon).frequency
    planted = [task.tree.cut(text) for text in planted_texts(part, task, int(PLANTED_SHARE / frequency), rng)]
    others = map(task.tree.cut, random_texts(task.tree.alphabet, OTHER_TEXTS, rng))
    texts = list(dict.fromkeys((*planted, *others)))
    holders = round(frequency * USERS)
    held = rng.integers(len(planted), len(texts), USERS)
    held[: holders * len(planted)] = np.repeat(np.arange(len(planted)), holders)
    people = Population(np.arange(USERS + 1), held.astype(np.int32), np.ones(USERS))
    tally = Tally(task)
    for batch in perturb_texts(task, texts, people, rng.bytes):
        tally.add_many(batch.messages)
    return outcome(discover(tally), planted, holders / USERS)


def outcome(found: Discovery, planted: Sequence[str], frequency: float) -> Outcome:
    """Compare what was found with what was planted."""
    true = [key for key in found.keys if key.key in set(planted)]
    covered = sum(key.frequency_low <= frequency <= key.frequency_high for key in true)
    return Outcome(len(planted), len(found), len(true), covered)


def run(settings: ExperimentSettings) -> bool:
    """Run the parts asked for, and say whether the bars are met."""
    repeats, rng, console, requirements = settings.repeats or REPEATS, default_rng(SEED), Console(), []
    console.print("| texts | ε | planted at | planted | recall | precision | intervals that hold |")
    for part in settings.parts or PARTS:
        for epsilon in EPSILONS:
            runs = [run_once(part, epsilon, rng) for _ in range(repeats)]
            planted, found, both, covered = (sum(column) for column in zip(*runs, strict=True))
            recall, precision = both / planted, both / max(found, 1)
            frequency = FACTOR * plan_discovery(users=USERS, epsilon=epsilon).frequency
            console.print(
                f"| {part} | {epsilon} | {frequency:.2%} | {planted // repeats} | {recall:.3f} | {precision:.3f} "
                f"| {covered / max(both, 1):.3f} |"
            )
            what = f"{part} texts at ε = {epsilon}"
            requirements += [
                Requirement(f"recall of {what}", f"≥ {MIN_RECALL}", f"{recall:.3f}", recall >= MIN_RECALL),
                Requirement(
                    f"precision of {what}",
                    f"≥ {MIN_PRECISION}",
                    f"{precision:.3f}",
                    precision >= MIN_PRECISION,
                ),
            ]
    return show_requirements(requirements)
