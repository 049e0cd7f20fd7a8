"""Reports with coins: the coin is the id, the word follows from it, and who must give one is said in one line."""

from __future__ import annotations

from typing import Any

import pytest

from pckv import Task, perturb
from pckv.base.errors import ParameterError
from pckv.contract.coins import follows_coin

SERVER: dict[str, Any] = {
    "values": (1, 5),
    "epsilon": 1,
    "padding": 2,
    "size_share": "0.25",
    "coin": "server",
}
TASKS = [
    Task(name="coins", keys=["alien", "heat", "up"], mechanism={"name": "ue-compact", "q": 3}, **SERVER),
    Task(name="coins", keys=["alien", "heat", "up"], mechanism={"name": "collision", "symbols": 8}, **SERVER),
]
PAIRS: list[dict[str, float]] = [{}, {"alien": 5}, {"alien": 1, "heat": 2.5, "up": 5}]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.mechanism)
def test_a_report_follows_its_coin(task: Task) -> None:
    bodies: dict[int, set[bytes]] = {}
    for number in range(60):
        coin = number.to_bytes(16, "big")
        report = perturb(task, PAIRS[number % 3], coin)
        assert report.id == coin
        assert follows_coin(task, coin, task.message_format.decode(report.body))
        bodies[number] = {perturb(task, PAIRS[number % 3], coin).body for _ in range(12)}
    # The noise is the device's own: twelve reports of one coin agree for hardly any coin.
    assert sum(len(made) > 1 for made in bodies.values()) > 50


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.mechanism)
def test_a_task_with_coins_needs_one(task: Task) -> None:
    with pytest.raises(ParameterError, match=r"^task 'coins' needs a coin, which its collector gives for each report$"):
        perturb(task, {"alien": 5})
    for wrong in (b"", bytes(15), bytes(17)):
        with pytest.raises(ParameterError, match=r"^a coin has 16 bytes$"):
            perturb(task, {"alien": 5}, wrong)


def test_other_tasks_take_none() -> None:
    task = Task(name="movies", keys=3, values=(1, 5), epsilon=1, padding=1, mechanism="collision")
    with pytest.raises(ParameterError, match=r"^task 'movies' takes no coin: its devices draw by themselves$"):
        perturb(task, {}, bytes(16))
