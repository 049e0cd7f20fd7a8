"""Tokens and sessions in the SQL that SQLite and PostgreSQL share."""

from __future__ import annotations

from pckv.store.base import MAX_SESSIONS_PER_TOKEN, Role, Session
from pckv.store.sql.transactions import Transaction, TransactionRunner

_ADD_TOKEN = "INSERT INTO tokens VALUES ($1, $2) ON CONFLICT DO NOTHING"  # noqa: S105

_END_FIRST_SESSIONS = """
    DELETE FROM sessions WHERE token = $1 AND hash NOT IN
    (SELECT hash FROM sessions WHERE token = $1 ORDER BY expires DESC, hash LIMIT $2)
"""


class SqlAccounts(TransactionRunner):
    """The tokens and sessions of a `Store` in SQL."""

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, which ends all sessions of administrators, or add one for an analyst."""

        def work(tx: Transaction) -> None:
            tx.lock_tokens()
            if role is Role.ADMINISTRATOR:
                tx.change("DELETE FROM tokens WHERE role = $1", role.value)
                tx.change("DELETE FROM sessions WHERE role = $1", role.value)
            tx.change(_ADD_TOKEN, role.value, token_hash)

        self._run("set token", work)

    def add_first_token(self, token_hash: bytes) -> bool:
        """Store an administrator's token if there is none yet; return whether it was stored."""
        role = Role.ADMINISTRATOR.value

        def work(tx: Transaction) -> bool:
            tx.lock_tokens()
            tokens = [stored for (stored,) in tx.rows("SELECT hash FROM tokens WHERE role = $1", role)]
            if not tokens:
                tx.change(_ADD_TOKEN, role, token_hash)
            # After a lost answer to the commit, the repeated transaction finds its own token.
            return not tokens or bytes(tokens[0]) == token_hash

        return self._run("add first token", work)

    def tokens(self) -> list[tuple[Role, bytes]]:
        """Return the hashes of all tokens."""
        sql = "SELECT role, hash FROM tokens ORDER BY role, hash"
        rows = self._run("read tokens", lambda tx: tx.rows(sql), write=False)
        return [(Role(role), bytes(token_hash)) for role, token_hash in rows]

    def find_role(self, token_hash: bytes) -> Role | None:
        """Return whom a stored token authorises: of two roles, the administrator's."""
        # With the roles named, the primary key finds the hash.
        sql = "SELECT role FROM tokens WHERE role IN ($1, $2) AND hash = $3"
        roles = [role.value for role in Role]
        rows = self._run("find token", lambda tx: tx.rows(sql, *roles, token_hash), write=False)
        return min((Role(role) for (role,) in rows), default=None)

    def revoke_token(self, token_hash: bytes) -> bool:
        """Delete a token and end its sessions; return False if it is unknown."""

        def work(tx: Transaction) -> bool:
            tx.lock_tokens()
            tx.change("DELETE FROM sessions WHERE token = $1", token_hash)
            return tx.change("DELETE FROM tokens WHERE hash = $1", token_hash) > 0

        return self._run("revoke token", work)

    def add_session(self, session: Session) -> None:
        """Remember somebody who signed in; beyond a number of sessions per token, those that end first are ended."""

        def work(tx: Transaction) -> None:
            values = (session.hash, session.token, session.role.value, session.expires)
            tx.change("INSERT INTO sessions VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", *values)
            tx.change(_END_FIRST_SESSIONS, session.token, MAX_SESSIONS_PER_TOKEN)

        self._run("add session", work)

    def find_session(self, session_hash: bytes) -> Session | None:
        """Return a session that has not been ended, also after its time."""
        sql = "SELECT hash, token, role, expires FROM sessions WHERE hash = $1"
        rows = self._run("find session", lambda tx: tx.rows(sql, session_hash), write=False)
        for found, token, role, expires in rows:
            return Session(bytes(found), bytes(token), Role(role), expires)
        return None

    def end_session(self, session_hash: bytes) -> bool:
        """End a session; return False if it is unknown."""
        sql = "DELETE FROM sessions WHERE hash = $1"
        return self._run("end session", lambda tx: tx.change(sql, session_hash)) > 0

    def end_expired_sessions(self, now: int) -> int:
        """End all sessions whose time is over; return how many."""
        sql = "DELETE FROM sessions WHERE expires <= $1"
        return self._run("end sessions", lambda tx: tx.change(sql, now))

    def count_sessions(self, now: int = 0) -> dict[bytes, int]:
        """Return the number of sessions that end after a time, by the hash of the token, for tokens that have some."""
        sql = "SELECT token, count(*) FROM sessions WHERE expires > $1 GROUP BY token"
        rows = self._run("count sessions", lambda tx: tx.rows(sql, now), write=False)
        return {bytes(token): count for token, count in rows}
