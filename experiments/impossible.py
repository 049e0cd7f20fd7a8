"""How often counts are called impossible: by honest people of any kind, up to 10^8 of them, and by copied reports.

Counts are drawn from the exact joint law of all words of small tasks, so that any number of people costs the
same. `collision` has all functions of 31 positions, where its structure is far stronger than in a task's own.
Honest people hold what makes counts largest or least, or anything. Liars are 1 % of the reports, and all send
one body.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from rich.console import Console

from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv import Task
from pckv.auditing.variants import with_law
from pckv.base.arrays import Floats, Integers
from pckv.base.limits import ONE_LEVEL
from pckv.estimators.impossible import FALSE_ALARMS_PER_LOOK, count_tests
from pckv.estimators.sets import PooledReports
from pckv.mechanisms.base import HeldLevels, Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.tally.decode.support import KeySupport

SEED, COLLECTIONS, ATTACKED = 37, 100_000, 100
PARTS = ("honest", "power")
MIN_PEOPLE, MAX_PEOPLE, LIAR_SHARE = 10, 10**8, 0.01
# All functions of this many positions; 31 has the generator 3.
POSITIONS, GENERATOR = 31, 3
# Collections that are drawn together.
BATCH = 50
LEVELS = (0.1, 0.01, 0.001, FALSE_ALARMS_PER_LOOK)
# Copies must be found where the median chance of their counts is at most this.
CLEARLY_IMPOSSIBLE, MIN_POWER = FALSE_ALARMS_PER_LOOK * 1e-8, 0.99


class SmallTask(NamedTuple):
    """A task whose words can be enumerated."""

    mechanism: str
    keys: int
    padding: int
    epsilon: str
    levels: int

    def task(self) -> Task:
        """Return the task, of which a tenth of the reports are about sizes where that is possible."""
        asks = self.mechanism != "ue" and self.padding < self.keys
        task = Task(
            name="impossible",
            keys=self.keys,
            values=(0, 1),
            epsilon=self.epsilon,
            padding=self.padding,
            mechanism=self.mechanism,
            levels=self.levels,
            size_share="0.1" if asks else 0,
        )
        return with_law(task, _small(task.law))


def _small(law: Law) -> Law:
    if not isinstance(law, CollisionLaw):
        return law
    return CollisionLaw(
        law.keys,
        law.padding,
        law.epsilon,
        symbols=law.symbols,
        positions=POSITIONS,
        generator=GENERATOR,
        levels=law.levels,
        functions=POSITIONS * (POSITIONS - 1),
    )


TASKS = {
    mechanism: tuple(SmallTask(mechanism, *shape) for shape in shapes)
    for mechanism, shapes in {
        "ue": [(4, 1, "1", 2), (4, 2, "4", 2)],
        "grr": [(4, 1, "1", 2), (4, 2, "2", 3), (3, 3, "6", 2)],
        "ue-compact": [(4, 1, "1", 2), (4, 2, "2", 3)],
        "collision": [(4, 1, "1", 2), (4, 2, "2", 2), (4, 3, "1", 3)],
    }.items()
}


class WordLaw:
    """The exact laws of the words of one small task, by what a participant holds, and what words support."""

    def __init__(self, task: Task) -> None:
        self.task, self.law = task, task.law
        messages = list(self.law.messages())
        every = np.stack([supports(self.law, message).ravel() for message in messages])
        # Words that support the same items are drawn together.
        self.supports, kind = np.unique(every, axis=0, return_inverse=True)
        self.sets = list(held_sets(self.law))
        self.chances = np.stack([np.bincount(kind.ravel(), self._chances(held, messages)) for held in self.sets])

    def _chances(self, held: HeldLevels, messages: list[int]) -> Floats:
        distribution = self.law.distribution(held)
        found = np.array([Fraction(distribution.weights.get(word, 0), distribution.total) for word in messages], float)
        return np.asarray(found / found.sum())

    def populations(self, rng: Generator) -> Iterator[Floats]:
        """Yield shares of people by the set that they hold: all the same, any two halves, and anything."""
        one_set = np.eye(len(self.sets))
        yield from one_set[rng.integers(0, len(self.sets), 8)]
        for _ in range(4):
            yield one_set[rng.integers(0, len(self.sets), 2)].mean(axis=0)
        yield from rng.dirichlet(np.full(len(self.sets), 0.1), 4)

    def draw(self, shares: Floats, people: Integers, rng: Generator) -> tuple[Integers, Integers]:
        """Return the counts of items and of size answers of collections with these numbers of people, one row each."""
        question = self.task.size_question
        by_set = rng.multinomial(people, shares)
        counts = np.zeros((people.size, self.supports.shape[1]), np.int64)
        answers = np.zeros((people.size, 0 if question is None else len(question.ends)), np.int64)
        for place in np.flatnonzero(shares):
            of_pairs = by_set[:, place]
            if question is not None:
                asked = rng.binomial(of_pairs, question.asked / question.one)
                law = question.distribution(len(self.sets[place]))
                chances = np.array([law.weights[answer] / law.total for answer in range(len(question.ends))])
                answers += rng.multinomial(asked, chances / chances.sum())
                of_pairs = of_pairs - asked
            counts += rng.multinomial(of_pairs, self.chances[place]) @ self.supports
        return counts, answers

    def least_chance(self, counts: Integers, answers: Integers, people: int) -> float:
        """Return the least chance of all tests of a collection, which allows for all of them."""
        pooled = PooledReports(self.task, people, people, answers, self.law.count_law)
        support = KeySupport(counts.reshape(self.law.keys, self.law.levels).T)
        tests = count_tests(pooled, support, [str(key) for key in range(self.law.keys)])
        return min((test.chance for test in tests), default=1.0)


def held_sets(law: Law) -> Iterator[HeldLevels]:
    """Yield sets of pairs: none, one, as many as the padding, and all keys, at one level and at several."""
    for size in sorted({0, 1, law.padding, law.keys}):
        for keys in combinations(range(law.keys), size):
            levels = product(range(law.levels), repeat=size) if size == 1 else [[0] * size, [law.levels - 1] * size]
            for chosen in levels:
                yield dict(zip(keys, chosen, strict=True))


def supports(law: Law, message: int) -> Integers:
    """Return which items a message supports: keys × levels."""
    found = np.zeros((law.keys, law.levels), np.int64)
    for key, level in product(range(law.keys), range(law.levels)):
        if isinstance(law, UeLaw):
            found[key, level] = law.states(message)[key] == (2 * level - 1 if law.levels > ONE_LEVEL else 1)
        elif isinstance(law, UeCompactLaw):
            found[key, level] = 0 <= law.residue(message, key) - law.first(level) < law.r
        elif isinstance(law, CollisionLaw):
            function, symbol = divmod(message, law.symbols)
            found[key, level] = law.symbol(function, law.item(key, level)) == symbol
        else:
            found[key, level] = message == law.levels * key + level
    return found


def run(settings: ExperimentSettings) -> bool:
    """Run the parts asked for, and say whether the bars are met."""
    parts = settings.parts or PARTS
    requirements: list[Requirement] = []
    laws = {mechanism: [WordLaw(each.task()) for each in tasks] for mechanism, tasks in TASKS.items()}
    if "honest" in parts:
        for mechanism, of_tasks in laws.items():
            requirements += _honest(mechanism, of_tasks, settings.repeats or COLLECTIONS)
    if "power" in parts:
        for mechanism, of_tasks in laws.items():
            requirements += _power(mechanism, of_tasks, settings.repeats or ATTACKED)
    return show_requirements(requirements)


def _honest(mechanism: str, laws: list[WordLaw], collections: int) -> list[Requirement]:
    rng, least = default_rng([SEED, *mechanism.encode()]), list[float]()
    while len(least) < collections:
        for law in laws:
            for shares in law.populations(rng):
                people = np.exp(rng.uniform(np.log(MIN_PEOPLE), np.log(MAX_PEOPLE), BATCH)).astype(np.int64)
                counts, answers = law.draw(shares, people, rng)
                least += map(law.least_chance, counts, answers, people.tolist())
    found = np.array(least[:collections])
    return [_at_level(mechanism, found, level) for level in LEVELS]


def _at_level(mechanism: str, least: Floats, level: float) -> Requirement:
    """A level may be reached as often as it says, and by chance five standard deviations more often."""
    reached = int((least <= level).sum())
    most = least.size * level + 5 * (least.size * level) ** 0.5
    name = f"{mechanism}, {least.size:,} honest collections at level {level:.2g}"
    return Requirement(name, f"at most {most:.4g}", str(reached), reached <= most)


class Copies(NamedTuple):
    """What copies of one body add to the counts of items and of size answers, where people hold one set."""

    name: str
    held: HeldLevels
    items: Integers
    answers: Integers


def _attacks(law: WordLaw) -> Iterator[Copies]:
    """Yield the item that all people hold, the most items that a word supports, and the answer of all people."""
    levels, padding = law.law.levels, law.law.padding
    no_answers = law.draw(np.eye(len(law.sets))[0], np.array([0]), default_rng(0))[1][0]
    top = law.supports[int(np.flatnonzero(law.supports[:, levels - 1])[0])]
    yield Copies("an item that all hold", {0: levels - 1}, top, no_answers)
    widest = law.supports[int(np.argmax(law.supports.sum(axis=1)))]
    yield Copies("as many items as possible", dict.fromkeys(range(padding), 0), widest, no_answers)
    if no_answers.size:
        answer = np.eye(1, no_answers.size, dtype=np.int64)[0]
        yield Copies("the size that all have", {0: 0}, np.zeros_like(top), answer)


def _power(mechanism: str, laws: list[WordLaw], collections: int) -> list[Requirement]:
    """Copies are found where they take the expected counts far enough beyond what is possible."""
    rng, requirements = default_rng([SEED, 1, *mechanism.encode()]), list[Requirement]()
    for law in laws:
        for attack in _attacks(law):
            shares = np.eye(len(law.sets))[law.sets.index(attack.held)]
            for people in (10**4, 10**5, 10**6, 10**7, 10**8):
                copies = round(LIAR_SHARE * people)
                counts, answers = law.draw(shares, np.full(collections, people - copies), rng)
                counts, answers = counts + copies * attack.items, answers + copies * attack.answers
                chances = np.array(list(map(law.least_chance, counts, answers, [people] * collections)))
                found = float(np.mean(chances <= FALSE_ALARMS_PER_LOOK))
                middle = float(np.median(chances))
                task = law.task
                name = (
                    f"{mechanism}, padding {task.padding}, ε {float(task.epsilon):g}, {task.level_count} levels, "
                    f"{people:,} reports, copies of {attack.name}"
                )
                Console(soft_wrap=True).print(f"{name}: found in {found:.1%}, median chance {middle:.0e}")
                if middle <= CLEARLY_IMPOSSIBLE:
                    bar = f"at least {MIN_POWER:.0%}"
                    requirements.append(Requirement(name, bar, f"{found:.1%}", found >= MIN_POWER))
    return requirements
