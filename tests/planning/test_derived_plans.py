"""What a plan says of labels and of keys together: errors as the reports of devices have them, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pckv import Plan, Segment, Task, estimate, plan
from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.base.words import percent, points
from pckv.device.vectorised import perturb_many
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.derivation import MECHANISMS, ByGroup, Together
from pckv.mechanisms.registry import LAWS, build
from pckv.planning.assessment import Assessment
from pckv.planning.derived import ItemErrors, Labels, PlannedSegment, planned_segment
from pckv.planning.people import expect
from pckv.planning.set_sizes import SetSizes, Spectrum
from pckv.statistics.moments import CountMoments
from support.derived import collect, people_who_hold
from support.faults import Fault, in_place

VERIFY = pytest.mark.verify
AGES = Segment("age", ["young", "middle", "old"])
# People in one collection, and how many collections are simulated: a standard error is then known within 3.2 %.
PEOPLE, COLLECTIONS = 1_000, 500
TOLERANCE = 0.1
# Held by this share within the label that holds it less.
TYPICAL = 0.2
# Of 40 people, ten are young, of whom nine hold key 0; and so on. All hold one key.
BY_AGE = [
    *([(0, (0,))] * 9 + [(0, (1,))]),
    *([(1, (0,))] * 9 + [(1, (5,))]),
    *([(2, (0,))] * 18 + [(2, (7,)), (2, (8,))]),
]
# Of 20 people, ten hold key 0, and six of them key 1. All hold three keys.
IN_THREES = [*[(0, (0, 1, 2))] * 6, *[(0, (0, 3, 4))] * 4, *[(0, (1, 2, 5))] * 3, *[(0, (3, 4, 5))] * 7]
LABELLED: dict[str, Any] = {"users": PEOPLE, "sizes": {1: 1}, "frequency": 0.9}
HELD_TOGETHER: dict[str, Any] = {"users": PEOPLE, "sizes": {3: 1}, "frequency": 0.5}


def people_with(sets: Sequence[tuple[int, Sequence[int]]], *, labelled: bool) -> Population:
    """Return all people of all collections, with labels and keys: each set in turn."""
    sizes = [len(keys) for _, keys in sets]
    numbers = np.concatenate([np.array(keys, np.int32) for _, keys in sets])
    labels = np.array([label for label, _ in sets]) if labelled else None
    some = Population(np.append(0, np.cumsum(sizes)), numbers, np.ones(numbers.size), labels)
    return some.take(np.arange(PEOPLE * COLLECTIONS) % len(sets))


def measured(task: Task, people: Population, items: list[int]) -> list[Floats]:
    """Return the estimated shares of people with some items, one per collection, from the reports of devices."""
    law = task.law
    words = np.concatenate([batch.messages for batch in perturb_many(task, people, seeded_source(41))])
    of_pairs = (words < (law.word_limit or 0)).reshape(COLLECTIONS, PEOPLE)
    held, other = float(law.count_law.holder.own), float(law.count_law.absent.own)
    found = []
    for item in items:
        supports = supporting(law, words, item).reshape(of_pairs.shape) & of_pairs
        found.append((supports.sum(axis=1) / of_pairs.sum(axis=1) - other) / (held - other))
    return found


def supporting(law: Law, words: Integers, item: int) -> Flags:
    """Return which words support an item."""
    if not isinstance(law, CollisionLaw):
        return np.asarray(words == item)
    functions, symbols = np.divmod(words.astype(np.uint64), np.uint64(law.symbols))
    return np.asarray(law.symbol_at(functions, np.uint64(law.numbering.position(item))) == symbols)


def by_age(mechanism: str, size_share: str | None = None) -> Task:
    return Task(name="t", keys=10, epsilon=8, segment=AGES, size_share=size_share, mechanism=mechanism, **LABELLED)


def in_threes(mechanism: str) -> Task:
    return Task(name="t", keys=6, epsilon=4, together=True, mechanism=mechanism, **HELD_TOGETHER)


@cache
def measured_within(mechanism: str, size_share: str | None) -> tuple[float, float]:
    """Return the standard errors of a share within a label, and over all labels."""
    task = by_age(mechanism, size_share)
    assert isinstance(task.derivation, ByGroup)
    cells = [task.derivation.child(label, 0) for label in range(3)]
    young, *shares = measured(task, people_with(BY_AGE, labelled=True), [0, *cells])
    return float(np.std(shares[0] / young)), float(np.std(np.sum(shares, axis=0)))


@cache
def measured_together(mechanism: str) -> tuple[float, float]:
    """Return the standard errors of the share of two keys, and of one among the holders of the other."""
    task = in_threes(mechanism)
    assert isinstance(task.derivation, Together)
    key, both = measured(task, people_with(IN_THREES, labelled=False), [0, task.derivation.child(0, 1)])
    return float(np.std(both)), float(np.std(both / key))


def check_errors_within(size_share: str | None = None, mechanism: str = "collision") -> None:
    """Assert that the errors of shares within a label, and over all, are those that reports have."""
    expected = expect(10, levels=(1.0,), derivation=ByGroup(10, 3), **LABELLED)
    chosen = Assessment(by_age(mechanism).law, expected)
    [error] = planned_segment(chosen, chosen, chosen, Labels(3, 0.25), [0.9]).errors
    # Without the size question, which the plan has, there are more reports of pairs.
    fewer = 1 if size_share is None else math.sqrt(0.95)
    within, overall = measured_within(mechanism, size_share)
    assert within == pytest.approx(error.within * fewer, rel=TOLERANCE)
    assert overall == pytest.approx(error.overall * fewer, rel=TOLERANCE)


def check_errors_together(mechanism: str = "collision") -> None:
    """Assert that the errors of two keys, and of one among the holders of the other, are those that reports have."""
    expected = expect(6, levels=(1.0,), derivation=Together(6), **HELD_TOGETHER)
    items = ItemErrors(Assessment(in_threes(mechanism).law, expected))
    both, given = measured_together(mechanism)
    assert both == pytest.approx(items.share_error(0.3, 0.3), rel=TOLERANCE)
    assert given == pytest.approx(items.ratio_error(0.3, 0.5, 0.3, 0.5), rel=TOLERANCE)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("size_share", [pytest.param("0", marks=VERIFY), None], ids=["pairs", "chosen"])
def test_errors_within_a_label_are_those_of_reports(size_share: str | None, mechanism: str) -> None:
    check_errors_within(size_share, mechanism)


@VERIFY
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_errors_of_two_keys_together_are_those_of_reports(mechanism: str) -> None:
    check_errors_together(mechanism)


def check_costs_of_labels() -> None:
    """Assert what a segment costs over all people and within a label, and what public labels do."""
    found = plan(20, users=200_000, epsilon=2, sizes={3: 1}, segment=4).segment
    assert found is not None
    assert (found.labels, found.label_share) == (4, 0.25)
    # One more item, and the noise of four of them; of a quarter of the people; and of either alone.
    assert found.public_cost == pytest.approx(2, rel=0.1)
    assert 2 < found.overall_cost < 3
    assert 4 < found.within_cost < 6
    rare = plan(20, users=200_000, epsilon=2, sizes={3: 1}, segment=4, label_share=0.05).segment
    assert rare is not None
    assert rare.within_cost == pytest.approx(5 * found.within_cost, rel=0.15)
    assert rare.people == pytest.approx(5 * found.people)
    assert rare.smallest_share == pytest.approx(min(1, 5 * found.smallest_share))


DERIVED = "planning/derived.py"
FAULTS = [
    in_place(
        "label and key as if they were counted in other reports",
        DERIVED,
        {"- 2 * ratio * self._joint": "- 0 * ratio * self._joint"},
        check_errors_within,
    ),
    pytest.param(
        in_place(
            "an overall error that is a label's",
            "planning/assessment.py",
            {"key_law(self.law.count_law, question.derivation), asked": "self.law.count_law, asked"},
            check_costs_of_labels,
        ),
        marks=VERIFY,
    ),
    pytest.param(
        in_place(
            "the label known without error",
            DERIVED,
            {"+ ratio**2 * self._parent": "+ 0 * self._parent"},
            check_errors_within,
        ),
        marks=VERIFY,
    ),
    pytest.param(
        in_place(
            "pairs with the padding of keys",
            "mechanisms/derivation.py",
            {"return kept * (kept + 1) // 2": "return kept + 1"},
            check_errors_together,
        ),
        marks=VERIFY,
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_faults_are_caught(fault: Fault, tmp_path: Path) -> None:
    # What is measured is measured before the fault is planted.
    measured_within("collision", None)
    if fault.file.startswith("mechanisms"):
        measured_together("collision")
    fault.check_caught(tmp_path, raises=AssertionError)


def rare_variance(mechanism: str, items: int, padding: int, epsilon: str) -> float:
    """Return the variance of a rare item's share, times the number of reports; infinite where there is no such law."""
    try:
        law = build(mechanism, items, padding, Fraction(epsilon), {}, 1)
    except ParameterError:
        return math.inf
    return CountMoments.of(law.count_law).frequency_variance(0.01)


