"""The operator's and the analyst's pages in a browser."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pckv
from pckv.collector.http.auth import PLAIN_COOKIE
from support.collectors import ANALYST, as_items
from support.parts import missing_part
from support.people import (
    DESK,
    HOSTILE,
    KEYS,
    PHONE,
    PRECISION,
    add_task,
    ask,
    choose,
    count,
    has_address,
    send_reports,
)
from support.serving import ServeProcess

# In CSS pixels.
A4_HEIGHT = 1122


def send(server: ServeProcess, task: pckv.Task, sizes: Iterable[int]) -> None:
    """Send one report per person; each holds that many keys, the first ones."""
    reports = [pckv.perturb(task, {task.key_name(key): 3 for key in range(size)}) for size in sizes]
    send_reports(server, task, reports)


def test_a_task_tells_what_larger_sets_hide(server: ServeProcess, people: Any) -> None:
    """Twelve keys and a padding of 1, where people hold 4 pairs: the page promises nothing."""
    members = {"keys": 12, "epsilon": 2, "padding": 1, "size_share": "0.2"}
    task = add_task(server, name="large sets", **members)
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.get_by_text("No responses yet").first.wait_for()
    assert "20 % of the reports say about how many" in page.locator(".facts").text_content()
    send(server, task, [4] * 2000)
    operator.unfold(PRECISION)
    page.get_by_text("cannot be promised, however many responses come").wait_for()
    page.locator(
        ".verdict", has_text="of people chose more than 1 answer option, the most that one response stands for"
    ).wait_for()
    told = page.locator(".verdict").inner_text()
    assert "clearly above zero" in told
    assert "points too low" in told
    assert page.get_by_text("A range of ±3 points takes").count() == 0
    operator.check(DESK)


def test_the_page_says_that_it_is_computing(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="slow", keys=1200, padding=5, mechanism="collision")
    send(server, task, [5] * 30)
    operator = people(PHONE)
    operator.sign_in()
    page, held = operator.page, []
    # The answer is held back, as that of a large task would be.
    page.route("**/estimates?*", lambda route: held.append(route))  # noqa: PLW0108
    operator.go(f"/#/tasks/{task.id}")
    status = page.get_by_role("status").filter(has_text="Computing")
    status.wait_for()
    assert status.inner_text() == "Computing 1,200 answer options from 30 responses …"
    results = page.get_by_role("region", name="Results")
    assert results.locator(".bars").count() == 0
    # A change of the options computes again; the page goes on saying so until the newest answer is there.
    assert page.get_by_text("Details: how this was estimated").is_hidden()
    operator.check(DESK)
    held[0].continue_()
    results.locator(".bars").first.wait_for()
    status.wait_for(state="detached")
    page.locator(".verdict .note").wait_for()
    # A change of the options computes again, and the page says so beside the last result.
    operator.unfold("Details: how this was estimated")
    choose(page, "Confidence", "0.9")
    status.wait_for()
    page.get_by_text("From 30 responses.").wait_for()
    assert len(held) == 2
    operator.check(DESK)
    held[1].continue_()
    status.wait_for(state="detached")


def test_a_task_that_refuses_larger_sets_says_so(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="no large sets", keys=12, padding=3, more="refuse")
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    page.get_by_text("No responses yet").first.wait_for()
    send(server, task, [3] * 10)
    operator.unfold(PRECISION)
    page.get_by_text("A range of ±3 points takes").wait_for()
    page.locator(".verdict", has_text="No participant may choose more than 3 answer options.").wait_for()
    operator.unfold("Details: how this was estimated")
    page.get_by_label("Forged responses").fill("10%")
    page.get_by_label("Forged responses").press("Enter")
    page.locator(".verdict", has_text="whatever 1 of the responses say").wait_for()
    assert "at most 3; more are refused where pairs are entered" in page.locator(".facts").text_content()
    operator.check()


def test_keys_that_are_not_detected_are_marked(people: Any, server: ServeProcess) -> None:
    """One key stands out of equal counts: the rows of the others are grey and say why, and their means are unknown."""
    task = add_task(server, name="marks", epsilon=2, mechanism="grr")
    words = [1] * 200 + list(range(10)) * 20
    reports = [pckv.Report(number.to_bytes(16, "big"), word.to_bytes(8, "little")) for number, word in enumerate(words)]
    send_reports(server, task, reports)
    operator = people()
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    page = operator.page
    operator.unfold("Details: how this was estimated")
    with page.expect_response(re.compile("/precision.*method=corrected")):
        choose(page, "Method", "corrected")
    grey = page.locator(".estimates tbody tr.soft")
    grey.nth(2).wait_for()
    assert [row.locator("td > span").all_inner_texts() for row in grey.all()] == [
        ["not distinguishable from noise", "unknown"]
    ] * 3
    assert all(text.startswith("(0 to ") for text in grey.locator("td:nth-of-type(1) small").all_inner_texts())
    assert grey.locator("th").all_inner_texts() == KEYS[1:]
    page.get_by_text("Grey: not clearly above zero.").wait_for()
    averages = page.locator(".bars").nth(1).locator(".bar-number").all_inner_texts()
    assert averages.count("unknown") == 3
    operator.check()


@contextmanager
def elsewhere(page: str) -> Iterator[str]:
    """Serve a page of another origin; yield its address."""

    class PageHandler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), PageHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("key", [HOSTILE, "__proto__", "constructor"])
def test_the_lines_for_a_page_do_what_they_promise(people: Any, server: ServeProcess, browser: Any, key: str) -> None:
    # At this ε, which the default cap just allows, all but one report in thousands show the key that they were created
    # from, where no size is asked.
    task = add_task(server, name=f"for a page {key}", keys=[key, "Heat"], epsilon=10, size_share=0)
    operator = people()
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    lines = operator.page.get_by_label("In a page, with JavaScript", exact=True).input_value()
    with elsewhere(lines) as address:
        context = browser.new_context()
        page = context.new_page()
        with page.expect_response(lambda answer: answer.url.endswith("/reports")) as waiting:
            page.goto(address)
        assert waiting.value.json() == {"refused": []}
        context.close()
    assert count(server, task.id) == 1
    estimates = ask(server, "GET", f"/tasks/{task.id}/estimates?method=baseline").json()["estimates"]
    assert [round(row["frequency"]) for row in estimates] == [1, 0]


def is_leaving_asked(page: Any) -> bool:
    """Return whether the browser asks before the page is closed or loaded again."""
    event = "new Event('beforeunload', { cancelable: true })"
    return bool(page.evaluate(f"() => !window.dispatchEvent({event})"))


def save_links(operator: Any) -> None:
    with operator.page.expect_download():
        operator.press("Download all links")


def create_invitations(operator: Any, number: int) -> None:
    operator.page.get_by_label("How many", exact=True).fill(str(number))
    operator.press("Create invitations …")
    operator.press("Create invitations")


def test_invitations_of_a_task_that_everybody_could_answer(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="invitations later")
    operator = people(PHONE)
    operator.sign_in()
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/share")
    page = operator.page
    page.get_by_text("Everybody with the link can take part now.").wait_for()
    create_invitations(operator, 0)
    page.get_by_role("dialog").get_by_role("alert").get_by_text("How many:").wait_for()
    operator.press("Cancel")
    assert ask(server, "GET", f"/tasks/{task.id}/overview").json()["by_invitation"] is False
    create_invitations(operator, 1500)
    page.get_by_text("The first 1,000 are shown here").wait_for()
    page.get_by_text("1,500 invitations made, 0 used.").wait_for()
    page.get_by_text("Only people with an invitation can take part. Each").wait_for()
    assert page.get_by_text("Everybody with").filter(visible=True).count() == 0
    operator.check()
    # The links are shown only now: nobody leaves without them by mistake.
    create_invitations(operator, 1)
    page.get_by_role("dialog").get_by_text("Save the links that are shown first").wait_for()
    operator.press("Cancel")
    assert is_leaving_asked(page)
    operator.press("Surveys", "link")
    page.get_by_role("dialog", name="Leave without saving the links?").wait_for()
    operator.check()
    operator.press("Stay here")
    # Nor does the end of a session take them away.
    operator.context.clear_cookies(name=PLAIN_COOKIE)
    page.get_by_role("main").get_by_text("Save the links that are shown").wait_for()
    operator.press("Results", "link")
    operator.press("Stay here")
    assert page.url.endswith(f"#/tasks/{task.id}/share")
    with page.expect_download() as waiting:
        operator.press("Download the table (CSV)")
    title, *rows = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    numbers, links = zip(*(row.split(",") for row in rows), strict=True)
    assert (title, numbers[0], numbers[-1], len(set(links))) == ("number,link", "1", "1500", 1500)
    assert links[0].startswith(f"{operator.origin}/join/{task.id}#invitation=")
    # All are copied, those too that have no room in the box.
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    operator.press("Copy: Links to hand out")
    assert tuple(page.evaluate("window.copied").split()) == links
    assert not is_leaving_asked(page)
    operator.press("Sign in")
    operator.fill_in_token()
    page.get_by_text("1,500 invitations made, 0 used.").wait_for()
    # The browser itself logs that the answers were 401.
    operator.forgive("401")


def test_how_many_invitations_were_used_is_shown_after_the_end_too(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="used invitations")
    [invitation, _] = ask(server, "POST", f"/tasks/{task.id}/invitations?count=2").json()["invitations"]
    report = as_items(pckv.perturb(task, {"Heat": 3}))[0] | {"invitation": invitation}
    ask(server, "POST", f"/tasks/{task.id}/reports", json.dumps({"reports": [report]}).encode(), "application/json")
    operator = people(PHONE)
    operator.sign_in()
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/share")
    page = operator.page
    page.get_by_text("2 invitations made, 1 used.").wait_for()
    page.get_by_role("button", name="Create invitations …").wait_for()
    ask(server, "POST", f"/tasks/{task.id}/close")
    page.get_by_text("Taking part has ended.").wait_for()
    page.reload()
    page.get_by_text("2 invitations made, 1 used.").wait_for()
    assert not page.get_by_role("button", name="Create invitations …").is_visible()
    operator.check()


def test_a_sheet_of_invitations_is_printed(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="on paper")
    operator = people(DESK)
    operator.sign_in()
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/share")
    page = operator.page
    create_invitations(operator, 3)
    links = page.get_by_label("Links to hand out", exact=True).input_value().splitlines()
    page.evaluate("() => { window.print = () => {}; }")
    operator.press("Print QR codes")
    page.emulate_media(media="print")
    codes = page.get_by_role("img", name="QR code of an invitation")
    codes.nth(2).wait_for()
    assert page.get_by_label("QR codes to print").count() == 0
    assert not page.get_by_role("main").is_visible()
    read = [read_code(code) for code in codes.all()]
    assert read == links
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator(".qr-sheet").count() == 0
    # The printing may have been cancelled.
    assert is_leaving_asked(page)
    save_links(operator)


def test_very_many_codes_are_printed_in_parts(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="in parts")
    operator = people(DESK)
    operator.sign_in()
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/share")
    page = operator.page
    # Drawing a thousand takes long; what codes hold is tested above.
    drawn = []

    def draw(route: Any) -> None:
        drawn.append(len(route.request.post_data_json["links"]))
        route.fulfill(json={"codes": [{"size": 1, "path": "M0 0h1v1h-1z"}] * drawn[-1]})

    page.route("**/qr", draw)
    create_invitations(operator, 1001)
    page.evaluate("() => { window.print = () => {}; }")
    parts = page.get_by_label("QR codes to print")
    parts.wait_for()
    assert parts.locator("option").all_inner_texts() == ["1 to 1,000 of 1,001", "1,001 to 1,001 of 1,001"]
    parts.select_option(label="1,001 to 1,001 of 1,001")
    operator.press("Print QR codes")
    codes = page.locator(".qr-sheet > div")
    codes.first.wait_for(state="attached")
    assert codes.count() == 1
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    parts.select_option(label="1 to 1,000 of 1,001")
    operator.press("Print QR codes")
    codes.nth(999).wait_for(state="attached")
    assert drawn == [1, *[100] * 10]
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert codes.count() == 0
    save_links(operator)


def test_what_is_said_of_invitations_holds_before_and_after_the_first(server: ServeProcess, people: Any) -> None:
    about = {"question": "Which films?", "translations": {"de": {"question": "Welche Filme?"}}}
    task = add_task(server, name="by/letter", about=about, closes="2099-01-01")
    operator = people(PHONE)
    operator.sign_in()
    has_address(operator)
    operator.go(f"/#/tasks/{task.id}/share")
    page = operator.page
    letter = page.locator(".letter textarea")
    assert f"Which films?\n\nThis is the link to take part:\n{operator.origin}/join/{task.id}\n" in letter.input_value()
    assert "until the end of December 31, 2098 (world time, UTC)" in letter.input_value()
    operator.check()
    create_invitations(operator, 2)
    page.get_by_text("Every person takes part by a link of their own. Those that were created").wait_for()
    assert "[link]\nIt is for you alone and works once." in letter.input_value()
    with page.expect_download() as waiting:
        operator.press("Download all links")
    assert waiting.value.suggested_filename == "by-letter-invitations.txt"
    operator.press("Create invitations …")
    text = page.get_by_role("dialog", name="Create invitations?").inner_text()
    assert "stay valid" in text
    assert "cannot be undone" not in text
    operator.press("Cancel")
    operator.check()


def test_a_poster_and_a_letter_are_in_a_language_of_the_survey(server: ServeProcess, people: Any) -> None:
    about = {
        "question": "Which films?",
        "description": "For the club.",
        "translations": {"de": {"question": "Welche Filme?"}},
    }
    task = add_task(server, name="on walls", about=about, closes="2099-01-01")
    operator = people(DESK)
    operator.sign_in()
    has_address(operator)
    page = operator.page
    page.route("**/organisation", lambda route: route.fulfill(json={"name": "The Film Club", "logo": False}))
    operator.go(f"/#/tasks/{task.id}/share")
    letter = page.locator(".letter textarea")
    assert "The Film Club would like to ask you:\nWhich films?\n\nFor the club.\n" in letter.input_value()
    page.get_by_label("Language of the text").select_option(label="Deutsch")
    page.locator(".letter textarea[lang=de]").wait_for()
    assert "The Film Club möchte Sie gern fragen:\nWelche Filme?\n\nFor the club.\n" in letter.input_value()
    operator.check()
    page.evaluate("() => { window.printed = 0; window.print = () => { window.printed++; }; }")
    operator.press("Print a poster")
    page.emulate_media(media="print")
    poster = page.locator(".poster")
    poster.get_by_role("heading", name="Welche Filme?").wait_for()
    told = poster.inner_text()
    assert f"{operator.origin}/join/{task.id}" in told
    assert "bis einschließlich 31. Dezember 2098 antworten (Weltzeit, UTC)" in told
    assert not page.get_by_role("main").is_visible()
    assert poster.bounding_box()["height"] < A4_HEIGHT
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert (poster.count(), page.evaluate("window.printed")) == (0, 1)


def read_code(picture: Any) -> str:
    """Return what a decoder reads in a code that is drawn as runs of dark squares."""
    try:
        zxing = import_module("zxingcpp")
    except ModuleNotFoundError:
        missing_part("zxing-cpp")
    size = int(picture.get_attribute("viewBox").split()[2])
    pixels = np.full((size, size), 255, np.uint8)
    for run in re.findall(r"M(\d+) (\d+)h(\d+)v1", picture.locator("path").get_attribute("d")):
        x, y, length = map(int, run)
        pixels[y, x : x + length] = 0
    [code] = zxing.read_barcodes(np.kron(pixels, np.ones((8, 8), np.uint8)))
    return str(code.text)


def test_an_erasure_that_has_to_wait_is_said(server: ServeProcess, people: Any) -> None:
    task = add_task(server, name="erased later")
    operator = people(PHONE)
    operator.sign_in()
    answers = ["pending", "done"]

    def delete(route: Any) -> None:
        assert route.request.method == "DELETE"
        deletion = {"task": task.id, "day": "2030-01-01", "reports": 3, "erasure": answers.pop(0)}
        route.fulfill(status=200, json=deletion)

    operator.page.route(f"**/tasks/{task.id}?now=true", delete)
    operator.go(f"/#/tasks/{task.id}/settings")
    operator.press("Delete …")
    page = operator.page
    dialog = page.get_by_role("dialog", name="Delete this survey?")
    dialog.get_by_text("For seven days you can restore it").wait_for()
    page.get_by_label("Delete now, for good").check()
    dialog.get_by_text("are deleted for good.").wait_for()
    assert "restore it from" not in dialog.inner_text()
    operator.press("Delete now")
    page.get_by_text("3 responses deleted").wait_for()
    page.get_by_text("They are not yet erased from the files of the database").wait_for()
    operator.check()
    operator.press("Ask again")
    page.locator("#erasure", has_text="They are erased from the files of the database too.").wait_for()
    assert page.get_by_role("button", name="Ask again").count() == 0


def test_an_alarm_stands_out(server: ServeProcess, people: Any) -> None:
    """What it means and what to do stand across the page, for the reader's role, and what was found is a fact."""
    task = add_task(server, name="alarmed")
    said = [
        "These reports are unusual, and numbers that come from them may be wrong.",
        "200 reports name the same function.",
        "Nothing is dropped.",
    ]
    found = {
        "checked": "2030-03-17T17:46+00:00",
        "reports": 300,
        "unusual": ["heaviest function"],
        "sentences": said,
    }

    shown: dict[str, Any] = {}

    def alarmed(route: Any) -> None:
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | {"alarms": found} | shown)

    operator = people(DESK)
    operator.page.route("**/overview", alarmed)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    box = operator.page.locator(".alert")
    box.wait_for()
    first, remedy, _ = box.locator("p").all_inner_texts()
    assert first == "These responses are unusual, and numbers that come from them may be wrong."
    assert remedy.startswith("What to do: ask those who handed out the link")
    assert "repeat it with invitations" in remedy
    facts = operator.page.locator(".facts").text_content()
    found_out = " ".join([first, *said[1:]])
    assert f"{found_out} (Checked: the 300 responses that had come by 2030-03-17 17:46 UTC.)" in facts
    others: list[tuple[dict[str, Any], str]] = [
        ({"by_invitation": True}, "ask those who handed out the invitations"),
        ({"by_invitation": False, "series": {"id": task.id, "round": 1}}, "the results of this round"),
    ]
    for members, told in others:
        shown.update(members)
        box.get_by_text(told).wait_for()
        assert "repeat it" not in box.inner_text()
    analyst = people(PHONE)
    analyst.page.route("**/overview", alarmed)
    analyst.sign_in(token=ANALYST)
    analyst.go(f"/#/tasks/{task.id}")
    analyst.page.locator(".alert").get_by_text("What to do: tell those who run this survey").wait_for()
    operator.check()
    # The page asks for news until it is closed, whatever the answers are.
    operator.page.unroute_all(behavior="ignoreErrors")
