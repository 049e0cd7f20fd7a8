"""Sessions of people who signed in: a random cookie, whose hash is in the store.

A session ends when somebody signs out, after some hours, or when its token is replaced or revoked.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable

from pckv.store.base import Role, Session, Store

# Browsers take a cookie with this prefix only over https, and only from the very host that it is for.
SECURE_COOKIE, PLAIN_COOKIE = COOKIES = "__Host-pckv_session", "pckv_session"
COOKIE_BYTES = 32
SECONDS = 12 * 3600
# No page of another site can send this header along with the cookie.
HEADER, HEADER_VALUE = "X-Pckv", "1"


class Sessions:
    """Starts, finds and ends sessions."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store, self._now = store, now

    def start(self, role: Role, token_hash: bytes) -> str:
        """Start a session, and return a cookie for somebody who just presented a token."""
        cookie = secrets.token_urlsafe(COOKIE_BYTES)
        self._store.add_session(Session(_hash(cookie), token_hash, role, int(self._now()) + SECONDS))
        return cookie

    def find(self, cookie: str) -> Session | None:
        """Return the session that a cookie stands for, if it has not ended."""
        session = self._store.find_session(_hash(cookie)) if cookie else None
        return session if session is not None and session.expires > self._now() else None

    def end(self, cookie: str) -> None:
        """End the session that a cookie stands for."""
        self._store.end_session(_hash(cookie))


def _hash(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode(errors="surrogatepass")).digest()
