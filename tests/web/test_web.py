"""The site by HTTP: sessions, requests that another site forged, headers, files, and what the pages ask for."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

import pckv
from pckv.collector import auth, sessions, tallies
from pckv.collector.auth import Guard, token_hash
from pckv.collector.sessions import COOKIE, SECONDS, Sessions
from pckv.moments import CountMoments
from pckv.planning.plan import plan
from pckv.planning.prediction import predict
from pckv.store.base import Role
from pckv.store.memory import MemoryStore
from pckv.store.parts import merge_parts
from pckv.web import files, vega
from support.collectors import (
    ADMINISTRATOR,
    ANALYST,
    JSON,
    Running,
    bearer,
    check_problem,
    running,
    some_reports,
    wait_until,
)
from support.parts import SUPPORT
from support.stores import add, opened, store_url

OWN_PAGE = {"X-Pckv": "1"}
PAGES = ("/", "/join/anything", "/static/style.css", "/client/index.js", "/favicon.ico")
HOSTILE = "<script>alert(1)</script>"
FORM = {"name": "movies", "keys": ["Alien", HOSTILE], "low": "1", "high": "5", "epsilon": "1", "pairs": 1}


@pytest.fixture(scope="module")
def site() -> Iterator[Running]:
    with running(clock=lambda: "2030-01-15") as found:
        yield found


def sign_in(found: Running, token: str = ADMINISTRATOR, **headers: str) -> httpx2.Response:
    return httpx2.post(
        f"http://127.0.0.1:{found.port}/session", json={"token": token}, headers=OWN_PAGE | headers
    )


def cookie(found: Running, token: str = ADMINISTRATOR) -> dict[str, str]:
    """The header of somebody who signed in."""
    answer = sign_in(found, token)
    assert answer.status_code == 200
    return {"Cookie": f"{COOKIE}={answer.cookies[COOKIE]}"}


def ask(found: Running, method: str, path: str, headers: dict[str, str], **given: Any) -> httpx2.Response:
    # A client of its own: this one keeps no cookies.
    return httpx2.request(method, f"http://127.0.0.1:{found.port}{path}", headers=headers, **given)


# Sessions


def test_a_token_becomes_a_cookie_that_no_script_and_no_other_site_can_use(site: Running) -> None:
    answer = sign_in(site)
    assert answer.json() == {"role": "administrator"}
    said = answer.headers["set-cookie"]
    assert {part.strip().partition("=")[0].lower() for part in said.split(";")} == {
        COOKIE,
        "httponly",
        "max-age",
        "path",
        "samesite",
    }
    assert "samesite=strict" in said.lower()
    assert f"Max-Age={SECONDS}" in said
    assert "Path=/" in said
    assert ADMINISTRATOR not in said
    assert token_hash(ADMINISTRATOR).hex() not in said


def test_behind_https_a_cookie_never_travels_without_it() -> None:
    with running(https=1) as found:
        assert "; Secure" in sign_in(found).headers["set-cookie"]


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


def test_whoever_signs_out_has_no_cookie_any_more(site: Running) -> None:
    answer = ask(site, "DELETE", "/session", cookie(site) | OWN_PAGE)
    assert answer.status_code == 200
    assert 'pckv_session=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_a_replaced_token_ends_its_sessions() -> None:
    with running() as found:
        administrator, analyst = cookie(found), cookie(found, ANALYST)
        found.store.set_token(Role.ADMINISTRATOR, token_hash("another"))
        check_problem(ask(found, "GET", "/overview", administrator), 401, "bad-token")
        assert ask(found, "GET", "/overview", analyst).status_code == 200


def test_the_token_of_the_environment_has_sessions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(auth.ENVIRONMENT, "from the environment")
    with running() as found:
        assert ask(found, "GET", "/tasks", cookie(found, "from the environment")).status_code == 200
        check_problem(sign_in(found), 401, "bad-token")


def test_any_collector_of_a_store_takes_the_sessions_of_another(tmp_path: Path) -> None:
    url = store_url("sqlite", tmp_path)
    with opened(url) as store, opened(url) as same, running(store) as one, running(same) as two:
        headers = cookie(one)
        assert ask(two, "GET", "/tasks", headers).status_code == 200
    with running() as stranger:
        check_problem(ask(stranger, "GET", "/tasks", headers), 401, "bad-token")


def test_a_session_ends_after_twelve_hours() -> None:
    now = 1_000_000.0
    found = Sessions(MemoryStore(), lambda: now)
    text = found.write(Role.ANALYST, b"hash")
    now += SECONDS - 1
    assert found.read(text) == (Role.ANALYST, 1_000_000 + SECONDS, sessions.fingerprint(b"hash"))
    now += 1
    assert found.read(text) is None


def test_a_cookie_that_was_changed_anywhere_is_none(site: Running) -> None:
    guard: Guard = site.app.state.guard
    text = guard.sessions.write(Role.ANALYST, token_hash(ANALYST))
    role, expires, token, signature = text.split(".")
    assert guard.sessions.read(text) is not None
    forged = [
        f"administrator.{expires}.{token}.{signature}",
        f"{role}.{int(expires) + 1}.{token}.{signature}",
        f"{role}.{expires}.{token[::-1]}.{signature}",
        f"{role}.{expires}.{token}.",
        f"{role}.{expires}.{token}",
        "é",
        "...",
        "",
    ]
    # Every character counts, but for the spare bits of the last one of a base64 text.
    forged += [text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :] for at in range(len(text))]
    assert not [each for each in forged if guard.sessions.read(each) is not None]


def test_a_role_that_a_token_does_not_have_is_none(site: Running) -> None:
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
    found = site.store.find_task(task.id)
    assert found is not None
    assert found.closed is None
    assert not found.by_invitation
    for method, path, content in forged:
        answer = ask(site, method, path, headers | OWN_PAGE, content=content)
        assert answer.status_code in {200, 201}, answer.text


def test_nobody_can_be_signed_in_by_another_site(site: Running) -> None:
    address = f"http://127.0.0.1:{site.port}/session"
    check_problem(httpx2.post(address, json={"token": ADMINISTRATOR}), 403, "forbidden")


def test_other_sites_may_not_ask_for_leave_to_send_the_header(site: Running) -> None:
    asked = {
        "Origin": "https://elsewhere.example",
        "Access-Control-Request-Method": "DELETE",
        "Access-Control-Request-Headers": "x-pckv",
    }
    for path in ("/session", f"/tasks/{site.add_task().id}", "/overview"):
        answer = ask(site, "OPTIONS", path, asked)
        assert "x-pckv" not in answer.headers.get("access-control-allow-headers", "").lower()
        assert "access-control-allow-credentials" not in answer.headers


def test_a_token_needs_no_header(site: Running) -> None:
    task = site.add_task()
    assert site.administer("POST", f"/tasks/{task.id}/close").status_code == 200


# Headers and files


@pytest.mark.parametrize("path", [*PAGES, "/tasks", "/nothing", "/healthz", "/session"])
def test_every_answer_tells_browsers_to_load_and_run_nothing_else(site: Running, path: str) -> None:
    answer = site.get(path, None)
    policy = dict(
        part.strip().partition(" ")[::2] for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", PAGES)
def test_files_are_sent_once(site: Running, path: str) -> None:
    first = site.get(path, None)
    assert first.status_code == 200
    again = site.get(path, None, **{"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/static/site.py", "/static/../site.py", "/client/..%2Fsite.py", "/client/"]
)
def test_no_other_file_is_served(site: Running, path: str) -> None:
    check_problem(site.get(path, None), 404, "unknown")


def test_other_pages_may_load_the_client(site: Running) -> None:
    assert site.get("/client/index.js", None).headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in site.get("/static/page.js", None).headers


def test_pages_hold_no_script_no_style_and_nothing_from_elsewhere() -> None:
    loaded = files.load_files()
    assert {"static/index.html", "static/join.html", "static/style.css"} <= set(loaded)
    for name, file in loaded.items():
        text = file.content.decode()
        if name.endswith(".html"):
            assert not re.search(r"<style|<script(?![^>]* src=)|\sstyle=|\son\w+=|https?:", text), name
        if name.startswith("static/") and name.endswith((".js", ".css")):
            # Text only ever becomes text.
            forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?:|@import"
            assert not re.search(forbidden, text), name


def test_the_script_for_charts_is_made_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vega, "_MAKE", "import sys; sys.stdout.write('made')")
    assert vega.Vega().script() == b"made"
    assert [path.read_bytes() for path in (tmp_path / "pckv").iterdir()] == [b"made"]
    monkeypatch.setattr(vega, "_MAKE", "raise SystemExit(1)")
    assert vega.Vega().script() == b"made"


def test_a_script_for_charts_that_cannot_be_made_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vega, "_MAKE", "raise SystemExit('said by a child')")
    with running() as found:
        check_problem(found.get("/vega.js", None), 503, "overloaded")
    said = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert {"event": "charts_unavailable", "reason": "the script for charts cannot be made"} in said


def test_without_a_place_to_keep_it_the_script_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pckv").write_text("a file where the folder would be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vega, "_MAKE", "import sys; sys.stdout.write('made')")
    assert vega.Vega().script() == b"made"


# What the pages ask for


def test_the_overview_counts_reports_and_says_where_tasks_are() -> None:
    with running(clock=lambda: "2030-01-15") as found:
        tasks = {
            "open": found.add_task(),
            "waiting": found.add_task(opens="2030-01-16"),
            "closed": found.add_task(closes="2030-01-15"),
        }
        add(found.store, *some_reports(range(12), tasks["open"]), task=tasks["open"])
        listed = {task["id"]: task for task in found.get("/overview").json()["tasks"]}
        for phase, task in tasks.items():
            assert listed[task.id]["phase"] == phase
            assert listed[task.id]["reports"] == (12 if phase == "open" else 0)
            shown = found.get(f"/tasks/{task.id}/overview").json()
            assert shown.items() >= listed[task.id].items()
        [first] = found.get("/overview?limit=1").json()["tasks"]
        rest = found.get(f"/overview?limit=10&after={first['id']}").json()["tasks"]
        assert [first["id"], *(task["id"] for task in rest)] == sorted(listed)


def test_a_pilot_is_shown_as_one(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task = site.add_task(keys=["Alien", HOSTILE], kind="sizes", mechanism="buckets", padding=8)
    add(site.store, *some_reports(range(12), task), task=task)
    shown = site.get(f"/tasks/{task.id}/overview").json()
    wanted = {
        "kind": "sizes",
        "phase": "open",
        "reports": 12,
        "most_reports": 20_000,
        "method": "consistent",
        "methods": ["consistent"],
        "first_key": "Alien",
    }
    assert shown.items() >= wanted.items()
    chart = site.get(f"/tasks/{task.id}/chart").json()
    estimates = site.get(f"/tasks/{task.id}/estimates").json()["estimates"]
    assert chart["data"]["values"] == estimates
    assert len(chart["hconcat"]) == 1
    assert [layer["encoding"]["y"]["sort"] for layer in chart["hconcat"][0]["layer"]] == [
        ["0", "1", "2", "3-4", "5+"]
    ] * 2
    check_problem(site.get(f"/tasks/{task.id}/precision"), 400, "malformed")
    monkeypatch.setattr("pckv.collector.state.MAX_PILOT_REPORTS", 12)
    listed = {each["id"]: each for each in site.get("/overview").json()["tasks"]}
    assert (listed[task.id]["kind"], listed[task.id]["phase"]) == ("sizes", "closed")


def test_a_task_of_pairs_is_not_shown_as_a_pilot(site: Running) -> None:
    shown = site.get(f"/tasks/{site.add_task().id}/overview").json()
    wanted = {"kind": "pairs", "most_reports": None, "method": "bayes", "first_key": "0"}
    assert shown.items() >= wanted.items()
    assert shown["methods"] == ["baseline", "corrected", "bayes"]


def test_the_chart_shows_the_estimates(site: Running) -> None:
    task = site.add_task(keys=["Alien", HOSTILE, "Heat"])
    add(site.store, *some_reports(range(50), task), task=task)
    chart = site.get(f"/tasks/{task.id}/chart?method=baseline&level=0.9").json()
    estimates = site.get(f"/tasks/{task.id}/estimates?method=baseline&level=0.9&top=20").json()
    assert chart["data"]["values"] == estimates["estimates"]
    for post in site.get(f"/tasks/{task.id}/overview").json()["posts"]:
        asked = f"method=corrected&post={post}"
        chart = site.get(f"/tasks/{task.id}/chart?{asked}").json()
        estimates = site.get(f"/tasks/{task.id}/estimates?{asked}&top=20").json()
        assert chart["data"]["values"] == estimates["estimates"]
        assert f"method corrected+{post}," in chart["title"]["subtitle"]
    for wrong in ("method=no", "post=no"):
        check_problem(site.get(f"/tasks/{task.id}/chart?{wrong}"), 400, "malformed")


def test_precision_is_what_plans_predict(site: Running) -> None:
    task = site.add_task(values=(0, 10))
    empty = site.get(f"/tasks/{task.id}/precision").json()
    assert empty["frequency_error"] is None
    assert empty["needed"] > 0
    add(site.store, *some_reports(range(50), task), task=task)
    found = site.get(f"/tasks/{task.id}/precision?frequency=0.2&wanted=0.05").json()
    moments = CountMoments.of(task.channel.count_law)
    squares = predict(moments, 50, 0.2)
    assert found["frequency_error"] == math.sqrt(squares.frequency)
    assert found["mean_error"] == 5 * math.sqrt(squares.mean)
    assert found["needed"] == math.ceil(moments.frequency_variance(0.2) / 0.05**2)


def values(panel: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows that a panel draws, wherever they stand in it."""
    places = [panel, *panel["layer"]]
    return [row for place in places for row in place.get("data", {}).get("values", [])]


