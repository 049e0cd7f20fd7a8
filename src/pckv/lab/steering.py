"""Hostile reports that say what an attacker wants of one key: the worst that can be done to its frequency or mean."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from pckv.arrays import Bytes, Flags, Integers, Messages
from pckv.channels import Channel
from pckv.channels.collision import CollisionChannel
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.task import Task

# What a report says of a key: whether it supports + and -.
SAYINGS = {"nothing": (False, False), "plus": (True, False), "minus": (False, True), "both": (True, True)}
# Words that are tried at once, and how often.
WORDS_PER_TRY, MAX_TRIES = 2**14, 64


def possible_sayings(channel: Channel) -> tuple[str, ...]:
    """Return what a report can say of a key: both signs only where its law says so."""
    return tuple(says for says in SAYINGS if says != "both" or channel.count_law.absent.own_and_other)


def steered_reports(task: Task, key: int, says: str, count: int, rng: Generator) -> Messages:
    """Return hostile reports that all say the same of a key: nothing, plus, minus or both.

    Words are found by trying random ones, as an attacker would who knows nothing but the task.
    """
    channel = task.channel
    plus, minus = SAYINGS[says]
    if isinstance(channel, UeChannel):
        return _planes(channel, key, count, plus=plus, minus=minus)
    found: list[Integers] = []
    for _ in range(MAX_TRIES):
        words = _candidates(channel, key, plus=plus, minus=minus, rng=rng)
        supports_plus, supports_minus = _supports(channel, words, key)
        found.append(words[(supports_plus == plus) & (supports_minus == minus)])
        if sum(each.size for each in found) >= count:
            return np.concatenate(found)[:count]
    raise ValueError(f"no report says {says} of key {key}")


def size_answers(task: Task, answer: int, count: int) -> Integers:
    """Return hostile answers to the size question, all the same."""
    return np.full(count, (task.channel.word_limit or 0) + answer)


def _planes(channel: UeChannel, key: int, count: int, *, plus: bool, minus: bool) -> Bytes:
    present, positive = np.zeros((2, count, channel.keys), np.bool_)
    present[:, key], positive[:, key] = plus or minus, plus
    return np.concatenate(
        [np.packbits(plane, axis=1, bitorder="little") for plane in (present, positive)], axis=1
    )


def _candidates(channel: Channel, key: int, *, plus: bool, minus: bool, rng: Generator) -> Integers:
    """Return random words; under `collision`, those of the symbol that a function sends the wanted sign to."""
    if isinstance(channel, CollisionChannel) and (plus or minus):
        functions = rng.integers(0, channel.functions, WORDS_PER_TRY)
        symbols = channel.symbol(functions.astype(np.uint64), channel.item(key, int(plus)))
        return np.asarray(functions * channel.symbols + symbols.astype(np.int64))
    return rng.integers(0, channel.word_limit or 0, WORDS_PER_TRY)


def _supports(channel: Channel, words: Integers, key: int) -> tuple[Flags, Flags]:
    """Return which words support a key with sign +, and which with sign -."""
    if isinstance(channel, UeCompactChannel):
        residues = channel.residue(words, np.full(1, key))
        minus, plus = ((residues - first) % channel.q < channel.r for first in channel.firsts)
    elif isinstance(channel, CollisionChannel):
        functions, symbols = np.divmod(words.astype(np.uint64), np.uint64(channel.symbols))
        plus, minus = (channel.symbol(functions, channel.item(key, sign)) == symbols for sign in (1, 0))
    else:
        plus, minus = words == 2 * key + 1, words == 2 * key
    return np.asarray(plus), np.asarray(minus)
