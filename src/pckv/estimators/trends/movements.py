"""How a key's level may move over the rounds: not at all, a little in every round, or once (proofs/trends.md).

A movement is a variance of the level's step into every round, relative to the noise of a typical round. Movements of one
kind differ in nothing but when the level shifts, and share one weight, which is learned from all keys together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats, Integers

# Variances of a step, relative to that of the noise of one round. Over T rounds a drift below 1/T² cannot be told from
# none, and one above the largest makes smoothed estimates those of single rounds.
DRIFTS = tuple(4.0**power for power in range(-6, 5))
SHIFTS = (4.0, 64.0, 1024.0)
# Before anything is learned, this many keys are imagined: a third of them still, a third drifting, a third shifting.
IMAGINED_KEYS = 10
# The weights change by less than this, of all keys, in a step of the iteration that is the last.
CLOSE = 1e-4
MAX_STEPS = 200


class Movements(NamedTuple):
    """All movements: the relative variance of every step, one row each, and the kind that each is of."""

    steps: Floats
    kind: Integers

    @property
    def kinds(self) -> int:
        """How many kinds there are."""
        return int(self.kind[-1]) + 1


@lru_cache(maxsize=64)
def movements(gaps: tuple[int, ...]) -> Movements:
    """Return the movements over rounds that are this many rounds apart."""
    apart = np.array(gaps, np.float64)
    steps, kind = [np.zeros((1, apart.size))], [0]
    if apart.size:
        steps += [drift * apart[None] for drift in DRIFTS]
        kind += range(1, len(DRIFTS) + 1)
        for size in SHIFTS:
            steps.append(size * np.eye(apart.size))
            kind += [kind[-1] + 1] * apart.size
    return Movements(np.concatenate(steps), np.array(kind))


class Chances(NamedTuple):
    """Every key's chances of the movements, by movement and key: of all, and if the key is taken to drift."""

    of_all: Floats
    if_drifting: Floats


def learn_chances(likelihood: Floats, moved: Movements) -> Chances:
    """Return every key's chances of the movements, given their log likelihoods, by movement and key.

    The weights of the kinds are learned by expectation and maximisation on the marginal likelihood, with a few imagined
    keys, so that a single key is not taken for certain. Within a kind all movements have the same weight.
    """
    sizes = np.bincount(moved.kind)
    relative = np.exp(likelihood - likelihood.max(axis=0)) / sizes[moved.kind][:, None]
    first = np.searchsorted(moved.kind, np.arange(moved.kinds))
    weights = _learned_weights(np.add.reduceat(relative, first, axis=0))
    of_all = _normalised(weights[moved.kind][:, None] * relative)
    return Chances(of_all, _chances_if_drifting(likelihood, moved, weights))


def _learned_weights(likelihood: Floats) -> Floats:
    """Return the weights of the kinds, given their likelihoods by kind and key."""
    prior = _prior(len(likelihood))
    weights = prior
    for _ in range(MAX_STEPS):
        found = _normalised(weights[:, None] * likelihood).sum(axis=1) + IMAGINED_KEYS * prior
        before, weights = weights, found / found.sum()
        if np.abs(weights - before).max() < CLOSE:
            break
    return weights


def _chances_if_drifting(likelihood: Floats, moved: Movements, weights: Floats) -> Floats:
    """Return the chances of the drifts alone: half of their weights are learned, and half are equal.

    Where few keys drift among many that do not, the learned weights are those of drifts too small to be seen.
    """
    drifts = slice(1, len(DRIFTS) + 1) if moved.kinds > 1 else slice(0, 1)
    learned = weights[drifts] / weights[drifts].sum()
    mixed = (learned + 1 / learned.size) / 2
    relative = np.exp(likelihood[drifts] - likelihood[drifts].max(axis=0))
    chances = np.zeros_like(likelihood)
    chances[drifts] = _normalised(mixed[:, None] * relative)
    return chances


def _normalised(chances: Floats) -> Floats:
    return np.asarray(chances / chances.sum(axis=0))


def _prior(kinds: int) -> Floats:
    if kinds == 1:
        return np.ones(1)
    return np.repeat([1 / 3, 1 / 3 / len(DRIFTS), 1 / 3 / len(SHIFTS)], [1, len(DRIFTS), len(SHIFTS)])
