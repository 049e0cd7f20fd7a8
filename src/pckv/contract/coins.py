"""Public coins: 16 public bytes give the function of a report, and whether it answers the size question.

The collector hands out a coin per report, which becomes the report's id. Nothing here is random or secret:
all who know the task and the coin compute the same choice (proofs/coin.md).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import NamedTuple

from pckv.base.errors import ParameterError
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.contract.task import Task

_PREFIX = b"pckv coin"
# Four little-endian draws of 64 bits per block.
_BLOCK = struct.Struct("<4Q")
_MAX_BLOCKS = 256
_DRAW_LIMIT = 1 << 64


class CoinChoice(NamedTuple):
    """What a coin decides for its report: its question, and the function if it is about pairs."""

    asks_size: bool
    function: int


def coin_draws(digest: bytes, coin: bytes) -> Iterator[int]:
    """Yield the 64-bit draws of a coin: SHA-256 of a prefix, the task's digest, the coin and a counter.

    There are 1,024 of them. At worst every second one is rejected, so they do not run out.
    """
    for block in range(_MAX_BLOCKS):
        yield from _BLOCK.unpack(hashlib.sha256(_PREFIX + digest + coin + bytes([block])).digest())


def coin_choice(task: Task, coin: bytes) -> CoinChoice:
    """Return what a coin of 16 bytes decides: first which question is answered, then the function.

    Raises:
        ParameterError: if the task's devices draw their functions themselves, or a coin has another length.
    """
    functions, _ = _family(task)
    if not isinstance(coin, bytes) or len(coin) != REPORT_ID_BYTES:
        raise ParameterError(f"a coin has {REPORT_ID_BYTES} bytes")
    draws, question = coin_draws(task.digest, coin), task.size_question
    asks_size = question is not None and next(draws) < question.asked
    return CoinChoice(asks_size, _below(functions, draws))


def _family(task: Task) -> tuple[int, int]:
    """Return how many functions and symbols a task has: the word function·symbols + symbol names one of each."""
    functions, words = task.law.functions, task.law.word_limit
    if task.coin != SERVER_COIN or functions is None or words is None:
        raise ParameterError(f"task {task.name!r} takes no coin: its devices draw by themselves")
    return functions, words // functions


def _below(count: int, draws: Iterator[int]) -> int:
    """Return a uniform integer below a count as a device's tape does: the incomplete last run is rejected."""
    for number in draws:
        result = number % count
        if number - result <= _DRAW_LIMIT - count:
            return result
    raise AssertionError("a coin ran out of draws")


def follows_coin(task: Task, report_id: bytes, word: int) -> bool:
    """Return whether a device could report a word of the task with this coin as the report's id."""
    functions, symbols = _family(task)
    asks_size, function = coin_choice(task, report_id)
    # Answers to the size question are numbered after the words of the functions.
    if asks_size:
        return word >= functions * symbols
    return word // symbols == function
