"""A process that opens entries for `opening.Opener`, until its input ends.

Input: the private key (32 bytes), the task's digest (32), the length of bodies; then chunks: the number of entries, and
the entries. Both numbers have 4 bytes, little-endian. Output per entry: 1, its id and its body, or as many zeros.
"""

from __future__ import annotations

import sys
from typing import BinaryIO

from pckv.base.limits import REPORT_ID_BYTES
from pckv.sealing.envelope import DIGEST_BYTES
from pckv.sealing.opening import EntryOpener
from pckv.sealing.public_key import KEY_BYTES
from pckv.sealing.recipient_key import RecipientKey

_COUNT_BYTES = 4


def main() -> None:
    """Answer on standard output what comes on standard input."""
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Open all chunks of a stream."""
    key, digest = RecipientKey(given.read(KEY_BYTES)), given.read(DIGEST_BYTES)
    body_bytes = int.from_bytes(given.read(_COUNT_BYTES), "little")
    opener = EntryOpener(key, digest, body_bytes)
    unreadable = bytes(1 + REPORT_ID_BYTES + body_bytes)
    while count := given.read(_COUNT_BYTES):
        size = opener.entry_bytes
        entries = given.read(size * int.from_bytes(count, "little"))
        for first in range(0, len(entries), size):
            report = opener.open(entries[first : first + size])
            answers.write(unreadable if report is None else b"\x01" + report.id + report.body)
        answers.flush()
