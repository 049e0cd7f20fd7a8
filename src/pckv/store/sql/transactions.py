"""What a transaction offers: rows, changes, bulk statements and locks; and the schema that it finds.

Schema scripts are numbered, one folder per dialect; each is applied once, in order.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, Generic, NamedTuple, TypeVar

from pckv.base.errors import PckvError, StoreError
from pckv.base.wire import Report
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.base import Invitation

Contract = TypeVar("Contract", bound=Task | Series)

# What is stored of an invitation without a coin.
NO_COIN = bytes(16)
# A contract may hold megabytes of key names; this many are kept after parsing.
MAX_PARSED_TASKS, MAX_PARSED_SERIES = 64, 16


class TransactionConflict(Exception):
    """Another transaction was faster; nothing was changed, and the transaction may be tried again."""


class Transaction(ABC):
    """One open transaction of a store, and the contracts that the store has parsed."""

    contracts: ParsedContracts

    # The ends of queries whose rows other transactions may share, and not change, until this one ends; and of
    # those whose rows they wait for.
    for_share: str
    for_update: str

    @abstractmethod
    def rows(self, sql: str, *values: object) -> list[Any]:
        """Return the rows of a query."""

    @abstractmethod
    def change(self, sql: str, *values: object) -> int:
        """Execute a statement; return how many rows it changed."""

    @abstractmethod
    def script(self, sql: str) -> None:
        """Execute several statements."""

    @abstractmethod
    def lock_tokens(self) -> None:
        """Keep all other transactions from changing tokens until this one ends."""

    @abstractmethod
    def insert_reports(self, task: int, reports: Sequence[Report]) -> dict[bytes, bytes]:
        """Insert reports with distinct ids, in order; return the bodies of those that were stored already."""

    @abstractmethod
    def bodies(self, task: int, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the bodies of those of the given ids that are stored."""

    @abstractmethod
    def lock_invitations(self, task: int, hashes: Sequence[bytes]) -> dict[bytes, Invitation]:
        """Return the known invitations, which no other transaction can change until this one ends."""

    @abstractmethod
    def spend_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Mark invitations as spent, and erase their coins."""

    @abstractmethod
    def insert_invitations(self, task: int, hashes: Sequence[bytes]) -> None:
        """Add the invitations that are not stored yet."""

    @abstractmethod
    def erasure_mark(self) -> str:
        """Return what later tells whether the rows that this transaction deleted are gone from the files."""

    @abstractmethod
    def delete_parts(self, task: int, numbers: Sequence[int]) -> bool:
        """Delete parts; return False, and delete none, unless all exist and none is locked."""


class ParsedTexts(Generic[Contract]):
    """The last parsed contracts of a table; an id determines the text, so none goes stale."""

    def __init__(self, table: str, noun: str, parse: Callable[[str], Contract], limit: int) -> None:
        self._sql = f"SELECT json FROM {table} WHERE id = $1"  # noqa: S608
        self._noun, self._parse, self._limit = noun, parse, limit
        self._parsed: dict[str, Contract] = {}
        self._lock = threading.Lock()

    def find(self, tx: Transaction, contract_id: str) -> Contract:
        """Return the contract of an id that is stored."""
        with self._lock:
            contract = self._parsed.get(contract_id)
        if contract is None:
            try:
                contract = self._parse(tx.rows(self._sql, contract_id)[0][0])
            except PckvError as error:
                raise StoreError(f"{self._noun} {contract_id} is damaged: {error}") from error
            if contract.id != contract_id:
                raise StoreError(f"{self._noun} {contract_id} is damaged: its text is that of {contract.id}")
            with self._lock:
                while len(self._parsed) >= self._limit:
                    del self._parsed[next(iter(self._parsed))]
                self._parsed[contract_id] = contract
        return contract


class ParsedContracts(NamedTuple):
    """The tasks and series that a store has parsed."""

    tasks: ParsedTexts[Task]
    series: ParsedTexts[Series]


def no_contracts() -> ParsedContracts:
    """Return the contracts of a store that has parsed none yet."""
    tasks = ParsedTexts("tasks", "task", Task.from_json, MAX_PARSED_TASKS)
    return ParsedContracts(tasks, ParsedTexts("series", "series", Series.from_json, MAX_PARSED_SERIES))


def stored_invitation(spent: int, coin: bytes) -> Invitation:
    """Return an invitation from its row."""
    return Invitation(bool(spent), None if coin == NO_COIN else coin)


class Schema(NamedTuple):
    """The tables of a service in a dialect: the package with its scripts, and the table of those that were applied."""

    package: str
    versions: str
    dialect: str


def load_scripts(schema: Schema) -> list[str]:
    """Return the scripts of a schema, from number 1 on."""
    folder = files(schema.package) / "schema" / schema.dialect
    numbers = sorted(int(path.name.removesuffix(".sql")) for path in folder.iterdir())
    return [(folder / f"{number}.sql").read_text("utf-8") for number in numbers]


def migrate(tx: Transaction, schema: Schema) -> None:
    """Migrate a schema to this release; the caller holds the lock that others wait for."""
    tx.script(f"CREATE TABLE IF NOT EXISTS {schema.versions} (version integer NOT NULL)")
    scripts = load_scripts(schema)
    version = _version(tx, schema)
    _refuse_newer(version, len(scripts))
    for number, script in enumerate(scripts[version:], version + 1):
        tx.script(script)
        tx.change(f"INSERT INTO {schema.versions} VALUES ($1)", number)  # noqa: S608


def check_version(tx: Transaction, schema: Schema) -> None:
    """Refuse a schema other than the one that this release works with."""
    known = len(load_scripts(schema))
    version = _version(tx, schema)
    _refuse_newer(version, known)
    if version < known:
        raise StoreError(f"the store has schema {version}, and this release needs {known}: start its server")


def write_nothing(tx: Transaction, schema: Schema) -> None:
    """Add a row and delete it, which fails where nothing can be written."""
    # SQLite would not write a row that is replaced by an equal one.
    tx.change(f"INSERT INTO {schema.versions} VALUES (0)")  # noqa: S608
    tx.change(f"DELETE FROM {schema.versions} WHERE version = 0")  # noqa: S608


def _version(tx: Transaction, schema: Schema) -> int:
    return int(tx.rows(f"SELECT coalesce(max(version), 0) FROM {schema.versions}")[0][0])  # noqa: S608


def _refuse_newer(version: int, known: int) -> None:
    if version > known:
        raise StoreError(f"the store has schema {version}, and this release knows {known}: use a newer release")
