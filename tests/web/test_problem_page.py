"""What an address shows that leads nowhere, or not now: a page in a browser, a problem elsewhere."""

from __future__ import annotations

import pytest

from pckv.base.errors import StoreError
from pckv.collector.http.rate_limit import RateLimit
from support.collectors import Running, check_problem, new_task, running

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


UNKNOWN = (
    *("/join/", "/join", "/nowhere", "/results/a/b", "/tasks/a/nothing"),
    # Those that have a route.
    *("/help/nothing", "/static/nothing.css", "/scripts/nothing.js", "/client/nothing.js"),
    *("/tasks/unknown", "/series/unknown"),
)


@pytest.mark.parametrize("path", UNKNOWN)
def test_a_browser_gets_a_page_in_its_language(site: Running, path: str) -> None:
    for accepted, language, text in (
        ("en-GB,en;q=0.9", "en", "There is no such page"),
        ("fr, de-AT;q=0.8, en;q=0.7", "de", "Diese Seite gibt es nicht"),
        ("", "en", "There is no such page"),
    ):
        answer = site.get(path, None, **BROWSER, **{"Accept-Language": accepted})
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert f'<html lang="{language}">' in answer.text
        assert f"<h1>{text}</h1>" in answer.text
    check_problem(site.get(path, None, Accept="application/json"), 404, "unknown")
    check_problem(site.get(path, None), 404, "unknown")


def test_a_task_that_is_unknown_keeps_its_page(site: Running) -> None:
    for path in ("/results/unknown", "/join/unknown"):
        assert site.get(path, None, **BROWSER).status_code == 200


def check_later(site: Running, status: int, path: str = "/help") -> None:
    """Check that a browser gets a page that says to try again, and that a program gets a problem."""
    for language, text in (("en", "Please try again in a moment"), ("de", "Bitte versuchen Sie es gleich noch einmal")):
        answer = site.get(path, None, **BROWSER, **{"Accept-Language": language})
        assert (answer.status_code, answer.headers["retry-after"]) == (status, "1")
        assert f"<h1>{text}</h1>" in answer.text
    assert site.get(path, None).headers["content-type"] == "application/problem+json"


def test_a_browser_that_asks_too_often_gets_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RateLimit, "admits", lambda *_: False)
    with running(requests_per_second=1) as site:
        check_later(site, 429, "/join/unknown")


def test_a_browser_gets_a_page_while_the_store_fails(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("full")

    monkeypatch.setattr(site.store, "find_task", fail)
    check_later(site, 503, f"/tasks/{new_task().id}")
