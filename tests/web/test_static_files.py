"""The headers of all answers, the files of the pages, and the script for charts."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.days import utc_today
from pckv.collector.http.problem_details import ProblemDetails
from pckv.mechanisms.registry import LAWS
from pckv.web import chart_script, static_files
from support.collectors import Running, check_problem, running

PAGES = (
    "/",
    "/join/anything",
    "/results/anything",
    "/static/shared/shared.css",
    "/client/index.js",
    "/favicon.ico",
)


@pytest.mark.parametrize("path", [*PAGES, "/tasks", "/nothing", "/healthz", "/session"])
def test_every_answer_tells_browsers_to_load_and_run_nothing_else(site: Running, path: str) -> None:
    answer = site.get(path, None)
    policy = dict(part.strip().partition(" ")[::2] for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", PAGES)
def test_files_are_cached_by_their_tag(site: Running, path: str) -> None:
    first = site.get(path, None)
    assert first.status_code == 200
    again = site.get(path, None, **{"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", PAGES)
def test_files_are_compressed_for_whoever_takes_that(site: Running, path: str) -> None:
    plain, gzipped = (site.get(path, None, **{"Accept-Encoding": coding}) for coding in ("identity", "br, gzip"))
    assert ("content-encoding" in plain.headers, gzipped.headers["content-encoding"]) == (False, "gzip")
    # The client decompresses what it gets.
    assert plain.content == gzipped.content
    assert plain.headers["vary"] == gzipped.headers["vary"] == "Accept-Encoding"
    assert int(plain.headers["content-length"]) == len(plain.content)
    assert plain.headers["etag"] != gzipped.headers["etag"]
    for tag in (plain.headers["etag"], gzipped.headers["etag"]):
        assert site.get(path, None, **{"If-None-Match": tag}).status_code == 304


def test_the_script_for_charts_is_compressed(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(site.app.state, "chart_file", raising=False)
    monkeypatch.setattr(site.app.state.chart_script, "_script", b"built " * 1000)
    answer = site.get("/vega.js", None, **{"Accept-Encoding": "gzip"})
    assert (answer.headers["content-encoding"], len(answer.content)) == ("gzip", 6000)
    assert int(answer.headers["content-length"]) < 100
    del site.app.state.chart_file


def preloaded(site: Running, task: Task, accepted: str = "en") -> list[str]:
    """Return the modules whose bundles the page of a task names beyond the first, all of which are served."""
    header = site.get(f"/join/{task.id}", None, **{"Accept-Language": accepted}).headers["link"]
    paths = re.findall("</(scripts/join/[^>]+)>; rel=modulepreload", header)
    assert header.count("modulepreload") == len(paths)
    assert set(paths) <= set(site.app.state.static_files)
    return [path.removeprefix("scripts/join/") for path in paths]


@pytest.mark.parametrize(
    ("accepted", "own", "spoken"),
    [
        ("en-GB, de;q=0.9", "de", []),
        ("de-AT, en;q=0.9", "en", ["de"]),
        ("en;q=0.2, fr, de;q=0.8", "en", ["de"]),
        # Who prefers none of the page's languages reads that of the texts.
        ("fr", "de-AT", ["de"]),
        ("fr", "fr", []),
    ],
)
def test_sentences_are_named_with_the_page_in_the_language_of_their_reader(
    site: Running, accepted: str, own: str, spoken: list[str]
) -> None:
    task = Task(name=f"{accepted} {own}", keys=["a", "b"], epsilon=1, size_share=0, about={"language": own})
    site.store.add_task(task, utc_today())
    assert preloaded(site, task, accepted)[1:] == [f"static/join/strings-{tag}.js" for tag in spoken]
    # A shared cache keeps one answer per language.
    assert site.get(f"/join/{task.id}", None).headers["vary"] == "Accept-Encoding, Accept-Language"


@pytest.mark.parametrize("mechanism", LAWS)
def test_what_only_some_tasks_need_is_named_with_the_page(site: Running, mechanism: str) -> None:
    for share, levels, other in [("0", 2, "x")] if mechanism == "ue" else [("0", 2, None), ("0.1", 3, "x")]:
        members: dict[str, Any] = {
            "mechanism": mechanism,
            "size_share": share,
            "levels": levels,
            "other": other,
            "padding": 1,
        }
        task = Task(name=f"{mechanism} {share}", keys=["a", "b"], values=(1, 5), epsilon=1, **members)
        site.store.add_task(task, utc_today())
        asks = ["client/size-question.js"] if share != "0" else []
        finds = ["client/unlisted.js"] if other else []
        assert preloaded(site, task) == [f"client/mechanisms/{mechanism}.js", *asks, *finds]
    discovery = Task.discovery(name=f"terms {mechanism}", epsilon=1, coin="server")
    site.store.add_task(discovery, utc_today())
    assert preloaded(site, discovery) == ["client/mechanisms/collision.js", "client/discovery.js"]
    for unknown in ("anything", "A" * 43):
        answer = site.get(f"/join/{unknown}", None)
        assert (answer.status_code, "link" in answer.headers) == (200, False)


@pytest.mark.parametrize("path", ["/static/site.py", "/static/../site.py", "/client/..%2Fsite.py", "/client/"])
def test_no_other_file_is_served(site: Running, path: str) -> None:
    check_problem(site.get(path, None), 404, "unknown")


def test_other_pages_may_load_the_client(site: Running) -> None:
    assert site.get("/client/index.js", None).headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in site.get("/static/shared/page.js", None).headers


def test_pages_hold_no_script_no_style_and_nothing_from_elsewhere() -> None:
    loaded = static_files.load_files()
    assert {"static/index.html", "static/join.html", "static/shared/shared.css"} <= set(loaded)
    for name, file in loaded.items():
        text = file.content.decode()
        if name.endswith(".html"):
            assert not re.search(r"<style|<script(?![^>]* src=)|\sstyle=|\son\w+=|https?:", text), name
        if name.startswith("static/") and name.endswith((".js", ".css")):
            # The name of a namespace is no address.
            text = text.replace("http://www.w3.org/2000/svg", "")
            # Text is never parsed as HTML or code.
            forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?:|@import"
            # The name of SVG looks like an address, and nothing is requested there.
            assert not re.search(forbidden, text.replace('"http://www.w3.org/2000/svg"', "")), name


def test_the_script_for_charts_is_built_once_and_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(chart_script, "_BUNDLE_COMMAND", "import sys; sys.stdout.write('built')")
    assert chart_script.ChartScript().get() == b"built"
    assert [path.read_bytes() for path in (tmp_path / "pckv").iterdir()] == [b"built"]
    monkeypatch.setattr(chart_script, "_BUNDLE_COMMAND", "raise SystemExit(1)")
    assert chart_script.ChartScript().get() == b"built"


def test_the_tag_of_the_script_for_charts_is_computed_once(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was computed anew for every request, on the event loop."""
    monkeypatch.setattr(site.app.state.chart_script, "_script", b"built")
    first = site.get("/vega.js", None)
    monkeypatch.delattr(static_files, "_static_file")
    assert site.get("/vega.js", None).headers["etag"] == first.headers["etag"]


