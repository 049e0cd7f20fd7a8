"""What the page of a task says is known, its options and downloads, and the page of one key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pckv
from pckv.base.words import TOO_RARE
from pckv.web.results import SHOWN_MEMBERS
from support.mixed_tasks import a_mixed_task
from support.people import DESK, HOSTILE, PHONE, add_task, chart_with, choose, send_reports
from support.serving import ServeProcess

STATIC = Path(pckv.__path__[0]) / "web" / "static"
ABOUT = {"unit": "stars", "low_label": "awful", "high_label": "great"}
COMMON, RARE = "half/of all?", "rare"


@pytest.fixture(scope="module")
def task(server: ServeProcess) -> pckv.Task:
    """A task where one key stands out, with names that addresses have to escape."""
    created = add_task(
        server,
        name="Räksmörgås & Co",
        keys=[COMMON, HOSTILE, RARE],
        epsilon=2,
        mechanism="grr",
        more="refuse",
        padding=1,
        about=ABOUT,
    )
    # With dummies, and no more of a key than are possible if all people hold it.
    words = [1] * 104 + list(range(8)) * 27
    reports = [pckv.Report(number.to_bytes(16, "big"), word.to_bytes(8, "little")) for number, word in enumerate(words)]
    send_reports(server, created, reports)
    return created


def test_one_wording_for_keys_that_are_too_rare() -> None:
    assert f'TOO_RARE = "{TOO_RARE}"' in (STATIC / "shared" / "ranges.js").read_text(encoding="utf-8")


def test_numbers_come_before_charts_which_fill_their_cards(people: Any, task: pckv.Task) -> None:
    operator = people(DESK)
    operator.sign_in()
    page, held = operator.page, []
    page.route("**/vega.js", lambda route: held.append(route))  # noqa: PLW0108
    operator.go(f"/#/tasks/{task.id}")
    page.locator(".estimates tbody tr").nth(2).wait_for()
    page.locator(".verdict", has_text="1 of 3 keys stands out from the noise").wait_for()
    assert page.locator(".chart svg").count() == 0
    for route in held:
        route.continue_()
    page.unroute("**/vega.js")
    chart_with(page, "320 reports").wait_for()
    for width in (DESK["width"], 800, PHONE["width"]):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(FITS, arg=page.locator(".chart:has(svg)").count())
    operator.check()


# Whether all charts are drawn, and as wide as the place that they have.
FITS = """(count) => {
    const charts = [...document.querySelectorAll(".chart:has(svg)")];
    return charts.length >= count && charts.every((chart) => {
        const left = chart.clientWidth - chart.querySelector("svg").getAttribute("width");
        return Math.abs(left) < 8;
    });
}"""


def test_settings_are_in_the_address_and_downloads_say_how_they_were_made(people: Any, task: pckv.Task) -> None:
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.locator(".estimates tbody tr").nth(2).wait_for()
    assert page.locator("details.options").get_attribute("open") is None
    choose(page, "Method", "corrected")
    choose(page, "Level of the intervals", "0.99")
    page.get_by_label("Hostile reports").fill("2 %")
    page.get_by_label("Hostile reports").press("Enter")
    page.get_by_label("Search keys").fill("RAR")
    page.locator(".pager", has_text="1 – 1 of 1 key").wait_for()
    assert page.url.endswith(f"#/tasks/{task.id}?method=corrected&level=0.99&hostile=2%25&search=RAR")
    page.reload()
    page.locator(".pager", has_text="1 – 1 of 1 key").wait_for()
    chart = chart_with(page, "method corrected, 99 % intervals, intervals hold whatever 7 of the reports say")
    chart.wait_for()
    assert page.get_by_label("Method", exact=True).input_value() == "corrected"
    for form in ("CSV", "Parquet", "JSON", "SVG"):
        with page.expect_download() as waiting:
            page.get_by_role("group", name="Download").get_by_role("button", name=form, exact=True).click()
        named = re.fullmatch(
            rf"räksmörgås-co-\d{{4}}-\d\d-\d\d-corrected\.{form.lower()}", waiting.value.suggested_filename
        )
        assert named, waiting.value.suggested_filename
    picture = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert "<title>Räksmörgås &amp; Co: 3 keys</title><desc>320 reports, grr, ε = 2, method corrected" in picture
    # Nonsense in the address is ignored, and numbers that do not follow an impossible option are not shown.
    operator.go(f"/#/tasks/{task.id}?method=no&level=7&post=x&hostile=320")
    page.get_by_role("alert").get_by_text("320 of 320 leave none").wait_for()
    assert page.locator(".estimates").is_hidden()
    operator.forgive("400")


def test_a_key_has_a_page(people: Any, task: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}?level=0.9")
    page = operator.page
    page.get_by_role("link", name=COMMON).click()
    page.get_by_role("heading", name=COMMON).wait_for()
    chart_with(page, f"{task.name}: {COMMON}").wait_for()
    known = page.get_by_role("region", name="What is known").inner_text()
    assert re.search(r"[\d.]+ % of people hold it: between [\d.]+ % and [\d.]+ %\.", known)
    assert re.search(r"Among the 320 people who sent a report, that is about \d+: between", known)
    assert "stars on average" in known
    assert "from 1 (awful) to 5 (great)" in known
    assert "right in 90 % of cases" in known
    sharper = page.get_by_role("region", name="What would be sharper").inner_text()
    assert "Four times as many, 1,280, would halve that." in sharper
    levels = page.get_by_role("region", name="How sure that is").locator("tbody th")
    assert levels.all_inner_texts() == ["50 %", "80 %", "90 %", "95 %", "99 %"]
    operator.check_in_both_colours(DESK)
    page.get_by_role("navigation", name="Other keys").get_by_role("link").click()
    page.get_by_text("It is too rare to tell:").wait_for()
    assert "The mean of what they say is unknown" in page.locator("main").inner_text()
    operator.press(f"← {task.name}", "link")
    page.locator(".estimates tbody tr").nth(2).wait_for()
    assert page.url.endswith(f"#/tasks/{task.id}?level=0.9")


def test_a_task_without_reports_says_so_whatever_the_address_asks_for(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="nobody yet")
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}?hostile=20")
    page = operator.page
    page.get_by_text("No reports yet: share the link").wait_for()
    page.get_by_text("There are no reports yet.").wait_for()
    assert page.get_by_role("alert").count() == 0
    assert page.locator(".estimates").is_hidden()
    operator.go(f"/#/tasks/{task.id}/keys/Heat")
    page.get_by_text("nothing is known of this key").wait_for()


def test_the_public_page_of_a_mixed_task_says_what_holds_towards_whom(people: Any) -> None:
    mixed = a_mixed_task(about=ABOUT)
    tally = pckv.Tally(mixed)
    tally.add_many(np.array([1, 2, 3] * 40, np.int64))
    told = mixed.members(*SHOWN_MEMBERS) | {"phase": "closed", "closed": None, "last_report": None}
    answer = json.dumps(told | pckv.estimate(tally).to_dict())
    person = people(PHONE)
    person.page.route(f"**/tasks/{mixed.id}/results", lambda route: route.fulfill(status=200, body=answer))
    person.go(f"/results/{mixed.id}")
    person.page.get_by_text("One batch of a mixer; towards a recipient who sees only that batch: ε = 1").wait_for()
    person.page.get_by_text("if the mixer follows the protocol and at least 1,500 of the reports are honest").wait_for()
    person.check()
