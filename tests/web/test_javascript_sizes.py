"""The size question in the JavaScript client, and the limit of a task that refuses larger sets."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.auditing.exhaustive import ExhaustiveTape, sampler_law
from pckv.auditing.smaller_channels import enumerable
from pckv.budget import epsilon_of
from pckv.canonical import base64url
from pckv.channels import CHANNELS, Channel, build
from pckv.channels.size_question import SizeQuestion
from pckv.device.perturb import perturb_from
from pckv.errors import AuditFailure, PairsError, TaskError
from pckv.randomness import Tape, fixed_source
from support.node import NodeProcess, described, faulty_client, node, primitives, sampler

WORDS: dict[str, dict[str, object]] = {"grr": {}, "ue-compact": {"q": 3}, "collision": {}}
# Enough for a tape of any report here, rejected draws included.
TAPE_BYTES = 16 + 8 * 200
TOY_BITS = 4


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
        channel = build("grr", keys, padding, Fraction(epsilon), {})
        question = SizeQuestion(keys, padding, Fraction(epsilon), Fraction(share))
        [answer] = process.ask({"do": "question", "channel": described(channel, question)})
        assert answer == {
            "ends": list(question.ends),
            "asked": str(question.asked),
            "kept": str(question.kept),
            "draws": max(1 + channel.draws, question.draws),
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
    assert epsilon_of(many.channel.realised) < many.realised_epsilon
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
        {"task": task.to_json(), "pairs": list(pairs.items()), "tape": tape.hex()}
        for task, pairs, tape in cases
    ]
    [answer] = process.ask({"do": "vectors", "thresholds": [], "tasks": [], "reports": vectors})
    made: list[Any] = answer["reports"]
    return made


def of_size(task: Task, size: int) -> dict[str, float]:
    return {task.key_name(key): key % 5 / 4 for key in range(size)}


@pytest.mark.parametrize("mechanism", WORDS)
@pytest.mark.parametrize(("keys", "padding"), [(2, 1), (13, 3), (30, 3), (9, 2)])
def test_reports_are_those_of_python_byte_for_byte(
    process: NodeProcess, mechanism: str, keys: int, padding: int
) -> None:
    seeded = random.Random(f"{mechanism} {keys} {padding}")
    task = new_task(mechanism, keys=keys, padding=padding, size_share="0.5")
    cases = [
        (task, of_size(task, size), seeded.randbytes(TAPE_BYTES))
        for size in range(keys + 1)
        for _ in range(30)
    ]
    expected = [perturb_from(Tape(task.draws, fixed_source(tape)), task, pairs) for _, pairs, tape in cases]
    made = reports(process, cases)
    assert made == [{"id": base64url(report.id), "body": base64url(report.body)} for report in expected]
    assert task.size_question is not None
    first = task.channel.word_limit or 0
    answers = {max(task.message_format.decode(report.body) - first, -1) for report in expected}
    # Reports of pairs, and every answer.
    assert answers == {-1, *range(len(task.size_question.ends))}


@pytest.mark.parametrize("mechanism", CHANNELS)
def test_a_task_that_refuses_stops_at_the_padding(process: NodeProcess, mechanism: str) -> None:
    task, tape = new_task(mechanism, more="refuse"), random.Random(1).randbytes(TAPE_BYTES)
    at_most, refused = reports(process, [(task, of_size(task, size), tape) for size in (3, 4)])
    assert at_most["body"] == base64url(
        perturb_from(Tape(task.draws, fixed_source(tape)), task, of_size(task, 3)).body
    )
    assert (refused["code"], refused["fails_at"]) == ("bad_pairs", "pairs")
    assert refused["message"] == "task t takes at most 3 pairs, not 4; nothing was perturbed"
    with pytest.raises(PairsError):
        perturb_from(Tape(task.draws, fixed_source(tape)), task, of_size(task, 4))


# --- audits ---


def toys() -> Iterator[tuple[Channel, SizeQuestion]]:
    """Yield channels with thresholds of few bits; sizes lie below, at and between the ends."""
    for name, (keys, padding) in itertools.product(WORDS, ((2, 1), (4, 1), (6, 1), (4, 2))):
        channel = CHANNELS[name].from_parameters(keys, padding, Fraction(1), WORDS[name], TOY_BITS)
        yield enumerable(channel), SizeQuestion(keys, padding, Fraction(1), Fraction(1, 4), TOY_BITS)


def check_reports(process: NodeProcess) -> None:
    """Check the law of reports as the client makes them, over every value of a toy tape, against the exact mixture."""
    for channel, question in toys():
        first = channel.word_limit
        assert first is not None
        for size in range(channel.keys + 1):
            pairs = [(key, channel.one) for key in range(size)]
            tape = ExhaustiveTape(TOY_BITS, primitives(process))
            found = sampler_law(sampler(process, question), channel, pairs, tape)
            law = question.mix(channel.law(dict.fromkeys(range(size), 1)), size, first)
            if found != {m: Fraction(weight, law.total) for m, weight in law.weights.items() if weight}:
                raise AuditFailure(f"reports of {size} pairs, {channel.name}, {channel.keys} keys")


def test_reports_have_the_exact_law(process: NodeProcess) -> None:
    check_reports(process)


MUTANTS = {
    "the question depends on the pairs": ("!tape.bernoulli(this.asked)", "pairs.length < 2 || !tape.bernoulli(this.asked)"),
    "the question is not drawn": ("!tape.bernoulli(this.asked)", "pairs.length < 3"),
    "answers are mixed with the words of pairs": ("first = this.pairs.wordLimit;", "first = 0n;"),
    "sizes at another ε": ("bound = expLower(epsilon)", "bound = expLower(epsilon.times(2))"),
    "the right answer too often": ("bound.plus(this.others)", "bound.plus(this.others - 1n)"),
    "the right answer is not skipped": ("other < own ? other", "other <= this.others ? other"),
    "always rounded down": ("(high - low)) < down)", "(high - low)) >= 0)"),
    "rounded evenly": ("const down = BigInt(low) *", "const down = BigInt(size) *"),
    "an end counts as the one before": ("high) return upper;", "high) return upper && upper - 1;"),
    "no end right after the padding": ("padding + 1, Math.min(", "Math.min("),
}  # fmt: skip


@pytest.mark.parametrize("fault", MUTANTS)
def test_a_mutant_is_caught(fault: str, tmp_path: Path) -> None:
    right, wrong = MUTANTS[fault]
    with (
        node(faulty_client(tmp_path, "size-question.js", {right: wrong})) as process,
        pytest.raises(AuditFailure),
    ):
        check_reports(process)
