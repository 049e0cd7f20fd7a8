"""From counts to support: n1 and n2, the reports that support ⟨key, +⟩ and ⟨key, -⟩."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.channels import Channel
from pckv.tally import Tally, collision, compact
from pckv.tally.counts import Counts

Cells = NDArray[np.int64]
# Takes the share that is done.
Progress = Callable[[float], None]
Decoder = Callable[[Any, Counts, Cells, Progress], tuple[Cells, Cells]]


class KeySupport(NamedTuple):
    """For some keys, how many reports support either sign."""

    plus: Cells
    minus: Cells


def key_support(tally: Tally, keys: Cells | None = None, progress: Progress = lambda _: None) -> KeySupport:
    """Decode all keys of a tally, or the ones asked for."""
    return decode(tally.task.channel, tally.counts, keys, progress)


def decode(
    channel: Channel, counts: Counts, keys: Cells | None = None, progress: Progress = lambda _: None
) -> KeySupport:
    """Decode the counts of a channel's reports."""
    numbers = np.arange(channel.rows) if keys is None else keys
    return KeySupport(*DECODERS[channel.name](channel, counts, numbers, progress))


def _signed_cells(_: Channel, counts: Counts, keys: Cells, _progress: Progress) -> tuple[Cells, Cells]:
    return counts.take(2 * keys + 1), counts.take(2 * keys)


def _compact(channel: Any, counts: Counts, keys: Cells, _progress: Progress) -> tuple[Cells, Cells]:
    return compact.support(channel, counts, keys)


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
