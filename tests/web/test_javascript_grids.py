"""The JavaScript client with every number of levels, size of sets, place of repeats and length of texts.

Reports are compared with Python's from equal tapes of bytes, at the corners of every path (`audit/grids.py`).
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from audit.batches import make_task
from audit.grids import PADDINGS, Report, level_reports, levels_of, size_reports
from audit.input_grids import MOST_PAIRS, near_powers, repeated_keys, repeats, texts_of_every_length
from audit.unlisted_checks import stated_number
from pckv import Task
from pckv.base.canonical import MAX_NAME_BYTES, base64url
from pckv.base.errors import AuditFailure
from pckv.base.limits import HASHED
from pckv.base.randomness import DRAW_BYTES
from pckv.mechanisms.discovery.prefix_tree import MAX_CHARACTERS
from pckv.mechanisms.registry import LAWS
from support.faults import Fault
from support.node import CLIENT, node

# A client reads a task once per batch of requests.
REQUESTS_PER_BATCH = 400
NO_CASES: dict[str, list[Any]] = {"thresholds": [], "tasks": [], "reports": []}


def check_reports(client: Path, reports: Sequence[Report]) -> None:
    """The client makes the same reports of the same bytes; draws that are not used follow them."""
    cases = [
        {
            "task": report.task.to_json(),
            **_held(report),
            "tape": (report.tape + bytes(DRAW_BYTES * report.task.draws)).hex(),
        }
        for report in reports
    ]
    [answer] = node(client).ask({"do": "vectors", **NO_CASES, "reports": cases})
    for report, made in zip(reports, answer["reports"], strict=True):
        if made.get("body") != base64url(report.body):
            raise AuditFailure(f"reports: {made} of {report}")


def _held(report: Report) -> dict[str, Any]:
    names = report.task.key_names(report.pairs)
    return (
        {"pairs": list(zip(names, report.pairs.values(), strict=True))} if report.task.has_values else {"keys": names}
    )


@lru_cache
def reports_of_levels(name: str, levels: int) -> list[Report]:
    """Return the reports of the grid, which are found once per test run."""
    return level_reports(name, levels)


def check_levels(name: str, every: int = 1) -> Callable[[Path], None]:
    """Return the check of a client's folder with every number of levels of a mechanism, or of some of the reports."""

    def check(client: Path) -> None:
        for levels in levels_of(name):
            check_reports(client, reports_of_levels(name, levels)[::every])

    return check


def check_sizes(name: str) -> Callable[[Path], None]:
    """Return the check of a client's folder with sets of every size up to three paddings."""

    def check(client: Path) -> None:
        for padding in PADDINGS:
            check_reports(client, list(size_reports(name, padding)))

    return check


def constant(file: str, name: str) -> int:
    """Return a constant of the client."""
    [number] = re.findall(rf"^const {name} = (\d+);$", (CLIENT / file).read_text(encoding="utf-8"), re.MULTILINE)
    return int(number)


def hashed_lengths() -> list[int]:
    """Return all lengths up to that of the longest text with what is hashed before it, and of three blocks.

    Beyond that, those next to powers of two.
    """
    longest = max(MAX_NAME_BYTES, 4 * MAX_CHARACTERS) + constant("sha256.js", "BLOCK_BYTES")
    return sorted({*range(longest + 1), *range(3 * constant("sha256.js", "BLOCK_BYTES")), *near_powers(2**14)})


def check_hashes(client: Path) -> None:
    """The client's SHA-256 is Python's for every number of bytes."""
    texts = [random.Random(length).randbytes(length) for length in hashed_lengths()]
    [hashes] = node(client).ask({"do": "hashes", "texts": [text.hex() for text in texts]})
    for text, found in zip(texts, hashes, strict=True):
        if found != hashlib.sha256(text).hexdigest():
            raise AuditFailure(f"hashes: another one of {len(text)} bytes")


def check_key_numbers(client: Path) -> None:
    """The number of a text is the stated hash, however many bytes it has, with two levels and with sixteen."""
    tasks = [make_task("collision", {}, HASHED, 2, "1", "0", levels=levels) for levels in (2, 16)]
    cases = [(task, text) for task in tasks for text in texts_of_every_length()]
    keys = [{"task": task.to_json(), "key": text} for task, text in cases]
    [answer] = node(client).ask({"do": "vectors", **NO_CASES, "keys": keys})
    for (task, text), found in zip(cases, answer["keys"], strict=True):
        if found != {"number": stated_number(task, text)}:
            raise AuditFailure(f"key numbers: {found} for a text of {len(text.encode())} bytes")


def check_prefixes(client: Path) -> None:
    """The numbers of all prefixes of texts are Python's, up to the most characters that a text may have."""
    task = Task.discovery(name="texts", epsilon=4, alphabet="aé日😀", characters=MAX_CHARACTERS, padding=1)
    texts = [letter * count for letter in "aé日😀" for count in range(1, MAX_CHARACTERS + 1)]
    cases = [{"task": task.to_json(), "text": text} for text in texts]
    [answer] = node(client).ask({"do": "vectors", **NO_CASES, "prefixes": cases})
    tree = task.tree
    for text, found in zip(texts, answer["prefixes"], strict=True):
        numbers = [tree.item(task.digest, tree.prefix(text, group), group) for group in range(tree.groups)]
        if found != {"found": text, "numbers": numbers}:
            raise AuditFailure(f"prefixes: others of {len(text)} characters")


