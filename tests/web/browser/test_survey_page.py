"""The page of a survey in a browser: sharing it, its settings, its end, and undoing that."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pckv
from support.parts import missing_part
from support.people import DESK, PHONE, Person, add_task, ask, has_address, publish, send_reports
from support.serving import ServeProcess

JSON = "application/json"


@pytest.fixture
def operator(people: Callable[..., Person]) -> Person:
    person = people(PHONE)
    person.sign_in()
    return person


def send(server: ServeProcess, task: pckv.Task, people: int) -> None:
    send_reports(server, task, [pckv.perturb(task, {"Alien": 4, "Heat": 2}) for _ in range(people)])


# Draws a picture of the page on a canvas; returns its size and the red of every pixel.
PIXELS = """async (image) => {
    await image.decode();
    const size = 300, canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, size, size);
    return [...context.getImageData(0, 0, size, size).data].filter((_, place) => place % 4 === 0);
}"""


def read_code(picture: Any) -> str:
    """Return what a decoder reads in a picture of the page."""
    try:
        zxing = import_module("zxingcpp")
    except ModuleNotFoundError:
        missing_part("zxing-cpp")
    pixels = np.array(picture.evaluate(PIXELS), np.uint8).reshape(300, 300)
    [code] = zxing.read_barcodes(pixels)
    return str(code.text)


def test_the_page_of_a_survey_tells_how_to_take_part(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="head", about={"question": "Which ones have you seen?"})
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/share")
    page = operator.page
    page.get_by_text("Which ones have you seen?").wait_for()
    code = page.get_by_role("img", name="QR code of the link to take part")
    for colours in ("dark", "light"):
        page.emulate_media(color_scheme=colours)
        assert read_code(code) == f"{operator.origin}/join/{task.id}"
    for form, beginning in (("SVG", b"<svg "), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            operator.press(f"QR code ({form})", "link")
        assert Path(saved.value.path()).read_bytes().startswith(beginning)
        assert saved.value.suggested_filename == f"head.{form.lower()}"
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    operator.press("Copy the link")
    page.locator(".copied", has_text="Not copied: the browser does not let this page copy.").wait_for()
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    operator.press("Copy the link")
    page.locator(".copied", has_text="Copied.").wait_for()
    assert page.evaluate("window.copied") == f"{operator.origin}/join/{task.id}"
    operator.check_in_both_colours(DESK)


def test_the_page_of_a_survey_tells_what_came_and_what_was_wanted(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="wanted responses")
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.get_by_text("responses so far").wait_for()
    assert page.locator(".days svg").count() == 0
    send(server, task, 5)
    page.locator("#reports", has_text="5").wait_for()
    page.locator(".days", has_text=": 5").wait_for()
    operator.press("Settings", "link")
    operator.press("Say how many you expect")
    page.get_by_label("Number of responses", exact=True).fill("0")
    operator.press("Save")
    page.get_by_text("at least 1").wait_for()
    page.get_by_label("Number of responses", exact=True).fill("20")
    operator.press("Save")
    page.get_by_text("20 expected").wait_for()
    operator.check(DESK)
    operator.press("Change the number")
    page.get_by_label("Number of responses", exact=True).fill("")
    operator.press("Save")
    page.get_by_role("progressbar").wait_for(state="detached")
    assert page.get_by_role("link", name="Duplicate and change").get_attribute("href") == f"#/new?from={task.id}"
    assert page.get_by_text("its privacy level and its last day cannot be changed").is_visible()
    # What few people need has a tab of its own, with an address.
    assert not page.get_by_text("Bytes per response").is_visible()
    operator.press("Details", "link")
    page.reload()
    page.get_by_text("Bytes per response").wait_for()
    operator.check(DESK)


def test_no_link_is_shown_that_cannot_work(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="at home")
    page = operator.page
    operator.go(f"/#/tasks/{task.id}/share")
    page.get_by_text("it works on this computer only").wait_for()
    assert page.get_by_role("link", name="Try it on this computer").get_attribute("href") == f"/join/{task.id}"
    page.route("**/address", lambda route: route.fulfill(json={"url": None, "reason": "plain"}))
    page.reload()
    page.get_by_text("an address that begins with “https”, and this one does not").wait_for()
    operator.unfold("Ask from an app or a page")
    page.get_by_text("use them for trials alone, on this computer").wait_for()
    assert page.get_by_role("link", name="How to do that").get_attribute("href") == "/help/share?lang=en"
    assert "/join/" not in page.get_by_role("main").inner_text()
    assert page.locator(".qr").count() == 0
    assert page.get_by_role("button", name="Create invitations").count() == 0
    operator.check(DESK)


def test_a_closed_survey_says_so_and_can_be_opened_again(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="to be closed")
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/settings")
    page = operator.page
    operator.press("Close the survey …")
    operator.press("Close the survey")
    page.get_by_text("Closed on ").wait_for()
    assert not page.get_by_role("button", name="Say how many you expect").is_visible()
    operator.check(DESK)
    operator.press("Share", "link")
    page.get_by_text("Taking part has ended.").wait_for()
    assert page.locator(".qr").count() == 0
    operator.press("Results", "link")
    page.get_by_text("No responses came before this survey was closed.").wait_for()
    assert "hare the link" not in page.get_by_role("main").inner_text()
    # So do one that looks for unknown answers, without responses and with too few, and a repeated one.
    closed = [pckv.Task.discovery(name=f"closed {n}", epsilon=4, alphabet="ab", characters=2) for n in range(2)]
    for number, each in enumerate(closed):
        publish(server, each)
        send_reports(server, each, [pckv.perturb(each, ["a"])] * number)
        ask(server, "POST", f"/tasks/{each.id}/close")
    repeated = pckv.Task(name="closed again", keys=3, values=None, epsilon=1, padding=1)
    series = pckv.Series(task=repeated, first="2030-01-01", period=7, panels=1)
    ask(server, "POST", "/series", series.to_json().encode(), "application/json")
    ask(server, "POST", f"/series/{series.id}/close")
    none = "No responses came before this survey was closed."
    for path, says in (
        (f"tasks/{closed[0].id}", none),
        (f"tasks/{closed[1].id}", "Nothing can be found in 1 response: at least 2 would have been needed."),
        (f"series/{series.id}", none),
    ):
        operator.go(f"/#/{path}")
        page.get_by_text(says).wait_for()
        assert page.get_by_role("region", name="Results").get_by_text("hare the link").count() == 0
    operator.go(f"/#/tasks/{task.id}/settings")
    page.get_by_text("you can open this survey again.").wait_for()
    operator.press("Open again")
    page.locator(".badge.open").wait_for()
    operator.press("Share", "link")
    page.locator(".qr").wait_for()


def test_a_deleted_survey_is_restored_or_erased(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="to be deleted")
    send(server, task, 2)
    page = operator.page

    def delete() -> None:
        operator.go(f"/#/tasks/{task.id}/settings")
        operator.press("Delete …")
        operator.press("Delete")
        page.get_by_role("heading", name="“to be deleted” is deleted").wait_for()

    delete()
    page.get_by_text("you can restore it").wait_for()
    operator.check()
    operator.press("All surveys", "link")
    operator.unfold("Deleted")
    row = page.locator(".deleted tr", has_text="to be deleted")
    row.wait_for()
    assert page.get_by_role("link", name="to be deleted").count() == 0
    operator.check(DESK)
    refusal = {"title": "The task was deleted.", "detail": "Its time in the bin is over."}
    page.route("**/restore", lambda route: route.fulfill(status=410, json=refusal))
    operator.press("Restore “to be deleted”")
    page.get_by_text("The survey was deleted. Its time in the bin is over.").wait_for()
    operator.forgive("410")
    page.unroute("**/restore")
    operator.press("Restore “to be deleted”")
    page.get_by_role("link", name="to be deleted").wait_for()
    delete()
    operator.press("All surveys", "link")
    operator.unfold("Deleted")
    row.get_by_role("button", name="Delete now …").click()
    operator.press("Delete now")
    page.locator("#deleted", has_text="is deleted for good: 2 responses deleted.").wait_for()
    row.wait_for(state="detached")
    assert "to be deleted" not in [each["name"] for each in ask(server, "GET", "/deleted").json()["tasks"]]
    operator.check()


def test_drafts_are_listed(server: ServeProcess, operator: Person) -> None:
    draft = ask(server, "POST", "/drafts", b'{"name": "Next year", "values": {}}', JSON).json()["id"]
    page = operator.page
    operator.go("/")
    link = page.get_by_role("link", name="Next year")
    link.wait_for()
    assert link.get_attribute("href") == f"#/new?draft={draft}"
    operator.check(DESK)
    page.locator("tr", has_text="Next year").get_by_role("button", name="Delete the draft …").click()
    operator.press("Delete the draft")
    link.wait_for(state="detached")
    assert draft not in [each["id"] for each in ask(server, "GET", "/drafts").json()["drafts"]]


def test_an_organisation_has_a_name_in_the_head_of_the_page(server: ServeProcess, operator: Person) -> None:
    page = operator.page
    # Without an answer, the name would be deleted.
    view = page.get_by_role("main")
    page.route("**/organisation", lambda route: route.fulfill(status=503, json={"title": "Not now."}))
    operator.go("/#/organisation")
    view.get_by_text("Not now.").wait_for()
    assert page.get_by_role("button", name="Save").count() == 0
    operator.forgive("503")
    page.unroute("**/organisation")
    operator.press("Try again")
    page.get_by_label("Name of the organisation").fill("Tenants of Mill Lane")
    page.get_by_label("Logo", exact=True).set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"no picture"}
    )
    page.get_by_text("Choose a picture").wait_for()
    picture = (Path(__file__).parents[3] / "docs" / "screenshots" / "task-desk-light.png").read_bytes()
    page.get_by_label("Logo", exact=True).set_input_files(
        {"name": "logo.png", "mimeType": "image/png", "buffer": picture[: 200 * 2**10]}
    )
    operator.press("Save")
    page.get_by_text("Saved.").first.wait_for()
    page.get_by_role("link", name="Tenants of Mill Lane").wait_for()
    assert page.locator(".brand img").count() == 1
    operator.check(DESK)
    operator.press("Take the logo away")
    page.get_by_label("Name of the organisation").fill("")
    operator.press("Save")
    page.get_by_role("link", name="pckv").wait_for()
    assert ask(server, "GET", "/organisation").json() == {"name": None, "logo": False}
    # The beginning of a picture is none.
    operator.forgive("image")


def test_the_language_is_chosen_in_the_head_of_the_page(server: ServeProcess, operator: Person) -> None:
    task = add_task(server, name="Zweisprachig")
    page = operator.page
    operator.go(f"/#/tasks/{task.id}/settings")
    operator.press("Deutsch")
    page.get_by_role("heading", name="Was feststeht").wait_for()
    assert page.evaluate("document.documentElement.lang") == "de"
    operator.check(DESK)
    for tab in ("Teilen", "Details", "Ergebnisse"):
        operator.press(tab, "link")
        operator.check(DESK)
    # Also what the collector says where it refuses.
    operator.go(f"/#/tasks/{'A' * 43}")
    page.get_by_text("Diese Umfrage oder Seite gibt es hier nicht.").wait_for()
    operator.forgive("404")
    operator.press("Umfragen", "link")
    page.get_by_role("heading", name="Umfragen").wait_for()
    operator.press("English")
    page.get_by_role("heading", name="Surveys", exact=True).wait_for()
