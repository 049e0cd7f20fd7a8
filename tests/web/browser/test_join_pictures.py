"""Pictures of the participant's page in all its states, to look at, and for the documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pckv
from support.browser import wait_for
from support.people import DESK, PHONE, Person, add_task, ask
from support.serving import ServeProcess

SCREENSHOTS = Path(__file__).parents[3] / "docs" / "screenshots"
# What the documents show; the others are written into a temporary folder.
PICTURES = {"join-phone-light", "join-sent-phone-dark", "join-desk-light"}
FILMS = ["Alien", "Casablanca", "Heat", "Jaws", "Metropolis", "Playtime"]
ANIMALS = [f"{name} {number}" for name in ("Bear", "Eagle", "Otter", "Seal", "Zebra") for number in range(10)]
ABOUT = {
    "question": "Which of these films have you seen, and how did you like them?",
    "description": "The city library plans its film nights for next year.\nYour answers decide what is shown.",
    "unit": "stars",
    "low_label": "awful",
    "high_label": "great",
    "eligibility": "Everybody who lives in the city.",
    "consent": "My report is counted for the programme of the film nights. The counts are published.",
    "contact": "films@library.example",
}
TALL = 1500


@pytest.fixture(scope="module")
def tasks(server: ServeProcess, request: pytest.FixtureRequest) -> dict[str, pckv.Task]:
    """One task per state."""
    if not request.config.getoption("--screenshots"):
        pytest.skip("pictures are written with --screenshots")
    members: dict[str, Any] = {"keys": FILMS, "epsilon": 1, "padding": 3, "more": "refuse", "about": ABOUT}
    minutes = {
        "question": "How many minutes did you watch each of them?",
        "unit": "minutes",
        "low_label": "",
        "high_label": "all day",
    }
    made = {
        "entry": add_task(server, name="Films of this year", **members),
        "long": add_task(server, name="Zoo", keys=ANIMALS, values=(0, 60), padding=3, about=ABOUT | minutes),
        "closed": add_task(server, name="Films of last year", closes="2020-01-01", **members),
        "invitation": add_task(server, name="Films of the club", **members),
    }
    ask(server, "POST", f"/tasks/{made['invitation'].id}/invitations")
    return made


class Photographer:
    """Takes pictures of one size and colour scheme."""

    def __init__(self, person: Person, suffix: str, folder: Path) -> None:
        self.person, self._suffix, self._folder = person, suffix, folder

    def shoot(self, name: str, *, whole: bool = False) -> None:
        """Take a picture of what is in sight; or of the whole page, with its footer at its end."""
        page = self.person.page
        usual = page.viewport_size
        if whole:
            page.set_viewport_size({**usual, "height": TALL})
            height = page.locator("main").bounding_box()["height"]
            page.set_viewport_size({**usual, "height": max(usual["height"], int(height) + 1)})
        folder = SCREENSHOTS if name + self._suffix in PICTURES else self._folder
        page.screenshot(path=folder / f"{name}{self._suffix}.png")
        page.set_viewport_size(usual)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("size", "viewport"), [("desk", DESK), ("phone", PHONE)])
def test_pictures(
    people: Any, tasks: dict[str, pckv.Task], scheme: str, size: str, viewport: dict[str, int], tmp_path: Path
) -> None:
    person = people(viewport, color_scheme=scheme)
    photographer = Photographer(person, f"-{size}-{scheme}", tmp_path)
    page = person.page
    person.go(f"/join/{tasks['long'].id}")
    page.get_by_role("spinbutton").nth(1).fill("12")
    photographer.shoot("join-long", whole=True)
    for name, state in (("closed", "ended"), ("invitation", "invitation_needed")):
        person.go(f"/join/{tasks[name].id}")
        person.state(state)
        photographer.shoot(f"join-{name}")
    person.go(f"/join/{tasks['entry'].id}")
    for key, value in (("Alien", 4), ("Playtime", 5)):
        page.get_by_role("group", name=key).get_by_role("radio", name=str(value)).check()
    page.locator("#consent input").check()
    photographer.shoot("join", whole=True)
    held: list[Any] = []
    page.route("**/reports", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    person.press("Send my answers")
    page.locator(".progress").wait_for()
    photographer.shoot("join-sending")
    wait_for(page, lambda: bool(held))
    held.pop().continue_()
    person.state("sent")
    page.locator(".compare").wait_for()
    photographer.shoot("join-sent", whole=True)
    person.forgive("403")
