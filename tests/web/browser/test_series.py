"""Series on the dashboard: the list, the page of a series, and the form that makes one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest

import pckv
from pckv.base.days import days_after, utc_today
from support.collectors import ANALYST, Running, as_items, running
from support.people import DESK, HOSTILE, KEYS, PHONE, Person, ask, fill_task, has_address, open_step, publish_form
from support.serving import ServeProcess
from support.task_forms import saved

PEOPLE, ROUNDS = 200, 3


class Monitored(NamedTuple):
    """A collector that repeats a survey, on a day of its last round with reports."""

    site: Running
    series: pckv.Series
    day: list[str]

    def collect(self, number: int, key: str) -> None:
        """Let every participant of a round say that they hold a key, with a value if keys have any."""
        self.day[0] = self.series.opens(number)
        task = self.series.task_of(number)
        self.site.store.add_round(task, self.day[0])
        reports = [pckv.perturb(task, {key: 4} if task.has_values else [key]) for _ in range(PEOPLE)]
        assert self.site.send(task, as_items(*reports)).json() == {"refused": []}


@pytest.fixture(scope="module")
def monitored() -> Iterator[Monitored]:
    about = {"question": "Which one have you seen this week?", "unit": "stars"}
    members: dict[str, Any] = {"name": "Films, weekly", "keys": KEYS, "values": (1, 5), "about": about}
    members["other"] = "Another"
    task = pckv.Task(epsilon=4, padding=1, mechanism="grr", more="refuse", **members)
    series = pckv.Series(task=task, first="2030-01-07", period=7, panels=2)
    day = [series.first]
    with running(clock=lambda: day[0]) as site:
        site.administer("POST", "/series", series.to_json().encode()).raise_for_status()
        found = Monitored(site, series, day)
        for number in range(1, ROUNDS + 1):
            found.collect(number, HOSTILE if number == ROUNDS else "Heat")
        yield found


@pytest.fixture
def visitor(browser: Any, monitored: Monitored) -> Iterator[Callable[..., Person]]:
    """A function that opens the browser of an operator who is signed in; none may have had problems in the end."""
    persons: list[Person] = []

    def open_browser(viewport: dict[str, int] = DESK, **token: str) -> Person:
        person = Person(browser.new_context(locale="en-US"), f"http://127.0.0.1:{monitored.site.port}")
        person.begin(viewport, "light")
        person.sign_in(**token)
        persons.append(person)
        return person

    yield open_browser
    for person in persons:
        person.context.close()
    assert [problem for person in persons for problem in person.problems] == []


def in_words(day: str | None) -> str:
    assert day is not None
    return f"{date.fromisoformat(day):%B %-d, %Y}"


def first_column(page: Any) -> list[str]:
    listed: list[str] = page.locator(".trend-table tbody th").evaluate_all(
        "headers => headers.map(({ firstChild }) => firstChild.textContent)"
    )
    return listed


def drawn_keys(page: Any) -> list[str]:
    listed: list[str] = page.locator(".trend strong").all_inner_texts()
    return listed


def common_axis(page: Any) -> str:
    """Return what is told of the axis of shares, which all small charts have, so that they can be compared."""
    said = set()
    for chart in page.locator(".trend").all():
        # Charts are drawn when they come near.
        chart.scroll_into_view_if_needed()
        said.add(chart.locator("svg [aria-label^='Y-axis']").get_attribute("aria-label"))
    [axis] = said
    return str(axis)


def limits(estimate: dict[str, float], name: str) -> tuple[float, ...]:
    return tuple(estimate[f"{name}{end}"] for end in ("", "_low", "_high"))


def test_a_series_is_listed_and_its_page_shows_what_changed(
    monitored: Monitored, visitor: Callable[..., Person]
) -> None:
    operator = visitor(PHONE)
    page, series = operator.page, monitored.series
    operator.go("/#/")
    row = page.locator("tr", has_text=series.name)
    row.wait_for()
    cells = [row.locator(f"[data-label='{name}']").inner_text() for name in ("Round", "Next round")]
    assert cells == [str(ROUNDS), in_words(series.opens(ROUNDS + 1))]
    # Rounds are listed with their series alone.
    page.get_by_role("region", name="Surveys", exact=True).wait_for(state="hidden")
    operator.check(DESK)
    page.get_by_role("link", name=series.name).click()
    page.get_by_text(
        f"Round 3 takes responses until the end of {in_words(days_after(series.closes(3), -1))} (world time, UTC). "
        f"Round 4 opens on {in_words(series.opens(4))}."
    ).wait_for()
    page.get_by_text("Which one have you seen this week?").wait_for()
    assert page.locator("#reports").inner_text() == str(PEOPLE)
    page.get_by_text(f"{2 * PEOPLE} participants in the last 2 rounds").wait_for()
    bars = page.locator(".days rect")
    bars.nth(ROUNDS - 1).wait_for()
    assert bars.count() == ROUNDS
    table = page.get_by_role("region", name="Table of rounds")
    page.set_viewport_size(PHONE)
    # Numbers that are cut would be read as others.
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
    rounds = table.locator("tbody tr")
    assert [text.split("\t")[0] for text in rounds.all_inner_texts()] == ["3", "2", "1"]
    trend = monitored.site.get(f"/series/{series.id}/trend").json()
    page.get_by_text(trend["verdict"][0].replace("keys", "answer options")).wait_for()
    assert {"Heat", HOSTILE} == set(first_column(page)[:2])
    assert drawn_keys(page) == first_column(page)
    assert page.get_by_text(f"From {ROUNDS * PEOPLE} responses.").is_visible()
    assert "from 0 to " in common_axis(page)
    marked = page.locator(".trend-table tbody th", has=page.locator("small"))
    assert marked.all_inner_texts() == ["Another (all other answers)"]
    # Noise may flag others, too.
    flagged = [change["key"] for change in trend["changes"]["keys"] if change["changed"]]
    assert {"Heat", HOSTILE} <= set(flagged)
    assert page.locator(".trend .badge.changed").count() == len(flagged)
    place = KEYS.index("Heat")
    heat = page.locator(".trend-table tbody tr", has_text="Heat")
    [change] = [row for row in trend["changes"]["rows"] if row["key"] == "Heat"]
    assert f"between {change['before_last']} and {change['after_first']}" in heat.inner_text()
    last = {name: column[-1] for name, column in trend["keys"][place].items() if name != "key"}
    pooled = trend["pooled"]["estimates"][place]
    shown = [tuple(map(float, re.split(": | to ", cell.get_attribute("title")))) for cell in heat.locator("td").all()]
    assert shown == [
        limits(last, "smoothed"),
        limits(change, "change"),
        limits(pooled, "frequency"),
        limits(pooled, "mean"),
    ]
    # What a round says by itself stands where it differs from the others.
    alone = page.locator(".trend-table tbody td", has_text="by itself")
    assert alone.count() == sum(key["differs"][-1] for key in trend["keys"])
    operator.check_in_both_colours(DESK)


def test_a_trend_that_lacks_the_last_responses_is_asked_for_again(
    monitored: Monitored, visitor: Callable[..., Person]
) -> None:
    """What takes long is computed for the next request: meanwhile the collector answers with the trend before."""
    operator = visitor(DESK)
    page = operator.page

    def answer_earlier(route: Any) -> None:
        trend = route.fetch().json()
        trend["rounds"][-1]["reports"] -= 50
        route.fulfill(json=trend)

    page.route("**/trend?*", answer_earlier, times=1)
    operator.go(f"/#/series/{monitored.series.id}")
    page.get_by_text(f"From {ROUNDS * PEOPLE - 50} responses.").wait_for()
    page.get_by_text(f"From {ROUNDS * PEOPLE} responses.").wait_for()
    operator.check()


def test_keys_are_searched_sorted_and_compared_with_an_earlier_round(
    monitored: Monitored, visitor: Callable[..., Person]
) -> None:
    operator, path = visitor(), f"/series/{monitored.series.id}"
    page = operator.page
    operator.go(f"/#{path}")
    page.locator(".trend svg").first.wait_for()
    # In the last two rounds as many people held one as held the other; the pooled estimates are in their order.
    page.get_by_role("button", name="Rounds 2 to 3 together").click()
    pooled = monitored.site.get(f"{path}/trend").json()["pooled"]["estimates"]
    by_share = [row["key"] for row in sorted(pooled, key=lambda row: -row["frequency"])]
    assert first_column(page) == drawn_keys(page) == by_share
    page.get_by_label("Compare", exact=True).select_option("1")
    page.get_by_text("Change since round 1").first.wait_for()
    compared = monitored.site.get(f"{path}/trend?since=1").json()
    page.get_by_text(compared["verdict"][0].replace("keys", "answer options")).wait_for()
    # The address keeps both.
    page.reload()
    page.get_by_text("Change since round 1").first.wait_for()
    assert sorted(first_column(page)) == sorted([*KEYS, "Another"])
    with page.expect_download() as waiting:
        operator.press("CSV")
    assert waiting.value.suggested_filename.endswith("trend.csv")
    operator.check(PHONE)


def test_a_round_has_a_page_that_leads_back(monitored: Monitored, visitor: Callable[..., Person]) -> None:
    operator = visitor(PHONE)
    page, series = operator.page, monitored.series
    operator.go(f"/#/tasks/{series.task_of(2).id}")
    page.get_by_role("heading", name="Films, weekly, round 2").wait_for()
    assert not page.get_by_role("link", name="Duplicate and change").is_visible()
    operator.go(f"/#/tasks/{series.task_of(3).id}")
    page.get_by_role("heading", name="Films, weekly, round 3").wait_for()
    operator.press("Settings", "link")
    link = page.get_by_role("link", name="To the settings of the repeated survey")
    assert link.get_attribute("href") == f"#/series/{series.id}/settings"
    # Unlike other surveys, a round stays closed.
    operator.press("Close the round …")
    dialog = page.get_by_role("dialog", name="Close this round?")
    dialog.get_by_text("cannot be opened again").wait_for()
    assert "undo" not in dialog.inner_text()
    operator.press("Cancel")
    operator.press("Share", "link")
    page.get_by_text("People take part in all rounds by one link.").wait_for()
    assert page.locator(".qr").count() == 0
    assert page.get_by_text("Create invitations …").count() == 0
    # Its public results say which round of which survey they are of.
    monitored.site.administer("PATCH", f"/tasks/{series.task_of(2).id}", b'{"public_results": true}').raise_for_status()
    reader = visitor()
    reader.go(f"/results/{series.task_of(2).id}")
    first, last = in_words(series.opens(2)), in_words(days_after(series.closes(2), -1))
    reader.page.get_by_text(f"Films, weekly: round 2, from {first} to {last}", exact=True).wait_for()
    page.get_by_role("link", name="← All rounds of this survey").click()
    page.get_by_role("heading", name="Rounds").wait_for()


def test_a_round_with_an_alarm_is_marked_on_the_pages_of_its_series(
    monitored: Monitored, visitor: Callable[..., Person]
) -> None:
    operator, series = visitor(PHONE), monitored.series
    page, alarmed = operator.page, series.task_of(2).id

    def mark(route: Any) -> None:
        answer = route.fetch().json()
        for each in [answer["series"]] if "rounds" in answer else answer["series"]:
            each["has_alarms"] = True
        for each in answer.get("rounds", []):
            each["has_alarms"] = each["task"] == alarmed
        route.fulfill(json=answer)

    page.route(re.compile(r"/series(/[^/]+/rounds)?\?"), mark)
    operator.go("/#/")
    page.locator("tr", has_text=series.name).get_by_text("look at this").wait_for()
    operator.go(f"/#/series/{series.id}")
    box = page.locator(".alert", has_text="Some responses are unusual")
    assert box.get_by_role("link", name="Round 2").get_attribute("href") == f"#/tasks/{alarmed}"
    marked = page.get_by_role("region", name="Table of rounds").locator("tr", has_text="look at this")
    assert marked.locator("a").all_inner_texts() == ["2"]
    operator.check(DESK)


def test_an_analyst_reads_a_series_and_an_administrator_closes_it(
    monitored: Monitored, visitor: Callable[..., Person]
) -> None:
    site, day = monitored.site, monitored.day[0]
    task = pckv.Task(name="Moods", keys=3, values=(0, 1), epsilon=1, padding=1)
    series = pckv.Series(task=task, first="2030-03-01", period=1, panels=7, rounds=30)
    site.administer("POST", "/series", series.to_json().encode()).raise_for_status()
    analyst, operator = visitor(token=ANALYST), visitor(PHONE)
    for person in (analyst, operator):
        has_address(person)
        person.go(f"/#/series/{series.id}")
        person.page.get_by_text("Not open yet: round 1 opens on March 1, 2030 (world time, UTC).").wait_for()
        person.page.get_by_text("No responses yet: the trend appears here").wait_for()
        person.press("Share", "link")
        for label in ("In an app, with Python", "In a page, with JavaScript"):
            lines = person.page.get_by_label(label, exact=True).input_value()
            assert f'client.report("{series.id}", ' in lines
            # The hour of a report should tell nothing, also where the guide was not read.
            assert ("spread=0.5" if "Python" in label else "{ spread: 0.5 }") in lines
        letter = person.page.locator(".letter textarea").input_value()
        assert f"This is the link to take part:\n{person.origin}/join/{series.id}\nNot everybody is asked" in letter
        assert "You are asked again every 7 days, at the same link." in letter
        assert "You can answer" not in letter
        assert person.page.get_by_role("button", name="Print a poster").is_visible()
    assert analyst.page.get_by_role("link", name="Settings").count() == 0
    operator.check(DESK)
    operator.press("Details", "link")
    # 30 rounds are 5 reports of a device in 7 panels, in less than a year.
    operator.page.get_by_text("any 7 rounds in a row (7 days) is hidden by ε = 1").wait_for()
    operator.page.get_by_text("at most 5, together ε = 5").wait_for()
    operator.check(DESK)
    operator.press("Settings", "link")
    copy = operator.page.get_by_role("link", name="Duplicate and change")
    assert copy.get_attribute("href") == f"#/new?series={series.id}"
    for _ in range(2):
        operator.press("Close the repeated survey …")
        operator.press("Close the repeated survey")
        operator.page.get_by_text(f"Closed on {in_words(day)}.").wait_for()
        assert operator.page.get_by_role("button", name="Close the repeated survey …").count() == 0
        operator.page.get_by_text(f"Until {in_words(days_after(day, 7))} you can open this survey again.").wait_for()
        operator.check(DESK)
        operator.press("Share", "link")
        operator.page.get_by_text("Taking part has ended.").wait_for()
        assert operator.page.get_by_text("Ask from an app or a page").count() == 0
        operator.press("Settings", "link")
        operator.press("Open again")
        operator.page.get_by_text("Not open yet: round 1 opens on March 1, 2030 (world time, UTC).").wait_for()
    analyst.page.get_by_label("In an app, with Python", exact=True).wait_for(state="attached")


def test_an_address_without_a_series_says_so(visitor: Callable[..., Person]) -> None:
    operator = visitor(PHONE)
    operator.go(f"/#/series/{'A' * 43}")
    operator.page.get_by_role("heading", name="No survey here").wait_for()
    operator.check()
    # The browser itself logs that the answer was 404.
    operator.forgive("404")


def test_the_form_makes_a_series(server: ServeProcess, people: Callable[..., Person]) -> None:
    operator = people(PHONE)
    operator.sign_in()
    page = operator.page
    operator.go("/#/new?template=rate")
    fill_task(operator, "Every week", KEYS, pairs="2", users="8001")
    assert not page.get_by_label("Devices take turns over").is_visible()
    page.get_by_label("again in every round").check()
    for hidden in ("First day", "Last day", "By invitation"):
        assert not page.get_by_label(hidden).is_visible()
    page.get_by_text("A device answers at most once in any 4 rounds in a row (28 days)").wait_for()
    page.get_by_text("After 5 responses at this privacy level a browser takes no further part").wait_for()
    # ε is under "Details".
    for numbers in (
        "any 4 rounds in a row (28 days) is hidden by ε = 2",
        "at most 14, together ε = 28",
        "that is 5 resp",
    ):
        assert page.get_by_text(numbers).is_hidden()
        assert page.get_by_text(numbers).count() == 1
    page.get_by_text("in which about 2,000 of the 8,001 people answer").wait_for()
    operator.check_in_both_colours(DESK)
    page.get_by_label("Rounds (optional)").fill("3")
    page.get_by_label("Days per round").fill("0")
    page.get_by_label("Round 1 opens on").fill("2020-01-01")
    operator.press("Next")
    page.get_by_text(re.compile("This must be .* or later")).wait_for()
    for problem in ("This must be at least 1.", "This must be at most 3."):
        page.get_by_text(problem, exact=True).wait_for()
    first = (date.fromisoformat(utc_today()) + timedelta(days=2)).isoformat()
    page.get_by_label("Rounds (optional)").fill("16")
    page.get_by_label("Days per round").fill("7")
    page.get_by_label("Round 1 opens on").fill(first)
    # Five reports of ε = 2 are not spent in four rounds of a panel.
    page.get_by_text("After 5 responses at this privacy level").wait_for(state="hidden")
    # What the form says survives as a draft.
    saved(operator)
    page.reload()
    # The draft is there once it is planned.
    page.get_by_text("in which about 2,000 of the 8,001 people answer").wait_for()
    open_step(operator, 5)
    # The preview is that of a round.
    with page.expect_popup() as opened:
        operator.press("Preview")
    opened.value.get_by_role("button", name="Send my answers").wait_for()
    opened.value.close()
    publish_form(operator)
    page.wait_for_url("**/#/series/*/share")
    page.get_by_text(f"Not open yet: round 1 opens on {in_words(first)} (world time, UTC).").wait_for()
    created = page.url.split("/")[-2]
    # The template names the ends of the range.
    about = ask(server, "GET", f"/series/{created}").json()["task"]["about"]
    assert about["low_label"]
    assert about["high_label"]
    task = pckv.Task(name="Every week", keys=KEYS, values=(1, 5), epsilon=2, users=2000, pairs=2, about=about)
    series = pckv.Series(task=task, first=first, period=7, panels=4, rounds=16)
    assert ask(server, "GET", f"/series/{created}").text == series.to_json()


def test_a_series_is_duplicated_and_one_of_the_same_name_is_refused(
    server: ServeProcess, people: Callable[..., Person]
) -> None:
    task = pckv.Task(name="Twice", keys=["a", "b"], values=(1, 5), epsilon=1, padding=1)
    series = pckv.Series(task=task, first="2998-01-01", period=3, panels=2)
    ask(server, "POST", "/series", series.to_json().encode(), "application/json")
    operator = people()
    operator.sign_in()
    page = operator.page
    operator.go(f"/#/series/{series.id}/settings")
    operator.press("Duplicate and change", role="link")
    left = "how many answers people typically choose; how many people you expect."
    page.get_by_text(f"Filled in from “Twice”. Not taken over: {left}", exact=True).wait_for()
    page.get_by_label("Name", exact=True).fill("Twice")
    open_step(operator, 2)
    page.get_by_label("How many answers a person chooses on average").fill("1")
    open_step(operator, 3)
    assert page.get_by_label("Days per round").input_value() == "3"
    assert page.get_by_label("Devices take turns over").input_value() == "2"
    page.get_by_label("People expected").fill("100")
    assert page.get_by_label("Round 1 opens on").input_value() == "2998-01-01"
    page.get_by_label("Round 1 opens on").fill("2999-01-01")
    publish_form(operator)
    page.locator(".field-problem", has_text="Another survey has this name. Browsers and apps").wait_for()
    operator.forgive("409")
    page.get_by_label("Name", exact=True).fill("Twice, again")
    publish_form(operator)
    page.wait_for_url("**/#/series/*/share")
    operator.check(PHONE)
    page.get_by_text("round 1 opens on January 1, 2999").wait_for()


def test_a_series_without_values_has_no_means(monitored: Monitored, visitor: Callable[..., Person]) -> None:
    """Neither in its table nor in what an app is told to pass."""
    task = pckv.Task(name="Chosen, weekly", keys=KEYS, epsilon=4, padding=1, mechanism="grr", more="refuse")
    series = pckv.Series(task=task, first=monitored.day[0], period=7, panels=2)
    monitored.site.administer("POST", "/series", series.to_json().encode()).raise_for_status()
    chosen = monitored._replace(series=series)
    operator = visitor()
    page = operator.page

    def titles() -> list[str]:
        page.locator(".trend svg").first.wait_for()
        return [title.removesuffix(" ▼") for title in page.locator(".trend-table thead th").all_inner_texts()]

    # One round has no others to be smoothed with, or compared.
    chosen.collect(1, "Heat")
    operator.go(f"/#/series/{series.id}")
    assert titles() == ["Answer option", "Round 1 alone"]
    page.get_by_text("in the only round with responses").wait_for()
    for number in range(2, ROUNDS + 1):
        chosen.collect(number, "Heat" if number < ROUNDS else "Alien")
    # While a trend is computed, the answer is the one before.
    while len(monitored.site.get(f"/series/{series.id}/trend").json()["rounds"]) < ROUNDS:
        pass
    page.reload()
    assert titles() == ["Answer option", "Round 3, smoothed", "Changed", "Rounds 2 to 3 together"]
    operator.press("Share", "link")
    assert (
        f'client.report("{series.id}", ["Alien"], spread=0.5)'
        in page.get_by_label("In an app, with Python", exact=True).input_value()
    )
    lines = page.get_by_label("In a page, with JavaScript", exact=True).input_value()
    assert f'client.report("{series.id}", ["Alien"], {{ spread: 0.5 }})' in lines
    text = page.locator("main").inner_text()
    assert not [word for word in ("mean", "Mean", "pairs", "values") if word in text]
    operator.check(PHONE)
