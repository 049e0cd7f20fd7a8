"""Random parameters of tasks, as audits ask for them: all mechanisms, long decimals, rare numbers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from decimal import Decimal

from pckv.auditing.variants import VARIANTS
from pckv.mechanisms.collision.affine import MAX_POSITIONS, is_generator
from pckv.mechanisms.primes import least_prime


def random_decimal(seeded: random.Random, low: float, high: float) -> str:
    """Return a decimal between powers of ten, with up to 24 places."""
    number = Decimal(10 ** seeded.uniform(low, high)) + Decimal(seeded.randrange(10**9)) / 10**24
    return f"{round(number, seeded.choice((6, 9, 15, 20, 21, 24))):f}".rstrip("0").rstrip(".")


def random_parameters(seeded: random.Random, mechanism: str, padding: int) -> Mapping[str, object]:
    """Return what a task may state of a mechanism besides its name."""
    if mechanism == "collision":
        symbols = {"symbols": padding + seeded.randint(1, 2 ** seeded.randint(1, 12))}
        return symbols | (_random_positions(seeded) if seeded.random() < 0.5 else {})
    if mechanism == "ue-compact" and seeded.random() < 0.5:
        q = seeded.choice((3, 5, 7, 11, 101, 10_007))
        r = seeded.randint(1, q - 1)
        o = seeded.randint(max(0, 2 * r - q), r - 1)
        return {"q": q} | ({"r": r} if r > 1 else {}) | ({"o": o} if o else {})
    if mechanism == "ue" and seeded.random() < 0.5:
        return {"allocation": "tuned", "beta": random_decimal(seeded, -3, -0.31)}
    return seeded.choice(VARIANTS[mechanism])


def _random_positions(seeded: random.Random) -> dict[str, object]:
    """Return a prime, which may be too small for a task, and any of its primitive roots."""
    positions = least_prime(min(int(2 ** seeded.uniform(16, 31)), MAX_POSITIONS))
    generator = 0
    while not is_generator(generator, positions):
        generator = seeded.randrange(positions)
    return {"positions": positions, "generator": generator}
