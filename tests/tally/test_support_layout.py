"""Tallies of `collision`: supports in, the same bytes out, and nothing that no set of reports could give."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from functools import partial
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from pckv import Report, Tally, Task
from pckv.base.arrays import Integers
from pckv.base.errors import ReportError, TallyError
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.tally import layouts, loops, supports
from pckv.tally.decode.support import key_support
from pckv.tally.layouts import SupportLayout, WordLayout
from support.laws import naive_supports

HEADER_BYTES, CHECKSUM_BYTES = 64, 32


def collision_task(keys: int, padding: int = 2, **members: Any) -> Task:
    options: dict[str, Any] = {"epsilon": 1, "mechanism": "collision", "size_share": 0} | members
    return Task(name="t", keys=keys, values=(0, 1), padding=padding, **options)


PAIRS = collision_task(11)
# Four answers to a question about sizes follow the words about pairs.
SIZES = collision_task(11, size_share="0.05", mechanism={"name": "collision", "positions": 4099})
# Functions that are named by an index, on too many positions to be counted one by one.
BY_INDEX = collision_task(11, mechanism={"name": "collision", "symbols": 10**7})
TASKS = {"pairs": PAIRS, "sizes": SIZES, "by index": BY_INDEX}
some_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)


def law_of(task: Task) -> CollisionLaw:
    assert isinstance(task.law, CollisionLaw)
    return task.law


def layout_of(task: Task) -> SupportLayout:
    layout = Tally(task).layout
    assert isinstance(layout, SupportLayout)
    return layout


def words(task: Task) -> st.SearchStrategy[int]:
    """Draw words, as often about sizes as about pairs where there are both."""
    pairs, limit = law_of(task).word_limit, task.word_limit
    assert limit is not None
    about_pairs = st.integers(0, pairs - 1)
    return about_pairs if limit == pairs else st.one_of(about_pairs, st.integers(pairs, limit - 1))


def naive_cells(task: Task, sent: list[int]) -> list[int]:
    law = law_of(task)
    answers = range(law.word_limit, task.word_limit or 0)
    about_pairs = [word for word in sent if word < law.word_limit]
    return [*naive_supports(law, about_pairs), *(sent.count(answer) for answer in answers)]


def tally_of(task: Task, sent: list[int]) -> Tally:
    tally = Tally(task)
    tally.add_many(np.array(sent, np.int64))
    return tally


@some_task
def test_cells_are_those_of_a_naive_count(task: Task) -> None:
    @settings(max_examples=60)
    @given(st.lists(words(task), max_size=40))
    def check(sent: list[int]) -> None:
        tally, expected = tally_of(task, sent), naive_cells(task, sent)
        assert tally.counts.take(np.arange(tally.cells)).tolist() == expected
        answers = expected[2 * task.key_count + 1 :]
        assert tally.size_answers.tolist() == answers
        assert (tally.reports, tally.pair_reports) == (len(sent), len(sent) - sum(answers))
        support = key_support(tally, np.array([10, 3]))
        assert support.counts.tolist() == [[expected[20], expected[6]], [expected[21], expected[7]]]

    check()


@some_task
def test_any_partition_merges_to_the_same_bytes(task: Task) -> None:
    @settings(max_examples=100)
    @given(st.lists(st.tuples(words(task), st.integers(0, 3)), max_size=20), st.permutations(range(4)))
    def check(parts: list[tuple[int, int]], order: list[int]) -> None:
        direct = Tally(task)
        for word, _ in parts:
            direct.add(Report(bytes(16), task.message_format.encode(word)))
        merged, from_bytes = Tally(task), Tally(task)
        for part in order:
            of_part = tally_of(task, [word for word, owner in parts if owner == part])
            merged.merge(of_part)
            from_bytes.merge_bytes(bytes(of_part))
        assert bytes(merged) == bytes(direct) == bytes(from_bytes)
        assert Tally.from_bytes(task, bytes(merged)) == direct

    check()


@pytest.mark.parametrize("worth", [0, 2**62], ids=["compiled", "plain"])
def test_parts_of_all_sizes_give_the_same_bytes(worth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one they are looked up, together counted by position, and on several threads."""
    monkeypatch.setattr(supports, "SUPPORTS_WORTH_COMPILING", worth)
    monkeypatch.setattr(supports, "COMPILED_LOOPS", "never loaded")
    task = collision_task(300, 5, size_share="0.2")
    sent = default_rng(2).integers(0, task.word_limit or 0, 2000)
    sent[::7] = law_of(task).word_limit + np.arange(sent[::7].size) % 4
    together = bytes(tally_of(task, sent.tolist()))
    monkeypatch.setattr(supports, "SUPPORTS_PER_THREAD", 1000)
    for parts in (2, 90, 2000):
        tally = Tally(task)
        for part in np.array_split(sent, parts):
            tally.add_many(part)
        assert bytes(tally) == together


