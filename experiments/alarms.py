"""How often alarms are raised: by honest reports of 20,000 tasks, and by liars who search for functions.

Every honest task has reports of its own people, made by the device's own code. Liars are 1 % of 100,000
reports and want ten keys: they all send one word, or each takes the best of some functions drawn anew, for
all of the keys or for some that each chooses at random, or what a coin gives them. Part `halves` measures
what is gained without an alarm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from rich.console import Console

from experiments.attacks import maximal_gain, partial_gain, people_per_report, same_word
from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv import Task
from pckv.base.arrays import Floats, Integers, Messages
from pckv.base.population import Population
from pckv.device.vectorised import perturb_many
from pckv.estimators.alarms import CHECKS_PER_DAY, FALSE_ALARMS_PER_DAY, Alarms, check_reports

SEED, HONEST_TASKS, ATTACKED_TASKS = 20_268, 20_000, 100
HONEST_REPORTS, REPORTS, LIAR_SHARE, TARGETS = 1500, 100_000, 0.01, 10
PARTS = ("honest", "power", "weaker", "halves")
# What must be found, and what gains less and is found less often.
SEARCHES, WEAKER_ATTACKS = ("one word", "best of 1000"), ("best of 100", "best of 10", "coin")
# The best of 1,000 functions, each for this many of the ten keys; 0 for what a coin gives.
WANTED, PARTIAL_TASKS = (10, 5, 0), 4
# All tests of a check together are below these levels as often, or less.
LEVELS = (0.1, 0.01, 0.001, FALSE_ALARMS_PER_DAY)
MIN_POWER = 0.99


class WatchedTask(NamedTuple):
    """A kind of task that alarms are measured on."""

    mechanism: str
    keys: int
    epsilon: str
    parameters: dict[str, int]

    def task(self) -> Task:
        """Return the task; its size question is the planner's."""
        return Task(
            name="alarms",
            keys=self.keys,
            values=(0, 1),
            epsilon=self.epsilon,
            padding=1,
            mechanism={"name": self.mechanism, **self.parameters},
        )


HONEST = (
    WatchedTask("ue", 20, "1", {}),
    WatchedTask("ue-compact", 20, "1", {"q": 5}),
    WatchedTask("ue-compact", 40, "2", {"q": 41, "r": 8, "o": 1}),
    WatchedTask("collision", 12, "1", {}),
)
ATTACKED = (
    WatchedTask("collision", 100, "1", {}),
    WatchedTask("collision", 1000, "4", {}),
    WatchedTask("collision", 5000, "1", {}),
    WatchedTask("ue-compact", 100, "1", {"q": 5}),
    WatchedTask("ue-compact", 100, "1", {"q": 41, "r": 11, "o": 1}),
    WatchedTask("ue-compact", 5000, "4", {"q": 71}),
)


def honest_reports(task: Task, reports: int, rng: Generator) -> Messages:
    """Return reports of people who hold one key each, by Zipf's law."""
    popularity = 1 / np.arange(1, task.key_count + 1)
    keys = rng.choice(task.key_count, reports, p=popularity / popularity.sum()).astype(np.int32)
    people = Population(np.arange(reports + 1), keys, rng.random(reports))
    return np.concatenate([batch.messages for batch in perturb_many(task, people, rng.bytes)])


def run(settings: ExperimentSettings) -> bool:
    """Run the parts asked for, and say whether the bars are met."""
    parts = settings.parts or PARTS
    requirements: list[Requirement] = []
    if "honest" in parts:
        requirements += _honest(settings.repeats or HONEST_TASKS)
    if "power" in parts:
        requirements += _power(settings.repeats or ATTACKED_TASKS)
    if "weaker" in parts:
        _weaker_attacks(settings.repeats or ATTACKED_TASKS)
    if "halves" in parts:
        _partial_attacks(settings.repeats or PARTIAL_TASKS)
    return show_requirements(requirements)