@pytest.mark.parametrize(
    "epsilon", ["1", "4", *(pytest.param(each, marks=VERIFY) for each in ("0.5", "2", "5.3", "8"))]
)
@pytest.mark.parametrize("padding", [2, *(pytest.param(each, marks=VERIFY) for each in (3, 6, 15))])
def test_one_of_the_mechanisms_that_take_items_is_the_best_of_all(padding: int, epsilon: str) -> None:
    """So that none of the others is missed (docs/decisions.md); each of the two is the best for some items."""
    for items in (12, 33, 63, 210, 303, 1275, 5000):
        errors = {name: rare_variance(name, items, padding, epsilon) for name in LAWS}
        assert min(errors, key=lambda name: errors[name]) in MECHANISMS


@pytest.mark.parametrize(
    ("keys", "epsilon", "members"),
    [
        (8, 2, {"segment": AGES, "padding": 2}),
        (50, 5.3, {"segment": AGES, "padding": 3}),
        (200, 1, {"segment": AGES, "padding": 3}),
        (2000, 4, {"segment": AGES, "padding": 3}),
        (6, 4, {"together": True, "padding": 3}),
        (100, 1, {"together": True, "padding": 5}),
    ],
    ids=str,
)
def test_the_mechanism_with_the_smaller_error_is_chosen(keys: int, epsilon: float, members: dict[str, Any]) -> None:
    """Unless they are nearly alike; with coins, which need functions, and with values it is `collision` in any case."""
    task = Task(name="t", keys=keys, epsilon=epsilon, users=20_000, pairs=2, **members)
    errors = {name: rare_variance(name, task.law.keys, task.law.padding, str(epsilon)) for name in MECHANISMS}
    assert max(errors.values()) > 1.1 * min(errors.values())
    assert task.mechanism == min(errors, key=lambda name: errors[name])
    with_coins = Task(name="t", keys=keys, epsilon=epsilon, coin="server", **members)
    assert with_coins.mechanism == "collision"
    if "segment" in members:
        assert Task(name="t", keys=keys, epsilon=epsilon, values=(0, 1), **members).mechanism == "collision"


