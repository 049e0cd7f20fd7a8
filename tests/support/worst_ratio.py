"""The exact loss of a law: every input set against every other, at every output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from pckv.auditing.exact import input_sets
from pckv.base.errors import AuditFailure
from pckv.mechanisms.base import HeldLevels, MessageDistribution


def worst_ratio(distribution: Callable[[HeldLevels], MessageDistribution], keys: int, levels: int = 2) -> Fraction:
    """Return the largest likelihood ratio of any output between any two input sets."""
    return worst_ratio_of(map(distribution, input_sets(keys, levels)))


def worst_ratio_of(distributions: Iterable[MessageDistribution]) -> Fraction:
    """Return the largest likelihood ratio of any output between any two of these laws."""
    highest: dict[tuple[int, int], int] = {}
    lowest: dict[tuple[int, int], int] = {}
    outputs: set[int] | None = None
    for weights, total in distributions:
        possible = {output for output, weight in weights.items() if weight}
        if outputs is not None and possible != outputs:
            raise AuditFailure("exact ε: an output is possible for one input set and not for another")
        outputs = possible
        # Inputs that share a total are compared by their weights alone.
        for output, weight in weights.items():
            place = (output, total)
            highest[place] = max(weight, highest.get(place, weight))
            lowest[place] = min(weight, lowest.get(place, weight))
    most = _by_output(highest, max)
    least = _by_output(lowest, min)
    return max(most[output] / least[output] for output in outputs or ())


def _by_output(
    weights: Mapping[tuple[int, int], int], choose: Callable[[Fraction, Fraction], Fraction]
) -> dict[int, Fraction]:
    chosen: dict[int, Fraction] = {}
    for (output, total), weight in weights.items():
        chance = Fraction(weight, total)
        chosen[output] = choose(chance, chosen.get(output, chance))
    return chosen
