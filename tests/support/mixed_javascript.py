"""The JavaScript client as a device that reports to mixed tasks, in Node."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from pckv import Series, Task
from pckv.base.canonical import from_base64url
from support.mixed_checks import PAIRS, Answer, MakeDevice, StoredSealed
from support.node import CLIENT, node

SCRIPT = Path(__file__).parent / "javascript" / "mixed.mjs"
NOWHERE = "http://nowhere.test"


class MixedPage:
    """A database, and a new page for every call."""

    def __init__(self, client: Path) -> None:
        self._process, self._can_seal = node(client, SCRIPT), True
        self._ask(do="begin")

    def _ask(self, **request: Any) -> Any:
        [answer] = self._process.ask(request)
        return answer

    def _call(self, method: str, url: str, *given: Any, **more: Any) -> Any:
        return self._ask(do="call", method=method, url=url, given=given, canSeal=self._can_seal, **more)

    @property
    def early(self) -> int:
        """How many uploads were of bytes that were not stored."""
        return int(self._ask(do="early"))

    def submit(
        self, task: Task, url: str, pairs: dict[str, float] = PAIRS, *, invitation: str | None = None, **caps: str
    ) -> Answer:
        options = {name.replace("local_cap", "localCap"): cap for name, cap in caps.items()}
        invited = {} if invitation is None else {"invitation": invitation}
        return _answer(self._call("submit", url, task.id, pairs, invited, options=options))

    def report(self, series: Series, url: str, now: dt.datetime) -> Answer:
        return _answer(self._call("report", url, series.id, PAIRS, clock=now.isoformat()))

    def flush(self, url: str) -> list[str]:
        return [receipt["status"] for receipt in self._call("flush", url)]

    def stored(self, task: Task) -> StoredSealed | None:
        report = self._ask(do="stored", task=task.id)
        if report is None:
            return None
        return StoredSealed(from_base64url(report["body"]), from_base64url(report.get("sealed", "")), "id" in report)

    def sums(self) -> tuple[Decimal, Decimal, Decimal]:
        spent, delta, local = (Decimal(self._call(name, NOWHERE)) for name in ("spent", "spentDelta", "localSpent"))
        return spent, delta, local

    def words(self) -> list[str]:
        return [*(entry["text"] for entry in self._call("ledger", NOWHERE)), *self._call("ledgerSummary", NOWHERE)]

    @contextmanager
    def cannot_seal(self) -> Iterator[None]:
        """Let the browser have no X25519."""
        self._can_seal = False
        yield
        self._can_seal = True


def _answer(result: dict[str, Any]) -> Answer:
    return Answer(result.get("code") or result["status"], result["reason"])


def pages(client: Path = CLIENT) -> MakeDevice:
    """Return what makes devices with the client in a folder."""
    return lambda _: MixedPage(client)
