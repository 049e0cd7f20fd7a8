"""Fixtures of the tests that use a browser; one process runs them all, with one browser."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from pckv.collector.http.auth import token_hash
from pckv.store.base import Role
from support.browser import OPTIONS, chromium, forget_routes, pages
from support.collectors import ADMINISTRATOR, ANALYST, Running, running
from support.people import DESK, Person
from support.serving import IMPATIENT_COMMAND, ServeProcess, serving
from support.stores import opened


@pytest.fixture(scope="package")
def browsers() -> Iterator[Any]:
    """Playwright's Chromium, to be launched."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="package")
def browser(browsers: Any) -> Iterator[Any]:
    launched = browsers.launch(**OPTIONS)
    yield launched
    launched.close()


@pytest.fixture(scope="package")
def kept_context(browser: Any) -> Iterator[Any]:
    """A browser context for the tests of the client alone: a new page takes more of the processor than most tests."""
    created = browser.new_context()
    forget_routes(created)
    yield created
    created.close()


@pytest.fixture
def context(kept_context: Any) -> Iterator[Any]:
    """A browser context; every test has its own port, where nothing is stored yet."""
    yield kept_context
    kept_context.set_offline(False)
    forget_routes(kept_context)


@pytest.fixture
def port() -> Iterator[int]:
    """A server for the client's files."""
    with pages() as serving_port:
        yield serving_port


@pytest.fixture(scope="module")
def collector() -> Iterator[Running]:
    """A collector for the client alone, inside this process."""
    with running() as started:
        yield started


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    """A collector with its pages, which soon ask for news, in a process of its own."""
    folder = tmp_path_factory.mktemp("collector")
    with opened(f"sqlite:///{folder}/pckv.db") as store:
        store.set_token(Role.ADMINISTRATOR, token_hash(ADMINISTRATOR))
        store.set_token(Role.ANALYST, token_hash(ANALYST))
    keys = folder / "keys"
    keys.mkdir(0o700)
    with serving(folder, program=IMPATIENT_COMMAND, mixer_keys=str(keys)) as started:
        yield started


@pytest.fixture(scope="package")
def kept_people() -> dict[str, list[Person]]:
    """Browsers that were used before and have forgotten it, by their language: a new one takes longer."""
    return defaultdict(list)


@pytest.fixture
def people(browser: Any, server: ServeProcess, kept_people: dict[str, list[Person]]) -> Iterator[Any]:
    """A function that opens a person's browser; none of them may have had problems in the end."""
    persons: list[tuple[str, Person]] = []

    def open_browser(viewport: dict[str, int] = DESK, color_scheme: str = "light", locale: str = "en-US") -> Person:
        if kept_people[locale]:
            person = kept_people[locale].pop()
        else:
            person = Person(browser.new_context(locale=locale), f"http://127.0.0.1:{server.port}")
        person.begin(viewport, color_scheme)
        persons.append((locale, person))
        return person

    yield open_browser
    for locale, person in persons:
        if person.altered:
            person.context.close()
        else:
            person.forget()
            kept_people[locale].append(person)
    assert [problem for _, person in persons for problem in person.problems] == []
