"""The operator's and the analyst's pages in a browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

import pckv
from support.collectors import ANALYST, as_items
from support.people import (
    HOSTILE,
    KEYS,
    PHONE,
    add_task,
    ask,
    count,
    download,
    estimate,
    numbers,
    table,
)
from support.serving import ServeProcess


def test_a_pilot_on_the_dashboard(server: ServeProcess, people: Any, tmp_path: Path) -> None:
    task = add_task(server, name="small pilot", kind="sizes", padding=8)
    main = add_task(server, name="small pilot")
    reports = [pckv.perturb(task, dict.fromkeys(KEYS[: n % 5], 3)) for n in range(2000)]
    address = f"http://127.0.0.1:{server.port}/tasks/{task.id}/reports"
    httpx2.post(address, json={"reports": as_items(*reports)}, timeout=20).raise_for_status()
    operator = people(PHONE)
    operator.sign_in()
    page = operator.page
    page.get_by_role("link", name="small pilot").nth(1).wait_for()
    marked = page.locator("tbody tr", has_text="pilot").filter(has=page.locator(".badge.pilot"))
    assert [link.get_attribute("href") for link in marked.get_by_role("link").all()] == [f"#/tasks/{task.id}"]
    operator.check()
    operator.go(f"/#/tasks/{task.id}")
    page.locator(".chart svg", has_text="How many pairs people hold").wait_for()
    page.locator(".estimates tbody tr").nth(4).wait_for()
    assert page.locator("#reports").inner_text() == "2,000 of at most 20,000"
    (tmp_path / "task.json").write_text(task.to_json(), encoding="utf-8")
    (tmp_path / "reports.parquet").write_bytes(ask(server, "GET", f"/tasks/{task.id}/reports").content)
    estimates = json.loads(estimate(tmp_path, "--json"))["estimates"]
    assert table(page) == [numbers(row)[:3] for row in estimates]
    headers = page.locator(".estimates th[scope=col]").all_inner_texts()
    assert [header.split("\n")[0].rstrip(" ▲▼") for header in headers] == [
        "Pairs",
        "Share of people",
        "Interval",
    ]
    line = page.get_by_label("The padding of the main task", exact=True).input_value()
    assert line == "pckv plan --keys 4 --users USERS --epsilon 1 --sizes sizes.csv\n"
    assert f'{{"{KEYS[0]}": 5}}' in page.get_by_label("In an app, with Python", exact=True).input_value()
    for gone in ("Precision", "Method", "Search keys"):
        assert page.get_by_text(gone, exact=True).count() == 0
    operator.check()
    estimate(tmp_path, "--out", "sizes.csv")
    assert download(page, "CSV").read_bytes() == (tmp_path / "sizes.csv").read_bytes()
    operator.go(f"/#/tasks/{main.id}")
    page.get_by_role("heading", name="Precision").wait_for()
    assert page.locator(".badge.pilot").count() == 0


def test_keys_that_are_not_detected_are_marked(people: Any, server: ServeProcess) -> None:
    """One key stands out of equal counts: the rows of the others are grey and say why, and their means are unknown."""
    task = add_task(server, name="marks", epsilon=2, mechanism="grr")
    words = [1] * 200 + list(range(10)) * 20
    reports = [
        pckv.Report(number.to_bytes(16, "big"), word.to_bytes(8, "little"))
        for number, word in enumerate(words)
    ]
    address = f"http://127.0.0.1:{server.port}/tasks/{task.id}/reports"
    httpx2.post(address, json={"reports": as_items(*reports)}, timeout=20).raise_for_status()
    operator = people()
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.get_by_label("Method", exact=True).select_option("corrected")
    page.locator(".chart svg", has_text="method corrected").wait_for()
    grey = page.locator(".estimates tbody tr.soft")
    grey.nth(2).wait_for()
    assert [row.locator("td").all_inner_texts()[2::2] for row in grey.all()] == [
        ["unknown", "not told from zero"]
    ] * 3
    assert grey.locator("th").all_inner_texts() == KEYS[1:]
    assert page.locator(".chart svg", has_text="open circles: not told from zero").count() == 1
    operator.check()


def test_signing_in_and_out(people: Any, server: ServeProcess) -> None:
    person = people(PHONE)
    person.go("/")
    person.check()
    person.page.get_by_label("Token").fill("wrong")
    person.press("Sign in")
    person.page.get_by_text("This token is not known here.").wait_for()
    # The browser itself logs that the answer was 401.
    person.problems = [problem for problem in person.problems if "401" not in problem]
    add_task(server, name="for the list", opens="2099-01-01")
    person.sign_in(ANALYST)
    person.page.get_by_role("link", name="for the list").wait_for()
    assert "not yet open" in person.page.locator("tr", has_text="for the list").inner_text()
    assert person.page.get_by_role("link", name="New task").count() == 0
    person.check()
    person.page.reload()
    person.page.get_by_role("link", name="for the list").click()
    person.page.get_by_role("heading", name="Precision").wait_for()
    assert person.page.get_by_role("button", name="Delete …").count() == 0
    assert ANALYST not in person.page.url
    assert person.page.evaluate("document.cookie") == ""
    person.press("Sign out")
    person.page.get_by_label("Token").wait_for()
    person.page.reload()
    person.page.get_by_label("Token").wait_for()


@contextmanager
def elsewhere(page: str) -> Iterator[str]:
    """Serve a page of another origin; yield its address."""

    class PageHandler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), PageHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("key", [HOSTILE, "__proto__", "constructor"])
def test_the_lines_for_a_page_do_what_they_promise(
    people: Any, server: ServeProcess, browser: Any, key: str
) -> None:
    # At this ε all but one report in millions show the key that they were created from.
    task = add_task(server, name=f"for a page {key}", keys=[key, "Heat"], epsilon=20)
    operator = people()
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    lines = operator.page.get_by_label("In a page, with JavaScript", exact=True).input_value()
    with elsewhere(lines) as address:
        context = browser.new_context()
        page = context.new_page()
        with page.expect_response(lambda answer: answer.url.endswith("/reports")) as waiting:
            page.goto(address)
        assert waiting.value.json() == {"refused": []}
        context.close()
    assert count(server, task.id) == 1
    estimates = ask(server, "GET", f"/tasks/{task.id}/estimates?method=baseline").json()["estimates"]
    assert [round(row["frequency"]) for row in estimates] == [1, 0]