def test_a_plan_compares_the_mechanisms_that_take_items() -> None:
    given: tuple[tuple[dict[str, Any], set[str]], ...] = (({}, {*MECHANISMS}), ({"values": (0, 1)}, {"collision"}))
    for options, names in given:
        found = plan(8, users=5_000, epsilon=2, pairs=2, segment=3, **options)
        assert {option.mechanism for option in found.options} == names
        assert found.mechanism == ("collision" if options else "grr")


def test_a_segment_costs_more_than_one_task_per_label() -> None:
    check_costs_of_labels()


def test_what_pairs_cost_and_which_stand_out() -> None:
    """Figures of a padding of 5 with 10^6 people, 50 keys and ε 2, which the design states: .0035, alone .0020."""
    found = plan(50, users=1_000_000, epsilon=2, sizes={5: 1}, together=True)
    together = found.together
    assert together is not None
    assert (found.padding, together.pairs) == (5, 1225)
    rare = together.errors[-1]
    assert rare.error == pytest.approx(0.0035, rel=0.08)
    assert 1.6 < together.cost < 2.2
    assert together.smallest_share == pytest.approx(4.5 * 0.0035, rel=0.2)
    assert 0 < together.standing_out == sum(share >= together.smallest_share for share in together.likely)
    at_one = plan(50, users=10_000, epsilon=1, sizes={5: 1}, together=True).together
    assert at_one is not None
    # The design says 70 and 22 people.
    assert 60 < at_one.people < 85
    assert 18 < at_one.people_alone < 26


