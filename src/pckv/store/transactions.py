"""What databases do differently inside a transaction: bulk statements and locks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pckv.store import migrations
from pckv.wire import Report


class TransactionConflict(Exception):
    """Another transaction was faster; nothing was changed, and the transaction may be tried again."""


class Lock:
    """How a transaction locks a task's row."""

    NONE = ""
    # Other transactions may share the lock, but nobody may change the row.
    SHARE = " FOR SHARE"
    UPDATE = " FOR UPDATE"


class Transaction(migrations.Connection, Protocol):
    """One open transaction."""

    def lock(self, sql: str, how: str, *values: object) -> list[Any]:
        """Return the rows of a query, locked until the transaction ends."""

    def lock_tokens(self) -> None:
        """Keep all other transactions from changing tokens until this one ends."""

    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        """Insert reports with distinct ids, in order; return the bodies of those that were stored already."""

    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the bodies of those of the given ids that are stored."""

    def lock_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, bool]:
        """Return whether each known invitation is spent; nobody else can spend it until the transaction ends."""

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Mark invitations as spent."""

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Add the invitations that are not stored yet."""

    def delete_parts(self, task: int, numbers: Sequence[int]) -> bool:
        """Delete parts; return False, and delete none, unless all exist and nobody else has locked them."""
