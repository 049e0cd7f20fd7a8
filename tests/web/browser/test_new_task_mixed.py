"""The form for a new task in a browser, where a party outside the organisation runs a mixer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import pckv
from pckv.contract.series import Series
from pckv.planning.mixing import QUESTION, TOO_FEW
from support.mixers import CLOSES, OPERATOR, RunningMixer, new_store, running_mixer
from support.people import DESK, KEYS, PHONE, Person, add_task, ask, create_task, fill_task, open_step, task_id_of
from support.serving import ServeProcess
from support.task_forms import check_refused, focused, open_form, problems_at

# A contract names the day after.
LAST_DAY = (date.fromisoformat(CLOSES) - timedelta(days=1)).isoformat()
MAKE, ASK = "Make the file for the mixer", "Ask the mixer and publish"
TOKEN = "Recipient's token"  # noqa: S105 - the label of a field
CONDITION = "if the mixer follows the protocol and"
TRANSLATIONS = {"de": {"question": "Welche Filme?", "keys": ["Alien", "Hitze", "Skript", "Toy Story"]}, "fr": {}}

FILL_STORAGE = """() => {
    window.setItem = Storage.prototype.setItem;
    Storage.prototype.setItem = () => { throw new Error("full"); };
}"""


@pytest.fixture
def mixer(tmp_path: Path) -> Iterator[RunningMixer]:
    """A mixer, whose origin is where it listens."""
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as started:
        started.take_own_address()
        yield started


def say_yes(operator: Person, mixer: RunningMixer | None = None, last_day: str = LAST_DAY) -> None:
    """Answer that a party outside the organisation runs this mixer."""
    page = operator.page
    open_step(operator, 4)
    page.get_by_role("group", name=QUESTION).get_by_role("radio", name=re.compile("^Yes")).check()
    if mixer is not None:
        page.get_by_label("Address of the mixer").fill(mixer.service.settings.origin)
        page.get_by_label("Who runs it").fill(OPERATOR)
        if page.get_by_label("again in every round").is_checked():
            return
        open_step(operator, 3)
        page.get_by_label("Last day").fill(last_day)


def make(operator: Person) -> None:
    """Press the last button of the form."""
    open_step(operator, 5)
    operator.press(MAKE)


def make_file(operator: Person, noun: str, folder: Path) -> bytes:
    """Make the file for the mixer; return what is downloaded."""
    make(operator)
    operator.page.get_by_role("heading", name="goes to its mixer first").wait_for()
    return download(operator, noun, folder)


def download(operator: Person, noun: str, folder: Path) -> bytes:
    with operator.page.expect_download() as found:
        operator.press(f"Download {noun}.json")
    path = folder / "downloaded.json"
    found.value.save_as(path)
    assert found.value.suggested_filename == f"{noun}.json"
    return path.read_bytes()


def finish(operator: Person, token: str) -> None:
    operator.page.get_by_label(TOKEN).fill(token)
    operator.press(ASK)
    operator.press("Publish the survey now")


def check_alert(operator: Person, line: str) -> None:
    operator.page.get_by_role("alert").get_by_text(line).wait_for()
    operator.forgive("409")


def test_the_plan_shows_both_ways(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator, planned=True)
    page = operator.page
    fill_task(operator, "both ways", KEYS, users="2000")
    open_step(operator, 4)
    page.get_by_label("Strong").check()
    plan = page.get_by_role("region", name="Forecast", exact=True)
    plan.locator(".light").wait_for()
    assert plan.get_by_text(QUESTION).count() == 0
    say_yes(operator)
    plan.get_by_role("heading", name=QUESTION).wait_for()
    # Both ways in everyday words; the words of the plan, and ε, are under "Details".
    alone, mixed = (text.inner_text() for text in plan.locator(".ways > div > p").all())
    stands_out = r"with 2,000 people, an answer mostly stands out if at least [\d.]+ % of them choose it\."
    assert re.fullmatch(f"No: {stands_out}", alone)
    assert re.fullmatch(
        f"Yes: {stands_out} The privacy level holds towards you {CONDITION} at least 750 responses are honest\\.", mixed
    )
    plan.get_by_text("If fewer than 1,000 responses arrive, they are deleted unread").wait_for()
    assert "ε" not in plan.inner_text()
    assert CONDITION in str(page.locator("legend", has_text="How well answers are hidden").inner_text())
    assert page.get_by_text("Someone who sees a response").filter(visible=True).count() == 0
    for hidden in ("How people take part", "Against people who lie"):
        assert not page.get_by_role("group", name=hidden).is_visible()
    plan.locator("summary", has_text="Details").click()
    plan.get_by_text(f"Yes: reports are mixed, at ε = 1 with δ = 0.000001 towards the recipient {CONDITION}").wait_for()
    plan.get_by_text(TOO_FEW).wait_for()
    plan.get_by_text("mixer.batch 1,000, half of the people expected, rounded down").wait_for()
    plan.get_by_text("Have invitations made and sent by the mixer's side").wait_for()
    for word in ("epsilon", "mechanism", "padding"):
        assert plan.get_by_role("button", name=word, exact=True).count() > 0
    assert page.locator(".chart").count() == 0
    operator.check_in_both_colours(DESK)


def test_a_mixed_task_is_handed_to_its_mixer_and_created(
    server: ServeProcess, people: Any, mixer: RunningMixer, tmp_path: Path
) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "handed over", KEYS, users="2000")
    open_step(operator, 4)
    page.get_by_label("Strong").check()
    say_yes(operator, mixer)
    task = pckv.Task.from_json(make_file(operator, "task", tmp_path))
    assert task.mixer is not None
    assert (task.mixer.batch, task.mixer.epsilon, task.closes, task.coin) == (1000, "1", CLOSES, "device")
    command = page.get_by_role("textbox", name="Command of the mixer's operator").input_value()
    assert command == f"pckv mix accept task.json --url {task.mixer.url} --token-file operator.token"
    page.get_by_text(f"{task.mixer.key}.key in this collector's folder of keys").wait_for()
    operator.check_in_both_colours(DESK)
    operator.press(ASK)
    assert problems_at(page) == {TOKEN: "Enter the token that the mixer's operator gave you."}
    assert focused(page) == TOKEN
    page.get_by_label(TOKEN).fill("guessed")
    # Enter alone asks, and publishes nothing.
    page.get_by_label(TOKEN).press("Enter")
    page.get_by_role("dialog", name="Publish the survey").wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Publish the survey").wait_for(state="hidden")
    finish(operator, "guessed")
    check_alert(operator, "it has not accepted this survey: its operator does so first")
    # The mixer's operator may take days: another visit goes on where this one ended.
    page.reload()
    page.get_by_role("heading", name="goes to its mixer first").wait_for()
    assert download(operator, "task", tmp_path) == task.to_json().encode()
    token = mixer.accepted(task)
    finish(operator, "guessed")
    check_alert(operator, "it does not take the recipient's token of this survey")
    operator.check(DESK)
    finish(operator, token)
    page.wait_for_url("**/#/tasks/**")
    assert task_id_of(page) == task.id
    assert ask(server, "GET", f"/tasks/{task.id}/overview").json()["target"] == 2000
    kept = str(page.evaluate("JSON.stringify({ ...localStorage })"))
    assert token not in kept
    assert "handed over" not in kept
    # A copy names the same mixer, and the ε that was wanted.
    operator.press("Settings", "link")
    page.get_by_role("link", name="Duplicate").click()
    page.get_by_text("Filled in from “handed over”.").wait_for()
    assert page.get_by_label("Who runs it").input_value() == OPERATOR
    assert page.get_by_label("Strong").is_checked()
    ask(server, "DELETE", f"/tasks/{task.id}?now=true")


def test_what_is_wrong_with_a_mixer_is_told_at_its_field(people: Any, mixer: RunningMixer, tmp_path: Path) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "wrong", KEYS, users="3")
    say_yes(operator)
    open_step(operator, 3)
    operator.press("Next")
    assert problems_at(page) == {"Last day": "Name the last day: on the next one the responses leave the mixer."}
    operator.check(DESK)
    page.get_by_label("Last day").fill(LAST_DAY)
    operator.press("Next")
    operator.press("Next")
    assert problems_at(page) == {
        "Address of the mixer": "Name the address of the mixer.",
        "Who runs it": "Name the party that runs the mixer.",
    }
    # Without a mixer a survey needs no end.
    page.get_by_role("radio", name=re.compile("^No Every")).check()
    open_step(operator, 3)
    page.get_by_label("Last day").fill("")
    operator.press("Next")
    assert "Last day" not in problems_at(page)
    say_yes(operator)
    open_step(operator, 3)
    page.get_by_label("Last day").fill(LAST_DAY)
    say_yes(operator, mixer)
    open_step(operator, 4)
    page.get_by_label("Address of the mixer").fill("https://mix.example/path")
    make(operator)
    check_refused(
        operator,
        "Address of the mixer",
        "Mixer.url must be an origin such as https://mix.example: in small letters, without a path, a slash at the end "
        "or the usual port, not 'https://mix.example/path'.",
    )
    page.get_by_label("Address of the mixer").fill(mixer.service.settings.origin)
    make(operator)
    says = "Mixed must be at least 4, not 3: a batch is half of the people, and a single report is not hidden among others."
    check_refused(operator, "People expected", says)
    page.get_by_label("People expected").fill("40")
    # A browser may have no room for it.
    page.evaluate(FILL_STORAGE)
    first = make_file(operator, "task", tmp_path)
    page.get_by_text(
        "This browser cannot keep the file: leave this page open until the survey is published."
    ).wait_for()
    page.evaluate("() => { Storage.prototype.setItem = window.setItem; }")
    # Changing the form makes another file, with a key of its own.
    operator.press("Change the form …")
    page.get_by_role("dialog", name="Delete the file for the mixer?").get_by_text("needs another name").wait_for()
    operator.press("Change the form")
    page.get_by_label("Name", exact=True).fill("right")
    second = make_file(operator, "task", tmp_path)
    tasks = [pckv.Task.from_json(text) for text in (first, second)]
    assert [task.name for task in tasks] == ["wrong", "right"]
    assert len({task.mixer.key for task in tasks if task.mixer}) == 2
    # The next user of the browser finds nothing of it.
    operator.press("Sign out")
    page.get_by_role("button", name="Sign in").wait_for()
    operator.forgive("401")
    assert page.evaluate("localStorage.length") == 0


def test_a_mixed_series_is_planned_and_created(
    server: ServeProcess, people: Any, mixer: RunningMixer, tmp_path: Path
) -> None:
    operator = people()
    open_form(operator, planned=True)
    page = operator.page
    fill_task(operator, "rounds", KEYS, users="2000")
    page.get_by_label("again in every round").check()
    page.get_by_label("Round 1 opens on").fill("2030-02-01")
    page.get_by_label("Devices take turns over").fill("2")
    say_yes(operator, mixer)
    plan = page.get_by_role("region", name="Forecast", exact=True)
    plan.get_by_text("with 2,000 people, about 1,000 in each round").first.wait_for(state="attached")
    plan.locator("summary", has_text="Details").click()
    plan.get_by_text("they end its part in the series after").or_(
        plan.get_by_text("they do not end its part in the series")
    ).wait_for()
    operator.check(PHONE)
    series = Series.from_json(make_file(operator, "series", tmp_path))
    assert series.task.mixer is not None
    assert (series.panels, series.task.mixer.batch, series.task.closes) == (2, 500, None)
    answer = mixer.accept_series(series)
    finish(operator, answer.json()["token"])
    page.wait_for_url(f"**/#/series/{series.id}/share")
    ask(server, "POST", f"/series/{series.id}/close")


def test_a_mixed_discovery_is_planned_and_becomes_a_file(people: Any, mixer: RunningMixer, tmp_path: Path) -> None:
    operator = people(PHONE)
    open_form(operator, template="text")
    page = operator.page
    page.get_by_label("Name", exact=True).fill("texts")
    open_step(operator, 2)
    page.get_by_label("Letters that are found").fill("4")
    open_step(operator, 3)
    page.get_by_label("People expected").fill("20000")
    say_yes(operator, mixer)
    plan = page.get_by_role("region", name="Forecast", exact=True)
    plan.get_by_role("heading", name=QUESTION).wait_for()
    plan.locator("summary", has_text="Details").click()
    plan.get_by_text("Have invitations made and sent by the mixer's side").wait_for()
    operator.check(DESK)
    task = pckv.Task.from_json(make_file(operator, "task", tmp_path))
    assert task.mixer is not None
    assert (task.kind, task.mixer.batch, task.mixer.epsilon) == ("discovery", 10_000, "2")


def test_a_copy_keeps_the_texts_in_other_languages(server: ServeProcess, people: Any) -> None:
    about = {"question": "Which films?", "language": "en-GB", "translations": TRANSLATIONS}
    task = add_task(server, name="in languages", about=about)
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    operator.go(f"/#/new?from={task.id}")
    page.get_by_text("Filled in from “in languages”.").wait_for()
    page.get_by_role("textbox", name="Name", exact=True).fill("in languages again")
    open_step(operator, 2)
    page.get_by_label("Answer options, one per line").fill("\n".join([*KEYS, "one more"]))
    page.get_by_label("How many answers a person chooses on average").fill("1")
    assert page.get_by_label("Language of your texts").input_value() == "en-GB"
    german = page.get_by_role("group", name="German")
    assert german.get_by_label("Question").input_value() == "Welche Filme?"
    operator.check(DESK)
    operator.press("Next")
    page.locator(".field-problem", has_text="Lines: 4; answer options: 5.").wait_for()
    page.get_by_label("Answer options, one per line").fill("\n".join(KEYS))
    operator.press("Leave out French")
    operator.press("Next")
    page.get_by_label("People expected").fill("100")
    copy = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (copy.about.language, set(copy.about.translations)) == ("en-GB", {"de"})
    assert copy.about.translations["de"] == task.about.translations["de"]
