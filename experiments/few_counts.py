"""Coverage of exact intervals and the power of plans, enumerated over all counts: docs/appendix/few-counts.md."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy import stats

from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv.base.arrays import Floats
from pckv.estimators.intervals import Interval, frequency_interval, score_interval
from pckv.estimators.linear import unbiased_frequency
from pckv.mechanisms.base import CountLaw
from pckv.mechanisms.registry import build
from pckv.statistics.binomial import convolution_power
from pckv.statistics.detection import (
    DETECTION_LEVEL,
    DETECTION_POWER,
    detection_threshold,
    smallest_detected_frequency,
    sum_chances,
)
from pckv.statistics.moments import GAUSSIAN_NOISE, CountMoments
from pckv.tally.decode.support import KeySupport

LEVEL, KEYS, PEOPLE, ASKED = 0.95, 100, (2, 5, 10, 20, 50, 100, 200), (0.0, 0.05, 0.2)
# Weights of a plan's enumeration that are not left out.
MIN_WEIGHT = 1e-9
PAGE = """# Measured: intervals and plans where counts are few

Where fewer than 50 false supports of a key are expected (n·b < 50), intervals of frequencies are
exact, and so is the frequency that a plan says is detected four times out of five. This page has
the least coverage over all frequencies, and the power, by enumeration of all counts: nothing is
simulated (`make experiment NAME=few-counts`). {keys} keys; people from {fewest} to {most} as far as
n·b < 50. "Asked" is the chance that a participant answers the size question instead of reporting
pairs; coverage is that for the number of answers which is expected. The score interval, which
counts that are not few get, is the control.

{requirements}
| mechanism | asked | least coverage | of the score interval | power of the stated frequency |
|---|---:|---:|---:|---|
{table}

Counts are whole numbers: coverage and power are often above what is asked for.

