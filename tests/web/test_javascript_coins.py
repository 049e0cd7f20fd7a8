"""Coins in the JavaScript client: what is public of a report is the coin's, and everything else the browser's noise."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.errors import AuditFailure
from pckv.base.limits import REPORT_ID_BYTES
from pckv.contract.coins import coin_choice, follows_coin
from support.faults import Fault
from support.node import CLIENT, NodeProcess, node

MECHANISMS = ("ue-compact", "collision")
REPORTS_PER_TASK = 40


def coin_task(mechanism: str, **members: Any) -> Task:
    given: dict[str, Any] = {"name": "t", "keys": 9, "values": (0, 1), "epsilon": 1, "padding": 2} | members
    return Task(mechanism=mechanism, coin="server", **given)


def check_reports_follow_their_coins(client: Path) -> None:
    """Check that a report has the coin's id, question and function, whatever a participant holds."""
    seeded = random.Random("coins")
    tasks = [coin_task(mechanism, size_share=share) for mechanism in MECHANISMS for share in ("0", "0.5")]
    cases = [
        (task, {str(key): key % 2 for key in range(size % 5)}, seeded.randbytes(16))
        for task in tasks
        for size in range(REPORTS_PER_TASK)
    ]
    reports = [
        {"task": task.to_json(), "pairs": list(pairs.items()), "coin": coin.hex()} for task, pairs, coin in cases
    ]
    process = node(client)
    [answers] = process.ask({"do": "made", "reports": reports, "seed": 5})
    asked = set()
    for (task, pairs, coin), answer in zip(cases, answers, strict=True):
        word = int.from_bytes(bytes.fromhex(answer["body"]), "little")
        if answer["id"] != coin.hex() or not follows_coin(task, coin, word):
            raise AuditFailure(f"coins: not that of {pairs} in {task!r}")
        asked.add(coin_choice(task, coin).asks_size)
    assert asked == {True, False}


def test_reports_follow_their_coins() -> None:
    check_reports_follow_their_coins(CLIENT)


MUTANTS = (
    Fault("ue-compact draws a function of its own", "mechanisms/ue-compact.js", {"{ drawn = tape.below(this.functions) } = coin": "drawn = tape.below(this.functions)"}, check_reports_follow_their_coins),
    Fault("collision draws a function of its own", "mechanisms/collision.js", {"{ drawn = tape.below(this.functions) } = coin": "drawn = tape.below(this.functions)"}, check_reports_follow_their_coins),
    Fault("the coin's question is ignored", "size-question.js", {"{ asked = tape.bernoulli(this.asked) } = coin": "asked = tape.bernoulli(this.asked)"}, check_reports_follow_their_coins),
    Fault("the id is not the coin", "report.js", {"id: coin.id ?? tape.reportId": "id: tape.reportId"}, check_reports_follow_their_coins),
    Fault("the function comes before the question", "report.js", {"const asked = mechanism.pairs &&": "tape.below(functions); const asked = mechanism.pairs &&"}, check_reports_follow_their_coins),
    Fault("nothing is rejected", "report.js", {"const COIN_BLOCKS = 16": "const COIN_BLOCKS = 1", "drawn: tape.below(functions)": "drawn: tape.draw() % functions / 2n"}, check_reports_follow_their_coins),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def test_a_coin_goes_with_its_task(process: NodeProcess) -> None:
    task, other, device = coin_task("collision"), coin_task("collision", name="u"), Task(
        name="t", keys=9, values=(0, 1), epsilon=1, padding=2, mechanism="collision"
    )  # fmt: skip
    coin = bytes(REPORT_ID_BYTES).hex()
    needed = "needs a coin of its own, or none; nothing was perturbed"
    cases: list[tuple[dict[str, Any], str | None]] = [
        ({"task": task.to_json(), "coin": coin}, None),
        ({"task": device.to_json()}, None),
        ({"task": task.to_json()}, f"task {task.id} {needed}"),
        ({"task": task.to_json(), "coin": coin, "of": other.to_json()}, f"task {task.id} {needed}"),
        ({"task": device.to_json(), "coin": coin, "of": task.to_json()}, f"task {device.id} {needed}"),
        ({"task": device.to_json(), "coin": coin}, f"this is no coin of task {device.id}"),
        *(
            ({"task": task.to_json(), "coin": "00" * size}, f"this is no coin of task {task.id}")
            for size in (0, 15, 17)
        ),
    ]
    answers = process.ask(*({"do": "coinRefused", **request} for request, _ in cases))
    for (request, message), answer in zip(cases, answers, strict=True):
        assert answer == (message and {"code": "bad_parameter", "message": message}), request
