"""The JavaScript client's randomness and input: every byte is the system's, used once, and no key is taken twice."""

from __future__ import annotations

import hashlib
import io
import itertools
import random
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.device.perturb import Held, perturb_from
from support.faults import Fault
from support.node import CLIENT, node
from support.task_kinds import task_kinds

# A contract, what a participant holds, and the coin of their report.
ReportCase = tuple[Task, Held, bytes | None]
# How often what each participant holds is reported.
REPEATS = 3
# A browser gives no more randomness at once.
MAX_BLOCK = 65536
STREAM_BYTES = 2**21 + 2**16
# Numbers of draws below, at and above one block and several; the last take 1 MiB and more.
DRAWS = (1, 5, 8191, 8192, 8193, 16384, 16385, 30_000, 131_072, 131_075)


def check_every_byte(client: Path) -> None:
    """Check that a tape is the bytes that the system gave, each once and in order, in blocks of bounded size."""
    requests: list[dict[str, Any]] = [
        {"do": "counted", "draws": draws, "more": more} for draws, more in itertools.product(DRAWS, (0, 3))
    ]
    process = node(client)
    answers = process.ask(*requests)
    for request, answer in zip(requests, answers, strict=True):
        size = 16 + 8 * (request["draws"] + request["more"])
        expected = hashlib.sha256((bytes(range(251)) * (size // 251 + 1))[:size]).hexdigest()
        if answer["digest"] != expected or answer["bytes"] != size:
            raise AuditFailure(f"every byte: not with {request}")
        if answer["largest"] > MAX_BLOCK:
            raise AuditFailure(f"every byte: a block of {answer['largest']} bytes")


def check_successive_reports(client: Path) -> None:
    """Check that reports made one after another are Python's, each from the bytes that it took and from no others.

    So ids are the system's bytes, or the coin, whatever a participant holds; no report depends on an earlier
    one; and a coin, which the collector knows, is no source of noise.
    """
    _check_reports(client, _successive_cases())


@lru_cache
def _successive_cases() -> list[ReportCase]:
    """Return reports of every kind of task but rounds, of which the days would have to be today's."""
    kinds = [kind for kind in task_kinds() if kind.task.series is None]
    cases = [
        (kind.task, held, kind.coin(number)) for kind in kinds for number, held in enumerate(kind.people * REPEATS)
    ]
    random.Random("successive reports").shuffle(cases)
    return cases


@lru_cache
def _stream() -> bytes:
    """Return the bytes that stand for the system's randomness."""
    return hashlib.shake_256(b"7").digest(STREAM_BYTES)


def check_very_many_keys(client: Path) -> None:
    """Check a report of as many keys as there may be, of 2 MiB of randomness."""
    task = Task(name="t", keys=2**18, values=(0, 1), epsilon=1, padding=1, mechanism="ue")
    _check_reports(client, [(task, {"3": 0.5, "262140": 1.0}, None)])


def _check_reports(client: Path, cases: list[ReportCase]) -> None:
    reports = [
        {"task": task.to_json(), **({"pairs": list(held.items())} if isinstance(held, dict) else {"texts": held})}
        | ({"coin": coin.hex()} if coin else {})
        for task, held, coin in cases
    ]
    process, request = node(client), {"do": "made", "reports": reports, "seed": 7}
    answers, later = process.ask(request, request | {"later": True})
    if answers != later:
        raise AuditFailure("reports: they depend on the time")
    # A file in memory, of which nothing has to be copied to begin somewhere.
    stream, start = io.BytesIO(_stream()), 0
    for (task, held, coin), answer in zip(cases, answers, strict=True):
        stream.seek(start)
        report = perturb_from(Tape(task.draws, stream.read), task, held, coin)
        if (answer["id"], answer["body"]) != (report.id.hex(), report.body.hex()):
            raise AuditFailure(f"reports: not that of {held} in {task!r}")
        start += sum(answer["taken"])
        if start != stream.tell():
            raise AuditFailure(f"reports: {answer['taken']} bytes are taken for {task!r}")


def check_repeated_keys(client: Path) -> None:
    """Check that pairs which name a key twice are refused, and others are not."""
    numbered = Task(name="t", keys=9, values=(0, 1), epsilon=1)
    named = Task(name="t", keys=["a", "b", "c"], values=(0, 1), epsilon=1)
    cases = [
        (numbered, [["1", 1], ["1", 1]], True),
        (numbered, [["1", 1], ["2", 0], ["1", 0]], True),
        (numbered, [["1", 1], ["2", 1]], False),
        (named, [["c", 1], ["a", 0], ["c", 0]], True),
        (named, [["c", 1], ["a", 0]], False),
    ]
    requests = [
        {"do": "refused", "task": task.to_json(), "pairs": pairs, "form": "repeating"} for task, pairs, _ in cases
    ]
    process = node(client)
    answers = process.ask(*requests)
    for (_, pairs, repeated), answer in zip(cases, answers, strict=True):
        if answer != ({"code": "bad_pairs", "message": "a key is given twice"} if repeated else None):
            raise AuditFailure(f"repeated keys: {pairs}")


CHECKS = (check_every_byte, check_very_many_keys, check_repeated_keys)


def test_reports_of_every_kind_are_made_of_the_systems_bytes() -> None:
    check_successive_reports(CLIENT)


@pytest.mark.parametrize("check", CHECKS)
def test_the_client_passes(check: Callable[[Path], None]) -> None:
    check(CLIENT)


RANDOM = "const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));"
ID = "id: coin.id ?? tape.reportId"
TAKE = "this.block = new DataView(this.source(this.end).buffer);"

MUTANTS = (
    Fault("zero beyond 128 KiB", "tape.js", {TAKE: "this.blocks = (this.blocks ?? 0) + 1; this.block = new DataView((this.blocks > 2 ? new Uint8Array(this.end) : this.source(this.end)).buffer);"}, check_every_byte),
    Fault("the end of a block is not filled", "tape.js", {RANDOM: "const randomBytes = (count) => { const data = new Uint8Array(count); crypto.getRandomValues(data.subarray(0, 65528)); return data; };"}, check_every_byte),
    Fault("blocks larger than browsers give", "tape.js", {"MAX_BLOCK_DRAWS = 8192": "MAX_BLOCK_DRAWS = 16384"}, check_every_byte),
    Fault(
        "a block is used again",
        "tape.js",
        {RANDOM: "const given = new Map();\nfunction randomBytes(count) {\n"
         "  if (!given.has(count)) given.set(count, crypto.getRandomValues(new Uint8Array(count)));\n"
         "  return given.get(count).slice();\n}"},
        check_every_byte,
    ),
    Fault(
        "the second report reuses the noise of the first",
        "tape.js",
        {RANDOM: f"{RANDOM}\nconst kept = new Map();",
         TAKE: "if (!kept.has(this.end)) kept.set(this.end, this.source(this.end));"
         " this.block = new DataView(kept.get(this.end).buffer);"},
        check_successive_reports,
    ),
    Fault("a report id that carries the number of pairs", "report.js", {ID: "id: [...pairs].length > 4 ? tape.reportId.with(15, [...pairs].length) : tape.reportId"}, check_successive_reports),
    Fault("a report id that depends on the task", "report.js", {ID: "id: task.padding > 2 ? tape.reportId.with(0, tape.reportId[0] & 254) : tape.reportId"}, check_successive_reports),
    Fault("noise from the coin", "report.js", {"new Tape(internalsOf(task).draws)": "new Tape(internalsOf(task).draws, coin && ((count) => Uint8Array.from({ length: count }, (_, at) => coin.id[at % 16])))"}, check_successive_reports),
    Fault(
        "the coin's own draws are the noise",
        "report.js",
        {"new Tape(internalsOf(task).draws)":
         "new Tape(internalsOf(task).draws, coin && ((count) => { const data = crypto.getRandomValues(new Uint8Array(count));"
         " new DataView(data.buffer).setBigUint64(0, coin.drawn, true); return data; }))"},
        check_successive_reports,
    ),
    Fault("no fakes from key 200,000 on", "mechanisms/ue.js", {": this.count * this.fake)": ": position < 2e5 ? this.count * this.fake : 0n)"}, check_very_many_keys),
    Fault("a repeated key is accepted", "listed-keys.js", {'check(countKeys(pairs) === pairs.length, "bad_pairs", "a key is given twice");': ""}, check_repeated_keys),
    Fault("only neighbours are compared", "listed-keys.js", {"countKeys(pairs) === pairs.length": "pairs.every(({ key }, at) => key !== pairs[at + 1]?.key)"}, check_repeated_keys),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


# Objects of a module that reports are made with; `internals` is written when a task is read.
CONSTANT_OBJECTS = {
    "encoder",
    "internals",
    "ABOUT",
    "DEFAULTS",
    "FINAL",
    "FINAL_KINDS",
    "FIXED",
    "KEYED_STORES",
    "MEANINGS",
    "MECHANISMS",
    "MOST",
    "NO_SALT",
    "ROUND_CONSTANTS",
    "RULES",
    "START",
    "STATES",
    "TASK_STORES",
    "TEMPORARY",
}
OBJECT = re.compile(r"^(?:export )?const (\w+) = (?:new |\{|\[|Object|Array)", re.MULTILINE)
VARIABLE = re.compile(
    r"^(?:export )?(?:let|var) |^  static (?!async )(?!options = )(?!maxLevelsOfItems = )|globalThis", re.MULTILINE
)


def stateful(source: str) -> list[str]:
    """Return what a module might remember one report by: variables, static members, objects that may change."""
    objects = [name for name in OBJECT.findall(source) if name not in CONSTANT_OBJECTS]
    return objects + VARIABLE.findall(source)


def test_modules_keep_no_state() -> None:
    """What a report is made with lives in its tape and task: nothing in a module changes."""
    for path in (*CLIENT.glob("*.js"), *(CLIENT / "mechanisms").glob("*.js")):
        source = path.read_text(encoding="utf-8")
        assert not stateful(source), path
        assert source.count("internals.set(") == (path.name == "task.js")


@pytest.mark.parametrize(
    "fault",
    [
        "const made = { count: 0 };",
        "const made = new WeakMap();",
        "export const seen = [];",
        "let last;",
        "  static made = 0;",
        "  globalThis.made = 1;",
    ],
)
def test_a_module_that_remembers_is_a_mutant_that_is_caught(fault: str) -> None:
    assert stateful(f"export class Law {{}}\n{fault}\n")
