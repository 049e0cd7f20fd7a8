"""Parts: some of a task's reports, as a tally or as words that wait to be counted, and how parts become one.

Words that wait to be counted are stored as bytes, with one encoding per set of words:

magic     8 bytes  "pckvwrd1"
task     32 bytes  SHA-256 of the task's canonical JSON
words              in ascending order, which hides the order of arrival; little-endian, signed, 64 bits
checksum 32 bytes  SHA-256 of everything before it
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.errors import TallyError
from pckv.contract.task import Task
from pckv.store.base import Part, PartSummary
from pckv.tally import Tally
from pckv.tally.counts import SparseCounts
from pckv.tally.layouts import Layout, SupportLayout, WordLayout, layout_of, out_of_range
from pckv.tally.storage import CHECKSUM_BYTES

MAGIC = b"pckvwrd1"
_HEADER_BYTES = len(MAGIC) + 32
_INT64 = np.dtype("<i8")


def are_words(content: bytes) -> bool:
    """Return whether the content of a part is words, and not a tally."""
    return content[: len(MAGIC)] == MAGIC


def pack_words(task: Task, words: Integers) -> bytes:
    """Return words as bytes, or raise a `ReportError` that names the first that is none of the task's."""
    limit = task.word_limit or 0
    in_order = np.sort(words)
    if in_order.size and not 0 <= in_order[0] <= in_order[-1] < limit:
        raise out_of_range(words, limit)
    body = MAGIC + task.digest + in_order.astype(_INT64).tobytes()
    return body + hashlib.sha256(body).digest()


