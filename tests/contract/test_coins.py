"""Coins: what they decide, exactly as a device's tape would, and which words follow from them."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from itertools import islice
from typing import Any

import pytest

from pckv import Task
from pckv.base.errors import ParameterError
from pckv.base.randomness import Tape, fixed_source
from pckv.contract.coins import CoinChoice, coin_choice, coin_draws, follows_coin

COMPACT = Task(
    name="coins",
    keys=3,
    values=(0, 1),
    epsilon=1,
    padding=2,
    mechanism={"name": "ue-compact", "q": 3},
    size_share="0.25",
    coin="server",
)
# One draw of a function in seventeen is rejected.
REJECTING = Task(
    name="coins",
    keys=20,
    values=(0, 1),
    epsilon=1,
    padding=1,
    mechanism={"name": "collision", "symbols": 2, "positions": 1_473_161_647},
    size_share=0,
    coin="server",
)


def coin(number: int) -> bytes:
    return number.to_bytes(16, "big")


def test_draws_are_blocks_of_a_hash_that_binds_the_task() -> None:
    first, second = (
        hashlib.sha256(b"pckv coin" + COMPACT.digest + coin(7) + bytes([block])).digest() for block in (0, 1)
    )
    drawn = list(islice(coin_draws(COMPACT.digest, coin(7)), 8))
    assert drawn == [*struct.unpack("<4Q", first), *struct.unpack("<4Q", second)]
    assert drawn != list(islice(coin_draws(REJECTING.digest, coin(7)), 8))
    assert len(list(coin_draws(COMPACT.digest, coin(7)))) == 1024


@pytest.mark.parametrize("task", [COMPACT, REJECTING])
def test_a_coin_decides_as_a_tape_of_its_draws_would(task: Task) -> None:
    rejected = 0
    for number in range(300):
        draws = list(islice(coin_draws(task.digest, coin(number)), 40))
        tape = Tape(40, fixed_source(bytes(16) + struct.pack("<40Q", *draws)))
        question, functions = task.size_question, task.law.functions
        assert functions is not None
        asks_size = question is not None and tape.bernoulli(question.asked)
        assert coin_choice(task, coin(number)) == CoinChoice(asks_size, tape.below(functions))
        rejected += draws[question is not None] >= 2**64 // functions * functions
    assert (rejected > 5) == (task is REJECTING)


def test_every_choice_is_as_likely_as_the_task_says() -> None:
    """Nine functions and a share of 1/4, over 9,000 coins: χ² with 8 degrees of freedom, α = 1e-6; the control fails."""
    choices = [coin_choice(COMPACT, coin(number)) for number in range(9000)]
    counts = Counter(choice.function for choice in choices)

    def statistic(counted: Counter[int]) -> float:
        return sum((counted[function] - 1000) ** 2 / 1000 for function in range(9))

    assert statistic(counts) < 42.7
    assert statistic(counts + Counter({3: 250}) - Counter({5: 250})) > 42.7
    # Normal approximation: five standard deviations, 205.
    assert abs(sum(choice.asks_size for choice in choices) - 2250) < 205


def test_words_follow_their_coin() -> None:
    assert COMPACT.word_limit is not None
    for number in range(40):
        asks_size, function = coin_choice(COMPACT, coin(number))
        following = [word for word in range(COMPACT.word_limit) if follows_coin(COMPACT, coin(number), word)]
        own = range(27, 29) if asks_size else range(3 * function, 3 * function + 3)
        assert following == list(own)


@pytest.mark.parametrize("wrong", [b"", bytes(15), bytes(17), "0" * 16, None])
def test_what_is_no_coin_is_refused(wrong: bytes) -> None:
    with pytest.raises(ParameterError, match=r"^a coin has 16 bytes$"):
        coin_choice(COMPACT, wrong)


def test_a_task_whose_devices_draw_takes_no_coin() -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, padding=1, mechanism="collision")
    with pytest.raises(ParameterError, match=r"^task 't' takes no coin: its devices draw by themselves$"):
        coin_choice(task, bytes(16))
    with pytest.raises(ParameterError, match="takes no coin"):
        follows_coin(task, bytes(16), 0)


def test_the_coin_is_part_of_the_contract() -> None:
    text = COMPACT.to_json()
    assert '"closes":null,"coin":"server","epsilon"' in text
    device = Task.from_json(text.replace('"coin":"server"', '"coin":"device"'))
    assert (COMPACT.coin, device.coin) == ("server", "device")
    assert COMPACT.id != device.id
    assert Task.from_json(text) == COMPACT


def test_auto_chooses_a_mechanism_with_public_functions() -> None:
    """With these few keys and this ε it chooses `grr` otherwise."""
    parts: dict[str, Any] = {"name": "t", "keys": 2, "values": (0, 1), "epsilon": 4}
    assert Task(**parts).mechanism == "grr"
    assert Task(**parts, coin="server").law.functions is not None
