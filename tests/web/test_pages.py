"""The pages in a real browser before a real collector: the whole way of a collection, seen by its people."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx2
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import pckv
from pckv.cli import main
from pckv.collector.auth import token_hash
from pckv.store.base import Role
from support.browser import OPTIONS, chromium
from support.collectors import ADMINISTRATOR, ANALYST, as_items, bearer, wait_until
from support.parts import missing_part
from support.serving import Serving, serving
from support.stores import opened

HOSTILE = "<script>alert(1)</script>"
NAME = "Films <img src=x onerror=alert(1)>"
KEYS = ["Alien", "Heat", HOSTILE, "Toy Story"]
MORE_REPORTS = 2000
SCREENSHOTS = Path(__file__).parents[2] / "docs" / "screenshots"
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
# What matters to people who cannot see, point or tell colours apart.
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("collector")
    with opened(f"sqlite:///{folder}/pckv.db") as store:
        store.set_token(Role.ADMINISTRATOR, token_hash(ADMINISTRATOR))
        store.set_token(Role.ANALYST, token_hash(ANALYST))
    with serving(folder) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        launched = found.launch(**OPTIONS)
        yield launched
        launched.close()


class Person:
    """Somebody with a browser of their own, of which nothing bad may be heard."""

    def __init__(self, context: Any, origin: str) -> None:
        self.context, self.origin = context, origin
        self.bad: list[str] = []
        self.sent: list[str] = []
        context.on("request", self._asked)
        context.on("weberror", lambda error: self.bad.append(str(error.error)))
        context.on("console", self._said)
        self.page = context.new_page()
        self.page.on("dialog", lambda dialog: self.bad.append(f"a dialog: {dialog.message}"))

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "blob:" + self.origin, "data:")):
            self.bad.append(f"a request to {request.url}")
        if request.post_data:
            self.sent.append(request.post_data)

    def _said(self, message: Any) -> None:
        # Without a network the browser says so of every request.
        if message.type in {"error", "warning"} and "ERR_INTERNET_DISCONNECTED" not in message.text:
            self.bad.append(message.text)

    def go(self, path: str) -> None:
        self.page.goto(self.origin + path)

    def press(self, name: str, role: str = "button") -> None:
        self.page.get_by_role(role, name=name, exact=True).click()

    def sign_in(self, token: str = ADMINISTRATOR) -> None:
        self.go("/")
        self.page.get_by_label("Token").fill(token)
        self.press("Sign in")
        self.page.get_by_role("heading", name="Tasks").wait_for()

    def state(self, name: str) -> None:
        self.page.locator(f"[data-state={name}]").wait_for()

    def check(self) -> None:
        """Whoever cannot see can use what is shown, and nothing is wider than the screen."""
        try:
            axe = import_module("axe_playwright_python.sync_playwright").Axe()
        except ModuleNotFoundError:
            missing_part("axe-playwright-python")
        found = axe.run(self.page).response["violations"]
        serious = [
            (each["id"], node["html"])
            for each in found
            if each["impact"] in SERIOUS
            for node in each["nodes"]
        ]
        assert serious == []
        width = self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= self.page.viewport_size["width"]


@pytest.fixture
def people(browser: Any, collector: Serving) -> Iterator[Any]:
    """People who come one after the other; all must have stayed unharmed."""
    persons: list[Person] = []

    def come(viewport: dict[str, int] = DESK, **options: Any) -> Person:
        context = browser.new_context(viewport=viewport, **options)
        context.set_default_timeout(20_000)
        persons.append(Person(context, f"http://127.0.0.1:{collector.port}"))
        return persons[-1]

    yield come
    for person in persons:
        person.context.close()
    assert [said for person in persons for said in person.bad] == []


def ask(collector: Serving, method: str, path: str, content: bytes = b"", media: str = "") -> httpx2.Response:
    """What the collector says to the administrator."""
    headers = bearer(ADMINISTRATOR) | ({"Content-Type": media} if media else {})
    address = f"http://127.0.0.1:{collector.port}{path}"
    return httpx2.request(method, address, content=content, headers=headers, timeout=20).raise_for_status()


def add_task(collector: Serving, **members: Any) -> pckv.Task:
    given: dict[str, Any] = {"name": "a task", "keys": KEYS, "values": (1, 5), "epsilon": 1} | members
    task = pckv.Task(**given)
    ask(collector, "POST", "/tasks", content=task.to_json().encode(), media="application/json")
    return task


def count(collector: Serving, task_id: str) -> int:
    return int(ask(collector, "GET", f"/tasks/{task_id}/overview").json()["reports"])


# The whole way


def make_task(operator: Person) -> tuple[str, str]:
    """The operator fills in the form; the id of the task, and the lines for an app."""
    page = operator.page
    operator.press("New task", "link")
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_label("Keys, one a line").fill("\n".join(KEYS))
    page.get_by_label("ε", exact=True).fill("2")
    page.get_by_label("People expected").fill("2000")
    page.get_by_text(re.compile(r"\d+ bytes a report")).wait_for()
    page.locator(".chart svg").nth(1).wait_for()
    operator.check()
    operator.press("Make the task")
    page.get_by_role("heading", name="is made").wait_for()
    assert NAME in page.locator("h1").inner_text()
    lines = page.get_by_label("In an app, with Python", exact=True).input_value()
    link = page.locator("a[href*='/join/']").get_attribute("href")
    assert (
        page.get_by_label("In a page, with JavaScript", exact=True).input_value().startswith("<script type")
    )
    operator.check()
    return link.rpartition("/")[2], lines


def answer(person: Person, task_id: str, values: dict[str, int]) -> str:
    """Somebody fills in the form and looks at the report; the bytes that are shown of it."""
    person.go(f"/join/{task_id}")
    for key, value in values.items():
        person.page.get_by_role("group", name=key).get_by_role("radio", name=str(value)).check()
    person.press("Make my report")
    person.state("prepared")
    entered = person.page.locator(".compare > div").first
    for key, value in values.items():
        assert f"{key}: {value}" in entered.inner_text()
    assert person.sent == []
    return str(person.page.locator("#body").inner_text())


def sent_bodies(person: Person) -> list[str]:
    """The bodies of all reports that left a browser, as the page writes bytes."""
    reports = [report for sent in person.sent for report in json.loads(sent)["reports"]]
    assert all(report.keys() == {"id", "body"} for report in reports)
    return [pckv.canonical.from_base64url(report["body"]).hex(" ") for report in reports]


def test_a_whole_collection(collector: Serving, people: Any, tmp_path: Path) -> None:
    operator = people()
    operator.sign_in()
    task_id, lines = make_task(operator)
    operator.press("Look at it on the dashboard", "link")
    operator.page.get_by_text("There are no reports yet.").wait_for()

    one = people(PHONE)
    shown = answer(one, task_id, {"Alien": 4, HOSTILE: 2})
    one.check()
    one.press("Send this report")
    one.state("sent")
    one.check()
    assert sent_bodies(one) == [shown]

    two = people(PHONE, color_scheme="dark")
    shown = answer(two, task_id, {"Heat": 5})
    two.context.set_offline(True)
    two.press("Send this report")
    two.state("waiting")
    two.check()
    two.press("Try again now")
    # Once it has given up, only the network's return can help.
    two.page.get_by_role("button", name="Try again now", disabled=False).wait_for()
    assert count(collector, task_id) == 1
    two.context.set_offline(False)
    two.state("sent")
    assert set(sent_bodies(two)) == {shown}

    three = people()
    shown = answer(three, task_id, {"Toy Story": 1})
    three.page.reload()
    three.page.get_by_text("has taken part already").wait_for()
    three.state("prepared")
    assert three.page.locator("#body").inner_text() == shown
    three.press("Send this report")
    three.state("sent")
    three.page.reload()
    three.press("Send it again")
    three.page.locator(".note", has_text="It is the same report").wait_for()
    assert three.page.get_by_role("button", name="Make my report").count() == 0
    assert sent_bodies(three) == [shown]
    assert count(collector, task_id) == 3

    # The lines for an app do what they promise.
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, check=True, timeout=60)
    assert count(collector, task_id) == 4

    task = pckv.Task.from_json(ask(collector, "GET", f"/tasks/{task_id}").content)
    reports = [pckv.perturb(task, {KEYS[n % 4 % 3]: 1 + n % 5}) for n in range(MORE_REPORTS)]
    answered = httpx2.post(
        f"{operator.origin}/tasks/{task_id}/reports", json={"reports": as_items(*reports)}, timeout=20
    )
    assert answered.json() == {"refused": []}

    check_estimates(collector, operator, task, tmp_path)
    end(operator)


def check_estimates(collector: Serving, operator: Person, task: pckv.Task, folder: Path) -> None:
    """What the dashboard shows is what `pckv estimate` says of the exported reports, digit for digit."""
    page = operator.page
    (folder / "task.json").write_text(task.to_json(), encoding="utf-8")
    (folder / "reports.parquet").write_bytes(ask(collector, "GET", f"/tasks/{task.id}/reports").content)
    # The page has been open since there was no report.
    page.locator("#reports", has_text=f"{MORE_REPORTS + 4:,}").wait_for()
    page.locator(".chart svg", has_text=f"{MORE_REPORTS + 4:,} reports").wait_for()
    page.locator(".estimates tbody tr").nth(3).wait_for()
    page.locator(".chart svg").nth(1).wait_for()
    operator.check()
    for method, level in (("baseline", "0.99"), ("corrected", "0.9")):
        with page.expect_response(re.compile(rf"estimates\?.*method={method}")):
            page.get_by_label("Method", exact=True).select_option(method)
        with page.expect_response(re.compile(rf"estimates\?.*level={level}")):
            page.get_by_label("Level of the intervals").select_option(level)
        said = estimate(folder, "--method", method, "--level", level, "--top", "4", "--json")
        page.locator(
            ".estimates tbody tr", has_text=f"{json.loads(said)['estimates'][0]['frequency_low']:.4f}"
        ).wait_for()
        assert table(page) == [numbers(row) for row in json.loads(said)["estimates"]]
    posts = page.get_by_label("Post-processing")
    assert posts.input_value() == ""
    posts.select_option("consistent")
    page.locator(".chart svg", has_text="method corrected+consistent").wait_for()
    asked = ("--method", "corrected", "--post", "consistent", "--level", "0.9")
    said = json.loads(estimate(folder, *asked, "--top", "4", "--json"))
    wait_until(lambda: table(page) == [numbers(row) for row in said["estimates"]])
    posts.select_option("none")
    page.locator(".chart svg", has_text="method corrected,").wait_for()
    estimate(folder, "--out", "all.csv", "--method", "corrected", "--level", "0.9")
    assert download(page, "CSV").read_bytes() == (folder / "all.csv").read_bytes()
    assert pq.read_table(download(page, "Parquet")).column("key").to_pylist() == KEYS
    drawn = download(page, "SVG").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "&lt;script&gt;" in drawn
    assert "<script" not in drawn
    page.get_by_label("Search keys").fill("ALIEN")
    page.locator(".pager", has_text="1 – 1 of 1 keys").wait_for()
    page.get_by_label("Search keys").fill("")
    page.locator(".pager", has_text="1 – 4 of 4 keys").wait_for()
    page.get_by_role("columnheader", name="Key").get_by_role("button").click()
    page.locator("th[aria-sort=ascending]").wait_for()
    assert [row[0] for row in table(page)] == KEYS
    page.get_by_label("Wanted error").fill("0.5")
    page.get_by_text("An error of ±0.5 %").wait_for()


def estimate(folder: Path, *options: str) -> str:
    files = [str(folder / "reports.parquet"), "--task", str(folder / "task.json")]
    placed = [str(folder / option) if option.endswith(".csv") else option for option in options]
    done = CliRunner().invoke(main, ["estimate", *files, *placed], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def numbers(row: dict[str, Any]) -> tuple[Any, ...]:
    """An estimate as a row of the table: its text as the command prints it, and the whole numbers."""
    f, f_low, f_high = (row[f"frequency{end}"] for end in ("", "_low", "_high"))
    m, m_low, m_high = (row[f"mean{end}"] for end in ("", "_low", "_high"))
    texts = (f"{f:.4f}", f"{f_low:.4f} – {f_high:.4f}", f"{m:.3f}", f"{m_low:.3f} – {m_high:.3f}")
    return (row["key"], *zip(texts, ((f,), (f_low, f_high), (m,), (m_low, m_high)), strict=True))


def table(page: Any) -> list[tuple[Any, ...]]:
    found = []
    for row in page.locator(".estimates tbody tr").all():
        cells = [
            (cell.inner_text(), tuple(map(float, cell.get_attribute("title").split(" – "))))
            for cell in row.locator("td").all()
        ]
        found.append((row.locator("th").inner_text(), *cells))
    return found


def download(page: Any, form: str) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Download {form}").click()
    return Path(waiting.value.path())


def end(operator: Person) -> None:
    """Nothing ends before somebody read what that means, and said yes."""
    page = operator.page
    operator.press("Close …")
    dialog = page.get_by_role("dialog")
    assert "no more reports are taken" in dialog.inner_text()
    operator.check()
    operator.press("Cancel")
    assert page.locator(".badge").inner_text() == "open"
    operator.press("Close …")
    operator.press("Close")
    page.locator(".badge", has_text="closed").wait_for()
    operator.press("Delete …")
    assert "for good" in page.get_by_role("dialog").inner_text()
    operator.press("Delete")
    page.get_by_role("heading", name="Tasks").wait_for()
    assert page.get_by_role("link", name=NAME).count() == 0


# A pilot


def test_a_pilot_on_the_dashboard(collector: Serving, people: Any, tmp_path: Path) -> None:
    task = add_task(collector, name="small pilot", kind="sizes", padding=8)
    main = add_task(collector, name="small pilot")
    reports = [pckv.perturb(task, dict.fromkeys(KEYS[: n % 5], 3)) for n in range(2000)]
    address = f"http://127.0.0.1:{collector.port}/tasks/{task.id}/reports"
    httpx2.post(address, json={"reports": as_items(*reports)}, timeout=20).raise_for_status()
    operator = people(PHONE)
    operator.sign_in()
    page = operator.page
    page.get_by_role("link", name="small pilot").nth(1).wait_for()
    marked = page.locator("tbody tr", has_text="pilot").filter(has=page.locator(".badge.pilot"))
    assert [link.get_attribute("href") for link in marked.get_by_role("link").all()] == [f"#/tasks/{task.id}"]
    operator.check()
    operator.go(f"/#/tasks/{task.id}")
    page.locator(".chart svg", has_text="How many pairs people hold").wait_for()
    page.locator(".estimates tbody tr").nth(4).wait_for()
    assert page.locator("#reports").inner_text() == "2,000 of at most 20,000"
    (tmp_path / "task.json").write_text(task.to_json(), encoding="utf-8")
    (tmp_path / "reports.parquet").write_bytes(ask(collector, "GET", f"/tasks/{task.id}/reports").content)
    said = json.loads(estimate(tmp_path, "--json"))["estimates"]
    assert table(page) == [numbers(row)[:3] for row in said]
    headers = page.locator(".estimates th[scope=col]").all_inner_texts()
    assert [header.split("\n")[0].rstrip(" ▲▼") for header in headers] == [
        "Pairs",
        "Share of people",
        "Interval",
    ]
    line = page.get_by_label("The padding of the main task", exact=True).input_value()
    assert line == "pckv plan --keys 4 --users USERS --epsilon 1 --sizes sizes.csv\n"
    assert f'{{"{KEYS[0]}": 5}}' in page.get_by_label("In an app, with Python", exact=True).input_value()
    for gone in ("Precision", "Method", "Search keys"):
        assert page.get_by_text(gone, exact=True).count() == 0
    operator.check()
    estimate(tmp_path, "--out", "sizes.csv")
    assert download(page, "CSV").read_bytes() == (tmp_path / "sizes.csv").read_bytes()
    operator.go(f"/#/tasks/{main.id}")
    page.get_by_role("heading", name="Precision").wait_for()
    assert page.locator(".badge.pilot").count() == 0


# Who may see what


def test_signing_in_and_out(people: Any, collector: Serving) -> None:
    person = people(PHONE)
    person.go("/")
    person.check()
    person.page.get_by_label("Token").fill("wrong")
    person.press("Sign in")
    person.page.get_by_text("This token is not known here.").wait_for()
    # The browser itself says that the answer was 401.
    person.bad = [said for said in person.bad if "401" not in said]
    add_task(collector, name="for the list", opens="2099-01-01")
    person.sign_in(ANALYST)
    person.page.get_by_role("link", name="for the list").wait_for()
    assert person.page.get_by_text("not yet open").count() == 1
    assert person.page.get_by_role("link", name="New task").count() == 0
    person.check()
    person.page.reload()
    person.page.get_by_role("link", name="for the list").click()
    person.page.get_by_role("heading", name="Precision").wait_for()
    assert person.page.get_by_role("button", name="Delete …").count() == 0
    assert ANALYST not in person.page.url
    assert person.page.evaluate("document.cookie") == ""
    person.press("Sign out")
    person.page.get_by_label("Token").wait_for()
    person.page.reload()
    person.page.get_by_label("Token").wait_for()


# The participant's page


def test_a_report_by_keyboard_alone(people: Any, collector: Serving) -> None:
    task = add_task(collector, name="by keyboard", keys=["Alien", "Heat"])
    person = people()
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Make my report").wait_for()
    keys = person.page.keyboard
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowRight")
    assert person.page.locator("input:checked").get_attribute("value") == "2"
    for _ in range(10):
        keys.press("Tab")
        if person.page.evaluate("document.activeElement.textContent") == "Make my report":
            break
    keys.press("Enter")
    person.state("prepared")
    assert person.page.evaluate("document.activeElement.textContent") == "Look before you send"
    keys.press("Tab")
    keys.press("Enter")
    person.state("sent")
    assert "has arrived" in person.page.locator("#status").inner_text()
    assert count(collector, task.id) == 1


def test_many_keys_are_searched_and_any_number_is_slid(people: Any, collector: Serving) -> None:
    keys = [f"film {number}" for number in range(3000)] + [HOSTILE]
    task = add_task(collector, name="many", keys=keys, values=(0, 100), padding=2)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page = person.page
    page.get_by_label("Search for what applies").fill("SCRIPT")
    person.press(f"Add {HOSTILE}")
    person.press("Make my report")
    page.get_by_text("Choose a value for").wait_for()
    person.press(f"Give {HOSTILE} a value")
    page.get_by_role("spinbutton").fill("101")
    person.press("Make my report")
    page.get_by_text("Choose a value for").wait_for()
    page.get_by_role("spinbutton").fill("12.5")
    assert page.get_by_role("slider").input_value() == "12.5"
    page.get_by_label("Search for what applies").fill("film 29")
    person.press("Add film 29")
    person.press("Remove film 29")
    person.check()
    person.press("Make my report")
    person.state("prepared")
    assert f"{HOSTILE}: 12.5" in page.locator(".compare").inner_text()
    person.check()


def test_a_phone_in_the_dark(people: Any, collector: Serving) -> None:
    task = add_task(collector, name="dark", keys=KEYS, closes="2099-01-01")
    person = people(PHONE, color_scheme="dark")
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Make my report").wait_for()
    assert "2099-01-01" in person.page.locator("main").inner_text()
    check_odds(task, person.page.locator("#odds").inner_text())
    person.check()
    operator = people(PHONE, color_scheme="dark")
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    operator.page.locator(".chart svg").nth(1).wait_for()
    operator.check()
    operator.go("/#/new")
    operator.page.get_by_label("Keys, one a line").fill("a\nb")
    operator.page.locator(".chart svg").nth(1).wait_for()
    operator.check()


def check_odds(task: pckv.Task, sentence: str, *, held_first: bool = False) -> None:
    """The chances that are named are those of the exact law."""
    law = task.channel.count_law
    named = (law.holder_plus, law.absent) if held_first else (law.absent, law.holder_plus)
    chances = [100 * float(each.plus + each.minus + each.both) for each in named]
    said = re.findall(r"probability ([0-9.]+) %", sentence)
    assert [float(chance) for chance in said] == pytest.approx(chances, rel=0.005)


def test_a_pilot_says_what_it_asks_and_stands_for_its_survey(people: Any, collector: Serving) -> None:
    survey = {"name": "pilot first", "keys": KEYS}
    pilot = add_task(collector, **survey, kind="sizes", padding=4)
    person = people(PHONE)
    person.go(f"/join/{pilot.id}")
    page = person.page
    page.get_by_role("button", name="Make my report").wait_for()
    assert "how many of 4 things apply to you" in page.locator("#pilot").inner_text()
    assert "4 ranges: 0, 1, 2, 3+." in page.locator("#odds").inner_text()
    check_odds(pilot, page.locator("#odds").inner_text(), held_first=True)
    for key in ("Alien", HOSTILE, "Heat"):
        page.get_by_role("checkbox", name=key).check()
    page.get_by_role("checkbox", name="Heat").uncheck()
    person.check()
    person.press("Make my report")
    person.state("prepared")
    entered, leaves = (each.inner_text() for each in page.locator(".compare > div").all())
    assert re.findall(r"2 of them|Alien|Heat|<script>", entered) == ["2 of them", "Alien", "<script>"]
    bucket = bytes.fromhex(page.locator("#body").inner_text())[0]
    assert f"It claims that {['0', '1', '2', '3+'][bucket]} of them apply to you." in leaves
    assert "Alien" not in leaves
    assert person.sent == []
    person.check()
    person.press("Send this report")
    person.state("sent")
    assert count(collector, pilot.id) == 1
    main_task = add_task(collector, **survey)
    person.go(f"/join/{main_task.id}")
    person.press("Make my report")
    page.get_by_role("alert", name="").get_by_text("has taken part in the pilot").wait_for()
    assert page.get_by_role("button").count() == 0
    assert (len(person.sent), count(collector, main_task.id)) == (1, 0)


@pytest.mark.parametrize(
    ("days", "said"),
    [({"closes": "2020-01-01"}, "This survey is over"), ({"opens": "2099-01-01"}, "opens on 2099-01-01")],
)
def test_nothing_is_made_outside_the_days(
    people: Any, collector: Serving, days: dict[str, str], said: str
) -> None:
    task = add_task(collector, name=f"days {said}", **days)
    person = people()
    person.go(f"/join/{task.id}")
    person.page.get_by_role("status").get_by_text(said).first.wait_for()
    assert person.page.get_by_role("button").count() == 0


def test_an_invitation_comes_with_the_link(people: Any, collector: Serving) -> None:
    task = add_task(collector, name="by invitation")
    [invitation] = ask(collector, "POST", f"/tasks/{task.id}/invitations").json()["invitations"]
    invited, stranger = people(), people()
    for person, fragment, state in (
        (stranger, "", "refused"),
        (invited, f"#invitation={invitation}", "sent"),
    ):
        person.go(f"/join/{task.id}{fragment}")
        person.press("Make my report")
        person.state("prepared")
        person.press("Send this report")
        person.state(state)
    assert count(collector, task.id) == 1


def test_an_unknown_task_is_said_to_be_one(people: Any) -> None:
    person = people()
    person.go("/join/" + "A" * 43)
    person.page.get_by_role("alert").wait_for()
    person.bad = [said for said in person.bad if "404" not in said]


def test_a_task_closed_early_refuses_and_says_so(people: Any, collector: Serving) -> None:
    task = add_task(collector, name="closed early")
    person = people()
    answer(person, task.id, {"Alien": 1})
    ask(collector, "POST", f"/tasks/{task.id}/close")
    person.press("Send this report")
    person.state("refused")
    assert "closed" in person.page.locator("main").inner_text()
    person.bad = [said for said in person.bad if "403" not in said]


@contextmanager
def elsewhere(page: str) -> Iterator[str]:
    """The address of a page of another origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_the_lines_for_a_page_do_what_they_promise(people: Any, collector: Serving, browser: Any) -> None:
    task = add_task(collector, name="for a page", keys=[HOSTILE, "Heat"])
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
    assert count(collector, task.id) == 1


