"""The vectors that a client can answer, and the check of its answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pckv.channels import MECHANISMS

VECTORS = Path(__file__).parents[2] / "vectors" / "v1"


def vectors() -> dict[str, list[dict[str, Any]]]:
    """The vectors that a client can answer; pairs as lists, since JavaScript's objects order numbers."""
    names = ("thresholds", "tasks", "reports")
    found: dict[str, Any] = {
        name: json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8")) for name in names
    }
    for case in found["thresholds"]:
        case["mechanisms"] = [name for name in MECHANISMS if name in case]
    for case in found["reports"]:
        if "pairs" in case:
            case["pairs"] = list(case["pairs"].items())
    # A client makes bodies, and reads none but its own.
    found["reports"] = [case for case in found["reports"] if case.get("fails_at") != "report"]
    return found


def check_answers(given: dict[str, list[dict[str, Any]]], answers: dict[str, list[Any]]) -> None:
    """Thresholds, tasks and reports are those of the vectors; what must be refused is, at the step that is named."""
    for case, answer in zip(given["thresholds"], answers["thresholds"], strict=True):
        assert answer == {name: case[name] for name in ("exp_lower_times_2_256", *case["mechanisms"])}, case
    for case, answer in zip(given["tasks"], answers["tasks"], strict=True):
        if "fails_at" in case:
            assert (answer["fails_at"], answer["code"]) == (case["fails_at"], "bad_task"), case
            assert answer["message"].startswith("not a task: ")
            continue
        assert answer["id"] == case["id"]
        assert answer["realised_epsilon"] == case["realised_epsilon"], case
        assert answer["word_limit"] == (None if case["word_limit"] is None else str(case["word_limit"]))
    for case, answer in zip(given["reports"], answers["reports"], strict=True):
        if "fails_at" in case:
            assert (answer["fails_at"], answer["code"]) == (case["fails_at"], "bad_pairs"), case
        else:
            assert answer == {"id": case["id"], "body": case["body"]}, case
