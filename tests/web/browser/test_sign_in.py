"""Signing in and out, in a browser."""

from __future__ import annotations

from typing import Any

import pytest

from pckv.collector.http.auth import PLAIN_COOKIE
from support.collectors import ADMINISTRATOR, ANALYST
from support.people import PHONE, add_task
from support.serving import ServeProcess


def test_signing_in_and_out(people: Any, server: ServeProcess) -> None:
    person = people(PHONE)
    person.go("/")
    person.check()
    person.fill_in_token("wrong")
    person.page.get_by_text("This token is not known here. Check that you have copied all of it").wait_for()
    person.unfold("How do I get a token?")
    person.page.get_by_text("“pckv token new --help” says how.").wait_for()
    person.check()
    # The browser itself logs that the answer was 401.
    person.forgive("401")
    add_task(server, name="for the list", opens="2099-01-01")
    person.go("/")
    person.fill_in_token(ANALYST)
    person.page.get_by_role("heading", name="Surveys", exact=True).wait_for()
    person.page.get_by_role("link", name="for the list").wait_for()
    assert "not yet open" in person.page.locator("tr", has_text="for the list").inner_text()
    assert person.page.get_by_role("link", name="New survey").count() == 0
    person.check()
    person.page.reload()
    person.page.get_by_role("link", name="for the list").click()
    person.page.get_by_role("heading", name="for the list").wait_for()
    assert person.page.get_by_role("link", name="Settings").count() == 0
    assert ANALYST not in person.page.url
    assert person.page.evaluate("document.cookie") == ""
    # The browser said that this page came without https.
    [cookie] = person.page.context.cookies()
    assert (cookie["name"], cookie["secure"], cookie["httpOnly"]) == (PLAIN_COOKIE, False, True)
    person.press("Sign out")
    person.page.get_by_label("Token").wait_for()
    assert person.page.context.cookies() == []
    person.page.reload()
    person.page.get_by_label("Token").wait_for()


def test_whoever_signs_in_is_where_they_wanted_to_be(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="wanted")
    person = people()
    person.go(f"/#/tasks/{task.id}")
    # As copied from a terminal.
    person.fill_in_token(f"  {ADMINISTRATOR} ")
    person.page.get_by_role("heading", name="wanted").wait_for()
    assert person.page.url.endswith(f"/#/tasks/{task.id}")


def test_an_analyst_is_told_why_they_cannot_make_tasks(people: Any) -> None:
    person = people(PHONE)
    person.go("/#/new")
    person.page.get_by_label("Token").fill(ANALYST)
    person.press("Sign in")
    person.page.get_by_text("shows results and changes nothing").wait_for()
    person.check()
    person.press("All surveys", role="link")
    person.page.get_by_role("heading", name="Surveys", exact=True).wait_for()


def test_views_that_cannot_be_loaded_are_said_and_tried_again(people: Any) -> None:
    person = people()
    person.go("/")
    person.page.get_by_label("Token").wait_for()
    person.context.route("**/tasks.js", lambda route: route.abort())
    person.page.get_by_label("Token").fill(ANALYST)
    person.press("Sign in")
    person.page.get_by_text("The collector cannot be reached").wait_for()
    person.check()
    # The browser itself logs the script that it missed.
    assert len(person.problems) == 2
    person.problems.clear()
    person.context.unroute("**/tasks.js")
    person.press("Try again")
    person.page.get_by_role("heading", name="Surveys", exact=True).wait_for()


def test_a_page_that_not_everybody_can_read_is_found(people: Any) -> None:
    """The control of the checks of accessibility: a picture without words, and words that are hardly darker than the page."""
    person = people()
    person.go("/")
    person.page.get_by_label("Token").wait_for()
    person.check()
    person.page.evaluate("() => document.querySelector('main').append(document.createElement('img'))")
    with pytest.raises(AssertionError, match="image-alt"):
        person.check()
    person.page.evaluate("() => { document.querySelector('main').style.color = '#eee'; }")
    with pytest.raises(AssertionError, match="color-contrast"):
        person.check()
