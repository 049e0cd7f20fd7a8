"""From counts to support: n1 and n2, the reports that support ⟨key, +⟩ and ⟨key, -⟩."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.channels import Channel
from pckv.tally.counts import Counts
from pckv.tally.decode import collision, ue_compact
from pckv.tally.tally import Tally

Cells = NDArray[np.int64]
# Takes the share that is done.
Progress = Callable[[float], None]
Decoder = Callable[[Any, Counts, Cells, Progress], tuple[Cells, Cells]]


class KeySupport(NamedTuple):
    """For some keys, how many reports support either sign."""

    plus: Cells
    minus: Cells


class DummySupport(NamedTuple):
    """How often reports support a dummy, either sign, and how many dummies they tell of: 0 where none."""

    total: int
    dummies: int


NO_DUMMIES = DummySupport(0, 0)


def key_support(tally: Tally, keys: Cells | None = None, progress: Progress = lambda _: None) -> KeySupport:
    """Decode all keys of a tally, or the ones asked for."""
    return decode(tally.task.channel, tally.counts, keys, progress)


def decode(
    channel: Channel, counts: Counts, keys: Cells | None = None, progress: Progress = lambda _: None
) -> KeySupport:
    """Decode the counts of a channel's reports."""
    numbers = np.arange(channel.rows) if keys is None else keys
    return KeySupport(*DECODERS[channel.name](channel, counts, numbers, progress))


def decode_all(
    channel: Channel, counts: Counts, progress: Progress = lambda _: None
) -> tuple[KeySupport, DummySupport]:
    """All keys, and the dummies where reports tell of them: they are numbered after the keys."""
    keys, dummies = channel.keys, counted_dummies(channel)
    plus, minus = decode(channel, counts, np.arange(keys + dummies), progress)
    total = int(plus[keys:].sum() + minus[keys:].sum())
    return KeySupport(plus[:keys], minus[:keys]), DummySupport(total, dummies)


def counted_dummies(channel: Channel) -> int:
    """How many dummies the reports of a channel tell of."""
    return DUMMIES[channel.name](channel) if channel.name in DUMMIES else 0


def _signed_cells(_: Channel, counts: Counts, keys: Cells, _progress: Progress) -> tuple[Cells, Cells]:
    return counts.take(2 * keys + 1), counts.take(2 * keys)


def _compact(channel: Any, counts: Counts, keys: Cells, _progress: Progress) -> tuple[Cells, Cells]:
    return ue_compact.support(channel, counts, keys)


def _buckets(_: Channel, counts: Counts, buckets: Cells, _progress: Progress) -> tuple[Cells, Cells]:
    # A word is a bucket, and buckets have no sign.
    return counts.take(buckets), np.zeros_like(buckets)


DECODERS: dict[str, Decoder] = {
    "ue": _signed_cells,
    "grr": _signed_cells,
    "ue-compact": _compact,
    "collision": collision.support,
    "buckets": _buckets,
}

# The mechanisms whose reports tell of dummies: in `ue-compact` all of them are one more key.
DUMMIES: dict[str, Callable[[Channel], int]] = {
    "grr": lambda channel: channel.padding,
    "ue-compact": lambda _: 1,
}
