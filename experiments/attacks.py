"""Hostile reports as the literature makes them: by maximal gain, as random messages, and from random pairs.

After Cao, Jia and Gong (2021) and Wu et al. (2022). All want the target keys to look more frequent. Where a
report names a public function, a liar draws some and keeps the one that suits the targets best; with one draw
they take what a server's coin gives them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Bytes, Floats, Integers, Messages
from pckv.base.population import Population
from pckv.base.randomness import Source
from pckv.contract.task import Task
from pckv.device.vectorised import perturb_many
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.statistics.moments import CountMoments

# Functions that are compared at once.
FUNCTIONS_PER_BATCH = 2**16


class BestWords(NamedTuple):
    """For some functions, the word that supports most of the targets, and how often it supports them."""

    words: Integers
    supports: Floats


def maximal_gain(task: Task, targets: Integers, liars: int, rng: Generator, tries: int = 1) -> Messages:
    """Return reports that support the targets as often as possible.

    Args:
        task: The task.
        targets: The keys that are to look more frequent.
        liars: How many reports are made.
        rng: Where all choices come from.
        tries: How many functions each liar compares, where reports name one: 1 for a coin's.
    """
    law = task.law
    if isinstance(law, UeLaw):
        return _planes(law, targets, liars, rng)
    if isinstance(law, GrrLaw):
        return np.array([law.word(int(key), law.levels - 1) for key in rng.choice(targets, liars)])
    assert isinstance(law, UeCompactLaw | CollisionLaw)  # noqa: S101
    found = []
    per_batch = max(1, FUNCTIONS_PER_BATCH // tries)
    for start in range(0, liars, per_batch):
        count = min(per_batch, liars - start)
        best = best_words(law, rng.integers(0, law.functions, count * tries), targets)
        chosen = np.argmax(best.supports.reshape(count, tries), axis=1) + np.arange(count) * tries
        found.append(best.words[chosen])
    return np.concatenate(found)


def partial_gain(task: Task, targets: Integers, liars: int, rng: Generator, *, wanted: int, tries: int) -> Integers:
    """Return reports that support `wanted` of the targets as often as possible, which each liar draws at random."""
    law = task.law
    assert isinstance(law, UeCompactLaw | CollisionLaw)  # noqa: S101
    found = []
    for _ in range(liars):
        best = best_words(law, rng.integers(0, law.functions, tries), rng.choice(targets, wanted, replace=False))
        found.append(best.words[np.argmax(best.supports)])
    return np.array(found)


def people_per_report(task: Task, words: Messages, targets: Integers) -> float:
    """Return for how many people a report counts, on average, over all targets together."""
    law, moments = task.law, CountMoments.of(task.law.count_law)
    assert isinstance(law, UeCompactLaw | CollisionLaw)  # noqa: S101
    functions, symbols = np.divmod(words, law.word_limit // law.functions)
    places, supports = _places(law, functions, targets)
    supported = supports[places, symbols[:, None]].sum(axis=1).mean()
    return float((supported - targets.size * moments.noise) / moments.signal)


def same_word(task: Task, targets: Integers, liars: int, rng: Generator, tries: int) -> Integers:
    """Return the same report again and again: the best of all functions that were tried."""
    return np.full(liars, maximal_gain(task, targets, 1, rng, tries)[0])


def constant_function(law: UeCompactLaw, liars: int) -> Integers:
    """Return the report of `ue-compact` that says the same, and most, of every key: it needs no search."""
    return best_words(law, np.zeros(liars, np.int64), np.zeros(1, np.int64)).words


def random_message(task: Task, liars: int, rng: Generator) -> Messages:
    """Return reports that are uniform over all that can be sent about pairs."""
    law = task.law
    if isinstance(law, UeLaw):
        return _packed(rng.integers(0, 3, (liars, law.keys)))
    return rng.integers(0, law.word_limit or 0, liars)


def random_pair(task: Task, targets: Integers, liars: int, rng: Generator, source: Source) -> Messages:
    """Return honest reports of people who each hold one random target with the largest value."""
    keys = rng.choice(targets, liars).astype(np.int32)
    population = Population(np.arange(liars + 1), keys, np.full(liars, task.high))
    return np.concatenate([batch.messages for batch in perturb_many(task, population, source)])


def best_words(law: UeCompactLaw | CollisionLaw, functions: Integers, targets: Integers) -> BestWords:
    """Return the best word for each of some functions."""
    places, supports = _places(law, functions, targets)
    symbols = supports.shape[0]
    cells = np.arange(functions.size)[:, None] * symbols + places
    held = np.bincount(cells.ravel(), minlength=functions.size * symbols).reshape(-1, symbols)
    scores = held @ supports
    best = np.argmax(scores, axis=1)
    return BestWords(functions * symbols + best, scores[np.arange(functions.size), best])


def _places(law: UeCompactLaw | CollisionLaw, functions: Integers, targets: Integers) -> tuple[Integers, Floats]:
    """Where functions send the targets; row z, column c: how often symbol c supports what is at z."""
    if isinstance(law, CollisionLaw):
        items = [law.item(key, level) for key in targets.tolist() for level in range(law.levels)]
        columns = [law.symbol(functions.astype(np.uint64), item) for item in items]
        return np.stack(columns, axis=1).astype(np.int64), np.eye(law.symbols)
    columns = [law.product(functions, np.full(1, key)) for key in targets.tolist()]
    says = np.zeros(law.q)
    for first in law.firsts:
        says[np.arange(first, first + law.r) % law.q] += 1
    residues = np.arange(law.q)
    return np.stack(columns, axis=1), says[(residues[:, None] + residues) % law.q]


def _planes(law: UeLaw, targets: Integers, liars: int, rng: Generator) -> Bytes:
    """All target bits say +; the others are as if nothing was sampled, so that their number looks honest."""
    fake = float(law.unsampled.other)
    signs = rng.choice(3, (liars, law.keys), p=[fake, fake, 1 - 2 * fake])
    signs[:, targets] = 0
    return _packed(signs)


def _packed(signs: Integers) -> Bytes:
    """Bit planes of signs: 0 means +, 1 means -, 2 means absent."""
    presence = np.packbits(signs < 2, axis=1, bitorder="little")  # noqa: PLR2004
    return np.concatenate([presence, np.packbits(signs == 0, axis=1, bitorder="little")], axis=1)
