"""Pictures of the pages for the documents."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pckv
from support.collectors import as_items, running
from support.people import DESK, PHONE, Person, add_task, ask, fill_task, send_reports
from support.serving import ServeProcess

SCREENSHOTS = Path(__file__).parents[3] / "docs" / "screenshots"
FILMS = [
    "Alien",
    "Casablanca",
    "Heat",
    "Jaws",
    "Metropolis",
    "Playtime",
    "Psycho",
    "Rashomon",
    "Stalker",
    "Up",
]


QUESTION = "Which of these films have you seen, and how did you like them?"

# What the README shows.
PICTURES = {"task-desk-light", "task-desk-dark", "new-task-desk-light"}
FEATURES = {
    "Dark mode": 0.5,
    "Search": 0.4,
    "Export": 0.2,
    "Voice input": 0.1,
    "Comments": 0.3,
    "Widgets": 0.05,
}


@pytest.fixture(scope="module")
def films(server: ServeProcess, request: pytest.FixtureRequest) -> pckv.Task:
    """A collection for the pictures."""
    if not request.config.getoption("--screenshots"):
        pytest.skip("pictures are written with --screenshots")
    about = {"question": QUESTION, "unit": "stars"}
    task = add_task(server, name="Films of the year", keys=FILMS, epsilon=2, pairs=2, about=about)
    ask(server, "PATCH", f"/tasks/{task.id}", b'{"target": 15000}', "application/json")
    seeded = random.Random(1)
    for _ in range(2):
        seen = [{min(9, int(seeded.expovariate(0.4))) for _ in range(1 + n % 4)} for n in range(5000)]
        reports = [
            pckv.perturb(task, {FILMS[film]: min(5, 1 + (film * 7 + n) % 6) for film in films})
            for n, films in enumerate(seen)
        ]
        send_reports(server, task, reports)
    return task


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("size", "viewport"), [("desk", DESK), ("phone", PHONE)])
def test_pictures(people: Any, films: pckv.Task, scheme: str, size: str, viewport: dict[str, int]) -> None:
    person = people(viewport, color_scheme=scheme)

    def shoot(name: str) -> None:
        if f"{name}-{size}-{scheme}" in PICTURES:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            person.page.screenshot(path=SCREENSHOTS / f"{name}-{size}-{scheme}.png", full_page=True)

    page = person.page
    person.sign_in()
    person.go(f"/#/tasks/{films.id}")
    page.locator(".bars").first.wait_for()
    show_all(person)
    shoot("task")
    person.go("/#/new?template=rate")
    page.get_by_label("Question", exact=True).fill(QUESTION)
    fill_task(person, "Films of the year", FILMS, users="10000")
    page.locator(".light").wait_for()
    shoot("new-task")


def show_all(person: Person) -> None:
    """Let every chart be drawn: far ones wait until they come near."""
    page = person.page
    page.wait_for_load_state("networkidle")
    for chart in page.locator("figure.chart:visible").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg").first.wait_for()
    page.evaluate("scrollTo(0, 0)")


@pytest.fixture
def monitor(browser: Any, request: pytest.FixtureRequest) -> Iterator[tuple[Person, str]]:
    """An operator in front of a series of ten rounds, in which two features became more popular."""
    if not request.config.getoption("--screenshots"):
        pytest.skip("pictures are written with --screenshots")
    about = {"question": "Which features do people use, and for how many minutes a day?", "unit": "minutes"}
    task = pckv.Task(
        name="Features, weekly",
        keys=list(FEATURES),
        values=(0, 60),
        epsilon=3,
        pairs=2,
        users=3000,
        about=about,
    )
    series = pckv.Series(task=task, first="2030-01-07", period=7, panels=4)
    day, seeded = [series.first], random.Random(1)
    with running(clock=lambda: day[0]) as site:
        site.administer("POST", "/series", series.to_json().encode()).raise_for_status()
        for number in range(1, 11):
            day[0] = series.opens(number)
            task = series.task_of(number)
            site.store.add_round(task, day[0])
            shares = FEATURES | {"Voice input": 0.05 * number, "Export": 0.2 if number < 10 else 0.5}
            people = [
                {name: seeded.uniform(0, 60) for name, share in shares.items() if seeded.random() < share}
                for _ in range(3000)
            ]
            site.send(task, as_items(*(pckv.perturb(task, pairs) for pairs in people))).raise_for_status()
        context = browser.new_context()
        yield Person(context, f"http://127.0.0.1:{site.port}"), series.id
        context.close()


def test_pictures_of_a_series(monitor: tuple[Person, str]) -> None:
    person, series = monitor
    person.begin(DESK, "light")
    person.sign_in()
    person.go(f"/#/series/{series}")
    person.page.get_by_role("heading", name="Features, weekly").wait_for()
    show_all(person)
    person.page.screenshot(path=SCREENSHOTS / "series-desk-light.png", full_page=True)
