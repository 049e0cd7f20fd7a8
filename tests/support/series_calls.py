"""The JavaScript client of series in Node: schedules, calls and draws, with a collector and a database in memory."""

from __future__ import annotations

import datetime as dt
import json
from functools import cache
from pathlib import Path
from typing import Any

from pckv import Task
from pckv.contract.series import Series
from support.node import CLIENT, NodeProcess, node

SCRIPT = Path(__file__).parent / "javascript" / "series.mjs"
PAIRS = {"alien": 5}
TASK = Task(name="ratings", keys=["alien"], values=(1, 5), epsilon=1, mechanism="grr", padding=1)


@cache
def weekly(panels: int, rounds: int | None = 8, task: Task = TASK) -> Series:
    """Return a series of weekly rounds."""
    return Series(task=task, first="2030-01-07", period=7, panels=panels, rounds=rounds)


def series_node(client: Path = CLIENT) -> NodeProcess:
    """Return a client of series in a process."""
    return node(client, SCRIPT)


def report(series: Series, clock: int | str, **more: Any) -> dict[str, Any]:
    """Return a call that reports, with a clock that shows a round or a time."""
    options = more.pop("report", {})
    return {"clock": clock, "method": "report", "given": [series.id, PAIRS, options], **more}


def submit(task: Task, clock: int | str, **more: Any) -> dict[str, Any]:
    """Return a call that submits to a task that stands alone."""
    return {"clock": clock, "method": "submit", "given": [task.id, PAIRS], **more}


def ask(clock: int | str, method: str, *given: Any, **more: Any) -> dict[str, Any]:
    return {"clock": clock, "method": method, "given": list(given), **more}


def contracts(*known: Task | Series) -> dict[str, str]:
    """Return what a collector has besides the series of a device: paths, and texts."""
    kinds = {True: "series", False: "tasks"}
    return {f"/{kinds[isinstance(contract, Series)]}/{contract.id}": contract.to_json() for contract in known}


def results_of(
    process: NodeProcess, series: Series, calls: list[dict[str, Any]], *others: Task | Series, panel: int = 1
) -> list[Any]:
    """Return what calls of one device return, one after another, where the collector's clock is right unless it is set."""
    for call in calls:
        call.setdefault("set", {}).setdefault("now", _round_of(series, call["clock"]))
    request = {"do": "calls", "series": series.to_json(), "rounds": 8, "panel": panel % series.panels}
    [answer] = process.ask(request | {"calls": calls, "contracts": contracts(*others)})
    results: list[Any] = answer["results"]
    return results


def _round_of(series: Series, clock: int | str) -> int:
    return clock if isinstance(clock, int) else series.round_on(clock[:10]) or 0


def statuses(results: list[Any]) -> list[str]:
    """Return the status of every receipt, or the code of a refusal."""
    return [result.get("status") or result.get("code") for result in results]


def vectors() -> list[dict[str, Any]]:
    """Return the vectors of series."""
    text = (Path(__file__).parents[2] / "vectors" / "v1" / "series.json").read_text(encoding="utf-8")
    cases: list[dict[str, Any]] = json.loads(text)
    return cases


def time_of(text: str) -> dt.datetime:
    """Return a time of JavaScript."""
    return dt.datetime.fromisoformat(text)
