"""What leaves a page that uses the JavaScript client, byte by byte, and what it stores: the report and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape, fixed_source
from pckv.device.perturb import perturb_from
from pckv.mechanisms.registry import LAWS
from support.browser import QUICK, Tab, pages
from support.client_collector import FakeCollector, ReceivedRequest
from support.faults import faulty_client

SIZES = (0, 1, 2, 5, 9)
# The system's randomness becomes a known stream; what arrays of bytes are filled with is noted.
KNOWN_RANDOMNESS = """() => {
    let state = 1;
    window.given = [];
    crypto.getRandomValues = (data) => {
        const bytes = new Uint8Array(data.buffer);
        for (let at = 0; at < bytes.length; at++) {
            state = (Math.imul(state, 1103515245) + 12345) >>> 0;
            bytes[at] = state >>> 24;
        }
        if (data instanceof Uint8Array) window.given.push(...bytes);
        return data;
    };
}"""
STORED = """() => new Promise((resolve) => {
    const opening = indexedDB.open("pckv"), members = (row) => [...Object.keys(row), ...Object.keys(row.entry)].sort();
    opening.onsuccess = () => {
        const rows = opening.result.transaction("reports").objectStore("reports").getAll();
        rows.onsuccess = () => { opening.result.close(); resolve(rows.result.map(members)); };
    };
})"""
MEMBERS = [
    "coin",
    "day",
    "entry",
    "epsilon",
    "invitation",
    "reason",
    "report",
    "status",
    "survey",
    "task",
    "task",
    "url",
]


def check_requests(context: Any, port: int) -> None:
    """Check that one report is made per task, from bytes that are used once, and sent in one form for all sizes."""
    tab, collector = Tab(context, port), FakeCollector()

    def answer(route: Any) -> None:
        request = route.request
        path = request.url.removeprefix(f"http://localhost:{port}")
        reply = collector.answer(ReceivedRequest(request.method, path, {}, request.post_data_buffer or b""))
        route.fulfill(status=reply.status, headers={"Content-Type": reply.media}, body=reply.body)

    tab.page.route("**/tasks/**", answer)
    for mechanism in LAWS:
        for size in SIZES:
            _check_request(tab, port, collector, _task(mechanism, size), size)
    if any(members != MEMBERS for members in tab.page.evaluate(STORED)):
        raise AuditFailure("requests: more is stored than the report")


def _task(mechanism: str, size: int) -> Task:
    name = f"survey of {mechanism}, {size}"
    return Task(name=name, keys=12, values=(0, 1), epsilon="0.4", padding=3, mechanism=mechanism)


def _check_request(tab: Tab, port: int, collector: FakeCollector, task: Task, size: int) -> None:
    pairs = {str(key): float(key % 2) for key in range(size)}
    collector.tasks[task.id] = task.to_json().encode()
    collector.received.clear()
    tab.page.evaluate(KNOWN_RANDOMNESS)
    receipt = tab.call(f"http://localhost:{port}", QUICK, "submit", task.id, pairs)
    assert receipt.get("status") == "sent", receipt
    given = bytes(tab.page.evaluate("window.given"))
    if len(given) != 16 + 8 * task.draws:
        raise AuditFailure(f"requests: {len(given)} bytes of randomness for one report of {task.mechanism}")
    report = perturb_from(Tape(task.draws, fixed_source(given)), task, pairs)
    items = {"reports": [{"id": base64url(report.id), "body": base64url(report.body)}]}
    posts = [request for request in collector.received if request.method == "POST"]
    if [(request.path.rpartition("/")[2], request.body) for request in posts[:-1]] != [("admission", b"{}")]:
        raise AuditFailure(f"requests: {size} pairs of {task.mechanism} are told before they are reported")
    sent = posts[-1].body
    if sent != json.dumps(items, separators=(",", ":")).encode():
        raise AuditFailure(f"requests: another one for {size} pairs of {task.mechanism}")


def test_the_client_passes(context: Any, port: int) -> None:
    check_requests(context, port)


MADE = "const report = sealed ?? makeReport(task, pairs, coin, segment);"
KEPT = "{ task: task.id, entry,"
FAULTS: dict[str, dict[str, str]] = {
    "an id that carries the number of pairs": {
        MADE: "const report = makeReport(task, pairs); report.id[15] = Object.keys(pairs).length;"
    },
    "of two reports the more telling one": {
        MADE: "let report = makeReport(task, pairs); const [held] = Object.keys(pairs);"
        " if (held && !task.says(report.body, held).includes(1)) report = makeReport(task, pairs);"
    },
    "a layout that shows the number of pairs": {
        MADE: "const report = makeReport(task, pairs); report.many = Object.keys(pairs).length;",
        "{ reports })": "{ reports }, report.many)",
        "what, content)": "what, content, many)",
        "JSON.stringify(content)": "JSON.stringify(content, null, many)",
    },
    "pairs are stored": {KEPT: "{ task: task.id, pairs, entry,"},
    "the number of pairs is told before": {
        "this.#admission(task, invitation, () =>": "this.#admission(task, String(Object.keys(pairs).length), () =>"
    },
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mutant_is_caught(context: Any, tmp_path: Path, fault: str) -> None:
    with pages(faulty_client(tmp_path, "index.js", FAULTS[fault])) as port, pytest.raises(AuditFailure):
        check_requests(context, port)
