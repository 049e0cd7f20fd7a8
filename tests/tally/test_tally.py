"""Tallies: exact, mergeable, one encoding."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pckv import Report, Tally, Task
from pckv.base.errors import ReportError, TallyError
from pckv.base.seeded import seeded_source
from pckv.base.wire import BitPlanes
from pckv.tally import counts as counts_module
from pckv.tally import storage
from pckv.tally.counts import DenseCounts, SparseCounts
from pckv.tally.decode.support import key_support
from pckv.tally.layouts import PlaneLayout
from support.tasks import a_task

PLANES = PlaneLayout(BitPlanes(11))
UE = Task(name="t", keys=11, values=(0, 1), epsilon=1, padding=1, mechanism="ue")
GRR = Task(name="t", keys=11, values=(0, 1), epsilon=1, padding=1, mechanism="grr", size_share=0)
COMPACT = a_task(keys=11, padding=1, mechanism={"name": "ue-compact", "q": 5}, size_share=0)
# The words 24 to 27 are answers to the size question.
SIZES = Task(name="t", keys=11, values=(0, 1), epsilon=1, padding=1, mechanism="grr", size_share="0.05")


@st.composite
def messages(draw: st.DrawFn, task: Task) -> int:
    if task.word_limit is not None:
        return draw(st.integers(0, task.word_limit - 1))
    presence = draw(st.integers(0, 2**task.key_count - 1))
    return presence | (presence & draw(st.integers(0, 2**task.key_count - 1))) << 16


def report(task: Task, message: int) -> Report:
    return Report(bytes(16), task.message_format.encode(message))


def tally_of(task: Task, reports: list[Report]) -> Tally:
    tally = Tally(task)
    tally.add_many(reports)
    return tally


@pytest.mark.parametrize("task", [UE, GRR, COMPACT, SIZES], ids=["ue", "grr", "ue-compact", "sizes"])
def test_any_partition_merges_to_the_same_bytes(task: Task, request: pytest.FixtureRequest) -> None:
    """In 200 partitions, with --all in 1,000 of those that are soon counted."""
    is_slow = request.config.getoption("--all")

    @settings(max_examples=1000 if is_slow and task in {UE, GRR} else 200)
    @given(st.lists(st.tuples(messages(task), st.integers(0, 3)), max_size=30), st.permutations(range(4)))
    def check(parts: list[tuple[int, int]], order: list[int]) -> None:
        direct = Tally(task)
        for message, _ in parts:
            direct.add(report(task, message))
        merged = Tally(task)
        for part in order:
            merged.merge(tally_of(task, [report(task, m) for m, owner in parts if owner == part]))
        assert bytes(merged) == bytes(direct)
        assert bytes(Tally.from_bytes(task, bytes(merged))) == bytes(direct)

    check()


@given(st.lists(messages(UE), max_size=40))
def test_planes_are_counted_key_by_key(sent: list[int]) -> None:
    support = key_support(tally_of(UE, [report(UE, message) for message in sent]))
    for key in range(UE.key_count):
        plus = sum(message >> 16 + key & 1 for message in sent)
        present = sum(message >> key & 1 for message in sent)
        assert support.counts[:, key].tolist() == [present - plus, plus]


@given(st.lists(messages(GRR), max_size=40))
def test_words_are_counted_and_dummies_are_no_keys(sent: list[int]) -> None:
    tally = tally_of(GRR, [report(GRR, word) for word in sent])
    support = key_support(tally, np.array([10, 3]))
    assert support.counts.tolist() == [[sent.count(20), sent.count(6)], [sent.count(21), sent.count(7)]]
    assert tally.reports == len(sent)


@given(st.lists(messages(COMPACT), max_size=40))
def test_compact_words_are_decoded_key_by_key(sent: list[int]) -> None:
    """125 words over F_5: key k has the digits k mod 5 and ⌊k/5⌋."""
    tally = tally_of(COMPACT, [report(COMPACT, word) for word in sent])
    for support in (key_support(tally), key_support(tally, np.arange(11))):
        for key in range(11):
            residues = [(word // 5 % 5 * (key % 5) + word // 25 * (key // 5) + word % 5) % 5 for word in sent]
            assert support.counts[:, key].tolist() == [residues.count(1), residues.count(0)]
    assert tally.reports == len(sent)


@given(st.lists(messages(SIZES), max_size=40))
def test_answers_about_sizes_are_counted_apart(sent: list[int]) -> None:
    tally = tally_of(SIZES, [report(SIZES, word) for word in sent])
    answers = [sent.count(word) for word in range(24, 28)]
    assert tally.size_answers.tolist() == answers
    assert (tally.reports, tally.pair_reports) == (len(sent), len(sent) - sum(answers))
    support = key_support(tally)
    pairs = [word for word in sent if word < 22]
    assert support.counts.sum() == len(pairs)


@pytest.mark.parametrize("task", [UE, GRR], ids=["ue", "grr"])
def test_without_the_size_question_all_reports_are_about_pairs(task: Task) -> None:
    tally = tally_of(task, [report(task, 0)] * 3)
    assert (tally.size_answers.tolist(), tally.pair_reports) == ([], 3)


def test_a_size_word_is_refused_where_sizes_are_not_asked() -> None:
    assert SIZES.word_limit == 28
    for task, word in ((GRR, 24), (SIZES, 28)):
        with pytest.raises(ReportError, match=f"word {word} is not below {word}") as caught:
            Tally(task).add(report(task, word))
        assert caught.value.code == "out_of_range"
        with pytest.raises(ReportError, match=f"report 1: word {word} is not below {word}"):
            Tally(task).add_many(np.array([0, word]))


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (300, 1), (5000, 2), (700, 1300), (256, 5000)])
def test_bits_are_counted_as_unpacking_would(shape: tuple[int, int]) -> None:
    rows = np.random.default_rng(3).integers(0, 256, shape).astype(np.uint8)
    assert PLANES.count_bits(rows).tolist() == np.unpackbits(rows, axis=1, bitorder="little").sum(0).tolist()


def test_bits_that_are_always_set_do_not_overflow() -> None:
    rows = np.full((70_000, 3), 255, np.uint8)
    assert set(PLANES.count_bits(rows).tolist()) == {70_000}


@given(st.lists(st.lists(st.integers(0, 50), max_size=20), max_size=8))
def test_sparse_counts_are_dense_counts(batches: list[list[int]]) -> None:
    dense, sparse = DenseCounts(51), SparseCounts(51)
    for batch in batches:
        for counts in (dense, sparse):
            counts.add(np.array(batch, np.int64))
    cells = np.array([0, 50, 7, 7, 23])
    assert sparse.take(cells).tolist() == dense.take(cells).tolist()
    assert [part.tolist() for part in sparse.nonzero()] == [part.tolist() for part in dense.nonzero()]


def test_sparse_counts_fold_as_they_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts_module, "FOLD_AT", 10)
    sparse = SparseCounts(51)
    for _ in range(9):
        sparse.add(np.arange(4))
    assert len(sparse._waiting) < 4
    assert sparse.take(np.arange(5)).tolist() == [9, 9, 9, 9, 0]


def test_a_fold_that_ends_for_lack_of_memory_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = SparseCounts(100)
    counts.add_counts(np.array([3, 7]), np.array([1, 2]))
    counts.add_counts(np.array([7, 9]), np.array([4, 8]))

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(np, "argsort", fail)
        with pytest.raises(MemoryError):
            counts.nonzero()
    cells, found = counts.nonzero()
    assert (cells.tolist(), found.tolist()) == ([3, 7, 9], [1, 6, 8])


def test_a_task_of_two_billion_keys_is_tallied_sparsely() -> None:
    task = Task(name="t", keys=2**31, values=(0, 1), epsilon=1, padding=1, mechanism="grr")
    assert task.word_limit is not None
    tally = Tally(task)
    words = np.array([0, task.word_limit - 1, 2**31, 2**31, 1])
    tally.add_many(words)
    assert len(bytes(tally)) == 8 + 32 + 24 + 16 * 4 + 32
    assert Tally.from_bytes(task, bytes(tally)) == tally
    support = key_support(tally, np.array([0, 2**30]))
    assert support.counts.tolist() == [[1, 2], [1, 0]]


def test_bytes_are_as_stated() -> None:
    tally = tally_of(GRR, [report(GRR, 5), report(GRR, 5), report(GRR, 9)])
    body = b"pckvtly1" + GRR.digest + struct.pack("<qqq", 3, 24, 2) + struct.pack("<4q", 5, 9, 2, 1)
    assert bytes(tally) == body + hashlib.sha256(body).digest()
    tally.add_many(np.arange(12))
    dense = struct.pack("<24q", *(1 + 2 * (i == 5) + (i == 9) if i < 12 else 0 for i in range(24)))
    body = b"pckvtly1" + GRR.digest + struct.pack("<qqq", 15, 24, 12) + dense
    assert bytes(tally) == body + hashlib.sha256(body).digest()


def forged(task: Task, header: tuple[int, int, int], numbers: list[int], owner: bytes | None = None) -> bytes:
    body = b"pckvtly1" + (owner or task.digest) + struct.pack(f"<{3 + len(numbers)}q", *header, *numbers)
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    ("task", "data", "message"),
    [
        (GRR, b"", "does not begin"),
        (GRR, b"pckvtly1", "truncated"),
        (GRR, bytes(tally_of(GRR, []))[:-1], "truncated or edited"),
        (GRR, bytes(tally_of(UE, [])), "another task"),
        (GRR, forged(GRR, (2, 24, 1), [5, 1]), "do not add up"),
        (GRR, forged(GRR, (0, 24, 1), [5, 0]), "out of range"),
        (GRR, forged(GRR, (-1, 24, 1), [5, -1]), "out of range"),
        (GRR, forged(GRR, (2, 24, 2), [9, 5, 1, 1]), "out of order"),
        (GRR, forged(GRR, (2, 24, 2), [5, 5, 1, 1]), "out of order"),
        (GRR, forged(GRR, (1, 24, 1), [24, 1]), "out of range"),
        (GRR, forged(GRR, (1, 24, 1), [-1, 1]), "out of range"),
        (GRR, forged(GRR, (1, 22, 1), [5, 1]), "size does not fit"),
        (GRR, forged(GRR, (1, 24, 1), [5, 1, 0]), "size does not fit"),
        (GRR, forged(GRR, (1, 24, 1), [0] * 5 + [1] + [0] * 18), "size does not fit"),
        (GRR, forged(GRR, (12, 24, 13), [1] * 12 + [0] * 12), "out of order"),
        (GRR, forged(GRR, (1, 24, -1), []), "size does not fit"),
        (COMPACT, forged(COMPACT, (1, 125, 1), [125, 1]), "out of range"),
        (COMPACT, forged(COMPACT, (2, 125, 1), [124, 1]), "do not add up"),
        (COMPACT, forged(COMPACT, (1, 625, 1), [5, 1]), "size does not fit"),
        (COMPACT, bytes(tally_of(GRR, [])), "another task"),
        (UE, forged(UE, (1, 22, 1), [5, 2]), "more counts than there are reports"),
        (UE, forged(UE, (1, 22, 2), [4, 5, 1, 1]), "more counts than there are reports"),
    ],
)
def test_bad_tallies(task: Task, data: bytes, message: str) -> None:
    with pytest.raises(TallyError, match=message):
        Tally.from_bytes(task, data)


def test_all_or_none() -> None:
    tally = Tally(GRR)
    with pytest.raises(ReportError, match="report 1: word 24 is not below 24"):
        tally.add_many([report(GRR, 3), report(GRR, 24)])
    for words in ([1, 24], [1, -1], [1, 2**62]):
        with pytest.raises(ReportError, match="report 1: word"):
            tally.add_many(np.array(words))
    with pytest.raises(ReportError, match="report 0: a report id has 16 bytes"):
        tally.add_many([Report(b"", bytes(8))])
    assert bytes(tally) == bytes(Tally(GRR))
    compact = Tally(COMPACT)
    for words in ([124, 125], [124, -1], [124, 2**62]):
        with pytest.raises(ReportError, match=r"report 1: word .* is not below 125"):
            compact.add_many(np.array(words))
    assert bytes(compact) == bytes(Tally(COMPACT))


def test_arrays_of_another_shape_are_refused() -> None:
    for task, array in (
        (GRR, np.zeros((2, 8), np.uint8)),
        (GRR, np.zeros(2, np.int32)),
        (UE, np.zeros((2, 5), np.uint8)),
        (UE, np.zeros(4, np.uint8)),
        (UE, np.zeros((2, 4), np.int64)),
    ):
        with pytest.raises(ReportError) as caught:
            Tally(task).add_many(array)
        assert caught.value.code == "wrong_length"


def test_non_canonical_planes_are_refused() -> None:
    good = [0xFF, 0x07, 0x00, 0x07]
    for bad, message in (
        ([0, 0x08, 0, 0], "beyond the last of 11"),
        ([0, 0x02, 0, 0x04], "nothing is present"),
    ):
        tally = Tally(UE)
        with pytest.raises(ReportError, match=f"report 1: .*{message}"):
            tally.add_many(np.array([good, bad], np.uint8))
        assert tally.reports == 0


def test_merging_unlike_tallies() -> None:
    with pytest.raises(TallyError, match="cannot be merged"):
        Tally(UE).merge(Tally(GRR))


def test_too_many_reports() -> None:
    tally = Tally(GRR)
    tally.reports = 2**63 - 1
    with pytest.raises(TallyError, match="at most"):
        tally.add(report(GRR, 0))


def test_seeded_sources_repeat() -> None:
    one, two = seeded_source(5), seeded_source(5)
    assert [one(8), one(8)] == [two(8), two(8)]
    assert seeded_source(5)(8) != seeded_source(6)(8)


@given(st.permutations(range(0, 40, 3)), st.integers(1, 5))
def test_sparse_counts_are_in_order_whatever_order_they_come_in(cells: list[int], times: int) -> None:
    counts = SparseCounts(100)
    for _ in range(times):
        counts.add_counts(np.array(cells), np.arange(1, len(cells) + 1))
    occupied, sums = counts.nonzero()
    assert occupied.tolist() == sorted(cells)
    assert sums.tolist() == [times * (cells.index(cell) + 1) for cell in occupied]


def test_the_task_of_a_tally_is_read_from_its_header_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "CHECKSUM_BYTES", 0)
    assert storage.task_digest(bytes(Tally(UE))[: storage.HEADER_BYTES]) == UE.digest
