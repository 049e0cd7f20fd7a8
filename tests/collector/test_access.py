"""Who may do what: tokens, routes and other origins."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, FastAPI

from pckv.base.errors import ParameterError
from pckv.collector.http import auth
from pckv.collector.http import rate_limit as failed_tokens
from pckv.collector.http.auth import MIN_TOKEN_LENGTH, create_first_token, token_hash
from pckv.collector.http.gateway import RouteTable, routes_of
from pckv.collector.http.policy import Access
from pckv.collector.http.settings import TOKEN_VARIABLE
from pckv.store.base import Role
from support.collectors import (
    ADMINISTRATOR,
    ANALYST,
    THREADS,
    Running,
    as_items,
    bearer,
    check_problem,
    new_task,
    report,
    running,
)
from support.memory_store import MemoryStore

FROM_ENVIRONMENT = "a token that the environment names"
# What the administrator shares, stated once more: a route that opens to others by mistake is not among these.
PUBLIC = frozenset(
    {
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/openapi.json"),
        # Who runs the collector, as every page says it.
        ("GET", "/organisation"),
        ("GET", "/organisation/logo"),
        ("GET", "/tasks/{task_id}"),
        ("OPTIONS", "/tasks/{task_id}"),
        ("POST", "/tasks/{task_id}/admission"),
        ("OPTIONS", "/tasks/{task_id}/admission"),
        ("POST", "/tasks/{task_id}/reports"),
        ("OPTIONS", "/tasks/{task_id}/reports"),
        ("GET", "/series/{series_id}"),
        ("OPTIONS", "/series/{series_id}"),
        # Unknown unless the administrator made it public.
        ("GET", "/tasks/{task_id}/results"),
        # Pages and what they load hold nothing secret: they request what they show afterwards.
        ("GET", "/"),
        ("GET", "/favicon.ico"),
        ("GET", "/join/{survey_id}"),
        ("GET", "/results/{task_id}"),
        ("GET", "/static/{path:path}"),
        ("GET", "/client/{path:path}"),
        ("GET", "/scripts/{path:path}"),
        ("GET", "/vega.js"),
        ("GET", "/help"),
        ("GET", "/help/glossary.json"),
        ("GET", "/help/{name}"),
        # Signing in takes a token in the body.
        ("GET", "/session"),
        ("POST", "/session"),
    }
)
ANALYSTS = frozenset(
    {
        ("GET", "/metrics"),
        ("GET", "/tasks/{task_id}/estimates"),
        ("POST", "/tasks/{task_id}/estimates"),
        ("GET", "/tasks/{task_id}/discovery"),
        ("GET", "/tasks/{task_id}/reports"),
        ("GET", "/series"),
        ("GET", "/series/{series_id}/rounds"),
        ("GET", "/series/{series_id}/rounds/{number}"),
        ("GET", "/series/{series_id}/trend"),
        ("GET", "/overview"),
        ("GET", "/tasks/{task_id}/overview"),
        ("GET", "/tasks/{task_id}/chart"),
        ("POST", "/tasks/{task_id}/chart"),
        ("GET", "/tasks/{task_id}/precision"),
        ("GET", "/tasks/{task_id}/qr.{form}"),
        ("GET", "/series/{series_id}/qr.{form}"),
        ("POST", "/tasks/{task_id}/qr"),
        ("GET", "/address"),
        ("GET", "/tasks/{task_id}/key"),
        ("GET", "/tasks/{task_id}/key/levels"),
        ("DELETE", "/session"),
    }
)


def routes_for(collector: Running, access: Access) -> set[tuple[str, str]]:
    return {(one.method, one.path) for one in routes_of(collector.app) if one.policy.access is access}


def test_every_route_is_closed_unless_it_declares_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_tokens, "MAX_FAILURES_PER_SECOND", 10**6)
    with running() as collector:

        @collector.app.get("/planted/{task_id}")
        async def planted() -> str:
            return "nobody thought of who may see this"

        below = APIRouter()
        below.add_api_route("/healthz", planted)
        collector.app.include_router(below, prefix="/below")
        assert routes_for(collector, Access.PUBLIC) == PUBLIC
        assert routes_for(collector, Access.ANALYSTS) == ANALYSTS
        others = routes_for(collector, Access.ADMINISTRATOR)
        assert {("GET", "/planted/{task_id}"), ("GET", "/below/healthz")} <= others
        walked = PUBLIC | ANALYSTS | others
        for method, path in walked:
            address = path.replace("{task_id}", new_task().id)
            answers = {
                token: collector.client.request(method, address, headers=bearer(token) if token else {})
                for token in ("", "wrong", ANALYST, ADMINISTRATOR)
            }
            if (method, path) in PUBLIC:
                assert {401} != {answer.status_code for answer in answers.values()}
                assert answers[""].status_code == answers["wrong"].status_code != 401
                continue
            for token in ("", "wrong"):
                check_problem(answers[token], 401, "bad-token")
                assert answers[token].headers["www-authenticate"] == "Bearer"
            if (method, path) in ANALYSTS:
                assert answers[ANALYST].status_code not in {401, 403}
            else:
                check_problem(answers[ANALYST], 403, "forbidden")
            assert answers[ADMINISTRATOR].status_code not in {401, 403}


def test_an_application_below_cannot_bypass_the_gateway() -> None:
    app = FastAPI(openapi_url=None)
    app.mount("/below", FastAPI())
    with pytest.raises(TypeError, match="/below"):
        RouteTable(app)


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", ADMINISTRATOR, f"Basic {ADMINISTRATOR}", "Bearer é", "Bearer \xff"]
)
def test_malformed_authorization_is_refused(small: Running, authorization: str) -> None:
    answer = small.client.get("/tasks", headers={b"Authorization": authorization.encode("latin-1")})
    check_problem(answer, 401, "bad-token")


def test_the_token_of_the_environment_wins_over_the_stored_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, FROM_ENVIRONMENT)
    with running() as collector:
        assert collector.get("/tasks", FROM_ENVIRONMENT).status_code == 200
        check_problem(collector.get("/tasks", ADMINISTRATOR), 401, "bad-token")
        assert collector.get("/metrics", ANALYST).status_code == 200


def test_a_short_token_of_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    monkeypatch.setenv(TOKEN_VARIABLE, "x" * MIN_TOKEN_LENGTH)
    create_first_token(store, None)
    monkeypatch.setenv(TOKEN_VARIABLE, "x" * (MIN_TOKEN_LENGTH - 1))
    for start in (lambda: create_first_token(store, None), lambda: auth.Guard(store, THREADS.lookups)):
        with pytest.raises(ParameterError, match=f"{TOKEN_VARIABLE}: a token has at least 32 characters"):
            start()


def test_a_new_token_replaces_the_administrators_and_adds_an_analysts() -> None:
    with running() as collector:
        collector.store.set_token(Role.ADMINISTRATOR, token_hash("another"))
        collector.store.set_token(Role.ANALYST, token_hash("a second analyst"))
        assert collector.get("/tasks", "another").status_code == 200
        check_problem(collector.get("/tasks", ADMINISTRATOR), 401, "bad-token")
        assert collector.get("/metrics", "a second analyst").status_code == collector.get("/metrics").status_code == 200


def test_a_token_is_looked_up_by_its_hash(small: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked up is a hash, so the time that it takes tells nothing about a token."""
    looked_up: list[bytes] = []
    find_role = small.store.find_role

    def look_up(given: bytes) -> Role | None:
        looked_up.append(given)
        return find_role(given)

    monkeypatch.setattr(small.store, "find_role", look_up)
    assert small.get("/tasks", ADMINISTRATOR).status_code == 200
    check_problem(small.get("/tasks", "wrong"), 401, "bad-token")
    assert looked_up == [token_hash(ADMINISTRATOR), token_hash("wrong")]


