"""Vectors of keys that no task lists: the numbers of texts, and reports of people who hold such keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any
from unicodedata import normalize

from pckv.base.canonical import base64url
from pckv.base.limits import REFUSE
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from tapes import about_pairs, held_by, report_vector, tape_of
from unlisted_tasks import HASHED_TASKS, OTHER_TASKS

TEXTS = (
    "alien", "Alien", "heat", "0", "1", "a b", " ", "other", "hashed", '"', "\\", "</script>", "__proto__",
    "toString", "\u00a0", "\u2028", "é", "größe", "日本", "😀", "👩‍👩‍👧", "a" * 256, "é" * 128, "日" * 85 + "a",
    "😀" * 64,
)  # fmt: skip
# Texts that become keys in normal form C, the last one of more than 256 bytes before.
OTHER_FORMS = ("e\u0301", "\u212b", "gro\u0308ße", "e\u0301" * 128)
# Texts that no key may be, which devices leave out: empty, too long, before or only in normal form C, or with control
# characters.
NO_KEYS = (
    "", "a" * 257, "é" * 129, "😀" * 64 + "a", "e\u0301" * 129, "\u0958" * 43, "a\nb", "\u0000", "\u007f", "\u0085",
)  # fmt: skip
# Keys that are not listed anywhere in the tasks, whether or not they could be listed.
UNLISTED = ("solaris", "", "Alien", "01", "e\u0301", "a\nb", "x" * 300, "😀")


def key_vectors(*tasks: Task) -> Iterator[dict[str, Any]]:
    """Yield the numbers of keys that participants hold; null for texts that devices leave out."""
    for task in tasks:
        texts: tuple[str, ...]
        if task.is_hashed:
            texts = (*TEXTS, *OTHER_FORMS, *NO_KEYS, *_same_number(task))
        else:
            texts = (task.key_name(0), task.key_name(task.key_count - 2), str(task.other), *UNLISTED)
        yield from ({"task": task.to_json(), "key": text, "number": task.held_index(text)} for text in texts)


def _same_number(task: Task) -> tuple[str, str]:
    """Return the first two texts of a kind that have the same number."""
    seen: dict[int, str] = {}
    for text in map(str, count()):
        number = task.key_index(text)
        if number in seen:
            return seen[number], text
        seen[number] = text
    raise AssertionError


def unlisted_reports() -> Iterator[dict[str, Any]]:
    """Yield reports from fixed tapes, and pairs that cannot be perturbed."""
    for number, task in enumerate(OTHER_TASKS, 600):
        yield from seeded_sets(number, task, other_pairs(task))
        yield from chosen_others(task)
        yield from _refused_others(task)
    for number, task in enumerate(HASHED_TASKS, 650):
        yield from seeded_sets(number, task, hashed_pairs(task))
        yield from _refused_hashed(task)
    for task in (*OTHER_TASKS[1:], *HASHED_TASKS):
        if task.word_limit is not None:
            body = base64url(task.word_limit.to_bytes(8, "little"))
            yield {"task": task.to_json(), "body": body, "fails_at": "report", "reason": "out_of_range"}


def seeded_sets(number: int, task: Task, held: Iterator[dict[str, float]]) -> Iterator[dict[str, Any]]:
    """Yield reports of sets of pairs, from tapes that depend on the number."""
    for case, pairs in enumerate(held):
        tape = seeded_source(100 * number + case)(16 + 8 * (task.draws + 4))
        yield report_vector(task, pairs, tape)


def other_pairs(task: Task) -> Iterator[dict[str, float]]:
    """Yield sets with no, one and several unlisted keys, before, between and after the listed ones."""
    low, middle, high = _three_values(task)
    first, last = task.key_name(0), task.key_name(task.key_count - 2)
    yield {}
    if (apart := normalize("NFD", first)) != first:
        # Of two forms of one key, the first counts.
        yield {apart: high, first: low}
        yield {first: low, apart: high}
    yield {"solaris": high}
    yield {str(task.other): middle}
    yield {"solaris": low, "Alien": high}
    yield {str(task.other): high, **dict.fromkeys(UNLISTED, low)}
    if task.more != REFUSE or task.padding > 1:
        yield {"solaris": high, first: low}
        yield {"solaris": low, first: high, "": middle, "01": high}
    if task.more != REFUSE and first != last:
        yield {last: middle, "solaris": low, first: high, "Alien": high}


def _three_values(task: Task) -> tuple[float, float, float]:
    """Return the lowest level, the one after it if there is any, and the highest."""
    return task.ends[0], task.level_values[min(1, task.level_count - 1)], task.ends[1]


def chosen_others(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports with each of three keys that are not listed chosen, also after a rejected draw.

    It is drawn first of all; where there is one such key, the first draw is the next one.
    """
    pairs = dict(zip(("solaris", "", "01"), _three_values(task), strict=True))
    rest = [*about_pairs(task), 0, 2**63]
    for drawn in ((0,), (1,), (2,), (2**64 - 2,), (2**64 - 1, 1)):
        yield report_vector(task, pairs, tape_of(task, *drawn, *rest))
    yield report_vector(task, {"solaris": task.ends[1]}, tape_of(task, *rest))
    if task.size_question is not None:
        # The size is counted after one of them was chosen: it is 1.
        kept = task.size_question.kept
        for answered in (kept - 1, kept):
            yield report_vector(task, pairs, tape_of(task, 2, 0, answered))


