"""Sessions by HTTP, and requests that another site forged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from pckv.collector.auth import Guard, token_hash
from pckv.collector.sessions import COOKIE, SECONDS, Sessions
from pckv.collector.settings import TOKEN_VARIABLE
from pckv.store.base import Role
from pckv.store.memory import MemoryStore
from support.collectors import (
    ADMINISTRATOR,
    ANALYST,
    JSON,
    Running,
    check_problem,
    running,
)
from support.parts import SUPPORT
from support.site import FORM, OWN_PAGE, ask, cookie, sign_in
from support.stores import opened, store_url


def test_a_token_becomes_a_cookie_that_no_script_and_no_other_site_can_use(site: Running) -> None:
    answer = sign_in(site)
    assert answer.json() == {"role": "administrator"}
    set_cookie = answer.headers["set-cookie"]
    assert {part.strip().partition("=")[0].lower() for part in set_cookie.split(";")} == {
        COOKIE,
        "httponly",
        "max-age",
        "path",
        "samesite",
    }
    assert "samesite=strict" in set_cookie.lower()
    assert f"Max-Age={SECONDS}" in set_cookie
    assert "Path=/" in set_cookie
    assert ADMINISTRATOR not in set_cookie
    assert token_hash(ADMINISTRATOR).hex() not in set_cookie


def test_behind_https_a_cookie_never_travels_without_it() -> None:
    with running(https=1) as collector:
        assert "; Secure" in sign_in(collector).headers["set-cookie"]


def test_wrong_tokens_do_not_sign_in(site: Running) -> None:
    check_problem(sign_in(site, "wrong"), 401, "bad-token")
    for body in ({}, {"token": ""}, {"token": 1}, {"token": "x" * 2000}):
        answer = ask(site, "POST", "/session", OWN_PAGE, json=body)
        check_problem(answer, 400, "malformed")


@pytest.mark.parametrize(
    ("token", "tasks", "overview"), [(ADMINISTRATOR, 200, 200), (ANALYST, 403, 200), (None, 401, 401)]
)
def test_a_session_may_do_what_its_token_may(
    site: Running, token: str | None, tasks: int, overview: int
) -> None:
    headers = cookie(site, token) if token else {}
    assert ask(site, "GET", "/tasks", headers).status_code == tasks
    assert ask(site, "GET", "/overview", headers).status_code == overview
    role = {ADMINISTRATOR: "administrator", ANALYST: "analyst", None: None}[token]
    assert ask(site, "GET", "/session", headers).json() == {"role": role}


def test_signing_out_removes_the_cookie(site: Running) -> None:
    answer = ask(site, "DELETE", "/session", cookie(site) | OWN_PAGE)
    assert answer.status_code == 200
    assert 'pckv_session=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_a_replaced_token_ends_its_sessions() -> None:
    with running() as collector:
        administrator, analyst = cookie(collector), cookie(collector, ANALYST)
        collector.store.set_token(Role.ADMINISTRATOR, token_hash("another"))
        check_problem(ask(collector, "GET", "/overview", administrator), 401, "bad-token")
        assert ask(collector, "GET", "/overview", analyst).status_code == 200


def test_the_token_of_the_environment_has_sessions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "from the environment")
    with running() as collector:
        assert ask(collector, "GET", "/tasks", cookie(collector, "from the environment")).status_code == 200
        check_problem(sign_in(collector), 401, "bad-token")


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
    text = timed.write(Role.ANALYST, b"hash")
    now += SECONDS - 1
    session = timed.read(text)
    assert session is not None
    assert session[1:] == (b"hash", Role.ANALYST, 1_000_000 + SECONDS)
    now += 1
    assert timed.read(text) is None


def test_a_cookie_that_was_changed_anywhere_is_refused(site: Running) -> None:
    guard: Guard = site.app.state.guard
    text = guard.sessions.write(Role.ANALYST, token_hash(ANALYST))
    assert guard.sessions.read(text) is not None
    forged = [text + "x", text[:-1], "é", "...", ""]
    # Every character counts.
    forged += [text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :] for at in range(len(text))]
    assert not [cookie_text for cookie_text in forged if guard.sessions.read(cookie_text) is not None]


def test_a_cookie_with_a_role_that_its_token_does_not_have_is_refused(site: Running) -> None:
    guard: Guard = site.app.state.guard
    text = guard.sessions.write(Role.ADMINISTRATOR, token_hash(ANALYST))
    check_problem(ask(site, "GET", "/overview", {"Cookie": f"{COOKIE}={text}"}), 401, "bad-token")


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


def test_no_page_and_no_log_has_a_token() -> None:
    script = (
        "from support.collectors import ADMINISTRATOR, running\n"
        "import httpx2\n"
        "with running() as collector:\n"
        "    for token in (ADMINISTRATOR, 'wrong-canary'):\n"
        "        httpx2.post(f'http://127.0.0.1:{collector.port}/session', json={'token': token}, headers={'X-Pckv': '1'})\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=SUPPORT.parent
    )
    assert "canary" not in result.stderr
    assert ADMINISTRATOR not in result.stderr
