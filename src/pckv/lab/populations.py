"""Made-up populations, repeatable from a seed."""

from __future__ import annotations

import numpy as np

from pckv.population import Population


def zipf_population(
    *, users: int, keys: int, pairs: int, low: float, high: float, seed: int, exponent: float = 1.1
) -> Population:
    """Everybody holds 1 to `pairs` distinct keys, popular ones more often.

    Key k is drawn with weight (k + 1)^-exponent; its values scatter about a mean of its own.
    """
    rng = np.random.default_rng(seed)
    logits = -exponent * np.log(np.arange(1, keys + 1))
    means = rng.uniform(-0.9, 0.9, keys)
    sizes = rng.integers(1, min(pairs, keys) + 1, users)
    # The largest of logit + Gumbel noise are a weighted sample without replacement.
    ranked = np.argsort(-(logits + rng.gumbel(size=(users, keys))), axis=1)[:, : sizes.max()]
    held = ranked[np.arange(sizes.max()) < sizes[:, None]]
    values = np.clip(means[held] + rng.normal(0, 0.3, held.size), -1, 1)
    offsets = np.r_[0, np.cumsum(sizes)]
    return Population(offsets, held.astype(np.int64), low + (values + 1) / 2 * (high - low))
