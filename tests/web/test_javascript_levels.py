"""Levels in the JavaScript client: their values, what is refused, and reports that are Python's on all draws."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Context, Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.canonical import decimal_text
from pckv.base.errors import AuditFailure, PairsError, ParameterError, TaskError
from pckv.base.levels import Levels, checked_levels, level_values
from pckv.device.perturb import read_pairs
from support.client_vectors import check_answers, vectors
from support.faults import Fault
from support.node import CLIENT, NodeProcess, node
from support.traced_client import comparison
from support.traced_levels import MECHANISMS, NAMED, level_requests_of, level_task

RANDOM_RANGES = 200
# As many digits as a decimal of a task may have.
WIDE = Context(prec=60)
BAD_LEVELS: tuple[Any, ...] = (
    0, 1, 17, -5, True, None, "", "5", {}, [], ["1"], ["5"], [1, 5], ["1", 3, "5"], ["1", "3", "3", "5"],
    ["1", "4", "3", "5"], ["5", "1"], ["1", "3"], ["2", "5"], ["0", "1", "5"], ["1", "5", "6"],
    ["1", "3.0", "5"], ["1", "3e0", "5"], ["1", "-0", "5"], ["1", None, "5"], ["1", "5.0"],
    ["1", "2", f"2.{'0' * 30}1", "5"], ["1", *(f"2.{number}" for number in range(11, 26)), "5"],
)  # fmt: skip


def random_levels() -> Iterator[dict[str, Any]]:
    """Yield vectors of all numbers of levels, named and equally spaced, over ranges of few decimals and of many."""
    seeded = random.Random("levels")
    for _ in range(RANDOM_RANGES):
        places = seeded.choice((0, 1, 2, 24, 35))
        most = 10 ** (places + 2)
        numbers = {-most, *(seeded.randint(-most, most) for _ in range(seeded.randint(1, 15)))}
        texts = [decimal_text(Decimal(number).scaleb(-places, WIDE), "level") for number in sorted(numbers)]
        low, high = texts[seeded.randint(0, len(texts) - 2)], texts[-1]
        for levels in (len(texts), tuple(texts[texts.index(low) :])):
            with suppress(ParameterError):
                values = level_values(checked_levels(levels, low, high), low, high)
                bits = [struct.pack(">d", value).hex() for value in values]
                yield {"levels": levels, "low": low, "high": high, "values": bits, "placed": []}


def check_values(client: Path) -> None:
    """Check that a client finds the same values of levels, and between which a value lies, to the last bit."""
    cases: dict[str, list[dict[str, Any]]] = {name: [] for name in vectors()}
    cases["levels"] = [*vectors()["levels"], *random_levels()]
    try:
        process = node(client)
        [answers] = process.ask({"do": "vectors", **cases})
        check_answers(cases, answers)
    except AssertionError as error:
        raise AuditFailure(f"levels: {error}") from error


def test_values_of_levels_are_those_of_python(process: NodeProcess) -> None:
    check_values(CLIENT)
    tried: list[Levels] = [2, 16, NAMED]
    tasks = [level_task("grr", levels) for levels in tried]
    [answers] = process.ask({"do": "levels", "tasks": [task.to_json() for task in tasks]})
    assert answers == [list(task.level_values) for task in tasks]


@pytest.mark.parametrize(
    ("mechanism", "edits"),
    [
        *(("grr", {"levels": levels}) for levels in BAD_LEVELS),
        *(("grr", {"between": between}) for between in ("", "Round", "sample", None, 0, True, ["round"])),
        # Too close to be told apart.
        ("grr", {"levels": 16, "low": "1", "high": "1.000000000000001"}),
        ("grr", {"levels": 3, "mechanism": {"allocation": "naive", "name": "grr"}}),
        ("grr", {"levels": 3, "mechanism": {"allocation": "non-optimized", "name": "grr"}}),
        ("ue", {"levels": 3}),
        ("ue", {"levels": ["1", "2", "5"]}),
        ("ue-compact", {"levels": 4, "mechanism": {"name": "ue-compact", "q": 3}}),
        ("ue-compact", {"levels": 4, "mechanism": {"name": "ue-compact", "q": 11, "r": 3}}),
        # Every residue would be some level's.
        ("ue-compact", {"levels": 5, "mechanism": {"name": "ue-compact", "q": 5}}),
        ("ue-compact", {"levels": 3, "mechanism": {"name": "ue-compact", "o": 1, "q": 11, "r": 2}}),
        ("collision", {"levels": 3, "keys": (2**30 - 2) // 3 + 1}),
        ("collision", {"levels": 16, "keys": 5000}),
    ],
    ids=str,
)  # fmt: skip
def test_both_refuse_the_same_tasks(process: NodeProcess, mechanism: str, edits: dict[str, Any]) -> None:
    task = Task(name="t", keys=30, values=(1, 5), epsilon=1, padding=3, mechanism=mechanism)
    text = json.dumps(json.loads(task.to_json()) | edits, separators=(",", ":"), sort_keys=True)
    with pytest.raises(TaskError):
        Task.from_json(text)
    [answer] = process.ask({"do": "vectors", "thresholds": [], "reports": [], "tasks": [{"json": text}]})
    assert [task["code"] for task in answer["tasks"]] == ["bad_task"]


@pytest.mark.parametrize("missing", ["levels", "between"])
def test_no_member_is_left_out(process: NodeProcess, missing: str) -> None:
    members = json.loads(level_task("grr", 5).to_json())
    del members[missing]
    text = json.dumps(members, separators=(",", ":"))
    [answer] = process.ask({"do": "vectors", "thresholds": [], "reports": [], "tasks": [{"json": text}]})
    assert [task["message"] for task in answer["tasks"]] == [f"not a task: {missing}"]


def check_refusals(client: Path) -> None:
    """Check that values between levels are refused where the task says so, in the words of Python."""
    tasks = [level_task("grr", levels, between="refuse") for levels in (2, 4, 5, NAMED)]
    process = node(client)
    for task in tasks:
        for value in (*task.level_values, 0.2, 0.25 + 2**-50, -7.5, 1e6):
            [found] = process.ask({"do": "refused", "task": task.to_json(), "pairs": [["1", value]], "form": "map"})
            if found != refusal(task, value):
                raise AuditFailure(f"refuse: {found} for {value}, not {refusal(task, value)}")


def refusal(task: Task, value: float) -> dict[str, str] | None:
    """Return what Python says of a value, as the client does; None if it takes it."""
    try:
        read_pairs(task, {"1": value})
    except PairsError as error:
        # Only Python tells whole numbers of either kind apart.
        return {"code": "bad_pairs", "message": str(error).replace(".0 of", " of")}
    return None


def test_a_value_between_levels_is_refused() -> None:
    check_refusals(CLIENT)
    task = level_task("grr", 5, between="refuse")
    assert refusal(task, 0.3) == {
        "code": "bad_pairs",
        "message": "value 0.3 of key '1' is not one of 0, 0.25, 0.5, 0.75, 1",
    }


def check_levels(mechanism: str) -> Callable[[Path], None]:
    """Return the check of a client's folder that compares one mechanism on levels with Python."""
    return comparison(partial(level_requests_of, mechanism))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_draw_makes_the_message_of_python(mechanism: str) -> None:
    check_levels(mechanism)(CLIENT)


