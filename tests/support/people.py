"""People who use a collector's pages in a browser: what they do and see, and what must never happen."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

import pckv
from pckv.base.days import utc_today
from pckv.base.words import ranged
from pckv.cli import main
from pckv.collector.http.auth import PLAIN_COOKIE
from pckv.store.sql import contracts
from support.browser import forget_routes
from support.collectors import ADMINISTRATOR, NO_CERTIFICATES, as_items, bearer
from support.parts import missing_part
from support.serving import ServeProcess
from support.site import OWN_PAGE
from support.stores import opened

HOSTILE = "<script>alert(1)</script>"
VALUES = (1, 5)
KEYS = ["Alien", "Heat", HOSTILE, "Toy Story"]
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
# Whether all charts have the colour of the page's text.
COLOURED = """() => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
    return [...document.querySelectorAll(".chart svg[width]:has(text)")].every((chart) => chart.outerHTML.includes(colour));
}"""
# The impact of accessibility violations that fail a test.
SERIOUS = ["serious", "critical"]
# All such violations of a page: a rule states the impact of its violations. Selectors, and what other rules
# load before they run, take long and are not needed. Contrast takes three quarters of the time. It depends on
# styles, of a text and of what it is in: a text that has the styles of one whose contrast was found to
# suffice is not checked again.
VIOLATIONS = """async ([serious, known]) => {
    const sufficient = new Set(known), styles = new Map([[null, ""]]), unknown = new Map();
    const hash = (text) => {
        let number = 0;
        for (let at = 0; at < text.length; at++) number = Math.imul(number, 31) + text.charCodeAt(at) | 0;
        return number;
    };
    const stylesOf = (element) => {
        if (!styles.has(element)) {
            const style = getComputedStyle(element), outer = stylesOf(element.parentElement);
            const own = [
                style.color, style.fill, style.backgroundColor, style.backgroundImage, style.opacity, style.filter,
                style.fontSize, style.fontWeight, style.textShadow, style.position,
            ];
            styles.set(element, hash([outer, element.localName, element.getAttribute("class"), ...own].join(" ")));
        }
        return styles.get(element);
    };
    for (const element of document.body.querySelectorAll("*")) {
        // The rule cannot tell what is behind texts of a picture, what symbols look like, or what is not in use.
        const isRead = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && /[\\p{L}\\p{N}]/u.test(data);
        const isField = element.matches("input:not([type=checkbox], [type=radio]), select, textarea");
        if (element instanceof SVGElement || element.matches(":disabled") || !element.checkVisibility()) continue;
        if (isField || [...element.childNodes].some(isRead)) {
            const found = stylesOf(element);
            if (!sufficient.has(found) && !unknown.has(found)) unknown.set(found, element);
        }
    }
    // A header without words is a minor matter to axe.
    const isRun = ({ id, enabled, impact }) => enabled && (serious.includes(impact) || id === "empty-table-header");
    const rules = axe._audit.rules.filter(isRun).map(({ id }) => id);
    const run = (context, values, resultTypes) =>
        axe.run(context, { runOnly: { type: "rule", values }, resultTypes, selectors: false, preload: false, elementRef: true });
    const { violations } = await run(document, rules.filter((id) => id !== "color-contrast"), ["violations"]);
    // A page that is polled may have drawn some of them anew meanwhile.
    const passed = new Set(), shown = [...unknown.values()].filter(({ isConnected }) => isConnected);
    if (shown.length) {
        const contrast = await run({ include: shown }, ["color-contrast"], ["violations", "passes"]);
        violations.push(...contrast.violations);
        for (const { nodes } of contrast.passes) for (const { element } of nodes) passed.add(stylesOf(element));
    }
    return [violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html])), [...passed]];
}"""
# The styles of texts whose contrast was found to suffice in this run.
sufficient_styles: set[int] = set()


class Person:
    """A participant with their own browser; `problems` collects errors, warnings, dialogs and requests to other origins."""

    def __init__(self, context: Any, origin: str) -> None:
        self.context, self.origin = context, origin
        # Whether the browser has scripts, or a time, that it cannot forget.
        self.altered = False
        context.set_default_timeout(60_000)
        forget_routes(context)
        context.on("request", self._on_request)
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("console", self._on_console)
        self.page = context.new_page()
        self.page.on("dialog", lambda dialog: self.problems.append(f"a dialog: {dialog.message}"))
        self._storage = context.new_cdp_session(self.page)

    def begin(self, viewport: dict[str, int], color_scheme: str) -> None:
        """Begin a test, in which nothing has happened yet."""
        self.problems: list[str] = []
        self._forgiven: tuple[str, ...] = ()
        self.sent: list[str] = []
        self.asked: list[str] = []
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(color_scheme=color_scheme)

    def forget(self) -> None:
        """Leave the browser as a new one would be, which takes longer to open."""
        for page in self.context.pages:
            if page is not self.page:
                page.close()
        # What a tab keeps for itself is not among the data of the origin.
        self.page.evaluate("() => { try { sessionStorage.clear(); } catch { /* of an empty page */ } }")
        self.page.goto("about:blank")
        forget_routes(self.context)
        self.context.set_offline(False)
        self.context.clear_cookies()
        self._storage.send("Storage.clearDataForOrigin", {"origin": self.origin, "storageTypes": "all"})

    def alter(self, script: str) -> None:
        """Let a script run before those of every page, from now on."""
        self.altered = True
        self.context.add_init_script(script)

    def stop_clock(self, time: str) -> None:
        """Let the pages believe that it is a certain time, and stays so."""
        self.altered = True
        self.page.clock.set_fixed_time(time)

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "blob:" + self.origin, "data:")):
            self.problems.append(f"a request to {request.url}")
        # A module that runs in its bundle must not run a second time, with a state of its own.
        if request.url.endswith(".js") and request.url.startswith((f"{self.origin}/static/", f"{self.origin}/client/")):
            self.problems.append(f"a module beside the bundles: {request.url}")
        if request.post_data:
            (self.asked if request.url.endswith("/admission") else self.sent).append(request.post_data)

    def _on_console(self, message: Any) -> None:
        # Without a network the browser logs an error for every request.
        if message.type in {"error", "warning"} and "ERR_INTERNET_DISCONNECTED" not in message.text:
            self.problems.append(message.text)
            self.forgive()

    def forgive(self, *texts: str) -> None:
        """Forget logged problems with one of these texts; the browser may log them later than the page shows them."""
        self._forgiven += texts
        self.problems = [problem for problem in self.problems if not any(each in problem for each in self._forgiven)]

    def go(self, path: str) -> None:
        self.page.goto(self.origin + path)

    def press(self, name: str, role: str = "button") -> None:
        self.page.get_by_role(role, name=name, exact=True).click()

    def hold_nothing(self) -> None:
        """Say on the participant's page that nothing applies, which is an answer too."""
        self.page.locator(".none input").check()

    def sign_in(self, token: str = ADMINISTRATOR) -> None:
        """Take the cookie of a session, without the form."""
        self.context.add_cookies([{"name": PLAIN_COOKIE, "value": _session(self.origin, token), "url": self.origin}])

    def fill_in_token(self, token: str = ADMINISTRATOR) -> None:
        """Sign in by the form, which is on the page."""
        self.page.get_by_label("Token").fill(token)
        self.press("Sign in")

    def unfold(self, name: str) -> None:
        """Open what is behind a disclosure."""
        self.page.locator("details:not([open]) > summary", has_text=name).click()

    def state(self, name: str) -> None:
        self.page.locator(f"[data-state={name}]").wait_for()

    def check(self, *other_sizes: dict[str, int]) -> None:
        """Check that the page is accessible and not wider than the screen, nor than other screens."""
        try:
            script = import_module("axe_playwright_python.base").AXE_SCRIPT
        except ModuleNotFoundError:
            missing_part("axe-playwright-python")
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(script)
        serious, styles = self.page.evaluate(VIOLATIONS, [SERIOUS, list(sufficient_styles)])
        assert serious == [], serious
        sufficient_styles.update(styles)
        self.check_width(*other_sizes)

    def check_width(self, *other_sizes: dict[str, int]) -> None:
        """Check that the page is not wider than the screen, nor than other screens: enough where only words differ."""
        own_size = self.page.viewport_size
        for size in (own_size, *other_sizes):
            self.page.set_viewport_size(size)
            assert self.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        self.page.set_viewport_size(own_size)

    def check_in_both_colours(self, *other_sizes: dict[str, int]) -> None:
        """Check the page with light colours and with dark ones."""
        for colours in ("light", "dark"):
            self.page.emulate_media(color_scheme=colours)
            # Charts are drawn anew.
            self.page.wait_for_function(COLOURED)
            self.check(*other_sizes)


