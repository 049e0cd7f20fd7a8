"""A limit on wrong tokens per sender: guessing is slow for whoever guesses, and for nobody else."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.collector.rate_limit import RateLimit

MAX_FAILURES_PER_SECOND = 1
MAX_KNOWN_TOKENS = 1024


class FailedTokens:
    """Counts wrong tokens per sender, in the buckets of a `RateLimit`; no address is stored.

    Many senders can have one address, as behind a proxy. So a token that was right before is still tried when its
    bucket is used up: nobody can keep those out who came from the same address before.
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
