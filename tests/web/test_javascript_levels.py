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
from pckv.base.limits import PAIRS
from pckv.device.perturb import read_pairs
from support.client_vectors import check_answers, check_vectors, vectors
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


def check_vectors_without_values(client: Path) -> None:
    """Check a client on the tasks and the refused reports of keys without values; another test runs all vectors."""
    cases: dict[str, list[dict[str, Any]]] = {name: [] for name in vectors()}
    cases["tasks"] = [case for case in vectors()["tasks"] if '"low":null' in case["json"] and PAIRS in case["json"]]
    cases["reports"] = [
        case for case in vectors()["reports"] if '"low":null' in case["task"] and ("fails_at" in case or _repeats(case))
    ]
    assert len(cases["tasks"]) >= 50
    check_vectors(client, cases)


def _repeats(case: dict[str, Any]) -> bool:
    held = case.get("keys", [])
    return len(set(held)) < len(held)


def test_vectors_without_values() -> None:
    check_vectors_without_values(CLIENT)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_draw_makes_the_message_of_python(mechanism: str) -> None:
    check_levels(mechanism)(CLIENT)


KEYS, LEVELS, BASE = "listed-keys.js", "levels.js", "mechanisms/base.js"
UE, GRR, COMPACT, COLLISION = (f"mechanisms/{name}.js" for name in MECHANISMS)
ue, grr, compact, collision = (check_levels(name) for name in MECHANISMS)
SPACED = "Number(`${first + step.times(level).floor}e-${decimals}`)"

MUTANTS = (
    Fault("rounded to the other neighbour", BASE, {"lower + tape.bernoulli(threshold)": "lower + 1 - tape.bernoulli(threshold)"}, compact),
    Fault("rounded to the level below the neighbours", LEVELS, {"return { lower, ": "return { lower: Math.max(lower - 1, 0), "}, grr),
    Fault("the last level is never reached", LEVELS, {"levelValues.slice(1, -1)": "levelValues.slice(1, -2)"}, grr),
    Fault("a threshold of the whole range", LEVELS, {"(high - low)": "(levelValues.at(-1) - low)"}, collision),
    Fault("a threshold that is too small by one", LEVELS, {"* 2 ** 53))": "* 2 ** 53) - 1)"}, grr),
    Fault("the residues of another level", COMPACT, {"this.levels - 1 - level": "level"}, compact),
    Fault("the residues of two levels", COMPACT, {"this.levels - 1 - level": "1 - Math.min(level, 1)"}, compact),
    Fault("items of two levels in words", GRR, {"BigInt(this.levels * pair.key": "BigInt(2 * pair.key"}, grr),
    Fault("items of two levels at positions", COLLISION, {"this.itemSymbol(drawn, this.levels * key": "this.itemSymbol(drawn, 2 * key"}, collision),
    Fault("words of two levels", GRR, {"BigInt(levels * all)": "BigInt(2 * all)"}, grr),
    Fault("dummies with other levels", GRR, {"lower: 0, threshold": "lower: this.levels - 2, threshold"}, grr),
    Fault("dummies with other residues", COMPACT, {"lower: 0, threshold": "lower: this.levels - 2, threshold"}, compact),
    Fault("levels in doubles", LEVELS, {SPACED: "low.number + (high.number - low.number) / (count - 1) * level"}, check_values),
    Fault("levels cut after few decimals", LEVELS, {"MORE_DECIMALS = 30": "MORE_DECIMALS = 12"}, check_values),
    Fault("values between levels are taken", KEYS, {'between !== "refuse" ||': 'between === "refuse" ||'}, check_refusals),
)  # fmt: skip

DRAWN_LEVEL = "this.levels > 1 ? lower + tape.bernoulli(threshold) : lower"
DUMMY = "lower: 0, threshold"
# With values there is no fault.
FAULTS_WITHOUT_VALUES = (
    Fault("a plane of signs", UE, {"Uint8Array(this.levels * planeBytes)": "Uint8Array(2 * planeBytes)"}, ue),
    Fault("fakes of two signs", UE, {"this.count = BigInt(levels)": "this.count = 2n"}, ue, "realises more|decides differently"),
    Fault("a sign that is flipped", UE, {"this.levels > 1 ? new Fraction(silent).over(value.plus(1)).ceil : 0n": "new Fraction(silent).over(value.plus(1)).ceil"}, ue),
    Fault("the level of a dummy is drawn", BASE, {DRAWN_LEVEL: "lower + (threshold ? tape.bernoulli(threshold) : 0)"}, grr),
    Fault("a level is drawn", BASE, {DRAWN_LEVEL: "lower + tape.bernoulli(threshold ?? 0n)"}, collision),
    Fault("dummies with two levels", GRR, {DUMMY: f"{DUMMY.replace('0', 'this.levels > 1 ? 0 : Number(tape.below(2n))')}"}, grr),
    Fault("dummies with two sets of residues", COMPACT, {DUMMY: DUMMY.replace("0", "this.levels > 1 ? 0 : -1")}, compact),
    Fault("words of two levels", GRR, {"this.levels * pair.key": "Math.max(2, this.levels) * pair.key"}, grr),
    Fault("a set of residues is kept as one of them", COMPACT, {"inside = expLower(epsilon).times(this.r)": "inside = expLower(epsilon).times(this.levels > 1 ? this.r : 1n)"}, compact),
    Fault("a set of residues is rounded up", COMPACT, {"over(inside.plus(others)).floor": "over(inside.plus(others))[this.levels > 1 ? 'floor' : 'ceil']"}, compact, "realises more"),
    Fault("items of two levels", COLLISION, {"this.levels * key + level": "Math.max(2, this.levels) * key + level"}, collision),
    Fault("hits are rounded up", COLLISION, {"plus(this.symbols - most)).floor": "plus(this.symbols - most))[this.levels > 1 ? 'floor' : 'ceil']"}, collision, "realises more"),
    Fault("positions of two levels", COLLISION, {"const items = levels * keys": "const items = Math.max(2, levels) * keys"}, check_vectors_without_values),
    Fault("as many symbols as the padding", COLLISION, {"isWithin(symbols, padding + 1,": "isWithin(symbols, levels > 1 ? padding + 1 : padding,"}, check_vectors_without_values),
    Fault("a range without levels", LEVELS, {"high === null && levels === 1 && between === null": "levels === 1 && between === null"}, check_vectors_without_values),
    Fault("any number of levels without values", LEVELS, {"high === null && levels === 1 && between === null": "high === null && between === null"}, check_vectors_without_values),
    Fault("something between no levels", LEVELS, {"high === null && levels === 1 && between === null": "high === null && levels === 1"}, check_vectors_without_values),
    Fault("an overlap without values", COMPACT, {"isShared ? this.levels === 2 &&": "isShared ?"}, check_vectors_without_values),
    Fault("keys counted as often as they are given", KEYS, {"new Set(keys)": "keys"}, check_vectors_without_values),
    Fault("pairs where keys have no values", KEYS, {" && !(keys instanceof Map)": ""}, check_vectors_without_values),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


@pytest.mark.parametrize("mutant", FAULTS_WITHOUT_VALUES, ids=str)
def test_a_mutant_without_values_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
