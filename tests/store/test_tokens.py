"""Tokens, session keys and invitations."""

from __future__ import annotations

import pytest

from pckv.store.base import SESSION_KEY_BYTES, Role, Store, Upload
from pckv.store.checks import check_store
from support.stores import (
    CONFLICT,
    ENDING,
    KNOWN,
    SPENT,
    STORED,
    TASK,
    UNKNOWN,
    add,
    invitation,
    invited,
    report,
    some_reports,
    stored_reports,
    together,
)


def test_the_session_key_is_created_once(store: Store) -> None:
    keys: list[bytes] = []
    together(4, lambda _: keys.append(store.session_key()))
    assert len(set(keys)) == 1
    assert len(keys[0]) == SESSION_KEY_BYTES


def test_tokens(store: Store) -> None:
    assert store.tokens() == []
    for role, token in (
        (Role.ADMINISTRATOR, b"a"),
        (Role.ANALYST, b"c"),
        (Role.ANALYST, b"b"),
        (Role.ADMINISTRATOR, b"d"),
        (Role.ADMINISTRATOR, b"d"),
        (Role.ANALYST, b"b"),
    ):
        store.set_token(role, token)
    assert store.tokens() == [(Role.ADMINISTRATOR, b"d"), (Role.ANALYST, b"b"), (Role.ANALYST, b"c")]


def test_an_invitation_admits_one_report(store: Store) -> None:
    add(store, report(0))
    assert store.add_invitations(TASK.id, [invitation(1), invitation(2), invitation(3), invitation(3)])
    stored = store.find_task(TASK.id)
    assert stored is not None
    assert stored.by_invitation
    assert invited(store, (report(1), None), (report(1), 9)) == [UNKNOWN, UNKNOWN]
    assert add(store, report(1)) == [UNKNOWN]
    assert invited(store, (report(1), 1), (report(2), 1), (report(2), 2)) == [STORED, SPENT, STORED]
    # A known report is recognised before its invitation is checked.
    assert invited(store, (report(1), 1), (report(1), None), (report(2), 9), (report(0), 3)) == [KNOWN] * 4
    assert invited(store, (report(1, 5), 3), (report(3), 3)) == [CONFLICT, STORED]
    # A spent invitation stays spent if it is added again.
    assert store.add_invitations(TASK.id, [invitation(1)])
    assert invited(store, (report(4), 1)) == [SPENT]
    assert stored_reports(store) == sorted(some_reports(range(4)))
    assert check_store(store) == []


def test_invitations_belong_to_their_task(store: Store) -> None:
    store.add_task(ENDING)
    store.add_invitations(TASK.id, [])
    store.add_invitations(ENDING.id, [invitation(1)])
    assert invited(store, (report(1), 1)) == [UNKNOWN]
    assert not store.add_invitations("nobody", [invitation(1)])


def test_there_is_one_invitation_per_report(store: Store) -> None:
    with pytest.raises(ValueError):
        store.add_reports([Upload(TASK.id, [report(1), report(2), report(1)], [invitation(1)])])
    assert stored_reports(store) == []


def test_one_of_many_first_tokens_is_stored(store: Store) -> None:
    store.set_token(Role.ANALYST, b"analyst")
    stored = together(6, lambda number: store.add_first_token(bytes([number])))
    assert sorted(stored) == [False] * 5 + [True]
    assert store.tokens() == [(Role.ADMINISTRATOR, bytes([stored.index(True)])), (Role.ANALYST, b"analyst")]
    assert not store.add_first_token(b"later")


def test_an_administrator_has_one_token_whoever_replaces_it(store: Store) -> None:
    together(6, lambda number: store.set_token(Role.ADMINISTRATOR, bytes([number])))
    assert [role for role, _ in store.tokens()] == [Role.ADMINISTRATOR]