def test_compiling_is_for_many_supports_however_few_come_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    task = collision_task(11)
    steps = law_of(task).steps_per_report
    monkeypatch.setattr(supports, "SUPPORTS_WORTH_COMPILING", 25 * steps)
    monkeypatch.setattr(supports, "COMPILED_LOOPS", "never loaded")
    asked: list[bool] = []

    def count(law: CollisionLaw, sent: Integers, *, compiled: bool) -> tuple[Integers, Integers]:
        asked.append(compiled)
        return supports.count_supports(law, sent)

    monkeypatch.setattr(layouts, "count_supports", count)
    tally = Tally(task)
    for _ in range(4):
        tally.add_many(np.arange(10))
    assert asked == [False, False, True, True]
    # Once the loops are loaded, they are used for any number.
    monkeypatch.undo()
    monkeypatch.setattr(layouts, "count_supports", count)
    assert loops.__name__ == supports.COMPILED_LOOPS
    Tally(task).add_many(np.arange(1))
    assert asked[-1]


def test_reports_that_cannot_be_counted_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    tally = tally_of(SIZES, [1, 2])
    before = bytes(tally)
    monkeypatch.setattr(layouts, "count_supports", exhausted)
    with pytest.raises(MemoryError):
        tally.add_many(np.array([5, law_of(SIZES).word_limit]))
    assert bytes(tally) == before


# Size on disk


@pytest.mark.parametrize("reports", [0, 1, 3, 50, 20_000])
@some_task
def test_bytes_are_bounded_by_the_keys(task: Task, reports: int) -> None:
    data = bytes(tally_of(task, default_rng(3).integers(0, task.word_limit or 0, reports).tolist()))
    answers = (task.word_limit or 0) - law_of(task).word_limit
    assert len(data) <= 8 * (2 * task.key_count + 1 + answers) + HEADER_BYTES + CHECKSUM_BYTES


def test_a_tally_of_ten_thousand_keys_is_below_200_kb() -> None:
    """From some reports on the size is that of all cells, whatever their number."""
    task = collision_task(10_000, 5, size_share="0.05")
    sizes = [
        len(bytes(tally_of(task, default_rng(3).integers(0, law_of(task).word_limit, reports).tolist())))
        for reports in (1000, 3000)
    ]
    assert sizes[0] == sizes[1] < 200_000


# Refusals


@some_task
def test_words_out_of_range_are_refused_and_nothing_is_counted(task: Task) -> None:
    limit = task.word_limit or 0
    tally = tally_of(task, [1, 2, limit - 1])
    before = bytes(tally)
    for bad in (limit, -1, 2**63 - 1, -(2**63)):
        with pytest.raises(ReportError, match=f"^report 2: word {bad} is not below {limit}$") as caught:
            tally.add_many(np.array([0, limit - 1, bad, 5]))
        assert caught.value.code == "out_of_range"
        assert bytes(tally) == before


def forged(task: Task, reports: int, counts: dict[int, int]) -> bytes:
    """Return the bytes of a tally with any counts of its cells, and a checksum that fits."""
    cells = layout_of(task).cells
    body = struct.pack("<8s32sqqq", b"pckvtly1", task.digest, reports, cells, len(counts))
    if 2 * len(counts) < cells:
        numbers = [*sorted(counts), *(counts[cell] for cell in sorted(counts))]
    else:
        numbers = [counts.get(cell, 0) for cell in range(cells)]
    body += struct.pack(f"<{len(numbers)}q", *numbers)
    return body + hashlib.sha256(body).digest()


