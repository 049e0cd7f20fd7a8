"""Vectors of discoveries: the numbers of prefixes, and reports of people who hold texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

from discovery_tasks import CASED_TASK, DISCOVERY_COIN_TASKS, DISCOVERY_TASKS
from pckv.base.canonical import base64url
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from pckv.mechanisms.collision.law import INDICES
from pckv.mechanisms.discovery.law import DiscoveryLaw
from tapes import report_vector, tape_of

# Texts that no alphabet of the tasks has whole, or that are empty.
NOT_FOUND = ("", "Z\n", "\0", "a\0", "e\u0301", "ÿ")
# Small letters by their capital letters, alone and among others: with a capital of its own, of two characters,
# or that is also that of other small letters.
CAPITALS = ("É", "E\u0301", "ẞ", "Ä", "ä", "I", "İ", "Σ", "\u0422", "ÉẞaA", "ßiIς")


def prefix_vectors() -> Iterator[dict[str, Any]]:
    """Yield what of texts can be found, and the numbers of their prefixes, one per group."""
    for task in (*DISCOVERY_TASKS, *DISCOVERY_COIN_TASKS, CASED_TASK):
        tree = task.tree
        for text in (*_texts(task), *_long_texts(task), *NOT_FOUND, *CAPITALS):
            found = tree.cut(text)
            numbers = [tree.item(task.digest, tree.prefix(found, group), group) for group in range(tree.groups)]
            yield {
                "task": task.to_json(),
                "text": text,
                "found": found,
                "numbers": numbers if found else [],
            }


def _texts(task: Task) -> list[str]:
    """Return texts of all lengths up to the longest that can be found, with all characters among them."""
    tree = task.tree
    characters, longest = cycle(tree.alphabet), tree.characters
    lengths = sorted({1, 2, longest // 2, longest - 1, longest} - {0})
    texts = ["".join(islice(characters, length)) for length in lengths if length <= longest]
    return list(dict.fromkeys([*texts, tree.alphabet[-1], tree.alphabet[0] * longest]))


def _long_texts(task: Task) -> list[str]:
    """Return texts that are cut, with an unknown character behind the cut or before it, and one in capital letters."""
    tree = task.tree
    full = tree.alphabet[-1] * tree.characters
    capitals = ("".join(islice(cycle(tree.alphabet), tree.characters))).upper()
    return [full + tree.alphabet[0], f"{full}\n", f"{full[1:]}\n", f"\n{full}", capitals]


def held_texts(task: Task) -> Iterator[list[str]]:
    """Yield sets of no, one, several and too many texts, with texts that are repeated, cut, and left out."""
    texts, long = _texts(task), _long_texts(task)
    yield []
    for text in (*texts[:3], *long):
        yield [text]
    yield texts[:2]
    yield [long[0], long[1], texts[0], texts[0]]
    yield list(NOT_FOUND)
    yield [NOT_FOUND[1], texts[1], "", *texts]
    yield [*texts, *long, *NOT_FOUND, *(text[1:] for text in texts)]


def discovery_reports() -> Iterator[dict[str, Any]]:
    """Yield reports from fixed tapes, what cannot be perturbed, and bodies that are not reports."""
    for number, task in enumerate(DISCOVERY_TASKS, 700):
        for case, texts in enumerate(held_texts(task)):
            yield report_vector(task, texts, seeded_source(100 * number + case)(16 + 8 * (task.draws + 4)))
        yield from _function_draws(task)
        for reason, wrong in (("not one text", "ab"), ("5 is not a text", ["a", 5]), ("not a text", [None])):
            yield {"task": task.to_json(), "texts": wrong, "fails_at": "pairs", "reason": reason}
        body = base64url((task.word_limit or 0).to_bytes(8, "little"))
        yield {"task": task.to_json(), "body": body, "fails_at": "report", "reason": "out_of_range"}
    yield from _symbol_draws(DISCOVERY_TASKS[1])
    yield from _symbol_draws(DISCOVERY_TASKS[2])


def _function_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports by the first and the last function of some groups, and by functions that are drawn again."""
    law, text = _law(task), _texts(task)[-1]
    last, complete = law.functions - 1, 2**64 - 2**64 % law.functions
    groups = sorted({0, 1, law.groups // 2, law.groups - 1} & set(range(law.groups)))
    ends = [(function,) for group in groups for function in (group * INDICES, group * INDICES + INDICES - 1)]
    rejected = [] if complete == 2**64 else [(complete, last), (2**64 - 1, complete - 1)]
    for drawn in (*ends, *rejected):
        # The symbol of the text is kept.
        yield report_vector(task, [text], tape_of(task, *drawn, law.hit - 1))


def _symbol_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports on both sides of all thresholds, of texts with one or two prefixes or symbols, per group."""
    law, tree = _law(task), task.tree
    texts = [tree.alphabet[0] * tree.characters, tree.alphabet[:2] * (tree.characters // 2)]
    for group in range(tree.groups):
        items = [tree.item(task.digest, tree.prefix(text, group), group) for text in texts]
        for own in range(1, 1 + len(set(items))):
            functions = range(group * INDICES, (group + 1) * INDICES)
            function = next(number for number in functions if len(law.own_symbols(number, items)) == own)
            edges = [law.hit * count for count in range(1, own + 1)]
            for number in (0, *(edge + step for edge in edges for step in (-1, 0)), 2**64 - 1):
                for other in (0, law.symbols - own - 1):
                    yield report_vector(task, texts, tape_of(task, function, number, other))


def _law(task: Task) -> DiscoveryLaw:
    assert isinstance(task.law, DiscoveryLaw)  # noqa: S101
    return task.law
