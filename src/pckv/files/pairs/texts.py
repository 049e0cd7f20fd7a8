"""The texts that people hold, for a discovery: rows of a user and a key, without values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.base.population import Population
from pckv.base.progress import Progress, no_progress
from pckv.files.pairs.rows import ROWS_PER_BATCH, Columns, PairsSource
from pckv.files.pairs.sources import open_pairs
from pckv.files.spill import SpilledRecords
from pckv.mechanisms.discovery.prefix_tree import PrefixTree

# A user is identified by 128 bits of a hash; a row without a text that can be found has no number of one.
RECORD = np.dtype([("user", "<u8", (2,)), ("text", "<i4")])
NO_TEXT = -1

Records = NDArray[Any]


class HeldTexts:
    """All participants' texts in a file: in memory where there is room, else on disk by user.

    The columns `user` and `key` are those of users and of texts. A user without a text is still a participant.
    `name` is what messages call the file, where that is not its path.

    Attributes:
        texts: The different texts that can be found.
        left_out: How many rows have a text that cannot be found.
    """

    def __init__(  # noqa: PLR0917
        self,
        path: Path,
        tree: PrefixTree,
        user: str,
        key: str,
        progress: Progress = no_progress,
        name: str | None = None,
    ) -> None:
        # There is no third column: the keys stand in for it, and are not read as values.
        self._file = open_pairs(path, Columns(user, key, key), name)
        self._numbers: dict[str, int] = {}
        self.left_out = 0
        self._in_memory: list[Records] = []
        self._spilled = SpilledRecords(RECORD) if self._file.is_large else None
        rows = 0
        for records in self._read(self._file, tree, progress):
            rows += len(records)
            if self._spilled is None:
                self._in_memory.append(records)
            else:
                self._spilled.add(records, records["user"][:, 0])
        if not rows:
            raise self._file.error("no rows")
        self.texts = list(self._numbers)

    def _read(self, file: PairsSource, tree: PrefixTree, progress: Progress) -> Iterator[Records]:
        start = 0
        for users, keys, _ in file.read(ROWS_PER_BATCH, progress):
            nameless = users.rows_with("")
            if nameless.any():
                raise file.row_error(start + int(np.argmax(nameless)), "no user")
            numbers = np.array([self._number(tree.cut(text)) for text in keys.names], np.int32)
            records = np.zeros(users.codes.size, RECORD)
            records["user"] = users.hashes()
            records["text"] = numbers[keys.codes]
            self.left_out += int(((records["text"] == NO_TEXT) & ~keys.rows_with("")).sum())
            yield records
            start += len(records)

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