def _refused_others(task: Task) -> Iterator[dict[str, Any]]:
    """Yield a wrong value of a key that would not be chosen, and more pairs than the task takes."""
    first, wrong = task.key_name(0), task.ends[1] + 1
    for pairs in ({"solaris": wrong}, {first: task.ends[0], "solaris": task.ends[0], "Alien": wrong}):
        if task.more != REFUSE or task.padding > 1 or len(pairs) == 1:
            yield {"task": task.to_json(), "pairs": pairs, "fails_at": "pairs", "reason": "within"}
    if task.more == REFUSE and task.padding + 1 < task.key_count:
        yield from refused_sizes(task)


def refused_sizes(*tasks: Task) -> Iterator[dict[str, Any]]:
    """Yield more pairs than tasks take, with keys that no task lists."""
    for task in tasks:
        names = TEXTS if task.is_hashed else (*task.key_names(range(task.padding)), "solaris")
        held = held_by(task, dict.fromkeys(names[: task.padding + 1], task.ends[0]))
        yield {"task": task.to_json(), **held, "fails_at": "pairs", "reason": "takes at most"}


def hashed_pairs(task: Task) -> Iterator[dict[str, float]]:
    """Yield sets of pairs of all kinds of texts, and two of one number or in two forms, of which the first counts."""
    low, middle, high = _three_values(task)
    values = (low, high, middle)
    yield {}
    for place, text in enumerate(TEXTS[::3]):
        yield {text: values[place % 3]}
    same, again = _same_number(task)
    yield {same: low, again: high}
    yield {again: high, same: low}
    yield {"é": low, "e\u0301": high}
    yield {"e\u0301": high, "é": low}
    yield dict(zip(NO_KEYS, values, strict=False))
    yield {**dict.fromkeys(NO_KEYS, low), OTHER_FORMS[-1]: high}
    if task.padding > 1:
        yield {"alien": low, "日本": high}
        yield {same: middle, "alien": high, again: low}
    if task.more != REFUSE:
        yield {text: values[place % 3] for place, text in enumerate(TEXTS)}


def _refused_hashed(task: Task) -> Iterator[dict[str, Any]]:
    json = task.to_json()
    for text in ("", *OTHER_FORMS[:1]):
        yield {"task": json, "pairs": {text: task.ends[1] + 1}, "fails_at": "pairs", "reason": "within"}
    yield {"task": json, "pairs": {"alien": task.ends[1] + 1}, "fails_at": "pairs", "reason": "within"}
    same, again = _same_number(task)
    wrong = {same: task.ends[0], again: task.ends[1] + 1}
    yield {"task": json, "pairs": wrong, "fails_at": "pairs", "reason": "within"}
    if task.more == REFUSE:
        yield from refused_sizes(task)
