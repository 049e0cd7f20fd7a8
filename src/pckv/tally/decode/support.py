"""From counts to support: n1 and n2, the reports that support ⟨key, +⟩ and ⟨key, -⟩."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pckv.arrays import Integers
from pckv.channels import Channel
from pckv.mechanisms import load_part
from pckv.progress import Progress, no_progress
from pckv.tally.counts import Counts
from pckv.tally.tally import Tally

Decoder = Callable[[Any, Counts, Integers, Progress], tuple[Integers, Integers]]


class KeySupport(NamedTuple):
    """For some keys, how many reports support either sign."""

    plus: Integers
    minus: Integers


class DummySupport(NamedTuple):
    """How often reports support a dummy, either sign, and how many dummies they tell of: 0 where none."""

    total: int
    dummies: int


NO_DUMMIES = DummySupport(0, 0)


def key_support(tally: Tally, keys: Integers | None = None, progress: Progress = no_progress) -> KeySupport:
    """Decode all keys of a tally, or the ones asked for."""
    return decode(tally.task.channel, tally.counts, keys, progress)


def decode(
    channel: Channel, counts: Counts, keys: Integers | None = None, progress: Progress = no_progress
) -> KeySupport:
    """Decode the counts of a channel's reports."""
    numbers = np.arange(channel.keys) if keys is None else keys
    decoder: Decoder = load_part(channel.name, "decoder")
    return KeySupport(*decoder(channel, counts, numbers, progress))


def decode_all(
    channel: Channel, counts: Counts, progress: Progress = no_progress
) -> tuple[KeySupport, DummySupport]:
    """All keys, and the dummies where reports tell of them: they are numbered after the keys."""
    keys, dummies = channel.keys, channel.counted_dummies
    plus, minus = decode(channel, counts, np.arange(keys + dummies), progress)
    total = int(plus[keys:].sum() + minus[keys:].sum())
    return KeySupport(plus[:keys], minus[:keys]), DummySupport(total, dummies)
