"""What a shuffler buys: the central (ε, δ) of shuffled reports, and the conditions under which it holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from pckv.budget import epsilon_of
from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from pckv.errors import ParameterError
from pckv.limits import DEVICE_COIN, MAX_EPSILON, SERVER_COIN, Numeric, check_epsilon
from pckv.planning.shuffle_bound import ShuffleBound

# A wanted central ε is met to this precision, by a local ε of this many digits.
LOCAL_PRECISION, LOCAL_DIGITS = 0.002, 4

# A central ε above this share of the local one is no gain worth telling.
MAX_CENTRAL_SHARE = 0.99


@dataclass(frozen=True)
class Shuffle:
    """How many reports are shuffled, and how small the failure probability δ is to be.

    Args:
        reports: All reports that are shuffled together, one per person.
        delta: δ, above 0 and below 1.
        colluding: How many of the reports come from people who collude with whoever sees the result.

    Raises:
        ParameterError: if a number is outside its domain.
    """

    reports: int
    delta: float
    colluding: int = 0

    def __post_init__(self) -> None:
        for what, number in (("shuffled", self.reports), ("colluding", self.colluding)):
            if isinstance(number, bool) or not isinstance(number, int):
                raise ParameterError(f"{what} reports must be a whole number, not {number!r}")
        if self.reports < 1:
            raise ParameterError(f"shuffled reports must be at least 1, not {self.reports:,}")
        if not 0 < self.delta < 1:
            raise ParameterError(f"delta must be above 0 and below 1, not {self.delta:g}")
        if not 0 <= self.colluding < self.reports:
            raise ParameterError(
                f"colluding reports must be at least 0 and fewer than the {self.reports:,} that are shuffled, "
                f"not {self.colluding:,}"
            )

    @property
    def honest(self) -> int:
        """The reports that hide one another."""
        return self.reports - self.colluding


@dataclass(frozen=True)
class ShuffledPrivacy:
    """The privacy of reports that are seen only after a shuffle.

    Attributes:
        reports: How many reports are shuffled together; `colluding` of them hide nobody, `honest` do.
        delta: δ of the central guarantee.
        central_epsilon: ε of the central guarantee, rounded up: towards whoever sees the shuffled reports only.
        local_epsilon: ε of each report alone, rounded up: towards everybody else, the shuffler included.
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
        """Whether the shuffle is known to add anything worth telling to what each report guarantees by itself."""
        return self.central_epsilon < MAX_CENTRAL_SHARE * self.local_epsilon


class ReportLaws(NamedTuple):
    """What the bound needs of the laws of a report: all are from `blanket` to `blanket`·`ratio` times one law."""

    blanket: Fraction
    ratio: Fraction

    @classmethod
    def of(cls, channel: Channel, question: SizeQuestion | None) -> ReportLaws:
        """Those of reports of pairs, and of the size question that a share of them answers instead."""
        if question is None:
            return cls(channel.blanket, channel.realised)
        return cls(question.mixed_blanket(channel.blanket), max(channel.realised, question.realised))


def privacy_of_shuffle(shuffle: Shuffle, laws: ReportLaws) -> ShuffledPrivacy:
    """Return the central guarantee of shuffled reports that have these laws."""
    return ShuffledPrivacy(
        reports=shuffle.reports,
        colluding=shuffle.colluding,
        honest=shuffle.honest,
        delta=shuffle.delta,
        central_epsilon=ShuffleBound(shuffle.honest, *laws).epsilon(shuffle.delta),
        local_epsilon=epsilon_of(laws.ratio),
        conditions=_conditions(shuffle),
    )


def _conditions(shuffle: Shuffle) -> tuple[str, ...]:
    shuffler = (
        "Somebody other than the recipient of the result shuffles: they replace report ids, pass on neither order nor "
        "times nor addresses, and tell nobody. Towards the shuffler only the local ε holds."
    )
    honest = (
        f"{shuffle.honest:,} reports are honest: made as the task says, one per person, by people who do not collude with "
        "anybody who sees the result. Whether somebody reports does not depend on their pairs."
    )
    functions = (
        "Nobody knows which random function a person's report was made with ('ue-compact', 'collision'): a function that "
        "a server hands out to each person (a coin) voids the central ε."
    )
    always = (shuffler, honest, functions)
    if shuffle.delta * shuffle.reports < 1:
        return always
    return (
        *always,
        f"δ should be far below 1 in {shuffle.reports:,}: publishing one random person's pairs would satisfy this one.",
    )


def local_epsilon_for(central: Numeric, shuffle: Shuffle, laws_at: Callable[[Fraction], ReportLaws]) -> str:
    """Return a local ε whose reports have at most this central ε once they are shuffled, as large as was found.

    Args:
        central: The wanted central ε.
        shuffle: How many reports are shuffled, and δ.
        laws_at: The laws of the reports that would be made at a local ε.

    Raises:
        ParameterError: if the central ε is not one that a report alone may have, or cannot have here.
    """
    try:
        wanted = check_epsilon(central)
    except ParameterError as error:
        raise ParameterError(f"central {error}") from None

    def holds(local: str) -> bool:
        try:
            laws = laws_at(Fraction(local))
        except ParameterError:
            return False
        return ShuffleBound(shuffle.honest, *laws).delta(Fraction(wanted)) <= shuffle.delta

    # A local ε is a central one, too: the answer is never below what was wanted.
    low, high = wanted, str(MAX_EPSILON)
    laws_at(Fraction(low))
    if float(low) >= float(high) or holds(high):
        return high
    while float(high) / float(low) > 1 + LOCAL_PRECISION:
        middle = check_epsilon(float(f"{math.sqrt(float(low) * float(high)):.{LOCAL_DIGITS}g}"))
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def check_shuffled_coin(coin: str) -> None:
    """Refuse to bound what a shuffle hides where a server's coins give whose function is whose away."""
    if coin == SERVER_COIN:
        raise ParameterError(
            "shuffling adds nothing where a collector hands out coins: it knows reports by them"
        )


def planned_shuffle(
    reports: int | None, delta: float | None, colluding: int, coin: str = DEVICE_COIN
) -> Shuffle | None:
    """Return the shuffle that a plan is about, None if it is about none; half of one is refused."""
    if reports is None:
        if delta is not None or colluding:
            raise ParameterError("delta and colluding are about a shuffle: say how many reports are shuffled")
        return None
    check_shuffled_coin(coin)
    if delta is None:
        raise ParameterError("a shuffle needs delta, the probability that its guarantee may fail: say 1e-7")
    return Shuffle(reports, delta, colluding)
