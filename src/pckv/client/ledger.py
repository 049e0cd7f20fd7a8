"""The ledger: the ε that the reports of a state folder have spent, and the user's cap on it.

It is read off the stored reports: there is no second book that could disagree with them.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable
from decimal import Decimal

from pckv.canonical import decimal_text
from pckv.client.outbox import Outbox
from pckv.errors import ClientError, ParameterError
from pckv.task import Numeric, Task

# An ε has at most 2 digits before the point and 24 behind it: sums at this precision are exact.
SUM_DIGITS = 60


class Ledger:
    """ε by task, realised and rounded up; it counts from the moment that a report is stored."""

    def __init__(self, outbox: Outbox, cap: Numeric | None) -> None:
        self._outbox = outbox
        self._cap = None if cap is None else Decimal(decimal_text(cap, "the cap"))
        if self._cap is not None and self._cap < 0:
            raise ParameterError(f"the cap must not be below 0: {cap}")

    def by_task(self) -> dict[str, Decimal]:
        """What each task has spent, sent or not."""
        found = ((task_id, self._outbox.find(task_id)) for task_id in self._outbox.tasks())
        return {task_id: kept.epsilon for task_id, kept in found if kept is not None}

    def spent(self) -> Decimal:
        """What all tasks have spent together."""
        return _sum(self.by_task().values())

    def check(self, epsilon: Decimal) -> None:
        """Refuse to spend over the cap; under the lock, so that no other process spends meanwhile."""
        if self._cap is None:
            return
        spent = self.spent()
        if _sum((spent, epsilon)) > self._cap:
            raise ClientError(
                "over_budget",
                f"the task costs ε = {epsilon:f}, and {spent:f} is spent: over the cap of {self._cap:f} in all",
            )


def realised(task: Task) -> Decimal:
    """A task's ε as it is written down."""
    return Decimal(decimal_text(task.realised_epsilon, "epsilon"))


def _sum(numbers: Iterable[Decimal]) -> Decimal:
    with decimal.localcontext(prec=SUM_DIGITS, rounding=decimal.ROUND_UP):
        return sum(numbers, Decimal(0))
