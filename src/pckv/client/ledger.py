"""The ledger: the ε that the reports of a state folder have spent, and what may still be spent.

It is read off the stored reports: there is no second book that could disagree with them.
"""

from __future__ import annotations

import decimal
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal

from pckv.canonical import decimal_text
from pckv.channels import SIZES
from pckv.client.outbox import Kept, Outbox
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
        """What each task has spent, sent or not."""
        return {task_id: kept.epsilon for task_id, kept in self._kept().items()}

    def spent(self) -> Decimal:
        """What all tasks have spent together."""
        return _sum(self.by_task().values())

    def check(self, task: Task, epsilon: Decimal) -> None:
        """Refuse a task that must not be served in; under the lock, so that no other process spends meanwhile.

        A stored report that cannot be read stops every new one: it may be of the same survey.
        """
        all_kept = self._kept()
        _check_one_kind(task, all_kept)
        self._check_cap(epsilon, _sum(kept.epsilon for kept in all_kept.values()))

    def _kept(self) -> dict[str, Kept]:
        found = ((task_id, self._outbox.find(task_id)) for task_id in self._outbox.tasks())
        return {task_id: kept for task_id, kept in found if kept is not None}

    def _check_cap(self, epsilon: Decimal, spent: Decimal) -> None:
        if self._cap is not None and _sum((spent, epsilon)) > self._cap:
            raise ClientError(
                "over_budget",
                f"the task costs ε = {epsilon:f}, and {spent:f} is spent: over the cap of {self._cap:f} in all",
            )


def _check_one_kind(task: Task, all_kept: Mapping[str, Kept]) -> None:
    """A pilot and the main task of its name ask the same people about the same pairs: together that is 2ε."""
    for task_id, kept in all_kept.items():
        served = json.loads(kept.task)
        if served["name"] == task.name and served["kind"] != task.kind:
            raise ClientError(
                "already_served",
                f"this device served in the {_role(served['kind'])} {task.name!r}, task {task_id}: "
                f"it cannot serve in the {_role(task.kind)} too; nothing was perturbed",
            )


def _role(kind: str) -> str:
    return "pilot" if kind == SIZES else "main task"


def realised(task: Task) -> Decimal:
    """A task's ε as it is written down."""
    return Decimal(decimal_text(task.realised_epsilon, "epsilon"))


def _sum(numbers: Iterable[Decimal]) -> Decimal:
    with decimal.localcontext(prec=SUM_DIGITS, rounding=decimal.ROUND_UP):
        return sum(numbers, Decimal(0))
