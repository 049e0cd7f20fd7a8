"""What the cells of a tally count, and how reports are counted into them: one layout per kind of message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Bytes, Integers
from pckv.base.errors import ReportError, TallyError
from pckv.base.wire import BitPlanes, Words
from pckv.contract.task import Task
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.tally.counts import Counts
from pckv.tally.supports import count_supports, worth_compiling

# The largest number that a counter holds.
MAX_COUNT = 2**63 - 1


class Layout(Protocol):
    """The cells of a task's tallies."""

    @property
    def cells(self) -> int:
        """The number of counters."""

    @property
    def max_reports(self) -> int:
        """The most reports that can be counted without a counter that overflows."""

    @property
    def first_answer(self) -> int:
        """The cell of the first answer to the size question; the others follow."""

    def add(self, counts: Counts, messages: Any) -> None:
        """Count an array of messages, or raise a `ReportError` and count nothing."""

    def check(self, cells: Integers, counts: Integers, reports: int) -> None:
        """Raise a `TallyError` if no set of that many reports has these counts, zeros left out."""


class WordLayout:
    """One cell per word."""

    max_reports = MAX_COUNT

    def __init__(self, task: Task, message_format: Words) -> None:
        self.message_format = message_format
        self.cells = message_format.limit
        self.first_answer = task.law.word_limit or 0

    def add(self, counts: Counts, messages: Integers) -> None:
        try:
            counts.add(messages)
        except IndexError:
            raise out_of_range(messages, self.cells) from None

    def check(self, _cells: Integers, counts: Integers, reports: int) -> None:
        if int(counts.sum(dtype=object)) != reports:
            raise TallyError("not a tally: the counts do not add up to the reports")


class PlaneLayout:
    """Two cells per key: 2·key + (1 for +, 0 for -); one where keys have no values."""

    max_reports = MAX_COUNT

    def __init__(self, message_format: BitPlanes) -> None:
        self.message_format = message_format
        self.keys = message_format.keys
        self.cells = self.first_answer = message_format.planes * self.keys

    def add(self, counts: Counts, messages: Bytes) -> None:
        self.check_planes(messages)
        present, *signs = self.count_bits(messages).reshape(self.message_format.planes, -1)[:, : self.keys]
        levels = [present - sum(signs), *signs]
        counts.add_counts(np.arange(self.cells), np.stack(levels, axis=1).reshape(-1))

    def check_planes(self, rows: Bytes) -> None:
        """Refuse rows with signs where nothing is present, or bits beyond the last key."""
        for problem, wrong in plane_problems(rows, self.message_format):
            raise ReportError("bad_encoding", f"report {np.flatnonzero(wrong)[0]}: {problem}")

    def count_bits(self, rows: Bytes) -> Integers:
        """Return in how many rows each bit is set, least significant first."""
        width = rows.shape[1]
        rows_per_wide_row = max(1, WIDE_ROW // width)
        whole = rows.shape[0] // rows_per_wide_row * rows_per_wide_row
        wide = _count_columns(rows[:whole].reshape(-1, rows_per_wide_row * width))
        totals = wide.reshape(rows_per_wide_row, width, 8).sum(axis=0) + _count_columns(rows[whole:])
        return np.asarray(totals.reshape(-1))

    def check(self, cells: Integers, counts: Integers, reports: int) -> None:
        keys = cells // self.message_format.planes
        both = np.flatnonzero(keys[1:] == keys[:-1])
        alone = int(counts.max(initial=0))
        if max(alone, int((counts[both] + counts[both + 1]).max(initial=0))) > reports:
            raise TallyError("not a tally: a key has more counts than there are reports")


class SupportLayout:
    """One cell per item: how many reports support it. Then one for unused positions, and answers."""

    def __init__(self, law: CollisionLaw, answers: int) -> None:
        self.law = law
        # The cell of the unused positions.
        self.unused = law.items
        self.first_answer = law.items + 1
        self.cells = self.first_answer + answers
        # One report may support as many of the unused positions, which have one counter together.
        self.max_reports = MAX_COUNT // law.steps_per_report
        self._supports = 0

    def add(self, counts: Counts, messages: Integers) -> None:
        first, answers = self.law.word_limit, self.cells - self.first_answer
        if messages.size and int(messages.view(np.uint64).max()) >= first + answers:
            raise out_of_range(messages, first + answers)
        about_sizes = messages >= first
        about_pairs = messages[~about_sizes] if about_sizes.any() else messages
        # A tally of many reports will count more, even if few come at a time.
        self._supports += about_pairs.size * self.law.steps_per_report
        compiled = worth_compiling(self._supports)
        cells, supports = count_supports(self.law, about_pairs, compiled=compiled)
        counts.add_counts(cells, supports)
        counts.add(messages[about_sizes] - first + self.first_answer)

    def check(self, cells: Integers, counts: Integers, reports: int) -> None:
        end = int(np.searchsorted(cells, self.first_answer))
        pairs = reports - int(counts[end:].sum(dtype=object))
        items = counts[: np.searchsorted(cells, self.unused)]
        total, most = int(counts[:end].sum(dtype=object)), self.law.steps_per_report
        fewest = self.law.positions // self.law.symbols
        if int(items.max(initial=0)) > pairs or not fewest * pairs <= total <= most * pairs:
            raise TallyError("not a tally: the supports do not fit the number of reports")


def layout_of(task: Task) -> Layout:
    """Return how a task's reports are counted."""
    message_format, law = task.message_format, task.law
    if isinstance(message_format, BitPlanes):
        return PlaneLayout(message_format)
    if isinstance(law, CollisionLaw) and law.decodes_all:
        return SupportLayout(law, message_format.limit - law.word_limit)
    return WordLayout(task, message_format)


def out_of_range(words: Integers, limit: int) -> ReportError:
    """Return the error that names the first word that is none of the task's."""
    row = int(np.flatnonzero((words < 0) | (words >= limit))[0])
    return ReportError("out_of_range", f"report {row}: word {words[row]} is not below {limit}")


# A byte-wide column sum holds up to this many rows.
ROWS_PER_SUM = 255
# Short rows are laid side by side up to this width, so that column sums run at full speed.
WIDE_ROW = 4096


def plane_problems(bodies: Bytes, message_format: BitPlanes) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """What is wrong with some rows, and with which."""
    width, keys = message_format.plane_bytes, message_format.keys
    presence, sign = bodies[:, :width], bodies[:, width:]
    beyond = (presence[:, -1] & (0xFF & ~(0xFF >> (-keys % 8)))) > 0
    if beyond.any():
        yield f"a bit beyond the last of {keys} keys is set", beyond
    # Sign bits are a subset of presence bits exactly where OR changes nothing; without values there are none.
    if sign.size:
        stray = np.not_equal(presence | sign, presence)
        if stray.any():
            yield "a sign is set where nothing is present", stray.any(axis=1)


def _count_columns(rows: Bytes) -> NDArray[np.int64]:
    totals = np.zeros((rows.shape[1], 8), np.int64)
    for start in range(0, rows.shape[0], ROWS_PER_SUM):
        block = rows[start : start + ROWS_PER_SUM]
        for bit in range(8):
            totals[:, bit] += np.add.reduce(block >> bit & 1, axis=0, dtype=np.uint8)
    return totals
