"""The JavaScript client in Debian's Chromium: a server for its files under a strict policy, and calls from pages."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pckv import Report, Task
from support.client_collector import LOST, FakeCollector, ReceivedRequest
from support.collectors import Running
from support.node import CLIENT
from support.parts import missing_part

FOLDER = Path(__file__).parent
POLICY = "default-src 'none'; script-src 'self'; connect-src *; require-trusted-types-for 'script'"
# A name other than localhost, and therefore not a secure context.
INSECURE = "pckv.test"
# The engine without the browser's own windows, where it is installed, and without a process to draw them: both take
# a third less time.
OPTIONS: dict[str, Any] = {
    "executable_path": shutil.which("chromium-headless-shell") or shutil.which("chromium"),
    "args": [
        "--no-sandbox",
        "--in-process-gpu",
        "--disable-gpu-compositing",
        f"--host-resolver-rules=MAP {INSECURE} 127.0.0.1",
    ],
}


# An address that no page asks for.
NOWHERE = "https://nowhere.invalid/"

PAIRS = {"1": 1, "4": 0.25}
QUICK = {"retryPolicy": {"tries": 2, "seconds": 60, "firstPause": 0.001, "timeout": 30}}


def forget_routes(context: Any) -> None:
    """Answer no request any more in place of a collector, but go on looking at all of them.

    A request that is sent in the moment in which Chromium stops to do so may never be answered
    (https://github.com/microsoft/playwright/issues/41802).
    """
    for page in context.pages:
        page.unroute_all(behavior="ignoreErrors")
    context.unroute_all(behavior="ignoreErrors")
    context.route(NOWHERE, lambda route: route.abort())


class ClientFilesHandler(SimpleHTTPRequestHandler):
    """The client below /client, the scripts of tests below /javascript, and an empty page."""

    def __init__(self, *arguments: Any, client: Path, **options: Any) -> None:
        self.client = client
        super().__init__(*arguments, **options)

    def translate_path(self, path: str) -> str:
        root = {"client": self.client, "javascript": FOLDER / "javascript"}
        first, _, rest = path.split("?", maxsplit=1)[0].lstrip("/").partition("/")
        return str(root.get(first, FOLDER / "nowhere") / rest)

    def do_GET(self) -> None:
        if self.path == "/":
            return self._answer(200, b"<!doctype html><title>page</title>", {"Content-Type": "text/html"})
        return super().do_GET()

    def do_POST(self) -> None:
        """Redirect, as the portal of a network does."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(307, b"", {"Location": "/"})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def pages(client: Path = CLIENT) -> Iterator[int]:
    """Serve pages while the context lasts; its value is the port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(ClientFilesHandler, client=client)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield Playwright's Chromium, to be launched; Debian's program, since nothing is downloaded."""
    if OPTIONS["executable_path"] is None:
        missing_part("Chromium")
    try:
        playwright = import_module("playwright.sync_api")
    except ModuleNotFoundError:
        missing_part("Playwright")
    with playwright.sync_playwright() as started:
        yield started.chromium


# Calls a method of a client; the result is what it returns, or its refusal.
CALL = """async ([url, options, method, parameters]) => {
    const plain = (value) => value?.report ? { ...value, report: {
        id: [...value.report.id], body: [...value.report.body] } } : value;
    const shown = (value) => Array.isArray(value) ? value.map(plain) : value?.text ? value.id : plain(value);
    try {
        const file = ["report", "series"].includes(method) ? "series" : "index";
        const { Client, SeriesClient = Client } = await import(`/client/${file}.js`);
        return shown(await new SeriesClient(url, options)[method](...parameters));
    } catch ({ name, code, message }) {
        return { name, code, message };
    }
}"""
# Sets the clock of a page until its next document.
SET_CLOCK = """(time) => {
    const Given = Date, fixed = Given.parse(time);
    globalThis.Date = class extends Given {
        constructor(...given) { super(...(given.length ? given : [fixed])); }
        static now() { return fixed; }
    };
}"""


def unused_page(context: Any, port: int) -> Any:
    """Return a page that an earlier test left at another port, or a new one, which takes much longer."""
    left = (page for page in context.pages if urlsplit(page.url).port != port)
    return next(left, None) or context.new_page()


class Tab:
    """A page with a client, and calls of its methods."""

    def __init__(self, context: Any, port: int, host: str = "localhost") -> None:
        self.errors: list[str] = []
        self.page = unused_page(context, port)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._on_console)
        self.page.add_init_script("Math.random = () => { throw new Error('Math.random was called'); };")
        self.page.goto(f"http://{host}:{port}/")

    def _on_console(self, message: Any) -> None:
        if "Content Security Policy" in message.text:
            self.errors.append(message.text)

    def set_clock(self, time: str) -> None:
        """Let it be a time, in the page as it is."""
        self.page.evaluate(SET_CLOCK, time)

    def start(self, url: str, options: dict[str, Any], method: str, *arguments: Any) -> None:
        """Begin a call of a client's method without waiting for it."""
        self.page.evaluate(f"(call) => {{ window.done = ({CALL})(call); }}", [url, options, method, list(arguments)])

    def result(self) -> Any:
        """Return the result of the call, or its refusal."""
        return self.page.evaluate("() => window.done")

    def call(self, url: str, options: dict[str, Any], method: str, *arguments: Any) -> Any:
        """Call a client's method and wait for it."""
        return self.page.evaluate(CALL, [url, options, method, list(arguments)])


def url(collector: Running) -> str:
    return f"http://127.0.0.1:{collector.port}"


def as_report(receipt: dict[str, Any]) -> Report:
    return Report(bytes(receipt["report"]["id"]), bytes(receipt["report"]["body"]))


def check_one(collector: Running, task: Task, receipt: dict[str, Any]) -> None:
    """Check that the collector has one report of a task, byte for byte the receipt's."""
    collector.check(task, as_report(receipt))


def wait_for(page: Any, holds: Callable[[], bool]) -> None:
    """Let a browser work until a condition holds."""
    for _ in range(12_000):
        if holds():
            return
        page.wait_for_timeout(5)
    raise AssertionError


class ScriptedBrowser:
    """A browser with its own storage, whose collector, at the page's own address, answers with scripts."""

    # Requests whose paths end so get no answer while the collector hangs.
    hanging_path = "/reports"

    def __init__(self, context: Any, port: int) -> None:
        self.collector = FakeCollector()
        self.address = f"http://localhost:{port}"
        self._context, self._port = context, port
        self._hangs = False
        self.tab = self.open()

    def open(self) -> Tab:
        """Open a tab."""
        tab = Tab(self._context, self._port)
        tab.page.route("**/tasks/**", self._answer)
        return tab

    def die(self, task: Task, pairs: dict[str, float], options: dict[str, str], reached: Callable[[], bool]) -> None:
        """Submit to a collector that hangs, and end the page at once when the client got this far."""
        self._hangs = True
        self.tab.start(self.address, QUICK, "submit", task.id, pairs, options)
        wait_for(self.tab.page, reached)
        self.tab.page.close()
        self._hangs, self.tab = False, self.open()

    def _answer(self, route: Any) -> None:
        request = route.request
        path = request.url.removeprefix(self.address)
        reply = self.collector.answer(ReceivedRequest(request.method, path, {}, request.post_data_buffer or b""))
        if self._hangs and request.method == "POST" and path.endswith(self.hanging_path):
            return
        if reply is LOST:
            route.abort()
        else:
            route.fulfill(status=reply.status, headers={"Content-Type": reply.media}, body=reply.body)
