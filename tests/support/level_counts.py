"""Counts of the levels of one key, drawn from the exact law of a law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from pckv.mechanisms.base import CountLaw
from pckv.tally.decode.support import KeySupport


def draw_levels(
    count_law: CountLaw, holders: Sequence[int], reports: int, collections: int, rng: Generator
) -> KeySupport:
    """Draw the counts of a key in many collections: `holders` is how many people hold it with each level."""
    levels, absent = range(count_law.holder.levels), reports - sum(holders)
    counts = np.zeros((len(levels), collections), np.int64)
    for own, people in [*enumerate(holders), (None, absent)]:
        support = count_law.absent if own is None else count_law.holder
        chances = np.array([float(support.own if level == own else support.other) for level in levels])
        if support.two_others:
            counts += np.stack([rng.binomial(people, chance, collections) for chance in chances])
        else:
            none = max(0.0, 1 - chances.sum())
            counts += rng.multinomial(people, [*chances, none], collections)[:, :-1].T
    return KeySupport(counts)
