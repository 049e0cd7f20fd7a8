"""A tally as bytes: one encoding per set of counts, with the task's digest and a checksum.

magic     8 bytes  "pckvtly1"
task     32 bytes  SHA-256 of the task's canonical JSON
reports   8 bytes  all integers are little-endian, signed, 64 bits
cells     8 bytes
nonzero   8 bytes  how many cells have a count
counts             sorted cells, then their counts, if 16·nonzero < 8·cells;
                   otherwise the counts of all cells
checksum 32 bytes  SHA-256 of everything before it
"""

from __future__ import annotations

import hashlib
import struct

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.errors import TallyError

MAGIC = b"pckvtly1"
_HEADER = struct.Struct("<8s32sqqq")
HEADER_BYTES = _HEADER.size
CHECKSUM_BYTES = 32
_INT64 = np.dtype("<i8")


def pack(task_digest: bytes, reports: int, cells: int, nonzero: Integers, counts: Integers) -> bytes:
    """Return the bytes of a tally, given its sorted cells with a count."""
    body = _HEADER.pack(MAGIC, task_digest, reports, cells, nonzero.size)
    if _is_sparse(nonzero.size, cells):
        body += nonzero.astype(_INT64).tobytes() + counts.astype(_INT64).tobytes()
    else:
        dense = np.zeros(cells, _INT64)
        dense[nonzero] = counts
        body += dense.tobytes()
    return body + hashlib.sha256(body).digest()


def unpack(data: bytes, task_digest: bytes, cells: int) -> tuple[int, Integers, Integers]:
    """Return reports, sorted cells with a count, and their counts."""
    if not data.startswith(MAGIC):
        raise TallyError("not a tally: it does not begin like one")
    body, checksum = data[:-CHECKSUM_BYTES], data[-CHECKSUM_BYTES:]
    if len(body) < _HEADER.size or hashlib.sha256(body).digest() != checksum:
        raise TallyError("not a tally: truncated or edited (the checksum does not match)")
    _, owner, reports, stored_cells, nonzero = _HEADER.unpack_from(body)
    if owner != task_digest:
        raise TallyError("a tally of another task")
    numbers = np.frombuffer(body[_HEADER.size :], _INT64) if (len(body) - _HEADER.size) % 8 == 0 else None
    sparse = _is_sparse(nonzero, cells)
    if stored_cells != cells or numbers is None or numbers.size != (2 * nonzero if sparse else cells):
        raise TallyError("not a tally: its size does not fit its header")
    if sparse:
        found, counts = numbers[:nonzero], numbers[nonzero:]
    else:
        found = np.flatnonzero(numbers)
        counts = numbers[found]
    in_order = found.size == nonzero and bool((np.diff(found) > 0).all())
    in_range = not nonzero or (found[0] >= 0 and found[-1] < cells and counts.min() > 0)
    if reports < 0 or not in_order or not in_range:
        raise TallyError("not a tally: cells out of order or counts out of range")
    return reports, found.astype(np.int64), counts.astype(np.int64)


def task_digest(data: bytes) -> bytes:
    """Return the digest of a tally's task, given at least its header; nothing else is checked."""
    if data[: len(MAGIC)] != MAGIC or len(data) < HEADER_BYTES:
        raise TallyError("not a tally: it does not begin like one")
    digest: bytes = _HEADER.unpack_from(data)[1]
    return digest


def _is_sparse(nonzero: int, cells: int) -> bool:
    return 16 * nonzero < 8 * cells