def test_the_plan_is_the_librarys(site: Running) -> None:
    query = "keys=500&users=20000&epsilon=1.5&pairs=3&objective=mean"
    answer = site.get(f"/plan?{query}", ADMINISTRATOR).json()
    made = plan(500, 20_000, "1.5", 3, objective="mean")
    assert answer["plan"] == json.loads(json.dumps(made.to_dict()))
    chosen = next(option for option in made.options if option.mechanism == made.mechanism)
    for curve in (answer["by_epsilon"], answer["by_users"]):
        marked = [row for panel in curve["hconcat"] for row in values(panel) if row["series"] == "this plan"]
        assert marked
        for row in marked:
            assert row["frequency"] == pytest.approx(chosen.frequency_error)
            assert row["mean"] == pytest.approx(chosen.mean_error)
    assert answer["by_epsilon"]["hconcat"]
    assert answer["by_users"]["hconcat"]
    for wrong in ("keys=0", "keys=2&pairs=3", "epsilon=99", "epsilon=x"):
        query = "&".join({"keys": "keys=5", "epsilon": "epsilon=1", wrong.partition("=")[0]: wrong}.values())
        check_problem(site.get(f"/plan?users=100&{query}", ADMINISTRATOR), 400, "malformed")


def test_a_form_becomes_the_planned_task(site: Running) -> None:
    headers = bearer(ADMINISTRATOR)
    answer = ask(site, "POST", "/tasks/new", headers, json=FORM)
    assert answer.status_code == 201
    made = pckv.Task.from_json(answer.json()["task"])
    chosen = plan(2, 10_000, "1", 1)
    assert (made.name, made.keys, made.mechanism, made.padding) == (
        "movies",
        ("Alien", HOSTILE),
        chosen.mechanism,
        chosen.padding,
    )
    assert answer.headers["location"] == f"/tasks/{made.id}"
    assert site.get(f"/tasks/{made.id}", None).text == answer.json()["task"]
    assert ask(site, "POST", "/tasks/new", headers, json=FORM).status_code == 200
    site.administer("DELETE", f"/tasks/{made.id}")
    check_problem(ask(site, "POST", "/tasks/new", headers, json=FORM), 410, "deleted")
    mistakes: list[dict[str, Any]] = [
        {"keys": []},
        {"keys": ["a", "a"]},
        {"low": "5"},
        {"epsilon": "0"},
        {"opens": "soon"},
        {"x": 1},
    ]
    for wrong in mistakes:
        check_problem(ask(site, "POST", "/tasks/new", headers, json=FORM | wrong), 400, "malformed")


