"""Thresholds of the JavaScript client: the integers of Python for all kinds of tasks, and no task above its ε."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.budget import exp_lower
from pckv.base.errors import AuditFailure, ParameterError
from pckv.mechanisms.registry import LAWS
from support.faults import Fault, faulty_client
from support.node import CLIENT, node
from support.random_parameters import random_decimal, random_parameters

# Every padding up to this one is asked for, since a fault may hide at any.
MAX_PADDING = 100
RANDOM_TASKS = 120
# A fault is found before all tasks are read.
TASKS_PER_BATCH = 20
# The client spends ε in units of this many to 1.
UNITS = 10**15
# How far the bounds of e^ε may be below it.
CLOSE = Fraction(1, 2**240)


def _random_tasks(mechanism: str) -> Iterator[Task]:
    """Yield tasks with every padding up to 100, then random ones up to 2^31 keys: without values, with two levels, with more."""
    seeded, for_levels = random.Random(f"thresholds {mechanism}"), random.Random(f"levels {mechanism}")
    made = 0
    while made < MAX_PADDING + RANDOM_TASKS:
        keys = min(2**31, int(2 ** seeded.uniform(8, 31.1)))
        padding = made + 1 if made < MAX_PADDING else min(keys, int(2 ** seeded.uniform(0, 31)))
        asks = mechanism != "ue" and padding < keys
        levels = for_levels.choice((1, 2, for_levels.randint(3, 16) if mechanism != "ue" else 2))
        try:
            yield Task(
                name="t",
                keys=keys,
                values=(0, 1) if levels > 1 else None,
                levels=levels,
                epsilon=random_decimal(seeded, -5.9, 1.29),
                padding=padding,
                mechanism={"name": mechanism, **random_parameters(seeded, mechanism, padding)},
                size_share=random_decimal(seeded, -7, -0.31) if asks and seeded.random() < 0.7 else "0",
            )
        except ParameterError:
            continue
        made += 1


@lru_cache
def _expected(mechanism: str) -> list[tuple[Task, dict[str, Any]]]:
    return [(task, _integers(task)) for task in _random_tasks(mechanism)]


# All integers of a mechanism in the client, and what it calls otherwise than Python.
INTEGERS = {
    "ue": ("levels", "one", "kept", "flipped", "fake"),
    "grr": ("one", "word_limit", "set_apart", "spread", "kept", "flipped"),
    "ue-compact": ("one", "word_limit", "functions", "q", "r", "o", "kept"),
    "collision": ("one", "word_limit", "functions", "symbols", "positions", "hit"),
}
RENAMED = {"count": "levels", "wordLimit": "word_limit", "setApart": "set_apart"}


def _integers(task: Task) -> dict[str, Any]:
    """Return what the client must derive from a task."""
    found: dict[str, Any] = {
        "law": {name: str(getattr(task.law, name)) for name in INTEGERS[task.mechanism]},
        "draws": task.draws,
        "epsilon": task.realised_epsilon,
    }
    question = task.size_question
    if question is not None:
        found["question"] = {
            "asked": str(question.asked),
            "kept": str(question.kept),
            "others": str(len(question.ends) - 1),
            "word_limit": str(task.word_limit),
        }
    return found


def check_integers(mechanism: str) -> Callable[[Path], None]:
    """Return the check that a client derives the integers of Python from the text of every task of a mechanism."""

    def check(client: Path) -> None:
        expected = _expected(mechanism)
        process = node(client)
        for start in range(0, len(expected), TASKS_PER_BATCH):
            batch = expected[start : start + TASKS_PER_BATCH]
            [answers] = process.ask({"do": "integers", "tasks": [task.to_json() for task, _ in batch]})
            for (task, integers), answer in zip(batch, answers, strict=True):
                _compare(task, integers, answer)

    return check


def _compare(task: Task, integers: dict[str, Any], answer: dict[str, Any]) -> None:
    if "message" in answer:
        raise AuditFailure(f"integers: {answer['message']} ({task.to_json()})")
    top, bottom = map(int, answer.pop("realised"))
    # The least number of units whose bound covers it.
    cost = int(answer.pop("cost"))
    if not exp_lower(Fraction(cost - 1, UNITS)) < Fraction(top, bottom) <= exp_lower(Fraction(cost, UNITS)):
        raise AuditFailure(f"integers: another cost ({task.to_json()})")
    if Fraction(top, bottom) != task.realised:
        raise AuditFailure(f"integers: another realised ε ({task.to_json()})")
    for part in {"law", "question"} & answer.keys():
        answer[part] = {RENAMED.get(name, name): value for name, value in answer[part].items()}
    if answer != integers:
        raise AuditFailure(f"integers: {answer}, not {integers} ({task.to_json()})")


@pytest.mark.parametrize("mechanism", LAWS)
def test_integers_are_those_of_python(mechanism: str) -> None:
    check_integers(mechanism)(CLIENT)


def check_bounds(client: Path) -> None:
    """Check both bounds of e^ε against `decimal`: never above it, and close; and the first one bit for bit."""
    seeded = random.Random("bounds")
    texts = ["0.000001", "1", "20", *(random_decimal(seeded, -5.9, 1.3) for _ in range(300))]
    process = node(client)
    [answers] = process.ask({"do": "bounds", "epsilons": texts})
    for text, answer in zip(texts, answers, strict=True):
        with localcontext(prec=150):
            true = Fraction(Decimal(text).exp())
        if int(answer["series"]) != exp_lower(Fraction(text)) * 2**256:
            raise AuditFailure(f"bounds: not Python's at ε = {text}")
        for bound in (Fraction(int(answer["series"]), 2**256), Fraction(int(answer["power"]), 2**1024)):
            # 150 digits of `decimal` are rounded either way.
            if not true * (1 - CLOSE) < bound < true * (1 + Fraction(1, 10**140)):
                raise AuditFailure(f"bounds: {float(bound)} at ε = {text}")


def test_bounds_of_the_exponential() -> None:
    check_bounds(CLIENT)


SERIES = "let bound = (top << SERIES_BITS) / bottom;"
# Wrong bounds, from hardly to grossly too large.
TOO_LARGE = (
    "bound += bound >> 40n;",
    "bound += bound / 10n;",
    "if (denominator % 3n) bound += bound / 10n;",
    "bound *= 2n;",
)


def check_refusal(client: Path) -> None:
    """Check that a client whose e^ε is too large refuses tasks, since the other bound shows it."""
    tasks = [
        Task(name="t", keys=5, values=(0, 1), epsilon=epsilon, padding=2, mechanism=name)
        for name in LAWS
        for epsilon in ("0.1", "1", "3.7")
    ]
    for wrong in TOO_LARGE:
        with tempfile.TemporaryDirectory() as folder:
            faulty = faulty_client(Path(folder), "epsilon.js", {SERIES: f"{SERIES} {wrong}"}, client)
            process = node(faulty)
            [answers] = process.ask({"do": "integers", "tasks": [task.to_json() for task in tasks]})
        for task, answer in zip(tasks, answers, strict=True):
            if answer.get("message") != "not a task: it realises more than its epsilon":
                raise AuditFailure(f"refusal: a bound that is too large ({wrong}) passed at {task!r}")


def test_a_task_above_its_epsilon_is_refused() -> None:
    check_refusal(CLIENT)


REFUSAL = 'checkTask(!powerLower(epsilon).below(mechanism.realised), "it realises more than its epsilon");'

MUTANTS = (
    Fault("10 % too large for long decimals", "epsilon.js", {SERIES: f"{SERIES} if (denominator >= 10n ** 21n) bound += bound / 10n;"}, check_bounds),
    Fault("10 % too large for long decimals, in tasks", "epsilon.js", {SERIES: f"{SERIES} if (denominator >= 10n ** 21n) bound += bound / 10n;"}, check_integers("grr"), "realises more"),
    Fault("half of what it costs is counted", "task.js", {"      cost,\n": "      cost: cost / 2n,\n"}, check_integers("grr")),
    Fault("no refusal", "task.js", {REFUSAL: ""}, check_refusal),
    Fault("a refusal that leaves room", "task.js", {"powerLower(epsilon).below(": "powerLower(epsilon).times(2).below("}, check_refusal),
    Fault("a refusal by the bound itself", "task.js", {"!powerLower(epsilon).below(": "!expLower(epsilon).below(", "import { powerLower,": "import { expLower, powerLower,"}, check_refusal),
    Fault("the second bound is too large", "epsilon.js", {" / denominator;": " / denominator + (1n << 769n);"}, check_bounds),
    Fault("kept 5 % too large at one padding", "mechanisms/grr.js", {"this.own = this.chance(this.kept);": "if (padding === 37) this.kept += this.kept / 20n;\n    this.own = this.chance(this.kept);"}, check_integers("grr")),
    Fault("hit one too large at one number of symbols", "mechanisms/collision.js", {"checkTask(this.hit": "if (this.symbols % 64n === 63n) this.hit++;\n    checkTask(this.hit"}, check_integers("collision")),
    Fault("an index where both numbers are due", "mechanisms/collision.js", {"MAX_ITEMS_OF_PAIRS = 2 ** 23": "MAX_ITEMS_OF_PAIRS = 2 ** 22"}, check_integers("collision")),
    Fault("fakes rounded down where they are tuned", "mechanisms/ue.js", {"this.flipped = new Fraction(this.kept).over(claim).ceil;": "this.flipped = new Fraction(this.kept).over(claim).floor;"}, check_integers("ue")),
    Fault("sets of residues taken as one", "mechanisms/ue-compact.js", {"expLower(epsilon).times(this.r)": "expLower(epsilon).times(this.r > 9n ? 9n : this.r)"}, check_integers("ue-compact")),
    Fault("thresholds of two levels whatever there are", "mechanisms/grr.js", {"value.plus(this.spread)": "value.plus(2 * all - 1)"}, check_integers("grr"), "realises more"),
    Fault("positions for two levels whatever there are", "mechanisms/collision.js", {"items = levels * keys": "items = 2 * keys"}, check_integers("collision")),
    Fault("the question's share rounded up", "size-question.js", {"share.times(one).floor": "share.times(one).ceil"}, check_integers("collision")),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
