"""Hashed keys that are named afterwards, with a planted truth: false discoveries, and errors against the plan.

200 keys that are held, as Zipf's law makes them, among candidates that nobody holds; one pair per person. The parts `law-…`
draw the counts of 10^6 people and 10^4 candidates from the exact law, at ε 1, 2 and 4. The part `reports` makes real reports
of 10^5 people, hashes and decodes them for 1,000 candidates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv import Tally, Task
from pckv.arrays import Flags, Floats, Integers
from pckv.device.vectorised import perturb_many
from pckv.estimators.detection import Detection
from pckv.estimators.methods.corrected import corrected
from pckv.estimators.request import key_numbers
from pckv.lab.choices import draw_counts
from pckv.moments import CountMoments
from pckv.planning.detection import DEFAULT_RATE
from pckv.planning.prediction import predicted_errors
from pckv.population import Population
from pckv.seeded import seeded_source
from pckv.tally.decode.support import KeySupport, key_support

SEED, REPEATS, HELD, LEVEL = 20_271, 200, 200, 0.95
# Errors may differ from those that a plan states by this factor.
MAX_DIFFERENCE = 0.1
# A mean counts from this many standard errors of its frequency on: a plan calls others no better than a guess.
KNOWN_FROM = 10


class HashedSetting(NamedTuple):
    """The budget, how many people and candidates there are, and whether real reports are made."""

    epsilon: str
    users: int
    candidates: int
    reports: bool = False


SETTINGS = {
    "law-1": HashedSetting("1", 10**6, 10**4),
    "law-2": HashedSetting("2", 10**6, 10**4),
    "law-4": HashedSetting("4", 10**6, 10**4),
    "reports": HashedSetting("4", 10**5, 10**3, reports=True),
}
PARTS = tuple(SETTINGS)


class Repeat(NamedTuple):
    """One collection: which keys were detected, and the errors of those that are held, means on [-1, 1]."""

    detected: Flags
    frequency: Floats
    mean: Floats


class Truth(NamedTuple):
    """How many people hold each candidate, those that are held first, and the mean value of each."""

    holders: Integers
    means: Floats


def draw_truth(setting: HashedSetting, rng: Generator) -> Truth:
    """Draw holders as Zipf's law makes them, and means anywhere."""
    zipf = 1 / np.arange(1, HELD + 1)
    holders = np.zeros(setting.candidates, np.int64)
    holders[:HELD] = zipf / zipf.sum() * setting.users
    return Truth(holders, rng.uniform(-1, 1, setting.candidates))


def make_task(setting: HashedSetting) -> Task:
    """Return a task for one pair per person."""
    return Task(
        name="hashed",
        keys="hashed",
        values=(-1, 1),
        epsilon=setting.epsilon,
        users=setting.users,
        padding=1,
        more="refuse",
    )


def real_counts(task: Task, setting: HashedSetting, truth: Truth, rng: Generator, seed: int) -> KeySupport:
    """Make the reports of everybody, and ask them about all candidates."""
    numbers = key_numbers(task, [f"https://site-{number}.example/" for number in range(setting.candidates)])
    keys = np.repeat(np.arange(setting.candidates), truth.holders)
    values = np.where(rng.random(keys.size) < (1 + truth.means[keys]) / 2, 1.0, -1.0)
    # Everybody else holds nothing.
    offsets = np.minimum(np.arange(setting.users + 1), keys.size)
    tally = Tally(task)
    for batch in perturb_many(
        task, Population(offsets, numbers[keys].astype(np.int32), values), seeded_source(seed)
    ):
        tally.add_many(batch.messages)
    return key_support(tally, numbers)


def measure(task: Task, setting: HashedSetting, repeat: int) -> Repeat:
    """Make one collection."""
    rng = default_rng([SEED, repeat])
    truth = draw_truth(setting, rng)
    law, users = task.channel.count_law, setting.users
    support = (
        real_counts(task, setting, truth, rng, SEED + repeat)
        if setting.reports
        else draw_counts(law, users, truth.holders, truth.means, rng)
    )
    moments = CountMoments.of(law)
    detected = Detection(setting.candidates, LEVEL, DEFAULT_RATE).detected(support.total, users, moments)
    frequency, mean = corrected(support.take(slice(HELD)), users, moments)
    return Repeat(detected, frequency - truth.holders[:HELD] / users, mean - truth.means[:HELD])


def requirements(name: str, task: Task, setting: HashedSetting, found: list[Repeat]) -> list[Requirement]:
    """Return the bars of one setting."""
    false = [each.detected[HELD:].sum() / max(1, each.detected.sum()) for each in found]
    power = float(np.mean([each.detected[:HELD].mean() for each in found]))
    holders = draw_truth(setting, default_rng(SEED)).holders[:HELD]
    planned = [predicted_errors(task.channel, setting.users, count / setting.users) for count in holders]
    frequency = np.array([each.frequency for each in planned])
    known = holders / setting.users > KNOWN_FROM * frequency
    ratios = {
        "frequency": _root(np.array([each.frequency for each in found])) / _root(frequency),
        "mean": _root(np.array([each.mean[known] for each in found]))
        / _root(np.array([each.mean for each in planned])[known]),
    }
    rate, error = float(np.mean(false)), float(np.std(false) / np.sqrt(len(found)))
    return [
        Requirement(
            f"{name}: false discovery rate, {power:.0%} of the keys found",
            f"≤ {DEFAULT_RATE}",
            f"{rate:.4f} ± {error:.4f}",
            rate <= DEFAULT_RATE + 2 * error,
        ),
        *(
            Requirement(
                f"{name}: error of {'frequencies' if what == 'frequency' else f'{known.sum()} means'} over the plan's",
                f"within {MAX_DIFFERENCE:.0%}",
                f"{ratio:.3f}",
                abs(ratio - 1) <= MAX_DIFFERENCE,
            )
            for what, ratio in ratios.items()
        ),
    ]


def _root(errors: Floats) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def run(settings: ExperimentSettings) -> bool:
    """Print the bars of every setting."""
    bars: list[Requirement] = []
    for name in settings.parts or PARTS:
        setting = SETTINGS[name]
        task = make_task(setting)
        found = [measure(task, setting, repeat) for repeat in range(settings.repeats or REPEATS)]
        bars += requirements(name, task, setting, found)
    return show_requirements(bars)
