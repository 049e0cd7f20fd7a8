"""Transactions on names: the participant's ledger takes all contracts of one name for one survey."""

from __future__ import annotations

from pckv.base.errors import NameTaken
from pckv.contract.survey import survey_of
from pckv.store.sql.transactions import Transaction, TransactionConflict

_CLAIM = "INSERT INTO surveys (survey, contract) VALUES ($1, $2) ON CONFLICT DO NOTHING"


def claim_survey(tx: Transaction, name: str, contract: str) -> str:
    """Let a task or series have the survey of a name, unless another one has it; return the one that has it."""
    # Of two that claim it at the same time, the second waits for the first and then sees what it wrote.
    tx.change(_CLAIM, survey_of(name), contract)
    owner = survey_owner(tx, name)
    if owner is None:
        # The one that had it was deleted between two statements.
        raise TransactionConflict
    return owner


def survey_owner(tx: Transaction, name: str) -> str | None:
    """Return the task or series that has the survey of a name; None if none has."""
    rows = tx.rows("SELECT contract FROM surveys WHERE survey = $1", survey_of(name))
    return rows[0][0] if rows else None


def take_survey(tx: Transaction, name: str, contract: str) -> None:
    """Let a task or series have the survey of a name, or refuse with a `NameTaken` if another one has it."""
    owner = claim_survey(tx, name, contract)
    if owner != contract:
        raise NameTaken(f"{owner} has the name {name!r} (case and spaces do not count)")


def release_survey(tx: Transaction, contract: str) -> None:
    """Let others have the survey of a task that is deleted."""
    tx.change("DELETE FROM surveys WHERE contract = $1", contract)
