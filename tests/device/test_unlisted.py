"""Keys that a task does not list: all others as one key, and hashes."""

from __future__ import annotations

import hashlib
import struct
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.replay import ReplayTape
from pckv import Task
from pckv.base.errors import PairsError
from pckv.base.population import Population
from pckv.base.randomness import Tape, fixed_source
from pckv.base.seeded import seeded_source
from pckv.device.perturb import choose_other, perturb_from, read_pairs
from pckv.device.vectorised import perturb_many, perturb_many_from
from pckv.mechanisms.registry import LAWS

LAST = 2**64 - 1
NAMES = ["alien", "heat", "up"]
UNLISTED = ["jaws", "", "01", "x" * 300, "other"]
# Texts that cannot be keys, even where any text is one.
NO_KEYS = ["", "x" * 257, "\ud800"]
MORE = ("sample", "refuse")


def make_task(**members: Any) -> Task:
    usual: dict[str, Any] = {"keys": NAMES, "other": "other", "epsilon": 1, "padding": 2, "mechanism": "grr"}
    return Task(name="t", values=(-1, 1), **(usual | members))


def hashed_task(**members: Any) -> Task:
    return make_task(**({"keys": "hashed", "other": None, "mechanism": "collision"} | members))


TASKS = [
    *(make_task(mechanism=name, more=more) for name in LAWS for more in MORE),
    make_task(mechanism="collision", keys=5, padding=1),
    *(hashed_task(more=more) for more in MORE),
    hashed_task(levels=5, size_share="0.5"),
]


def tape_of(task: Task, *draws: int) -> Tape:
    return Tape(task.draws, fixed_source(bytes(16) + struct.pack("<24Q", *draws, *[0] * (24 - len(draws)))))


@cache
def same_number(task: Task) -> tuple[str, str]:
    """Return two texts of one hash."""
    seen: dict[int, str] = {}
    for number in range(10**6):
        other = seen.setdefault(task.key_index(str(number)), str(number))
        if other != str(number):
            return other, str(number)
    raise AssertionError


def as_population(task: Task, pairs: dict[str, float]) -> Population:
    """Return one participant with their pairs, without those whose text cannot be a key."""
    held = [(index, value) for key, value in pairs.items() if (index := task.held_index(key)) is not None]
    keys = np.array([key for key, _ in held], np.int32)
    return Population(np.array([0, keys.size]), keys, np.array([value for _, value in held], np.float64))


@st.composite
def held(draw: st.DrawFn) -> tuple[Task, dict[str, float], list[int]]:
    task = draw(st.sampled_from(TASKS))
    names = [*same_number(task), *UNLISTED[:1], *NO_KEYS] if task.is_hashed else UNLISTED
    names = draw(st.permutations([*names, *NAMES]))[: draw(st.integers(0, 8))]
    values = draw(st.lists(st.floats(-1, 1), min_size=8, max_size=8))
    draws = st.one_of(st.integers(0, LAST), st.integers(LAST - 5, LAST), st.integers(0, 5))
    return task, dict(zip(names, values, strict=False)), draw(st.lists(draws, min_size=24, max_size=24))


@given(held())
def test_one_vectorised_report_is_the_scalar_one(case: tuple[Task, dict[str, float], list[int]]) -> None:
    """On any tape: both read the same draws in the same order, so that their laws are the same exactly."""
    task, pairs, draws = case
    data = bytes(16) + struct.pack("<24Q", *draws) + bytes(8 * 40)
    try:
        report = perturb_from(Tape(task.draws, fixed_source(data)), task, pairs)
    except PairsError:
        with pytest.raises(PairsError, match="takes at most"):
            perturb_many(task, as_population(task, pairs))
        return
    [batch] = perturb_many(task, as_population(task, pairs), fixed_source(data))
    if task.word_limit is None:
        assert batch.messages.tobytes() == report.body
    else:
        assert batch.messages.tolist() == [task.message_format.decode(report.body)]


def test_one_of_several_is_chosen_by_the_first_draw() -> None:
    task = make_task()
    pairs = read_pairs(task, {"jaws": -1, "heat": 0, "": 1, "alien": 1, "other": 0})
    assert [key for key, _, _ in pairs] == [1, 0, 3, 3, 3]
    for number in range(3):
        assert choose_other(task, pairs, tape_of(task, number)) == [*pairs[:2], pairs[2 + number]]
    # The incomplete last run is drawn again.
    assert choose_other(task, pairs, tape_of(task, LAST, 4)) == [*pairs[:2], pairs[3]]


@pytest.mark.parametrize("pairs", [{}, {"jaws": 1}, {"heat": 1, "jaws": 0}, {"other": 1}], ids=len)
def test_nothing_is_drawn_where_there_is_no_choice(pairs: dict[str, float]) -> None:
    task = make_task()
    tape = tape_of(task, 7)
    assert choose_other(task, read_pairs(task, pairs), tape) == read_pairs(task, pairs)
    assert tape.draw() == 7


