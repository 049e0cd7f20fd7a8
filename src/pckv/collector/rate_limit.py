"""The rate of requests per network address; no address is stored."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from hashlib import blake2b

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
        return int.from_bytes(blake2b(sender.encode(), key=self._key, digest_size=8).digest()) % BUCKETS
