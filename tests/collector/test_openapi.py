"""The OpenAPI document is true: no request causes a server error, and every refusal is a documented problem."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from pckv import Series
from pckv.base.days import utc_today
from pckv.collector.http.problem_details import MEDIA_TYPE
from pckv.collector.http.protocol import MAX_HEAD_BYTES
from pckv.collector.http.settings import Settings
from pckv.collector.service import openapi
from pckv.store.base import Draft, Logo
from pckv.web.site import create_site
from support.collectors import ADMINISTRATOR, ANALYST, ARROW, Running, bearer, new_task, report, running
from support.memory_store import MemoryStore
from support.stores import add

EXAMPLES, MANY_EXAMPLES = 25, 300
# A plan takes up to seconds, and random options of estimates and settings are seldom accepted.
EXAMPLES_OF = {
    "GET /plan": 10,
    "POST /tasks/new": 10,
    "GET /tasks/{task_id}/estimates": 60,
    "PATCH /tasks/{task_id}": 60,
    # Few random bodies are reports.
    "POST /tasks/{task_id}/reports": 100,
}
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


RARELY_ACCEPTED = {
    "GET /plan",
    # There is no folder of keys.
    "POST /mixer-keys",
    "PUT /mixer-keys/{key}/token",
    "POST /series",
    "POST /tasks",
    "POST /tasks/new",
    "POST /session",
    "POST /tasks/{task_id}/estimates",
    "POST /tasks/{task_id}/chart",
    "GET /tasks/{task_id}/discovery",
    "GET /tasks/{task_id}/key",
    "GET /tasks/{task_id}/key/levels",
}


def as_bytes(_: schemathesis.SerializationContext, value: object) -> bytes:
    """Encode any value as bytes: valid streams are tested elsewhere."""
    return value if isinstance(value, bytes) else str(value).encode()


schemathesis.serializer(ARROW)(as_bytes)
SCHEMA = schemathesis.openapi.from_dict(openapi(create_site(MemoryStore(), Settings())))
OPERATIONS = {result.ok().label: result.ok() for result in SCHEMA.get_all_operations() if isinstance(result, Ok)}


@pytest.fixture(scope="module")
def collector() -> Iterator[Running]:
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as opened:
        # Looking up proxies takes longer than a request.
        opened.trust_env = False
        yield opened


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_answer_is_documented(
    operation: str, collector: Running, session: requests.Session, covers_all: bool
) -> None:
    """25 requests per operation by default: a fault in one of 9 is found at 95 %; with `--all` 300, one of 100."""
    examples = MANY_EXAMPLES if covers_all else EXAMPLES_OF.get(operation, EXAMPLES)
    documented = OPERATIONS[operation]
    closed = bool(documented.definition.raw.get("security"))

    @settings(max_examples=examples)
    @given(
        case=st.one_of([documented.as_strategy(mode) for mode in schemathesis.GenerationMode]),
        token=st.sampled_from([ADMINISTRATOR, ADMINISTRATOR, ANALYST, None]),
        real=st.booleans(),
    )
    def check(case: schemathesis.Case[Any], token: str | None, *, real: bool) -> None:
        if real and "task_id" in case.path_parameters:
            task = collector.add_task()
            add(collector.store, report(1, task=task), task=task)
            collector.store.change_task(task.id, {"public_results": True})
            case.path_parameters["task_id"] = task.id
        if real and "draft_id" in case.path_parameters:
            draft = Draft(secrets.token_urlsafe(16), "a draft", utc_today(), "{}")
            assert collector.store.add_draft(draft, 10_000)
            case.path_parameters["draft_id"] = draft.id
        if real and "series_id" in case.path_parameters:
            case.path_parameters |= {"series_id": series.id, "number": 1}
        headers = bearer(token) if token else {"Authorization": ""}
        answer = case.call_and_validate(f"http://127.0.0.1:{collector.port}", session, headers, CHECKS)
        seen.add(answer.status_code)
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == [MEDIA_TYPE]
        if token is None and closed:
            # A head that is too large is refused before anything else.
            is_long = len(answer.request.url or "") > MAX_HEAD_BYTES - 2**10
            assert answer.status_code in {401, 404, 405, 413, 415} | ({400} if is_long else set())

    seen: set[int] = set()
    series = Series(task=new_task(), first=utc_today(), period=7, panels=1)
    collector.store.add_series(series, utc_today())
    collector.store.add_round(series.task_of(1), utc_today())
    collector.store.set_organisation("an organisation", logo=Logo("image/png", b"\x89PNG"), keep_logo=False)
    check()
    # Random examples never hit the canonical text of a task, a discovery, a sensible form, a token, or the
    # name of a key.
    assert seen & {200, 201} or operation in RARELY_ACCEPTED
    assert 401 in seen or not closed
