"""From counts to support: n1 and n2, the reports that support ⟨key, +⟩ and ⟨key, -⟩."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.channels import Channel
from pckv.tally import Tally, compact
from pckv.tally.counts import Counts

Cells = NDArray[np.int64]


class KeySupport(NamedTuple):
    """For some keys, how many reports support either sign."""

    plus: Cells
    minus: Cells


def key_support(tally: Tally, keys: Cells | None = None) -> KeySupport:
    """Decode all keys of a tally, or the ones asked for."""
    return decode(tally.task.channel, tally.counts, keys)


def decode(channel: Channel, counts: Counts, keys: Cells | None = None) -> KeySupport:
    """Decode the counts of a channel's reports."""
    numbers = np.arange(channel.keys) if keys is None else keys
    return KeySupport(*DECODERS[channel.name](channel, counts, numbers))


def _signed_cells(_: Channel, counts: Counts, keys: Cells) -> tuple[Cells, Cells]:
    return counts.take(2 * keys + 1), counts.take(2 * keys)


DECODERS: dict[str, Callable[[Any, Counts, Cells], tuple[Cells, Cells]]] = {
    "ue": _signed_cells,
    "grr": _signed_cells,
    "ue-compact": compact.support,
}