def test_a_script_for_charts_that_cannot_be_built_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(chart_script, "_BUNDLE_COMMAND", "raise SystemExit('said by a child')")
    with running() as collector:
        check_problem(collector.get("/vega.js", None), 503, "overloaded")
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert {"event": "charts_unavailable", "reason": "the script for charts cannot be made"} in logged


def test_a_failure_to_build_the_script_is_remembered_for_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every request started a process."""
    started, now = tmp_path / "started", [1000.0]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    failing = f"open({str(started)!r}, 'a').write('x'); raise SystemExit(1)"
    monkeypatch.setattr(chart_script, "_BUNDLE_COMMAND", failing)
    script = chart_script.ChartScript(lambda: now[0])
    for seconds, processes in ((0.0, "x"), (0.0, "x"), (59.0, "x"), (1.0, "xx"), (59.0, "xx")):
        now[0] += seconds
        with pytest.raises(ProblemDetails, match="the script for charts cannot be made"):
            script.get()
        assert started.read_text() == processes
    # Another worker may have made it meanwhile.
    chart_script.cache_file().parent.mkdir()
    chart_script.cache_file().write_bytes(b"built")
    assert script.get() == b"built"


def test_without_a_cache_folder_the_script_is_still_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pckv").write_text("a file where the folder would be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(chart_script, "_BUNDLE_COMMAND", "import sys; sys.stdout.write('built')")
    assert chart_script.ChartScript().get() == b"built"


def test_the_task_comes_with_the_participants_page_unless_it_is_large(site: Running) -> None:
    about = {"question": '"><script>alert(1)</script>', "description": "one\ntwo & 'three'"}
    for keys, comes in ((["<b>", "ä\u2028"], True), (["k" * 250 + str(n) for n in range(100)], False)):
        task = Task(name=f"with the page {comes}", keys=keys, values=(1, 5), epsilon=1, about=about)
        site.store.add_task(task, utc_today())
        answer = site.get(f"/join/{task.id}", None)
        page = MetaParser()
        page.feed(answer.text)
        assert page.metas.get("task") == (task.to_json() if comes else None)
        assert "<script>alert" not in answer.text
        tag = answer.headers["etag"]
        assert site.get(f"/join/{task.id}", None, **{"If-None-Match": tag}).status_code == 304
        assert page.metas["anyone"] == "yes"


class MetaParser(HTMLParser):
    """Reads what the head of a page says, as a browser does."""

    def __init__(self) -> None:
        super().__init__()
        self.metas: dict[str | None, str | None] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "meta":
            self.metas[given.get("name")] = given.get("content")


def test_scripts_are_sent_without_their_comments_and_nothing_else_is_missing() -> None:
    for path, file in static_files.load_files().items():
        if not path.endswith(".js") or path.startswith("scripts/"):
            continue
        source = (Path(static_files.__file__).parent / path).read_text(encoding="utf-8").split("\n")
        is_text = False
        for written, sent in zip(source, file.content.decode().split("\n"), strict=True):
            is_comment = written.lstrip().startswith("//")
            assert sent == ("" if is_comment else written), path
            # A line of a text in backticks is no comment.
            assert not (is_comment and is_text), (path, written)
            is_text ^= not is_comment and written.count("`") % 2 == 1
