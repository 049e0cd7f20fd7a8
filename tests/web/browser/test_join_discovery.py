"""The participant's page of a discovery: people write texts, and a report tells of their first characters at most."""

from __future__ import annotations

import json
from typing import Any

import pckv
from pckv.base.canonical import from_base64url
from pckv.contract.coins import follows_coin
from pckv.mechanisms.discovery.law import DiscoveryLaw
from support.people import DESK, PHONE, Person, ask, check_odds, count, explanation, publish, shown_body
from support.serving import ServeProcess


def discovery(server: ServeProcess, **members: Any) -> pckv.Task:
    return publish(server, pckv.Task.discovery(**{"epsilon": 4, "characters": 8, "padding": 2} | members))


def add(person: Person, text: str) -> None:
    person.page.locator("#own-key").fill(text)
    person.press("Add")


def check_claims(task: pckv.Task, person: Person, texts: list[str], *, end: str) -> None:
    """Check that the page says of a report what its function says."""
    word = int.from_bytes(bytes.fromhex(shown_body(person)), "little")
    law, tree = task.law, task.tree
    assert isinstance(law, DiscoveryLaw)
    function, symbol = divmod(word, law.symbols)
    group = law.group_of(function)
    prefixes = {tree.prefix(tree.cut(text), group): None for text in texts}
    said = [prefix for prefix in prefixes if law.symbol(function, tree.item(task.digest, prefix, group)) == symbol]
    shown = [prefix.rstrip("\0") + (end if prefix.endswith("\0") else " …") for prefix in said]
    # A page shows several spaces as one.
    assert person.page.locator(".leaves ul li").all_inner_texts() == [" ".join(text.split()) for text in shown]
    length = tree.lengths[group]
    told = person.page.locator(".leaves").inner_text()
    assert f" {length} " in told if length > 1 else "first character" in told or "erste Zeichen" in told


def test_texts_are_written_and_one_report_of_their_beginnings_is_sent(people: Any, server: ServeProcess) -> None:
    task = discovery(server, name="own terms", about={"question": "Which terms?", "unit": "stars"})
    person = people(PHONE)
    page = person.page
    person.go(f"/join/{task.id}")
    page.locator("#own-key").wait_for()
    check_odds(task, explanation(person, "odds"))
    assert "about their first characters only, at most 8 of them" in page.locator("#beginnings").inner_text()
    assert page.locator("#instruction").inner_text() == (
        "Write down everything that applies to you, one at a time. "
        "If more than 2 apply, this device picks 2 of them at random for your report."
    )
    assert page.locator("#scale-note").count() == 0
    hint = page.locator("#own-hint").inner_text()
    assert "The first 8 characters count" in hint
    assert hint.endswith("abcdefghijklmnopqrstuvwxyz~ and spaces")
    for text, says in (
        ("  ", "Write something first."),
        ("Sölaris", "This survey cannot find anything with “ö” in it."),
        ("solärium", "This survey cannot find anything with “ä” in it."),
    ):
        add(person, text)
        assert page.locator("#own-problem").inner_text().startswith(says)
    add(person, " solaris ")
    add(person, "solaris")
    assert page.locator("#own-problem").inner_text() == "“solaris” is there already."
    # Capital letters count as small ones.
    add(person, "The mirror Ä")
    assert "counts as “the mirr”" in page.get_by_role("list", name="Answers").inner_text()
    add(person, "stalker")
    assert page.locator("#chosen").inner_text() == "3 chosen"
    person.check(DESK)
    person.press("Remove stalker")
    assert page.locator("#own-key").evaluate("field => field === document.activeElement")
    person.press("Send my answers")
    person.state("sent")
    entered = page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["solaris", "The mirror Ä"]
    check_claims(task, person, entered, end=", and nothing more")
    assert not any("solaris" in request for request in (*person.sent, *person.asked))
    assert json.loads(person.sent[0])["reports"][0].keys() == {"id", "body"}
    assert count(server, task.id) == 1
    person.check(DESK)


def test_in_german_with_more_texts_than_a_report_takes(people: Any, server: ServeProcess) -> None:
    task = discovery(server, name="Begriffe", alphabet="abcß", characters=4, groups=2, padding=1)
    person = people(DESK, locale="de-DE")
    page = person.page
    person.go(f"/join/{task.id}")
    for text in ("a", "aß", "cab"):
        page.locator("#own-key").fill(text)
        page.keyboard.press("Enter")
    assert page.locator("#chosen").inner_text() == "3 gewählt"
    assert "höchstens 4" in page.locator("#beginnings").inner_text()
    person.press("Antworten absenden")
    person.state("sent")
    assert "aus höchstens 1 der 3 Angaben" in page.locator(".leaves").inner_text()
    check_claims(task, person, ["a", "aß", "cab"], end=" und nichts weiter")


def test_an_example_has_texts_that_can_be_found(people: Any, server: ServeProcess) -> None:
    for number, (alphabet, shown) in enumerate((("efghimnost", ["somethin", "e"]), ("0123456789", ["0", "1"]))):
        task = discovery(server, name=f"example {number}", alphabet=alphabet)
        person = people(DESK)
        page = person.page
        person.go(f"/join/{task.id}")
        page.locator("#own-key").wait_for()
        person.unfold("How does this protect me?")
        person.unfold("What a report looks like")
        page.locator(".leaves").wait_for()
        assert page.locator(".compare > div").first.locator("li").all_inner_texts() == shown
        check_claims(task, person, shown, end=", and nothing more")


def test_a_report_by_a_coin_from_a_list_of_texts(people: Any, server: ServeProcess) -> None:
    """As an app sends it, without the page's form; the collector takes it, since it follows from its coin."""
    task = discovery(server, name="by coin", coin="server")
    [invitation] = ask(server, "POST", f"/tasks/{task.id}/invitations").json()["invitations"]
    person = people(DESK)
    person.go(f"/join/{task.id}#invitation={invitation}")
    person.page.locator("#own-key").wait_for()
    submit = """async ([id, invitation]) => {
        const { Client } = await $import("client/index.js"), client = new Client(location.origin);
        return (await client.submit(id, ["solaris", "Ä", "stalker"], { invitation })).status;
    }"""
    assert person.page.evaluate(submit, [task.id, invitation]) == "sent"
    [report] = json.loads(person.sent[-1])["reports"]
    word = task.message_format.decode(from_base64url(report["body"]))
    assert follows_coin(task, from_base64url(report["id"]), word)
    assert count(server, task.id) == 1
