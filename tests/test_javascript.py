"""The JavaScript client: the same bits as the Python side, on every vector, and the same audits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from node import Node, node, subject
from pckv.auditing import conformance
from pckv.auditing.conformance import Subject
from pckv.channels import CHANNELS
from pckv.errors import ReportError
from pckv.report import from_text

VECTORS = Path(__file__).parents[1] / "vectors" / "v1"


@pytest.fixture(scope="module")
def process() -> Iterator[Node]:
    with node() as running:
        yield running


def vectors() -> dict[str, list[dict[str, Any]]]:
    """The vectors that a client can answer; pairs as lists, since JavaScript's objects order numbers."""
    names = ("thresholds", "tasks", "reports")
    found: dict[str, Any] = {
        name: json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8")) for name in names
    }
    for case in found["thresholds"]:
        case["mechanisms"] = [name for name in CHANNELS if name in case]
    for case in found["reports"]:
        if "pairs" in case:
            case["pairs"] = list(case["pairs"].items())
    return found


def is_base64url(text: str) -> bool:
    try:
        return bool(from_text(text)) or not text
    except ReportError:
        return False


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
        if case.get("fails_at") == "report":
            # A client makes bodies and never reads foreign ones: of those it only knows how they are written.
            refused = case["reason"] == "bad_encoding" and not is_base64url(case["body"])
            assert (answer == case["body"]) != refused, case
        elif "fails_at" in case:
            assert (answer["fails_at"], answer["code"]) == (case["fails_at"], "bad_pairs"), case
        else:
            assert answer == {"id": case["id"], "body": case["body"]}, case


def test_vectors_in_node(process: Node) -> None:
    given = vectors()
    [answers] = process.ask({"do": "vectors", **given})
    check_answers(given, answers)


# --- audits ---


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize(
    "check",
    [conformance.check_sampler_epsilon, conformance.check_sampler_equals_law],
    ids=lambda c: c.__name__,
)
def test_the_sampler_keeps_its_word(process: Node, check: Callable[[Subject], None], name: str) -> None:
    """Run over every value of a toy tape, with the client's own thresholds and primitives, against Python's law."""
    check(subject(process, name, CHANNELS[name]))