def _honest(tasks: int) -> list[Requirement]:
    rng, kinds = default_rng(SEED), [each.task() for each in HONEST]
    least = []
    for number in range(tasks):
        task = kinds[number % len(kinds)]
        alarms = check_reports(task, [honest_reports(task, HONEST_REPORTS, rng)], rng)
        least.append(min(test.chance for test in alarms.tests) * len(alarms.tests))
    found = np.array(least)
    Console().print(f"{tasks:,} honest tasks of {HONEST_REPORTS:,} reports")
    return [_at_level(found, level) for level in (*LEVELS, FALSE_ALARMS_PER_DAY / CHECKS_PER_DAY)]


def _at_level(least: Floats, level: float) -> Requirement:
    """A level may be reached as often as it says, and by chance five standard deviations more often."""
    reached = int((least <= level).sum())
    most = least.size * level + 5 * (least.size * level) ** 0.5
    return Requirement(f"honest tasks at level {level:.2g}", f"at most {most:.1f}", str(reached), reached <= most)


def _power(tasks: int) -> list[Requirement]:
    requirements = []
    for watched in ATTACKED:
        for attack in SEARCHES:
            share = _found(watched, attack, tasks)
            name = f"{watched.mechanism}, {watched.keys:,} keys, ε {watched.epsilon}: {attack}"
            requirements.append(Requirement(name, f"at least {MIN_POWER:.0%}", f"{share:.0%}", share >= MIN_POWER))
    return requirements


def _weaker_attacks(tasks: int) -> None:
    for watched in ATTACKED:
        for attack in WEAKER_ATTACKS:
            _found(watched, attack, tasks)


def _partial_attacks(tasks: int) -> None:
    """Print what a report gains and how often it is found, by how many of the keys each liar searches for."""
    console = Console(soft_wrap=True)
    for watched in ATTACKED:
        task = watched.task()
        for wanted in WANTED:
            rng, gains, found = default_rng([SEED, wanted]), [], 0
            for _ in range(tasks):
                targets, liars = _targets(task, rng), round(LIAR_SHARE * REPORTS)
                words = (
                    partial_gain(task, targets, liars, rng, wanted=wanted, tries=1000)
                    if wanted
                    else maximal_gain(task, targets, liars, rng)
                )
                gains.append(people_per_report(task, words, targets))
                found += bool(check_reports(task, [honest_reports(task, REPORTS - liars, rng), words], rng).unusual)
            attack = f"best of 1000 for {wanted} of {TARGETS}" if wanted else "coin"
            console.print(f"{watched}: {attack}: {np.mean(gains):.1f} people per report, found {found} of {tasks}")


def _targets(task: Task, rng: Generator) -> Integers:
    """Return keys that are not among the most frequent ones."""
    return rng.choice(np.arange(TARGETS, task.key_count), TARGETS, replace=False)


def _found(watched: WatchedTask, attack: str, tasks: int) -> float:
    """Return the share of attacked tasks that raise an alarm, and print it with the weakest bound seen."""
    task, rng = watched.task(), default_rng(SEED)
    found = [_attacked(task, attack, rng) for _ in range(tasks)]
    share = float(np.mean([bool(alarms.unusual) for alarms in found]))
    weakest = max(min(test.chance for test in alarms.tests) for alarms in found)
    Console(soft_wrap=True).print(f"{watched}: {attack}: {share:.1%} of {tasks:,} tasks, weakest bound {weakest:.0e}")
    return share


def _attacked(task: Task, attack: str, rng: Generator) -> Alarms:
    liars = round(LIAR_SHARE * REPORTS)
    targets = _targets(task, rng)
    if attack == "one word":
        hostile: Messages = same_word(task, targets, liars, rng, 1000)
    else:
        tries = 1 if attack == "coin" else int(attack.rpartition(" ")[2])
        hostile = maximal_gain(task, targets, liars, rng, tries)
    return check_reports(task, [honest_reports(task, REPORTS - liars, rng), hostile], rng)