def _session(origin: str, token: str) -> str:
    """Begin a session of its own, which may be ended; return the text of its cookie."""
    headers = OWN_PAGE | {"Origin": origin}
    answer = httpx2.post(f"{origin}/session", json={"token": token}, headers=headers, verify=NO_CERTIFICATES)
    return str(answer.raise_for_status().cookies[PLAIN_COOKIE])


def ask(server: ServeProcess, method: str, path: str, content: bytes = b"", media: str = "") -> httpx2.Response:
    """Ask the collector as the administrator."""
    headers = bearer(ADMINISTRATOR) | ({"Content-Type": media} if media else {})
    address = f"http://127.0.0.1:{server.port}{path}"
    return httpx2.request(
        method, address, content=content, headers=headers, timeout=20, verify=NO_CERTIFICATES
    ).raise_for_status()


# What stands behind the disclosure of results about further responses.
PRECISION = "How many more responses would help"


def has_address(person: Person) -> None:
    """Let the address of the tests, which is this computer's alone, count as one that participants can use."""
    person.page.route("**/address", lambda route: route.fulfill(json={"url": person.origin, "reason": None}))


def add_task(server: ServeProcess, **members: Any) -> pckv.Task:
    task_members: dict[str, Any] = {"name": "a task", "keys": KEYS, "values": VALUES, "epsilon": 1} | members
    return publish(server, pckv.Task(**task_members))


