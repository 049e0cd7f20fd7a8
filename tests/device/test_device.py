"""The device half: thresholds hit exactly, bad pairs refused, randomness from the system."""

from __future__ import annotations

import struct
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Task, perturb
from pckv.base.budget import ALLOCATIONS
from pckv.base.errors import PairsError
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.population import Population
from pckv.base.randomness import DRAW_BYTES, MAX_BLOCK_BYTES, Tape, fixed_source
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import VectorisedTape, perturb_many
from pckv.mechanisms.grr import device as grr
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.padding import placed
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.ue import device as ue
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact import device as ue_compact
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from support.faults import Fault, in_place

N = 2**64
PLUS = N  # a level that every draw is below


def tape(*draws: int) -> Tape:
    """A tape of exactly these draws."""
    return Tape(len(draws), fixed_source(bytes(16) + struct.pack(f"<{len(draws)}Q", *draws)))


@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize("keys", [5, 10**6])
def test_grr_thresholds_are_hit_exactly(allocation: str, keys: int) -> None:
    """On the real thresholds: T - 1 falls on one side and T on the other."""
    law = GrrLaw(keys, 2, Fraction(1), allocation)
    word = law.word(3, 1)
    slot, sign = 0, 0

    def message(number: int, other: int = 0) -> int:
        return grr.perturb(law, [(3, 0, PLUS)], tape(slot, sign, number, other))

    assert message(law.kept - 1) == word
    if allocation == "optimized":
        assert message(law.kept) == 0
    else:
        assert message(law.kept) == word ^ 1
        assert message(law.kept + law.flipped - 1) == word ^ 1
        assert message(law.kept + law.flipped) == 0
    # Every other word is reached by one draw of `other`, and the excluded words by none.
    others = {*range(min(20, law.spread)), law.spread - 1}
    reached = [message(N - 1, other) for other in others]
    own = {word} if allocation == "optimized" else {word, word ^ 1}
    assert len(set(reached)) == len(reached)
    assert not own & set(reached)
    assert max(reached) == law.symbols - 1


