"""Hostile reports about one key: the worst that can be done to its frequency or mean."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Bytes, Flags, Integers, Messages
from pckv.contract.task import Task
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw

# What a report says of a key: whether it supports + and -.
SAYINGS = {"nothing": (False, False), "plus": (True, False), "minus": (False, True), "both": (True, True)}
# Words that are tried at once, and how often.
WORDS_PER_TRY, MAX_TRIES = 2**14, 64


def possible_sayings(law: Law) -> tuple[str, ...]:
    """Return what a report can say of a key: both signs only where its law says so."""
    return tuple(says for says in SAYINGS if says != "both" or law.count_law.absent.own_and_other)


def steered_reports(task: Task, key: int, says: str, count: int, rng: Generator) -> Messages:
    """Return hostile reports that all say the same of a key: nothing, plus, minus or both.

    Words are found by trying random ones, as an attacker would who knows nothing but the task.
    """
    law = task.law
    plus, minus = SAYINGS[says]
    if isinstance(law, UeLaw):
        return _planes(law, key, count, plus=plus, minus=minus)
    found: list[Integers] = []
    for _ in range(MAX_TRIES):
        words = _candidates(law, key, plus=plus, minus=minus, rng=rng)
        supports_plus, supports_minus = _supports(law, words, key)
        found.append(words[(supports_plus == plus) & (supports_minus == minus)])
        if sum(each.size for each in found) >= count:
            return np.concatenate(found)[:count]
    raise ValueError(f"no report says {says} of key {key}")


def size_answers(task: Task, answer: int, count: int) -> Integers:
    """Return hostile answers to the size question, all the same."""
    return np.full(count, (task.law.word_limit or 0) + answer)


def _planes(law: UeLaw, key: int, count: int, *, plus: bool, minus: bool) -> Bytes:
    present, positive = np.zeros((2, count, law.keys), np.bool_)
    present[:, key], positive[:, key] = plus or minus, plus
    return np.concatenate([np.packbits(plane, axis=1, bitorder="little") for plane in (present, positive)], axis=1)


def _candidates(law: Law, key: int, *, plus: bool, minus: bool, rng: Generator) -> Integers:
    """Return random words; under `collision`, of the symbol that a function sends the wanted sign to."""
    if isinstance(law, CollisionLaw) and (plus or minus):
        functions = rng.integers(0, law.functions, WORDS_PER_TRY)
        symbols = law.symbol(functions.astype(np.uint64), law.item(key, int(plus)))
        return np.asarray(functions * law.symbols + symbols.astype(np.int64))
    return rng.integers(0, law.word_limit or 0, WORDS_PER_TRY)


def _supports(law: Law, words: Integers, key: int) -> tuple[Flags, Flags]:
    """Return which words support a key with sign +, and which with sign -."""
    if isinstance(law, UeCompactLaw):
        residues = law.residue(words, np.full(1, key))
        minus, plus = ((residues - first) % law.q < law.r for first in law.firsts)
    elif isinstance(law, CollisionLaw):
        functions, symbols = np.divmod(words.astype(np.uint64), np.uint64(law.symbols))
        plus, minus = (law.symbol(functions, law.item(key, sign)) == symbols for sign in (1, 0))
    else:
        plus, minus = words == 2 * key + 1, words == 2 * key
    return np.asarray(plus), np.asarray(minus)
