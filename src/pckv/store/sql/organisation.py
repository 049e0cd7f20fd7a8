"""Transactions on the organisation that runs a collector: its name and its logo."""

from __future__ import annotations

from pckv.store.base import Logo, Organisation
from pckv.store.sql.transactions import Transaction

_SET_NAME = """
    INSERT INTO organisation (number, name) VALUES (1, $1) ON CONFLICT (number) DO UPDATE SET name = excluded.name
"""
_SET_LOGO = "UPDATE organisation SET logo_type = $1, logo = $2 WHERE number = 1"


def find_organisation(tx: Transaction) -> Organisation:
    """Return the name of the organisation, and whether it has a logo."""
    rows = tx.rows("SELECT name, logo IS NOT NULL FROM organisation")
    return Organisation(rows[0][0], bool(rows[0][1])) if rows else Organisation(None, has_logo=False)


def find_logo(tx: Transaction) -> Logo | None:
    """Return the logo, if there is one."""
    rows = tx.rows("SELECT logo_type, logo FROM organisation WHERE logo IS NOT NULL")
    return Logo(rows[0][0], bytes(rows[0][1])) if rows else None


def set_organisation(tx: Transaction, name: str | None, *, logo: Logo | None, keep_logo: bool) -> None:
    """Set the name, and the logo unless the one that there is stays."""
    tx.change(_SET_NAME, name)
    if not keep_logo:
        tx.change(_SET_LOGO, *(logo or (None, None)))
