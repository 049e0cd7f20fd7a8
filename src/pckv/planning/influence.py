"""By how much one hostile report can raise frequencies, with a function of its own choice or with a coin's.

A report counts as many people for a key as honest holders would have to be added for the same change: it
supports the key more often than chance, and honest reports do so only by the law's signal. An attacker who
chooses the public function of a report chooses one that suits all target keys at once. A server's coin leaves
only the choice of the best word for a random function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.random import default_rng

from pckv.base.arrays import Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.words import points, two_digits
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.derivation import Derivation
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.statistics.binomial import convolution_power
from pckv.statistics.moments import CountMoments

# Plans state what this many target keys gain together.
TARGET_KEYS = 10
# Up to this many ways to spread the targets over the residues are enumerated; beyond, this many are drawn.
MAX_ENUMERATED, DRAWN = 20_000, 2**15
# Chances below this are left out of an expectation: rounding is about as large.
NEGLIGIBLE = 1e-12
# Drawn with a fixed seed, so that one plan has one text.
SEED = 18


@dataclass(frozen=True)
class Influence:
    """By how much hostile reports can raise frequencies, at the worst.

    Attributes:
        people: As how many people one report counts for one target key.
        one_report: By how much one report raises the frequency of one target key.
        one_percent: The same for 1 % of the reports.
        ten_keys: By how much 1 % of the reports raise the frequencies of ten target keys together.
    """

    people: float
    one_report: float
    one_percent: float
    ten_keys: float

    def sentence(self, targets: int, limit: str) -> str:
        """Say as how many people a hostile report counts, and what 1 % of them can do to this many target keys."""
        spread = f", or those of {targets} keys by {points(self.ten_keys / targets)} each" if targets > 1 else ""
        return (
            f"One hostile report counts as {two_digits(self.people)} people for a key, {limit}; if 1 % of the reports "
            f"are hostile, they can raise the frequency of a key by {points(self.one_percent)}{spread}."
        )


@dataclass(frozen=True)
class Hostile:
    """What hostile reports can do if they choose their function, and if a server's coin does.

    `server_coin` is what a report gains on average over all coins; None where reports have no public function.
    """

    own_function: Influence
    server_coin: Influence | None


def hostile(law: Law, users: int, size_share: Fraction = Fraction(0), derivation: Derivation | None = None) -> Hostile:
    """Return the largest change of estimated frequencies that chosen reports can bring about."""
    coin = None if type(law) not in BEST_SUPPORTS else _influence(law, users, size_share, derivation, coin=True)
    return Hostile(_influence(law, users, size_share, derivation, coin=False), coin)


def _influence(law: Law, users: int, size_share: Fraction, derivation: Derivation | None, *, coin: bool) -> Influence:
    keys, cells = (law.keys, 1) if derivation is None else (derivation.keys, derivation.cells)
    one = people_per_report(law, cells, size_share, coin=coin)
    ten = people_per_report(law, cells * min(TARGET_KEYS, keys), size_share, coin=coin)
    return Influence(people=one, one_report=one / users, one_percent=one / 100, ten_keys=ten / 100)


def people_per_report(law: Law, targets: int, size_share: Fraction, *, coin: bool) -> float:
    """Return as how many people one hostile report counts, for this many target keys together.

    Where there are labels, a key is as many targets.

    Frequencies divide by the reports that do not answer the size question, and hostile reports are all among
    those, unless a `coin` decides. Where that fixes the function, this is the mean over all functions.
    """
    moments = CountMoments.of(law.count_law)
    support = best_support(law, targets) if coin else float(law.max_support(targets))
    gained = (support - targets * moments.noise) / moments.signal
    return gained if coin else gained / float(1 - size_share)


class TooMuchInfluence(ParameterError):
    """No setting keeps the influence of a hostile report as small as was asked for."""

    def __init__(self, most: float, smallest: float) -> None:
        super().__init__(
            f"one hostile report counts as at least {smallest:.3g} people in every setting compared, more than {most:g}"
        )
        self.most = most
        self.smallest = smallest


def check_most_influence(most: float | None) -> float | None:
    """Return as how many people one hostile report may count, or refuse what is not a number above 0."""
    if most is not None and (isinstance(most, bool) or not isinstance(most, int | float) or not 0 < most < math.inf):
        raise ParameterError(f"the most influence must be a number above 0, not {most!r}")
    return most


@lru_cache(maxsize=1024)
def best_support(law: Law, targets: int) -> float:
    """Return what the best word for a random function adds to the supports of some target keys, on average.

    Exact for one key of two levels. For more, the function is taken to send them to independent places, as it
    does for keys that are chosen without regard to its family (proofs/influence.md).
    """
    return BEST_SUPPORTS[type(law)](law, targets)


def _best_compact(law: UeCompactLaw, targets: int) -> float:
    """The offset moves all residues alike: the best of q rotations of the residues that say a level."""
    q, supports = law.q, np.zeros(law.q)
    for first in law.firsts:
        supports[np.arange(first, first + law.r) % q] += 1
    if targets == 1:
        return float(supports.max())
    if q > targets and math.comb(q + targets - 1, targets) > MAX_ENUMERATED:
        return _best_offsets(law, supports, default_rng(SEED).integers(0, q, (DRAWN, targets)))
    # Row c has what residue z supports once the offset is c.
    rotated = np.stack([np.roll(supports, -offset) for offset in range(q)])
    if math.comb(q + targets - 1, targets) <= MAX_ENUMERATED:
        spread, chances = _all_spreads(q, targets)
        return float(chances @ (spread @ rotated.T).max(axis=1))
    drawn = default_rng(SEED).multinomial(targets, np.full(q, 1 / q), size=DRAWN)
    return float((drawn @ rotated.T).max(axis=1).mean())


def _best_offsets(law: UeCompactLaw, supports: Floats, residues: Integers) -> float:
    """The mean of the best offsets for rows of residues, at a cost that does not depend on q.

    The residues that say something are ranges: some best offset moves a target to the first of one of them.
    """
    best = np.zeros(len(residues))
    for moved, first in product(residues.T, law.firsts):
        offset = first - moved[:, None]
        best = np.maximum(best, supports[(residues + offset) % law.q].sum(axis=1))
    return float(best.mean())


def _all_spreads(cells: int, balls: int) -> tuple[Integers, Floats]:
    """All numbers of balls per cell, and how likely each is."""
    every = combinations_with_replacement(range(cells), balls)
    spread = np.array([np.bincount(chosen, minlength=cells) for chosen in every], np.int64)
    ways = np.array([math.factorial(balls) / math.prod(map(math.factorial, row)) for row in spread.tolist()])
    return spread, ways / float(cells) ** balls


def _best_collision(law: CollisionLaw, targets: int) -> float:
    """The fullest of t symbols once all levels of every target are sent to one of them each."""
    if law.levels * targets == 2:  # noqa: PLR2004
        return 1 + float(law.same_symbol_chance)
    return fullest_cell(law.symbols, law.levels * targets)


def fullest_cell(cells: int, balls: int) -> float:
    """Return how many balls the fullest of some equally likely cells has on average, exactly up to rounding.

    Balls per cell are independent Poisson numbers, given their sum.
    """
    mean = balls / cells
    counts = np.arange(balls + 1)
    logarithms = counts * math.log(mean) - mean - np.array([math.lgamma(count + 1) for count in counts])
    chances = np.exp(logarithms)
    whole = math.exp(balls * math.log(balls) - balls - math.lgamma(balls + 1))
    # The fullest cell always has its share of the balls.
    expected = float(least := -(-balls // cells))
    for most in range(least, balls):
        within = convolution_power(np.where(counts <= most, chances, 0.0), cells, balls + 1)
        beyond = 1 - float(within[balls]) / whole
        if beyond <= NEGLIGIBLE:
            break
        expected += beyond
    return expected


BEST_SUPPORTS: dict[type[Law], Callable[[Any, int], float]] = {
    UeCompactLaw: _best_compact,
    CollisionLaw: _best_collision,
}
