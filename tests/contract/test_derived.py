"""Tasks of which items are derived: what is taken and refused, their JSON, their numbers, and how sizes are rounded."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from pckv import Segment, Series, Task
from pckv.base.errors import PairsError, ParameterError, TaskError
from pckv.base.population import Population
from pckv.contract.facts import said
from pckv.device.perturb import check_held, perturb
from pckv.device.vectorised import perturb_many
from pckv.mechanisms.derivation import ByGroup, Together
from pckv.mechanisms.size_question.law import SizeQuestion

AGES = Segment("age", ["under 30", "30 to 60", "over 60"])


def make(**members: Any) -> Task:
    given: dict[str, Any] = {"name": "t", "keys": ["x", "y", "z"], "epsilon": 1, "padding": 2, "size_share": "0.25"}
    return Task(**given | members)


@pytest.mark.parametrize(
    "members",
    [
        {"segment": AGES},
        {"segment": AGES, "values": (1, 5), "levels": 5, "other": "other"},
        {"segment": AGES, "keys": 10**6, "coin": "server"},
        {"segment": Segment("größe", map(str, range(16))), "keys": 1, "padding": 1, "size_share": 0},
        {"together": True},
        {"together": True, "keys": 500, "padding": 5, "more": "refuse", "size_share": 0},
        {"together": True, "padding": 3, "size_share": 0, "mechanism": {"name": "collision", "symbols": 12}},
        {"together": True, "mechanism": "grr", "keys": 40, "padding": 3},
        {"segment": AGES, "mechanism": "grr", "other": "other"},
    ],
    ids=str,
)
def test_a_task_survives_its_json(members: dict[str, Any]) -> None:
    task = make(**members)
    read = Task.from_json(task.to_json())
    assert read == task
    assert (read.segment, read.together, read.padding) == (task.segment, task.together, task.padding)
    assert (read.law.keys, read.law.padding) == (task.law.keys, task.law.padding)
    assert read.derivation is not None
    assert read.derivation == task.derivation
    assert (read.law.keys, read.law.padding) == (read.derivation.items, read.derivation.padding(task.padding))
    series = Series(task=make(**members | {"coin": "device"}), first="2030-01-07", period=7, panels=2)
    assert Series.from_json(series.to_json()).task_of(2).derivation == task.derivation


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"segment": {"name": "age", "labels": []}}, "a segment takes 2 to 16 labels, not 0"),
        ({"segment": {"name": "age", "labels": ["a"]}}, "a segment takes 2 to 16 labels, not 1"),
        ({"segment": {"name": "age", "labels": list(map(str, range(17)))}}, "a segment takes 2 to 16 labels, not 17"),
        ({"segment": {"name": "age", "labels": ["a", "a"]}}, "label 'a' appears twice"),
        ({"segment": {"name": "age", "labels": ["a", 2]}}, "label 2 must be text, not 2"),
        ({"segment": {"name": "age", "labels": "ab"}}, "labels must be a list of names, not 'ab'"),
        ({"segment": {"name": "", "labels": ["a", "b"]}}, "the segment's name is empty"),
        ({"segment": {"labels": ["a", "b"]}}, "segment must be null or an object of labels and a name"),
        ({"segment": "age"}, "segment must be null or an object of labels and a name"),
        ({"segment": AGES, "together": True}, "together must be false where there is a segment"),
        ({"segment": AGES, "keys": "hashed"}, "a segment needs a list of keys: hashed keys and discoveries have none"),
        ({"segment": AGES, "mechanism": "ue-compact"}, "a segment needs mechanism 'collision' or 'grr', not 'ue-compact'"),
        ({"segment": AGES, "values": (0, 1), "mechanism": "grr"}, "a segment with values needs mechanism 'collision', not 'grr'"),
        ({"segment": AGES, "values": (0, 1), "mechanism": "ue"}, "a segment needs mechanism 'collision', not 'ue'"),
        ({"segment": AGES, "mechanism": "grr", "coin": "server"}, "coin must be 'device' for 'grr'"),
        ({"segment": AGES, "keys": 2**29}, "a segment takes at most 1,073,741,822 items, not 3 labels, 536,870,912 keys"),
        ({"segment": AGES, "padding": 4}, "padding must be at most the number of keys, 3, not 4"),
        ({"together": 1}, "together must be true or false, not 1"),
        ({"together": True, "keys": 501}, "together takes 2 to 500 keys, not 501"),
        ({"together": True, "keys": 1}, "together takes 2 to 500 keys, not 1"),
        ({"together": True, "values": (0, 1)}, "together is for keys without values"),
        ({"together": True, "other": "other"}, "together takes no key for all that are not listed: leave out other"),
        ({"together": True, "keys": "hashed"}, "together needs a list of keys: hashed keys and discoveries have none"),
        ({"together": True, "mechanism": "ue"}, "together needs mechanism 'collision' or 'grr', not 'ue'"),
        ({"together": True, "padding": 1}, "padding must be at least 2 for together: one key has no partner"),
    ],
)  # fmt: skip
def test_what_cannot_be_derived_is_refused_in_one_line(members: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make(**members)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('"together":true', '"together":1'),
        ('"padding":2', '"padding":1'),
        ('"segment":null', '"segment":{"labels":["a","b"],"name":"age"}'),
        ('"other":null', '"other":"other"'),
    ],
)
def test_a_text_that_is_almost_such_a_task_is_none(right: str, wrong: str) -> None:
    text = make(together=True).to_json()
    assert right in text
    with pytest.raises(TaskError, match="not a task"):
        Task.from_json(text.replace(right, wrong))


CHOICES = "under 30, 30 to 60, over 60"


@pytest.mark.parametrize(
    ("members", "label", "message"),
    [
        ({"segment": AGES}, None, f"the segment 'age' needs a label: {CHOICES}"),
        ({"segment": AGES}, "old", f"label 'old' is not one of the segment 'age': {CHOICES}"),
        ({"segment": AGES}, "", f"label '' is not one of the segment 'age': {CHOICES}"),
        ({"segment": AGES}, 1, f"label 1 is not one of the segment 'age': {CHOICES}"),
        ({"together": True}, "old", "task 't' has no segment, so that it takes no label"),
        ({}, "old", "task 't' has no segment, so that it takes no label"),
    ],
)
def test_labels_that_are_refused(members: dict[str, Any], label: Any, message: str) -> None:
    task = make(**members)
    for act in (lambda: perturb(task, ["x"], segment=label), lambda: check_held(task, [], label)):
        with pytest.raises(PairsError) as caught:
            act()
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("members", "labels", "message"),
    [
        ({"segment": AGES}, None, f"the segment 'age' needs a label of every participant: {CHOICES}"),
        ({"segment": AGES}, [0], f"the segment 'age' needs a label of every participant: {CHOICES}"),
        ({"segment": AGES}, [0, 3], f"label number 3 is not one of the segment 'age': {CHOICES}"),
        ({"segment": AGES}, [-1, 0], f"label number -1 is not one of the segment 'age': {CHOICES}"),
        ({"together": True}, [0, 0], "task 't' has no segment, so that it takes no label"),
    ],
)
def test_labels_of_many_that_are_refused(members: dict[str, Any], labels: list[int] | None, message: str) -> None:
    given = None if labels is None else np.array(labels)
    population = Population(np.array([0, 1, 1]), np.zeros(1, np.int32), np.ones(1), given)
    with pytest.raises(PairsError) as caught:
        perturb_many(make(**members), population)
    assert str(caught.value) == message


def test_a_task_says_what_is_asked_and_what_a_report_is_made_of() -> None:
    words = dict(said(make(segment=AGES, values=(0, 1)).facts()))
    assert words["segment"] == (
        f"“age”, one of 3: {CHOICES}; a label is reported together with the pairs, and as private as they are"
    )
    assert words["pairs per report"].startswith("at most 2; of participants with more")
    assert words["items per report"] == "the label, and these pairs within it: at most 3"
    words = dict(said(make(together=True).facts()))
    assert words["together"] == "reports are also about every two keys that a participant holds together"
    assert words["keys per report"].startswith("at most 2; of participants with more")
    assert words["items per report"] == "these keys, and every two of them: at most 3"
    assert not {"segment", "together", "items per report"} & dict(said(make().facts())).keys()


@pytest.mark.parametrize("keys", range(2, 41))
def test_numbers_of_two_keys_are_a_bijection(keys: int) -> None:
    derivation = Together(keys)
    numbers = [derivation.child(first, second) for first, second in combinations(range(keys), 2)]
    assert numbers == list(range(keys, derivation.items))
    items = derivation.derive([(key, 0, 0) for key in range(keys)], 0)
    assert [number for number, _, _ in items] == list(range(derivation.items))
    assert len(items) == derivation.padding(keys)


@pytest.mark.parametrize(("keys", "labels"), [(1, 2), (3, 16), (40, 5)])
def test_numbers_of_keys_within_labels_are_a_bijection(keys: int, labels: int) -> None:
    derivation = ByGroup(keys, labels)
    numbers = [number for label in range(labels) for number, _, _ in derivation.derive(_all_of(keys), label)]
    assert sorted(numbers) == list(range(derivation.items))
    # The parent is there whatever is held, at the first level, and children have the levels of their keys.
    for label in range(labels):
        assert derivation.derive([], label) == [(label, 0, 0)]
        assert [rest for _, *rest in derivation.derive([(0, 1, 7)], label)] == [[0, 0], [1, 7]]


def _all_of(keys: int) -> list[tuple[int, int, int]]:
    return [(key, 0, 0) for key in range(keys)]


def test_sizes_are_asked_of_what_is_held_and_rounded_so_that_what_is_hidden_keeps_its_mean() -> None:
    for members, order in (({"segment": AGES}, 1), ({"together": True}, 2), ({}, 1)):
        question = make(keys=60, padding=3, mechanism="grr" if members else "collision", **members).size_question
        assert question == SizeQuestion(60, 3, Fraction(1), Fraction(1, 4), order)
        assert question.ends == (3, 4, 12, 60)
        hidden = question.hidden_of(order)
        for size in range(3, 61):
            mean = sum(chance * hidden[answer] for answer, chance in question.true_answers(size))
            kept = Fraction(3, size) if order == 1 else Fraction(3 * 2, size * (size - 1))
            assert mean == 1 - kept
