"""The list of surveys, lost connections and sessions, and public results, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

import pckv
from pckv.collector.http.auth import PLAIN_COOKIE
from support.collectors import ANALYST
from support.people import DESK, PHONE, Person, add_task, ask, has_address, send_reports
from support.serving import ServeProcess

JSON = "application/json"


def send(server: ServeProcess, task: pckv.Task, people: int) -> None:
    reports = [pckv.perturb(task, {"Alien": 4, "Heat": 2}) for _ in range(people)]
    send_reports(server, task, reports)


def change(server: ServeProcess, task: pckv.Task, content: bytes) -> None:
    ask(server, "PATCH", f"/tasks/{task.id}", content, JSON)


@pytest.fixture
def operator(people: Callable[..., Person]) -> Person:
    person = people(PHONE)
    person.sign_in()
    return person


def test_tasks_are_listed_newest_first_and_found(server: ServeProcess, operator: Person) -> None:
    first, second = (add_task(server, name=f"Listed {number}") for number in (1, 2))
    send(server, first, 3)
    change(server, first, b'{"target": 12}')
    ask(server, "POST", f"/tasks/{second.id}/close")
    page = operator.page
    operator.go("/")
    page.locator("tr", has_text="3 (12 expected)").wait_for()
    page.locator("tr", has_text="Listed 2").filter(has_text="closed").wait_for()
    rows = page.locator("tr", has_text="Listed")
    assert [row.locator("th").inner_text() for row in rows.all()] == ["Listed 2", "Listed 1"]
    row = page.locator("tr", has_text="Listed 1")
    created = ask(server, "GET", f"/tasks/{first.id}/overview").json()["created"]
    assert row.inner_text().count(f"{date.fromisoformat(created):%B %-d, %Y}") == 2
    assert row.get_by_role("progressbar", name="Of the responses expected: 25 %").count() == 1
    assert "none yet" in page.locator("tr", has_text="Listed 2").inner_text()
    operator.check(DESK)


def test_many_surveys_can_be_searched(operator: Person) -> None:
    """Fields to search with are shown where there are more than 25; a survey that needs attention has a badge."""
    others = {"phase": "open", "created": "2030-01-01", "last_report": None, "reports": 0, "target": None}
    tasks = [
        {"id": f"{number}", "number": 99 - number, "name": f"Survey {number}", "has_alarms": number == 3, **others}
        for number in range(26)
    ]
    shown = [25]

    def answer(route: Any) -> None:
        is_found = "state=closed" not in route.request.url
        route.fulfill(json={"tasks": tasks[: shown[0]] if is_found else []})

    page = operator.page
    page.route("**/overview?*", answer)
    operator.go("/")
    page.get_by_role("link", name="Survey 24").wait_for()
    assert page.locator("tr", has=page.locator(".badge.alarm")).locator("th").all_inner_texts() == ["Survey 3"]
    assert not page.get_by_label("Search by name").is_visible()
    shown[0] = 26
    page.get_by_label("State", exact=True).select_option("closed")
    page.get_by_text("No survey matches.").wait_for()
    # The address keeps what an operator looks for.
    page.reload()
    page.get_by_text("No survey matches.").wait_for()
    assert page.get_by_label("Search by name").is_visible()
    page.unroute_all(behavior="ignoreErrors")


def test_an_address_without_a_task_says_so_and_leads_back(operator: Person) -> None:
    operator.go(f"/#/tasks/{'A' * 43}")
    operator.page.get_by_role("heading", name="No survey here").wait_for()
    operator.page.get_by_text("There is no such survey or page here.").wait_for()
    operator.check()
    operator.press("All surveys", role="link")
    operator.page.get_by_role("heading", name="Surveys", exact=True).wait_for()
    # The browser itself logs that the answer was 404.
    operator.forgive("404")


def test_a_lost_connection_is_said_and_so_is_its_return(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="far away")
    page, place = operator.page, operator.page.locator("#connection")
    for address, shown in (("/#/", "far away"), (f"/#/tasks/{task.id}", "responses so far")):
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
    page.get_by_text("responses so far").wait_for()
    operator.context.clear_cookies(name=PLAIN_COOKIE)
    page.get_by_role("main").get_by_text("Your session is over.").wait_for()
    operator.fill_in_token()
    page.get_by_text("responses so far").wait_for()
    assert page.evaluate("location.hash") == address
    # The browser itself logs that the answers were 401.
    operator.forgive("401")


def test_public_results_with_many_answers_are_searched(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="public, many", epsilon=4)
    send(server, task, 300)
    ask(server, "PATCH", f"/tasks/{task.id}", b'{"public_results": true}', "application/json")
    reader = people(DESK)
    page = reader.page
    rows = page.locator(".public tbody tr")
    # Perhaps no participant holds a key that noise may explain: then it has no mean.
    rare = ask(server, "GET", f"/tasks/{task.id}/results").json()
    rare["estimates"][0] |= {"detected": False, "mean_known": False, "reported_mean_known": False}
    rare["estimates"] += [{**rare["estimates"][0], "key": f"further {number}"} for number in range(30)]
    rare |= {"keys": len(rare["estimates"]), "logo": True}
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    page.route("**/organisation/logo", lambda route: route.fulfill(body=picture, content_type="image/svg+xml"))
    page.route(f"**/tasks/{task.id}/results", lambda route: route.fulfill(json=rare))
    reader.go(f"/results/{task.id}")
    page.locator(".public").get_by_text("not distinguishable from noise").first.wait_for()
    assert rows.first.locator("td").last.inner_text() == "unknown"
    page.locator("img.asker").wait_for()
    page.locator(".pager", has_text=f"1 to 25 of {rare['keys']}").wait_for()
    page.get_by_label("Search").fill("further 29")
    page.locator(".pager", has_text="1 to 1 of 1").wait_for()
    assert rows.count() == 1
    assert page.get_by_role("link", name="how answers are protected").get_attribute("href").startswith("/help/")
    page.locator("summary", has_text="Details").click()
    page.get_by_role("button", name="ε").click()
    page.locator(".explanation", has_text="A number that says how well answers are hidden").wait_for()
    page.unroute(f"**/tasks/{task.id}/results")
    page.unroute("**/organisation/logo")
    reader.check(PHONE)


def test_results_become_public_and_private_again(server: ServeProcess, people: Any) -> None:
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
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/share")
    operator.page.get_by_text("Only people who sign in here see the results.").wait_for()
    reader.go(f"/results/{task.id}")
    reader.page.get_by_text("This link leads to no public results.").wait_for()
    reader.page.get_by_role("heading", name="No results here").wait_for()
    reader.forgive("404")
    operator.press("Make the results public …")
    operator.press("Make the results public")
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
    for text in ("300 responses", "For the club.", "95 %", "us@example.org"):
        assert text in body
    assert "clearly above zero" in body
    assert "Average rating (stars)" in page.locator(".public").text_content()
    reader.check(DESK)
    operator.press("Make the results private again")
    operator.page.get_by_text("Only people who sign in here see the results.").first.wait_for()
    # The first reader's browser may show for a while what it has.
    another = people(PHONE)
    another.go(f"/results/{task.id}")
    another.page.get_by_text("This link leads to no public results.").wait_for()
    assert another.page.locator(".public").count() == 0
    another.forgive("404")
    # Once the survey is closed, its page says where results become public.
    assert not operator.page.get_by_text("Under “Share” you can").is_visible()
    assert ask(server, "POST", f"/tasks/{task.id}/close").status_code < 300
    operator.go(f"/#/tasks/{task.id}")
    operator.page.locator("#notice", has_text="Under “Share” you can make the results public.").wait_for()


def test_an_analyst_sees_and_changes_nothing(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="for analysts")
    change(server, task, b'{"target": 7}')
    analyst = people(DESK)
    analyst.sign_in(ANALYST)
    analyst.go(f"/#/tasks/{task.id}")
    page = analyst.page
    page.get_by_text("7 expected").wait_for()
    for absent in (
        "Settings",
        "Duplicate and change",
        "Create invitations …",
        "Delete …",
        "New survey",
        "Organisation",
    ):
        assert not page.get_by_text(absent, exact=True).is_visible()
    analyst.go(f"/#/tasks/{task.id}/share")
    page.get_by_role("heading", name="Take part").wait_for()
    assert not page.get_by_role("heading", name="Invitations").is_visible()
    assert not page.get_by_role("heading", name="Public results").is_visible()
    # An address that is not theirs shows the results.
    analyst.go(f"/#/tasks/{task.id}/settings")
    page.get_by_role("region", name="Results").wait_for()
