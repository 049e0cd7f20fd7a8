"""How often and for how long a client tries to reach a collector."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

JITTER_STEPS = 1 << 20


@dataclass(frozen=True)
class RetryPolicy:
    """How one call retries.

    The pause after an attempt is drawn uniformly between 0 and a bound, so that many devices do not return at the
    same moment. The bound starts at `first_pause` seconds and doubles with each attempt.

    Attributes:
        tries: How many attempts are made at most.
        seconds: How long they may take together.
        first_pause: The first bound of pauses, in seconds.
        timeout: How many seconds one attempt may take.
    """

    tries: int = 4
    seconds: float = 20.0
    first_pause: float = 0.5
    timeout: float = 10.0

    def pause(self, attempt: int) -> float:
        """Return how long to pause after an attempt.

        Args:
            attempt: The number of the attempt, from 0.

        Returns:
            Seconds.
        """
        bound = self.first_pause * 2.0**attempt
        return bound * secrets.randbelow(JITTER_STEPS) / JITTER_STEPS
