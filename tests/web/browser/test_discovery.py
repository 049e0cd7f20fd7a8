"""The page of a discovery: the keys found, the tree of prefixes as it grows, and the task that is made from the keys."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

import pckv
from support.collectors import as_items, perturbed
from support.people import DESK, PHONE, ask, download
from support.serving import ServeProcess


@pytest.fixture(scope="module")
def terms(server: ServeProcess) -> pckv.Task:
    """A discovery with as many reports as groups, less one."""
    task = pckv.Task.discovery(name="terms", epsilon=4, alphabet="ab<>", characters=3)
    ask(server, "POST", "/tasks", content=task.to_json().encode(), media="application/json")
    send(server, task, perturbed(task, {"ab": 1}, times=2))
    return task


def send(server: ServeProcess, task: pckv.Task, reports: list[pckv.Report]) -> None:
    address = f"http://127.0.0.1:{server.port}/tasks/{task.id}/reports"
    httpx2.post(address, json={"reports": as_items(*reports)}, timeout=20).raise_for_status()


def test_a_discovery_shows_what_it_finds(people: Any, server: ServeProcess, terms: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go("/#/")
    page = operator.page
    page.get_by_role("row", name="terms discovery").get_by_role("link", name="terms").click()
    page.get_by_text("2 reports so far. There must be at least 3, one per group").wait_for()
    assert page.locator(".title").get_by_text("discovery").is_visible()
    held: list[dict[str, float]] = [{"ab": 1}, {"ab": 1}, {"a<b": 1}, {"b": 1}]
    send(server, terms, perturbed(terms, *held, times=150)[2:])
    found = page.get_by_role("region", name="Keys found")
    found.get_by_role("row").nth(3).wait_for()
    answer = ask(server, "GET", f"/tasks/{terms.id}/discovery").json()
    assert {row["key"]: row["is_cut"] for row in answer["keys"]} == {"ab": False, "b": False, "a<b": True}
    assert found.locator("tbody th").all_inner_texts() == [
        row["key"] + (" may go on" if row["is_cut"] else "") for row in answer["keys"]
    ]
    page.get_by_text(answer["verdict"][0]).wait_for()
    tree = page.get_by_role("region", name="Tree of prefixes")
    rows = tree.locator("tbody tr:not(.soft)").locator("th").all_inner_texts()
    leaves = [row.lstrip("│├ ") for row in rows if row.endswith("ends here") or "<" in row]
    assert sorted(leaves) == ["a<b", "ab ends here", "b ends here"]
    assert rows[0] == "a"
    assert "unknown; found up to 3 characters of these: “<>ab”" in page.locator(".facts").text_content()
    assert 'submit("' + terms.id + '", ["any text"])' in page.locator("textarea.code").first.input_value()
    assert page.get_by_role("region", name="Publication").count() == 0
    assert download(page, "Keys, one per line").read_text().splitlines() == [
        row["key"] for row in answer["keys"]
    ]
    operator.check_in_both_colours(DESK)
