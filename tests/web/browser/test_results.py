"""What the page of a task says is known, its options and downloads, and the page of one key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

import pckv
from pckv.web.results import SHOWN_MEMBERS
from support.browser import wait_for
from support.mixed_tasks import a_mixed_task
from support.people import (
    DESK,
    HOSTILE,
    PHONE,
    PRECISION,
    add_task,
    chart_with,
    choose,
    download,
    send_reports,
)
from support.serving import ServeProcess
from support.workbooks import read

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


def test_the_first_chart_needs_no_script_and_others_fill_their_cards(people: Any, task: pckv.Task) -> None:
    operator = people(DESK)
    operator.sign_in()
    page, held = operator.page, []
    page.route("**/vega.js", lambda route: held.append(route))  # noqa: PLW0108
    operator.go(f"/#/tasks/{task.id}")
    page.locator(".estimates tbody tr").nth(2).wait_for()
    page.locator(".finding", has_text=f"{COMMON} was chosen most often: ").wait_for()
    page.locator(".verdict", has_text="1 of 3 answer options is clearly above zero").wait_for()
    names = page.locator(".bars").first.locator(".bar-name")
    assert sorted(names.all_inner_texts()) == sorted([COMMON, HOSTILE, RARE])
    assert page.locator(".chart svg[width]").count() == 0
    operator.unfold(PRECISION)
    page.locator("details", has_text=PRECISION).scroll_into_view_if_needed()
    wait_for(page, lambda: bool(held))
    for route in held:
        route.continue_()
    page.unroute("**/vega.js")
    page.locator(".chart svg[width]").wait_for()
    for width in (DESK["width"], 800, PHONE["width"]):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(FITS, arg=page.locator(".chart:has(svg[width])").count())
    operator.check()


# Whether all charts are drawn, and as wide as the place that they have.
FITS = """(count) => {
    const charts = [...document.querySelectorAll(".chart:has(svg[width])")];
    return charts.length >= count && charts.every((chart) => {
        const left = chart.clientWidth - chart.querySelector("svg").getAttribute("width");
        return Math.abs(left) < 8;
    });
}"""


# The first sheet of a workbook.
WORKBOOK = ["Answer", "Share of people", "from", "to", "Average (stars)", "from", "to", "Clear?"]


def test_settings_are_in_the_address_and_downloads_say_how_they_were_made(people: Any, task: pckv.Task) -> None:
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.locator(".estimates tbody tr").nth(2).wait_for()
    assert page.locator("details.options").get_attribute("open") is None
    # Three rows need neither a search nor pages.
    assert not page.get_by_label("Search").is_visible()
    assert not page.locator(".pager").is_visible()
    operator.unfold("Details: how this was estimated")
    choose(page, "Method", "corrected")
    choose(page, "Confidence", "0.99")
    page.get_by_label("Forged responses").fill("2 %")
    page.get_by_label("Forged responses").press("Enter")
    assert page.url.endswith(f"#/tasks/{task.id}?method=corrected&level=0.99&hostile=2%25")
    page.reload()
    page.locator(".verdict", has_text="whatever 7 of the responses say").wait_for()
    assert page.get_by_label("Method", exact=True).input_value() == "corrected"
    # Of choices in short succession the last one counts; while the collector is busy, it is asked again. A file is taken
    # although the collector no longer keeps the reports that the page shows.
    levels: list[str] = []

    def is_busy(route: Any) -> None:
        levels.append(route.request.url)
        if len(levels) > 1:
            route.fallback()
        else:
            route.fulfill(status=429, json={"title": "Too many at once."})

    page.route("**/estimates?*sort=-frequency*", is_busy)
    page.get_by_label("Confidence", exact=True).evaluate(
        "(select) => { for (select.value of ['0.9', '0.8', '0.99']) select.dispatchEvent(new Event('change')); }"
    )
    page.locator(".verdict", has_text="whatever 7 of the responses say").wait_for()
    while len(levels) < 2:
        page.wait_for_timeout(20)
    assert all("level=0.99" in url for url in levels)
    assert page.get_by_role("alert").count() == 0
    page.unroute("**/estimates?*sort=-frequency*")
    gone = {"status": 409, "json": {"title": "These results are no longer kept."}}
    page.route("**/estimates?*", lambda route: route.fulfill(**gone), times=1)
    operator.unfold("Other forms")
    for form in ("CSV", "Parquet", "JSON", "SVG"):
        with page.expect_download() as waiting:
            page.get_by_role("group", name="Download").get_by_role("button", name=form, exact=True).click()
        named = re.fullmatch(
            rf"räksmörgås-co-\d{{4}}-\d\d-\d\d-corrected\.{form.lower()}", waiting.value.suggested_filename
        )
        assert named, waiting.value.suggested_filename
    picture = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert "<title>Räksmörgås &amp; Co: 3 keys</title><desc>320 reports, grr, ε = 2, method corrected" in picture
    with page.expect_request(lambda request: "language=en" in request.url):
        header, *rows = read(download(page, "Excel (XLSX)").read_bytes())
    assert (header, [row[0] for row in rows]) == (WORKBOOK, [COMMON, HOSTILE, RARE])
    operator.forgive("429", "409")
    # Nonsense in the address is ignored, and numbers that do not follow an impossible option are not shown.
    operator.go(f"/#/tasks/{task.id}?method=no&level=7&post=x&hostile=320")
    page.reload()
    page.get_by_role("alert").get_by_text("320 of 320 leave none").wait_for()
    assert page.locator(".estimates").is_hidden()
    operator.forgive("400")


def test_a_key_has_a_page(people: Any, task: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}?level=0.9")
    page = operator.page
    held: list[Any] = []
    page.route("**/key/levels?*", lambda route: held.append(route))  # noqa: PLW0108
    page.get_by_role("link", name=COMMON).click()
    page.get_by_role("heading", name=COMMON).wait_for()
    # Until the ranges come, their place is kept and says so.
    computing = page.get_by_text("Computing the ranges")
    computing.wait_for()
    wait_for(page, lambda: bool(held))
    held[0].continue_()
    page.unroute("**/key/levels?*")
    computing.wait_for(state="hidden")
    chart_with(page, f"{task.name}: {COMMON}").wait_for()
    known = page.get_by_role("region", name="What is known").inner_text()
    assert re.search(r"[\d.]+ % of people chose it: between [\d.]+ and [\d.]+ %\.", known)
    assert re.search(r"Of the 320 people who responded, these are about \d+: between", known)
    assert "stars on average" in known
    assert "from 1 (awful) to 5 (great)" in known
    assert "Confidence of the ranges: 90 %." in known
    sharper = page.get_by_role("region", name="What would make it sharper").inner_text()
    assert "Four times as many, 1,280, would halve that." in sharper
    levels = page.get_by_role("region", name="How sure that is").locator("tbody th")
    assert levels.all_inner_texts() == ["50 %", "80 %", "90 %", "95 %", "99 %"]
    operator.check_in_both_colours(DESK)
    page.get_by_role("navigation", name="Other answers").get_by_role("link").click()
    page.get_by_text("It is not distinguishable from noise:").wait_for()
    asked: list[Any] = []

    def is_gone(route: Any) -> None:
        asked.append(route)
        route.fulfill(status=409, json={"title": "These results are no longer kept."})

    page.route("**/key/levels?*", is_gone)
    page.reload()
    page.get_by_role("alert").get_by_text("New responses come faster than").wait_for()
    assert len(asked) == 4
    page.unroute("**/key/levels?*")
    operator.forgive("409")
    assert "The average of what they say is unknown" in page.locator("main").inner_text()
    operator.press(f"← {task.name}", "link")
    page.locator(".estimates tbody tr").nth(2).wait_for()
    assert page.url.endswith(f"#/tasks/{task.id}?level=0.9")


def test_a_task_without_reports_says_so_whatever_the_address_asks_for(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="nobody yet")
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}?hostile=20")
    page = operator.page
    page.get_by_text("No responses yet: share the link").wait_for()
    assert not page.get_by_text(PRECISION).is_visible()
    assert page.get_by_role("alert").count() == 0
    assert page.locator(".estimates").is_hidden()
    operator.go(f"/#/tasks/{task.id}/keys/Heat")
    page.get_by_text("Nothing is known of this answer").wait_for()


def test_the_public_page_of_a_mixed_task_says_what_holds_towards_whom(people: Any) -> None:
    mixed = a_mixed_task(about=ABOUT)
    tally = pckv.Tally(mixed)
    tally.add_many(np.array([1, 2, 3] * 40, np.int64))
    told = mixed.members(*SHOWN_MEMBERS) | {"phase": "closed", "closed": None, "last_report": None, "names": {}}
    answer = json.dumps(told | pckv.estimate(tally).to_dict())
    person = people(PHONE)
    person.page.route(f"**/tasks/{mixed.id}/results", lambda route: route.fulfill(status=200, body=answer))
    person.go(f"/results/{mixed.id}")
    person.page.get_by_text("A second organisation mixed the responses before they were read.").wait_for()
    # The last day on which people could answer, which they read, not the one after it.
    assert re.search(r"The survey closed on .*\b31\b.*2030", person.page.locator("main").inner_text())
    promise = person.page.get_by_text("One batch of a mixer; towards a recipient who sees only that batch: ε = 1")
    assert not promise.is_visible()
    person.page.get_by_text("Details", exact=True).click()
    promise.wait_for()
    person.page.get_by_text("if the mixer follows the protocol and at least 1,500 of the reports are honest").wait_for()
    person.check()


def test_reports_that_come_while_a_page_loads_are_announced_not_counted(people: Any, server: ServeProcess) -> None:
    """All numbers that are shown are of one snapshot; a later one is shown as a whole."""
    created = add_task(server, name="live", epsilon=4, more="refuse", padding=1)

    def send(first: int, count: int) -> None:
        send_reports(server, created, [pckv.perturb(created, {"Heat": 1 + n % 5}) for n in range(first, first + count)])

    send(0, 60)
    operator = people(DESK)
    operator.sign_in()
    page, held = operator.page, []

    # The first numbers are there, and what belongs to them is asked for: meanwhile others respond. The next update
    # waits.
    def respond(route: Any) -> None:
        page.route("**/estimates?*", lambda later: held.append(later))  # noqa: PLW0108
        send(60, 25)
        route.continue_()

    page.route("**/precision?*", respond, times=1)
    operator.go(f"/#/tasks/{created.id}")
    page.get_by_text("From 60 responses. 25 more responses since; they are counted at the next update.").wait_for()
    assert page.locator("#reports").inner_text() == "60"
    operator.unfold(PRECISION)
    page.get_by_text("A range of ±3 points takes").wait_for()
    assert page.get_by_text("more responses since").count() == 1
    # At the next update all of it is of the new ones, although the collector no longer knows the earlier snapshot.
    wait_for(page, lambda: bool(held))
    for route in held:
        route.continue_()
    page.unroute("**/estimates?*")
    page.get_by_text("From 85 responses.").wait_for()
    assert page.locator("#reports").inner_text() == "85"
    assert page.get_by_text("more responses since").count() == 0
    operator.check()


def test_an_answer_that_was_ready_before_is_followed_by_another(people: Any, server: ServeProcess) -> None:
    """A computation that came too late for one request is the answer to the next, although reports came since."""
    created = add_task(server, name="live late", epsilon=4, more="refuse", padding=1)
    send_reports(server, created, [pckv.perturb(created, {"Heat": 1 + n % 5}) for n in range(60)])
    operator = people(DESK)
    operator.sign_in()
    page, kept, asked = operator.page, [], []

    def keep(route: Any) -> None:
        kept.append(route.fetch())
        route.fulfill(response=kept[0])

    # The first answer is the one before; the next one waits until that was seen.
    def answer(route: Any) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.fulfill(response=kept[0])

    page.route("**/estimates?*", keep, times=1)
    operator.go(f"/#/tasks/{created.id}")
    page.get_by_text("From 60 responses.").wait_for()
    operator.go("/#/")
    page.get_by_role("link", name="live late").wait_for()
    send_reports(server, created, [pckv.perturb(created, {"Heat": 2}) for _ in range(25)])
    page.route("**/estimates?*", answer)
    operator.go(f"/#/tasks/{created.id}")
    page.get_by_text("From 60 responses. 25 more responses since; they are counted at the next update.").wait_for()
    wait_for(page, lambda: len(asked) > 1)
    asked[1].continue_()
    page.get_by_text("From 85 responses.").wait_for()
    operator.check()


def test_days_are_of_the_responses_that_the_page_counts(people: Any, server: ServeProcess) -> None:
    created = add_task(server, name="live days", epsilon=4, more="refuse", padding=1)

    def send(first: int, count: int) -> None:
        send_reports(server, created, [pckv.perturb(created, {"Heat": 1 + n % 5}) for n in range(first, first + count)])

    send(0, 60)
    operator = people(DESK)
    operator.sign_in()
    page, held = operator.page, []

    # The survey is known, and its first numbers are asked for: before they are computed, others respond.
    def respond(route: Any) -> None:
        page.route("**/overview", lambda later: held.append(later))  # noqa: PLW0108
        send(60, 25)
        route.continue_()

    page.route("**/estimates?*", respond, times=1)
    operator.go(f"/#/tasks/{created.id}")
    page.get_by_text("From 85 responses.").wait_for()
    assert page.locator("#reports").inner_text() == "85"
    days = page.get_by_role("region", name="Responses per day", include_hidden=True)
    assert days.is_hidden()
    wait_for(page, lambda: bool(held))
    for route in held:
        route.continue_()
    page.unroute("**/overview")
    days.get_by_text(": 85").wait_for()


# Days have two points, and thousands three digits after one.
ENGLISH_DECIMAL = r"(?<![\d.])\d+\.\d{1,2}(?![\d.])"
# Counts the prints that a page asks for, each of which builds what is printed.
COUNT_PRINTS = """() => {
    window.prints = 0;
    window.print = () => { window.prints += 1; dispatchEvent(new Event("beforeprint")); };
}"""


def test_the_report_fits_one_page(people: Any, task: pckv.Task) -> None:
    operator = people(DESK, locale="de-DE")
    operator.sign_in()
    page = operator.page
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    page.route("**/organisation", lambda route: route.fulfill(json={"name": "Mieter im Norden", "logo": True}))
    page.route("**/organisation/logo*", lambda route: route.fulfill(body=picture, content_type="image/svg+xml"))
    operator.go(f"/#/tasks/{task.id}")
    page.locator(".finding").wait_for()
    page.evaluate(COUNT_PRINTS)
    operator.press("Drucken oder als PDF sichern")
    report = page.locator(".printed-report")
    report.wait_for(state="attached")
    assert report.locator("img.asker").count() == 1
    page.wait_for_timeout(500)
    assert page.evaluate("window.prints") == 1
    told = report.text_content()
    for text in (
        "Mieter im Norden",
        task.name,
        "wurde am häufigsten gewählt",
        "Aus 320 Antworten.",
        "Sicherheit von 95 %",
        "ε = 2",
        "Stand: ",
        "Punkt: die Zahl. Linie: der Bereich",
    ):
        assert text in told
    assert page.pdf().count(b"/Type /Page\n") == 1
    page.unroute_all(behavior="ignoreErrors")
    # No number on the pages is written as in English.
    for path, text in (
        ("", "Bereich ±3"),
        (f"/keys/{quote(COMMON, safe='')}", "99 %"),
        ("/details", "ε einer Antwort"),
    ):
        operator.go(f"/#/tasks/{task.id}{path}")
        page.locator("main", has_text=text).wait_for()
        assert re.findall(ENGLISH_DECIMAL, page.locator("main").inner_text()) == []
        for title in page.locator("td[title]").evaluate_all("(cells) => cells.map(({ title }) => title)"):
            assert not re.search(r"\d\.\d", title)
    # A collector without an organisation has no such page.
    operator.forgive("404")


def test_what_is_printed_is_what_is_seen(people: Any, server: ServeProcess) -> None:
    """The report is that of now, and does not take the place of what another tab prints."""
    created = add_task(server, name="seen and printed", epsilon=4, more="refuse", padding=1, closes="2099-01-01")
    send_reports(server, created, [pckv.perturb(created, {"Heat": 1 + n % 5}) for n in range(60)])
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{created.id}")
    page, report = operator.page, operator.page.locator(".printed-report")
    page.locator(".finding").wait_for()
    page.evaluate(COUNT_PRINTS)
    operator.press("Print or save as PDF")
    page.get_by_text("until the end of December 31, 2098").last.wait_for(state="attached")
    assert "As of " in report.text_content()
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    operator.press("Share", "link")
    page.locator(".finding").wait_for(state="hidden")
    page.evaluate("() => print()")
    assert report.count() == 0
    operator.press("Settings", "link")
    operator.press("Close the survey …")
    page.get_by_role("dialog").get_by_role("button", name="Close the survey").click()
    page.get_by_text("Closed on ").first.wait_for()
    operator.press("Results", "link")
    page.locator(".finding").wait_for()
    page.evaluate("() => print()")
    report.wait_for(state="attached")
    assert "Asked on " in report.text_content()
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    operator.forgive("404")


def test_a_collector_that_stays_busy_is_told(people: Any) -> None:
    person = people()
    person.go("/")
    told = person.page.evaluate(
        """async () => {
            const { patiently } = await $import("static/shared/connection.js");
            let tries = 0;
            window.setTimeout = (work) => { work(); };
            const busy = async () => { tries += 1; throw Object.assign(new Error("busy"), { status: 503 }); };
            return patiently(busy).catch(({ message }) => [message, tries]);
        }"""
    )
    assert told == ["busy", 20]


def test_findings_claim_what_ranges_show(people: Any) -> None:
    """Keys with overlapping ranges are never called the most frequent; what is not known is not told."""
    person = people()
    person.go("/")
    found = person.page.evaluate(
        """async () => {
            const { findingOf } = await $import("static/results/finding.js");
            const row = (key, low, high, detected = true) => ({ key, detected, frequency: (low + high) / 2,
                frequency_low: low, frequency_high: high, mean_known: false });
            const task = { phase: "open", low: 1, high: 3, about: { low_label: "mild", high_label: "severe" } },
                answer = { reports: 9 },
                lines = (rows, more = {}) => findingOf({ rows, answer, task, ...more }).map((line) => line.textContent),
                told = (rows, more) => lines(rows, more)[0];
            const [a, b, c, d, e] = [row("A", 0.3, 0.5), row("B", 0.2, 0.29), row("C", 0.45, 0.6), row("D", 0, 0.31, false),
                row("E", 0.34, 0.5)];
            return [
                told([]),
                told([d], { task: { ...task, target: 9 } }),
                told([d], { task: { ...task, phase: "closed" }, isPart: true }),
                told([row("D", 0, 1, false)], { task: { ...task, phase: "closed" } }),
                told([a]),
                told([a, b]),
                told([a, b], { isPart: true }),
                told([a, b, d]),
                told([a, b, c]),
                told([a, b, c, d]),
                told([c, e, { ...e, key: "F" }, b]),
                told([a, c, e, { ...e, key: "F" }]),
                told([a, b, d, row("H", 0, 0.4, false)]),
                told([a, b, c], { isPart: true }),
                told([row("G", 0.1, 0.9), a]),
                told([a, { ...a, key: "B", frequency: 0.401 }, row("G", 0.25, 0.45), row("H", 0.2, 0.29)]),
                told([a], { answer: { reports: 0 } }),
                told([a], { answer: { reports: 0 }, task: { ...task, phase: "closed" } }),
                told([a], { answer: { reports: 9, warning: ["x"] } }),
                lines([{ ...a, mean_known: true, mean: 2, mean_low: 1.5, mean_high: 2.5 }])[1],
            ];
        }"""
    )
    first = "A is highest, with 40 % (30 to 50 %) of people; that is not certain"
    two = "C, 53 % (45 to 60 %) of people; A, 40 % (30 to 50 %)"
    three = "C, 53 % (45 to 60 %) of people; E, 42 % (34 to 50 %); F, 42 % (34 to 50 %)"
    assert found == [
        "Too early to say much: 9 responses so far.",
        "For no answer option is it clear whether anyone chose it.",
        "For none of the answer options shown is it clear whether anyone chose it.",
        "From 9 responses, nothing can be said about any answer option.",
        "A: chosen by 40 % of people, between 30 and 50 %.",
        "A was chosen most often: 40 % of people, between 30 and 50 %.",
        "Of those shown: A was chosen most often: 40 % of people, between 30 and 50 %.",
        f"{first}, since the range of another answer overlaps with it.",
        f"These were chosen most often: {two}.",
        "C is highest, with 53 % (45 to 60 %) of people; that is not certain, since the range of A overlaps with it.",
        f"These were chosen most often: {three}.",
        "C is highest, with 53 % (45 to 60 %) of people; that is not certain, since several ranges overlap with it.",
        f"{first}, since several ranges overlap with it.",
        f"Of those shown, these were chosen most often: {two}.",
        "Too early to say much: 9 responses so far.",
        "B and A are highest, each with about 40 % of people; which answer is chosen most often is not certain.",
        "There are no responses yet.",
        "There were no responses.",
        "These numbers cannot be used.",
        "Those who chose A rated it 2.0 on average, between 1.5 and 2.5 on a scale from 1 (mild) to 3 (severe).",
    ]