def test_pages_of_other_origins_may_do_what_clients_do_and_read_refusals(small: Running) -> None:
    task = small.add_task()
    origin = {"Origin": "https://elsewhere.example"}
    for path in (f"/tasks/{task.id}", f"/tasks/{task.id}/reports"):
        preflight = small.client.options(path, headers=origin | {"Access-Control-Request-Method": "POST"})
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-headers"] == "Content-Type"
    clients = [
        small.client.get(f"/tasks/{task.id}", headers=origin),
        small.client.get("/tasks/unknown", headers=origin),
        small.send(task, as_items(report(1, task=task))),
        small.post(task, b"", "text/plain"),
        small.post(task, b"", **{"Content-Encoding": "gzip"}),
    ]
    for answer in (*clients, preflight):
        assert answer.headers["access-control-allow-origin"] == "*"
    others = [small.get(path, ADMINISTRATOR, **origin) for path in ("/tasks", "/metrics", "/healthz", "/openapi.json")]
    others += [small.get(f"/tasks/{task.id}/{what}", **origin) for what in ("estimates", "reports")]
    others += [
        small.administer("POST", f"/tasks/{task.id}/close"),
        small.administer("DELETE", f"/tasks/{task.id}"),
    ]
    for answer in others:
        assert not [name for name in answer.headers if name.startswith("access-control")]
