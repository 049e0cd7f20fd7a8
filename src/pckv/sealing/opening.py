"""The recipient's half: sealed entries in, reports out, on all cores.

The format is in `envelope.py`. An opened report gets an id of the recipient's own, which no device knows:

    id      = the first 16 bytes of HMAC-SHA256(secret, sealed entry)
    secret  = HKDF-SHA256(salt = empty, key = the private key, info = "pckv report id" ‖ 0x01, length = 32)

The same entry has the same id whenever it is opened, so copies are one report. Without the private key an id cannot be
linked to the entry that a mixer or a participant has seen.
"""

from __future__ import annotations

import hmac
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Self

from pckv.base.errors import PckvError, require
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.wire import Report
from pckv.sealing.envelope import EXTRA, info_of, sealed_length, suite, x25519
from pckv.sealing.recipient_key import RecipientKey

_ID_INFO = b"pckv report id\x01"
# Entries that a process opens at once: enough that sending them takes no time, few enough that no core waits long.
CHUNK_ENTRIES = 500
# Fewer are opened before a process has started.
MIN_ENTRIES_FOR_PROCESSES = 2000
# The path of modules is that of this process, whatever made it.
_CHILD = "import sys; sys.path[:] = sys.argv[1:]; from pckv.sealing.opening_process import main; main()"


def id_secret(secret: bytes) -> bytes:
    """Return what ids of opened reports are made with, from the bytes of a private key: HKDF of RFC 5869."""
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, _ID_INFO + b"\x01", "sha256")


class EntryOpener:
    """Opens single entries of one task, in this process.

    Args:
        key: The recipient's private key.
        digest: The task's digest.
        body_bytes: The length of the bodies of the task's reports.
    """

    def __init__(self, key: RecipientKey, digest: bytes, body_bytes: int) -> None:
        self.entry_bytes = sealed_length(body_bytes)
        self._info = info_of(digest)
        self._key = x25519().X25519PrivateKey.from_private_bytes(key.secret)
        self._suite = suite()
        self._id_secret = id_secret(key.secret)
        self._refusal: type[Exception] = require("cryptography.exceptions", extra=EXTRA).InvalidTag

    def open(self, entry: bytes) -> Report | None:
        """Return the report in an entry, or None if it was not sealed for this key and task, or was changed since."""
        if len(entry) != self.entry_bytes:
            return None
        try:
            body = self._suite.decrypt(entry, self._key, info=self._info)
        except self._refusal:
            return None
        return Report(hmac.digest(self._id_secret, entry, "sha256")[:REPORT_ID_BYTES], body)


class Opener:
    """Opens many entries of one task, on all cores: a context manager, which ends its processes.

    The interpreter lock is held while an entry is opened, so threads would take turns. Processes are started with the
    first large batch and kept for later ones; the private key reaches them through a pipe.

    Args:
        key: The recipient's private key.
        digest: The task's digest.
        body_bytes: The length of the bodies of the task's reports.
        processes: How many processes open entries; None for as many as there are cores.
    """

    def __init__(self, key: RecipientKey, digest: bytes, body_bytes: int, processes: int | None = None) -> None:
        self._single = EntryOpener(key, digest, body_bytes)
        self._body_bytes = body_bytes
        self._head = key.secret + digest + body_bytes.to_bytes(4, "little")
        self._count = processes or os.cpu_count() or 1
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            _end(process)
        self._started = []

    def open(self, entry: bytes) -> Report | None:
        """Return the report in an entry, or None if it does not open."""
        return self._single.open(entry)

    def open_many(self, entries: Sequence[bytes]) -> list[Report | None]:
        """Return the reports in entries, in their order; None stands for one that does not open."""
        if self._count == 1 or len(entries) < MIN_ENTRIES_FOR_PROCESSES:
            return [self._single.open(entry) for entry in entries]
        idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for process in self._processes():
            idle.put(process)

        def open_chunk(first: int) -> list[Report | None]:
            process = idle.get()
            try:
                return self._ask(process, entries[first : first + CHUNK_ENTRIES])
            finally:
                idle.put(process)

        with ThreadPoolExecutor(self._count) as threads:
            chunks = threads.map(open_chunk, range(0, len(entries), CHUNK_ENTRIES))
            return [report for chunk in chunks for report in chunk]

    def _processes(self) -> list[subprocess.Popen[bytes]]:
        """Return the processes, which are started when they are first needed, or have ended."""
        ended = [process for process in self._started if process.poll() is not None]
        for process in ended:
            _end(process)
            self._started.remove(process)
        while len(self._started) < self._count:
            process = subprocess.Popen(  # noqa: S603 - this interpreter, with a fixed script
                [sys.executable, "-c", _CHILD, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # An interrupt from the terminal is for this process, which ends the others.
                start_new_session=True,
            )
            self._started.append(process)
            _send(process, self._head)
        return self._started

    def _ask(self, process: subprocess.Popen[bytes], entries: Sequence[bytes]) -> list[Report | None]:
        """Return what a process answers for a chunk; entries of another length are not sent."""
        sound = [entry for entry in entries if len(entry) == self._single.entry_bytes]
        _send(process, len(sound).to_bytes(4, "little"), *sound)
        size = 1 + REPORT_ID_BYTES + self._body_bytes
        assert process.stdout is not None  # noqa: S101
        answer = process.stdout.read(size * len(sound))
        if len(answer) != size * len(sound):
            raise _ended(process)
        opened = iter([_report_in(answer[first : first + size]) for first in range(0, len(answer), size)])
        return [next(opened) if len(entry) == self._single.entry_bytes else None for entry in entries]


def _send(process: subprocess.Popen[bytes], *parts: bytes) -> None:
    assert process.stdin is not None  # noqa: S101
    try:
        process.stdin.write(b"".join(parts))
        process.stdin.flush()
    except BrokenPipeError:
        raise _ended(process) from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, which has nothing to save, and close its pipes."""
    process.kill()
    process.communicate()


def _ended(process: subprocess.Popen[bytes]) -> PckvError:
    return PckvError(f"a process that opens reports ended with code {process.wait()}; open the batch again")


def _report_in(answer: bytes) -> Report | None:
    """Return the report in the answer of a process: whether it opened, its id and its body."""
    return Report(answer[1 : 1 + REPORT_ID_BYTES], answer[1 + REPORT_ID_BYTES :]) if answer[0] else None
