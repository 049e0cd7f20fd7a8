"""Shuffled reports of a few people, enumerated exactly: every multiset of reports, every neighbour, all others' data.

The law of a multiset is affine in the law of each person's report, and δ is convex in both laws that it
compares. So values of ±1 suffice for every participant: the law of a report is affine in each value, and a
convex function is largest at the ends. Likewise a law half-way between two others is never the worst: it is
left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb, factorial, prod

import numpy as np
from scipy.stats import binom

from pckv.auditing.exact import input_sets
from pckv.base.arrays import Floats, Integers
from pckv.base.budget import exp_lower
from pckv.mechanisms.base import HeldLevels, Law
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.shuffle import ShuffleBound

# The laws of a report, one per input, as chances of the same outputs.
Laws = Sequence[Sequence[Fraction]]


def report_laws(
    law: Law, question: SizeQuestion | None = None, sets: Iterable[HeldLevels] | None = None
) -> list[list[Fraction]]:
    """Return the exact laws of a report, one per input set (by default all), over the same outputs; equal ones once."""
    distributions = []
    for held in input_sets(law.keys, law.levels) if sets is None else sets:
        distribution = law.distribution(held)
        if question is not None:
            assert law.word_limit is not None
            distribution = question.mix(distribution, len(held), law.word_limit)
        distributions.append(
            [Fraction(distribution.weights[output], distribution.total) for output in sorted(distribution.weights)]
        )
    return [list(distribution) for distribution in dict.fromkeys(map(tuple, distributions))]


def extreme_laws(distributions: Laws) -> Laws:
    """Leave out the laws that are half-way between two others."""
    between = {
        tuple((chance + other) / 2 for chance, other in zip(*pair, strict=True))
        for pair in combinations(distributions, 2)
    }
    return [distribution for distribution in distributions if tuple(distribution) not in between]


def merged_outputs(distributions: Laws) -> Laws:
    """Merge the outputs whose chances are in the same proportion under all laws: between them they tell nothing."""
    merged: dict[tuple[Fraction, ...], list[tuple[Fraction, ...]]] = {}
    for chances in zip(*distributions, strict=True):
        merged.setdefault(tuple(chance / sum(chances) for chance in chances), []).append(chances)
    outputs = ([sum(each, Fraction(0)) for each in zip(*alike, strict=True)] for alike in merged.values())
    return list(zip(*outputs, strict=True))


class Multisets:
    """The multisets of up to `size` outputs, numbered, and which one adding an output leads to."""

    def __init__(self, outputs: int, size: int) -> None:
        self.outputs = outputs
        self.added: list[Integers] = []
        numbered: dict[tuple[int, ...], int] = {(): 0}
        for length in range(size):
            larger = {
                each: number for number, each in enumerate(combinations_with_replacement(range(outputs), length + 1))
            }
            rows = [[larger[tuple(sorted((*each, new)))] for new in range(outputs)] for each in numbered]
            self.added.append(np.array(rows))
            numbered = larger

    def add(self, distributions: Floats, report: Floats) -> Floats:
        """The laws of multisets with one report more; one row per law."""
        length = next(number for number, table in enumerate(self.added) if len(table) == distributions.shape[1])
        table = self.added[length]
        larger = np.zeros((len(distributions), int(table.max()) + 1))
        for output in range(self.outputs):
            larger[:, table[:, output]] += distributions * report[output]
        return larger


def exact_deltas(
    distributions: Laws, reports: int, ratios: Sequence[Fraction], others: Laws | None = None
) -> list[float]:
    """Return the largest δ for each e^ε, over all neighbouring data sets of this many people.

    The others' reports have the same laws as the one person's, unless they are given.
    """
    chances, of_others = as_floats(distributions), as_floats(distributions if others is None else others)
    multisets = Multisets(chances.shape[1], reports)
    rows = [(0, np.ones((1, 1)))]
    for _ in range(reports - 1):
        rows = [
            (number, multisets.add(before, of_others[number]))
            for least, before in rows
            for number in range(least, len(of_others))
        ]
    worst = [0.0] * len(ratios)
    for _, distribution in rows:
        with_person = np.concatenate([multisets.add(distribution, report) for report in chances])
        for place, ratio in enumerate(ratios):
            gaps = with_person[:, None, :] - float(ratio) * with_person
            np.maximum(gaps, 0.0, out=gaps)
            worst[place] = max(worst[place], float(gaps.sum(axis=2).max()))
    return worst


def as_floats(distributions: Laws) -> Floats:
    """Laws as one array, a row each."""
    return np.array([[float(chance) for chance in distribution] for distribution in distributions])


def enumeration_steps(distributions: Laws, reports: int) -> int:
    """How many numbers `exact_deltas` looks at for one e^ε."""
    multisets = comb(len(distributions[0]) + reports - 1, reports)
    return comb(len(distributions) + reports - 2, reports - 1) * len(distributions) ** 2 * multisets


def exact_delta(distributions: Laws, data: Sequence[int], other: int, ratio: Fraction) -> Fraction:
    """Return δ, in fractions, of people with these inputs, where the first might have another one."""
    total = Fraction(0)
    for multiset in combinations_with_replacement(range(len(distributions[0])), len(data)):
        gap = Fraction(0)
        for order in set(permutations(multiset)):
            rest = prod((distributions[person][output] for person, output in zip(data[1:], order[1:], strict=True)))
            gap += (distributions[data[0]][order[0]] - ratio * distributions[other][order[0]]) * rest
        total += max(gap, Fraction(0))
    return total


@lru_cache(1024)
def theorem(reports: int, blanket: Fraction, ratio: Fraction, x: Fraction, overlap: Fraction | None = None) -> Fraction:
    """Return the bound of the theorem in fractions, as it is written: a sum over (N1, N2, N3, N4)."""
    spread = (1 / blanket - 1) / (ratio - 1)
    kappa = max(Fraction(0), 2 * spread - 1) if overlap is None else overlap
    alone = blanket * (spread - kappa)
    chances = (alone, alone, blanket * (1 - 2 * spread + kappa), blanket * kappa, 1 - blanket)
    values = (ratio - x, 1 - ratio * x, 1 - x, ratio * (1 - x), Fraction(0))
    possible = [(chance, value) for chance, value in zip(chances, values, strict=True) if chance]
    powers = [[chance**count / factorial(count) for count in range(reports + 1)] for chance, _ in possible]
    total = Fraction(0)
    for counts in _compositions(reports, len(possible)):
        value = sum((count * each for count, (_, each) in zip(counts, possible, strict=True)), Fraction(0))
        if value > 0:
            total += value * prod((row[count] for row, count in zip(powers, counts, strict=True)), start=Fraction(1))
    return total * factorial(reports) / reports


def plain_sum(reports: int, blanket: Fraction, ratio: Fraction, epsilon: float) -> float:
    """Return the same for any number of reports, in floats, and never more than it is: by other ways than the product.

    T = N1 + N2 and N, that is N3 or N4, are taken in bins, of one count each where there are few. By Jensen the sum is
    not larger if the walk N1 - N2 has as many steps as the least T of a bin and N is its mean, nor if it is that of the
    most reports that T leaves. De Moivre: of B ~ Binomial(T, 1/2), E[(2B - T); B ≥ j] = j·P(B = j).
    """
    spread = (1 / blanket - 1) / (ratio - 1)
    overlap = max(Fraction(0), 2 * spread - 1)
    moving, x, most = 2 * blanket * (spread - overlap), math.exp(epsilon), float(ratio)
    share = float((blanket - moving) / (1 - moving))
    gain, drift, pull = (most - 1) * (x + 1) / 2, (x - 1) * (most + 1) / 2, (x - 1) * (most if overlap else 1.0)
    least, last, chances = (each[0] for each in _bins(np.array([float(reports)]), float(moving), 1500))
    steps, bins = least[:, None], max(24, 60_000 // len(least))
    rest = reports - steps
    first_still, last_still, still_chances = _bins(rest[:, 0], share, bins)
    one_less = np.maximum(rest - 1, 0.0)
    below = binom.cdf(last_still - 1, one_less, share) - binom.cdf(first_still - 2, one_less, share)
    # Of a bin that is hardly ever met, the last count is above the mean.
    mean = np.where(still_chances > MIN_BIN, rest * share * below / np.maximum(still_chances, MIN_BIN), last_still)
    threshold = (drift * last[:, None] + pull * mean) / gain
    above = np.floor((steps + threshold) / 2) + 1
    excess = above * binom.pmf(above, steps, 0.5) - threshold * binom.sf(above - 1, steps, 0.5)
    return gain / reports * float(chances @ (still_chances * np.maximum(excess, 0.0)).sum(axis=1))


MIN_BIN = 1e-9


def _bins(trials: Floats, chance: float, most: int) -> tuple[Floats, Floats, Floats]:
    """Return the first and last counts of bins of binomial laws, a row each, and the chances of the bins."""
    far = 9 * np.sqrt(trials * chance * (1 - chance)) + 40
    first = np.floor(np.maximum(trials * chance - far, 0.0))
    width = np.ceil(np.minimum(trials * chance + far, trials)) - first + 1
    step = np.ceil(width / most)[:, None]
    firsts = first[:, None] + step * np.arange(min(most, int(width.max())))
    lasts = np.minimum(firsts + step - 1, trials[:, None])
    chances = binom.cdf(lasts, trials[:, None], chance) - binom.cdf(firsts - 1, trials[:, None], chance)
    return firsts, lasts, np.maximum(chances, 0.0)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


@dataclass(frozen=True)
class ShuffledKind:
    """Reports whose shuffle is enumerated: their exact laws, and the constants of the bound."""

    name: str
    distributions: Laws
    blanket: Fraction
    ratio: Fraction


# A bound on δ of this many shuffled reports at an ε.
Bound = Callable[[int, ShuffledKind, Fraction], float]


def shipped_bound(reports: int, kind: ShuffledKind, epsilon: Fraction) -> float:
    """The bound that the product prints."""
    return _bound(reports, kind.blanket, kind.ratio).delta(epsilon)


# The bounds of one kind at several ε share their tables.
_bound = lru_cache(ShuffleBound)


def violations(
    kind: ShuffledKind, reports: int, epsilons: Sequence[Fraction], bound: Bound = shipped_bound
) -> list[str]:
    """Return the cells in which a bound is below the exact δ."""
    exact = exact_deltas(kind.distributions, reports, [exp_lower(epsilon) for epsilon in epsilons])
    found = []
    for epsilon, delta in zip(epsilons, exact, strict=True):
        said = bound(reports, kind, epsilon)
        # The floats of the enumeration are off by far less than this.
        if said < delta * (1 - 1e-10) - 1e-14:
            found.append(f"{kind.name}, n = {reports}, ε = {float(epsilon):g}: {said:.6f} < {delta:.6f}")
    return found
