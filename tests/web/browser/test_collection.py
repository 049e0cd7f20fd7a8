"""A whole collection in a browser, from the form for its task to its end, as its people see it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pyarrow.parquet as pq

import pckv
from support.collectors import as_items, wait_until
from support.people import (
    HOSTILE,
    KEYS,
    PHONE,
    PRECISION,
    Person,
    answer,
    ask,
    choose,
    count,
    create_task,
    download,
    estimate,
    fill_in,
    fill_task,
    has_address,
    numbers,
    sent_bodies,
    shown_body,
    table,
)
from support.serving import ServeProcess

NAME = "Films <img src=x onerror=alert(1)>"
MORE_REPORTS = 2000


def make_task(operator: Person) -> tuple[str, str]:
    """Fill in the form as the operator; return the id of the task, and the lines for an app."""
    page = operator.page
    page.get_by_role("navigation").get_by_role("link", name="New survey").click()
    page.get_by_role("link", name="Choose and rate").click()
    fill_task(operator, NAME, KEYS, pairs="1.5")
    operator.check()
    create_task(operator)
    page.get_by_role("heading", name=NAME).wait_for()
    page.get_by_role("heading", name="Take part").wait_for()
    lines = page.get_by_label("In an app, with Python", exact=True).input_value()
    link = page.locator(".share a[href*='/join/']").get_attribute("href")
    assert page.get_by_label("In a page, with JavaScript", exact=True).input_value().startswith("<script type")
    operator.check()
    return link.rpartition("/")[2], lines


def test_a_whole_collection(server: ServeProcess, people: Any, tmp_path: Path) -> None:
    operator = people()
    operator.sign_in()
    has_address(operator)
    operator.go("/")
    task_id, lines = make_task(operator)
    operator.press("Results", "link")
    operator.page.get_by_text("No responses yet: share the link").wait_for()

    one = people(PHONE)
    shown = answer(one, task_id, {"Alien": 4, HOSTILE: 2})
    one.check()
    assert sent_bodies(one) == [shown]

    two = people(PHONE, color_scheme="dark")
    fill_in(two, task_id, {"Heat": 5})
    two.context.set_offline(True)
    two.press("Send my answers")
    two.state("waiting")
    two.check()
    # A report that may still be kept back is not shown.
    assert two.page.locator(".leaves, .body").count() == 0
    two.press("Try now")
    # Once it has given up, it says when it tries next, and the network that returns is soon enough.
    two.page.get_by_role("button", name="Try now", disabled=False).wait_for()
    assert count(server, task_id) == 1
    two.context.set_offline(False)
    two.state("sent")
    assert set(sent_bodies(two)) == {shown_body(two)}

    three = people()
    shown = answer(three, task_id, {"Toy Story": 1})
    three.page.reload()
    three.page.get_by_text("was already answered on this device").wait_for()
    three.page.get_by_text("Another person can answer on another device").wait_for()
    three.state("sent")
    assert shown_body(three) == shown
    assert three.page.get_by_role("button").count() == 0
    assert sent_bodies(three) == [shown]
    assert count(server, task_id) == 3

    # The lines for an app do what they promise.
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, check=True, timeout=60)
    assert count(server, task_id) == 4

    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{task_id}").content)
    reports = [pckv.perturb(task, {KEYS[n % 4 % 3]: 1 + n % 5}) for n in range(MORE_REPORTS)]
    answered = httpx2.post(
        f"{operator.origin}/tasks/{task_id}/reports", json={"reports": as_items(*reports)}, timeout=20
    )
    assert answered.json() == {"refused": []}

    check_estimates(server, operator, task, tmp_path)
    end(operator)


def check_estimates(server: ServeProcess, operator: Person, task: pckv.Task, folder: Path) -> None:
    """Check that the dashboard shows what `pckv estimate` prints for the exported reports, digit for digit."""
    page = operator.page
    (folder / "task.json").write_text(task.to_json(), encoding="utf-8")
    (folder / "reports.parquet").write_bytes(ask(server, "GET", f"/tasks/{task.id}/reports").content)
    # The page was opened before the first report.
    page.locator("#reports", has_text=f"{MORE_REPORTS + 4:,}").wait_for()
    page.get_by_text(f"From {MORE_REPORTS + 4:,} responses.").wait_for()
    page.locator(".estimates tbody tr").nth(3).wait_for()
    page.locator(".bars").nth(1).wait_for()
    operator.unfold("Details: how this was estimated")
    operator.check()
    for method, level in (("baseline", "0.99"), ("corrected", "0.9")):
        with page.expect_response(re.compile(rf"estimates\?.*method={method}")):
            choose(page, "Method", method)
        with page.expect_response(re.compile(rf"estimates\?.*level={level}")):
            choose(page, "Confidence", level)
        printed = estimate(folder, "--method", method, "--level", level, "--top", "4", "--json")
        expected = [numbers(row) for row in json.loads(printed)["estimates"]]
        wait_until(partial(shows, page, expected))
    posts = page.get_by_label("Afterwards")
    assert posts.input_value() == ""
    posts.select_option("consistent")
    options = ("--method", "corrected", "--post", "consistent", "--level", "0.9")
    printed = json.loads(estimate(folder, *options, "--top", "4", "--json"))
    wait_until(lambda: table(page) == [numbers(row) for row in printed["estimates"]])
    with page.expect_response(re.compile(r"precision\?.*post=(&|$)|precision\?(?!.*post)")):
        posts.select_option("nothing")
    estimate(folder, "--out", "all.csv", "--method", "corrected", "--level", "0.9")
    assert download(page, "CSV").read_bytes() == (folder / "all.csv").read_bytes()
    assert pq.read_table(download(page, "Parquet")).column("key").to_pylist() == KEYS
    picture = download(page, "SVG").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "&lt;script&gt;" in picture
    assert "<script" not in picture
    page.get_by_role("columnheader", name="Answer option").get_by_role("button").click()
    page.locator("th[aria-sort=ascending]").wait_for()
    assert [row[0] for row in table(page)] == KEYS
    operator.unfold(PRECISION)
    page.get_by_label("Wanted range").fill("0.5")
    page.get_by_text("A range of ±0.5 points").wait_for()


def shows(page: Any, rows: list[tuple[Any, ...]]) -> bool:
    return table(page) == rows


def end(operator: Person) -> None:
    """Close and delete the task; both need a confirmation that explains the consequences."""
    page = operator.page
    operator.press("Settings", "link")
    operator.press("Close the survey …")
    dialog = page.get_by_role("dialog")
    assert "no responses are taken from now on" in dialog.inner_text()
    operator.check()
    operator.press("Cancel")
    assert page.locator(".badge").inner_text() == "open"
    operator.press("Close the survey …")
    operator.press("Close the survey")
    page.locator(".badge", has_text="closed").wait_for()
    operator.press("Delete …")
    assert "for good" in page.get_by_role("dialog").inner_text()
    page.get_by_label("Delete now, for good").check()
    operator.press("Delete now")
    page.get_by_role("heading", name="is deleted").wait_for()
    # A reader may still see what was deleted.
    while page.locator("#erasure").get_attribute("data-erasure") == "pending":
        operator.press("Ask again")
    assert "erased from the files of the database too" in page.locator("#erasure").inner_text()
    operator.check()
    operator.press("All surveys", "link")
    page.get_by_role("heading", name="Surveys", exact=True).wait_for()
    assert page.get_by_role("link", name=NAME).count() == 0
