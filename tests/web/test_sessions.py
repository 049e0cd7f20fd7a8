"""Sessions by HTTP, and requests that another site forged."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest
from fastapi import Request

from pckv.base.canonical import from_base64url
from pckv.collector.http import logs
from pckv.collector.http.auth import (
    COOKIES,
    PLAIN_COOKIE,
    SECONDS,
    SECURE_COOKIE,
    Guard,
    Sessions,
    token_hash,
)
from pckv.collector.http.settings import TOKEN_VARIABLE
from pckv.store.base import Role
from support.collectors import ADMINISTRATOR, ANALYST, JSON, THREADS, Running, check_problem, running
from support.memory_store import MemoryStore
from support.site import FORM, OWN_PAGE, ask, cookie, sign_in
from support.stores import opened, store_url

FROM_ENVIRONMENT = "a token that the environment names"


def test_a_token_becomes_a_cookie_that_no_script_and_no_other_site_can_use(site: Running) -> None:
    answer = sign_in(site)
    assert answer.json() == {"role": "administrator"}
    set_cookie = answer.headers["set-cookie"]
    [(name, value), *attributes] = [part.strip().partition("=")[::2] for part in set_cookie.split(";")]
    assert name in COOKIES
    assert {(attribute.lower(), text) for attribute, text in attributes} == {
        ("httponly", ""),
        ("max-age", str(SECONDS)),
        ("path", "/"),
        ("samesite", "strict"),
        ("secure", ""),
    }
    assert len(from_base64url(value)) == 32
    assert value != sign_in(site).cookies[name]


@pytest.mark.parametrize(
    ("origin", "secure"),
    [
        ("https://collect.example", True),
        # Without an origin, no header says that the page came without https.
        ("null", True),
        (None, True),
        ("http://127.0.0.1:8000", False),
        ("http://collect.example", False),
    ],
)
def test_a_cookie_is_secure_wherever_the_page_came_by_https(site: Running, origin: str | None, secure: bool) -> None:
    answer = sign_in(site, **({"Origin": origin} if origin else {}))
    assert list(answer.cookies) == [SECURE_COOKIE if secure else PLAIN_COOKIE]
    assert ("; Secure" in answer.headers["set-cookie"]) is secure
    # Browsers take a cookie with this prefix only with these attributes.
    assert SECURE_COOKIE.startswith("__Host-")
    assert "; Path=/" in answer.headers["set-cookie"]
    assert "domain" not in answer.headers["set-cookie"].lower()
    [(name, value)] = answer.cookies.items()
    assert ask(site, "GET", "/tasks", {"Cookie": f"{name}={value}"}).status_code == 200


def test_blanks_around_a_token_are_ignored(site: Running) -> None:
    assert sign_in(site, f"\t{ANALYST} \n").json() == {"role": "analyst"}
    check_problem(sign_in(site, " "), 401, "bad-token")


def test_wrong_tokens_do_not_sign_in(site: Running) -> None:
    check_problem(sign_in(site, "wrong"), 401, "bad-token")
    for body in ({}, {"token": ""}, {"token": 1}, {"token": "x" * 2000}):
        answer = ask(site, "POST", "/session", OWN_PAGE, json=body)
        check_problem(answer, 400, "malformed")


@pytest.mark.parametrize(
    ("token", "tasks", "overview"), [(ADMINISTRATOR, 200, 200), (ANALYST, 403, 200), (None, 401, 401)]
)
def test_a_session_may_do_what_its_token_may(site: Running, token: str | None, tasks: int, overview: int) -> None:
    headers = cookie(site, token) if token else {}
    assert ask(site, "GET", "/tasks", headers).status_code == tasks
    assert ask(site, "GET", "/overview", headers).status_code == overview
    role = {ADMINISTRATOR: "administrator", ANALYST: "analyst", None: None}[token]
    assert ask(site, "GET", "/session", headers).json() == {"role": role}


def test_signing_out_ends_the_session_and_removes_the_cookie(site: Running) -> None:
    headers, other = cookie(site), cookie(site)
    answer = ask(site, "DELETE", "/session", headers | OWN_PAGE)
    assert answer.status_code == 200
    for name, set_cookie in zip(COOKIES, answer.headers.get_list("set-cookie"), strict=True):
        assert set_cookie.startswith(f'{name}="";')
        assert "Max-Age=0" in set_cookie
        assert ("; Secure" in set_cookie) is (name == SECURE_COOKIE)
    # A kept cookie cannot be used.
    check_problem(ask(site, "GET", "/tasks", headers), 401, "bad-token")
    assert ask(site, "GET", "/tasks", other).status_code == 200


def test_a_revoked_token_ends_its_sessions() -> None:
    with running() as collector:
        administrator, analyst = cookie(collector), cookie(collector, ANALYST)
        assert collector.store.revoke_token(token_hash(ANALYST))
        check_problem(ask(collector, "GET", "/overview", analyst), 401, "bad-token")
        check_problem(collector.get("/overview", ANALYST), 401, "bad-token")
        assert ask(collector, "GET", "/overview", administrator).status_code == 200
        # A session that began while its token was revoked is none.
        text = collector.app.state.collector.guard.sessions.start(Role.ANALYST, token_hash(ANALYST))
        check_problem(ask(collector, "GET", "/overview", {"Cookie": f"{PLAIN_COOKIE}={text}"}), 401, "bad-token")


def test_a_replaced_token_ends_its_sessions() -> None:
    with running() as collector:
        administrator, analyst = cookie(collector), cookie(collector, ANALYST)
        collector.store.set_token(Role.ADMINISTRATOR, token_hash("another"))
        check_problem(ask(collector, "GET", "/overview", administrator), 401, "bad-token")
        assert ask(collector, "GET", "/overview", analyst).status_code == 200


def test_the_token_of_the_environment_has_sessions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # A file that sets it may end with a line break.
    monkeypatch.setenv(TOKEN_VARIABLE, f"{FROM_ENVIRONMENT}\n")
    with running() as collector:
        assert ask(collector, "GET", "/tasks", cookie(collector, FROM_ENVIRONMENT)).status_code == 200
        check_problem(sign_in(collector), 401, "bad-token")


def test_another_token_of_the_environment_ends_the_sessions_of_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = MemoryStore()
    monkeypatch.setenv(TOKEN_VARIABLE, FROM_ENVIRONMENT)
    text = Guard(store, THREADS.lookups).sessions.start(Role.ADMINISTRATOR, token_hash(FROM_ENVIRONMENT))
    request = Request({"type": "http", "headers": [(b"cookie", f"{SECURE_COOKIE}={text}".encode())]})
    assert Guard(store, THREADS.lookups).session(request) is not None
    for changed in (FROM_ENVIRONMENT[::-1], ""):
        monkeypatch.setenv(TOKEN_VARIABLE, changed)
        assert Guard(store, THREADS.lookups).session(request) is None


def test_any_collector_of_a_store_takes_the_sessions_of_another(tmp_path: Path) -> None:
    url = store_url("sqlite", tmp_path)
    with opened(url) as store, opened(url) as same, running(store) as one, running(same) as two:
        headers = cookie(one)
        assert ask(two, "GET", "/tasks", headers).status_code == 200
    with running() as stranger:
        check_problem(ask(stranger, "GET", "/tasks", headers), 401, "bad-token")


def test_a_session_ends_after_twelve_hours() -> None:
    now = 1_000_000.0
    timed = Sessions(MemoryStore(), lambda: now)
    text = timed.start(Role.ANALYST, b"hash")
    now += SECONDS - 1
    session = timed.find(text)
    assert session is not None
    assert session[1:] == (b"hash", Role.ANALYST, 1_000_000 + SECONDS)
    now += 1
    assert timed.find(text) is None


def test_a_cookie_that_was_changed_anywhere_is_refused(site: Running) -> None:
    guard: Guard = site.app.state.collector.guard
    text = guard.sessions.start(Role.ANALYST, token_hash(ANALYST))
    assert guard.sessions.find(text) is not None
    forged = [text + "x", text[:-1], "é", "...", ""]
    # Every character counts.
    forged += [text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :] for at in range(len(text))]
    assert not [cookie_text for cookie_text in forged if guard.sessions.find(cookie_text) is not None]


def test_a_cookie_with_a_role_that_its_token_does_not_have_is_refused(site: Running) -> None:
    guard: Guard = site.app.state.collector.guard
    text = guard.sessions.start(Role.ADMINISTRATOR, token_hash(ANALYST))
    check_problem(ask(site, "GET", "/overview", {"Cookie": f"{PLAIN_COOKIE}={text}"}), 401, "bad-token")


# Requests that another site forged


def test_a_cookie_changes_nothing_without_the_header_of_our_own_pages(site: Running) -> None:
    task = site.add_task()
    headers = cookie(site) | {"Content-Type": JSON, "Origin": "https://elsewhere.example"}
    forged = [
        ("POST", "/tasks", task.to_json().encode()),
        ("POST", "/tasks/new", json.dumps(FORM | {"name": "forged"}).encode()),
        ("POST", f"/tasks/{task.id}/close", b""),
        ("POST", f"/tasks/{task.id}/invitations", b""),
        ("DELETE", f"/tasks/{task.id}", b""),
        ("DELETE", "/session", b""),
    ]
    for method, path, content in forged:
        check_problem(ask(site, method, path, headers, content=content), 403, "forbidden")
    stored = site.store.find_task(task.id)
    assert stored is not None
    assert stored.closed is None
    assert not stored.by_invitation
    for method, path, content in forged:
        answer = ask(site, method, path, headers | OWN_PAGE, content=content)
        assert answer.status_code in {200, 201}, answer.text


def test_nobody_can_be_signed_in_by_another_site(site: Running) -> None:
    address = f"http://127.0.0.1:{site.port}/session"
    check_problem(httpx2.post(address, json={"token": ADMINISTRATOR}), 403, "forbidden")


def test_preflight_requests_of_other_sites_do_not_allow_the_header(site: Running) -> None:
    preflight = {
        "Origin": "https://elsewhere.example",
        "Access-Control-Request-Method": "DELETE",
        "Access-Control-Request-Headers": "x-pckv",
    }
    for path in ("/session", f"/tasks/{site.add_task().id}", "/overview"):
        answer = ask(site, "OPTIONS", path, preflight)
        assert "x-pckv" not in answer.headers.get("access-control-allow-headers", "").lower()
        assert "access-control-allow-credentials" not in answer.headers


def test_a_token_needs_no_header(site: Running) -> None:
    task = site.add_task()
    assert site.administer("POST", f"/tasks/{task.id}/close").status_code == 200


def test_no_log_has_a_token(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # Collectors that other tests started just now count for no limit of lines.
    monkeypatch.setattr(logs, "_rate", logs.LogRate())
    with running() as collector:
        assert [sign_in(collector, token).status_code for token in (ADMINISTRATOR, "wrong-canary")] == [
            200,
            401,
        ]
    printed = "".join(capfd.readouterr())
    assert '"ready"' in printed
    assert "canary" not in printed
    assert ADMINISTRATOR not in printed
