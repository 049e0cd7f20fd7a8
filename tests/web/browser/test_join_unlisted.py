"""The participant's page of tasks with unlisted keys: people write them, and the texts stay on the device."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import pckv
from pckv.tally.decode.support import key_support
from support.people import DESK, PHONE, Person, add_task, check_odds, count, explanation, shown_body
from support.serving import ServeProcess


def add(person: Person, text: str, value: int | None = None) -> None:
    """Write a key and give it a value."""
    person.page.locator("#own-key").fill(text)
    person.press("Add")
    if value is not None:
        group = person.page.get_by_role("group", name=f"{text.strip()}, from")
        group.get_by_role("radio", name=str(value)).check()


def problem(person: Person) -> str:
    return str(person.page.locator("#own-problem").inner_text())


def texts_left(person: Person) -> bool:
    """Return whether any request had the words of the person in it."""
    return any("solaris" in request.lower() for request in (*person.sent, *person.asked))


def test_something_that_is_not_in_the_list(people: Any, server: ServeProcess) -> None:
    """It counts as one more key, and the page says what was claimed of that."""
    task = add_task(server, name="with other", other="another film", mechanism="collision", epsilon=4, padding=5)
    person = people(PHONE)
    page = person.page
    person.go(f"/join/{task.id}")
    page.get_by_role("group", name="Alien, from").get_by_role("radio", name="5").check()
    assert page.get_by_role("list", name="Answers", exact=True).get_by_role("listitem").count() == 4
    assert "stays on this device" in page.locator("#own-hint").inner_text()
    for text, says in (
        ("  ", "Write something first."),
        ("heat", "“Heat” is in the list: choose it there."),
        ("a\tb", "There is a character in it that cannot be seen, such as a tab. Write it without."),
        ("é" * 129, "This is too long: it takes 258 bytes, of at most 256."),
    ):
        add(person, text)
        assert problem(person) == says
    add(person, " Solaris ", 4)
    add(person, "Solaris")
    assert problem(person) == "“Solaris” is there already."
    add(person, "Stalker")
    assert page.locator("#chosen").inner_text() == "3 chosen"
    person.press("Send my answers")
    assert "Please give “Stalker” a value from 1 to 5, or remove it." in page.locator(".footer").inner_text()
    person.check(DESK)
    person.press("Remove Stalker")
    page.locator("#own-key").fill("Mirror")
    person.press("Send my answers")
    assert "“Mirror” is written but not added" in page.locator(".footer").inner_text()
    page.locator("#own-key").fill("")
    assert page.locator("#own-before option").get_attribute("value") == "Stalker"
    person.press("Send my answers")
    person.state("sent")
    entered = page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["Alien: 5", "Solaris: 4"]
    claimed = page.locator(".leaves li").all_inner_texts()
    tally = pckv.Tally(task)
    tally.add(pckv.Report(bytes(16), bytes.fromhex(shown_body(person))))
    supported = np.flatnonzero(key_support(tally).counts.any(axis=0))
    names = task.key_names(supported.tolist())
    assert [claim.partition(":")[0] for claim in claimed] == names
    assert not texts_left(person)
    assert count(server, task.id) == 1


def test_all_that_is_not_listed_counts_once_against_the_limit(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="limited other", other="other", more="refuse", padding=2, mechanism="grr")
    person = people(DESK)
    page = person.page
    person.go(f"/join/{task.id}")
    page.get_by_role("group", name="Alien, from").get_by_role("radio", name="5").check()
    add(person, "Solaris", 1)
    assert page.locator("#chosen").inner_text().startswith("2 of 2 chosen.")
    assert page.get_by_role("group", name="Heat, from").get_by_role("radio").first.is_disabled()
    # Another one takes no more room.
    add(person, "Stalker", 2)
    assert page.locator("#chosen").inner_text().startswith("2 of 2 chosen.")
    person.press("Remove Stalker")
    person.press("Remove Solaris")
    page.get_by_role("group", name="Heat, from").get_by_role("radio", name="1").check()
    assert page.locator("#own-key").is_disabled()
    person.press("Send my answers")
    person.state("sent")
    assert count(server, task.id) == 1


def test_any_text_is_a_key(people: Any, server: ServeProcess) -> None:
    """By the keyboard alone, in German; texts are brought to their normal form, and counted under it."""
    task = add_task(server, name="any film", keys="hashed", epsilon=4, padding=2)
    person = people(PHONE, locale="de-DE")
    page = person.page
    person.go(f"/join/{task.id}")
    page.locator("#own-key").wait_for()
    assert page.locator("#instruction").inner_text().startswith("Schreiben Sie alles auf")
    # Two characters that are one in the normal form.
    page.locator("#own-key").fill("Solaris Cafe\u0301")
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    page.locator("#own-key").fill("Stalker")
    page.keyboard.press("Enter")
    page.get_by_role("group", name="Stalker, von").get_by_role("radio", name="5").check()
    assert page.locator("#chosen").inner_text() == "2 gewählt"
    person.check(DESK)
    person.press("Antworten absenden")
    person.state("sent")
    entered = page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["Solaris Café: 1", "Stalker: 5"]
    claimed = [text.partition(":")[0] for text in page.locator(".leaves li").all_inner_texts()]
    word = int.from_bytes(bytes.fromhex(shown_body(person)), "little")
    law: Any = task.law
    if word < law.word_limit:
        function, symbol = divmod(word, law.symbols)
        keys = [task.key_index(text) for text in ("Solaris Café", "Stalker")]
        said = [any(law.symbol(function, 2 * key + level) == symbol for level in (0, 1)) for key in keys]
        names = [name for name, is_said in zip(("Solaris Café", "Stalker"), said, strict=True) if is_said]
        assert claimed == names
        assert "Von allen anderen Texten nennt er zufällig" in page.locator(".leaves").inner_text()
    assert not texts_left(person)
    assert json.loads(person.sent[0])["reports"][0].keys() == {"id", "body"}


def test_an_example_of_texts(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="text example", keys="hashed", padding=2, size_share=0, more="refuse")
    person = people(DESK)
    page = person.page
    person.go(f"/join/{task.id}")
    page.locator("#own-key").wait_for()
    check_odds(task, explanation(person, "odds"))
    person.unfold("How does this protect me?")
    person.unfold("What a report looks like")
    page.locator(".leaves").wait_for()
    entered = page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["something: 5", "something else: 1"]
    for text in ("a", "b"):
        add(person, text, 3)
    assert page.locator("#own-key").is_disabled()
    assert page.locator("#chosen").inner_text().startswith("2 of 2 chosen.")
