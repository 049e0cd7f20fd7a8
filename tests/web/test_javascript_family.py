"""The family of functions of `collision` in JavaScript: its vectors, and steps that are the same for every key."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pckv.base.errors import AuditFailure
from support.client_vectors import check_answers, vectors
from support.faults import Fault
from support.node import CLIENT, node
from support.tasks import a_task
from support.traced_client import traced_node

COLLISION = "mechanisms/collision.js"
# On both sides of 2^23 items, and of both ways to name a function; with their levels.
KEY_COUNTS = (
    (1, 2),
    (3, 5),
    (1000, 3),
    (2**22, 2),
    (2**22 + 1, 2),
    (2**19 + 1, 16),
    (2**29 - 1, 2),
    (2**26 - 1, 16),
)
RANDOM_KEYS = 20
# The vectors are answered in this many parts, each of all kinds; reports in a row share their task, which
# takes long to read.
PARTS = 10
SHARED = ("levels", "sealed")


@lru_cache
def _cases() -> dict[str, list[dict[str, Any]]]:
    """Return the vectors of `collision`; levels are worth the same in every mechanism, and bodies sealed alike."""
    return {name: [case for case in given if "collision" in str(case)] for name, given in vectors().items()} | {
        name: [] for name in SHARED
    }


def check_vectors(client: Path) -> None:
    """Check the answers to all vectors of `collision`: thresholds, tasks, those to refuse, and reports."""
    cases = _cases()
    assert min(len(given) for name, given in cases.items() if name not in SHARED) > 40
    try:
        process = node(client)
        # A fault is found before all of them are answered.
        for place in range(PARTS):
            part = {
                name: given[len(given) * place // PARTS : len(given) * (place + 1) // PARTS]
                for name, given in cases.items()
            }
            [answers] = process.ask({"do": "vectors", **part})
            check_answers(part, answers)
    except AssertionError as error:
        raise AuditFailure(f"vectors: {error}") from error


def check_steps(client: Path) -> None:
    """Check that the client takes the same steps for every key and level: the same tests, operators and places in arrays."""
    seeded = random.Random("steps")
    tasks = [
        a_task(keys=keys, levels=levels, padding=1, mechanism="collision", size_share=0) for keys, levels in KEY_COUNTS
    ]
    with traced_node(client) as process:
        for task in tasks:
            keys = {0, task.key_count - 1, *(seeded.randrange(task.key_count) for _ in range(RANDOM_KEYS))}
            items = [(key, level) for key in sorted(keys) for level in range(task.level_count)]
            [steps] = process.ask({"task": task.to_json(), "items": items})
            assert len(steps[0]) > 3 * (task.level_count * task.key_count).bit_length()
            for item, taken in zip(items, steps, strict=True):
                if taken != steps[0]:
                    raise AuditFailure(
                        f"steps: key and level {item} of {task.key_count} keys take others than the first"
                    )


@pytest.mark.parametrize("check", [check_vectors, check_steps])
def test_the_client_passes(check: Callable[[Path], None]) -> None:
    check(CLIENT)


ITEM = "this.levels * key + level"
BIT = "((exponent >> place) & 1)"
FACTOR = f"BigInt(1 + {BIT} * (square - 1))"
PRODUCT = "(product, square, place) => (product * factor(square, place))"
EARLY = "(this.power(part) === 1n || this.power(order / part) === 1n)"


def mutant(fault: str, right: str, wrong: str) -> Fault:
    """Return a fault that the vectors must show."""
    return Fault(fault, COLLISION, {right: wrong}, check_vectors)


def slower(fault: str, right: str, wrong: str) -> Fault:
    """Return a fault that changes no report, but the steps to it."""
    return Fault(fault, COLLISION, {right: wrong}, check_steps, "steps")


MUTANTS = (
    mutant("positions need not be prime", 'checkTask(this.power(order) === 1n, "positions must be prime");', ""),
    mutant("any generator is taken", "checkTask(!returnsEarly,", "checkTask(!returnsEarly || order,"),
    mutant("generators of few powers are taken", EARLY, "this.power(order / part) === 1n"),
    mutant("generators of half of all powers are taken", EARLY, "this.power(part) === 1n"),
    mutant("a generator above the positions is taken", "isWithin(generator, 2, positions)", "isWithin(generator, 2, 2 ** 31)"),
    mutant("a generator in quotes is taken", "isWithin(generator,", "isWithin(+generator,"),
    mutant("one position per item", "1.5 * items", "items"),
    mutant("any number of keys", "items < 2 ** 30 - 1", "items < 2 ** 31"),
    mutant("eight positions per symbol", "16 * symbols", "8 * symbols"),
    mutant("few positions", ", 4096)", ", 16)"),
    mutant("more positions than fit", "isWithin(positions, fewest, 2 ** 31)", "isWithin(positions, fewest, 2 ** 32)"),
    mutant("symbols that the pairs may fill", "isWithin(symbols, padding + 1,", "isWithin(symbols, padding,"),
    mutant("an index at 2^23 items", "items > MAX_ITEMS_OF_PAIRS", "items >= MAX_ITEMS_OF_PAIRS"),
    mutant("both numbers beyond 2^23 items", "items > MAX_ITEMS_OF_PAIRS || ", ""),
    mutant("an index where words have 62 bits", "1n << 62n", "1n << 61n"),
    mutant("both numbers where words have 63 bits", "1n << 62n", "1n << 63n"),
    mutant("positions are powers of another number", ITEM, f"3 * ({ITEM})"),
    mutant("all levels at one position", ITEM, "this.levels * key"),
    mutant("positions of keys below 2^16", BIT, "((exponent >> place) & (place < 17 ? 1 : 0))"),
    mutant("the offset is forgotten", "position + offset)", "position)"),
    mutant("the factor may be 0", "(less + 1n)", "less"),
    mutant("the factor is the offset", "[drawn / this.positions,", "[drawn % this.positions,"),
    mutant("the index is mixed from 0 on", "drawn + 0x9e3779b97f4a7c15n", "drawn"),
    mutant("one number of an index is both", "second = mixed(first ^ 0xffffffffn)", "second = first"),
    mutant("a factor of an index may be 0 mod N", "first * (this.positions - 1n)", "first * this.positions"),
    slower("a decision by a bit of a key", FACTOR, f"({BIT} ? BigInt(square) : 1n)"),
    slower("a decision within a conjunction", FACTOR, f"BigInt(({BIT} && square) || 1)"),
    slower("a place in an array by a bit of a key", FACTOR, f"[1n, BigInt(square)][{BIT}]"),
    slower("bits that are 0 are left out", f"this.squarings.reduce({PRODUCT}", f"this.squarings.filter((_, place) => {BIT}).reduce((product, square) => (product * BigInt(square))"),
    slower("as many steps as a key has bits", "this.squarings.reduce(", "this.squarings.slice(0, exponent.toString(2).length).reduce("),
    slower("a power by the key", FACTOR, f"BigInt(square) ** BigInt({BIT})"),
    slower("a decision by the level", f"this.itemSymbol(drawn, {ITEM})", f"(level ? this.itemSymbol(drawn, {ITEM}) : this.itemSymbol(drawn, this.levels * key))"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
