"""The list of tasks, the head of a task's page, and public results, in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pckv
from pckv.collector.http.auth import PLAIN_COOKIE
from support.collectors import ANALYST
from support.parts import missing_part
from support.people import DESK, PHONE, Person, add_task, ask, send_reports
from support.serving import ServeProcess

JSON = "application/json"


def send(server: ServeProcess, task: pckv.Task, people: int) -> None:
    reports = [pckv.perturb(task, {"Alien": 4, "Heat": 2}) for _ in range(people)]
    send_reports(server, task, reports)


def change(server: ServeProcess, task: pckv.Task, content: bytes) -> None:
    ask(server, "PATCH", f"/tasks/{task.id}", content, JSON)


def hover_until_shown(page: Any, mark: Any, tooltip: Any) -> None:
    """Point at a mark until its tooltip shows: a chart that is drawn again in between hides it."""
    for _ in range(100):
        mark.hover()
        page.wait_for_timeout(100)
        if tooltip.is_visible():
            return
        page.mouse.move(0, 0)
    raise AssertionError("no tooltip shows")


@pytest.fixture
def operator(people: Callable[..., Person]) -> Person:
    person = people(PHONE)
    person.sign_in()
    return person


def names(person: Person) -> list[str]:
    listed: list[str] = person.page.locator(".tasks:not(.series) tbody th").all_inner_texts()
    return listed


def test_tasks_are_listed_newest_first_and_found(server: ServeProcess, operator: Person) -> None:
    first, second = (add_task(server, name=f"Listed {number}") for number in (1, 2))
    send(server, first, 3)
    change(server, first, b'{"target": 12}')
    ask(server, "POST", f"/tasks/{second.id}/close")
    page = operator.page
    operator.go("/")
    page.locator("tr", has_text="3 of 12").wait_for()
    page.locator("tr", has_text="Listed 2").filter(has_text="closed").wait_for()
    page.get_by_label("Search by name").fill("lISted")
    page.locator(".tasks:not(.series) tbody tr").nth(2).wait_for(state="detached")
    assert names(operator) == ["Listed 2", "Listed 1"]
    row = page.locator("tr", has_text="Listed 1")
    today = ask(server, "GET", f"/tasks/{first.id}/overview").json()["created"]
    assert re.findall(r"\d{4}-\d\d-\d\d", row.inner_text()) == [today, today]
    assert "3 of 12" in row.inner_text()
    assert row.get_by_role("progressbar", name="Of the target: 25 %").count() == 1
    assert "none yet" in page.locator("tr", has_text="Listed 2").inner_text()
    operator.check()
    page.get_by_label("State", exact=True).select_option("closed")
    page.locator("tr", has_text="Listed 1").wait_for(state="detached")
    # The address keeps what an operator looks for.
    page.reload()
    page.locator("tr", has_text="Listed 2").wait_for()
    assert names(operator) == ["Listed 2"]
    page.get_by_label("Search by name").fill("nothing is called so")
    page.get_by_text("No task matches.").wait_for()


# Draws a picture of the page on a canvas; returns its size and the red of every pixel.
PIXELS = """async (image) => {
    await image.decode();
    const size = 300, canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, size, size);
    return [...context.getImageData(0, 0, size, size).data].filter((_, place) => place % 4 === 0);
}"""


def read_code(picture: Any) -> str:
    """Return what a decoder reads in a picture of the page."""
    try:
        zxing = import_module("zxingcpp")
    except ModuleNotFoundError:
        missing_part("zxing-cpp")
    pixels = np.array(picture.evaluate(PIXELS), np.uint8).reshape(300, 300)
    [code] = zxing.read_barcodes(pixels)
    return str(code.text)


def test_the_head_of_a_task_tells_what_came_and_how_to_take_part(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="head", about={"question": "Which ones have you seen?"})
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.get_by_text("Which ones have you seen?").wait_for()
    code = page.get_by_role("img", name="QR code of the link to take part")
    for colours in ("dark", "light"):
        operator.page.emulate_media(color_scheme=colours)
        assert read_code(code) == f"{operator.origin}/join/{task.id}"
    with page.expect_download() as saved:
        operator.press("Download the QR code", "link")
    assert Path(saved.value.path()).read_text().startswith("<svg ")
    assert page.locator(".days svg").count() == 0
    send(server, task, 5)
    page.locator("#reports", has_text="5").wait_for()
    bar = page.locator(".days [aria-roledescription=bar]")
    bar.wait_for()
    hover_until_shown(page, bar, page.locator("#vg-tooltip-element", has_text=": 5 reports"))
    operator.press("Set a target")
    page.get_by_label("Reports wanted").fill("0")
    operator.press("Save")
    page.get_by_text("at least 1").wait_for()
    page.get_by_label("Reports wanted").fill("20")
    operator.press("Save")
    page.get_by_text("25 % of the target of 20 reports").wait_for()
    operator.check_in_both_colours()
    operator.press("Change the target")
    page.get_by_label("Reports wanted").fill("")
    operator.press("Save")
    page.get_by_role("progressbar").wait_for(state="detached")
    assert page.get_by_role("link", name="Duplicate").get_attribute("href") == f"#/new?from={task.id}"
    # What few people need is there on request.
    assert not page.get_by_text("Bytes per report").is_visible()
    page.get_by_text("Details", exact=True).click()
    assert page.get_by_text("Bytes per report").is_visible()


DRAWS = """async () => {
  const { ReportBars } = await import(`${location.origin}/static/dashboard/report-bars.js`);
  const bars = new ReportBars(), draws = [];
  let fails = true;
  bars.chart.draw = async () => {
    draws.push(1);
    if (fails) throw new Error("no script");
  };
  for (const reports of [5, 5, 5, 6]) {
    bars.show([{ reports, words: "" }], "");
    await new Promise((resolve) => setTimeout(resolve));
    fails = false;
  }
  return draws.length;
}"""


def test_bars_are_drawn_again_only_if_they_changed_or_could_not_be_drawn(operator: Person) -> None:
    operator.go("/")
    assert operator.page.evaluate(DRAWS) == 3


def test_a_closed_task_says_so(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="to be closed")
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.locator(".qr").wait_for()
    operator.press("Close …")
    operator.press("Close")
    page.get_by_text("This task is closed since").wait_for()
    page.get_by_text("Taking part has ended.").wait_for()
    for gone in (page.locator(".qr"), page.get_by_role("button", name="Close …")):
        assert gone.count() == 0
    assert not page.get_by_role("button", name="Set a target").is_visible()
    operator.check()


def test_an_address_without_a_task_says_so_and_leads_back(operator: Person) -> None:
    operator.go(f"/#/tasks/{'A' * 43}")
    operator.page.get_by_role("heading", name="No task here").wait_for()
    operator.check()
    operator.press("All tasks", role="link")
    operator.page.get_by_role("heading", name="Tasks", exact=True).wait_for()
    # The browser itself logs that the answer was 404.
    operator.forgive("404")


def test_a_lost_connection_is_said_and_so_is_its_return(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="far away")
    page, place = operator.page, operator.page.locator("#connection")
    for address, shown in (("/#/", "far away"), (f"/#/tasks/{task.id}", "reports so far")):
        operator.go(address)
        page.get_by_text(shown).first.wait_for()
        operator.context.set_offline(True)
        page.get_by_text("Connection lost; trying again").first.wait_for()
        # What was known stays in sight.
        assert page.get_by_text(shown).first.is_visible()
        operator.context.set_offline(False)
        place.filter(has_text="Connected again.").wait_for()
        operator.check()


def test_whoever_signs_in_again_is_where_they_were(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="a long session")
    address = f"#/tasks/{task.id}?level=0.9"
    operator.go(f"/{address}")
    page = operator.page
    page.get_by_text("reports so far").wait_for()
    operator.context.clear_cookies(name=PLAIN_COOKIE)
    page.get_by_role("main").get_by_text("Your session is over.").wait_for()
    operator.fill_in_token()
    page.get_by_text("reports so far").wait_for()
    assert page.evaluate("location.hash") == address
    # The browser itself logs that the answers were 401.
    operator.forgive("401")


def test_results_become_public_by_a_switch(server: ServeProcess, people: Any) -> None:
    about = {
        "question": "Which ones?",
        "description": "For the club.",
        "unit": "stars",
        "contact": "us@example.org",
    }
    task = add_task(server, name="public", about=about, epsilon=4)
    send(server, task, 300)
    operator, reader = people(PHONE), people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    switch = operator.page.get_by_role("switch", name="Public results page")
    switch.wait_for()
    assert not switch.is_checked()
    reader.go(f"/results/{task.id}")
    reader.page.get_by_text("The results of this task are not public.").wait_for()
    reader.page.get_by_role("heading", name="No results here").wait_for()
    reader.forgive("404")
    switch.check()
    link = operator.page.get_by_role("link", name=f"{operator.origin}/results/{task.id}")
    link.wait_for()
    operator.check(DESK)
    reader.page.goto(link.get_attribute("href"))
    page = reader.page
    page.get_by_role("heading", name="Which ones?").wait_for()
    estimates = {row["key"]: row for row in ask(server, "GET", f"/tasks/{task.id}/estimates").json()["estimates"]}
    rows = page.locator(".public tbody tr")
    assert rows.count() == len(estimates)
    assert {rows.nth(place).locator("th").inner_text() for place in (0, 1)} == {"Alien", "Heat"}
    share = f"{100 * estimates['Alien']['frequency']:.0f}"
    assert f"{share}" in rows.filter(has_text="Alien").inner_text()
    body = page.locator("main").inner_text()
    for text in ("300 reports", "For the club.", "ε = ", "95 %", "us@example.org"):
        assert text in body
    verdict = ask(server, "GET", f"/tasks/{task.id}/estimates").json()["verdict"]
    assert " ".join(verdict) in body
    assert "Mean, in stars" in page.locator(".public").text_content()
    reader.check(DESK)
    # Perhaps no participant holds a key that is too rare to tell: then it has no mean.
    rare = ask(server, "GET", f"/tasks/{task.id}/results").json()
    rare["estimates"][0] |= {"detected": False, "mean_known": False, "reported_mean_known": False}
    page.route(f"**/tasks/{task.id}/results", lambda route: route.fulfill(json=rare))
    page.reload()
    page.get_by_text("too rare to tell").first.wait_for()
    assert rows.first.locator("td").last.inner_text() == "unknown"
    page.unroute(f"**/tasks/{task.id}/results")
    switch.uncheck()
    operator.page.get_by_text("Off: only people who sign in here").first.wait_for()
    # The first reader's browser may show for a while what it has.
    another = people(PHONE)
    another.go(f"/results/{task.id}")
    another.page.get_by_text("The results of this task are not public.").wait_for()
    assert another.page.locator(".public").count() == 0
    another.forgive("404")


def test_an_analyst_sees_and_changes_nothing(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="for analysts")
    change(server, task, b'{"target": 7}')
    analyst = people(DESK)
    analyst.sign_in(ANALYST)
    analyst.go(f"/#/tasks/{task.id}")
    page = analyst.page
    page.get_by_text("0 % of the target of 7 reports").wait_for()
    for absent in (
        "Change the target",
        "Duplicate",
        "Public results page",
        "Create invitations …",
        "Delete …",
    ):
        assert not page.get_by_text(absent, exact=True).is_visible()