**Next:** [intervals and larger sets](larger-sets.md).
"""


class EnumeratedLaw(NamedTuple):
    """How reports are made."""

    mechanism: str
    epsilon: str
    padding: int = 1
    levels: int = 2

    @property
    def count_law(self) -> CountLaw:
        """The law of counts, with the parameters that a task has by default."""
        return build(self.mechanism, KEYS, self.padding, Fraction(self.epsilon), {}, self.levels).count_law

    def __str__(self) -> str:
        """Return the words of a table."""
        return f"`{self.mechanism}`, ε {self.epsilon}, padding {self.padding}, {self.levels} levels"


LAWS = (
    EnumeratedLaw("collision", "0.5"),
    EnumeratedLaw("collision", "1"),
    EnumeratedLaw("collision", "1", 3),
    EnumeratedLaw("collision", "2"),
    EnumeratedLaw("collision", "2", 2, 5),
    EnumeratedLaw("collision", "3"),
    EnumeratedLaw("collision", "4"),
    EnumeratedLaw("collision", "6"),
    EnumeratedLaw("ue-compact", "0.5"),
    EnumeratedLaw("ue-compact", "1"),
    EnumeratedLaw("ue-compact", "4"),
    EnumeratedLaw("ue", "2"),
    EnumeratedLaw("grr", "1"),
    EnumeratedLaw("grr", "4"),
)


class EnumeratedCase(NamedTuple):
    """What holds for one law and one share of people who are asked for sizes, over all numbers of people."""

    law: EnumeratedLaw
    asked: float
    coverage: float
    of_score: float
    powers: tuple[float, ...]


def run(settings: ExperimentSettings) -> bool:
    """Enumerate all cases, and write docs/appendix/few-counts.md; return whether all bars are met."""
    found = [_enumerated(law, asked) for law in LAWS for asked in ASKED]
    least, power = min(each.coverage for each in found), min(min(each.powers, default=1.0) for each in found)
    control = max(min(each.of_score for each in found if each.law == law) for law in LAWS)
    requirements = [
        Requirement("Least coverage of any frequency", f"≥ {LEVEL}", f"{least:.4f}", least >= LEVEL),
        Requirement("Least power", f"≥ {DETECTION_POWER}", f"{power:.4f}", power >= DETECTION_POWER),
        Requirement("Control: score interval, best law", f"< {LEVEL}", f"{control:.4f}", control < LEVEL),
    ]
    page = PAGE.format(
        keys=KEYS,
        fewest=PEOPLE[0],
        most=PEOPLE[-1],
        requirements=requirements_table(requirements),
        table="\n".join(_row(each) for each in found),
    )
    (settings.out / "few-counts.md").write_text(page, encoding="utf-8")
    return show_requirements(requirements)


def _row(found: EnumeratedCase) -> str:
    powers = f"{min(found.powers):.3f} to {max(found.powers):.3f}" if found.powers else "–"
    return f"| {found.law} | {100 * found.asked:.0f} % | {found.coverage:.4f} | {found.of_score:.4f} | {powers} |"


def _enumerated(law: EnumeratedLaw, asked: float) -> EnumeratedCase:
    count_law = law.count_law
    coverages = list(_coverages(count_law, asked))
    powers = tuple(power for people in PEOPLE if (power := _power(count_law, asked, people)) is not None)
    exact, score = (min(each) for each in zip(*coverages, strict=True))
    return EnumeratedCase(law, asked, exact, score, powers)


def _coverages(count_law: CountLaw, asked: float) -> Iterator[tuple[float, float]]:
    """Yield the least coverage of both intervals, by number of people."""
    for people in PEOPLE:
        reports = max(1, round(people * (1 - asked)))
        moments = CountMoments.of(count_law, (people - reports) / people)
        if reports * moments.noise < GAUSSIAN_NOISE:
            by_holders = _chances(moments, people, reports)
            support = KeySupport(np.arange(by_holders.shape[1])[None, :])
            score = score_interval(unbiased_frequency(support, reports, moments), reports, moments, LEVEL)
            exact = frequency_interval(support, reports, moments, LEVEL)
            yield _least(exact, by_holders), _least(score, by_holders)


def _chances(moments: CountMoments, people: int, reports: int) -> Floats:
    """Return the chances of all counts, a row per number of holders among all people."""
    size = (len(moments.absent.numbers) - 1) * reports + 1
    own, others = (
        [convolution_power(law.numbers, times, size) for times in range(reports + 1)]
        for law in (moments.holder, moments.absent)
    )
    by_own = np.array([np.convolve(own[held], others[reports - held])[:size] for held in range(reports + 1)])
    chosen = stats.hypergeom(people, np.arange(people + 1)[:, None], reports).pmf(np.arange(reports + 1))
    return np.asarray(chosen @ by_own)


def _least(interval: Interval, by_holders: Floats) -> float:
    frequencies = np.linspace(0, 1, len(by_holders))[:, None]
    covered = (interval.low <= frequencies + MIN_WEIGHT) & (frequencies - MIN_WEIGHT <= interval.high)
    return float((by_holders * covered).sum(axis=1).min())


def _power(count_law: CountLaw, asked: float, people: int) -> float | None:
    """Return how often a key of the stated frequency is detected; None where none is stated, or counts are many."""
    moments = CountMoments.of(count_law, asked)
    expected = people * (1 - asked)
    smallest = smallest_detected_frequency(moments, expected, KEYS)
    if smallest >= 1 or people * moments.noise >= GAUSSIAN_NOISE:
        return None
    holders = ceil(people * smallest - MIN_WEIGHT)
    weights = np.multiply.outer(
        *(stats.binom.pmf(np.arange(many + 1), many, 1 - asked) for many in (holders, people - holders))
    )
    of_holders: dict[tuple[int, int], list[float]] = {}
    found = 0.0
    for own, others in np.argwhere(weights > MIN_WEIGHT).tolist():
        threshold = detection_threshold(moments, own + others, KEYS, DETECTION_LEVEL) if own + others else 1
        if (own, threshold) not in of_holders:
            of_holders[own, threshold] = sum_chances(moments.holder, own, threshold)
        below = np.cumsum(sum_chances(moments.absent, others, threshold))[::-1]
        found += float(weights[own, others]) * (1 - float(of_holders[own, threshold] @ below))
    return found
