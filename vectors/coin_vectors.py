"""Vectors of coins: what they decide, reports that follow from them, and words that must be refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catalogue import COIN_TASKS
from derived_tasks import COIN_TASKS as DERIVED_COIN_TASKS
from discovery_tasks import DISCOVERY_COIN_TASKS
from discovery_vectors import held_texts
from level_tasks import LEVEL_COIN_TASKS
from pckv.base.canonical import base64url
from pckv.base.limits import DISCOVERY, REFUSE, REPORT_ID_BYTES
from pckv.base.randomness import DRAW_BYTES, Tape, fixed_source
from pckv.base.seeded import seeded_source
from pckv.contract.coins import coin_choice, coin_draws
from pckv.contract.task import Task
from pckv.device.perturb import Held, perturb_from
from tapes import PAIRS, held_by, labelled_by
from unlisted_tasks import UNLISTED_COIN_TASKS
from unlisted_vectors import hashed_pairs, other_pairs
from without_values import COIN_TASKS as TASKS_WITHOUT_VALUES

COINS_PER_TASK = 12
# The first coin of the third task whose first draw is rejected: stated, since a search takes a while.
REJECTED_COMPACT_COIN = 1_001_749


def coin_vectors() -> Iterator[dict[str, Any]]:
    """Yield coins with what they decide, words that do not follow from their coin, and reports that do."""
    for first, tasks in (
        (400, (*COIN_TASKS, *LEVEL_COIN_TASKS)),
        (450, UNLISTED_COIN_TASKS),
        (470, DISCOVERY_COIN_TASKS),
        (480, TASKS_WITHOUT_VALUES),
        (490, DERIVED_COIN_TASKS),
    ):
        for task in tasks:
            for coin in _coins(task):
                yield from _decided(task, coin)
        for number, task in enumerate(tasks, first):
            yield from _reports(number, task)


def _coins(task: Task) -> Iterator[bytes]:
    """Yield the least and the largest coin, some between, and one whose first draw of a function is rejected."""
    yield from (bytes(REPORT_ID_BYTES), b"\xff" * REPORT_ID_BYTES)
    yield from map(_coin, range(1, COINS_PER_TASK - 1))
    if task == COIN_TASKS[2]:
        assert _is_rejected(task, _coin(REJECTED_COMPACT_COIN))  # noqa: S101
        yield _coin(REJECTED_COMPACT_COIN)
    if task == COIN_TASKS[3]:
        yield next(coin for coin in map(_coin, range(COINS_PER_TASK, 1000)) if _is_rejected(task, coin))


def _decided(task: Task, coin: bytes) -> Iterator[dict[str, Any]]:
    """Yield what a coin decides, and words that do not follow from it."""
    asks_size, function = coin_choice(task, coin)
    yield {
        "task": task.to_json(),
        "coin": base64url(coin),
        "asks_size": asks_size,
        "function": str(function),
    }
    yield from _refused(task, coin)


def _sets(task: Task) -> Iterator[Held]:
    """Yield sets of what participants hold."""
    if task.kind == DISCOVERY:
        return held_texts(task)
    if task.is_hashed:
        return hashed_pairs(task)
    return _pairs(task) if task.other is None else other_pairs(task)


def _pairs(task: Task) -> Iterator[dict[str, float]]:
    """Yield as many sets of pairs as the task takes."""
    most = task.padding if task.more == REFUSE else len(PAIRS)
    for shares in PAIRS:
        if len(shares) <= most:
            yield {
                task.key_name(key): task.ends[0] + share * (task.ends[1] - task.ends[0])
                for key, share in shares.items()
            }


def _reports(number: int, task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports of several sets, each with a coin; the first 16 bytes of their tapes are not used."""
    for case, held in enumerate(_sets(task)):
        tape = seeded_source(100 * number + case)(REPORT_ID_BYTES + DRAW_BYTES * (task.draws + 4))
        stated, labelled = held_by(task, held), labelled_by(task, case)
        [given] = stated.values()
        report = perturb_from(Tape(task.draws, fixed_source(tape)), task, given, _coin(case + 1), **labelled)
        yield {
            "task": task.to_json(),
            "coin": base64url(report.id),
            **stated,
            **labelled,
            "tape": tape.hex(),
            "body": base64url(report.body),
        }


def _coin(number: int) -> bytes:
    return number.to_bytes(REPORT_ID_BYTES, "big")


def _is_rejected(task: Task, coin: bytes) -> bool:
    """Return whether the first draw of a function falls into the incomplete last run."""
    draws, functions = coin_draws(task.digest, coin), int(task.law.functions or 1)
    if task.size_question is not None:
        next(draws)
    return next(draws) >= 2**64 // functions * functions


def _refused(task: Task, coin: bytes) -> Iterator[dict[str, Any]]:
    """Yield the words next to those of the coin, and one of the other question."""
    asks_size, function = coin_choice(task, coin)
    words, functions = task.law.word_limit or 0, int(task.law.functions or 1)
    symbols = words // functions
    first, last = function * symbols, (function + 1) * symbols - 1
    wrong = {first, last, words - 1} if asks_size else {first - 1, last + 1} - {-1, words}
    if task.size_question is not None and not asks_size:
        wrong |= {words, words + len(task.size_question.ends) - 1}
    for word in sorted(wrong):
        body = base64url(word.to_bytes(8, "little"))
        yield {
            "task": task.to_json(),
            "coin": base64url(coin),
            "body": body,
            "fails_at": "coin",
            "reason": "wrong_coin",
        }
