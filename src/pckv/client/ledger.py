"""The ledger: the ε that the reports of a state folder have spent, and what may still be spent.

It is computed from the stored reports: there is no second record that could disagree with them.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable
from decimal import Decimal

from pckv.canonical import decimal_text
from pckv.client.outbox import Outbox, StoredReport
from pckv.errors import ClientError, ParameterError
from pckv.limits import Numeric
from pckv.task import Task

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
        """Return what each task has spent, sent or not."""
        return {task_id: report.epsilon for task_id, report in self._reports().items()}

    def spent(self) -> Decimal:
        """Return what all tasks have spent together."""
        return _sum(self.by_task().values())

    def check(self, epsilon: Decimal) -> None:
        """Refuse an ε that goes beyond the cap; under the lock, so that no other process spends now.

        A stored report that cannot be read prevents every new one: nobody knows what it has spent.
        """
        spent = self.spent()
        if self._cap is not None and _sum((spent, epsilon)) > self._cap:
            raise ClientError(
                "over_budget",
                f"the task costs ε = {epsilon:f}, and {spent:f} is spent: over the cap of {self._cap:f} in all",
            )

    def _reports(self) -> dict[str, StoredReport]:
        reports = ((task_id, self._outbox.find(task_id)) for task_id in self._outbox.tasks())
        return {task_id: report for task_id, report in reports if report is not None}


def realised_epsilon(task: Task) -> Decimal:
    """Return a task's realised ε as an exact decimal."""
    return Decimal(decimal_text(task.realised_epsilon, "epsilon"))


def _sum(numbers: Iterable[Decimal]) -> Decimal:
    with decimal.localcontext(prec=SUM_DIGITS, rounding=decimal.ROUND_UP):
        return sum(numbers, Decimal(0))