@pytest.mark.parametrize(("keys", "q"), [(5, 3), (5, 7), (10**6, None), (10**6, 1009), (2**31, 2097143)])
def test_compact_thresholds_are_hit_exactly(keys: int, q: int | None) -> None:
    """On the real thresholds, for the first key, the last and the dummy: T - 1 keeps the residue, T moves it."""
    law = UeCompactLaw(keys, 2, Fraction(1), q)
    for key, sign_level, truth in ((0, PLUS, 0), (keys - 1, 0, 1), (keys, PLUS, 0), (keys, 0, 1)):
        pairs = [(key, 0, sign_level)] if key < keys else []
        # A dummy's sign is fair: 2^63 - 1 is the last draw that gives +, 2^63 the first that gives -.
        sign = 0 if pairs else N // 2 - 1 + truth

        def residue(
            number: int,
            other: int = 0,
            function: int = law.functions - 1,
            *,
            start: tuple[int, int] = (0, sign),
            key: int = key,
            pairs: list[tuple[int, int, int]] = pairs,
        ) -> int:
            word = ue_compact.perturb(law, pairs, tape(*start, function, number, other))
            assert word // law.q == function
            return law.residue(word, key)

        for function in {0, 1, law.q, law.functions // 2, law.functions - 1} - {law.functions}:
            assert residue(law.kept - 1, function=function) == truth
            assert residue(law.kept, function=function) == (1 if truth == 0 else 0)
        # Every other residue is reached by one draw of `other`, and the true one by none.
        others = {*range(min(20, law.q - 1)), law.q - 2}
        reached = [residue(N - 1, other) for other in others]
        assert len(set(reached)) == len(reached)
        assert truth not in reached
        assert max(reached) == law.q - 1


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_ue_thresholds_are_hit_exactly(allocation: str) -> None:
    law = UeLaw(2, 1, Fraction(1), allocation)

    def states(own: int, other: int, sign_level: int = PLUS) -> tuple[int, int]:
        message = ue.perturb(law, [(0, 0, sign_level)], tape(0, 0, own, other))
        shown = []
        for key in (0, 1):
            present, plus = message >> key & 1, message >> 8 + key & 1
            shown.append((1 if plus else -1) if present else 0)
        return shown[0], shown[1]

    empty = N - 1
    assert [states(t, empty)[0] for t in (law.kept - 1, law.kept)] == [1, -1]
    both = law.kept + law.flipped
    assert [states(t, empty)[0] for t in (both - 1, both)] == [-1, 0]
    assert [states(t, empty, 0)[0] for t in (law.kept - 1, law.kept, both)] == [-1, 1, 0]
    assert [states(empty, t)[1] for t in (law.fake - 1, law.fake)] == [1, -1]
    assert [states(empty, t)[1] for t in (2 * law.fake - 1, 2 * law.fake)] == [-1, 0]


def test_below_rejects_the_incomplete_last_run() -> None:
    last_run = N - N % 3
    assert tape(last_run - 1).below(3) == 2
    assert tape(last_run, 7).below(3) == 1
    assert tape(N - 1).below(2) == 1
    assert tape(N - 1).below(1) == 0


@given(st.integers(1, 2**40), st.integers(0, N - 1))
def test_many_below_equals_one_below(count: int, number: int) -> None:
    source = fixed_source(struct.pack("<QQ", number, 5))
    many = VectorisedTape(source).below(np.zeros(1, np.int64), np.array([count], np.uint64))
    assert many.tolist() == [tape(number, 5).below(count)]


def test_a_rejection_takes_a_further_draw_from_the_source() -> None:
    data = bytes(16) + struct.pack("<QQ", N - 1, 4)
    assert Tape(1, fixed_source(data)).below(3) == 1
    with pytest.raises(EOFError, match="the tape ends"):
        Tape(1, fixed_source(data[:24])).below(3)


def check_a_tape_gives_every_draw_once() -> None:
    """Whatever was expected, in blocks of any number: draws that come again would tie the noise of keys together."""
    block = MAX_BLOCK_BYTES // DRAW_BYTES
    for expected in (0, 1, 5, block - 3, block - 2, block - 1, block, 2 * block - 2, 2 * block - 1, 3 * block):
        data = np.arange(2 + expected + 20, dtype="<u8").tobytes()
        given = Tape(expected, fixed_source(data))
        assert given.report_id == data[:REPORT_ID_BYTES]
        drawn = [given.draw() for _ in range(expected + 20)]
        assert drawn == list(range(2, 2 + len(drawn))), f"{expected} draws were expected"


def test_a_tape_gives_every_draw_once() -> None:
    check_a_tape_gives_every_draw_once()


TAPE = "base/randomness.py"
NEXT = "self._next_draw = iter(block).__next__"
TAPES = [
    in_place("the last block is repeated", TAPE, {NEXT: "self._next_draw = iter(block * 2).__next__"}, check_a_tape_gives_every_draw_once),
    in_place("the id of a large report is drawn again", TAPE, {"unpack_from(data, REPORT_ID_BYTES)": "unpack_from(data, REPORT_ID_BYTES * (first < _FIRST_BLOCK_DRAWS))"}, check_a_tape_gives_every_draw_once),
]  # fmt: skip


@pytest.mark.parametrize("fault", TAPES, ids=str)
def test_a_tape_with_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


def test_levels() -> None:
    assert placed(1, (1, 5)) == (0, 0)
    assert placed(5, (1, 5)) == (0, N)
    assert placed(3, (1, 5)) == (0, N // 2)
    assert placed(-1, (-1, 1)) == (0, 0)
    stars = (1.0, 2.0, 3.0, 4.0, 5.0)
    assert [placed(value, stars) for value in stars] == [(0, 0), (1, 0), (2, 0), (3, 0), (3, N)]
    assert placed(2.25, stars) == (1, N // 4)


def test_ids_are_fresh_and_empty_sets_are_legal() -> None:
    for name in LAWS:
        task = Task(name="t", keys=9, values=(0, 1), epsilon=1, padding=2, mechanism=name)
        reports = [perturb(task, {}) for _ in range(50)]
        assert len({report.id for report in reports}) == 50
        assert {len(report.body) for report in reports} == {task.law.body_bytes}


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"heat": 6}, "value 6 of key 'heat' is not a number within"),
        ({"heat": 0.999}, "0.999"),
        ({"heat": float("nan")}, "nan"),
        ({"heat": float("inf")}, "inf"),
        ({"heat": Decimal(7)}, "7"),
        ({"heat": "5"}, "'5'"),
        ({"heat": None}, "None"),
        ({"solaris": 3}, "'solaris' is not a key"),
        ({3: 3}, "3 is not a key"),
    ],
)
def test_bad_pairs(pairs: Any, message: str) -> None:
    task = Task(name="t", keys=["alien", "heat"], values=(1, 5), epsilon=1)
    with pytest.raises(PairsError, match=message):
        perturb(task, pairs)


def population_of(pairs: dict[int, float], users: int) -> Population:
    """Return a population in which every participant has the same pairs."""
    offsets = np.arange(users + 1) * len(pairs)
    return Population(offsets, np.tile(list(pairs), users).astype(np.int64), np.tile(list(pairs.values()), users) * 1.0)


def test_vectorised_path_covers_everybody_once() -> None:
    task = Task(name="t", keys=100, values=(0, 1), epsilon=1, mechanism="ue")
    people = population_of({5: 1.0}, 100_001)
    batches = list(perturb_many(task, people, seeded_source(1)))
    assert len(batches) > 1
    assert sum(len(batch.ids) for batch in batches) == sum(len(batch.messages) for batch in batches) == 100_001
    assert len(np.unique(np.concatenate([batch.ids for batch in batches]), axis=0)) == 100_001


def test_vectorised_path_refuses_bad_values() -> None:
    task = Task(name="t", keys=["alien", "heat"], values=(0, 1), epsilon=1)
    for bad in (1.5, np.nan, -np.inf):
        with pytest.raises(PairsError, match="'heat' is not within"):
            list(perturb_many(task, population_of({1: bad}, 3)))
