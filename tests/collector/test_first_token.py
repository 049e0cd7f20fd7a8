"""The administrator's first token."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from pckv.base.errors import ParameterError, StoreError
from pckv.cli.common import with_hint
from pckv.collector.http import auth as tokens
from pckv.collector.http.settings import TOKEN_VARIABLE
from pckv.store.base import Role
from support.collectors import bearer, wait_until
from support.memory_store import MemoryStore
from support.serving import serving
from support.stores import opened, postgres_server, postgres_url

EARLIER = tokens.AdministratorToken(tokens.TokenPlace.EARLIER)


def test_the_first_start_writes_a_token_that_only_its_owner_can_read(tmp_path: Path) -> None:
    file = tmp_path / "admin.token"
    with serving(tmp_path, "--token-file", str(file)) as collector:
        token = file.read_text().strip()
        assert json.loads(collector.ask("GET", "/tasks", headers=bearer(token))) == {"tasks": []}
        assert token not in collector.errors.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    # The next start uses it and creates no other.
    with serving(tmp_path, "--token-file", str(file)) as collector:
        assert json.loads(collector.ask("GET", "/tasks", headers=bearer(token))) == {"tasks": []}
    assert file.read_text().strip() == token


def test_a_first_token_is_for_a_terminal_once_or_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    store = MemoryStore()
    with pytest.raises(ParameterError, match=f"set {TOKEN_VARIABLE}$") as refused:
        tokens.create_first_token(store, None)
    assert with_hint(str(refused.value), refused.value.code).endswith(
        f"set {TOKEN_VARIABLE}, or name a --token-file to write one to"
    )
    assert store.tokens() == []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    first = tokens.create_first_token(store, None)
    assert first.place is tokens.TokenPlace.NEW
    assert store.tokens() == [(Role.ADMINISTRATOR, tokens.token_hash(first.token))]
    assert tokens.create_first_token(store, None) == EARLIER
    monkeypatch.setenv(TOKEN_VARIABLE, "x" * tokens.MIN_TOKEN_LENGTH)
    assert tokens.create_first_token(store, None) == tokens.AdministratorToken(tokens.TokenPlace.ENVIRONMENT)


def test_a_token_file_is_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "there"
    file.write_text("before", encoding="utf-8")
    store = MemoryStore()
    with pytest.raises(FileExistsError):
        tokens.create_first_token(store, str(file))
    assert (file.read_text(encoding="utf-8"), store.tokens()) == ("before", [])


def test_a_postgres_store_is_shared_by_token(tmp_path: Path) -> None:
    """A second collector on the same store knows the first one's token."""
    url = postgres_url()
    with opened(url) as store:
        store.set_token(Role.ADMINISTRATOR, tokens.token_hash("known"))
    with serving(tmp_path, store=url) as collector:
        assert json.loads(collector.ask("GET", "/tasks", headers=bearer("known"))) == {"tasks": []}


def start_first(url: str, folder: Path, token_file: Path, number: int) -> str:
    """Start a collector that finds no token in its store; return its log once it is ready."""
    working_folder = folder / str(number)
    working_folder.mkdir()
    with serving(working_folder, "--token-file", str(token_file), store=url) as collector:
        return collector.errors.read_text()


@pytest.mark.parametrize("shares_file", [False, True])
def test_one_of_two_collectors_that_start_together_creates_the_token(tmp_path: Path, shares_file: bool) -> None:
    url = postgres_url()
    with opened(url) as store, psycopg.connect(url) as connection:
        # Both have found that there is no token before either can store one.
        connection.execute("LOCK TABLE tokens IN SHARE MODE")
        names = ("token", "token") if shares_file else ("first.token", "second.token")
        files = [tmp_path / name for name in names]
        with ThreadPoolExecutor(2) as pool:
            starting = [pool.submit(start_first, url, tmp_path, file, n) for n, file in enumerate(files)]
            wait_until(lambda: waiting_for_tokens() == 2)
            connection.rollback()
            logs = [future.result() for future in starting]
        [token] = [file.read_text().strip() for file in {*files} if file.exists()]
        assert store.tokens() == [(Role.ADMINISTRATOR, tokens.token_hash(token))]
    logged = [json.loads(line) for text in logs for line in text.splitlines()]
    [reason] = [line["reason"] for line in logged if line["event"] == "token_exists"]
    assert reason.endswith("created the administrator's token: it is in the terminal or the token file of that process")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def waiting_for_tokens() -> int:
    """Return how many connections wait for the lock of the tokens."""
    with psycopg.connect(postgres_server()) as connection:
        query = "SELECT count(*) FROM pg_locks, pg_class WHERE oid = relation AND relname = 'tokens' AND NOT granted"
        [row] = connection.execute(query).fetchall()
        return int(row[0])


