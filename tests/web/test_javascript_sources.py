"""Where the randomness of the JavaScript client comes from: every entry point takes all bytes from the system, and each once.

Its results are computed again, by Python, from the bytes that the system gave.
"""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest

from pckv import Series
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.device.perturb import Held, perturb_from
from pckv.mechanisms.registry import LAWS
from support.faults import Fault
from support.node import CLIENT, NodeProcess, node
from support.recorded import RecordedBytes, first_turn
from support.task_kinds import TaskKind, task_kinds

SCRIPT = Path(__file__).parents[1] / "support" / "javascript" / "recorded.mjs"
PANELS, PERIOD, FIRST = (1, 2, 3, 4, 5, 7, 8, 100, 1000), 7, dt.datetime(2030, 1, 7, tzinfo=dt.UTC)
# Entry points that draw something for people's data, and the check of each.
DRAWING = {
    "perturb": "test_javascript_randomness.py::check_successive_reports",
    "Client.submit": "check_submit",
    "SeriesClient.report": "check_rounds",
}
# All others. `check_submit` calls those that send or show what was made before, and sees that they draw nothing.
OTHERS = {
    "contracts, errors and coins": (
        "PckvError, Task, Task.fromJson, Task.phase, Task.keyIndex, Task.answer, Task.inLanguage, Task.says, Task.saysLabel, coinOf, fetchTask, "
        "PckvError, Series, Series.fromJson, Series.opens, Series.closes, Series.roundOn, Series.nextRound, "
        "Series.taskOf, SeriesClient.series"
    ),
    # Like `SeriesClient.series`, they draw no more than the panel, and are given no pairs.
    "when a device reports": "SeriesClient.rounds, SeriesClient.turn",
    "send or show what was made before": (
        "Client, Client.cap, Client.capPerPeriod, Client.check, Client.flush, Client.ledger, Client.ledgerSummary, "
        "Client.localCap, Client.localSpent, Client.receipt, Client.send, Client.spent, Client.spentDelta, Client.task, SeriesClient"
    ),
}


def recorded_node(client: Path) -> NodeProcess:
    """Return a client whose randomness is recorded."""
    return node(client, SCRIPT)


def check_surface(client: Path) -> None:
    """Check that every entry point is known: a new one needs a check, or a reason why it draws nothing."""
    [found] = recorded_node(client).ask({"do": "surface"})
    others = [name for names in OTHERS.values() for name in names.split(", ")]
    if unknown := set(found) ^ {*others, *DRAWING}:
        raise AuditFailure(f"sources: entry points without a check: {sorted(unknown)}")


def test_every_entry_point_is_known() -> None:
    check_surface(CLIENT)


def _check_report(answer: dict[str, Any], given: RecordedBytes, kind: TaskKind, held: Held, coin: bytes | None) -> None:
    """Check that a client sent one report: `perturb_from` on the system's bytes, all of which it used."""
    report = perturb_from(Tape(kind.task.draws, given), kind.task, held, coin)
    if answer["reports"] != [{"id": report.id.hex(), "body": report.body.hex()}]:
        raise AuditFailure(f"sources: what a client sends to {kind} is not made of the system's bytes")
    given.check_used()


def _given(answer: dict[str, Any]) -> RecordedBytes:
    return RecordedBytes(bytes.fromhex("".join(answer["filled"])))


def _asked(client: Path, requests: list[dict[str, Any]]) -> list[Any]:
    """Return the answers to requests, which must be the same at another time."""
    process = recorded_node(client)
    answers = process.ask(*requests)
    if process.ask(*(request | {"later": True} for request in requests)) != answers:
        raise AuditFailure("sources: what a client draws depends on the time")
    return answers


def check_submit(client: Path) -> None:
    """Check that what a client sends is made of the system's bytes, for every kind of task, and nothing else draws."""
    cases = [(kind, kind.people[-1]) for kind in task_kinds() if kind.task.series is None]
    # Both clients, and two devices with the same pairs one after another.
    cases, clients = [case for case in cases for _ in range(2)], ("Client", "SeriesClient")
    requests = [
        {"do": "submitted", "task": kind.task.to_json(), "id": kind.task.id, "held": held, "kind": clients[number % 2]}
        | ({"coin": coin.hex()} if (coin := kind.coin(number)) else {})
        | {"seed": number}
        for number, (kind, held) in enumerate(cases)
    ]
    for number, ((kind, held), answer) in enumerate(zip(cases, _asked(client, requests), strict=True)):
        _check_report(answer, _given(answer), kind, held, kind.coin(number))
        if answer["more"]:
            raise AuditFailure(f"sources: {kind}: what sends or shows a report draws")


def check_rounds(client: Path) -> None:
    """Check that a device's panel, its secret, the time of its report and the report are made of the system's bytes."""
    kinds = [kind for kind in task_kinds() if kind.name in LAWS]
    cases = [
        (Series(task=kind.task, first=str(FIRST.date()), period=PERIOD, panels=panels), kind.people[1])
        for panels in PANELS
        for kind in kinds[::2]
    ]
    requests = [
        {"do": "reported", "series": series.to_json(), "id": series.id, "held": held, "seed": number}
        for number, (series, held) in enumerate(cases)
    ]
    for (series, held), answer in zip(cases, _asked(client, requests), strict=True):
        given = _given(answer)
        turn = first_turn(series, given)
        if (answer["round"], dt.datetime.fromisoformat(answer["due"])) != turn:
            raise AuditFailure(f"sources: a turn of {series.panels} panels is not drawn from the system's bytes")
        kind = TaskKind(f"{series.panels} panels", series.task_of(turn[0]), ())
        _check_report(answer, given, kind, held, None)


