"""Shuffled reports of a few people, enumerated exactly: every multiset of reports, every neighbour, all others' data.

The law of a multiset is affine in the law of each person's report, and δ is convex in both laws that it compares. So values
of ±1 suffice for everybody: the law of a report is affine in each value, and a convex function is largest at the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import factorial

import numpy as np

from pckv.arrays import Floats, Integers
from pckv.auditing.exact import input_sets
from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion


def report_laws(channel: Channel, question: SizeQuestion | None = None) -> list[list[Fraction]]:
    """Return the exact laws of a report, one per input set, over the same outputs; equal ones once."""
    laws = []
    for signs in input_sets(channel.keys):
        law = channel.law(signs)
        if question is not None:
            assert channel.word_limit is not None
            law = question.mix(law, len(signs), channel.word_limit)
        laws.append([Fraction(law.weights[output], law.total) for output in sorted(law.weights)])
    return [list(law) for law in dict.fromkeys(map(tuple, laws))]


class Multisets:
    """The multisets of up to `size` outputs, numbered, and which one adding an output leads to."""

    def __init__(self, outputs: int, size: int) -> None:
        self.outputs = outputs
        self.added: list[Integers] = []
        numbered = {(): 0}
        for length in range(size):
            larger = {
                each: number
                for number, each in enumerate(combinations_with_replacement(range(outputs), length + 1))
            }
            rows = [[larger[tuple(sorted((*each, new)))] for new in range(outputs)] for each in numbered]
            self.added.append(np.array(rows))
            numbered = larger

    def add(self, laws: Floats, report: Floats) -> Floats:
        """The laws of multisets with one report more; one row per law."""
        length = next(number for number, table in enumerate(self.added) if len(table) == laws.shape[1])
        table = self.added[length]
        larger = np.zeros((len(laws), int(table.max()) + 1))
        for output in range(self.outputs):
            larger[:, table[:, output]] += laws * report[output]
        return larger


def exact_deltas(laws: Sequence[Sequence[Fraction]], reports: int, ratios: Sequence[float]) -> list[float]:
    """Return the largest δ for each e^ε, over all neighbouring data sets of this many people."""
    chances = np.array([[float(chance) for chance in law] for law in laws])
    multisets = Multisets(chances.shape[1], reports)
    others = np.ones((1, 1))
    rows = [(0, others)]
    for _ in range(reports - 1):
        rows = [
            (number, multisets.add(before, chances[number]))
            for least, before in rows
            for number in range(least, len(chances))
        ]
    worst = [0.0] * len(ratios)
    for _, law in rows:
        with_person = np.concatenate([multisets.add(law, report) for report in chances])
        for place, ratio in enumerate(ratios):
            gaps = with_person[:, None, :] - ratio * with_person[None, :, :]
            worst[place] = max(worst[place], float(np.maximum(gaps, 0.0).sum(axis=2).max()))
    return worst


def exact_delta(
    laws: Sequence[Sequence[Fraction]], data: Sequence[int], other: int, ratio: Fraction
) -> Fraction:
    """Return δ, in fractions, of people with these inputs, where the first might have another one."""
    outputs = range(len(laws[0]))
    total = Fraction(0)
    for multiset in combinations_with_replacement(outputs, len(data)):
        orders = set(permutations(multiset))
        gap = Fraction(0)
        for order in orders:
            rest = Fraction(1)
            for person, output in zip(data[1:], order[1:], strict=True):
                rest *= laws[person][output]
            gap += (laws[data[0]][order[0]] - ratio * laws[other][order[0]]) * rest
        total += max(gap, Fraction(0))
    return total


def theorem(
    reports: int, blanket: Fraction, ratio: Fraction, x: Fraction, overlap: Fraction | None = None
) -> Fraction:
    """The bound of the theorem in fractions, as it is written: a sum over (N1, N2, N3, N4)."""
    spread = (1 / blanket - 1) / (ratio - 1)
    kappa = max(Fraction(0), 2 * spread - 1) if overlap is None else overlap
    alone = blanket * (spread - kappa)
    chances = (alone, alone, blanket * (1 - 2 * spread + kappa), blanket * kappa, 1 - blanket)
    values = (ratio - x, 1 - ratio * x, 1 - x, ratio * (1 - x), Fraction(0))
    total = Fraction(0)
    for counts in _compositions(reports, len(chances)):
        value = sum((count * each for count, each in zip(counts, values, strict=True)), Fraction(0))
        if value > 0:
            chance = Fraction(factorial(reports))
            for count, each in zip(counts, chances, strict=True):
                chance *= each**count / factorial(count)
            total += chance * value
    return total / reports


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


@dataclass(frozen=True)
class Reports:
    """Reports whose shuffle is enumerated: their exact laws, and the constants of the bound."""

    name: str
    laws: list[list[Fraction]]
    blanket: Fraction
    ratio: Fraction


# A bound on δ of this many shuffled reports at e^ε = x.
Bound = Callable[[int, Reports, Fraction], float]


def violations(
    kinds: Sequence[Reports], sizes: Sequence[int], ratios: Sequence[Fraction], bound: Bound
) -> list[str]:
    """Return the cells in which a bound is below the exact δ."""
    found = []
    for kind in kinds:
        for reports in sizes:
            exact = exact_deltas(kind.laws, reports, [float(x) for x in ratios])
            for x, delta in zip(ratios, exact, strict=True):
                said = bound(reports, kind, x)
                # Floats of the enumeration are off by far less than this.
                if said < delta * (1 - 1e-10) - 1e-14:
                    found.append(
                        f"{kind.name}, {reports} reports, e^ε = {float(x):.3f}: {said:.6f} < {delta:.6f}"
                    )
    return found
