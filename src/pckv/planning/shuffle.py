"""How private shuffled reports are: a bound on δ(ε) that is never below the truth (proofs/shuffling.md).

The bound is (1/n)·E[((R-x)·N1 - (Rx-1)·N2 - (x-1)·w·N3)₊], where x = e^ε, N1 and N2 are two equally likely
kinds of reports and N3 a third. With T = N1 + N2 and D = N1 - N2 the sum is α·D - (x-1)·((R+1)/2·T + w·N3), α
= (R-1)(x+1)/2: given T, D is a symmetric walk of T steps, independent of N3. T and N3 are grouped, always
such that the sum grows; what is cut off counts in full; and the float error of everything is far below
`ROUNDING`, which is added at the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Floats
from pckv.base.budget import epsilon_of, exp_lower
from pckv.base.errors import ParameterError
from pckv.base.limits import SERVER_COIN, check_whole
from pckv.base.stopping import check_stop
from pckv.base.words import rounded_up
from pckv.mechanisms.base import Law
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.sections import Section

# More would leave the range in which the float error is known to be below `ROUNDING`.
MAX_REPORTS = 10**9
# The float error relative to the result: three laws of up to 3·10^5 products in a row, each rounded at most 8
# times, and as much again for their sums, make 2e-9.
ROUNDING = 1e-7
# Counts that are less likely than e to the minus this are cut off.
TAIL_EXPONENT = 140.0
# Weights this much below the largest may have lost digits, or all.
UNDERFLOW = 1e-290
# A threshold is lowered by this share of it, which is more than all roundings that led to it.
THRESHOLD_SLACK = 2.0**-46
# How many groups there are at most of T and of N3, and how many numbers a table of them holds.
MAX_GROUPS = 512
MAX_TABLE = 2**22
# ε is searched for down to this, to about this precision, and has this many digits.
MIN_CENTRAL_EPSILON = 1e-9
EPSILON_PRECISION, EPSILON_DIGITS = 2e-6, 6


class _Window(NamedTuple):
    """Upper bounds of the chances of likely counts: a row per law, from `first` on, and of all others."""

    first: Floats
    chances: Floats
    outside: Floats


class _Rows(NamedTuple):
    """For some groups of T: groups of N3 with their chances, and what the walk D exceeds a threshold by."""

    chances: Floats
    least_total: Floats
    most_total: Floats
    still: Floats
    still_chances: Floats
    tails: Floats
    sums_of_tails: Floats
    outside: float


@dataclass(frozen=True)
class ShuffleBound:
    """The (ε, δ) of `reports` shuffled honest reports.

    Args:
        reports: How many people report honestly, and do not collude with those who see the result.
        blanket: γ: all laws of a report are at least γ times one law that does not depend on the person.
        ratio: R: and at most R·γ times that law; at least e^ε of a report alone.

    Raises:
        ParameterError: if there is no report, or more than the bound can be computed for.
    """

    reports: int
    blanket: Fraction
    ratio: Fraction

    def __post_init__(self) -> None:
        if not 1 <= self.reports <= MAX_REPORTS:
            raise ParameterError(f"honest reports must be at least 1 and at most 10^9, not {self.reports:,}")
        if not 0 < self.blanket <= 1 <= self.ratio * self.blanket:
            raise ParameterError("no law can be between these bounds: γ ≤ 1 ≤ R·γ must hold")

    @cached_property
    def spread(self) -> Fraction:
        """π: how often the likelihood of a report is the largest that it can be."""
        return (1 / self.blanket - 1) / (self.ratio - 1)

    @property
    def overlap(self) -> Fraction:
        """κ: how often it must be so for both of two sets at once."""
        return max(Fraction(0), 2 * self.spread - 1)

    @property
    def one_sided(self) -> Fraction:
        """The chance that a report speaks for one set and against the other: that of N1, and that of N2."""
        return self.blanket * (self.spread - self.overlap)

    @property
    def still_weight(self) -> Fraction:
        """w: the likelihood of a report that speaks for neither set: the least for both, or the largest."""
        return self.ratio if self.overlap else Fraction(1)

    def delta(self, epsilon: Fraction) -> float:
        """Return a δ, never too small, for which the shuffled reports are (ε, δ)-differentially private."""
        x = exp_lower(epsilon)
        if x >= self.ratio or self.blanket == 1:
            return 0.0
        gain = (self.ratio - 1) * (x + 1) / 2
        pull_of_total = float((x - 1) * (self.ratio + 1) / (2 * gain))
        pull_of_still = float((x - 1) * self.still_weight / gain)
        excess = outside = 0.0
        for rows in self._tables:
            check_stop()
            excess += _expected_excess(rows, pull_of_total, pull_of_still)
            outside += rows.outside
        outside += float(self._totals.outside[0])
        # Nothing exceeds (R - x)·n: all that was cut off counts as that.
        bound = float(gain) * excess / self.reports + float(self.ratio - x) * outside
        return min(1.0, bound * (1 + ROUNDING))

    def epsilon(self, delta: float) -> float:
        """Return an ε for which the shuffled reports are (ε, δ)-differentially private, rounded up.

        It is at most what a report alone guarantees, rounded up.
        """
        local = epsilon_of(self.ratio)
        low, high = MIN_CENTRAL_EPSILON, local
        if local <= low or self.delta(Fraction(str(low))) <= delta:
            return min(low, local)
        while high / low > 1 + EPSILON_PRECISION:
            # Only what was tried itself is returned: the answer does not rely on the bound being monotone.
            middle = float(f"{math.sqrt(low * high):.{EPSILON_DIGITS}g}")
            if not low < middle < high:
                break
            low, high = (low, middle) if self.delta(Fraction(str(middle))) <= delta else (middle, high)
        return high

    @cached_property
    def _totals(self) -> _Window:
        """The law of T."""
        chance = 2 * self.one_sided
        return _binomial(np.array([float(self.reports)]), float(chance / (1 - chance)))

    @cached_property
    def _tables(self) -> tuple[_Rows, ...]:
        """Everything that does not depend on ε, for consecutive groups of T."""
        first, chances = self._totals.first[0], self._totals.chances[0]
        groups = max(1, min(MAX_GROUPS, MAX_TABLE // _half_width(float(self.reports), 0.5)))
        step = math.ceil(len(chances) / groups)
        grouped = _grouped(chances[None, :], step)[0]
        least = np.maximum(first + step * np.arange(len(grouped)), 0.0)
        most = np.minimum(first + step * np.arange(1, len(grouped) + 1) - 1, float(self.reports))
        likely = np.flatnonzero(grouped)
        rows_per_table = max(1, MAX_TABLE // (2 * _half_width(float(self.reports), 0.5)))
        parts = np.array_split(likely, math.ceil(len(likely) / rows_per_table))
        return tuple(self._rows(grouped[part], least[part], most[part]) for part in parts)

    def _rows(self, chances: Floats, least: Floats, most: Floats) -> _Rows:
        """Tabulate a few groups of T: N3 is the least where T is the most, and D is the widest."""
        check_stop()
        still_chance = self.blanket - 2 * self.one_sided
        still = _binomial(self.reports - most, float(still_chance / (1 - self.blanket)))
        step = math.ceil(still.chances.shape[1] / MAX_GROUPS)
        still_chances = _grouped(still.chances, step)
        still_least = still.first[:, None] + step * np.arange(still_chances.shape[1])
        walk = _walk(most)
        tails = np.cumsum(walk.chances[:, ::-1], axis=1)[:, ::-1]
        sums = np.zeros_like(tails)
        sums[:, :-1] = np.cumsum(tails[:, :0:-1], axis=1)[:, ::-1]
        return _Rows(
            chances=chances,
            least_total=least,
            most_total=most,
            still=np.maximum(still_least, 0.0),
            still_chances=still_chances,
            tails=tails,
            sums_of_tails=sums,
            outside=float(np.sum(chances * (still.outside + walk.outside))),
        )


def _expected_excess(rows: _Rows, pull_of_total: float, pull_of_still: float) -> float:
    """E(D - b)₊ with b = pull_of_total·T + pull_of_still·N3, over some groups of T.

    D = 2B - T where B is binomial. With y = T + b, j the least integer above y/2 and tail(i) = P(B ≥ i), this
    is (2j - y)·tail(j) + 2·Σ tail(i) over i > j: a sum of terms that are not negative.
    """
    total = rows.most_total[:, None]
    threshold = pull_of_total * rows.least_total[:, None] + pull_of_still * rows.still
    lowered = (total + threshold) * (1 - THRESHOLD_SLACK)
    first = np.floor(lowered / 2) + 1
    place = first - np.floor(total / 2)
    inside = place < rows.tails.shape[1]
    column = np.where(inside, place, 0).astype(np.intp)
    row = np.arange(len(rows.tails))[:, None]
    excess = (2 * first - lowered) * rows.tails[row, column] + 2 * rows.sums_of_tails[row, column]
    weights = rows.chances[:, None] * rows.still_chances
    return float(np.sum(np.where(inside, weights * excess, 0.0)))


def _half_width(trials: float, chance: float) -> int:
    """How far from its mean a binomial count goes but for a chance below e^-TAIL_EXPONENT (Bernstein)."""
    third = TAIL_EXPONENT / 3
    far = third + math.sqrt(third**2 + 2 * TAIL_EXPONENT * trials * chance * (1 - chance))
    return math.ceil(min(far, trials)) + 2


def _binomial(trials: Floats, odds: float) -> _Window:
    """Upper bounds of the likely part of binomial laws: weights relative to a likely one, over no more."""
    chance = odds / (1 + odds)
    mode = np.floor(trials * chance)
    width = _half_width(float(trials.max()), chance)
    steps = np.arange(width, dtype=float)
    up = mode[:, None] + steps
    rising = np.maximum(trials[:, None] - up, 0.0) / (up + 1) * odds
    down = np.maximum(mode[:, None] - steps, 0.0)
    falling = np.where(down > 0, down / (trials[:, None] - down + 1) / (odds or 1.0), 0.0)
    right, right_outside = _relative(rising)
    left, left_outside = _relative(falling)
    weights = np.concatenate([left[:, :0:-1], right], axis=1)
    total = weights.sum(axis=1)
    outside = (left_outside + right_outside) / total
    return _Window(mode - (width - 1), weights / total[:, None], outside)


def _walk(trials: Floats) -> _Window:
    """The upper half of binomial laws with chance 1/2, from ⌊trials/2⌋ on."""
    middle = np.floor(trials / 2)
    places = middle[:, None] + np.arange(_half_width(float(trials.max()), 0.5), dtype=float)
    weights, outside = _relative(np.maximum(trials[:, None] - places, 0.0) / (places + 1))
    even = trials % 2 == 0
    # The law is symmetric about trials/2: all weights but the one in the middle come twice.
    total = 2 * weights[:, 1:].sum(axis=1) + np.where(even, weights[:, 0], 0.0)
    return _Window(middle, weights / total[:, None], outside / total)


def _relative(ratios: Floats) -> tuple[Floats, Floats]:
    """Weights relative to the first, given each one's ratio to the one before, and what follows at most.

    Ratios fall, so that what follows is below a geometric series, if it is one that ends.
    """
    weights = np.ones_like(ratios)
    weights[:, 1:] = np.cumprod(ratios[:, :-1], axis=1)
    last = np.minimum(ratios[:, -1], 1.0)
    rest = np.full(len(ratios), np.inf)
    np.divide(weights[:, -1] * last, 1 - last, out=rest, where=last < 1)
    return weights, rest + UNDERFLOW


def _grouped(chances: Floats, step: int) -> Floats:
    """Sums of `step` neighbours each, row by row."""
    rows, width = chances.shape
    padded = np.zeros((rows, math.ceil(width / step) * step))
    padded[:, :width] = chances
    return np.asarray(padded.reshape(rows, -1, step).sum(axis=2))


# A central ε above this share of the local one is no gain worth telling.
MAX_CENTRAL_SHARE = 0.99


@dataclass(frozen=True)
class Shuffle:
    """How many reports are shuffled, and how small the failure probability δ is to be.

    Args:
        reports: All reports that are shuffled together, one per person.
        delta: δ, above 0 and below 1.
        colluding: How many of the reports come from people who collude with those who see the result.

    Raises:
        ParameterError: if a number is outside its domain.
    """

    reports: int
    delta: float
    colluding: int = 0

    def __post_init__(self) -> None:
        for what, number in (("shuffled", self.reports), ("colluding", self.colluding)):
            check_whole(number, f"{what} reports")
        if self.reports < 1:
            raise ParameterError(f"shuffled reports must be at least 1, not {self.reports:,}")
        if not 0 < self.delta < 1:
            raise ParameterError(f"delta must be above 0 and below 1, not {self.delta:g}")
        if not 0 <= self.colluding < self.reports:
            raise ParameterError(
                f"colluding reports must be at least 0 and fewer than the {self.reports:,} that are "
                f"shuffled, not {self.colluding:,}"
            )

    @property
    def honest(self) -> int:
        """The reports that hide one another."""
        return self.reports - self.colluding


@dataclass(frozen=True)
class ShuffledPrivacy:
    """The privacy of reports that are seen only after a shuffle.

    Attributes:
        reports: How many are shuffled together; the `honest` ones hide one another, the `colluding` ones do not.
        delta: δ of the central guarantee.
        central_epsilon: Its ε, rounded up: towards those who see only the shuffled reports.
        local_epsilon: ε of each report alone, rounded up: towards all others, the shuffler included.
        conditions: What must hold for the central guarantee, in sentences.
    """

    reports: int
    colluding: int
    honest: int
    delta: float
    central_epsilon: float
    local_epsilon: float
    conditions: tuple[str, ...]

    @property
    def gains(self) -> bool:
        """Whether the shuffle is known to add anything worth telling to what each report guarantees."""
        return self.central_epsilon < MAX_CENTRAL_SHARE * self.local_epsilon

    def sections(self) -> tuple[Section, ...]:
        """Return the central guarantee next to the local one, and under which conditions it holds."""
        local, central = rounded_up(self.local_epsilon), rounded_up(self.central_epsilon)
        delta = f"δ = {self.delta:g}"
        colluding = f" ({self.colluding:,} colluding ones not counted)" if self.colluding else ""
        after = f"After a shuffle of {self.honest:,} honest reports{colluding}"
        no_gain = "With this many reports, this local ε and this δ, the shuffle is not known to add anything."
        sentences = (
            f"Each report alone: ε = {local} (local), towards every recipient, the shuffler included.",
            f"{after}: ε = {central} with {delta} (central), towards those who see only the result.",
            *(() if self.gains else (no_gain,)),
        )
        conditions = Section("Conditions of the central ε", self.conditions)
        return Section("Shuffled reports", sentences), conditions


class ReportLaws(NamedTuple):
    """What the bound needs: all laws of a report are from `blanket` to `blanket`·`ratio` times one law."""

    blanket: Fraction
    ratio: Fraction

    @classmethod
    def of(cls, law: Law, question: SizeQuestion | None) -> ReportLaws:
        """Those of reports of pairs, and of the size question that a share of them answers instead."""
        if question is None:
            return cls(law.blanket, law.realised)
        return cls(question.mixed_blanket(law.blanket), max(law.realised, question.realised))


def privacy_of_shuffle(shuffle: Shuffle, distributions: ReportLaws) -> ShuffledPrivacy:
    """Return the central guarantee of shuffled reports that have these laws."""
    return ShuffledPrivacy(
        reports=shuffle.reports,
        colluding=shuffle.colluding,
        honest=shuffle.honest,
        delta=shuffle.delta,
        central_epsilon=ShuffleBound(shuffle.honest, *distributions).epsilon(shuffle.delta),
        local_epsilon=epsilon_of(distributions.ratio),
        conditions=_conditions(shuffle),
    )


def _conditions(shuffle: Shuffle) -> tuple[str, ...]:
    shuffler = (
        "A party other than the recipient of the result shuffles: it replaces report ids, passes on "
        "neither order nor times nor addresses, and discloses nothing else. Towards the shuffler only the "
        "local ε holds."
    )
    honest = (
        f"{shuffle.honest:,} reports are honest: made as the task says, one per person, by people who do "
        "not collude with a recipient of the result. Whether a person reports does not depend on their "
        "pairs."
    )
    functions = (
        "No other party knows which random function a person's report was made with ('ue-compact', "
        "'collision'): a function that a server hands out to each person (a coin) voids the central ε."
    )
    always = (shuffler, honest, functions)
    if shuffle.delta * shuffle.reports < 1:
        return always
    example = "publishing one random person's pairs would satisfy this one"
    return (*always, f"δ should be far below 1 in {shuffle.reports:,}: {example}.")


def check_shuffled_coin(coin: str) -> None:
    """Refuse to bound what a shuffle hides where a server's coins give whose function is whose away."""
    if coin == SERVER_COIN:
        raise ParameterError("shuffling adds nothing where a collector hands out coins: it knows reports by them")
