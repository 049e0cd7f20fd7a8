"""The participant's page of a mixed task between a real collector and a real mixer: who hears what of a participant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from pckv import Task
from pckv.sealing.opening import EntryOpener
from pckv.sealing.public_key import write_public_key
from pckv.sealing.recipient_key import RecipientKey
from pckv.web.static_files import MAX_TASK_BYTES
from support.collectors import bearer
from support.fake_mixer import put_key
from support.mixers import batch_bytes, entries_of, opened
from support.people import KEYS, PHONE, VALUES, Person, shown_body
from support.serving import serving, unused_port

OPERATOR, TOKEN = "Example Foundation", "a-token-" + "x" * 32
CLOSES = "2999-01-01"
MIXER_PROGRAM = "from pckv.cli.mix import mix_command; mix_command()"
# What the collector may be asked for: the page, and files that are the same for all.
LOADED = {"document", "script", "stylesheet", "image", "other"}
MANY_KEYS = [*KEYS, *(f"a film with a long title, number {number}" for number in range(500))]
# Whether the browser lets a page send something to an address.
MAY_SEND = "(url) => fetch(url, { method: 'POST', mode: 'no-cors', body: 'x' }).then(() => true, () => false)"


class Parties(NamedTuple):
    """A collector and a mixer, each in a process of its own; their tasks, with the recipient's keys, by size."""

    collector: str
    mixer: str
    store: str
    tasks: dict[str, tuple[Task, RecipientKey]]


def mixed_task(name: str, keys: list[str], key: RecipientKey, mixer: str) -> Task:
    member = {"url": mixer, "operator": OPERATOR, "key": write_public_key(key.public_key), "batch": 1, "honest": 1}
    member |= {"epsilon": "1", "delta": "0.000001"}
    return Task(name=name, keys=keys, values=VALUES, epsilon=1, mechanism="grr", padding=1, closes=CLOSES, mixer=member)


@pytest.fixture(scope="module")
def parties(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parties]:
    """A collector and a mixer with two tasks: one that comes with its page, and one that is too large for that."""
    port, operator = unused_port(), bearer(TOKEN)
    folder, keys, at_mixer = (tmp_path_factory.mktemp(name) for name in ("collector", "keys", "mixer"))
    origin, store = f"http://127.0.0.1:{port}", f"sqlite:///{at_mixer}/mixer.db"
    flags = ("--port", str(port), "--origin", origin, "--operator", OPERATOR, "--store", store)
    tasks: dict[str, tuple[Task, RecipientKey]] = {}
    with (
        serving(at_mixer, *flags, program=MIXER_PROGRAM, admin_token=TOKEN) as mixer,
        serving(folder, admin_token=TOKEN, mixer_keys=str(keys)) as collector,
    ):
        for name, names in (("small", KEYS), ("large", MANY_KEYS)):
            key = RecipientKey.generate()
            task = mixed_task(name, names, key, origin)
            text = task.to_json().encode()
            assert (len(text) > MAX_TASK_BYTES) == (name == "large")
            put_key(keys, key, json.loads(mixer.ask("POST", "/tasks", text, operator))["token"])
            assert json.loads(collector.ask("POST", "/tasks", text, operator))["id"] == task.id
            tasks[name] = task, key
        yield Parties(f"http://127.0.0.1:{collector.port}", origin, store, tasks)


def sealed_entries(parties: Parties, task: Task) -> list[bytes]:
    """Return what the mixer holds of a task, as its batch would be."""
    with opened(parties.store) as store:
        store.release(task.id, CLOSES)
        return entries_of(task, batch_bytes(store, task))


@pytest.fixture
def person(browser: Any, parties: Parties) -> Iterator[Person]:
    context = browser.new_context()
    opened_by = Person(context, parties.collector)
    opened_by.begin(PHONE, "light")
    yield opened_by
    context.close()


@pytest.mark.parametrize("size", ["small", "large"])
def test_only_the_mixer_hears_of_a_participant(person: Person, parties: Parties, size: str) -> None:
    (task, key), page = parties.tasks[size], person.page
    asked: list[Any] = []
    person.context.on("request", lambda request: asked.append(request))  # noqa: PLW0108 - Playwright marks it
    person.go(f"/join/{task.id}")
    # To choose nothing is an answer too.
    person.hold_nothing()
    loaded = len(asked)
    person.press("Send my answers")
    person.state("sent")
    page.locator(".leaves").wait_for()
    of_collector = [request for request in asked if request.url.startswith(parties.collector)]
    assert {request.resource_type for request in of_collector} <= LOADED
    assert {(request.method, request.post_data) for request in of_collector} == {("GET", None)}
    # Whether a report would be taken is asked once more before it is made.
    *before, sent = [request for request in asked[loaded:] if request not in of_collector]
    place = f"{parties.mixer}/tasks/{task.id}"
    assert ([request.url for request in before], sent.url) == ([f"{place}/admission"], f"{place}/sealed")
    assert {request.url for request in of_collector if request in asked[loaded:]} <= {
        f"{parties.collector}/scripts/join/static/join/report-view.js"
    }
    [entry] = sealed_entries(parties, task)
    assert sent.post_data_buffer == entry
    report = EntryOpener(key, task.digest, task.message_format.body_bytes).open(entry)
    assert report is not None
    assert report.body == bytes.fromhex(shown_body(person))
    # The browser lets the page send nothing to the collector, and does to the mixer.
    assert [page.evaluate(MAY_SEND, url) for url in (parties.collector, parties.mixer)] == [False, True]
    person.forgive(f"a request to {parties.mixer}", "Content Security Policy", "Fetch API cannot load")
    # Of the request to the mixer, which takes nothing at that place.
    person.forgive("Failed to load resource")
    assert person.problems == []


@pytest.mark.parametrize("size", ["small", "large"])
def test_a_mixer_that_is_down_is_named_and_nothing_is_made(person: Person, parties: Parties, size: str) -> None:
    task, _ = parties.tasks[size]
    person.page.route(f"{parties.mixer}/**", lambda route: route.abort())
    person.go(f"/join/{task.id}")
    person.state("unreachable")
    assert parties.mixer.removeprefix("http://") in person.page.locator(".panel").inner_text()
    assert person.sent == []
