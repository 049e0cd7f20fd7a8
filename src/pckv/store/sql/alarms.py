"""Checks for alarms in the SQL that SQLite and PostgreSQL share."""

from __future__ import annotations

from collections.abc import Sequence

from pckv.store.base import AlarmCheck
from pckv.store.sql.reading import TASK_NUMBER, find_row
from pckv.store.sql.transactions import Lock, Transaction, TransactionRunner

# One statement decides: of two collectors, the second waits for the first and then sees what it wrote.
_CLAIM = """
    INSERT INTO alarm_checks (task, begun) VALUES ($1, $2)
    ON CONFLICT (task) DO UPDATE SET begun = excluded.begun
    WHERE abs(alarm_checks.begun - excluded.begun) >= $3
"""
_RECORD = "UPDATE alarm_checks SET seconds = $1, reports = $2, result = $3 WHERE task = $4"
_FIND = f"SELECT seconds, reports, result FROM alarm_checks WHERE task = {TASK_NUMBER} AND result IS NOT NULL"  # noqa: S608


class SqlAlarmChecks(TransactionRunner):
    """The checks for alarms of a `Store` in SQL."""

    def claim_alarm_check(self, task_id: str, now: int, pause: int) -> bool:
        """Note that a check of a task begins now; return False if one began less than a pause before or after."""

        def work(tx: Transaction) -> bool:
            row = find_row(tx, task_id, Lock.SHARE)
            return row is not None and tx.change(_CLAIM, row.number, now, pause) > 0

        return self._run("claim alarm check", work)

    def record_alarm_check(self, task_id: str, check: AlarmCheck) -> None:
        """Keep what a claimed check found in place of the check before."""

        def work(tx: Transaction) -> None:
            row = find_row(tx, task_id, Lock.SHARE)
            if row is not None:
                tx.change(_RECORD, *check, row.number)

        self._run("record alarm check", work)

    def alarm_checks(self, task_ids: Sequence[str]) -> dict[str, AlarmCheck]:
        """Return the last checks that were recorded, of those tasks that have one."""

        def work(tx: Transaction) -> dict[str, AlarmCheck]:
            return {task_id: AlarmCheck(*row) for task_id in task_ids for row in tx.rows(_FIND, task_id)}

        return self._run("find alarm checks", work, write=False)