def check_repeats(client: Path) -> None:
    """Two pairs of one key are refused, wherever they are, and different keys are not."""
    task = make_task("grr", {}, MOST_PAIRS, 1, "1", "0").to_json()
    places = list(repeats())
    held: list[tuple[list[int], bool]] = [
        (repeated_keys(*place, descending=number % 2 == 0), True) for number, place in enumerate(places)
    ]
    held += [(list(range(size)), False) for size in range(MOST_PAIRS + 1)]
    process = node(client)
    for start in range(0, len(held), REQUESTS_PER_BATCH):
        batch = held[start : start + REQUESTS_PER_BATCH]
        answers = process.ask(*(refusal_of(task, keys) for keys, _ in batch))
        for (keys, is_refused), found in zip(batch, answers, strict=True):
            if (found is not None and found["message"] == "a key is given twice") != is_refused:
                raise AuditFailure(f"repeats: {found} for keys {keys}")


def refusal_of(task: str, keys: Iterable[int]) -> dict[str, Any]:
    """Return the request that asks why pairs of these keys are refused."""
    return {"do": "refused", "task": task, "pairs": [[str(key), 0] for key in keys], "form": "repeating"}


@pytest.mark.verify
@pytest.mark.parametrize("name", LAWS)
def test_every_number_of_levels(name: str) -> None:
    check_levels(name)(CLIENT)


def test_some_reports_of_every_number_of_levels() -> None:
    check_levels("collision", every=5)(CLIENT)


@pytest.mark.parametrize("name", [*reversed(LAWS)])
def test_every_size_of_a_set(name: str) -> None:
    check_sizes(name)(CLIENT)


def test_texts_of_every_length() -> None:
    check_hashes(CLIENT)
    check_key_numbers(CLIENT)
    check_prefixes(CLIENT)


def test_repeats_at_any_two_places() -> None:
    check_repeats(CLIENT)


HASH, UNLISTED, KEYS, LEVELS, BASE = "sha256.js", "unlisted.js", "listed-keys.js", "levels.js", "mechanisms/base.js"
GRR, COMPACT, COLLISION = (f"mechanisms/{name}.js" for name in ("grr", "ue-compact", "collision"))
COUNT, NUMBER = "Math.ceil((data.length + END_BYTES) / BLOCK_BYTES)", "Number(hash.getBigUint64(0) % BigInt("
SAMPLED = "return pairs[tape.below(BigInt(Math.max(pairs.length, this.padding)))];"
HIT = "if (number < count * this.hit) return own[number / this.hit];"
MUTANTS = (
    Fault("padding is wrong from 55 bytes on", HASH, {COUNT: "Math.ceil((data.length + 8) / BLOCK_BYTES)"}, check_hashes, "hashes"),
    Fault("padding is wrong at 119 bytes alone", HASH, {COUNT: f"{COUNT} + (data.length === 119 ? 1 : 0)"}, check_hashes, "hashes"),
    Fault("lengths are counted in 11 bits", HASH, {"8 * data.length)": "(8 * data.length) & 0x7ff)"}, check_hashes, "hashes"),
    Fault("numbers of texts are below 2^16", UNLISTED, {f"{NUMBER}this.count))": f"{NUMBER}Math.min(this.count, 2 ** 16)))"}, check_key_numbers, "key numbers"),
    Fault("texts are cut after 200 bytes", UNLISTED, {"...encodeText(text)]": "...encodeText(text).slice(0, 200)]"}, check_key_numbers, "key numbers"),
    Fault("prefixes beyond 2^16 share a number", "discovery.js", {f"{NUMBER}ITEMS))": f"{NUMBER}2 ** 16))"}, check_prefixes, "prefixes"),
    Fault("repeats are found next to each other alone from 9 pairs on", KEYS, {"return new Set(pairs.map(({ key }) => key)).size;": "return pairs.length < 9 ? new Set(pairs.map(({ key }) => key)).size : pairs.filter(({ key }, at) => key !== pairs[at + 1]?.key).length;"}, check_repeats, "repeats"),
    Fault("hits twice as likely at 6 to 12 levels", COLLISION, {HIT: "const most = count * this.hit * (this.levels > 5 && this.levels < 13 ? 2n : 1n); if (number < most) return own[(number / this.hit) % count];"}, check_levels("collision"), "reports"),
    Fault("the highest of 11 levels is never drawn", GRR, {"+ this.levelOf(pair, tape))": "+ (this.levels === 11 ? Math.min(this.levelOf(pair, tape), 9) : this.levelOf(pair, tape)))"}, check_levels("grr"), "reports"),
    Fault("7 levels are told in another order", COMPACT, {"BigInt(this.levels - 1 - level)": "BigInt(this.levels === 7 ? level : this.levels - 1 - level)"}, check_levels("ue-compact"), "reports"),
    Fault("the first of 10 pairs is always taken", BASE, {SAMPLED: f"if (pairs.length === 10) {{ tape.draw(); return pairs[0]; }} {SAMPLED}"}, check_sizes("grr"), "reports"),
    Fault("the first of 14 pairs stays", BASE, {"for (let place = 0; place < this.padding; place++)": "for (let place = pairs.length === 14 ? 1 : 0; place < this.padding; place++)"}, check_sizes("collision"), "reports"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
