"""The exact loss of a mechanism: every input set against every other, at every output.

Values of ±1 suffice, since the law of a report is affine in each value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product

from pckv.channels import Channel, Law, Signs
from pckv.errors import AuditFailure

# Beyond this many input sets times outputs, enumeration gives way to the closed form.
MAX_CASES = 20_000
# This many keys have more input sets than that, whatever the outputs.
KEYS_BEYOND_ENUMERATION = 10


def input_sets(keys: int) -> Iterator[dict[int, int]]:
    """Yield every set of signed keys that somebody may hold, the empty one included."""
    for states in product((0, +1, -1), repeat=keys):
        yield {key: sign for key, sign in enumerate(states) if sign}


def worst_ratio(law: Callable[[Signs], Law], keys: int) -> Fraction:
    """Return the largest likelihood ratio of any output between any two input sets."""
    highest: dict[tuple[int, int], int] = {}
    lowest: dict[tuple[int, int], int] = {}
    outputs: set[int] | None = None
    for signs in input_sets(keys):
        weights, total = law(signs)
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


def cases(channel: Channel) -> int:
    """Return how many input sets times outputs enumeration would visit; a lower bound where it is hopeless."""
    sets = 3 ** min(channel.keys, KEYS_BEYOND_ENUMERATION)
    return int(sets * (channel.word_limit or sets))
