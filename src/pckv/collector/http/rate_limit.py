"""Limits on requests and on wrong tokens per network address; no address is stored.

Guessing a token is slow, and nothing else is.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from threading import Lock

from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

# A keyed hash assigns each sender to a bucket; a bucket may send a burst worth this many seconds of its rate.
BUCKETS = 2**16
BURST_SECONDS = 10


class RateLimit:
    """One token bucket per value of a keyed hash; the key is random and never leaves this process."""

    def __init__(self, rate: int, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._now = rate, now
        self._key = secrets.token_bytes(32)
        self._full = float(rate * BURST_SECONDS)
        self._level = [self._full] * BUCKETS
        self._seen = [now()] * BUCKETS

    def admits(self, sender: str) -> bool:
        """Return whether one more request of a sender is within the rate, and count it if so."""
        bucket = self.bucket(sender)
        admitted = self.has_room(bucket)
        self._level[bucket] -= admitted
        return admitted

    def has_room(self, bucket: int) -> bool:
        """Return whether one more request would be within the rate."""
        now = self._now()
        level = min(self._full, self._level[bucket] + (now - self._seen[bucket]) * self._rate)
        self._level[bucket], self._seen[bucket] = level, now
        return level >= 1

    def bucket(self, sender: str) -> int:
        """Return the number of a sender's bucket."""
        digest = blake2b(_network(sender), key=self._key, digest_size=8).digest()
        return int.from_bytes(digest) % BUCKETS


def _network(sender: str) -> bytes:
    """Return what counts as one sender: an IPv4 address, or the 64 bits of IPv6 of a household."""
    try:
        address = ip_address(sender)
    except ValueError:
        return sender.encode()
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped.packed if address.ipv4_mapped else address.packed[:8]
    return address.packed


MAX_FAILURES_PER_SECOND = 1
MAX_KNOWN_TOKENS = 1024


class FailedTokens:
    """Counts wrong tokens per sender, in the buckets of a `RateLimit`; no address is stored.

    Many senders can have one address, as behind a proxy. So a token that was right before is still tried when
    its bucket is used up: wrong tokens keep out no sender who came from the same address before.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = RateLimit(MAX_FAILURES_PER_SECOND, now)
        # The latest pairs of a bucket and the hash of a right token.
        self._known: dict[tuple[int, bytes], None] = {}
        self._lock = Lock()

    def check(self, sender: str, token_hash: bytes) -> None:
        """Refuse to try a token of a sender who sent too many wrong ones."""
        bucket = self._rate.bucket(sender)
        if (bucket, token_hash) not in self._known and not self._rate.has_room(bucket):
            raise ProblemDetails(ProblemKind.TOO_OFTEN, "too many wrong tokens came from this address")

    def record(self, sender: str, token_hash: bytes, *, right: bool) -> None:
        """Remember whether a token was right."""
        pair = self._rate.bucket(sender), token_hash
        with self._lock:
            self._known.pop(pair, None)
            if right:
                self._known[pair] = None
                if len(self._known) > MAX_KNOWN_TOKENS:
                    del self._known[next(iter(self._known))]
        if not right:
            self._rate.admits(sender)
