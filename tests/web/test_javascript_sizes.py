"""The size question in the JavaScript client, and the limit of a task that refuses larger sets."""

from __future__ import annotations

import itertools
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.budget import epsilon_of
from pckv.base.canonical import base64url
from pckv.base.errors import AuditFailure, PairsError, TaskError
from pckv.base.randomness import Tape, fixed_source
from pckv.device.perturb import check_held, perturb_from
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.size_question.law import SizeQuestion
from support.faults import Fault
from support.node import CLIENT, NodeProcess, described, node

WORDS: dict[str, dict[str, object]] = {"grr": {}, "ue-compact": {"q": 3}, "collision": {}}
# Enough for a tape of any report here, rejected draws included.
TAPE_BYTES = 16 + 8 * 200


def new_task(mechanism: str = "grr", **members: Any) -> Task:
    given: dict[str, Any] = {"name": "t", "keys": 30, "values": (0, 1), "epsilon": 1, "padding": 3} | members
    return Task(mechanism=mechanism, **given)


def test_thresholds_are_those_of_python(process: NodeProcess) -> None:
    sizes = ((2, 1), (3, 1), (4, 3), (5, 1), (30, 3), (12, 3), (13, 3), (2**31, 7), (2**31, 2**31 - 1))
    epsilons, shares = (
        ("0.000001", "0.3", "1", "20"),
        ("0.05", "0.5", "0.333333333333333333333", "0." + "0" * 30 + "1"),
    )
    for (keys, padding), epsilon, share in itertools.product(sizes, epsilons, shares):
        law = build("grr", keys, padding, Fraction(epsilon), {})
        question = SizeQuestion(keys, padding, Fraction(epsilon), Fraction(share))
        [answer] = process.ask({"do": "question", "law": described(law, question)})
        assert answer == {
            "ends": list(question.ends),
            "asked": str(question.asked),
            "kept": str(question.kept),
            "draws": max(1 + law.draws, question.draws),
            "wordLimit": str(2 * (keys + padding) + len(question.ends)),
            "share": pytest.approx(float(Fraction(share)), abs=1e-20),
            "answers": list(question.labels),
            "right": pytest.approx(float(question.true_chance), rel=1e-12),
            "wrong": pytest.approx(float(question.other_chance), rel=1e-12),
        }


def test_tasks_are_read_as_in_python(process: NodeProcess) -> None:
    tasks = [
        new_task(mechanism, epsilon=epsilon, padding=padding, size_share=share)
        for mechanism, epsilon, padding, share in itertools.product(
            WORDS, ("0.3", "2", "20"), (1, 3, 29), ("0", "0.05")
        )
    ]
    tasks += [new_task("ue"), new_task("grr", padding=30), new_task("grr", more="refuse")]
    # With very many words the pairs realise less than the answers.
    many = new_task("grr", keys=2**31)
    assert epsilon_of(many.law.realised) < many.realised_epsilon
    tasks.append(many)
    request = {"do": "vectors", "thresholds": [], "reports": []}
    [answer] = process.ask(request | {"tasks": [{"json": task.to_json()} for task in tasks]})
    assert answer["tasks"] == [
        {
            "id": task.id,
            "realised_epsilon": task.realised_epsilon,
            "word_limit": None if task.word_limit is None else str(task.word_limit),
        }
        for task in tasks
    ]


@pytest.mark.parametrize(
    ("mechanism", "edits"),
    [
        *(("grr", {"size_share": share}) for share in ("0.500001", "-0.1", "1", "0.050", ".05", "", 0, None, "-0")),
        *(("grr", {"more": more}) for more in ("", "Sample", "drop", None, 0)),
        *(("grr", {"kind": kind}) for kind in ("sizes", None)),
        ("grr", {"more": "refuse"}),
        ("ue", {"size_share": "0.05"}),
        ("grr", {"padding": 30}),
        ("grr", {"padding": 31, "size_share": "0"}),
        ("grr", {"keys": 2}),
    ],
    ids=str,
)  # fmt: skip
def test_both_refuse_the_same_tasks(process: NodeProcess, mechanism: str, edits: dict[str, Any]) -> None:
    members = json.loads(new_task(mechanism).to_json()) | edits
    text = json.dumps(members, separators=(",", ":"), sort_keys=True)
    with pytest.raises(TaskError):
        Task.from_json(text)
    [answer] = process.ask({"do": "vectors", "thresholds": [], "reports": [], "tasks": [{"json": text}]})
    assert [task["code"] for task in answer["tasks"]] == ["bad_task"]


