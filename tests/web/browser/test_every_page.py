"""Every page and state of it in English and German, with light and dark colours, on a desk and a phone.

Nothing may break a rule of accessibility, be wider than the screen, or be left in English on a German page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import pckv
from pckv import Segment, Series, Task
from pckv.sealing.recipient_key import RecipientKey
from support.collectors import Running, as_items, running
from support.fake_mixer import FakeMixer, mixed_task, put_key, running_mixer
from support.german import ENGLISH
from support.people import DESK, PHONE, Person, has_address, open_step
from support.stores import opened

TODAY = "2030-01-15"
# Names that are neither English nor German sentences; among them one that is long, and one with a markup.
KEYS = ["Metropolis", "Rashomon", "Stalker <b>", "Donaudampfschifffahrtsgesellschaftskapitänskajüte"]
GERMAN = {
    "question": "Welche davon haben Sie gesehen?",
    "description": "Die Bücherei plant Filmabende.",
    "low_label": "schwach",
    "high_label": "großartig",
    "unit": "Sterne",
    "eligibility": "Alle ab 16 Jahren.",
    "consent": "Meine Antwort wird gezählt.",
    "contact": "filme@example.org",
    "language": "de",
}
RATED: dict[str, Any] = {"keys": KEYS, "values": (1, 5), "levels": 5, "epsilon": 4, "pairs": 2, "about": GERMAN}
CHOSEN: dict[str, Any] = {"keys": KEYS, "epsilon": 4, "pairs": 2, "about": GERMAN}
JSON_DRAFT = b'{"name": "Entwurf", "values": {}}'
MANY = 400


class Filled(NamedTuple):
    """A collector with a survey of every kind, by name."""

    site: Running
    tasks: dict[str, Task]
    series: Series

    def path(self, place: str) -> str:
        """Return an address in which {name} stands for the id of the survey of that name."""
        ids = {name: task.id for name, task in self.tasks.items()}
        return place.format(**ids, series=self.series.id)


def held(number: int, task: Task) -> Any:
    """What a person holds: the first keys are more frequent."""
    keys = [key for place, key in enumerate(KEYS) if number % (place + 2) == 0]
    return {key: 1 + (number + len(key)) % 5 for key in keys} if task.has_values else keys


def collect(site: Running, task: Task, people: int = MANY) -> None:
    """Let people take part, with the labels of groups by turns."""
    labels = task.segment.labels if task.segment else (None,)
    reports = [pckv.perturb(task, held(number, task), segment=labels[number % len(labels)]) for number in range(people)]
    assert site.send(task, as_items(*reports)).json() == {"refused": []}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    day = ["2030-01-07"]
    folder, key = tmp_path_factory.mktemp("keys"), RecipientKey.generate()
    store = opened(f"sqlite:///{tmp_path_factory.mktemp('store')}/pckv.db")
    ages = Segment("Wie alt sind Sie?", ["unter 30", "über 30"])
    with running_mixer() as mixer, store as stored, running(stored, lambda: day[0], mixer_keys=str(folder)) as site:
        tasks = {
            "rated": Task(name="Filme", other="Anderes", **RATED),
            "chosen": Task(name="Filme gewählt", together=True, **CHOSEN),
            "grouped": Task(name="Filme nach Alter", segment=ages, **CHOSEN),
            "empty": Task(name="Noch leer", **RATED),
            "closed": Task(name="Schon zu Ende", closes="2030-01-14", **RATED),
            "closing": Task(name="Wird beendet", **CHOSEN),
            "invited": Task(name="Mit Einladung", **CHOSEN),
            "early": Task(name="Noch nicht offen", opens="2030-02-01", **CHOSEN),
            "found": Task.discovery(name="Begriffe", epsilon=4, alphabet="abc", characters=3, about=GERMAN),
            "gone": Task(name="Gelöscht", **CHOSEN),
        }
        for task in tasks.values():
            site.administer("POST", "/tasks", task.to_json().encode()).raise_for_status()
        tasks["mixed"] = mixed(site, mixer, folder, key)
        weekly = Task(name="Filme, jede Woche", users=MANY, **(RATED | {"levels": 2}))
        series = Series(task=weekly, first="2030-01-07", period=7, panels=2)
        site.administer("POST", "/series", series.to_json().encode()).raise_for_status()
        for name in ("rated", "chosen", "grouped", "closed", "closing"):
            collect(site, tasks[name])
        found = [pckv.perturb(tasks["found"], {"ab": 1} if number % 2 else {"c": 1}) for number in range(MANY)]
        assert site.send(tasks["found"], as_items(*found)).json() == {"refused": []}
        for number in (1, 2):
            day[0] = series.opens(number)
            site.store.add_round(series.task_of(number), day[0])
            collect(site, series.task_of(number))
        tasks["round"] = series.task_of(1)
        day[0] = TODAY
        public = ("rated", "chosen", "grouped", "closed")
        for name in public:
            site.administer("PATCH", f"/tasks/{tasks[name].id}", b'{"public_results": true}').raise_for_status()
        site.administer("POST", f"/tasks/{tasks['invited'].id}/invitations?count=2").raise_for_status()
        site.administer("POST", f"/tasks/{tasks['closing'].id}/close").raise_for_status()
        site.administer("DELETE", f"/tasks/{tasks['gone'].id}").raise_for_status()
        site.administer("POST", "/drafts", JSON_DRAFT).raise_for_status()
        site.administer("PUT", "/organisation", '{"name": "Bücherei", "logo": null}'.encode()).raise_for_status()
        yield Filled(site, tasks, series)


def mixed(site: Running, mixer: FakeMixer, folder: Path, key: RecipientKey) -> Task:
    """Publish a mixed survey, whose mixer has accepted it."""
    task = mixed_task(mixer, key, about=GERMAN)
    put_key(folder, key)
    mixer.accept(task)
    site.administer("POST", "/tasks", task.to_json().encode()).raise_for_status()
    return task


@pytest.fixture(scope="module", params=["en-US", "de-DE"])
def kept_reader(request: pytest.FixtureRequest, browser: Any, filled: Filled) -> Iterator[Person]:
    """A browser in a language, which is used for many pages: a new one takes longer."""
    context = browser.new_context(locale=request.param)
    person = Person(context, f"http://127.0.0.1:{filled.site.port}")
    has_address(person)
    yield person
    context.close()


@pytest.fixture
def reader(kept_reader: Person) -> Iterator[Person]:
    """A browser in which nothing has gone wrong in the end, but that some addresses lead to nothing."""
    kept_reader.page.goto("about:blank")
    kept_reader.begin(DESK, "light")
    kept_reader.forgive("404", "403", "410", "401")
    yield kept_reader
    assert kept_reader.problems == []


# What a page shows or tells, without code and without what is in another language on purpose.
SHOWN = """() => {
    const texts = [], own = "textarea, pre, code, .code, [lang=en], [aria-hidden=true], noscript, script, style",
        names = ["aria-label", "aria-roledescription", "title", "placeholder", "alt"];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { parentElement, data } = walker.currentNode;
        if (!parentElement.closest(own) && parentElement.checkVisibility()) texts.push(data);
    }
    for (const element of document.querySelectorAll(`[${names.join("], [")}]`))
        if (!element.closest(own)) for (const name of names) texts.push(element.getAttribute(name) ?? "");
    return [document.title, ...texts];
}"""
# What is cut off at its side, and cannot be scrolled to.
CUT = """() => [...document.body.querySelectorAll("*")].filter((element) => {
    const { overflowX, clipPath } = getComputedStyle(element);
    return ["hidden", "clip"].includes(overflowX) && clipPath === "none" && element.clientWidth > 1
        && element.checkVisibility() && element.scrollWidth > element.clientWidth + 1;
}).map((element) => element.outerHTML.slice(0, 200))"""
# Waits are over, and what stands behind disclosures is seen.
READY = "() => ![...document.querySelectorAll('.computing')].some((each) => each.textContent && each.checkVisibility())"
UNFOLD = "() => { for (const each of document.querySelectorAll('main details:not([open])')) each.open = true; }"


def show_all(page: Any) -> None:
    """Open what is folded, and draw charts, which wait until they come near."""
    page.wait_for_load_state("networkidle")
    page.evaluate(UNFOLD)
    for chart in page.locator("figure.chart:visible").all():
        chart.scroll_into_view_if_needed()
    page.wait_for_function(READY)
    page.wait_for_load_state("networkidle")


def english_on(person: Person) -> list[str]:
    return [text for text in person.page.evaluate(SHOWN) if ENGLISH.search(text)]


def check_all(person: Person) -> None:
    """Check a page in both colours and sizes, and its language."""
    page = person.page
    show_all(page)
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        person.check_in_both_colours()
        assert page.evaluate(CUT) == [], size
    page.set_viewport_size(DESK)
    if page.evaluate("navigator.language").startswith("de"):
        assert english_on(person) == []


OPERATORS = {
    "list": "/#/",
    "organisation": "/#/organisation",
    "unknown survey": f"/#/tasks/{'A' * 43}",
    "unknown series": f"/#/series/{'A' * 43}",
    "start": "/#/new",
    "copy": "/#/new?from={rated}",
    "key": "/#/tasks/{rated}/keys/Metropolis",
    "key of a survey without responses": "/#/tasks/{empty}/keys/Metropolis",
    "deleted": "/#/tasks/{gone}",
} | {
    f"{tab} of {name}": f"/#/{'series' if name == 'series' else 'tasks'}/{{{name}}}{part}"
    for name in (
        "rated",
        "chosen",
        "grouped",
        "empty",
        "closed",
        "closing",
        "invited",
        "early",
        "found",
        "mixed",
        "series",
        "round",
    )
    for tab, part in (("results", ""), ("sharing", "/share"), ("settings", "/settings"), ("details", "/details"))
}
READERS = {
    "sign-in": "/",
    "unknown page": "/nowhere",
    "join without a survey": "/join/",
    "join an unknown survey": f"/join/{'A' * 43}",
    "no public results": f"/results/{'A' * 43}",
    **{f"public results of {name}": f"/results/{{{name}}}" for name in ("rated", "chosen", "grouped", "closed")},
    **{
        f"join {name}": f"/join/{{{name}}}"
        for name in (
            "rated",
            "chosen",
            "grouped",
            "closed",
            "invited",
            "early",
            "found",
            "gone",
            "series",
            "round",
        )
    },
    "join by invitation": "/join/{invited}#invitation=" + "a" * 32,
    **{f"help on {name}": f"/help/{name}" for name in ("people", "results", "participants", "glossary")},
}


@pytest.mark.parametrize("place", READERS)
def test_what_everybody_can_open(reader: Person, filled: Filled, place: str) -> None:
    reader.context.clear_cookies()
    reader.go(filled.path(READERS[place]))
    check_all(reader)


@pytest.mark.parametrize("place", OPERATORS)
def test_what_operators_open(reader: Person, filled: Filled, place: str) -> None:
    reader.sign_in()
    reader.go(filled.path(OPERATORS[place]))
    check_all(reader)
    # What is asked before something is done.
    page = reader.page
    for number in range(page.locator("main button:visible", has_text="…").count()):
        page.locator("main button:visible", has_text="…").nth(number).click()
        if page.locator("dialog[open]").count():
            check_all(reader)
            page.keyboard.press("Escape")


@pytest.mark.parametrize("template", ["choose", "rate", "one", "symptoms", "text"])
def test_every_step_of_a_new_survey(reader: Person, filled: Filled, template: str) -> None:
    reader.sign_in()
    reader.go(filled.path(f"/#/new?template={template}"))
    page = reader.page
    page.locator(".steps button").first.wait_for()
    for number in range(1, page.locator(".steps button").count() + 1):
        open_step(reader, number)
        check_all(reader)
