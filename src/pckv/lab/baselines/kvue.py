"""KVUE (Sun et al., 2019), as the authors of PCKV ran it."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Floats
from pckv.lab.baselines.drawing import IndexModel


def kvue(model: IndexModel, epsilon: float, rng: Generator) -> tuple[Floats, Floats]:
    """Let each user report the state of the key that they drew: held with +, held with -, or not held."""
    e = math.exp(epsilon)
    truth, lie = e / (e + 2), 1 / (e + 2)
    drawn = model.draw(rng)
    asked = drawn.asked
    reported = rng.multinomial(drawn.plus, [truth, lie, lie])
    reported += rng.multinomial(drawn.minus, [lie, truth, lie])
    reported += rng.multinomial(drawn.absent, [lie, lie, truth])
    plus, minus = (
        np.clip((2 * reported[:, sign] - (1 - truth) * asked) / (3 * truth - 1), 0, asked) for sign in (0, 1)
    )
    held = plus + minus
    frequency = np.divide(held, asked, out=np.zeros(model.keys), where=asked > 0)
    mean = np.divide(plus - minus, held, out=np.zeros(model.keys), where=held > 0)
    return frequency, mean
