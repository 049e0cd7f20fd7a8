"""Tokens, sessions and invitations."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv.store.base import MAX_SESSIONS_PER_TOKEN, InvitationState, Role, Session, Upload
from pckv.store.checks import check_store
from pckv.store.sql.transactions import NO_COIN
from pckv.store.store import Store
from support.stores import (
    BY_COIN,
    CONFLICT,
    DAY,
    ENDING,
    KNOWN,
    SPENT,
    STORED,
    TASK,
    UNKNOWN,
    WRONG_COIN,
    add,
    invitation,
    invited,
    opened,
    report,
    some_reports,
    store_url,
    stored_reports,
    together,
)


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


def session(number: int, token: bytes = b"a", role: Role = Role.ADMINISTRATOR, expires: int = 100) -> Session:
    return Session(bytes([number]) * 32, token, role, expires)


def test_a_session_ends_once(store: Store) -> None:
    first, second = session(1), session(2, b"b", Role.ANALYST)
    for one in (first, second, first):
        store.add_session(one)
    assert [store.find_session(one.hash) for one in (first, second)] == [first, second]
    assert store.find_session(b"nobody") is None
    assert store.count_sessions(0) == {b"a": 1, b"b": 1}
    assert store.end_session(first.hash)
    assert not store.end_session(first.hash)
    assert store.find_session(first.hash) is None
    assert store.find_session(second.hash) == second


def test_sessions_end_with_their_time(store: Store) -> None:
    sessions = [session(number, expires=100 + number) for number in range(4)]
    for one in sessions:
        store.add_session(one)
    assert [store.count_sessions(now) for now in (99, 101, 103)] == [{b"a": 4}, {b"a": 2}, {}]
    assert store.end_expired_sessions(99) == 0
    assert store.end_expired_sessions(102) == 3
    assert [store.find_session(one.hash) for one in sessions] == [None, None, None, sessions[3]]


def test_a_token_has_a_bounded_number_of_sessions(store: Store) -> None:
    sessions = [session(number, expires=1000 + number) for number in range(MAX_SESSIONS_PER_TOKEN)]
    another = session(200, b"b")
    for one in (*sessions, another):
        store.add_session(one)
    assert store.count_sessions(0) == {b"a": MAX_SESSIONS_PER_TOKEN, b"b": 1}
    latest = session(201, expires=2000)
    store.add_session(latest)
    assert store.count_sessions(0) == {b"a": MAX_SESSIONS_PER_TOKEN, b"b": 1}
    kept = [store.find_session(one.hash) for one in (*sessions, another, latest)]
    assert kept == [None, *sessions[1:], another, latest]


def test_sessions_end_with_their_token(store: Store) -> None:
    store.set_token(Role.ADMINISTRATOR, b"a")
    store.set_token(Role.ANALYST, b"b")
    store.set_token(Role.ANALYST, b"c")
    for number, token in enumerate((b"a", b"b", b"b", b"c")):
        store.add_session(session(number, token, Role.ADMINISTRATOR if token == b"a" else Role.ANALYST))
    assert store.count_sessions(0) == {b"a": 1, b"b": 2, b"c": 1}
    assert store.revoke_token(b"b")
    assert not store.revoke_token(b"b")
    assert store.tokens() == [(Role.ADMINISTRATOR, b"a"), (Role.ANALYST, b"c")]
    assert store.count_sessions(0) == {b"a": 1, b"c": 1}
    # Another token for analysts ends nothing, another one for the administrator ends the administrator's sessions.
    store.set_token(Role.ANALYST, b"d")
    assert store.count_sessions(0) == {b"a": 1, b"c": 1}
    store.set_token(Role.ADMINISTRATOR, b"e")
    assert store.count_sessions(0) == {b"c": 1}
    assert [store.find_role(token) for token in (b"a", b"c", b"e")] == [
        None,
        Role.ANALYST,
        Role.ADMINISTRATOR,
    ]


def test_an_invitation_has_one_coin_until_it_is_spent(store: Store) -> None:
    first, second = bytes(range(16)), bytes(range(1, 17))
    assert store.invitation_state(TASK.id, invitation(1)) is InvitationState.UNKNOWN
    assert store.issue_coin(TASK.id, invitation(1), first) is InvitationState.UNKNOWN
    assert store.issue_coin("nobody", invitation(1), first) is InvitationState.UNKNOWN
    store.add_invitations(TASK.id, [invitation(1), invitation(2)])
    assert store.invitation_state(TASK.id, invitation(1)) is InvitationState.VALID
    issued = together(4, lambda number: store.issue_coin(TASK.id, invitation(1), bytes([number + 1]) * 16))
    assert len(set(issued)) == 1
    assert store.issue_coin(TASK.id, invitation(1), second) == issued[0]
    assert store.issue_coin(TASK.id, invitation(2), second) == second
    assert store.invitation_state(TASK.id, invitation(1)) is InvitationState.VALID
    assert store.invitation_counts(TASK.id) == (2, 0)
    assert invited(store, (report(1), 1)) == [STORED]
    assert (store.invitation_counts(TASK.id), store.invitation_counts("nobody")) == ((2, 1), (0, 0))
    assert store.issue_coin(TASK.id, invitation(1), second) is InvitationState.SPENT
    assert store.invitation_state(TASK.id, invitation(1)) is InvitationState.SPENT
    store.add_task(ENDING, DAY)
    assert store.invitation_state(ENDING.id, invitation(1)) is InvitationState.UNKNOWN


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


def test_a_report_with_a_coin_has_the_coin_of_its_invitation(store: Store) -> None:
    store.add_task(BY_COIN, DAY)
    stored = store.find_task(BY_COIN.id)
    assert stored is not None
    assert stored.by_invitation
    reports = some_reports(range(5), BY_COIN)
    # Without an invitation, and before a coin was handed out.
    assert invited(store, (reports[1], None), (reports[1], 1), task=BY_COIN) == [UNKNOWN] * 2
    assert store.add_invitations(BY_COIN.id, [invitation(number) for number in range(5)])
    assert invited(store, (reports[1], 1), task=BY_COIN) == [WRONG_COIN]
    for number in (1, 2, 3):
        assert store.issue_coin(BY_COIN.id, invitation(number), reports[number].id) == reports[number].id
    assert invited(store, (reports[1], 2), (reports[4], 1), task=BY_COIN) == [WRONG_COIN] * 2
    # What was refused spent nothing.
    assert invited(store, *((reports[number], number) for number in (1, 2)), task=BY_COIN) == [STORED] * 2
    assert invited(store, (reports[1], 1), (reports[1], None), (reports[1], 3), task=BY_COIN) == [KNOWN] * 3
    other = report(1, 5, BY_COIN)
    assert invited(store, (other, 1), (reports[4], 1), task=BY_COIN) == [CONFLICT, SPENT]
    # Two reports of one request: the first spends the invitation.
    assert invited(store, (reports[3], 3), (reports[3], 3), task=BY_COIN) == [STORED, KNOWN]
    assert stored_reports(store, BY_COIN) == sorted(reports[1:4])
    assert check_store(store) == []


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_coin_is_erased_when_its_invitation_is_spent(kind: str, tmp_path: Path) -> None:
    with opened(store_url(kind, tmp_path)) as store:
        store.add_task(BY_COIN, DAY)
        store.add_invitations(BY_COIN.id, [invitation(1), invitation(2)])
        for number in (1, 2):
            store.issue_coin(BY_COIN.id, invitation(number), report(number, task=BY_COIN).id)
        invited(store, (report(1, task=BY_COIN), 1), task=BY_COIN)
        rows = store._write(lambda tx: tx.rows("SELECT spent, coin FROM invitations ORDER BY spent"))
        assert rows == [(0, report(2, task=BY_COIN).id), (1, NO_COIN)]


def test_invitations_belong_to_their_task(store: Store) -> None:
    store.add_task(ENDING, DAY)
    store.add_invitations(TASK.id, [])
    store.add_invitations(ENDING.id, [invitation(1)])
    assert invited(store, (report(1), 1)) == [UNKNOWN]
    assert not store.add_invitations("nobody", [invitation(1)])


def test_there_is_one_invitation_per_report(store: Store) -> None:
    with pytest.raises(ValueError):
        store.add_reports([Upload(TASK.id, [report(1), report(2), report(1)], [invitation(1)])], DAY)
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
