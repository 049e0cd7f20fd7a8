"""The exact law of messages, from the paths of an interval tape: constant on ranges, so that any size can be compared."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate

from pckv.auditing.interval_tape import Leaf
from pckv.base.errors import AuditFailure


class PiecewiseLaw:
    """A law as sums of uniform ones, each over every step-th message of a range."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        # By step and the remainder of the messages by it: where the probability of one message changes, and by what.
        changes: dict[tuple[int, int], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        self.mass = Fraction(0)
        for leaf in leaves:
            self.mass += leaf.chance
            of_one = leaf.chance / leaf.messages
            of_step = changes[leaf.step, leaf.first % leaf.step]
            of_step[leaf.first] += of_one
            of_step[leaf.last + 1] -= of_one
        # Every message is asked for twice: to compare laws with what is stated, and with each other.
        self._known: dict[int, Fraction] = {}
        self._pieces = {
            place: (sorted(of_step), list(accumulate(of_step[start] for start in sorted(of_step))))
            for place, of_step in changes.items()
        }

    def chance(self, message: int) -> Fraction:
        """Return the probability of a message."""
        if message not in self._known:
            self._known[message] = self._sum_at(message)
        return self._known[message]

    def _sum_at(self, message: int) -> Fraction:
        total = Fraction(0)
        for (step, remainder), (starts, chances) in self._pieces.items():
            piece = bisect_right(starts, message) - 1
            if piece >= 0 and message % step == remainder:
                total += chances[piece]
        return total

    def turning_points(self) -> set[int]:
        """Return messages among which every value of the law is found: all next to a change."""
        return {
            start + move
            for (step, _), (starts, _) in self._pieces.items()
            for start in starts
            for move in range(-step, step)
        }


def turning_points(distributions: Iterable[PiecewiseLaw], stop: int) -> list[int]:
    """Return messages below a limit at which laws can be compared: between two of them nothing changes."""
    return sorted(
        message
        for message in set().union(*(distribution.turning_points() for distribution in distributions))
        if 0 <= message < stop
    )


def worst_ratio_at(distributions: Sequence[PiecewiseLaw], messages: Iterable[int]) -> Fraction:
    """Return the largest ratio of the probabilities of one message under any two laws."""
    worst = Fraction(1)
    for message in messages:
        chances = [distribution.chance(message) for distribution in distributions]
        low, high = min(chances), max(chances)
        if low == 0 < high:
            raise AuditFailure(
                f"interval tape: message {message} is possible for one input and not for another"
            )
        worst = max(worst, high / low if high else worst)
    return worst
