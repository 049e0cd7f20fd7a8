"""The texts that people hold, for a discovery: rows of a user and a key, without values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.base.population import Population
from pckv.base.progress import Progress, no_progress
from pckv.files.pairs.rows import ROWS_PER_BATCH, PairsSource
from pckv.files.spill import SpilledRecords
from pckv.mechanisms.discovery.prefix_tree import PrefixTree

# A user is identified by 128 bits of a hash; a row without a text that can be found has no number of one.
RECORD = np.dtype([("user", "<u8", (2,)), ("text", "<i4")])
NO_TEXT = -1

Records = NDArray[Any]


class HeldTexts:
    """All participants' texts in a source: in memory where there is room, else on disk by user.

    A user without a text is still a participant.

    Attributes:
        texts: The different texts that can be found.
        left_out: How many rows have a text that cannot be found.
    """

    def __init__(self, file: PairsSource, tree: PrefixTree, progress: Progress = no_progress) -> None:
        self._numbers: dict[str, int] = {}
        self.left_out = 0
        self._in_memory: list[Records] = []
        self._spilled = SpilledRecords(RECORD) if file.is_large else None
        for records in self._read(file, tree, progress):
            if self._spilled is None:
                self._in_memory.append(records)
            else:
                self._spilled.add(records, records["user"][:, 0])
        if not file.findings.rows:
            raise file.error("no rows")
        self.texts = list(self._numbers)

    def _read(self, file: PairsSource, tree: PrefixTree, progress: Progress) -> Iterator[Records]:
        for _, users, keys, *_ in file.read(ROWS_PER_BATCH, progress):
            numbers = np.array([self._number(tree.cut(text)) for text in keys.names], np.int32)
            records = np.zeros(users.codes.size, RECORD)
            records["user"] = users.hashes()
            records["text"] = numbers[keys.codes]
            self.left_out += int(((records["text"] == NO_TEXT) & ~keys.rows_with("")).sum())
            yield records

    def _number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers)) if text else NO_TEXT

    def populations(self) -> Iterator[Population]:
        """Yield the participants, some at a time; their keys are numbers of `texts`. Works once."""
        if self._spilled is None:
            records, self._in_memory = np.concatenate(self._in_memory), []
            yield _population(records)
            return
        with closing(self._spilled) as spilled:
            yield from map(_population, spilled.read())


def _population(records: Records) -> Population:
    """Return the users of records, each with every text once."""
    users = records["user"]
    records = records[np.lexsort((records["text"], users[:, 0], users[:, 1]))]
    users, texts = records["user"], records["text"]
    new_user = np.ones(len(records), np.bool_)
    new_user[1:] = (users[1:] != users[:-1]).any(axis=1)
    new_text = new_user.copy()
    new_text[1:] |= texts[1:] != texts[:-1]
    held = new_text & (texts != NO_TEXT)
    owners = np.cumsum(new_user) - 1
    sizes = np.bincount(owners[held], minlength=int(new_user.sum()))
    return Population(np.append(0, np.cumsum(sizes)), texts[held], np.ones(int(held.sum())))