def unpack_words(task: Task, content: bytes) -> Integers:
    """Return the words again; damaged bytes, or another task's, are refused with a `TallyError`."""
    body, checksum = content[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
    if len(body) < _HEADER_BYTES or hashlib.sha256(body).digest() != checksum:
        raise TallyError("not words of reports: truncated or edited (the checksum does not match)")
    if body[len(MAGIC) : _HEADER_BYTES] != task.digest:
        raise TallyError("words of another task's reports")
    if (len(body) - _HEADER_BYTES) % _INT64.itemsize:
        raise TallyError("not words of reports: part of a word is missing")
    words = np.frombuffer(body, _INT64, offset=_HEADER_BYTES).astype(np.int64)
    if not bool((words[1:] >= words[:-1]).all()):
        raise TallyError("not words of reports: they are out of order")
    if words.size and not 0 <= words[0] <= words[-1] < (task.word_limit or 0):
        raise TallyError("not words of reports: a word is out of range")
    return words


# With this many cells per count, sorting is cheaper than looking through all cells.
CELLS_FOR_SORTING = 16
# The size of one count in a part in which few cells have one, and of one among all cells.
BYTES_PER_COUNT, BYTES_PER_CELL = 16, 8
# Words are counted once this many wait: counting that many costs about as much as writing the tally of the
# largest tasks, and an estimate that finds fewer counts them at once.
MIN_REPORTS_TO_COUNT = 1024
# The counters that one compaction may increase, some seconds of work: a collector that stops waits for it.
MAX_INCREMENTS = 2**30
# Words that are counted together.
WORDS_AT_ONCE = 2**18


class Compaction(NamedTuple):
    """The parts to merge now, their total size when counted, and whether to count their words."""

    numbers: list[int]
    size: int
    counts_words: bool


def new_part(task: Task, bodies: Sequence[bytes]) -> Part:
    """Return reports as they are committed, given their bodies.

    Where a report increases thousands of counters its word waits: counting must not hold a commit up.
    """
    messages = task.message_format.to_array(b"".join(bodies))
    layout = layout_of(task)
    if isinstance(layout, SupportLayout):
        return Part(len(bodies), len(bodies), pack_words(task, messages.view(np.int64)))
    tally = _empty(task, layout, len(bodies))
    tally.add_many(messages)
    return tally_part(tally)


def tally_part(tally: Tally) -> Part:
    """Return a tally as a part."""
    return Part(tally.reports, 0, bytes(tally))


def _empty(task: Task, layout: Layout, counts: float) -> Tally:
    """Return an empty tally, in the form that is cheaper for about this many counts."""
    sparse = isinstance(layout, WordLayout) and layout.cells > CELLS_FOR_SORTING * counts
    return Tally(task, SparseCounts(layout.cells) if sparse else None, layout)


def choose_compaction(task: Task, parts: Sequence[PartSummary], *, fully: bool = False) -> Compaction:
    """Return which parts to merge now: all, or those that are worth it.

    Words are merged with each other until enough wait to be counted. Then they are counted, and added to the
    tallies that are not larger than all smaller ones together.
    """
    layout = layout_of(task)
    waiting = [part for part in parts if part.uncounted]
    if fully:
        numbers = [part.number for part in parts] if waiting or len(parts) > 1 else []
        return _compaction(layout, parts, numbers, counts_words=True)
    if 0 < sum(part.uncounted for part in waiting) < MIN_REPORTS_TO_COUNT:
        numbers = _worth_merging(waiting, 0)
        return _compaction(layout, parts, numbers, counts_words=False)
    counted_now = _first_to_count(layout, waiting)
    size = sum(_counted_size(layout, part) for part in counted_now)
    tallies = [part for part in parts if not part.uncounted]
    numbers = [part.number for part in counted_now] + _worth_merging(tallies, size)
    return _compaction(layout, parts, numbers, counts_words=True)


def _compaction(layout: Layout, parts: Sequence[PartSummary], numbers: list[int], *, counts_words: bool) -> Compaction:
    chosen = set(numbers)
    size = sum(_counted_size(layout, part) for part in parts if part.number in chosen)
    return Compaction(numbers, size, counts_words)


def _first_to_count(layout: Layout, waiting: Sequence[PartSummary]) -> list[PartSummary]:
    """Return the first parts of words, as many as one compaction may count, and at least one."""
    if not isinstance(layout, SupportLayout):
        return list(waiting)
    increments = np.cumsum([part.uncounted * layout.law.steps_per_report for part in waiting])
    return list(waiting[: max(1, int(np.searchsorted(increments, MAX_INCREMENTS, side="right")))])


def _counted_size(layout: Layout, part: PartSummary) -> int:
    """Return the size in bytes of a part, as a tally."""
    if not part.uncounted or not isinstance(layout, SupportLayout):
        return part.size
    counts = part.uncounted * layout.law.steps_per_report
    return min(BYTES_PER_COUNT * counts, BYTES_PER_CELL * layout.cells)


def _worth_merging(parts: Sequence[PartSummary], smaller: int) -> list[int]:
    """Return the smallest parts, up to the last that is not larger than all smaller ones together.

    So a large part is only written again when as much has come in since, and the sizes of the remaining parts
    at least double from one to the next: few parts, and few writes per report. `smaller` is the size of what
    is merged in any case.
    """
    ascending = sorted(parts, key=lambda part: (part.size, part.number))
    chosen = 0
    for rank, part in enumerate(ascending, 1):
        if part.size <= smaller:
            chosen = rank
        smaller += part.size
    return [part.number for part in ascending[:chosen]]


def compact_parts(task: Task, contents: Iterable[bytes], compaction: Compaction) -> Part:
    """Return the one part that the chosen parts become."""
    if compaction.counts_words:
        return tally_part(merge_parts(task, contents, compaction.size))
    words = np.concatenate([np.zeros(0, np.int64), *(unpack_words(task, content) for content in contents)])
    return Part(words.size, words.size, pack_words(task, words))


def merge_parts(task: Task, contents: Iterable[bytes], size: float = math.inf) -> Tally:
    """Return the tally that parts add up to; `size` is their total size in bytes."""
    total = _empty(task, layout_of(task), size / BYTES_PER_COUNT)
    add_parts(total, contents)
    return total


def add_parts(total: Tally, contents: Iterable[bytes]) -> None:
    """Add parts to a tally; words of many parts are counted together, which costs less."""
    waiting: list[Integers] = []
    for content in contents:
        if not are_words(content):
            total.merge_bytes(content)
            continue
        waiting.append(unpack_words(total.task, content))
        if sum(words.size for words in waiting) >= WORDS_AT_ONCE:
            total.add_many(np.concatenate(waiting))
            waiting = []
    if waiting:
        total.add_many(np.concatenate(waiting))