# Pictures for the documents

FILMS = [
    "Alien",
    "Casablanca",
    "Heat",
    "Jaws",
    "Metropolis",
    "Playtime",
    "Psycho",
    "Rashomon",
    "Stalker",
    "Up",
]


# What the README shows.
PICTURES = {
    "task-desk-light",
    "task-desk-dark",
    "new-task-desk-light",
    "join-phone-light",
    "join-look-phone-dark",
}


@pytest.fixture(scope="module")
def films(collector: Serving, request: pytest.FixtureRequest) -> pckv.Task:
    """A collection worth a picture."""
    if not request.config.getoption("--screenshots"):
        pytest.skip("pictures are written with --screenshots")
    task = add_task(collector, name="Films of the year", keys=FILMS, epsilon=2, closes="2099-01-01")
    seeded = random.Random(1)
    for _ in range(2):
        likings = [min(9, int(seeded.expovariate(0.4))) for _ in range(5000)]
        reports = [
            pckv.perturb(task, {FILMS[film]: min(5, 1 + (film * 7 + n) % 6)})
            for n, film in enumerate(likings)
        ]
        address = f"http://127.0.0.1:{collector.port}/tasks/{task.id}/reports"
        httpx2.post(address, json={"reports": as_items(*reports)}, timeout=20).raise_for_status()
    return task


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("size", "viewport"), [("desk", DESK), ("phone", PHONE)])
def test_pictures(people: Any, films: pckv.Task, scheme: str, size: str, viewport: dict[str, int]) -> None:
    person = people(viewport, color_scheme=scheme)

    def shoot(name: str) -> None:
        if f"{name}-{size}-{scheme}" in PICTURES:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            person.page.screenshot(path=SCREENSHOTS / f"{name}-{size}-{scheme}.png", full_page=True)

    page = person.page
    person.sign_in()
    person.go(f"/#/tasks/{films.id}")
    page.locator(".chart svg").nth(1).wait_for()
    page.locator(".snippet").nth(1).wait_for()
    shoot("task")
    person.go("/#/new")
    page.get_by_label("Name", exact=True).fill("Films of the year")
    page.get_by_label("Keys, one a line").fill("\n".join(FILMS))
    page.locator(".chart svg").nth(1).wait_for()
    shoot("new-task")
    person.go(f"/join/{films.id}")
    for key, value in (("Alien", 4), ("Playtime", 5)):
        page.get_by_role("group", name=key).get_by_role("radio", name=str(value)).check()
    shoot("join")
    person.press("Make my report")
    person.state("prepared")
    shoot("join-look")