KEYS, LEVELS, GRR, COMPACT, COLLISION = (
    "listed-keys.js",
    "levels.js",
    *(f"mechanisms/{name}.js" for name in MECHANISMS),
)
grr, compact, collision = (check_levels(name) for name in MECHANISMS)
SPACED = "Number(`${first + step.times(level).floor}e-${decimals}`)"

MUTANTS = (
    Fault("rounded to the other neighbour", COMPACT, {"lower + tape.bernoulli(threshold)": "lower + 1 - tape.bernoulli(threshold)"}, compact),
    Fault("rounded to the level below the neighbours", LEVELS, {"return { lower, ": "return { lower: Math.max(lower - 1, 0), "}, grr),
    Fault("the last level is never reached", LEVELS, {"levelValues.slice(1, -1)": "levelValues.slice(1, -2)"}, grr),
    Fault("a threshold of the whole range", LEVELS, {"(high - low)": "(levelValues.at(-1) - low)"}, collision),
    Fault("a threshold that is too small by one", LEVELS, {"* 2 ** 53))": "* 2 ** 53) - 1)"}, grr),
    Fault("the residues of another level", COMPACT, {"this.levels - 1 - level": "level"}, compact),
    Fault("the residues of two levels", COMPACT, {"this.levels - 1 - level": "1 - Math.min(level, 1)"}, compact),
    Fault("items of two levels in words", GRR, {"BigInt(this.levels * key + lower)": "BigInt(2 * key + lower)"}, grr),
    Fault("items of two levels at positions", COLLISION, {"this.itemSymbol(drawn, this.levels * key": "this.itemSymbol(drawn, 2 * key"}, collision),
    Fault("words of two levels", GRR, {"BigInt(levels * all)": "BigInt(2 * all)"}, grr),
    Fault("dummies with other levels", GRR, {"lower: 0, threshold": "lower: this.levels - 2, threshold"}, grr),
    Fault("dummies with other residues", COMPACT, {"lower: 0, threshold": "lower: this.levels - 2, threshold"}, compact),
    Fault("levels in doubles", LEVELS, {SPACED: "low.number + (high.number - low.number) / (count - 1) * level"}, check_values),
    Fault("levels cut after few decimals", LEVELS, {"MORE_DECIMALS = 30": "MORE_DECIMALS = 12"}, check_values),
    Fault("values between levels are taken", KEYS, {'between === "round" ||': 'between === "refuse" ||'}, check_refusals),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
