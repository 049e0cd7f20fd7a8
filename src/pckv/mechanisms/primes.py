"""Prime numbers, in whole numbers alone: devices check them, too."""

from __future__ import annotations

from functools import lru_cache
from itertools import count

# With these bases the test of Miller and Rabin is exact for numbers below 3,215,031,751.
WITNESSES = (2, 3, 5, 7)


@lru_cache(maxsize=64)
def least_prime(start: int) -> int:
    """Return the least prime that is not below a number."""
    return next(number for number in count(start) if is_prime(number))


def is_prime(number: int) -> bool:
    """Return whether a number below 3.2·10^9 is prime."""
    if number in WITNESSES:
        return True
    if number <= 1 or any(number % witness == 0 for witness in WITNESSES):
        return False
    odd, halvings = number - 1, 0
    while odd % 2 == 0:
        odd, halvings = odd // 2, halvings + 1
    return all(_passes(number, witness, odd, halvings) for witness in WITNESSES)


def _passes(number: int, witness: int, odd: int, halvings: int) -> bool:
    """Return whether a number behaves like a prime for one witness."""
    power = pow(witness, odd, number)
    if power == 1:
        return True
    for _ in range(halvings):
        if power == number - 1:
            return True
        power = power * power % number
    return False
