"""The JavaScript client as a device that lives for years, in Node."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

from support.ledger_life_checks import Entry, Seen
from support.ledger_lives import Call, Contracts, Step
from support.ledger_model import Claim, PeriodLimit, Result, Sums
from support.node import CLIENT, node

SCRIPT = Path(__file__).parent / "javascript" / "life.mjs"


class JavaScriptLife:
    """Two pages on one database."""

    def __init__(self, contracts: Contracts, client: Path = CLIENT) -> None:
        self._process = node(client, SCRIPT)
        self._process.ask({"do": "begin", "texts": contracts.texts, "days": contracts.days()})

    def take(self, step: Step) -> Seen:
        """Take a step, and return what it shows."""
        collector = step.collector
        described = {
            "call": _described(step.call),
            "overtaken": step.overtaken and [step.overtaken[0], _described(step.overtaken[1])],
            "forgotten": step.forgotten,
            "removed": step.removed,
            "draws": [step.draw_of(client) for client in range(2)],
            "mode": collector.mode,
            "trusting": collector.trusting,
            "today": dt.date.fromordinal(collector.today).isoformat(),
            "refusal": step.refusal,
        }
        [seen] = self._process.ask({"do": "take", "step": described})
        results = [_result(call, result) for call, result in zip(step.calls, seen["results"], strict=True)]
        ledger = [
            Entry(survey, task, Decimal(epsilon), status, day, series, number, claim and Claim(*map(Decimal, claim)))
            for survey, task, epsilon, status, day, series, number, claim in seen["ledger"]
        ]
        limit = seen["capPerPeriod"]
        return Seen(
            results,
            [tuple(upload) for upload in seen["uploads"]],
            {task: (report, body) for task, report, body in seen["stored"]},
            ledger,
            Sums(*map(Decimal, seen["sums"])),
            Decimal(seen["cap"]),
            Decimal(seen["localCap"]),
            limit and PeriodLimit(Decimal(limit["epsilon"]), limit["days"]),
        )


def _described(call: Call) -> dict[str, Any]:
    caps: dict[str, Any] = {}
    if call.caps.in_all is not None:
        caps["cap"] = f"{call.caps.in_all:f}"
    if call.caps.per_period is not None:
        caps["capPerPeriod"] = {"epsilon": f"{call.caps.per_period.epsilon:f}", "days": call.caps.per_period.days}
    if call.caps.local is not None:
        caps["localCap"] = f"{call.caps.local:f}"
    clock = dt.date.fromordinal(call.clock).isoformat()
    return {"page": call.client, "method": call.method, "contract": call.contract, "clock": clock, "opened": call.restarted, "caps": caps}  # fmt: skip


def _result(call: Call, result: list[Any]) -> Any:
    return list(map(tuple, result)) if call.method == "flush" else Result(*result)
