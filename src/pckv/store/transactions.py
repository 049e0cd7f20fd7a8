"""What a transaction can do that databases do differently: bulk statements, and locks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pckv.store import migrations
from pckv.wire import Report


class Raced(Exception):
    """Another transaction was faster; nothing was changed, and it may be tried again."""


class Lock:
    """How a transaction holds a task's row."""

    NONE = ""
    # Others may hold it too, but nobody may change it.
    SHARE = " FOR SHARE"
    UPDATE = " FOR UPDATE"


class Transaction(migrations.Connection, Protocol):
    """One open transaction."""

    def lock(self, sql: str, how: str, *values: object) -> list[Any]:
        """The rows of a query, held until the transaction ends."""

    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        """Insert reports with ids of their own, in order; the bodies of those that were there."""

    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """The bodies of some ids, as far as they are there."""

    def hold_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, bool]:
        """Whether invitations are spent, as far as they are known; nobody else may spend them now."""

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Spend invitations."""

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Add invitations that are not there."""

    def take_parts(self, task: int, numbers: Sequence[int]) -> bool:
        """Delete parts, if all of them are there and in nobody else's hands."""
