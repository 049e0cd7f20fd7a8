"""The pages: weight and time of the participant's page on a slow network, a dashboard with 250,000 keys.

The bars: the participant's page of a task with 50 keys can be used within 1 s at 1.6 Mbit/s and 150 ms per
request (the slow network of Lighthouse), from an empty cache; the first chart of a task is drawn within 2.5 s there; a
search on the dashboard answers within 300 ms
once estimates are computed, and the heap of its page is below 50 MB.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx2
import numpy as np

from bench.measurement import Measurement, absolute, seconds
from bench.processes import ROOT
from pckv import Task
from pckv.base.days import utc_today
from pckv.base.wire import Report
from pckv.collector.http.auth import PLAIN_COOKIE
from pckv.store.base import Upload

# The collector and the browser that the tests use.
sys.path.insert(0, str(ROOT / "tests"))
from support.browser import OPTIONS, chromium
from support.collectors import ADMINISTRATOR, ANALYST, Running, bearer, running
from support.site import OWN_PAGE

KEYS, REPORTS = 250_000, 200_000
SEARCHES = ("film", "film 1", "12345", "nothing like it", "FILM 99")
MAX_SEARCH, MAX_HEAP = 300.0, 50.0
LOADS, JOIN_KEYS, MAX_LOAD = 7, 50, 1000.0
MAX_FIRST_CHART = 2500.0
# Bytes per second and milliseconds per request.
SLOW_NETWORK = {"downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8, "latency": 150}
# Notes when a button can first be pressed, in milliseconds since the page was asked for.
NOTE_USABLE = """new MutationObserver((_, observer) => {
    if (!document.querySelector("BUTTON:not(:disabled)")) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.usable = performance.now(); }));
}).observe(document, { childList: true, subtree: true });"""


def measurements() -> Iterator[Measurement]:
    """Load pages over a slow network; then fill a collector, and search it directly and in a browser."""
    yield from page_loads()
    yield from first_charts()
    yield from searches()


def page_loads() -> Iterator[Measurement]:
    """Load the participant's page of every mechanism with an empty cache, and the page to sign in."""
    about = {"question": "How long did you use them?", "consent": "I agree. " * 20, "unit": "minutes"}
    names = [f"feature {number} of the product" for number in range(JOIN_KEYS)]
    with running() as collector, chromium() as browsers:
        browser = browsers.launch(**OPTIONS)
        for mechanism in ("collision", "ue"):
            task = Task(name=mechanism, keys=names, values=(0, 60), epsilon=1, mechanism=mechanism, about=about)
            collector.store.add_task(task, utc_today())
            address = f"http://127.0.0.1:{collector.port}/join/{task.id}"
            loads = [load(browser, address, ".none input") for _ in range(LOADS)]
            name = f"participant's page, {JOIN_KEYS} keys, {mechanism}"
            yield absolute(f"{name}: usable", "ms", [usable for usable, _ in loads], MAX_LOAD)
            yield absolute(f"{name}: loaded", "kB", [size for _, size in loads])
        address = f"http://127.0.0.1:{collector.port}/"
        signed_out = load(browser, address, "form button")
        yield absolute("page to sign in: loaded", "kB", [signed_out[1]])
        browser.close()


def first_charts() -> Iterator[Measurement]:
    """Open the page of a task and its public results with an empty cache, until their first chart is drawn."""
    names = [f"feature {number} of the product" for number in range(20)]
    task = Task(name="features", keys=names, values=(0, 60), epsilon=1, mechanism="collision")
    with running() as collector, chromium() as browsers:
        browser = browsers.launch(**OPTIONS)
        fill(collector, task, 10_000)
        collector.administer("PATCH", f"/tasks/{task.id}", b'{"public_results":true}').raise_for_status()
        origin = f"http://127.0.0.1:{collector.port}"
        for name, path, token in (
            ("task", f"#/tasks/{task.id}", ADMINISTRATOR),
            ("results", f"results/{task.id}", None),
        ):
            loads = [load(browser, f"{origin}/{path}", ".bars .bar-plot", token) for _ in range(LOADS)]
            yield absolute(f"page of {name}: first chart", "ms", [drawn for drawn, _ in loads], MAX_FIRST_CHART)
            yield absolute(f"page of {name}: loaded", "kB", [size for _, size in loads])
        browser.close()


def load(browser: Any, address: str, button: str, token: str | None = None) -> tuple[float, float]:
    """Load a page over a slow network; return the milliseconds until it is usable, and kilobytes loaded.

    With a `token`, its session is there before.
    """
    context = browser.new_context()
    if token is not None:
        context.add_cookies([{"name": PLAIN_COOKIE, "value": _session(address, token), "url": address}])
    page = context.new_page()
    page.add_init_script(NOTE_USABLE.replace("BUTTON", button))
    session = context.new_cdp_session(page)
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {"offline": False, **SLOW_NETWORK})
    page.goto(address)
    page.locator(button).first.wait_for()
    page.wait_for_load_state("networkidle")
    usable = float(page.evaluate("window.usable"))
    context.close()
    return usable, sum(sizes) / 1000


def _session(address: str, token: str) -> str:
    origin = address.partition("/#")[0]
    answer = httpx2.post(f"{origin}/session", json={"token": token}, headers=OWN_PAGE | {"Origin": origin})
    return str(answer.raise_for_status().cookies[PLAIN_COOKIE])


def searches() -> Iterator[Measurement]:
    """Search among very many keys, at the server and in a browser."""
    names = [f"film {number} ({1900 + number % 125})" for number in range(KEYS)]
    # A search does not depend on the mechanism; the first estimates do, and `live` measures those of
    # collision.
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


def fill(collector: Running, task: Task, count: int = REPORTS) -> None:
    """Add reports with random words, which is what reports look like."""
    collector.store.add_task(task, utc_today())
    random = np.random.default_rng(1)
    if task.word_limit is None:
        raise SystemExit("this task has no words")
    words = random.integers(task.word_limit, size=count).astype("<i8")
    ids = random.bytes(16 * count)
    reports = [Report(ids[16 * at : 16 * at + 16], word.tobytes()) for at, word in enumerate(words)]
    for start in range(0, count, 10_000):
        collector.store.add_reports([Upload(task.id, reports[start : start + 10_000])], utc_today())


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
        page.locator(".bars").nth(1).wait_for()
        search = page.get_by_label("Search")
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