@pytest.mark.parametrize("missing", ["more", "size_share", "keys", "mechanism"])
def test_no_member_is_left_out(process: NodeProcess, missing: str) -> None:
    members = json.loads(new_task().to_json())
    del members[missing]
    text = json.dumps(members, separators=(",", ":"))
    [answer] = process.ask({"do": "vectors", "thresholds": [], "reports": [], "tasks": [{"json": text}]})
    assert [task["message"] for task in answer["tasks"]] == [f"not a task: {missing}"]


# --- reports ---


def reports(process: NodeProcess, cases: list[tuple[Task, dict[str, float], bytes]]) -> list[Any]:
    """Return the client's reports for pairs, each from a tape."""
    vectors = [
        {"task": task.to_json(), "pairs": list(pairs.items()), "tape": tape.hex()} for task, pairs, tape in cases
    ]
    [answer] = process.ask({"do": "vectors", "thresholds": [], "tasks": [], "reports": vectors})
    made: list[Any] = answer["reports"]
    return made


def of_size(task: Task, size: int) -> dict[str, float]:
    return {task.key_name(key): key % 5 / 4 for key in range(size)}


@pytest.mark.parametrize("mechanism", LAWS)
def test_a_task_that_refuses_stops_at_the_padding(process: NodeProcess, mechanism: str) -> None:
    task, tape = new_task(mechanism, more="refuse"), random.Random(1).randbytes(TAPE_BYTES)
    at_most, refused = reports(process, [(task, of_size(task, size), tape) for size in (3, 4)])
    assert at_most["body"] == base64url(perturb_from(Tape(task.draws, fixed_source(tape)), task, of_size(task, 3)).body)
    assert (refused["code"], refused["fails_at"]) == ("bad_pairs", "pairs")
    assert refused["message"] == "task t takes at most 3 pairs, not 4; nothing was perturbed"
    with pytest.raises(PairsError):
        perturb_from(Tape(task.draws, fixed_source(tape)), task, of_size(task, 4))


# What is given for keys without values, or with them, and is refused or not.
GIVEN: tuple[object, ...] = (
    [],
    ["0", "1"],
    ["0", "0"],
    {},
    {"0": 1},
    "0",
    5,
    None,
    ["0", 1],
    [None],
    ["x"],
    list("0123"),
)


def check_words_without_values(client: Path) -> None:
    """Check that keys without values are refused, and pairs with them, in the words of Python."""
    process = node(client)
    for task in (
        new_task(values=None, more="refuse"),
        new_task(values=None, other="o"),
        new_task(keys="hashed", values=None, mechanism="collision"),
    ):
        asked = [{"do": "refused", "task": task.to_json(), "pairs": given, "form": "plain"} for given in GIVEN]
        for given, found in zip(GIVEN, process.ask(*asked), strict=True):
            if found != refusal(task, given):
                raise AuditFailure(f"{found} for {given}, not {refusal(task, given)}")


def refusal(task: Task, given: Any) -> dict[str, str] | None:
    """Return what Python says of keys without values, as the client does; None if it takes them."""
    try:
        check_held(task, given)
    except PairsError as error:
        end = "; nothing was perturbed" if "at most" in str(error) else ""
        return {"code": "bad_pairs", "message": f"{error}{end}".replace("None", "null").replace("'", "")}
    return None


def test_keys_without_values_are_refused_in_the_words_of_python() -> None:
    check_words_without_values(CLIENT)
    task = new_task(values=None, more="refuse")
    says = {repr(given): (refusal(task, given) or {}).get("message") for given in GIVEN}
    assert says["['0', '0']"] is None
    assert says["{'0': 1}"] == "task t takes a list of keys, which have no values"
    assert says["['0', 1]"] == "key 1 is not a text"
    assert says["['0', '1', '2', '3']"] == "task t takes at most 3 keys, not 4; nothing was perturbed"


KEYS = "listed-keys.js"
FAULTS = (
    Fault("an object is a list of keys", KEYS, {"Symbol.iterator in keys && ": ""}, check_words_without_values, "keys"),
    Fault("a text is a list of keys", KEYS, {"Object(keys) === keys": "keys"}, check_words_without_values, "keys"),
    Fault("a number is a key", KEYS, {'check(typeof key === "string"': "check(true"}, check_words_without_values),
    Fault("keys are called pairs", KEYS, {'hasValues ? "pairs" : "keys"': '"pairs"'}, check_words_without_values),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_without_values_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)
