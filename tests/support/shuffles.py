"""Shuffled reports of a few people, enumerated exactly: every multiset of reports, every neighbour, all others' data.

The law of a multiset is affine in the law of each person's report, and δ is convex in both laws that it
compares. So values of ±1 suffice for every participant: the law of a report is affine in each value, and a
convex function is largest at the ends. Likewise a law half-way between two others is never the worst: it is
left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb, factorial, prod

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom

from pckv.auditing.exact import input_sets
from pckv.base.arrays import Floats, Integers
from pckv.base.budget import exp_lower
from pckv.mechanisms.base import Law
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.shuffle import ShuffleBound

# The laws of a report, one per input, as chances of the same outputs.
Laws = Sequence[Sequence[Fraction]]


def report_laws(law: Law, question: SizeQuestion | None = None) -> list[list[Fraction]]:
    """Return the exact laws of a report, one per input set, over the same outputs; equal ones once."""
    distributions = []
    for signs in input_sets(law.keys):
        distribution = law.distribution(signs)
        if question is not None:
            assert law.word_limit is not None
            distribution = question.mix(distribution, len(signs), law.word_limit)
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
    """Return the same for many reports, in floats: every (N1, N2) that is likely at all, N3 or N4 by binomial tails."""
    spread = (1 / blanket - 1) / (ratio - 1)
    overlap = max(Fraction(0), 2 * spread - 1)
    alone, x, most = float(blanket * (spread - overlap)), math.exp(epsilon), float(ratio)
    step = (x - 1) * (most if overlap else 1.0)
    still = float(blanket) - 2 * alone
    far = 9 * math.sqrt(reports * alone) + 30
    counts = np.arange(max(0, int(reports * alone - far)), int(reports * alone + far) + 1, dtype=float)
    total = 0.0
    for first in counts:
        second = counts[((most - x) * first > (most * x - 1) * counts) & (first + counts < reports)]
        value, rest = (most - x) * first - (most * x - 1) * second, reports - first - second
        logarithms = gammaln(reports + 1) - gammaln(first + 1) - gammaln(second + 1) - gammaln(rest + 1)
        logarithms += (first + second) * math.log(alone) + rest * math.log1p(-2 * alone)
        below, share = np.ceil(value / step) - 1, still / (1 - 2 * alone)
        kept = value * binom.cdf(below, rest, share) - step * rest * share * binom.cdf(below - 1, rest - 1, share)
        total += float(np.exp(logarithms) @ np.maximum(kept, 0.0))
    return total / reports


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
