"""A copy of the store suffices neither to sign in nor to forge a cookie."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from pckv.base.canonical import base64url
from pckv.collector.http import rate_limit as failed_tokens
from pckv.collector.http.auth import COOKIES
from support.collectors import ADMINISTRATOR, ANALYST, bearer, running
from support.site import cookie
from support.stores import opened, store_url

# The time that the cookies of a thief would end.
FAR = 2_700_000_000


def stored_values(copy: Path) -> set[bytes]:
    """Return every text and every blob of a store's file."""
    database = apsw.Connection(str(copy))
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    rows = [row for table in tables for row in database.execute(f"SELECT * FROM {table}")]  # noqa: S608
    values = [value for row in rows for value in row]
    return {value.encode() if isinstance(value, str) else value for value in values if isinstance(value, str | bytes)}


def forgeries(values: set[bytes]) -> Iterator[str]:
    """Yield what an attacker with all values could offer: each as it is, hashed, and as the key of a signed cookie."""
    known = values | {hashlib.sha256(value).digest() for value in values}
    for value in sorted(known):
        yield from (base64url(value), value.hex(), value.decode("ascii", "replace"))
    for key in sorted(values):
        for token in sorted(values):
            for says in (token, hashlib.sha256(b"session " + token).digest()):
                text = f"administrator.{FAR}.{base64url(says)}"
                yield f"{text}.{base64url(hmac.digest(key, text.encode(), 'sha256'))}"


def test_a_copy_of_the_store_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_tokens, "MAX_FAILURES_PER_SECOND", 10**6)
    url = store_url("sqlite", tmp_path)
    with opened(url) as store, running(store) as collector:
        honest = [cookie(collector), cookie(collector, ANALYST)]
        [path] = tmp_path.glob("*.db")
        values = stored_values(path)
        # The hashes of two tokens and of two cookies, at least: the thief has everything there is.
        assert len([value for value in values if len(value) == 32]) >= 4
        texts = [text for text in set(forgeries(values)) if text.isascii() and text.isprintable()]
        assert len(texts) > 50
        for text in texts:
            for name in COOKIES:
                answer = collector.client.get("/session", headers={"Cookie": f"{name}={text}"})
                assert answer.json() == {"role": None}, text
            assert collector.client.get("/overview", headers=bearer(text)).status_code == 401
        # The control: the honest ones are let in all the while.
        for headers in (*honest, bearer(ADMINISTRATOR), bearer(ANALYST)):
            assert collector.client.get("/overview", headers=headers).status_code == 200
