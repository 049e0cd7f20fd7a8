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
        """Return whether one more request of a sender is within the rate."""
        bucket = int.from_bytes(blake2b(sender.encode(), key=self._key, digest_size=8).digest()) % BUCKETS
        now = self._now()
        level = min(self._full, self._level[bucket] + (now - self._seen[bucket]) * self._rate)
        self._seen[bucket] = now
        self._level[bucket] = level - 1 if level >= 1 else level
        return level >= 1
