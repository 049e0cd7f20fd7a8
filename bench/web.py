"""The dashboard with 250,000 keys: the time of a search and the memory of the page.

The bars: a search answers within 300 ms once estimates are computed, and the heap of the page is below 50 MB.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.measurement import Measurement, absolute, seconds
from bench.processes import ROOT
from pckv import Task
from pckv.store.base import Upload
from pckv.wire import Report

# The collector and the browser that the tests use.
sys.path.insert(0, str(ROOT / "tests"))
from support.browser import OPTIONS, chromium
from support.collectors import ADMINISTRATOR, ANALYST, Running, bearer, running

KEYS, REPORTS = 250_000, 200_000
SEARCHES = ("film", "film 1", "12345", "nothing like it", "FILM 99")
MAX_SEARCH, MAX_HEAP = 300.0, 50.0


def measurements() -> Iterator[Measurement]:
    """Fill a collector, then search it directly and in a browser."""
    names = [f"film {number} ({1900 + number % 125})" for number in range(KEYS)]
    # A search does not depend on the mechanism; the first estimates do, and `live` measures those of collision.
    task = Task(name="many films", keys=names, values=(1, 5), epsilon=1, mechanism="ue-compact")
    with running() as collector:
        fill(collector, task)
        path = f"/tasks/{task.id}/estimates?limit=25&sort=-frequency"
        yield absolute("first estimates", "ms", [milliseconds(partial(ask, collector, path))])
        times = [milliseconds(partial(ask, collector, f"{path}&search={text}")) for text in SEARCHES]
        yield absolute("a search at the server", "ms", times, MAX_SEARCH)
        yield absolute("the slowest search at the server", "ms", [max(times)], MAX_SEARCH)
        shown, heap = in_browser(collector, task)
        yield absolute("a search in the page, from keystroke to table", "ms", shown, MAX_SEARCH)
        yield absolute("heap of the page", "MB", [heap], MAX_HEAP)


def fill(collector: Running, task: Task) -> None:
    """Add reports with random words, which is what reports look like."""
    collector.store.add_task(task)
    random = np.random.default_rng(1)
    if task.word_limit is None:
        raise SystemExit("this task has no words")
    words = random.integers(task.word_limit, size=REPORTS).astype("<i8")
    ids = random.bytes(16 * REPORTS)
    reports = [Report(ids[16 * at : 16 * at + 16], word.tobytes()) for at, word in enumerate(words)]
    for start in range(0, REPORTS, 10_000):
        collector.store.add_reports([Upload(task.id, reports[start : start + 10_000])])


def ask(collector: Running, path: str) -> Any:
    """Return some rows of the table."""
    answer = collector.client.get(path, headers=bearer(ANALYST), timeout=300)
    return json.loads(answer.raise_for_status().text)


def milliseconds(action: Callable[[], object]) -> float:
    """Return how long one call takes on the wall clock."""
    return 1000 * seconds(action)


def in_browser(collector: Running, task: Task) -> tuple[list[float], float]:
    """Return the milliseconds of searches as a reader sees them, and the heap in megabytes after them."""
    with chromium() as browsers:
        browser = browsers.launch(**OPTIONS)
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"http://127.0.0.1:{collector.port}/")
        page.get_by_label("Token").fill(ADMINISTRATOR)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name=task.name).click()
        page.locator(".chart svg").nth(1).wait_for()
        search = page.get_by_label("Search keys")
        times = []
        for number in range(7):
            wanted = str(11111 * (number + 1))

            def look(wanted: str = wanted) -> None:
                search.fill(wanted)
                page.locator(".estimates tbody th", has_text=wanted).first.wait_for()

            times.append(milliseconds(look))
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")["usedSize"] / 2**20
        browser.close()
    return times, heap
