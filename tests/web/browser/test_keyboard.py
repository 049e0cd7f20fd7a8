"""Dialogs and forms by keyboard: nothing irreversible happens by Enter alone."""

from __future__ import annotations

from typing import Any

import pckv
from pckv.base.days import utc_today
from support.people import DESK, KEYS, Person, add_task, ask, fill_task, has_address, open_step
from support.serving import ServeProcess

JSON = "application/json"
# All that can be pressed or filled in, but what brings a survey back.
CONTROLS = "main :is(button:not([aria-label^=Restore]), input, select, summary):visible:enabled"
# What can be taken back by the same page.
REVERSIBLE = ("/restore", "/drafts", "/plan", "/organisation")


class Walk:
    """A walk through the controls of pages, which notes the requests that change something."""

    def __init__(self, operator: Person) -> None:
        self.page = operator.page
        self.changes: list[str] = []
        self.dialogs: set[str] = set()
        self.page.on("request", self._note)

    def _note(self, request: Any) -> None:
        is_change = request.method != "GET" and "preview=true" not in request.url
        is_target = '"target"' in (request.post_data or "")
        if is_change and not is_target and not request.url.endswith(REVERSIBLE):
            self.changes.append(f"{request.method} {request.url}")

    def press_all(self) -> None:
        """Press Enter at every control, and at whatever has the focus in a dialog that this opens."""
        # What a press shows is pressed too, and nothing twice.
        fresh = self.page.locator(CONTROLS).and_(self.page.locator(":not([data-pressed])"))
        while fresh.count():
            control = fresh.first.element_handle()
            control.evaluate("control => { control.dataset.pressed = ''; control.focus(); }")
            self.page.keyboard.press("Enter")
            dialog = self.page.locator("dialog[open]")
            if dialog.count():
                self.dialogs.add(str(dialog.get_attribute("aria-label")))
                first = dialog.get_by_role("button").first
                assert first.inner_text() == "Cancel"
                assert first.evaluate("button => button === document.activeElement")
                self.page.keyboard.press("Enter")
                dialog.wait_for(state="hidden")


def test_nothing_irreversible_happens_by_enter_alone(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="Pressed")
    gone = add_task(server, name="Pressed and gone")
    ask(server, "DELETE", f"/tasks/{gone.id}")
    ask(server, "POST", "/drafts", b'{"name": "Pressed draft", "values": {}}', JSON)
    repeated = pckv.Task(name="Pressed weekly", keys=["a", "b"], values=(1, 5), epsilon=1, padding=1)
    series = pckv.Series(task=repeated, first=utc_today(), period=7, panels=2)
    ask(server, "POST", "/series", series.to_json().encode(), JSON)
    operator = people(DESK)
    operator.sign_in()
    has_address(operator)
    page, walk = operator.page, Walk(operator)
    operator.go("/")
    page.get_by_role("link", name="Pressed", exact=True).wait_for()
    operator.unfold("Deleted")
    walk.press_all()
    operator.go(f"/#/tasks/{task.id}/share")
    page.get_by_role("heading", name="Invitations").wait_for()
    walk.press_all()
    operator.press("Settings", "link")
    page.get_by_role("heading", name="What is fixed").wait_for()
    walk.press_all()
    operator.go(f"/#/series/{series.id}/settings")
    page.get_by_role("heading", name="End", exact=True).wait_for()
    walk.press_all()
    assert walk.dialogs >= {
        "Delete this draft?",
        "Delete now, for good?",
        "Create invitations?",
        "Make the results public?",
        "Close this survey?",
        "Delete this survey?",
        "Close this repeated survey?",
    }
    # A complete form too needs a second step.
    operator.go("/#/new?template=rate")
    fill_task(operator, "Never published", KEYS)
    for step in range(1, 6):
        open_step(operator, step)
        walk.press_all()
    open_step(operator, 5)
    page.get_by_role("button", name="Publish the survey", exact=True).focus()
    page.keyboard.press("Enter")
    # The form is checked before it asks.
    page.get_by_role("dialog", name="Publish the survey").wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Publish the survey").wait_for(state="hidden")
    assert walk.changes == []
