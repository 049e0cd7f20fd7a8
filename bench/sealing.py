"""Sealed reports: opening them on all cores against a bare loop on one, and what sealing one costs a device.

The bar: all cores together open at least 0.7 times as many reports per second as a bare loop times the cores.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from bench.measurement import PAIRS, Measurement, absolute, race, seconds, speed
from bench.processes import ROOT
from pckv.base.canonical import base64url
from pckv.sealing.envelope import info_of, suite
from pckv.sealing.opening import Opener
from pckv.sealing.recipient_key import RecipientKey
from pckv.sealing.seal import seal

# The client's process that the tests use.
sys.path.insert(0, str(ROOT / "tests"))
from support.node import node

ENTRIES, SEALED_AT_ONCE = 10_000, 1000
WORD, DIGEST = bytes(range(8)), bytes(range(32))
SHARE_OF_CORES = 0.7


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    key, cores = RecipientKey.generate(), os.cpu_count() or 1
    entries = [seal(WORD, key.public_key, DIGEST) for _ in range(ENTRIES)]
    private, info, algorithms = X25519PrivateKey.from_private_bytes(key.secret), info_of(DIGEST), suite()

    def open_in_a_loop() -> None:
        for entry in entries:
            algorithms.decrypt(entry, private, info=info)

    with Opener(key, DIGEST, len(WORD)) as opener:
        times = race(lambda: opener.open_many(entries), open_in_a_loop, 1, time.perf_counter)
    yield speed(f"open on {cores} cores", times, ENTRIES, "reports/s", SHARE_OF_CORES * cores)
    yield absolute("seal a word, Python", "µs", per_report(lambda: seal_in_python(key.public_key)))
    yield absolute("seal a word, JavaScript", "µs", per_report(lambda: seal_in_node(key.public_key)))


def per_report(action: Callable[[], None]) -> list[float]:
    """Return the microseconds of a report, measured several times after a warm-up call."""
    action()
    return [1e6 / SEALED_AT_ONCE * seconds(action) for _ in range(PAIRS)]


def seal_in_python(public_key: bytes) -> None:
    """Seal many words."""
    for _ in range(SEALED_AT_ONCE):
        seal(WORD, public_key, DIGEST)


def seal_in_node(public_key: bytes) -> None:
    """Seal many words with the JavaScript client."""
    bodies = [WORD.hex()] * SEALED_AT_ONCE
    node().ask({"do": "sealed", "bodies": bodies, "key": base64url(public_key), "digest": DIGEST.hex()})
