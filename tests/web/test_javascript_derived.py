"""Derived items in the JavaScript client: reports that are Python's on all draws, numbers, refusals, and faults."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pytest

from audit.batches import derived_tasks
from pckv import Segment, Tally, Task
from pckv.base.errors import AuditFailure, PairsError
from pckv.base.wire import Report
from pckv.device.perturb import perturb
from pckv.tally.decode.support import key_support
from support.derived import labels_claimed
from support.faults import Fault
from support.node import CLIENT, NodeProcess, node
from support.traced_client import Setting, comparison, explored_points, random_points
from support.traced_settings import Request

GROUPS = Segment("group", ["a", "b", "c"])
COIN = bytes(range(16))
# Reports of larger paddings are compared at this many random draws.
MAX_EXPLORED, POINTS = 2, 8


def settings(*, together: bool) -> Iterator[Setting]:
    """Yield people with no keys, as many as the padding and more, given in falling order, with all labels by turns."""
    server: dict[str, Any] = {"name": "t", "keys": 3, "epsilon": 1, "size_share": "0.25", "coin": "server"}
    coins = [Task(**server, padding=1, segment=GROUPS), Task(**server, padding=2, together=True)]
    for task in (each for each in (*derived_tasks(), *coins) if each.together == together):
        for size in sorted({0, 1, task.padding, task.padding + 1, 2 * task.padding + 2}):
            if size <= task.key_count:
                names = [task.key_name(key) for key in reversed(range(size))]
                pairs = {name: task.ends[place % 2] for place, name in enumerate(names)}
                label = task.segment.labels[size % len(task.segment.labels)] if task.segment else None
                yield Setting(task, pairs, COIN if task.coin == "server" else None, label)


@lru_cache
def requests(*, together: bool) -> list[Request]:
    seeded = random.Random("derived")
    return [
        (
            setting,
            explored_points(setting, seeded)
            if setting.task.padding <= MAX_EXPLORED
            else random_points(setting, POINTS, seeded),
        )
        for setting in settings(together=together)
    ]


check_groups, check_together = (comparison(partial(requests, together=together)) for together in (False, True))


@pytest.mark.parametrize("check", [check_groups, check_together], ids=["by group", "together"])
def test_every_draw_makes_the_message_of_python(check: Callable[[Path], None]) -> None:
    check(CLIENT)


def check_numbers(client: Path) -> None:
    """Every two of up to 40 keys, in any order, have the number of Python, which no others have."""
    seeded = random.Random(40)
    for keys in range(2, 41):
        task = Task(name="t", keys=keys, epsilon=1, padding=keys, together=True)
        kept = seeded.sample(range(keys), keys)
        [numbers] = node(client).ask({"do": "items", "task": task.to_json(), "kept": kept})
        if sorted(numbers) != list(range(task.law.keys)) or numbers[:keys] != kept:
            raise AuditFailure(f"numbers: those of {keys} keys together are not a bijection")


def test_numbers_of_two_keys_are_a_bijection() -> None:
    check_numbers(CLIENT)


@pytest.mark.parametrize(
    ("members", "label"),
    [({"segment": GROUPS}, None), ({"segment": GROUPS}, "d"), ({"segment": GROUPS}, ""), ({"together": True}, "a"), ({}, "")],
)  # fmt: skip
def test_a_label_is_refused_in_the_words_of_python(
    process: NodeProcess, members: dict[str, Any], label: str | None
) -> None:
    task = Task(name="t", keys=3, epsilon=1, padding=2, **members)
    [refused] = process.ask({"do": "refused", "task": task.to_json(), "pairs": [], "form": "plain", "segment": label})
    with pytest.raises(PairsError) as caught:
        perturb(task, [], segment=label)
    assert refused == {"code": "bad_pairs", "message": str(caught.value)}


@pytest.mark.parametrize("task", [task for task in derived_tasks() if task.key_count <= 12], ids=str)
def test_a_report_claims_a_key_within_any_label(process: NodeProcess, task: Task) -> None:
    """What a page says that a report claims, and how likely that is, is what a tally counts."""
    label = None if task.segment is None else task.segment.labels[0]
    held: Any = {"0": 0.0} if task.has_values else ["0"]
    bodies = [perturb(task, held, segment=label).body for _ in range(20)]
    keys = task.key_names(range(min(task.key_count, 5)))
    [said] = process.ask({"do": "says", "task": task.to_json(), "bodies": [b.hex() for b in bodies], "keys": keys})
    for body, claims in zip(bodies, said, strict=True):
        tally = Tally(task)
        tally.add(Report(bytes(16), body))
        counts = key_support(tally).counts
        assert claims["labels"] == labels_claimed(tally)
        for key, levels in enumerate(claims["keys"]):
            assert levels == [level for level in range(task.level_count) if counts[level, key]]


DERIVED, COLLISION, QUESTION, REPORT = "derived.js", "mechanisms/collision.js", "size-question.js", "report.js"
PARENT = "return [{ key: label, lower: 0, threshold: 0n }, ...children];"
FAULTS = (
    Fault("the label is dropped when a set is empty", DERIVED, {PARENT: f"if (!kept.length) return []; {PARENT}"}, check_groups),
    Fault("pairs of keys beyond the padding", DERIVED, {"this.itemsOf(this.chosen(pairs, tape), label)": "this.itemsOf(pairs, label)"}, check_together),
    Fault("the label chooses the function", COLLISION, {"{ drawn = tape.below(this.functions) } = coin": "{ drawn = pairs[0].key < 3 ? BigInt(pairs[0].key) : tape.below(this.functions) } = coin"}, check_groups),
    Fault("the order of keys is visible in a pair's number", DERIVED, {".sort((first, second) => first - second)": ""}, check_together),
    Fault("the order of keys is visible, numbers", DERIVED, {".sort((first, second) => first - second)": ""}, check_numbers, "bijection"),
    Fault("sizes are those of derived items", QUESTION, {"this.endOf(pairs.length, tape)": "this.endOf(this.pairs.itemsOf(pairs, label).length, tape)"}, check_together),
    Fault("sizes of keys together rounded as those of keys", DERIVED, {"this.together = together;": "this.together = false;"}, check_together),
    Fault("a label has a value", DERIVED, {"threshold: 0n": "threshold: 1n << 63n"}, check_groups),
    Fault("keys within the first label alone", DERIVED, {"this.labels + label * this.keys + key": "this.labels + key"}, check_groups),
    Fault("keys are not reported besides their pairs", DERIVED, {"return [...kept, ...crossed": "return [...kept.slice(2), ...crossed"}, check_together),
    Fault("two pairs of keys share a number", DERIVED, {"+ second - first - 1": "+ second - first - (first ? 2 : 1)"}, check_numbers, "bijection"),
    Fault("every choice beyond the padding is the first", DERIVED, {"this.itemsOf(this.chosen(pairs, tape), label)": "this.itemsOf(pairs.slice(0, this.padding), label)"}, check_together),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)