def publish(server: ServeProcess, task: pckv.Task) -> pckv.Task:
    """Give a task to the collector; one whose closing day is over came before that."""
    if task.closes is not None and task.closes < utc_today():
        return plant(server, task)
    ask(server, "POST", "/tasks", content=task.to_json().encode(), media="application/json")
    return task


def plant(server: ServeProcess, task: pckv.Task) -> pckv.Task:
    """Put a task that the collector would refuse today into its store, also under a name that another one has."""
    with opened(f"sqlite:///{server.errors.parent}/pckv.db") as store:
        store._write(contracts.add_task, task, utc_today())
    return task


def send_reports(server: ServeProcess, task: pckv.Task, reports: list[pckv.Report]) -> None:
    """Send reports of a task, as participants do."""
    address = f"http://127.0.0.1:{server.port}/tasks/{task.id}/reports"
    content = {"reports": as_items(*reports)}
    httpx2.post(address, json=content, timeout=20, verify=NO_CERTIFICATES).raise_for_status()


def fill_task(
    operator: Person, name: str, keys: list[str], pairs: str = "", users: str = "2000", *, rated: bool = True
) -> None:
    """Fill in the first three steps of a new survey, about people who rate up to three keys unless said otherwise."""
    page = operator.page
    open_step(operator, 1)
    page.get_by_label("People choose and rate" if rated else "People choose", exact=False).first.check()
    page.get_by_label("Name", exact=True).fill(name)
    open_step(operator, 2)
    page.get_by_label("Answer options, one per line").fill("\n".join(keys))
    page.get_by_label("How many answers a person chooses on average").fill(pairs or str(min(3, len({*keys} - {""}))))
    open_step(operator, 3)
    page.get_by_label("People expected").fill(users)


def open_step(operator: Person, number: int) -> None:
    """Go to a step of a new survey, with all that it offers; what is wrong before it stands in the way."""
    operator.page.locator(".steps button").nth(number - 1).click()
    operator.page.evaluate("for (const each of document.querySelectorAll('.more')) each.open = true")


def publish_form(operator: Person) -> None:
    """Publish the survey of the form, which asks whether it is meant."""
    open_step(operator, 5)
    operator.press("Publish the survey")
    operator.press("Publish the survey now")


def create_task(operator: Person) -> str:
    """Create the task of the form, whose page opens; return its id."""
    publish_form(operator)
    operator.page.wait_for_url("**/#/tasks/*/share")
    return task_id_of(operator.page)


def task_id_of(page: Any) -> str:
    """Return the id of the task whose page is open."""
    return str(page.url.partition("#/tasks/")[2].partition("?")[0].partition("/")[0])


def count(server: ServeProcess, task_id: str) -> int:
    return int(ask(server, "GET", f"/tasks/{task_id}/overview").json()["reports"])


def fill_in(person: Person, task_id: str, values: dict[str, int]) -> None:
    """Fill in the form."""
    person.go(f"/join/{task_id}")
    for key, value in values.items():
        person.page.get_by_role("group", name=key).get_by_role("radio", name=str(value)).check()
    assert person.sent == []


def answer(person: Person, task_id: str, values: dict[str, int]) -> str:
    """Fill in the form and send the report; return the bytes that the page shows afterwards."""
    fill_in(person, task_id, values)
    person.press("Send my answers")
    person.state("sent")
    entered = person.page.locator(".compare > div").first
    for key, value in values.items():
        assert f"{key}: {value}" in entered.inner_text()
    return shown_body(person)


