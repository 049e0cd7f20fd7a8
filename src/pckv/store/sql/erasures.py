"""Deleted rows that may still be in a database's files, and how they leave them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection

from pckv.store.sql.transactions import Transaction, TransactionRunner

# Marks of erasures: words of the deleted reports still wait to be counted; nothing is left in the files.
UNFINISHED, ERASED = "unfinished", "erased"


class SqlErasures(TransactionRunner):
    """The erasures of a `Store` in SQL."""

    @abstractmethod
    def _finish_forgetting(self, task_id: str) -> None:
        """Delete what is left of forgotten reports, and give their erasure its mark."""

    @abstractmethod
    def _check_erasures(self, marks: Collection[str]) -> dict[str, str]:
        """Clean the files as far as possible now; return the marks that change, `ERASED` if nothing is left."""

    def erase_deleted(self) -> None:
        """Remove deleted rows from the database's files, and the log of recent changes, as far as possible now."""
        for task_id, mark in self._erasures():
            if mark == UNFINISHED:
                self._finish_forgetting(task_id)
        pending = self._erasures()
        changed = self._check_erasures({mark for _, mark in pending})

        def work(tx: Transaction) -> None:
            # If more of the same task was deleted meanwhile, its mark is another one.
            for task_id, mark in pending:
                new = changed.get(mark, mark)
                if new == ERASED:
                    tx.change("DELETE FROM erasures WHERE task = $1 AND mark = $2", task_id, mark)
                elif new != mark:
                    sql = "UPDATE erasures SET mark = $1 WHERE task = $2 AND mark = $3"
                    tx.change(sql, new, task_id, mark)

        if changed:
            self._run("finish erasures", work)

    def pending_erasures(self) -> list[str]:
        """Return the ids of the tasks whose deleted reports may still be in the database's files."""
        return [task_id for task_id, _ in self._erasures()]

    def _erasures(self) -> list[tuple[str, str]]:
        sql = "SELECT task, mark FROM erasures ORDER BY task"
        return self._run("find erasures", lambda tx: tx.rows(sql), write=False)


def mark_erasure(tx: Transaction, task_id: str, mark: str) -> None:
    """Note that this transaction deletes reports of a task."""
    sql = "INSERT INTO erasures VALUES ($1, $2) ON CONFLICT (task) DO UPDATE SET mark = excluded.mark"
    tx.change(sql, task_id, mark)
