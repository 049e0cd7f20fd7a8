"""The joint law of two items, and the law of several keys as one: by enumeration of all functions, or of all words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pckv import Segment, Tally, Task
from pckv.mechanisms.base import HeldLevels
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.statistics.moments import CountMoments, JointMoments, Scale
from pckv.tally.decode.support import item_support
from support.faults import Fault, in_place
from support.laws import collision_law

# Keys, padding, symbols, positions and levels.
FAMILIES = ((4, 2, 5, 7, 1), (4, 3, 5, 11, 1), (3, 2, 4, 7, 2))


def small_laws() -> Iterator[CollisionLaw]:
    for keys, padding, symbols, positions, levels in FAMILIES:
        for epsilon in ("0.5", "4"):
            yield collision_law(keys, padding, epsilon, symbols, positions, levels=levels)


def held_sets(law: CollisionLaw) -> Iterator[HeldLevels]:
    for size in range(law.padding + 1):
        for keys in combinations(range(law.keys), size):
            for levels in product(range(law.levels), repeat=size):
                yield dict(zip(keys, levels, strict=True))


def chance_of_all(law: CollisionLaw, held: HeldLevels, items: tuple[int, ...]) -> Fraction:
    """The chance that a report supports all of some items."""
    weights = 0
    for function in range(law.functions):
        symbols = {law.symbol(function, item) for item in items}
        if len(symbols) == 1:
            weights += law.weight(held, function * law.symbols + symbols.pop())
    return Fraction(weights, law.total(held))


def check_joint_law() -> None:
    """Exactly where either item is held; where neither is, exactly without pairs, and nearly on average over sets."""
    for law in small_laws():
        other = Fraction(1, law.symbols)
        joint = law.joint_support(other)
        for held in held_sets(law):
            own = {law.item(key, level) for key, level in held.items()}
            free = [pair for pair in combinations(range(law.items), 2) if not own & {*pair}]
            for pair in combinations(range(law.items), 2):
                expected = (joint.neither, joint.one, joint.both)[len(own & {*pair})]
                if own & {*pair} or not held:
                    assert chance_of_all(law, held, pair) == expected, (held, pair)
            if free and held:
                chances = [chance_of_all(law, held, pair) for pair in free]
                # What the pairs take of all other symbols is left out, as for single items.
                assert float(sum(chances) / len(free)) == pytest.approx(float(joint.neither), abs=0.04)
        [first] = {chance_of_all(law, {0: 0}, (law.item(0, 0),))}
        assert first == joint.own


def test_two_items_are_supported_as_often_as_the_joint_law_says() -> None:
    check_joint_law()


def check_joint_law_of_words() -> None:
    """Exactly, for all sets of items of `grr`: what a tally counts of each word, with its chance."""
    for keys, padding, epsilon in ((2, 1, "0.5"), (2, 2, "4")):
        segment = Segment("group", ["a", "b"])
        stated: dict[str, Any] = {"mechanism": "grr", "padding": padding, "size_share": 0, "segment": segment}
        task = Task(name="t", keys=keys, epsilon=epsilon, **stated)
        law = task.law
        assert isinstance(law, GrrLaw)
        joint = law.joint_support(law.other)
        supported = []
        for word in law.messages():
            tally = Tally(task)
            tally.add_many(np.array([word]))
            supported.append(set(np.flatnonzero(item_support(tally).total).tolist()))
        for size in range(law.padding + 1):
            for held in combinations(range(law.keys), size):
                weights, total = law.distribution(dict.fromkeys(held, 0))
                for pair in combinations(range(law.keys), 2):
                    expected = (joint.neither, joint.one, joint.both)[len({*held} & {*pair})]
                    both = sum(weights[word] for word in law.messages() if {*pair} <= supported[word])
                    assert Fraction(both, total) == expected
                for item in range(law.keys):
                    single = sum(weights[word] for word in law.messages() if item in supported[word])
                    assert Fraction(single, total) == (joint.own if item in held else joint.other)


def test_no_word_supports_two_items_of_grr() -> None:
    check_joint_law_of_words()


FAULTS = [
    in_place(
        "two items that are held are supported independently of each other",
        "mechanisms/collision/law.py",
        {"JointSupport(both=alike * held,": "JointSupport(both=held * held,"},
        check_joint_law,
    ),
    in_place(
        "two items of which one is held are supported as often as two of which none is",
        "mechanisms/collision/law.py",
        {"one=alike * held, neither": "one=alike * other, neither"},
        check_joint_law,
    ),
    in_place(
        "words of one item that support two independently of each other",
        "mechanisms/grr/law.py",
        {"JointSupport(both=never, one=never,": "JointSupport(both=other * other, one=never,"},
        check_joint_law_of_words,
    ),
    in_place(
        "an item that is held as if it were always sampled",
        "mechanisms/grr/law.py",
        {"own=self.count_law.holder.own, other=other": "own=self.sampled.own, other=other"},
        check_joint_law_of_words,
    ),
]


@pytest.mark.parametrize("fault", FAULTS[:1], ids=str)
def test_a_fault_of_the_joint_law_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


@pytest.mark.verify
@pytest.mark.parametrize("fault", FAULTS[1:], ids=str)
def test_any_fault_of_the_joint_law_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


def test_covariances_are_those_of_all_people() -> None:
    """Of two keys with two levels, counted over levels: what single items give, person by person."""
    law = collision_law(3, 2, "2", 5, 11, levels=2)
    other = Fraction(1, law.symbols)
    joint, people = law.joint_support(other), {(True, True): 3, (True, False): 2, (False, True): 1, (False, False): 4}

    def chance(holds: bool, level: int) -> Fraction:
        return joint.own if holds and not level else other

    total = Fraction(0)
    for (first, second), number in people.items():
        for one, two in product(range(2), repeat=2):
            held = (first and not one) + (second and not two)
            both = (joint.neither, joint.one, joint.both)[held]
            total += number * (both - chance(first, one) * chance(second, two))
    found = JointMoments.of(joint).covariance(0.5, 0.4, 0.3, (2, 2))
    assert found == pytest.approx(float(total / 10 / (joint.own - other) ** 2))


def test_several_keys_are_one_with_all_their_levels() -> None:
    """The moments of counts that are added up over three keys, from independent supports of all their levels."""
    law = collision_law(6, 2, "2", 9, levels=3).count_law
    pooled, scale = law.pooled(3), Scale((-1.0, 0.2, 1.0))
    moments = CountMoments.of(pooled, scale=scale)
    weights = scale.weights
    for level in range(3):
        chances = [float(law.holder.own if number == level else law.holder.other) for number in range(9)]
        each = [weights[number % 3] for number in range(9)]
        variance = sum(chance * (1 - chance) for chance in chances)
        of_weights = sum(weight**2 * chance * (1 - chance) for weight, chance in zip(each, chances, strict=True))
        mixed = sum(weight * chance * (1 - chance) for weight, chance in zip(each, chances, strict=True))
        assert moments.sum_variance(1.0) == pytest.approx(variance)
        known = CountMoments(moments.holder, moments.absent, scale, spread=weights[level] ** 2, padding=moments.padding)
        assert known.difference_variance(1.0, scale.values[level]) == pytest.approx(of_weights)
        assert moments.covariance(1.0, scale.values[level]) == pytest.approx(mixed)
    assert len(moments.absent.numbers) == 10
