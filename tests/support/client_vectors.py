"""The vectors that a client can answer, and the check of its answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pckv.base.errors import AuditFailure
from pckv.mechanisms.registry import LAWS
from support.node import node

VECTORS = Path(__file__).parents[2] / "vectors" / "v1"


def vectors() -> dict[str, list[dict[str, Any]]]:
    """Return the vectors that a client can answer; pairs are lists, since JavaScript objects reorder numeric keys."""
    names = ("thresholds", "tasks", "levels", "keys", "prefixes", "reports", "coins", "sealed")
    selected: dict[str, Any] = {
        name: json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8")) for name in names
    }
    for case in selected["thresholds"]:
        case["mechanisms"] = [name for name in LAWS if name in case]
    for case in selected["reports"] + selected["coins"]:
        if "pairs" in case:
            case["pairs"] = list(case["pairs"].items())
    # A client creates bodies, and never reads those of others.
    selected["reports"] = [case for case in selected["reports"] if case.get("fails_at") != "report"]
    selected["coins"] = [case for case in selected["coins"] if "fails_at" not in case]
    # Nor does it open anything.
    selected["sealed"] = [case for case in selected["sealed"] if case.get("fails_at") != "open"]
    return selected


def check_vectors(client: Path, cases: dict[str, list[dict[str, Any]]]) -> None:
    """Check a client on some vectors."""
    try:
        [answers] = node(client).ask({"do": "vectors", **cases})
        check_answers(cases, answers)
    except AssertionError as error:
        raise AuditFailure(f"vectors: {str(error)[:300]}") from error


def check_answers(cases: dict[str, list[dict[str, Any]]], answers: dict[str, list[Any]]) -> None:
    """Check that answers equal the vectors, and that bad cases are refused at the named step."""
    for case, answer in zip(cases["thresholds"], answers["thresholds"], strict=True):
        computed = ("exp_lower_times_2_256", *case["mechanisms"], "size_question")
        assert answer == {name: case[name] for name in computed if name in case}, case
    for case, answer in zip(cases["tasks"], answers["tasks"], strict=True):
        if "fails_at" in case:
            assert (answer.get("fails_at"), answer.get("code")) == (case["fails_at"], "bad_task"), case
            assert answer["message"].startswith("not a task: ")
            continue
        assert answer.get("id") == case["id"], answer
        assert answer["realised_epsilon"] == case["realised_epsilon"], case
        assert answer["word_limit"] == (None if case["word_limit"] is None else str(case["word_limit"]))
    for name, members in (
        ("levels", ("values", "placed")),
        ("keys", ("number",)),
        ("prefixes", ("found", "numbers")),
        ("reports", ("id", "body")),
    ):
        for case, answer in zip(cases[name], answers[name], strict=True):
            if "fails_at" in case:
                assert (answer.get("fails_at"), answer.get("code")) == (case["fails_at"], "bad_pairs"), case
            else:
                assert answer == {member: case[member] for member in members}, case
    for case, answer in zip(cases["coins"], answers["coins"], strict=True):
        assert answer == {name: case[name] for name in answer}, case
        assert len(answer) == 2, case
    for case, answer in zip(cases.get("sealed", []), answers["sealed"], strict=True):
        if "fails_at" in case:
            assert answer == {"fails_at": "key"}, case
        else:
            assert answer == {name: case[name] for name in ("public_key", "sealed") if name in case}, case
