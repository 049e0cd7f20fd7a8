"""What an address that leads nowhere shows: a page in a browser, a problem elsewhere."""

from __future__ import annotations

import pytest

from support.collectors import Running, check_problem

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/join/", "/join", "/nowhere", "/results/a/b", "/tasks/a/nothing"])
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