def test_all_pairs_are_checked() -> None:
    task = make_task()
    for pairs, message in (
        ({"jaws": 0, "": 2}, "value 2 of key '' is not a number within"),
        ({"jaws": 0, 3: 0}, "key 3 is not a text"),
    ):
        with pytest.raises(PairsError, match=message):
            read_pairs(task, pairs)  # type: ignore[arg-type]
    with pytest.raises(PairsError, match="key 'jaws' is not a key of task"):
        read_pairs(make_task(other=None), {"jaws": 0})


def test_a_listed_key_in_another_form_of_unicode_is_that_key() -> None:
    task = make_task(keys=["café"])
    assert [pair[0] for pair in read_pairs(task, {"cafe\u0301": 0})] == [0]
    assert [pair[0] for pair in read_pairs(task, {"cafe": 0})] == [1]
    both = {"cafe\u0301": -1, "café": 1}
    assert read_pairs(task, both) == read_pairs(task, {"café": -1})


def test_texts_are_hashed_in_one_form_and_left_out_where_they_cannot_be_keys() -> None:
    task = hashed_task(more="refuse")
    both = {"cafe\u0301": -1.0, "café": 1.0, **dict.fromkeys([*NO_KEYS, "a\tb", "\u0958" * 43], 1.0)}
    assert read_pairs(task, both) == read_pairs(task, {"café": -1.0})
    assert read_pairs(task, {"e\u0301" * 128: 1.0}) == read_pairs(task, {"é" * 128: 1.0})
    with pytest.raises(PairsError, match="value 2 of key '' is not a number within"):
        read_pairs(task, {"": 2})
    with pytest.raises(PairsError, match="key 3 is not a text"):
        read_pairs(task, {3: 1.0})  # type: ignore[dict-item]
    # An analyst asks about keys alone.
    with pytest.raises(PairsError, match="normal form C"):
        task.key_index("cafe\u0301")


def test_all_others_count_as_one_pair() -> None:
    task = make_task(more="refuse", size_share=0)
    many = dict.fromkeys([*UNLISTED, "heat"], 0.5)
    assert len(choose_other(task, read_pairs(task, many), tape_of(task))) == 2
    with pytest.raises(PairsError, match="task 't' takes at most 2 pairs, not 3"):
        read_pairs(task, {**many, "up": 0.5})
    sizes = make_task(size_share="0.5", padding=1)
    assert sizes.size_question is not None
    first = int(sizes.law.word_limit or 0)
    for listed, size in (([], 1), (["up"], 2), (NAMES, 4)):
        pairs = dict.fromkeys(["jaws", "", *listed], 1.0)
        word = sizes.message_format.decode(perturb_from(tape_of(sizes, 1), sizes, pairs).body)
        assert word == first + sizes.size_question.ends.index(size)


def test_numbers_are_bound_to_the_task() -> None:
    first, second = hashed_task(), hashed_task(epsilon=2)
    for task in (first, second):
        for text in ("alien", "日本", "😀" * 64):
            digest = hashlib.sha256(b"pckv key" + task.digest + text.encode()).digest()
            assert task.key_index(text) == int.from_bytes(digest[:8]) % task.key_count
    assert first.key_index("alien") != second.key_index("alien")


def test_the_first_of_texts_with_one_number_counts() -> None:
    task = hashed_task()
    one, two = same_number(task)
    [pair] = read_pairs(task, {one: -1, two: 1})
    assert pair[1:] == read_pairs(task, {one: -1})[0][1:]
    with pytest.raises(PairsError, match="value 2"):
        read_pairs(task, {one: -1, two: 2})


def test_batches_of_people_with_many_keys_that_are_not_listed() -> None:
    """Every participant's report is that of the scalar code from the same draws, regardless of the others in the batch."""
    task = make_task(mechanism="collision")
    people = [{"jaws": -1.0, "": 1.0}, {}, {"jaws": 0.5, "up": 1, "x": 0, "y": -1}, {"heat": 1.0}]
    parts = [as_population(task, pairs) for pairs in people]
    together = Population(
        np.cumsum([0, *(len(pairs) for pairs in people)]),
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.values for part in parts]),
    )
    draws = np.frombuffer(seeded_source(3)(8 * 20 * len(people)), "<u8").reshape(-1, 20)
    tape = ReplayTape(np.zeros((len(people), 16), np.uint8), draws)
    [batch] = perturb_many_from(tape, task, together)
    alone = [
        perturb_from(Tape(task.draws, fixed_source(bytes(16) + row.tobytes())), task, pairs)
        for row, pairs in zip(draws, people, strict=True)
    ]
    assert batch.messages.tolist() == [task.message_format.decode(report.body) for report in alone]


def test_a_listed_key_is_held_once() -> None:
    task = make_task()
    with pytest.raises(PairsError, match="key 'up' appears twice"):
        perturb_many(task, Population(np.array([0, 4]), np.array([2, 3, 3, 2], np.int32), np.zeros(4)))
