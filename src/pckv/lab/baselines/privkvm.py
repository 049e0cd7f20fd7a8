"""PrivKVM (Ye et al., 2019), as the authors of PCKV ran it."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Floats
from pckv.lab.baselines.drawing import IndexModel

VIRTUAL_ROUNDS = 5
COIN = 0.5


def privkvm(model: IndexModel, epsilon: float, rng: Generator, rounds: int = 1) -> tuple[Floats, Floats]:
    """Frequency from the first round, mean from the last; ε/2 for keys, ε/2 over all rounds' values."""
    key_truth = _truth(epsilon / 2)
    value_truth = _truth(epsilon / (2 * rounds))
    frequency, mean = _round(model, np.zeros(model.keys), key_truth, value_truth, rng)
    for _ in range(rounds - 1):
        # The key has no budget left: whether the bit is 1 is a coin.
        _, mean = _round(model, mean, COIN, value_truth, rng)
    return frequency, mean


def privkvm_virtual(model: IndexModel, epsilon: float, rng: Generator) -> tuple[Floats, Floats]:
    """One real round and five virtual ones (1r5v).

    The virtual rounds' formula is a reconstruction, as the original is not public: it repeats what a
    further round would do to the mean in expectation, and shows the behaviour the paper describes.
    """
    frequency, mean = privkvm(model, epsilon, rng)
    truth = _truth(epsilon / 2)
    f = np.clip(frequency, 1 / max(model.users, 1), 1)
    genuine = f * truth / (f * truth + (1 - f) * (1 - truth))
    grown = mean * (1 - (1 - genuine) ** (VIRTUAL_ROUNDS + 1)) / genuine
    return frequency, np.clip(grown, -1, 1)


def _truth(epsilon: float) -> float:
    """The chance to answer truly under randomized response."""
    return 1 / (1 + math.exp(-epsilon))


def _round(
    model: IndexModel, previous: Floats, key_truth: float, value_truth: float, rng: Generator
) -> tuple[Floats, Floats]:
    drawn = model.draw(rng)
    # Those who do not hold the key and say they do discretise the mean of the previous round.
    fake = rng.binomial(drawn.absent, 1 - key_truth)
    fake_plus = rng.binomial(fake, (1 + previous) / 2)
    truly_plus = rng.binomial(drawn.plus, key_truth) + fake_plus
    truly_minus = rng.binomial(drawn.minus, key_truth) + fake - fake_plus
    plus = rng.binomial(truly_plus, value_truth) + rng.binomial(truly_minus, 1 - value_truth)
    total = truly_plus + truly_minus
    answered = total > 0
    frequency, mean = np.zeros(model.keys), previous.copy()
    if key_truth > COIN:
        share = total[answered] / drawn.asked[answered]
        frequency[answered] = (key_truth - 1 + share) / (2 * key_truth - 1)
    calibrated_plus, calibrated_minus = (
        np.clip(((value_truth - 1) * total + count) / (2 * value_truth - 1), 0, total)
        for count in (plus, total - plus)
    )
    mean[answered] = np.clip((calibrated_plus - calibrated_minus)[answered] / total[answered], -1, 1)
    return frequency, mean
