"""Tokens and sessions of the store in memory."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from pckv.store.base import MAX_SESSIONS_PER_TOKEN, Role, Session


class MemoryAccounts:
    """The tokens and sessions of a `Store` in memory."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._tokens: set[tuple[Role, bytes]] = set()
        self._sessions: dict[bytes, Session] = {}

    def set_token(self, role: Role, token_hash: bytes) -> None:
        """Replace the administrator's token, or add one for an analyst."""
        with self._lock:
            if role is Role.ADMINISTRATOR:
                self._tokens = {token for token in self._tokens if token[0] is not role}
                self._end_sessions(lambda session: session.role is role)
            self._tokens.add((role, token_hash))

    def add_first_token(self, token_hash: bytes) -> bool:
        """Store an administrator's token if there is none yet; return whether it was stored."""
        with self._lock:
            if any(role is Role.ADMINISTRATOR for role, _ in self._tokens):
                return False
            self._tokens.add((Role.ADMINISTRATOR, token_hash))
            return True

    def tokens(self) -> list[tuple[Role, bytes]]:
        """Return the hashes of all tokens."""
        with self._lock:
            return sorted(self._tokens)

    def find_role(self, token_hash: bytes) -> Role | None:
        """Return whom a stored token authorises: of two roles, the administrator's."""
        return min((role for role, stored in self.tokens() if stored == token_hash), default=None)

    def revoke_token(self, token_hash: bytes) -> bool:
        """Delete a token and end its sessions; return False if it is unknown."""
        with self._lock:
            left = {token for token in self._tokens if token[1] != token_hash}
            known, self._tokens = len(left) < len(self._tokens), left
            self._end_sessions(lambda session: session.token == token_hash)
            return known

    def add_session(self, session: Session) -> None:
        """Remember somebody who signed in; beyond a number of sessions per token, those that end first are ended."""
        with self._lock:
            self._sessions.setdefault(session.hash, session)
            same = [other for other in self._sessions.values() if other.token == session.token]
            same.sort(key=lambda other: (-other.expires, other.hash))
            for other in same[MAX_SESSIONS_PER_TOKEN:]:
                del self._sessions[other.hash]

    def find_session(self, session_hash: bytes) -> Session | None:
        """Return a session that has not been ended, also after its time."""
        return self._sessions.get(session_hash)

    def end_session(self, session_hash: bytes) -> bool:
        """End a session; return False if it is unknown."""
        return self._end_sessions(lambda session: session.hash == session_hash) > 0

    def end_expired_sessions(self, now: int) -> int:
        """End all sessions whose time is over; return how many."""
        return self._end_sessions(lambda session: session.expires <= now)

    def _end_sessions(self, ends: Callable[[Session], bool]) -> int:
        with self._lock:
            left = {key: session for key, session in self._sessions.items() if not ends(session)}
            ended, self._sessions = len(self._sessions) - len(left), left
            return ended

    def count_sessions(self, now: int = 0) -> dict[bytes, int]:
        """Return the number of sessions that end after a time, by the hash of the token, for tokens that have some."""
        with self._lock:
            live = [session for session in self._sessions.values() if session.expires > now]
        return dict(Counter(session.token for session in live))
