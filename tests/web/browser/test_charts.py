"""The charts of the dashboard in a browser: which answer is drawn, when, and the picture that is downloaded."""

from __future__ import annotations

import re
from typing import Any

import pytest

import pckv
from support.people import (
    DESK,
    PHONE,
    PRECISION,
    Person,
    add_task,
    answer,
    choose,
    download,
    send_reports,
    table,
)
from support.serving import ServeProcess

# Names of members that every JavaScript object has.
MEMBERS = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"]
SCRIPT_FAILED = "The script that draws charts cannot be loaded."


def add_reports(server: ServeProcess, task: pckv.Task, count: int = 200) -> None:
    """Send reports of people who hold one key each."""
    reports = [pckv.perturb(task, {task.key_name(number % task.key_count): 1 + number % 5}) for number in range(count)]
    send_reports(server, task, reports)


def open_task(person: Person, task: pckv.Task) -> Any:
    """Sign in and open a task; return the page."""
    person.sign_in()
    person.go(f"/#/tasks/{task.id}")
    return person.page


def hold(page: Any, pattern: str) -> list[Any]:
    """Hold back all requests of a page that match a pattern; return the list of held requests."""
    held: list[Any] = []
    page.route(re.compile(pattern), lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    return held


def release(page: Any, held: list[Any]) -> None:
    """Answer what was held back, and give the page time to do something with the answers."""
    for route in held:
        route.continue_()
    page.wait_for_timeout(1000)


def test_a_late_chart_of_the_estimates_is_not_drawn(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="late chart")
    add_reports(server, task)
    person = people()
    page = open_task(person, task)
    page.locator(".bars").first.wait_for()
    person.unfold("Details: how this was estimated")
    late = hold(page, r"/estimates\?.*method=baseline")
    with page.expect_request(re.compile("/estimates.*method=baseline")):
        choose(page, "Method", "baseline")
    with page.expect_response(re.compile("/precision.*method=corrected")):
        choose(page, "Method", "corrected")
    page.wait_for_timeout(200)
    drawn = page.locator(".bars").first.inner_text()
    assert len(late) == 1
    release(page, late)
    assert page.locator(".bars").first.inner_text() == drawn


def test_a_late_answer_about_precision_is_not_shown(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="late precision")
    send_reports(server, task, [pckv.perturb(task, {"Heat": 3}) for _ in range(200)])
    page = open_task(people(), task)
    page.locator("summary", has_text=PRECISION).click()
    page.get_by_text("A range of ±3 points").wait_for()
    late = hold(page, "/precision.*wanted=0.02")
    with page.expect_request(re.compile("/precision.*wanted=0.02")):
        page.get_by_label("Wanted range").fill("2")
    page.get_by_label("Wanted range").fill("4")
    page.get_by_text("A range of ±4 points").wait_for()
    release(page, late)
    assert page.get_by_text("A range of ±4 points").count() == 1


@pytest.mark.parametrize("same", [False, True], ids=["another specification", "another theme"])
def test_only_the_newest_drawing_is_shown(people: Any, same: bool) -> None:
    """Drawings that take different times: the later one is ready first, and the earlier one is thrown away."""
    person = people()
    person.go("/")
    result = person.page.evaluate(
        """async (same) => {
            const { Chart } = await $import("static/shared/chart.js");
            document.getElementById("main").replaceChildren();
            const chart = new Chart("a chart"), finish = [], discarded = [], spec = { hconcat: [] };
            document.body.append(chart.element);
            while (!chart.isNear) await new Promise((done) => setTimeout(done, 1));
            // Loads the script, part of which is then replaced.
            await chart.draw(spec);
            window.vegaEmbed = (box) => new Promise((done) => {
                const name = `drawing ${finish.length + 1}`;
                const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
                svg.setAttribute("width", chart.element.clientWidth);
                box.append(svg, name);
                finish.push(() => done({ finalize: () => discarded.push(name) }));
            });
            const begun = async (count) => {
                while (finish.length < count) await new Promise((done) => setTimeout(done, 1));
            };
            const older = chart.draw(spec);
            await begun(1);
            const newer = chart.draw(same ? spec : { hconcat: [] });
            await begun(2);
            finish[1]();
            await newer;
            finish[0]();
            await older;
            return { shown: chart.element.textContent, discarded };
        }""",
        same,
    )
    assert result == {"shown": "drawing 2", "discarded": ["drawing 1"]}


def test_a_script_that_could_not_be_loaded_is_loaded_again(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="no script")
    add_reports(server, task)
    person = people()
    person.page.route("**/vega.js", lambda route: route.abort())
    page = open_task(person, task)
    # All that is said of the answers is there without it.
    page.locator(".bars").first.wait_for()
    person.unfold(PRECISION)
    further = page.locator("details", has_text=PRECISION)
    further.locator(".chart").scroll_into_view_if_needed()
    page.get_by_text(SCRIPT_FAILED).wait_for()
    page.unroute("**/vega.js")
    page.get_by_label("Wanted range").fill("2")
    further.locator(".chart svg").wait_for()
    page.get_by_text(SCRIPT_FAILED).wait_for(state="detached")
    # The browser itself logs that the script could not be loaded.
    person.forgive("ERR_FAILED")


def test_keys_may_have_the_names_of_javascripts_own_members(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="members", keys=MEMBERS, padding=2)
    participant = people(PHONE)
    answer(participant, task.id, {key: 1 + number for number, key in enumerate(MEMBERS)})
    add_reports(server, task)
    operator = people(color_scheme="dark")
    page = open_task(operator, task)
    page.get_by_text("From 201 responses.").wait_for()
    # Both panels have all keys.
    panels = [panel.locator(".bar-name").all_inner_texts() for panel in page.locator(".bars").all()]
    labels = panels[0]
    assert panels[1] == labels
    assert sorted(labels) == sorted(row[0] for row in table(page))
    assert sorted(labels) == sorted(MEMBERS)
    picture = download(page, "SVG").read_text(encoding="utf-8")
    assert all(f">{key}</text>" in picture for key in MEMBERS)


LONG_NAMES = [
    "the first of two names that differ only at their very end, after more words than four lines of a phone hold: A",
    "the first of two names that differ only at their very end, after more words than four lines of a phone hold: B",
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "short",
]


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_a_long_name_leaves_the_bars_their_width(people: Any, server: ServeProcess, viewport: dict[str, int]) -> None:
    task = add_task(server, name=f"long names {viewport['width']}", keys=LONG_NAMES, padding=2)
    add_reports(server, task)
    operator = people(viewport)
    page = open_task(operator, task)
    chart = page.locator(".bars").first
    chart.wait_for()
    whole = chart.bounding_box()["width"]
    least = 0.6 if viewport == PHONE else 0.35
    assert all(plot.bounding_box()["width"] > least * whole for plot in chart.locator(".bar-plot").all())
    assert sorted(chart.locator(".bar-name").all_text_contents()) == sorted(LONG_NAMES)
    # What is cut off is told at its bar, also by the keyboard.
    row = chart.locator("li").first
    row.focus()
    assert row.locator(".bar-name").text_content() in row.locator(".bar-tip").inner_text()
    # Every row of the table is as wide as its card.
    region = page.get_by_role("region", name="Table of results")
    assert region.evaluate("element => element.scrollWidth <= element.clientWidth")
    operator.check()


def test_the_downloaded_picture_has_its_own_colours(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="picture", keys=["Alien", "#3367a8"])
    add_reports(server, task)
    pictures = {}
    for scheme in ("light", "dark"):
        person = people(color_scheme=scheme)
        page = open_task(person, task)
        page.locator(".bars").first.wait_for()
        pictures[scheme] = download(page, "SVG").read_text(encoding="utf-8")
    assert pictures["dark"] == pictures["light"]
    # A key keeps its name even if it is a colour's.
    assert ">#3367a8</text>" in pictures["dark"]
    assert re.search(r'<rect width="\d+" height="\d+" fill="#ffffff"', pictures["dark"])
    text_colours = set(re.findall(r'<text [^>]*fill="([^"]+)"', pictures["dark"]))
    assert text_colours <= {"#1c2430", "#55606f", "#5f6875"}
