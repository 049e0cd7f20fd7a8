"""What a report of `collision` supports, exactly: over all functions of few positions, and in closed form.

Two positions are sent to two different places, all of them equally likely. So the law for a participant with
at most one pair is exact. With more pairs what is held is still supported with the stated chance; how often
all else is, estimates measure (proofs/collision.md).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from audit.conformance import Subject
from audit.smaller_laws import over_positions
from pckv.auditing.exact import input_sets
from pckv.auditing.variants import with_law
from pckv.base.errors import AuditFailure
from pckv.base.limits import ONE_LEVEL
from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.mechanisms.base import HeldLevels
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.primes import least_prime
from pckv.tally import Tally

# Keys and padding.
SHAPES = ((1, 1), (2, 1), (2, 2), (3, 2))
# The same with three levels, and with the one of keys without values.
LEVEL_SHAPES = ((1, 1), (2, 1), (2, 2))
# Positions of which several are unused, next to as few as the items need.
MORE_POSITIONS = 11
EPSILON = Fraction(1)


class OnePairLaw(NamedTuple):
    """How often a report supports what is held, what is not, and two given positions at once."""

    # A participant with one pair: that pair, any other position, and the pair with another position.
    held: Fraction
    other: Fraction
    held_and_other: Fraction
    # A participant with none: any position, and any two.
    any_position: Fraction
    any_two: Fraction

    @classmethod
    def of(cls, law: CollisionLaw) -> OnePairLaw:
        """Return the law over all functions."""
        held, alike = Fraction(law.hit, law.one), share_alike(law.positions, law.symbols)
        any_position = Fraction(1, law.symbols)
        other = alike * held + (1 - alike) * (1 - held) / (law.symbols - 1)
        return cls(held, other, alike * held, any_position, alike * any_position)


def share_alike(positions: int, symbols: int) -> Fraction:
    """Return the chance that two different places have one symbol, the remainder by the number of symbols."""
    sizes = ((positions - 1 - symbol) // symbols + 1 for symbol in range(min(symbols, positions)))
    return Fraction(sum(size * (size - 1) for size in sizes), positions * (positions - 1))


def check_supports(subject: Subject) -> None:
    """Over all functions of few positions, and as stated for a task's own, reports support what they should.

    Mechanisms whose count law is exact are left to `check_unbiased`.
    """
    if not issubclass(subject.law, CollisionLaw):
        return
    shapes = [*((2, *shape) for shape in SHAPES), *((levels, *shape) for levels in (1, 3) for shape in LEVEL_SHAPES)]
    for levels, keys, padding in shapes:
        law = subject.law(keys, padding, EPSILON, levels=levels)
        check_stated_law(law)
        for positions in (MORE_POSITIONS, least_prime(law.items + 1)):
            _check_all_functions(subject, over_positions(law, positions))


def check_stated_law(law: CollisionLaw) -> None:
    """The law of a key's counts is that of a participant with one pair or none, up to t - 1 in N - t of it."""
    distribution, exact = law.count_law, OnePairLaw.of(law)
    holder = {"own": exact.held, "other": exact.other, "own_and_other": exact.held_and_other}
    absent = {"own": exact.any_position, "other": exact.any_position, "own_and_other": exact.any_two}
    absent["two_others"] = exact.any_two
    slack = Fraction(law.symbols - 1, law.positions - law.symbols)
    for found, stated in ((holder, distribution.holder), (absent, distribution.absent)):
        for part, chance in found.items():
            if abs(chance - getattr(stated, part)) > slack * chance:
                raise AuditFailure(f"count law: {part} is not that of one pair")


def _check_all_functions(subject: Subject, law: CollisionLaw) -> None:
    task = with_law(_task(law), law)
    supported = [_supported(subject, task, word) for word in range(law.word_limit)]
    for held in input_sets(law.keys, law.levels):
        if len(held) <= law.padding:
            _check_set(law, held, supported)


def _supported(subject: Subject, task: Task, word: int) -> Counter[int]:
    """Return the items that a word supports, as it is counted and decoded, and how many unused positions (at -1)."""
    tally = Tally(task)
    tally.add(Report(bytes(16), task.message_format.encode(word)))
    # Item levels·key + level, and behind those of all items the cell of unused positions.
    found = subject.support(tally).counts.T.reshape(-1).tolist()
    unused = int(tally.counts.take(np.array([len(found)]))[0])
    return Counter(dict(enumerate(found)) | {-1: unused})


def _check_set(law: CollisionLaw, held: HeldLevels, supported: list[Counter[int]]) -> None:
    weights, total = law.distribution(held)
    counts: Counter[int] = Counter()
    for word, weight in weights.items():
        for item, times in supported[word].items():
            counts[item] += weight * times
    exact, own = OnePairLaw.of(law), {law.levels * key + level for key, level in held.items()}
    for item in range(law.items):
        if item in own and Fraction(counts[item], total) != exact.held:
            raise AuditFailure(f"supports: item {item} of {held} is supported with another chance than stated")
    if len(held) > 1:
        return
    other = exact.other if held else exact.any_position
    for item in set(range(law.items)) - own:
        if Fraction(counts[item], total) != other:
            raise AuditFailure(f"supports: item {item}, not of {held}, is supported too often or too seldom")
    measured = law.measured_law(counts[-1], total)
    if measured.absent.other != other:
        raise AuditFailure(f"supports: unused positions tell another chance than that of what {held} lacks")
    if measured.holder.own != exact.held:
        raise AuditFailure("supports: the measured law has another chance of what is held")


def _task(law: CollisionLaw) -> Task:
    """Return a task with these keys; the law that it is audited with takes the place of its own."""
    return Task(
        name="supports",
        keys=law.keys,
        values=(-1, 1) if law.levels > ONE_LEVEL else None,
        levels=law.levels,
        epsilon=1,
        padding=law.padding,
        mechanism=law.name,
    )
