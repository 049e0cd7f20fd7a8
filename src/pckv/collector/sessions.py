"""Sessions of people who signed in: a signed cookie that any collector of the store can read.

A cookie says whom it authorises, until when, and which token it was issued for; nothing is stored for it. It
expires after some hours, or when its token is replaced.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable
from typing import NamedTuple

from pckv.canonical import base64url, from_base64url
from pckv.store.base import Role, Store

COOKIE = "pckv_session"
SECONDS = 12 * 3600
# No page of another site can send this header along with the cookie.
HEADER, HEADER_VALUE = "X-Pckv", "1"


class Session(NamedTuple):
    """Who signed in, until when (seconds since 1970), and the hash of the hash of the token."""

    role: Role
    expires: int
    token: bytes


def fingerprint(token_hash: bytes) -> bytes:
    """Return what a cookie says of its token: neither the token nor its stored hash can be recovered from it."""
    return hashlib.sha256(b"session " + token_hash).digest()


class Sessions:
    """Writes and reads cookies."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store, self._now = store, now
        self._key: bytes | None = None

    def write(self, role: Role, token_hash: bytes) -> str:
        """Return a cookie for somebody who just presented a token."""
        expires = int(self._now()) + SECONDS
        text = f"{role.value}.{expires}.{base64url(fingerprint(token_hash))}"
        return f"{text}.{self._signature(text)}"

    def read(self, cookie: str) -> Session | None:
        """Return what a cookie says, if its signature is valid and it has not expired."""
        text, _, signature = cookie.rpartition(".")
        # Only we can sign, so the text has this very form.
        if not hmac.compare_digest(self._signature(text).encode(), signature.encode()):
            return None
        role, expires, token = text.split(".")
        if int(expires) <= self._now():
            return None
        return Session(Role(role), int(expires), from_base64url(token))

    def _signature(self, text: str) -> str:
        if self._key is None:
            self._key = self._store.session_key()
        return base64url(hmac.digest(self._key, text.encode(), "sha256"))