@pytest.mark.parametrize(
    "options",
    [{"segment": AGES, "values": (1, 5)}, pytest.param({"segment": 2, "panels": 4}, marks=VERIFY), {"together": True}],
)
def test_plans_are_read_back_and_say_what_they_cost(options: dict[str, Any]) -> None:
    found = plan(30, users=50_000, epsilon=3, pairs=3, **options)
    assert Plan.from_json(found.to_json()) == found
    sections = {section.title: section for section in found.sections()}
    title = "Two keys together" if found.together else "Within a label"
    [section] = [section for name, section in sections.items() if name.startswith(title)]
    assert all(len(row) == len(section.columns) for row in section.rows)
    assert title in " ".join(sections["Hostile reports"].sentences).replace("two keys", "Two keys")
    assert ("mean within the label" in section.columns) == ("values" in options)
    # What the plan is made for is what a task has.
    hints = {name: value for name, value in options.items() if name != "panels"} | {"users": 50_000 // found.panels}
    if isinstance(hints.get("segment"), int):
        hints["segment"] = Segment("s", ["a", "b"])
    task = Task(name="t", keys=30, epsilon=3, pairs=3, **hints)
    assert (task.padding, task.size_share, task.parameters) == (found.padding, found.size_share, found.parameters)


def test_two_keys_of_people_with_that_many_keys() -> None:
    """All pairs together are m(m - 1)/2 per person, and of these a padding keeps ℓ(ℓ - 1)/2."""
    for size, padding in ((2, 2), (5, 3), (12, 4)):
        spectrum = Spectrum(12, SetSizes({size: 1}))
        pairs = [
            spectrum.together(1 / first, 1 / second, padding) for second in range(2, 13) for first in range(1, second)
        ]
        assert sum(share for share, _ in pairs) == pytest.approx(math.comb(size, 2), rel=1e-6)
        assert sum(shown for _, shown in pairs) == pytest.approx(math.comb(padding, 2), rel=1e-6)
    assert Spectrum(12, SetSizes({1: 1})).together(1, 0.5, 2) == (0, 0)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"keys": 501, "together": True}, "together takes 2 to 500 keys, not 501"),
        ({"together": True, "values": (1, 5)}, "together is for keys without values"),
        ({"together": True, "segment": 2}, "together must be false where there is a segment"),
        ({"keys": "hashed", "segment": 2}, "a segment needs a list of keys: hashed keys and discoveries have none"),
        ({"segment": 17}, "a segment takes 2 to 16 labels, not 17"),
        ({"segment": True}, "segment must be a Segment or a number of labels, not True"),
        ({"segment": 2, "label_share": 1}, "label_share must be above 0 and below 1, not 1"),
        ({"label_share": 0.5}, "label_share is about a segment: say what labels it has, or how many"),
    ],
)
def test_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        plan(**({"keys": 20, "users": 1000, "epsilon": 1} | options))
    assert str(caught.value) == problem


