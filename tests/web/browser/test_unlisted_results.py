"""What the page of a task shows of unlisted keys: hashed ones that an analyst names, and all others together."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import pckv
from support.collectors import perturbed
from support.people import DESK, HOSTILE, PHONE, Person, add_task, choose, download_of, send_reports
from support.serving import ServeProcess

# Pastes a text into an element.
PASTE = """(element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def hashed(server: ServeProcess) -> pckv.Task:
    """A task that lists no keys, and reports of people who hold two."""
    task = add_task(server, name="Any site", keys="hashed", epsilon=4, more="refuse", padding=1)
    send_reports(server, task, perturbed(task, {"alpha": 5}, {"alpha": 4}, {HOSTILE: 1}, times=100))
    return task


def test_hashed_keys_are_looked_for_once_they_are_named(
    people: Any, server: ServeProcess, hashed: pckv.Task, tmp_path: Path
) -> None:
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{hashed.id}")
    page = operator.page
    names = page.get_by_label("Answers to look for, one per line")
    operator.press("Look for these answers")
    page.get_by_text("name at least one").wait_for()
    names.fill(f"nobody's\nalpha\n\nalpha\n{HOSTILE}")
    operator.press("Look for these answers")
    page.get_by_text("line 3 is empty and line 4 repeats “alpha” of line 2").wait_for()
    operator.press("Remove repeated and empty lines")
    operator.press("Look for these answers")
    # Those that are really there come first.
    keys = page.locator(".estimates tbody th")
    keys.nth(2).wait_for()
    assert keys.all_inner_texts() == ["alpha", HOSTILE, "nobody's"]
    told = "2 of 3 answer options are clearly above zero (on average, at most 5 % of such statements are false)"
    assert told in page.locator(".verdict").inner_text()
    assert page.locator(".estimates a").count() == 0
    assert page.get_by_label("Public results page").count() == 0
    # Those that were asked for are there again when the page is loaded again.
    page.reload()
    keys.nth(2).wait_for()
    assert names.input_value() == f"nobody's\nalpha\n{HOSTILE}"
    operator.check(PHONE)
    with page.expect_download() as waiting:
        operator.press("CSV")
    with Path(waiting.value.path()).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["key"] for row in rows] == ["alpha", HOSTILE, "nobody's"]
    assert {(row["false_discovery_rate"], row["collides"]) for row in rows} == {("0.05", "False")}
    check_rate(operator)
    # Nothing is computed by itself: new reports are told, and counted on request.
    send_reports(server, hashed, [pckv.perturb(hashed, {"beta": 3}) for _ in range(7)])
    page.get_by_text("7 more responses since: look again").wait_for()
    (many := tmp_path / "many.txt").write_text("\n".join(["alpha", *map(str, range(2500))]), encoding="utf-8")
    page.get_by_label("Or take them from a file").set_input_files(many)
    # A list that is too long to be shown is kept all the same.
    page.get_by_text("2,501 answer options. The first lines are shown.").wait_for()
    assert names.input_value() == "\n".join(["alpha", *map(str, range(19)), "…"])
    operator.press("Look for these answers")
    page.locator(".pager", has_text="1 to 25 of 2,501").wait_for()
    assert page.get_by_text("look again to count").count() == 0
    operator.press("Next")
    page.locator(".pager", has_text="26 to 50 of 2,501").wait_for()
    page.get_by_label("Search").fill("ALPH")
    page.locator(".pager", has_text="1 to 1 of 1").wait_for()
    operator.press("Clear the list")
    assert (names.input_value(), names.is_editable()) == ("", True)
    names.evaluate(PASTE, "\n".join(map(str, range(2100))))
    page.get_by_text("2,100 answer options. The first lines are shown.").wait_for()
    check_forgotten(operator)


def check_rate(operator: Person) -> None:
    """Choose another false discovery rate, and check that the verdict and the address have it."""
    operator.unfold("Details: how this was estimated")
    choose(operator.page, "False discovery rate", "0.2")
    operator.page.locator(".verdict", has_text="at most 20 % of such statements").wait_for()
    assert operator.page.url.endswith("?false_discovery_rate=0.2")


def check_forgotten(operator: Person) -> None:
    """Sign out, and check that the next user of the tab does not find the list."""
    kept = "Object.keys(sessionStorage).some((name) => name.includes('candidates'))"
    assert operator.page.evaluate(kept)
    operator.press("Sign out")
    operator.page.get_by_label("Token").wait_for()
    assert not operator.page.evaluate(kept)


def test_all_other_keys_stand_apart(people: Any, server: ServeProcess) -> None:
    keys, other = ["a", "b;=1+1"], '=HYPERLINK("http://e";"x")'
    task = add_task(server, name="Some sites", keys=keys, other=other, epsilon=6, more="refuse", padding=1)
    held: list[dict[str, float]] = [{"x": 5}, {"y": 4}, {"z": 5}, {"a": 1}]
    send_reports(server, task, perturbed(task, *held, times=60))
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.locator(".estimates tbody th").nth(1).wait_for()
    assert page.locator(".estimates tbody th").all_inner_texts() == keys
    others = page.locator(".estimates tfoot tr")
    assert others.locator("th").inner_text() == f"{other} (all other answers)"
    assert "of people choose something that is not listed" in page.locator(".verdict").inner_text()
    operator.check(PHONE)
    lines = download_of(page, page.get_by_role("group", name="Download").first, "CSV")
    # No spreadsheet computes a cell, whichever character separates cells in its country.
    for separator in ",;":
        cells = [cell for row in csv.reader(lines, delimiter=separator) for cell in row]
        assert not [cell for cell in cells if re.match(r"[=+@]|-[^\d]", cell)]
    operator.press("Share", "link")
    operator.press("Make the results public …")
    operator.press("Make the results public")
    page.locator("#publication", has_text="Everybody with the link to the results").wait_for()
    operator.go(f"/results/{task.id}")
    page.locator("table.public").wait_for()
    assert page.locator("table.public tbody th").all_inner_texts() == keys
    assert "of people choose something that is not listed" in page.locator("main").inner_text()
    assert page.get_by_text("The first").count() == 0
    operator.go(f"/#/tasks/{task.id}/keys/{quote(other, safe='')}")
    page.get_by_role("heading", name=other).wait_for()
    page.get_by_role("region", name="What is known").get_by_text("of people").first.wait_for()
    assert page.get_by_role("navigation", name="Other answers").count() == 0
