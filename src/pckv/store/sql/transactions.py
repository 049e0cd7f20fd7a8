"""What databases do differently inside a transaction: bulk statements and locks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from pckv.base.wire import Report
from pckv.store import migrations
from pckv.store.base import Invitation

T = TypeVar("T")

# What is stored of an invitation without a coin.
NO_COIN = bytes(16)


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

    def lock_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, Invitation]:
        """Return the known invitations; nobody else can change them until the transaction ends."""

    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Mark invitations as spent, and erase their coins."""

    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Add the invitations that are not stored yet."""

    def erasure_mark(self) -> str:
        """Return what later tells whether the rows that this transaction deleted are gone from the files."""

    def delete_parts(self, task: int, numbers: Sequence[int]) -> bool:
        """Delete parts; return False, and delete none, unless all exist and nobody else has locked them."""


class TransactionRunner(ABC):
    """Whatever does its work in transactions of one database."""

    @abstractmethod
    def _run(self, name: str, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """Do some work in one transaction; repeat it if that is safe and may help."""


def stored_invitation(spent: int, coin: bytes) -> Invitation:
    """Return an invitation from its row."""
    return Invitation(bool(spent), None if coin == NO_COIN else coin)
