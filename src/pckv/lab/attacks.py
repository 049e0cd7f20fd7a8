"""Hostile reports as the literature makes them: by maximal gain, as random messages, and from random pairs.

After Cao, Jia and Gong (2021) and Wu et al. (2022). All want the target keys to look more frequent. Where a report
names a public function, a liar draws some and keeps the one that suits the targets best; with one draw they take what
a server's coin gives them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.arrays import Bytes, Floats, Integers, Messages
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.device.vectorised import perturb_many
from pckv.population import Population
from pckv.randomness import Source
from pckv.task import Task

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
    channel = task.channel
    if isinstance(channel, UeChannel):
        return _planes(channel, targets, liars, rng)
    if isinstance(channel, GrrChannel):
        return np.array([channel.word(int(key), channel.levels - 1) for key in rng.choice(targets, liars)])
    assert isinstance(channel, UeCompactChannel | CollisionChannel)  # noqa: S101
    found = []
    per_batch = max(1, FUNCTIONS_PER_BATCH // tries)
    for start in range(0, liars, per_batch):
        count = min(per_batch, liars - start)
        best = best_words(channel, rng.integers(0, channel.functions, count * tries), targets)
        chosen = np.argmax(best.supports.reshape(count, tries), axis=1) + np.arange(count) * tries
        found.append(best.words[chosen])
    return np.concatenate(found)


def same_word(task: Task, targets: Integers, liars: int, rng: Generator, tries: int) -> Integers:
    """Return the same report again and again: the best of all functions that were tried."""
    return np.full(liars, maximal_gain(task, targets, 1, rng, tries)[0])


def constant_function(channel: UeCompactChannel, liars: int) -> Integers:
    """Return the report of `ue-compact` that says the same of every key, and most: no search is needed for it."""
    return best_words(channel, np.zeros(liars, np.int64), np.zeros(1, np.int64)).words


def random_message(task: Task, liars: int, rng: Generator) -> Messages:
    """Return reports that are uniform over all that can be sent about pairs."""
    channel = task.channel
    if isinstance(channel, UeChannel):
        return _packed(rng.integers(0, 3, (liars, channel.keys)))
    return rng.integers(0, channel.word_limit or 0, liars)


def random_pair(task: Task, targets: Integers, liars: int, rng: Generator, source: Source) -> Messages:
    """Return honest reports of somebody who holds one random target with the largest value."""
    keys = rng.choice(targets, liars).astype(np.int32)
    population = Population(np.arange(liars + 1), keys, np.full(liars, task.high))
    return np.concatenate([batch.messages for batch in perturb_many(task, population, source)])


def best_words(
    channel: UeCompactChannel | CollisionChannel, functions: Integers, targets: Integers
) -> BestWords:
    """Return the best word for each of some functions."""
    places, supports = _places(channel, functions, targets)
    symbols = supports.shape[0]
    cells = np.arange(functions.size)[:, None] * symbols + places
    held = np.bincount(cells.ravel(), minlength=functions.size * symbols).reshape(-1, symbols)
    scores = held @ supports
    best = np.argmax(scores, axis=1)
    return BestWords(functions * symbols + best, scores[np.arange(functions.size), best])


def _places(
    channel: UeCompactChannel | CollisionChannel, functions: Integers, targets: Integers
) -> tuple[Integers, Floats]:
    """Where functions send the targets, and how often the word with symbol c supports what is sent to z: row z, column c."""
    if isinstance(channel, CollisionChannel):
        items = [channel.item(key, level) for key in targets.tolist() for level in range(channel.levels)]
        columns = [channel.symbol(functions.astype(np.uint64), item) for item in items]
        return np.stack(columns, axis=1).astype(np.int64), np.eye(channel.symbols)
    columns = [channel.product(functions, np.full(1, key)) for key in targets.tolist()]
    says = np.zeros(channel.q)
    for first in channel.firsts:
        says[np.arange(first, first + channel.r) % channel.q] += 1
    residues = np.arange(channel.q)
    return np.stack(columns, axis=1), says[(residues[:, None] + residues) % channel.q]


def _planes(channel: UeChannel, targets: Integers, liars: int, rng: Generator) -> Bytes:
    """All target bits say +, and all others are as if nothing had been sampled, so that their number looks honest."""
    fake = float(channel.unsampled.other)
    signs = rng.choice(3, (liars, channel.keys), p=[fake, fake, 1 - 2 * fake])
    signs[:, targets] = 0
    return _packed(signs)


def _packed(signs: Integers) -> Bytes:
    """Bit planes of signs: 0 means +, 1 means -, 2 means absent."""
    presence = np.packbits(signs < 2, axis=1, bitorder="little")  # noqa: PLR2004
    return np.concatenate([presence, np.packbits(signs == 0, axis=1, bitorder="little")], axis=1)
