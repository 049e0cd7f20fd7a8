"""Wrong tokens are limited per sender, and hinder no other sender."""

from __future__ import annotations

import http.client
from contextlib import closing

import pytest

from pckv.collector.http import rate_limit as failed_tokens
from pckv.collector.http.problem_details import ProblemDetails
from pckv.collector.http.rate_limit import BURST_SECONDS, FailedTokens
from pckv.collector.http.settings import TOKEN_VARIABLE
from support.collectors import ADMINISTRATOR, ANALYST, bearer, check_problem, running
from support.site import OWN_PAGE, ask, cookie, sign_in

HERE, ELSEWHERE = "192.0.2.1", "192.0.2.2"


def fail(tokens: FailedTokens, times: int, sender: str = HERE) -> int:
    """Try wrong tokens; return how many were tried before one was refused."""
    for number in range(times):
        try:
            tokens.check(sender, b"wrong %d" % number)
        except ProblemDetails:
            return number
        tokens.record(sender, b"wrong %d" % number, right=False)
    return times


def test_a_sender_may_fail_a_few_times_and_then_once_per_second() -> None:
    now = 0.0
    tokens = FailedTokens(lambda: now)
    assert fail(tokens, 100) == BURST_SECONDS
    for _ in range(3):
        now += 1.0
        assert fail(tokens, 100) == 1
    now += 3600.0
    assert fail(tokens, 100) == BURST_SECONDS


def test_right_tokens_do_not_count_and_are_not_hindered_from_elsewhere() -> None:
    tokens = FailedTokens(lambda: 0.0)
    for _ in range(100):
        tokens.check(ELSEWHERE, b"right")
        tokens.record(ELSEWHERE, b"right", right=True)
    assert fail(tokens, 100) == BURST_SECONDS
    tokens.check(ELSEWHERE, b"right")
    tokens.check(ELSEWHERE, b"another")
    # That a token was right elsewhere does not help guessing here.
    with pytest.raises(ProblemDetails):
        tokens.check(HERE, b"right")


def test_nobody_is_locked_out_by_others_of_the_same_address() -> None:
    """As behind a proxy."""
    tokens = FailedTokens(lambda: 0.0)
    tokens.record(HERE, b"right", right=True)
    assert fail(tokens, 100) == BURST_SECONDS
    tokens.check(HERE, b"right")
    # Revoked meanwhile: it is wrong now, like any other.
    tokens.record(HERE, b"right", right=False)
    with pytest.raises(ProblemDetails):
        tokens.check(HERE, b"right")


def test_few_right_tokens_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_tokens, "MAX_KNOWN_TOKENS", 2)
    tokens = FailedTokens(lambda: 0.0)
    for token in (b"first", b"second", b"first", b"third"):
        tokens.record(HERE, token, right=True)
    fail(tokens, 100)
    tokens.check(HERE, b"first")
    tokens.check(HERE, b"third")
    with pytest.raises(ProblemDetails):
        tokens.check(HERE, b"second")


OPERATORS_OWN = "a-token-that-the-operator-thought-of"


def test_signing_in_and_bearers_are_limited_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, OPERATORS_OWN)
    with running() as collector:
        collector.app.state.collector.guard._failed_tokens = FailedTokens(lambda: 0.0)
        signed_in = cookie(collector, ANALYST)
        for number in range(BURST_SECONDS):
            answer = sign_in(collector, "wrong") if number % 2 else collector.get("/tasks", "wrong")
            check_problem(answer, 401, "bad-token")
        for answer in (
            sign_in(collector, "wrong"),
            collector.get("/tasks", "wrong"),
            # Whether this token is right is not even looked at.
            sign_in(collector, OPERATORS_OWN),
            collector.get("/tasks", OPERATORS_OWN),
        ):
            check_problem(answer, 429, "too-often")
        # Sessions, a random token, and who needs no token go on.
        assert ask(collector, "GET", "/overview", signed_in).status_code == 200
        assert sign_in(collector, ANALYST).status_code == 200
        assert ask(collector, "POST", "/session", OWN_PAGE, json={}).status_code == 400
        assert collector.get("/healthz", None).status_code == 200
        check_problem(collector.get("/tasks", None), 401, "bad-token")
        place = ("127.0.0.2", 0)
        with closing(http.client.HTTPConnection("127.0.0.1", collector.port, source_address=place)) as other:
            other.request("GET", "/tasks", headers=bearer(OPERATORS_OWN))
            assert other.getresponse().status == 200


def test_strangers_behind_the_same_proxy_keep_no_random_token_out() -> None:
    """Not even one that was not used since the start."""
    with running() as collector:
        collector.app.state.collector.guard._failed_tokens = FailedTokens(lambda: 0.0)
        for _ in range(BURST_SECONDS):
            check_problem(sign_in(collector, "wrong"), 401, "bad-token")
        check_problem(sign_in(collector, "wrong"), 429, "too-often")
        assert sign_in(collector, ADMINISTRATOR).status_code == 200
        assert collector.get("/tasks", ADMINISTRATOR).status_code == 200