def shown_body(person: Person) -> str:
    """Return the bytes of the report that the page shows, the only one on it."""
    return str(person.page.locator(".body").text_content())


def spent(person: Person) -> str:
    """Return the ε that all surveys of the page's origin have spent in a browser."""
    client = "const { Client } = await $import('client/index.js'); return new Client(location.origin).spent();"
    return str(person.page.evaluate(f"async () => {{ {client} }}"))


def explanation(person: Person, name: str) -> str:
    """Return a part of what the page says about the protection, which people see once they ask for it."""
    return str(person.page.locator(f"#how #{name}").text_content())


def sent_bodies(person: Person) -> list[str]:
    """Return the bodies of all reports that left a browser, as the page writes bytes."""
    reports = [report for sent in person.sent for report in json.loads(sent)["reports"]]
    assert all(report.keys() == {"id", "body"} for report in reports)
    return [pckv.base.canonical.from_base64url(report["body"]).hex(" ") for report in reports]


def estimate(folder: Path, *options: str) -> str:
    files = [str(folder / "reports.parquet"), "--task", str(folder / "task.json")]
    arguments = [str(folder / option) if option.endswith(".csv") else option for option in options]
    result = CliRunner().invoke(main, ["estimate", *files, *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def numbers(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return an estimate as a row of the table: what it says, and all digits."""
    f, f_low, f_high = (row[f"frequency{end}"] for end in ("", "_low", "_high"))
    m, m_low, m_high = (row[f"mean{end}"] for end in ("", "_low", "_high"))
    share = ranged(100 * f, 100 * f_low, 100 * f_high, " %")
    frequency = (
        f"{share.value} ({share.range})" if row["detected"] else f"not distinguishable from noise ({share.most})"
    )
    if not row["detected"]:
        return (row["key"], (frequency, (f, f_low, f_high)), ("unknown", None))
    value = ranged(m, m_low, m_high)
    mean = f"{value.value if row['mean_known'] else 'unknown'} ({value.range})"
    return (row["key"], (frequency, (f, f_low, f_high)), (mean, (m, m_low, m_high)))


def table(page: Any) -> list[tuple[Any, ...]]:
    def digits(title: str | None) -> tuple[float, ...] | None:
        return None if title is None else tuple(map(float, re.split(": | to ", title)))

    rows = []
    for row in page.locator(".estimates tbody tr").all():
        cells = [(cell.inner_text(), digits(cell.get_attribute("title"))) for cell in row.locator("td.number").all()]
        rows.append((row.locator("th").inner_text(), *cells))
    return rows


def chart_with(page: Any, text: str) -> Any:
    """Return the chart that says something in its caption or its labels, once it is drawn."""
    return page.locator(".chart:has(svg)", has_text=text)


def choose(page: Any, option: str, value: str) -> None:
    """Choose how to estimate; the options are behind a disclosure."""
    options = page.locator("details.options")
    options.wait_for()
    if options.get_attribute("open") is None:
        options.locator("summary").click()
    page.get_by_label(option, exact=True).select_option(value)


def download(page: Any, form: str) -> Path:
    return _downloaded(page, page.get_by_role("group", name="Download"), form)


def is_within_the_width(element: Any) -> bool:
    """Return whether an element is visible in a page that is not scrolled sideways."""
    box, width = element.bounding_box(), element.page.viewport_size["width"]
    return bool(box["x"] + box["width"] <= width)


def download_of(page: Any, group: Any, form: str) -> list[str]:
    """Return the lines of a file that one of several groups of buttons gives."""
    return _downloaded(page, group, form).read_text(encoding="utf-8").splitlines()


def _downloaded(page: Any, group: Any, form: str) -> Path:
    button = group.get_by_role("button", name=form, exact=True)
    if not button.count():
        group.locator("details:not([open]) > summary").click()
    with page.expect_download() as waiting:
        button.click()
    return Path(waiting.value.path())


def check_odds(task: pckv.Task, sentence: str) -> None:
    """Check that the chances in a sentence, of a claim without and with the key, are those of the exact law."""
    count_law, question = task.law.count_law, task.size_question
    about_pairs = 1 - (question.share if question else 0)
    chances = [100 * float(about_pairs * (1 - support.numbers[0])) for support in (count_law.absent, count_law.holder)]
    assert chances_in(sentence) == pytest.approx(chances, rel=0.005)


def chances_in(sentence: str) -> list[float]:
    """Return the probabilities that a sentence names, in percent."""
    return [float(chance) for chance in re.findall(r"probability ([0-9.]+)\s%", sentence)]
