"""What the pages of a task with levels say that people say: bars, tables, quantiles, shares above a value."""

from __future__ import annotations

import re
from typing import Any

import pytest

import pckv
from support.people import (
    DESK,
    HOSTILE,
    PHONE,
    PRECISION,
    add_task,
    ask,
    chart_with,
    fill_in,
    send_reports,
)
from support.serving import ServeProcess

RARE = "rare"


@pytest.fixture(scope="module")
def task(server: ServeProcess) -> pckv.Task:
    """A task of three levels, where one key stands out; most of its holders give it the highest."""
    created = add_task(
        server,
        name="levels of results",
        keys=[HOSTILE, RARE],
        levels=[1, 2, 5],
        between="refuse",
        epsilon=4,
        mechanism="grr",
        more="refuse",
        padding=1,
        about={"unit": "stars"},
    )
    words = [2] * 300 + [1] * 80 + list(range(9)) * 5
    reports = [pckv.Report(number.to_bytes(16, "big"), word.to_bytes(8, "little")) for number, word in enumerate(words)]
    send_reports(server, created, reports)
    return created


def test_a_task_shows_the_shares_of_its_levels(people: Any, server: ServeProcess, task: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    operator.unfold("How the ratings are spread (stars)")
    table = page.get_by_role("region", name="Table of shares")
    table.get_by_role("link", name=HOSTILE).wait_for()
    assert table.locator("thead th").all_inner_texts() == ["Answer option", "1", "2", "5"]
    [row] = ask(server, "GET", f"/tasks/{task.id}/estimates?top=1").json()["estimates"]
    cells = table.locator("tbody tr").locator("td").all_inner_texts()
    shown = [float(re.match(r"[\d.]+", cell).group()) for cell in cells]  # type: ignore[union-attr]
    assert shown == pytest.approx([100 * share["share"] for share in row["shares"]], abs=0.6)
    page.get_by_text("Left out, since not distinguishable from noise: 1 answer option.").wait_for()
    assert "3: 1, 2, 5; nothing in between is taken" in page.locator(".facts").text_content()
    page.locator(".shares .chart svg").wait_for()
    operator.check_in_both_colours(DESK)


def test_a_key_shows_how_its_values_are_spread(people: Any, task: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}?level=0.9")
    page = operator.page
    page.locator(".estimates").get_by_role("link", name=HOSTILE).click()
    said = page.get_by_role("region", name="What they say")
    said.locator(".chart").scroll_into_view_if_needed()
    chart_with(said, "90 % ranges").wait_for()
    assert "The standard deviation of the values is" in said.inner_text()
    shares, quantiles = said.locator("table").all()
    assert shares.locator("tbody th").all_inner_texts() == ["1", "2", "5"]
    assert quantiles.locator("tr", has_text="the median").locator("td").inner_text().startswith("5 (")
    assert quantiles.locator("tr", has_text="Nine tenths of them").locator("td").inner_text() == "5 (only 5)"
    threshold = said.get_by_role("combobox")
    assert threshold.input_value() == "1"
    assert "say more than 2 stars, and " in said.inner_text()
    threshold.select_option(label="5")
    said.get_by_text(re.compile(r"^[12]\d(\.\d)? % \([\d.]+ to [\d.]+ %\) say less than 5 stars\.$")).wait_for()
    operator.check_in_both_colours(DESK)
    page.get_by_role("navigation", name="Other answers").get_by_role("link").click()
    page.get_by_text("How their values are spread is unknown.").wait_for()


def test_public_results_show_bars_of_shares(people: Any, server: ServeProcess, task: pckv.Task) -> None:
    ask(server, "PATCH", f"/tasks/{task.id}", b'{"public_results": true}', "application/json")
    stranger = people(PHONE)
    stranger.go(f"/results/{task.id}")
    stranger.page.locator(".shares").scroll_into_view_if_needed()
    chart = stranger.page.locator(".shares .chart:has(svg)")
    chart.wait_for()
    assert chart.locator("[aria-roledescription=bar]").count() == 3
    assert chart.locator(".role-legend-label").all_text_contents() == ["1", "2", "5"]
    stranger.page.get_by_role("heading", name="How the ratings are spread (stars)").wait_for()
    stranger.unfold("The same as a table, with ranges")
    cells = stranger.page.get_by_role("region", name="Table of shares").locator("td").all_inner_texts()
    assert [bool(re.fullmatch(r"[\d.]+ % \([\d.]+ to [\d.]+ %\)", cell)) for cell in cells] == [True] * 3
    stranger.check_in_both_colours(DESK)


def test_public_results_are_read_in_the_language_of_the_reader(people: Any, server: ServeProcess) -> None:
    """Texts and names that the operator wrote in it, and the names of the scale; people who answered find the page."""
    texts = {
        "name": "Symptome",
        "question": "Welche?",
        "low_label": "leicht",
        "middle_label": "mittel",
        "high_label": "stark",
        "keys": ["Husten", "Fieber"],
    }
    names = {"low_label": "mild", "middle_label": "moderate", "high_label": "severe"}
    created = add_task(
        server,
        name="symptoms of readers",
        keys=["Cough", "Fever"],
        values=(1, 3),
        levels=3,
        epsilon=6,
        more="refuse",
        padding=1,
        about={"question": "Which?", **names, "translations": {"de": texts}},
    )
    send_reports(server, created, [pckv.perturb(created, {"Cough": 1 + number % 3}) for number in range(200)])
    person = people(PHONE, locale="de-DE")
    fill_in(person, created.id, {"Husten": 1})
    link = person.page.get_by_role("link", name="Zu den Ergebnissen")
    ask(server, "PATCH", f"/tasks/{created.id}", b'{"public_results": true}', "application/json")
    ask(server, "POST", f"/tasks/{created.id}/close")
    assert link.count() == 0
    person.page.reload()
    person.state("closed")
    person.forgive("403")
    link.click()
    page = person.page
    page.get_by_role("heading", name="Welche?").wait_for()
    page.locator(".finding", has_text="Husten wurde am häufigsten gewählt").wait_for()
    page.locator("main", has_text="auf einer Skala von 1 (leicht) bis 3 (stark)").wait_for()
    assert page.locator(".public tbody th").all_inner_texts() == ["Husten", "Fieber"]
    assert page.locator(".shares thead th").all_text_contents() == [
        "Antwortmöglichkeit",
        "1 (leicht)",
        "2 (mittel)",
        "3 (stark)",
    ]
    page.locator(".shares").scroll_into_view_if_needed()
    page.locator(".shares .role-legend-label", has_text="3 (stark)").wait_for()
    person.check_in_both_colours(DESK)
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{created.id}")
    operator.page.locator(".bar-names", has_text="severe").wait_for()
    assert operator.page.locator(".bar-names").inner_text().split() == list(names.values())
    # Nothing more will come.
    assert not operator.page.get_by_text(PRECISION).is_visible()
