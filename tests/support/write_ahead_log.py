"""Reading SQLite's write-ahead log as an attacker with a copy would: commits and their pages.

https://sqlite.org/fileformat2.html#walformat: a header of 32 bytes, then frames: 24 bytes, of which bytes 4-8 are the
size of the database in pages if the frame ends a commit, else 0; then the page.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
COIN_BYTES = 16
_PAGE_SIZE = struct.Struct(">I")
_FRAME = struct.Struct(">II")


class LoggedPage(NamedTuple):
    """A page as some commit wrote it."""

    number: int
    content: bytes


def read_commits(log: Path) -> Iterator[list[LoggedPage]]:
    """Yield the pages of each commit in the log, also of those that a checkpoint has copied to the file."""
    data = log.read_bytes() if log.exists() else b""
    if len(data) < HEADER_BYTES:
        return
    (page_size,) = _PAGE_SIZE.unpack_from(data, 8)
    pages: list[LoggedPage] = []
    for start in range(HEADER_BYTES, len(data) - page_size, FRAME_HEADER_BYTES + page_size):
        number, size_after_commit = _FRAME.unpack_from(data, start)
        content_start = start + FRAME_HEADER_BYTES
        pages.append(LoggedPage(number, data[content_start : content_start + page_size]))
        if size_after_commit:
            yield pages
            pages = []


def links(log: Path, invitations: Collection[bytes], reports: Collection[bytes]) -> list[tuple[set[bytes], set[bytes]]]:
    """Return, for each commit in the log, the invitations that it changed and the reports that it added.

    Comparing a page with its earlier version in the log shows that. Of a page's first version in the log,
    everything counts as new.
    """
    earlier: dict[int, bytes] = {}
    found = []
    for pages in read_commits(log):
        changed: set[bytes] = set()
        added: set[bytes] = set()
        for number, content in pages:
            before = earlier.get(number, b"")
            changed |= {key for key in invitations if _row(content, key) not in (None, _row(before, key))}
            added |= {key for key in reports if key in content and key not in before}
            earlier[number] = content
        found.append((changed, added))
    return found


def _row(page: bytes, invitation: bytes) -> bytes | None:
    """Return what a page says of an invitation: whether it is spent, before its hash, and its coin, after it."""
    place = page.find(invitation)
    return None if place < 0 else page[place - 4 : place + len(invitation) + COIN_BYTES]
