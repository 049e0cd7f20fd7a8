"""How often and for how long a client tries to reach a collector."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

JITTER_STEPS = 1 << 20


@dataclass(frozen=True)
class RetryPolicy:
    """How one call retries: `tries` attempts within `seconds`, each with a `timeout`.

    The pause after an attempt is drawn uniformly between 0 and a bound, so that many devices do not return at the
    same moment. The bound starts at `first_pause` seconds and doubles with each attempt.
    """

    tries: int = 4
    seconds: float = 20.0
    first_pause: float = 0.5
    timeout: float = 10.0

    def pause(self, attempt: int) -> float:
        """Return how many seconds to pause after an attempt, counted from 0."""
        bound = self.first_pause * 2.0**attempt
        return bound * secrets.randbelow(JITTER_STEPS) / JITTER_STEPS
