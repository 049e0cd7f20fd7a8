"""Transactions on drafts of surveys: forms that are kept until they are published."""

from __future__ import annotations

import json

from pckv.store.base import Draft, DraftSummary
from pckv.store.sql.transactions import Transaction

_TURN = "(SELECT coalesce(max(turn), 0) + 1 FROM drafts)"
# Added again after a lost answer to the commit, it is there already. Two that come at once may both be the last one.
_ADD = f"""
    INSERT INTO drafts (id, turn, changed, name, content)
    SELECT $1, {_TURN}, $2, $3, $4 WHERE (SELECT count(*) FROM drafts) < $5 ON CONFLICT DO NOTHING
"""  # noqa: S608
_CHANGE = f"UPDATE drafts SET turn = {_TURN}, changed = $1, name = $2, content = $3 WHERE id = $4"  # noqa: S608
_LIST = "SELECT id, name, changed FROM drafts ORDER BY turn DESC, id"


def add_draft(tx: Transaction, draft: Draft, limit: int) -> bool:
    """Add a draft, unless there are as many as there may be; return whether it is there."""
    tx.change(_ADD, draft.id, draft.changed, json.dumps(draft.name), draft.content, limit)
    return bool(tx.rows("SELECT 1 FROM drafts WHERE id = $1", draft.id))


def change_draft(tx: Transaction, draft: Draft) -> bool:
    """Replace a draft by what it is now; return False if it is unknown."""
    return tx.change(_CHANGE, draft.changed, json.dumps(draft.name), draft.content, draft.id) > 0


def list_drafts(tx: Transaction) -> list[DraftSummary]:
    """Return all drafts without their contents, the one that was changed last first."""
    return [DraftSummary(draft_id, json.loads(name), changed) for draft_id, name, changed in tx.rows(_LIST)]


def find_draft(tx: Transaction, draft_id: str) -> Draft | None:
    """Return a draft; None if it is unknown."""
    rows = tx.rows("SELECT id, name, changed, content FROM drafts WHERE id = $1", draft_id)
    return Draft(rows[0][0], json.loads(rows[0][1]), *rows[0][2:]) if rows else None


def delete_draft(tx: Transaction, draft_id: str) -> bool:
    """Delete a draft; return False if it is unknown."""
    return tx.change("DELETE FROM drafts WHERE id = $1", draft_id) > 0