def refusal(task: Task, data: bytes) -> str:
    tally = tally_of(task, [3, 4])
    before = bytes(tally)
    with pytest.raises(TallyError) as caught:
        tally.merge_bytes(data)
    assert bytes(tally) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


DO_NOT_FIT = "not a tally: the supports do not fit the number of reports"


def test_supports_that_no_reports_have() -> None:
    """SIZES has 4099 positions, of which a word supports 512 or 513: 4099/8, rounded down or up."""
    law, unused = law_of(SIZES), layout_of(SIZES).unused
    assert (law.positions, law.symbols, unused) == (4099, 8, 22)
    possible = forged(SIZES, 5, {3: 4, 22: 4 * 512 - 4, 23: 1})
    assert Tally.from_bytes(SIZES, possible).pair_reports == 4
    for reports, counts in (
        # An item more often than there are reports about pairs.
        (5, {3: 5, 22: 4 * 512 - 4, 23: 1}),
        (4, {3: 5, 22: 4 * 512}),
        # Fewer supports than reports have, or more.
        (4, {3: 4, 22: 4 * 512 - 5}),
        (4, {3: 4, 22: 4 * 513 - 3}),
        (4, {}),
        (0, {22: 1}),
        # More answers than reports.
        (4, {23: 5}),
        (4, {3: 4, 22: 4 * 512 - 4, 23: 1}),
        (4, {23: 2**63 - 1, 24: 2**63 - 1}),
        (2**40, {3: 2**63 - 1, 4: 2**63 - 1}),
    ):
        assert refusal(SIZES, forged(SIZES, reports, counts)) == DO_NOT_FIT


@some_task
def test_the_checks_take_what_reports_give(task: Task) -> None:
    """The bounds are reached: all reports of one word, with the longest and with the shortest progression."""
    law = law_of(task)
    for symbol in (0, law.symbols - 1):
        length = len(range(symbol, law.positions, law.symbols))
        assert length in {law.positions // law.symbols, ceil(law.positions / law.symbols)}
        tally = tally_of(task, [7 * law.symbols + symbol] * 300)
        assert Tally.from_bytes(task, bytes(tally)) == tally


def test_edited_bytes_are_refused() -> None:
    data = bytearray(bytes(tally_of(SIZES, [*range(300)])))
    for place in (0, 20, 45, 60, 100, len(data) - 1):
        edited = data.copy()
        edited[place] ^= 1
        assert refusal(SIZES, bytes(edited)).startswith("not a tally: ")
    assert refusal(SIZES, bytes(data[:-8])).startswith("not a tally: ")
    assert refusal(SIZES, bytes(tally_of(PAIRS, [1]))) == "a tally of another task"


def test_counters_do_not_overflow() -> None:
    """A report adds up to 513 to the counter of the unused positions, which holds 2^63 - 1."""
    most = (2**63 - 1) // law_of(SIZES).steps_per_report
    full = forged(SIZES, most, {22: most * 513})
    tally = Tally.from_bytes(SIZES, full)
    message = f"a tally of this task holds at most {most:,} reports"
    additions: list[Callable[[], None]] = [
        partial(tally.add_many, np.array([1])),
        partial(tally.merge_bytes, full),
        partial(tally.merge, tally),
    ]
    for add in additions:
        with pytest.raises(TallyError) as caught:
            add()
        assert str(caught.value) == message
        assert bytes(tally) == full
    assert refusal(SIZES, forged(SIZES, most + 1, {22: 2**63 - 1})) == message


def test_counted_words_are_refused() -> None:
    tally = Tally(PAIRS)
    with pytest.raises(TallyError, match=r"^a tally whose cells are not words takes reports one by one$"):
        tally.add_counted(np.array([1]), np.array([1]))
    with pytest.raises(TallyError, match=r"^a tally of task .* cannot be merged into one of .*$"):
        tally.merge(Tally(SIZES))


def test_with_too_many_keys_a_tally_keeps_words() -> None:
    for keys, layout in ((2**22, SupportLayout), (2**22 + 1, WordLayout)):
        assert type(Tally(collision_task(keys)).layout) is layout
