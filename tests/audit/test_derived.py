"""Derived items: the exact ε of their reports, found by running the code, and faults of how items are made."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from audit.batches import derived_tasks
from pckv import Segment, Task, audit
from pckv.auditing.derived import LabelledValues, label_of
from pckv.auditing.sampler_loss import visited_sets
from pckv.base.errors import AuditFailure
from support.faults import Fault, in_place
from support.tiers import wide

GROUPS = Segment("group", ["a", "b"])


def derived_task(**members: Any) -> Task:
    """Return a task of which a share of the reports answers the size question."""
    given: dict[str, Any] = {"name": "t", "keys": 3, "epsilon": 1, "padding": 1, "size_share": "0.25"}
    return Task(**given | members)


SMALL = {
    "by group": derived_task(segment=GROUPS, mechanism="collision"),
    "by group and values": derived_task(segment=GROUPS, values=(0, 1), keys=2),
    "by group and others": derived_task(segment=GROUPS, keys=2, other="other", mechanism="collision"),
    "by group, coins": derived_task(segment=GROUPS, coin="server"),
    "together": derived_task(together=True, padding=2, mechanism="collision"),
    "together, coins": derived_task(together=True, padding=2, coin="server"),
    "grr, by group": derived_task(segment=GROUPS, mechanism="grr"),
    "grr, by group and others": derived_task(segment=GROUPS, keys=2, other="other", mechanism="grr"),
    "grr, together": derived_task(together=True, padding=2, mechanism="grr"),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_loss_is_exactly_the_stated_one(name: str) -> None:
    """All sets of keys, with all labels, sets beyond the padding and none at all."""
    check_loss(name)
    sets = list(visited_sets(SMALL[name]))
    assert {label_of(values) for values in sets if not values} == set(range(2 if SMALL[name].segment else 1))
    assert max(map(len, sets)) > SMALL[name].padding


def check_loss(name: str) -> None:
    """Raise an `AuditFailure` unless reports follow the stated law, and lose what it says."""
    result = audit(SMALL[name])
    if not result.holds or result.enumerated < 1 - 1e-9:
        raise AuditFailure(f"derived items: {result.enumerated} is lost, {result.closed_form} stated")


@pytest.mark.parametrize("task", wide(*derived_tasks("2"), *derived_tasks("0.1")), ids=str)
def test_larger_tasks_keep_their_epsilon(task: Task) -> None:
    assert audit(task).holds


def test_labels_are_visited() -> None:
    """Each of few labels with every set of few keys; of many, all with none, and others by turns."""
    few = [(label_of(values), *sorted(values)) for values in visited_sets(SMALL["by group"])]
    sets = [held for size in range(4) for held in combinations(range(3), size)]
    assert sorted(few) == sorted((label, *held) for label in range(2) for held in sets)
    many = list(visited_sets(derived_task(keys=100, segment=Segment("group", map(str, range(16))))))
    assert [label_of(values) for values in many if not values] == list(range(16))
    assert len({label_of(values) for values in many if values}) > 5
    assert label_of({}) == 0
    assert label_of(LabelledValues({1: 0.0}, 3)) == 3


DERIVATION, PERTURB = "mechanisms/derivation.py", "device/perturb.py"
PARENT = "return [(label, 0, 0), *children]"
KEPT = "task.derivation.derive(choose(pairs, task.padding, tape), label)"
SAMPLED = "        return sampler(law, pairs, tape)\n"
group, values, together = (partial(check_loss, name) for name in ("by group", "by group and values", "together"))
sampled_group, sampled_together = (partial(check_loss, f"grr, {name}") for name in ("by group", "together"))
FAULTS = (
    in_place("pairs of keys beyond the padding, of which one is sampled", PERTURB, {KEPT: "task.derivation.derive(pairs, label)"}, sampled_together),
    in_place("the label is dropped when a set is empty", DERIVATION, {PARENT: f"{PARENT} if kept else []"}, group, "of no pairs has another chance"),
    in_place("pairs of keys beyond the padding", PERTURB, {KEPT: "task.derivation.derive(pairs, label)"}, together),
    in_place("the label chooses the function", PERTURB, {SAMPLED: "        return sampler(law, pairs, tape, label)\n"}, group),
    in_place("the order of keys is visible in a pair's number", DERIVATION, {"keys = sorted(key for key, _, _ in kept)": "keys = [key for key, _, _ in kept]"}, together),
    in_place("sizes are those of derived items", PERTURB, {"answer(question, len(pairs), tape)": "answer(question, len(task.derivation.derive(pairs, label)), tape)"}, together),
    in_place("the label decides who is asked for sizes", PERTURB, {"        if asks_size:": "        if asks_size and label == 0:"}, group, "a decision depends on"),
    in_place("keys within the first label alone", DERIVATION, {"self.labels + label * self.keys + key": "self.labels + key"}, group),
    in_place("labels share the numbers of their keys", DERIVATION, {"self.labels + label * self.keys + key": "self.labels + label + key"}, group),
    in_place("a label has a value", DERIVATION, {PARENT: PARENT.replace("(label, 0, 0)", "(label, 0, 1 << 63)")}, values),
    in_place("keys within labels without their values", DERIVATION, {"key), below, threshold) for": "key), 0, 0) for"}, values),
    in_place("keys are not reported besides their pairs", DERIVATION, {"return [*kept, *((number": "return [*kept[2:], *((number"}, together),
    in_place("pairs of keys share a number", DERIVATION, {"+ second - first - 1": "+ second - first - 1 - (first > 0)"}, together),
    in_place("the label is dropped when a set is empty, one item being sampled", DERIVATION, {PARENT: f"{PARENT} if kept else []"}, sampled_group, "of no pairs has another chance"),
    in_place("the label is always sampled", PERTURB, {SAMPLED: "        return sampler(law, pairs[:1], tape)\n"}, sampled_group),
    in_place("every choice beyond the padding is the first", PERTURB, {KEPT: "task.derivation.derive(pairs[: task.padding], label)"}, together),
)  # fmt: skip


@pytest.mark.parametrize("fault", [*FAULTS[:6], *wide(*FAULTS[6:])], ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)
