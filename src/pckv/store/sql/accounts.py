"""Transactions on tokens and sessions."""

from __future__ import annotations

from pckv.store.base import MAX_SESSIONS_PER_TOKEN, Role, Session
from pckv.store.sql.transactions import Transaction

_ADD_TOKEN = "INSERT INTO tokens VALUES ($1, $2) ON CONFLICT DO NOTHING"  # noqa: S105
_END_FIRST_SESSIONS = """
    DELETE FROM sessions WHERE token = $1 AND hash NOT IN
    (SELECT hash FROM sessions WHERE token = $1 ORDER BY expires DESC, hash LIMIT $2)
"""


def set_token(tx: Transaction, role: Role, token_hash: bytes) -> None:
    """Replace the administrator's token, ending that role's sessions, or add one for an analyst."""
    tx.lock_tokens()
    if role is Role.ADMINISTRATOR:
        tx.change("DELETE FROM tokens WHERE role = $1", role.value)
        tx.change("DELETE FROM sessions WHERE role = $1", role.value)
    tx.change(_ADD_TOKEN, role.value, token_hash)


def add_first_token(tx: Transaction, token_hash: bytes) -> bool:
    """Store an administrator's token if there is none yet; return whether it was stored.

    Of several collectors that do this at the same time, exactly one stores its token.
    """
    role = Role.ADMINISTRATOR.value
    tx.lock_tokens()
    tokens = [stored for (stored,) in tx.rows("SELECT hash FROM tokens WHERE role = $1", role)]
    if not tokens:
        tx.change(_ADD_TOKEN, role, token_hash)
    # After a lost answer to the commit, the repeated transaction finds its own token.
    return not tokens or bytes(tokens[0]) == token_hash


def tokens(tx: Transaction) -> list[tuple[Role, bytes]]:
    """Return the hashes of all tokens."""
    rows = tx.rows("SELECT role, hash FROM tokens ORDER BY role, hash")
    return [(Role(role), bytes(token_hash)) for role, token_hash in rows]


def find_role(tx: Transaction, token_hash: bytes) -> Role | None:
    """Return whom a stored token authorises: of two roles, the administrator's."""
    # With the roles named, the primary key finds the hash.
    sql = "SELECT role FROM tokens WHERE role IN ($1, $2) AND hash = $3"
    rows = tx.rows(sql, *(role.value for role in Role), token_hash)
    return min((Role(role) for (role,) in rows), default=None)


def revoke_token(tx: Transaction, token_hash: bytes) -> bool:
    """Delete a token and end its sessions; return False if it is unknown."""
    tx.lock_tokens()
    tx.change("DELETE FROM sessions WHERE token = $1", token_hash)
    return tx.change("DELETE FROM tokens WHERE hash = $1", token_hash) > 0


def add_session(tx: Transaction, session: Session) -> None:
    """Add a session; beyond a number of sessions per token, those that end first are ended."""
    values = (session.hash, session.token, session.role.value, session.expires)
    tx.change("INSERT INTO sessions VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", *values)
    tx.change(_END_FIRST_SESSIONS, session.token, MAX_SESSIONS_PER_TOKEN)


def find_session(tx: Transaction, session_hash: bytes) -> Session | None:
    """Return a session that has not been ended, also after its time."""
    rows = tx.rows("SELECT hash, token, role, expires FROM sessions WHERE hash = $1", session_hash)
    for found, token, role, expires in rows:
        return Session(bytes(found), bytes(token), Role(role), expires)
    return None


def end_session(tx: Transaction, session_hash: bytes) -> bool:
    """End a session; return False if it is unknown."""
    return tx.change("DELETE FROM sessions WHERE hash = $1", session_hash) > 0


def end_expired_sessions(tx: Transaction, now: int) -> int:
    """End all sessions whose time is over; return how many."""
    return tx.change("DELETE FROM sessions WHERE expires <= $1", now)


def count_sessions(tx: Transaction, now: int) -> dict[bytes, int]:
    """Return how many sessions end after a time, by the hash of the token, where there are any."""
    rows = tx.rows("SELECT token, count(*) FROM sessions WHERE expires > $1 GROUP BY token", now)
    return {bytes(token): count for token, count in rows}