def test_the_other_of_two_terminals_shows_no_token(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    store = MemoryStore()
    # The other collector stores its token after this one has found none.
    monkeypatch.setattr(tokens, "_has_administrator", lambda _: False)
    first = tokens.create_first_token(store, None)
    assert tokens.create_first_token(store, None) == EARLIER
    assert store.tokens() == [(Role.ADMINISTRATOR, tokens.token_hash(first.token))]
    assert capsys.readouterr().err.startswith("Token exists: another process")


def test_a_folder_that_cannot_be_written_to_stores_no_token(tmp_path: Path) -> None:
    store = MemoryStore()
    with pytest.raises(FileNotFoundError, match="nowhere/token'"):
        tokens.create_first_token(store, str(tmp_path / "nowhere" / "token"))
    assert store.tokens() == []


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def only_file(folder: Path) -> Path:
    """Return the one file of a folder, which only its owner can read."""
    [file] = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    return file


def test_a_stored_token_that_gets_no_file_name_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    monkeypatch.setattr(os, "link", full_disk)
    with pytest.raises(ParameterError, match="No space left") as failed:
        tokens.create_first_token(store, str(tmp_path / "token"))
    file = only_file(tmp_path)
    assert str(failed.value).endswith(f"the administrator's token is in {file}")
    assert store.tokens() == [(Role.ADMINISTRATOR, tokens.token_hash(file.read_text().strip()))]


def test_a_file_that_appears_meanwhile_is_not_written_over_and_the_token_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "token"

    class InterferingStore(MemoryStore):
        def add_first_token(self, token_hash: bytes) -> bool:
            path.write_text("somebody else's", encoding="utf-8")
            return super().add_first_token(token_hash)

    store = InterferingStore()
    with pytest.raises(ParameterError, match="File exists"):
        tokens.create_first_token(store, str(path))
    assert path.read_text(encoding="utf-8") == "somebody else's"
    path.unlink()
    token = only_file(tmp_path).read_text().strip()
    assert store.tokens() == [(Role.ADMINISTRATOR, tokens.token_hash(token))]


def test_a_token_is_not_lost_with_the_answer_to_its_commit(tmp_path: Path) -> None:
    class DisconnectingStore(MemoryStore):
        def add_first_token(self, token_hash: bytes) -> bool:
            super().add_first_token(token_hash)
            raise StoreError("the connection broke")

    store = DisconnectingStore()
    with pytest.raises(StoreError):
        tokens.create_first_token(store, str(tmp_path / "token"))
    token = only_file(tmp_path).read_text().strip()
    assert store.tokens() == [(Role.ADMINISTRATOR, tokens.token_hash(token))]


def test_a_full_disk_stores_no_token_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        tokens.create_first_token(store, str(tmp_path / "token"))
    assert (store.tokens(), list(tmp_path.iterdir())) == ([], [])


def test_a_token_file_is_on_disk_before_its_hash_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = []
    sync = os.fsync

    class RecordingStore(MemoryStore):
        def add_first_token(self, token_hash: bytes) -> bool:
            events.append("store")
            return super().add_first_token(token_hash)

    def record_sync(handle: int) -> None:
        events.append("sync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync file")
        sync(handle)

    monkeypatch.setattr(os, "fsync", record_sync)
    tokens.create_first_token(RecordingStore(), str(tmp_path / "token"))
    assert events == ["sync file", "sync folder", "store", "sync folder"]
    assert only_file(tmp_path).name == "token"
