"""The interval tape: every draw of 64 bits is visited, whatever the code does with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from pckv.auditing.interval_tape import Leaf, explore
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.mechanisms.base import FunctionCount

ONE = 2**64
Run = Callable[[Tape], Any]


def distribution(leaves: list[Leaf]) -> dict[int, Fraction]:
    """Return the law of few messages."""
    chances: Counter[int] = Counter()
    for leaf in leaves:
        for message in range(leaf.first, leaf.last + 1, leaf.step):
            chances[message] += leaf.chance / leaf.messages  # type: ignore[assignment]
    return {message: Fraction(chance) for message, chance in chances.items()}


def test_thresholds_of_64_bits() -> None:
    found = distribution(explore(lambda tape: tape.bernoulli(3) + 2 * tape.bernoulli(ONE - 1)))
    unlikely = Fraction(1, ONE)
    assert found == {
        0: (1 - 3 * unlikely) * unlikely,
        1: 3 * unlikely * unlikely,
        2: (1 - 3 * unlikely) * (1 - unlikely),
        3: 3 * unlikely * (1 - unlikely),
    }


@pytest.mark.parametrize("count", [1, 2, 3, 10, 2**31 - 1, 2**32, 2**63 + 1, ONE - 1, ONE])
def test_below_is_uniform(count: int) -> None:
    [leaf] = explore(lambda tape: tape.below(count))
    assert (leaf.first, leaf.last, leaf.step) == (0, count - 1, 1)
    assert leaf.chance == 1
    assert leaf.highest[0] == ONE // count * count - 1


def test_a_remainder_without_rejection_is_not_uniform() -> None:
    complete, rest = explore(lambda tape: tape.draw() % 10)
    assert (complete.messages, rest.messages) == (10, 6)
    assert rest.chance == Fraction(6, ONE)


def branching(tape: Tape) -> int:
    first, second = tape.below(4), tape.below(3)
    return int(first * 4 + int(second)) if first < 2 else 20 + int(second)


def comparing_later(tape: Tape) -> int:
    first, second = tape.draw(), tape.below(3)
    return int(second) + 10 * (first < 3 if second else first < 5)


def comparing_draws(tape: Tape) -> int:
    first, second = tape.draw(), tape.draw()
    return int(first < second)


def remainder_of_a_moved_draw(tape: Tape) -> int:
    number = tape.draw()
    rest = number % 5
    return int((number + 7) - rest <= 12)


def remainder_of_a_multiple(tape: Tape) -> int:
    number = tape.draw()
    rest = number % 5
    return int(3 * number - rest < 9) + 2 * int(number - 2 * rest < 6)


def moved_below(tape: Tape) -> int:
    """Return a remainder of which the incomplete last run is accepted."""
    number = tape.draw()
    rest = number % 5
    return int(rest) if (number - 5) - rest <= tape.one - 5 else 9


def twice_the_draw(tape: Tape) -> int:
    number = tape.draw()
    return int(number + number < 9) + int(number * number < 50)


RUNS: dict[str, Run] = {
    "a multiple less a remainder": remainder_of_a_multiple,
    "a moved draw less its remainder": remainder_of_a_moved_draw,
    "a rejection that is moved": moved_below,
    "a draw with itself": twice_the_draw,
    "an order that depends on a draw": branching,
    "an earlier draw compared later": comparing_later,
    "two draws compared": comparing_draws,
    "steps": lambda tape: 3 * tape.below(5) + 1,
    "quotients": lambda tape: tape.draw() // 5,
    "shifts and masks": lambda tape: (tape.draw() >> 1) + (tape.draw() & 3),
    "wrapping": lambda tape: (tape.below(7) + 3) % 5,
    "equality": lambda tape: (tape.draw() == 4) + 2 * (tape.draw() != 9),
    "truth": lambda tape: 7 if tape.below(3) else 8,
    "digits": lambda tape: int(str(tape.draw()).endswith("7")),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_equals_every_value_of_a_short_tape(run: Run) -> None:
    """With 4 bits per draw all draws can be run one by one: the laws are the same."""

    class ShortTape(Tape):
        one = 16

        def __init__(self, numbers: tuple[int, ...]) -> None:
            self._numbers = list(numbers)

        def draw(self) -> int:
            return self._numbers.pop(0)

    ways: Counter[int] = Counter()
    for numbers in product(range(16), repeat=4):
        try:
            ways[int(run(ShortTape(numbers)))] += 1
        except IndexError:
            # More rejections than there are draws.
            continue
    try:
        found = distribution(explore(run, bits=4))
    except AuditFailure:
        # What cannot be followed must be refused.
        return
    total = ways.total()
    assert found.keys() == ways.keys()
    for message, chance in found.items():
        # Three rejections in a row are left out of the count.
        assert abs(chance - Fraction(ways[message], total)) < Fraction(1, 1000)


SEEDED: dict[str, Run] = {
    "a remainder of the seed": lambda tape: 1 if tape.below(FunctionCount(1000)) % 7 == 3 else 0,
    "a number among seeds": lambda tape: 1 if tape.below(FunctionCount(1000)) in (3, 4) else 0,
    "the seed as an index": lambda tape: [0, 1][tape.below(FunctionCount(1000))],
    "the digits of the seed": lambda tape: int(str(tape.below(FunctionCount(1000))).endswith("7")),
    "the truth of the seed": lambda tape: 1 if tape.below(FunctionCount(1000)) else 0,
}


@pytest.mark.parametrize("run", SEEDED.values(), ids=SEEDED)
def test_decisions_must_not_depend_on_the_seed(run: Run) -> None:
    with pytest.raises(AuditFailure, match="hash function"):
        explore(run, seed=5)


def test_the_seed_enters_the_message() -> None:
    [leaf] = explore(lambda tape: tape.below(FunctionCount(1000)) * 8 + tape.below(8), seed=5)
    assert (leaf.first, leaf.last) == (40, 47)
    assert leaf.lowest == (5, 0)


def test_a_draw_as_it_is_and_by_its_remainder() -> None:
    def run(tape: Tape) -> int:
        number = tape.draw()
        return int(number % 10 < 3) + int(number < 100)

    with pytest.raises(AuditFailure, match="both"):
        explore(run)


def test_a_draw_is_compared_with_whole_numbers_only() -> None:
    runs: tuple[Run, ...] = (
        lambda tape: tape.draw() < 0.5 * ONE,
        lambda tape: tape.draw() * 0.5 < 3,
        lambda tape: tape.draw() - 0.5 < 3,
        lambda tape: tape.draw() // 2.5 < 3,
        lambda tape: tape.draw() == 10.0,
    )
    for run in runs:
        with pytest.raises(TypeError):
            explore(run)