def said_to_differ(difference: float, collections: int, *, old: float = 0.5, more: str = "refuse") -> float:
    """Return in which share of collections a key of which two labels hold such different shares is said to differ."""
    keys, users, found, rng = 6, 4000, 0, np.random.default_rng(5)
    held: dict[str, Any] = {
        "keys": keys,
        "epsilon": 3,
        "padding": 1,
        "more": more,
        "segment": Segment("age", ["young", "old"]),
    }
    task = Task(name="differing", **held)
    for seed in range(collections):
        label = (rng.random(users) < old).astype(np.int64)
        has = rng.random(users) < TYPICAL + np.where(label == 1, difference, 0)
        people = np.zeros((users, keys), np.bool_)
        people[has, 0] = True
        people[np.flatnonzero(~has), rng.integers(1, keys, int((~has).sum()))] = True
        within = estimate(collect(task, people_who_hold(people, label), seed + 1)).segments
        assert within is not None
        found += any(row.key == "0" and row.label_a == "old" for row in within.differences)
    return found / collections


def test_a_difference_is_told_between_labels_that_can_be() -> None:
    """Of two labels, if 90 % have one, 10 % have the other; the smaller decides, whichever is planned for."""

    def planned_for(share: float, users: int = 20_000, more: str = "refuse") -> PlannedSegment:
        found = plan(10, users=users, epsilon=2, segment=2, label_share=share, more=more).segment
        assert found is not None
        return found

    small, large, equal = map(planned_for, (0.1, 0.9, 0.5))
    assert (small.other_share, large.other_share, equal.other_share) == pytest.approx((0.9, 0.1, 0.5))
    assert equal.smallest_difference < 0.5 * min(small.smallest_difference, large.smallest_difference)
    typical = percent(large.typical_share)
    assert (
        f"A share of {typical} here and one within a label that 10 % of people have are said to differ about 80 % of "
        f"the time if they are about {points(large.smallest_difference)} apart; smaller differences often stay hidden."
    ) in large.section(None).sentences
    hiding = planned_for(0.9, more="sample")
    assert (
        f"If a share of {percent(hiding.typical_share)} here and one within a label that 10 % of people have are less "
        f"than about {points(hiding.smallest_difference)} apart, that mostly stays hidden; so may larger differences, "
        "since people may hold more than a report stands for."
    ) in hiding.section(None).sentences
    assert (
        "Whatever the share within a label that 10 % of people have is, it is not sure to be said to differ from one "
        f"of {percent(planned_for(0.9, 200).typical_share)} here."
    ) in planned_for(0.9, 200).section(None).sentences


def planned_difference(young: float, more: str = "refuse") -> float:
    options: dict[str, Any] = {"more": more, "sizes": {1: 1}, "frequency": TYPICAL, "segment": 2}
    found = plan(6, users=4000, epsilon=3, label_share=young, **options).segment
    assert found is not None
    assert found.hides == (more != "refuse")
    return found.smallest_difference


@pytest.mark.parametrize("young", [0.5, 0.25])
def test_a_difference_of_the_planned_size_is_found_four_times_out_of_five(young: float) -> None:
    """Seeded, 100 collections: .8 is hit within 4 of its standard errors of .04; half of it, the control, is not."""
    planned = planned_difference(young)
    assert 0.64 < said_to_differ(planned, 100, old=1 - young) < 0.96
    assert said_to_differ(planned / 2, 100, old=1 - young) < 0.5


def test_a_smaller_difference_mostly_stays_hidden_where_people_may_hold_more() -> None:
    """Seeded, 30 collections, of a difference that is 95 % of the planned one."""
    assert said_to_differ(0.95 * planned_difference(0.5, "sample"), 30, more="sample") < 0.5
