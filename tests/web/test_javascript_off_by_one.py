"""The audit of the JavaScript client fails where a threshold is off by one, in every kind of task, and sees every difference."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from audit.wrong_tasks import KINDS, WITH_QUESTION
from pckv.auditing.interval_tape import Box
from pckv.base.errors import AuditFailure
from pckv.base.limits import DISCOVERY, REPORT_ID_BYTES, SERVER_COIN
from pckv.contract.coins import coin_choice
from pckv.contract.task import Task
from pckv.mechanisms.registry import LAWS
from support.faults import Fault, faulty_client
from support.node import CLIENT, node
from support.tiers import wide
from support.traced_client import Point, Setting, check_points, comparison, difference, explored_points
from support.traced_settings import Request

# Where a report of pairs is drawn: one unit of 2^64 toward less privacy, and the client's own integers stay as they are.
OFF_BY_ONE: dict[str, tuple[str, dict[str, str]]] = {
    "ue": ("mechanisms/ue.js", {"isOwn ? this.kept : this.fake": "isOwn ? this.kept : this.fake - 1n"}),
    "grr": ("mechanisms/grr.js", {"if (number < this.kept)": "if (number <= this.kept)"}),
    "ue-compact": ("mechanisms/ue-compact.js", {"tape.bernoulli(this.kept)": "tape.bernoulli(this.kept + 1n)"}),
    "collision": ("mechanisms/collision.js", {"if (number < count * this.hit)": "if (count && number <= count * this.hit)", "own[number / this.hit]": "own[number / (this.hit + 1n)]"}),
}  # fmt: skip
OF_SIZES = ("size-question.js", {"tape.bernoulli(this.kept)": "tape.bernoulli(this.kept + 1n)"})


def settings_of(task: Task) -> Iterator[Setting]:
    """Yield participants with no pair, with one, and with two keys; by coins of either question, where there are coins."""
    names = ["a", "b"] if task.kind == DISCOVERY or task.is_hashed else [task.key_name(0), "x" if task.other else "1"]
    for size in range(len(names) + 1):
        pairs = dict(zip(names[:size], (1.0, -1.0), strict=False))
        yield from (Setting(task, pairs, coin) for coin in coins_of(task))


def coins_of(task: Task) -> list[bytes | None]:
    """Return a coin of each question; none where the device draws."""
    if task.coin != SERVER_COIN:
        return [None]
    coins = [bytes([number]) * REPORT_ID_BYTES for number in range(64)]
    by_question = {coin_choice(task, coin).asks_size: coin for coin in coins}
    return list(by_question.values())


@lru_cache
def requests_of(kind: str) -> list[Request]:
    """Return the points at which a kind of task is compared."""
    seeded = random.Random(kind)
    return [(setting, explored_points(setting, seeded)) for setting in settings_of(KINDS[kind])]


DIFFERS = "another message|decides differently"
FAULTS = [
    *(Fault(kind, *OFF_BY_ONE[task.mechanism], comparison(partial(requests_of, kind)), DIFFERS) for kind, task in KINDS.items()),
    *(Fault(f"{kind}, its answers", *OF_SIZES, comparison(partial(requests_of, kind)), DIFFERS) for kind in WITH_QUESTION),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["collision", *wide(*(kind for kind in KINDS if kind != "collision"))])
def test_the_client_passes(kind: str) -> None:
    comparison(partial(requests_of, kind))(CLIENT)


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_a_threshold_that_is_off_by_one_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


# The integers themselves, which the client compares with e^ε when it reads a task.
INTEGERS = {
    "ue": {"plus(this.count * this.kept)).ceil;": "plus(this.count * this.kept)).ceil - 1n;"},
    "grr": {"value.plus(this.spread)).floor;": "value.plus(this.spread)).floor + 1n;"},
    "ue-compact": {"over(inside.plus(others)).floor;": "over(inside.plus(others)).floor + 1n;"},
    "collision": {"plus(this.symbols - most)).floor;": "plus(this.symbols - most)).floor + 1n;"},
}


@pytest.mark.parametrize("name", LAWS)
def test_a_client_with_an_integer_that_is_off_by_one_refuses_all_tasks(name: str, tmp_path: Path) -> None:
    tasks = [task.to_json() for task in KINDS.values() if task.mechanism == name]
    for client, is_refused in (
        (CLIENT, False),
        (faulty_client(tmp_path, f"mechanisms/{name}.js", INTEGERS[name]), True),
    ):
        [answers] = node(client).ask({"do": "integers", "tasks": tasks})
        refused = [answer.get("message") == "not a task: it realises more than its epsilon" for answer in answers]
        assert refused == [is_refused] * len(tasks)


# A draw that is compared, one of which a remainder is taken, and a remainder after a draw that is rejected.
COMPLETE, LAST = 2**64 - 6, 2**64 - 1
POINT = Point((3, 25, LAST, 7), (Box(None, 2, 9), Box(10, 4, 6), Box(None, COMPLETE, LAST), Box(10, 0, 9)), "00ff", frozenset({2}))  # fmt: skip
BOXES = ((2, 9), (0, COMPLETE - 1, 10, 4, 6), (COMPLETE, LAST), (0, COMPLETE - 1, 10, 0, 9))
# What a client may find instead: the number of a draw, and its box.
OTHER_BOXES: tuple[tuple[int, tuple[int, ...]], ...] = (
    (0, (3, 9)),
    (0, (2, 8)),
    (0, (2, 9, 10, 4, 6)),
    (1, (4, 6)),
    (1, (0, COMPLETE - 1, 11, 4, 6)),
    (1, (0, COMPLETE - 1, 10, 5, 6)),
    (1, (0, COMPLETE - 1, 10, 4, 5)),
    (1, (0, LAST, 10, 4, 6)),
    (1, (1, COMPLETE - 1, 10, 4, 6)),
    (2, (COMPLETE - 1, LAST)),
    (2, (COMPLETE, LAST - 1)),
    (3, (0, COMPLETE - 1, 10, 1, 9)),
)


def run_with(boxes: Sequence[tuple[int, ...]], **members: Any) -> dict[str, Any]:
    """Return what a client answers."""
    return {"body": "00ff", "boxes": [[str(number) for number in box] for box in boxes], **members}


def test_the_comparison_sees_every_difference() -> None:
    """An audit that cannot fail would pass any client."""
    assert difference(POINT, run_with(BOXES)) is None
    # A wider box decides nothing in Python's.
    assert difference(POINT, run_with([(0, LAST), *BOXES[1:]])) is None
    for run in (
        run_with(BOXES, error="x"),
        run_with(BOXES, body="00fe"),
        run_with(BOXES[:-1]),
        run_with([*BOXES, (0, LAST)]),
    ):
        assert difference(POINT, run) is not None
    for place, box in OTHER_BOXES:
        assert difference(POINT, run_with([*BOXES[:place], box, *BOXES[place + 1 :]])), (place, box)


class OneRun:
    """A client that answers one run of one setting with another message."""

    def __init__(self, setting: int, run: int) -> None:
        self._place = (setting, run)
        self._asked = 0

    def ask(self, *requests: dict[str, Any]) -> list[Any]:
        """Return the right answers but for one."""
        answers = []
        for request in requests:
            runs = [
                run_with(BOXES, body="00fe" if (self._asked, number) == self._place else "00ff")
                for number in range(len(request["runs"]))
            ]
            answers.append(runs)
            self._asked += 1
        return answers


def test_no_setting_and_no_run_is_left_out() -> None:
    setting = Setting(KINDS["grr"], {})
    requests = [(setting, [POINT] * 3)] * 5
    check_points(OneRun(-1, 0), requests)  # type: ignore[arg-type]
    for place in product(range(5), range(3)):
        with pytest.raises(AuditFailure, match="another message"):
            check_points(OneRun(*place), requests)  # type: ignore[arg-type]
