"""Tokens of a store: new ones, the list, and revoked ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pckv.cli.store import TOKEN_ID_LENGTH
from pckv.collector.http.auth import token_hash
from pckv.mixing.sqlite import SqliteMixerStore
from pckv.store.base import Role, Session
from pckv.store.store import Store
from support.cli import read_json, run_ok, run_refused
from support.stores import opened

STORE = "--store sqlite:///../store.db"


@pytest.fixture
def store(folder_with_files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    # Beside the folder of the test: opening a database changes its files, even if nothing is written.
    folder = folder_with_files / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with opened(STORE.split()[1]) as prepared:
        yield prepared


def sign_in(store: Store, number: int, token: str, role: Role, seconds: int = 100) -> bytes:
    cookie_hash = bytes([number]) * 32
    store.add_session(Session(cookie_hash, token_hash(token), role, int(time.time()) + seconds))
    return cookie_hash


def short_id(token: str) -> str:
    return token_hash(token).hex()[:TOKEN_ID_LENGTH]


def test_tokens_are_listed_without_being_shown(store: Store) -> None:
    administrator = run_ok(f"token new {STORE}").strip()
    run_ok(f"token new --analyst --token-file analyst.token {STORE}")
    analyst = Path("analyst.token").read_text(encoding="utf-8").strip()
    sign_in(store, 1, analyst, Role.ANALYST)
    sign_in(store, 2, analyst, Role.ANALYST)
    sign_in(store, 3, analyst, Role.ANALYST, seconds=-1)
    sign_in(store, 4, "of the environment", Role.ADMINISTRATOR)
    text = run_ok(f"token list --json {STORE}")
    rows = [(row["role"], row["id"], row["sessions"], row["place"]) for row in read_json(text)]
    assert rows == sorted(rows)
    assert set(rows) == {
        ("administrator", short_id(administrator), 0, "store"),
        ("administrator", short_id("of the environment"), 1, "environment"),
        ("analyst", short_id(analyst), 2, "store"),
    }
    table = run_ok(f"token list {STORE}")
    assert all(short_id(token) in table for token in (administrator, analyst))
    assert not [token for token in (administrator, analyst) if token in table + text]


def test_a_revoked_token_is_gone_with_its_sessions(store: Store) -> None:
    for token in ("one", "two"):
        store.set_token(Role.ANALYST, token_hash(token))
    ended, goes_on = sign_in(store, 1, "one", Role.ANALYST), sign_in(store, 2, "two", Role.ANALYST)
    line = run_ok(f"token revoke {short_id('one')} {STORE}")
    assert line == f"{short_id('one')}  revoked; sessions ended: 1\n"
    assert store.tokens() == [(Role.ANALYST, token_hash("two"))]
    assert store.find_session(ended) is None
    assert store.find_session(goes_on) is not None


def test_the_administrators_token_is_not_revoked_by_accident(store: Store) -> None:
    store.set_token(Role.ADMINISTRATOR, token_hash("one"))
    line = run_refused(f"token revoke {short_id('one')} {STORE}")
    assert line == "pckv: this is the administrator's token: pckv token new replaces it, --force revokes it\n"
    assert store.tokens() == [(Role.ADMINISTRATOR, token_hash("one"))]
    run_ok(f"token revoke --force {short_id('one')} {STORE}")
    assert store.tokens() == []


def test_sessions_of_the_environments_token_can_be_ended(store: Store) -> None:
    session = sign_in(store, 1, "of the environment", Role.ADMINISTRATOR)
    line = run_ok(f"token revoke {short_id('of the environment')} {STORE}")
    assert line.endswith("  still in the collector's environment; sessions ended: 1\n")
    assert store.find_session(session) is None


@pytest.mark.parametrize("token_id", ["nobody", "", short_id("one")[:-1], short_id("one") + "0"])
def test_an_unknown_id_revokes_nothing(store: Store, token_id: str) -> None:
    store.set_token(Role.ANALYST, token_hash("one"))
    line = run_refused(f"token revoke '{token_id}' {STORE}")
    assert line == f"pckv: {token_id!r} is not the id of one token: pckv token list shows them\n"
    assert store.tokens() == [(Role.ANALYST, token_hash("one"))]


def test_a_store_that_does_not_exist_is_refused() -> None:
    for command in ("token list", "token revoke x"):
        assert "none.db" in run_refused(f"{command} --store sqlite:///none.db")


def test_the_tokens_of_a_mixer_are_in_its_own_store(store: Store) -> None:
    mixer = SqliteMixerStore("../mixer.db")
    mixer.prepare()
    operator = run_ok("token new --mixer-store sqlite:///../mixer.db").strip()
    [listed] = read_json(run_ok("token list --mixer-store sqlite:///../mixer.db --json"))
    assert (listed["role"], listed["id"]) == ("administrator", short_id(operator))
    assert mixer.tokens() == [(Role.ADMINISTRATOR, token_hash(operator))]
    assert store.tokens() == []
    run_ok(f"token revoke {listed['id']} --force --mixer-store sqlite:///../mixer.db")
    assert mixer.tokens() == []
    mixer.close()
    for command, whose in (
        ("token list --store sqlite:///../mixer.db", "a collector"),
        ("store check --store sqlite:///../mixer.db", "a collector"),
        ("token new --mixer-store sqlite:///../store.db", "a mixer"),
    ):
        assert f"this is not the store of {whose} " in run_refused(command)
