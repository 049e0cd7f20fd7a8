"""Repeatable randomness, for lab, audits and tests only: import contracts keep it out of all other code."""

from __future__ import annotations

import hashlib

from pckv.base.randomness import Source


def seeded_source(seed: int) -> Source:
    """A repeatable source, for the lab and for tests only: never for people's data."""
    counter = 0

    def source(count: int) -> bytes:
        nonlocal counter
        counter += 1
        return hashlib.shake_128(f"pckv lab {seed} {counter}".encode()).digest(count)

    return source