def test_search_heeds_no_case_and_says_how_many_there_are(site: Running) -> None:
    task = site.add_task(keys=["Straße", "STRASSE", "other"])
    answer = site.get(f"/tasks/{task.id}/estimates?search=strasse&limit=1")
    assert answer.headers["x-total-count"] == "2"
    assert [row["key"] for row in answer.json()["estimates"]] == ["Straße"]
    answer = site.get(f"/tasks/{task.id}/estimates?search=strasse&keys=other&keys=STRASSE")
    assert [row["key"] for row in answer.json()["estimates"]] == ["STRASSE"]


def test_estimates_are_made_again_when_reports_came_and_not_otherwise(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = site.add_task()
    merged: list[str] = []

    def merge(merging: pckv.Task, parts: Iterable[bytes]) -> pckv.Tally:
        merged.append(merging.id)
        return merge_parts(merging, parts)

    monkeypatch.setattr(tallies, "merge_parts", merge)
    for number in range(3):
        add(site.store, *some_reports(range(10 * number, 10 * number + 10), task), task=task)
        for _ in range(3):
            assert site.get(f"/tasks/{task.id}/estimates").json()["reports"] == 10 * number + 10
        assert len(merged) == number + 1
    site.store.compact(task.id, all_of_them=True)
    assert site.get(f"/tasks/{task.id}/estimates").json()["reports"] == 30


def test_the_same_estimates_are_made_once_however_many_ask(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = site.add_task()
    add(site.store, *some_reports(range(10), task), task=task)
    making, made = threading.Event(), []

    def slowly(tally: pckv.Tally, method: str, **asked: Any) -> pckv.Estimates:
        made.append(method)
        assert making.wait(20)
        return pckv.estimate(tally, method, **asked)

    monkeypatch.setattr(tallies, "estimate", slowly)
    # More than there are threads to wait in.
    with ThreadPoolExecutor(40) as pool:
        answers = [pool.submit(site.get, f"/tasks/{task.id}/estimates") for _ in range(40)]
        wait_until(lambda: made)
        assert site.get("/overview").status_code == 200
        making.set()
        assert {answer.result().json()["reports"] for answer in answers} == {10}
    assert len(made) == 1
    assert site.app.state.collector.estimating == {}


def test_no_page_and_no_log_has_a_token() -> None:
    script = (
        "from support.collectors import ADMINISTRATOR, running\n"
        "import httpx2\n"
        "with running() as found:\n"
        "    for token in (ADMINISTRATOR, 'wrong-canary'):\n"
        "        httpx2.post(f'http://127.0.0.1:{found.port}/session', json={'token': token}, headers={'X-Pckv': '1'})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=SUPPORT.parent
    )
    assert "canary" not in done.stderr
    assert ADMINISTRATOR not in done.stderr


def test_charts_never_meet_a_half_loaded_pandas() -> None:
    """Altair asks every number whether it is one of pandas', once some thread has begun to load that."""
    made = (
        "import sys; from pckv.collector.settings import Settings; from pckv.store.memory import MemoryStore; "
        "from pckv.web.site import create_site; create_site(MemoryStore(), Settings()); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", made], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
