"""Words of reports that wait to be counted, as bytes: one encoding per set of words.

magic     8 bytes  "pckvwrd1"
task     32 bytes  SHA-256 of the task's canonical JSON
words              in ascending order, which hides the order of arrival; little-endian, signed, 64 bits
checksum 32 bytes  SHA-256 of everything before it
"""

from __future__ import annotations

import hashlib

import numpy as np

from pckv.arrays import Integers
from pckv.errors import TallyError
from pckv.tally.layouts import out_of_range
from pckv.tally.storage import CHECKSUM_BYTES
from pckv.task import Task

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
    """Return the words again; truncated or edited bytes, or another task's, are refused with a `TallyError`."""
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
