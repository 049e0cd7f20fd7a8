"""The participant's page asks the collector first: who cannot take part is told before they enter anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pckv
from pckv.contract.coins import follows_coin
from support.people import PHONE, add_task, answer, ask, count, fill_in, spent
from support.serving import ServeProcess


def invite(server: ServeProcess, task: pckv.Task) -> str:
    [invitation] = ask(server, "POST", f"/tasks/{task.id}/invitations").json()["invitations"]
    return str(invitation)


def without_refusals(person: Any) -> None:
    """Leave out what a browser logs about requests that are meant to be refused."""
    expected = ("403", "404", "ERR_FAILED")
    person.forgive(*expected)


def test_an_invitation_comes_with_the_link(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="by invitation")
    link = f"/join/{task.id}#invitation={invite(server, task)}"
    invited = people(PHONE)
    invited.go(link)
    invited.page.locator("#invited").wait_for()
    invited.hold_nothing()
    invited.press("Send my answers")
    invited.state("sent")
    assert count(server, task.id) == 1
    # Another device would need another invitation: that people can answer there is not said.
    invited.page.reload()
    known = "This survey was already answered on this device. There is one report, and no second one is made."
    invited.page.get_by_text(known, exact=True).wait_for()
    for path, state in (
        (f"/join/{task.id}", "invitation_needed"),
        (f"/join/{task.id}#invitation=mistyped", "invitation_unknown"),
        (link, "invitation_spent"),
    ):
        # Nothing can be entered, and nothing is made.
        stranger = people(PHONE)
        stranger.go(path)
        stranger.state(state)
        assert stranger.page.locator("form, #example, button").count() == 0
        assert spent(stranger) == "0"
        stranger.check()
        without_refusals(stranger)


def test_an_invitation_that_is_used_meanwhile_spends_nothing(people: Any, server: ServeProcess) -> None:
    """The same link in two browsers: the later one is told before anything is perturbed."""
    task = add_task(server, name="one link, two people")
    link = f"/join/{task.id}#invitation={invite(server, task)}"
    first, second = people(), people()
    for person in (first, second):
        person.go(link)
        person.hold_nothing()
    first.press("Send my answers")
    first.state("sent")
    second.press("Send my answers")
    second.state("invitation_spent")
    assert second.page.get_by_role("button").count() == 0
    assert spent(second) == "0"
    assert second.sent == []
    without_refusals(second)


def test_a_report_by_the_collectors_coin(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="coin", mechanism="ue-compact", padding=2, size_share="0.5", coin="server")
    link = f"/join/{task.id}#invitation={invite(server, task)}"
    person = people(PHONE)
    person.go(link)
    page = person.page
    page.get_by_text("How does this protect me?").click()
    page.get_by_text("What a report looks like").click()
    page.locator("#example .leaves").wait_for()
    assert "A number that the collector drew" in page.locator("#coin").inner_text()
    assert "drawn by the collector" in page.locator("#sizes").inner_text()
    person.check()
    page.reload()
    person.hold_nothing()
    person.press("Send my answers")
    person.state("sent")
    [item] = json.loads(person.sent[0])["reports"]
    report_id, body = (pckv.base.canonical.from_base64url(item[name]) for name in ("id", "body"))
    assert follows_coin(task, report_id, task.message_format.decode(body))
    # Asked when the page opened, twice, and before the report was made: always the same coin.
    assert (len(person.asked), len(set(person.asked)), count(server, task.id)) == (3, 1, 1)
    stranger = people()
    stranger.go(f"/join/{task.id}")
    stranger.state("invitation_needed")
    without_refusals(stranger)


def test_only_the_button_sends_a_report(people: Any, server: ServeProcess) -> None:
    """Enter in a field, which would submit a form, does nothing that cannot be undone."""
    scale = add_task(server, name="enter in a scale", keys=["Alien"])
    search = add_task(server, name="enter in a search", keys=40, values=(0, 100))
    person = people()
    page = person.page
    person.go(f"/join/{scale.id}")
    page.get_by_role("radio", name="3").check()
    page.keyboard.press("Enter")
    person.go(f"/join/{search.id}")
    page.get_by_label("Search").fill("7")
    page.keyboard.press("Enter")
    page.get_by_role("spinbutton", name="7,").fill("50")
    page.keyboard.press("Enter")
    page.evaluate("document.querySelector('form').requestSubmit()")
    page.get_by_role("button", name="Send my answers").wait_for()
    assert page.get_by_role("button", name="Send my answers").is_enabled()
    assert page.evaluate("indexedDB.databases().then((all) => all.length)") == 1
    assert (spent(person), person.sent) == ("0", [])
    person.press("Send my answers")
    person.state("sent")


@pytest.mark.parametrize("kept", [True, False])
def test_the_page_says_whether_the_browser_may_forget(people: Any, server: ServeProcess, kept: bool) -> None:
    task = add_task(server, name=f"forgetful {kept}")
    person = people(PHONE)
    person.alter(
        f"StorageManager.prototype.persist = StorageManager.prototype.persisted = async () => {str(kept).lower()};"
    )
    fill_in(person, task.id, {"Alien": 1})
    warning, budget = person.page.locator("#forgetful"), person.page.locator("#budget")
    assert warning.count() == 0
    assert "The same survey at another address" in budget.text_content()
    person.press("Send my answers")
    person.state("sent")
    person.page.get_by_text("What is remembered").click()
    person.page.get_by_text("ε = 1 is spent so far").wait_for()
    assert warning.all_inner_texts() == [] if kept else "It may lose these notes" in warning.inner_text()
    person.check()


def test_a_task_closed_early_takes_nothing_and_says_so(people: Any, server: ServeProcess) -> None:
    """Before a participant enters anything; if they have, before anything is perturbed."""
    task = add_task(server, name="closed early")
    before, person, late = people(), people(), people(PHONE)
    answer(before, task.id, {"Alien": 1})
    fill_in(person, task.id, {"Alien": 1})
    ask(server, "POST", f"/tasks/{task.id}/close")
    before.page.reload()
    before.page.get_by_text("The survey is closed: it takes no more answers.").wait_for()
    person.press("Send my answers")
    late.go(f"/join/{task.id}")
    for each in (person, late):
        each.state("closed")
        assert "It takes no more answers. Nothing was made or sent." in each.page.locator(".panel").inner_text()
        assert (spent(each), each.sent) == ("0", [])
        assert each.page.locator("form, #example, button").count() == 0
        each.check()
        without_refusals(each)


def test_the_right_invitation_sends_a_refused_report(people: Any, server: ServeProcess) -> None:
    """A report that was made before it was known that an invitation is needed."""
    task = add_task(server, name="invited later")
    invitation = invite(server, task)
    person = people()
    person.context.route("**/admission", lambda route: route.abort())
    fill_in(person, task.id, {})
    person.hold_nothing()
    person.press("Send my answers")
    person.state("refused")
    person.go("/join/")
    person.go(f"/join/{task.id}#invitation={invitation}")
    person.state("refused")
    person.press("Try again")
    person.state("sent")
    assert count(server, task.id) == 1
    without_refusals(person)