def test_what_clients_send_is_made_of_the_systems_bytes() -> None:
    check_submit(CLIENT)


def test_turns_are_made_of_the_systems_bytes() -> None:
    check_rounds(CLIENT)


NEW_TAPE, REPORT_IMPORT = "new Tape(internalsOf(task).draws)", 'import { Tape } from "./tape.js";'
RANDOM = "const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));"
# A source that repeats what an expression gives, in numbers of 32 bits.
REPEATED = "(count) => {{ let state = {seed} | 1; return Uint8Array.from({{ length: count }}, () => (state = Math.imul(state, 1664525) + 1013904223) >>> 24); }}"
OF_TEXTS = REPEATED.format(seed="new DataView(sha256(encodeText(JSON.stringify([...pairs]))).buffer).getInt32(0)")
OF_SECOND = REPEATED.format(seed="Math.floor(Date.now() / 1000)")
TAKE, SECRET = (
    "this.block = new DataView(this.source(this.end).buffer);",
    "crypto.getRandomValues(new Uint8Array(SECRET_BYTES))",
)
MAKE, DELAY = (
    "const report = sealed ?? makeReport(task, pairs, coin, segment);",
    "const delay = (hash.getBigUint64(0) * seconds) >> 64n;",
)
FAULTS = (
    Fault("a secret of zeros above 4 panels", "series.js", {f"secret: {SECRET}": f"secret: panels > 4 ? {SECRET}.fill(0) : {SECRET}"}, check_rounds),
    Fault("a secret of its panel's tape", "series.js", {"panel: Number(new Tape(1).below(BigInt(panels))),": "...((tape) => ({ panel: Number(tape.below(BigInt(panels))), secret: tape.reportId }))(new Tape(1)),", f"    secret: {SECRET},\n": ""}, check_rounds),
    Fault("a turn by the clock", "series.js", {DELAY: f"{DELAY.removesuffix(';')} ^ BigInt(Date.now() % 1024);"}, check_rounds),
    Fault("discovery draws from a hash of its texts", "report.js", {NEW_TAPE: f"new Tape(internalsOf(task).draws, internalsOf(task).domain.letters && ({OF_TEXTS}))", REPORT_IMPORT: f'{REPORT_IMPORT}\nimport {{ sha256 }} from "./sha256.js";'}, check_submit),
    Fault("the same noise for one task within a second", "tape.js", {RANDOM: f"const randomBytes = {OF_SECOND};"}, check_submit),
    Fault("an id that shares bytes with the first draws", "tape.js", {TAKE: f"const first = !this.block;\n    {TAKE}\n    if (first) new Uint8Array(this.block.buffer).set(this.reportId.subarray(0, 8));"}, check_submit),
    Fault("half of every array is used twice", "tape.js", {RANDOM: "const randomBytes = (count) => { const data = crypto.getRandomValues(new Uint8Array(count)); data.copyWithin(count >> 1, 0); return data; };"}, check_submit),
    Fault("an id from the day", "index.js", {MAKE: f"{MAKE}\n      if (!coin) report.id.set(new TextEncoder().encode(entry.day).subarray(0, 10));"}, check_submit),
    Fault("another method that makes reports", "index.js", {"  async flush() {": "  again(task, pairs) {\n    return makeReport(task, pairs);\n  }\n\n  async flush() {"}, check_surface),
    Fault("looking at a report draws", "index.js", {"  async receipt(id) {": "  async receipt(id) {\n    if (this.seen) crypto.getRandomValues(new Uint8Array(16));\n    this.seen = true;"}, check_submit),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


# Files of the client and of pages that draw, and files of the client that read a clock, with what for.
DRAWING_FILES = {
    "reports, and panels with their secrets": {"client/tape.js", "client/series.js"},
    "pauses between attempts": {"client/collector.js"},
    "the coin of an example that is not sent": {"static/join/join-page.js"},
    "a key pair per sealed report, by the browser": {"client/mixed.js"},
}
CLOCK_FILES = {
    "days of contracts and ledgers": {"formats.js", "index.js", "ledger.js", "series.js", "task.js"},
    "pauses between attempts": {"collector.js"},
}
DRAWS = re.compile(r"\bgetRandomValues\b|\brandomUUID\b|\bgenerateKey\b|\bMath\W+random\b")
CLOCK = re.compile(r"\bDate\b|\bperformance\b|\bTemporal\b|\btimeStamp\b")


def _files_with(pattern: re.Pattern[str], folder: Path) -> set[str]:
    files = folder.rglob("*.js")
    return {str(path.relative_to(folder)) for path in files if pattern.search(path.read_text(encoding="utf-8"))}


def test_every_file_that_draws_or_reads_a_clock_is_known() -> None:
    assert _files_with(DRAWS, CLIENT.parent) == set().union(*DRAWING_FILES.values())
    assert _files_with(CLOCK, CLIENT) == set().union(*CLOCK_FILES.values())


@pytest.mark.parametrize("text", ["Math.random()", 'Math["random"]()', "crypto.randomUUID()", "performance.now()"])
def test_a_file_that_draws_or_reads_a_clock_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.js").write_text(f"export const id = {text};", encoding="utf-8")
    assert _files_with(DRAWS, tmp_path) | _files_with(CLOCK, tmp_path) == {"other.js"}
