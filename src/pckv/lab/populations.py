"""Synthetic populations, repeatable from a seed; values are on [-1, 1]."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.lab.dataset import Dataset

Drawn = TypeVar("Drawn", NDArray[np.int64], NDArray[np.float64])

# The figures of MovieLens 20M, which `movielike` has too.
MOVIE_USERS, MOVIE_KEYS = 138_493, 26_744
# Users drawn together, so that the work space stays small.
USERS_PER_BLOCK = 2000


def uniform(users: int, keys: int, rng: Generator) -> Dataset:
    """The paper's: one pair each, keys uniform, key means uniform on [-1, 1], every value its key's mean."""
    return _single_pairs("uniform", rng.integers(0, keys, users), rng.uniform(-1, 1, keys))


def gaussian(users: int, keys: int, rng: Generator, key_scale: float = 50) -> Dataset:
    """The paper's: one pair each, key ⌈|50·N(0, 1)|⌉, key means N(0, 1), redrawn outside their domains."""

    def draw_keys(count: int) -> NDArray[np.int64]:
        return np.ceil(np.abs(key_scale * rng.standard_normal(count))).astype(np.int64)

    held = _drawn_again(draw_keys, users, lambda key: key > keys)
    means = _drawn_again(rng.standard_normal, keys, lambda mean: np.abs(mean) > 1)
    return _single_pairs("gaussian", np.maximum(held, 1) - 1, means)


def zipf(users: int, keys: int, rng: Generator, pairs: int = 1, exponent: float = 1.1) -> Dataset:
    """Each person holds `pairs` distinct keys, weighed (k + 1)^-exponent; values scatter about key means."""
    return zipf_sets(np.full(users, pairs), keys, rng, exponent)


def zipf_sets(sizes: NDArray[np.int64], keys: int, rng: Generator, exponent: float = 1.1) -> Dataset:
    """Each person holds as many distinct keys as `sizes` says; all else as in `zipf`."""
    return weighted_sets("zipf", sizes, np.arange(1.0, keys + 1) ** -exponent, rng)


def weighted_sets(name: str, sizes: NDArray[np.int64], weights: Floats, rng: Generator) -> Dataset:
    """Each person holds `sizes` distinct keys, drawn by weight; values scatter about key means."""
    keys = weights.size
    for size in (int(sizes.min(initial=0)), int(sizes.max(initial=0))):
        if not 0 <= size <= keys:
            raise ParameterError(f"pairs must be at least 0 and at most the number of keys, not {size}")
    held = _weighted_sets(sizes, weights, rng)
    means = rng.uniform(-0.9, 0.9, keys)
    values = np.clip(means[held] + rng.normal(0, 0.3, held.size), -1, 1)
    return _dataset(name, sizes, held, values, keys)


def movielike(rng: Generator, users: int = MOVIE_USERS, keys: int = MOVIE_KEYS) -> Dataset:
    """Synthetic, with the figures of MovieLens 20M: sizes, popularity, means and rounded values.

    Sizes are 20 + lognormal(3.85, 1.25), popularity ∝ (rank + 30)^-1.25 without replacement, key means
    N(.2, .28) clipped, values about them with standard deviation .5, in quarter steps.
    """
    sizes = np.minimum(20 + rng.lognormal(3.85, 1.25, users), keys / 2).astype(np.int64)
    weights = np.asarray((np.arange(keys) + 30.0) ** -1.25, np.float64)
    held = _weighted_sets(sizes, weights, rng)
    means = np.clip(rng.normal(0.2, 0.28, keys), -1, 1)
    values = np.clip(np.round((means[held] + rng.normal(0, 0.5, held.size)) * 4) / 4, -1, 1)
    return _dataset("movielike", sizes, held, values, keys)


def _drawn_again(draw: Callable[[int], Drawn], count: int, outside: Callable[[Drawn], Flags]) -> Drawn:
    drawn = draw(count)
    while (wrong := np.flatnonzero(outside(drawn))).size:
        drawn[wrong] = draw(wrong.size)
    return drawn


def _single_pairs(name: str, held: NDArray[np.int64], means: Floats) -> Dataset:
    return _dataset(name, np.ones(held.size, np.int64), held, means[held], means.size)


def _dataset(name: str, sizes: NDArray[np.int64], held: NDArray[np.int64], values: Floats, keys: int) -> Dataset:
    offsets = np.zeros(sizes.size + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return Dataset(name, Population(offsets, held.astype(np.int32), values), keys, -1.0, 1.0)


def _weighted_sets(sizes: NDArray[np.int64], weights: Floats, rng: Generator) -> NDArray[np.int64]:
    """For every user a set of distinct keys, drawn one after another by weight."""
    edges = np.cumsum(weights / weights.sum())
    sets = [
        _weighted_block(sizes[start : start + USERS_PER_BLOCK], edges, rng)
        for start in range(0, sizes.size, USERS_PER_BLOCK)
    ]
    return np.concatenate(sets) if sets else np.zeros(0, np.int64)


def _weighted_block(sizes: NDArray[np.int64], edges: Floats, rng: Generator) -> NDArray[np.int64]:
    # Drawing with replacement until enough distinct keys came up, in the order they came up first,
    # is drawing without replacement.
    keys = edges.size
    owners, kept = np.zeros(0, np.int64), np.zeros(0, np.int64)
    missing = sizes.copy()
    while missing.any():
        again = np.repeat(np.arange(sizes.size), missing + missing // 2)
        drawn = np.minimum(np.searchsorted(edges, rng.random(again.size), side="right"), keys - 1)
        owners, kept = np.concatenate([owners, again]), np.concatenate([kept, drawn])
        first = np.sort(np.unique(owners * keys + kept, return_index=True)[1])
        owners, kept = owners[first], kept[first]
        order = np.argsort(owners, kind="stable")
        owners, kept = owners[order], kept[order]
        rank = np.arange(owners.size) - np.searchsorted(owners, owners)
        fits = rank < sizes[owners]
        owners, kept = owners[fits], kept[fits]
        missing = sizes - np.bincount(owners, minlength=sizes.size)
    return kept
