"""Reports that wait as words: what is stored at commit, what compactions make of it, and what is refused."""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Tally
from pckv.base.errors import ReportError, TallyError
from pckv.base.wire import Report
from pckv.store import parts
from pckv.store import store as sql
from pckv.store.base import Part, PartSummary, StoredPart, Upload
from pckv.store.checks import check_store
from pckv.store.parts import (
    MAGIC,
    are_words,
    choose_compaction,
    compact_parts,
    merge_parts,
    new_part,
    pack_words,
    tally_part,
    unpack_words,
)
from pckv.store.sql import reports
from pckv.store.sql.transactions import Transaction
from pckv.store.store import Store
from pckv.tally import layouts
from support import memory_store as memory
from support.faults import Fault, in_place
from support.stores import COUNTED_LATER, DAY, OTHER, TASK, add, opened, report, some_reports, store_url, tally, total

LIMIT = COUNTED_LATER.word_limit or 0
FIRST_ANSWER = COUNTED_LATER.law.word_limit or 0
# Among pairs and answers to the size question, often the same.
words = st.integers(0, LIMIT - 1) | st.sampled_from([0, 1, FIRST_ANSWER - 1, FIRST_ANSWER, LIMIT - 1])


def content_of(sent: list[int]) -> bytes:
    return pack_words(COUNTED_LATER, np.array(sent, np.int64))


def sealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def summaries(kept: dict[int, Part]) -> list[PartSummary]:
    return [PartSummary(number, part.uncounted, len(part.content)) for number, part in kept.items()]


@given(st.lists(st.lists(words, min_size=1), max_size=12), st.integers(1, 40), st.randoms(use_true_random=False))
def test_words_and_tallies_add_up_to_the_same_bytes_in_any_order(
    batches: list[list[int]], enough: int, order: random.Random
) -> None:
    """Parts come one by one, are merged and counted at random moments, and always add up to the same tally."""
    expected = Tally(COUNTED_LATER)
    kept: dict[int, Part] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "MIN_REPORTS_TO_COUNT", enough)
        for number, batch in enumerate(batches):
            expected.add_many(np.array(batch, np.int64))
            kept[number] = new_part(COUNTED_LATER, [word.to_bytes(8, "little") for word in batch])
            if order.random() < 0.5:
                chosen = choose_compaction(COUNTED_LATER, summaries(kept), fully=order.random() < 0.2)
                if chosen.numbers:
                    contents = [kept.pop(part).content for part in order.sample(chosen.numbers, len(chosen.numbers))]
                    kept[-1 - number] = compact_parts(COUNTED_LATER, contents, chosen)
            contents = [part.content for part in order.sample(list(kept.values()), len(kept))]
            assert bytes(merge_parts(COUNTED_LATER, contents)) == bytes(expected)
            assert sum(part.reports for part in kept.values()) == expected.reports
            waiting = sum(part.uncounted for part in kept.values() if are_words(part.content))
            assert waiting == sum(part.uncounted for part in kept.values())


def check_words_of_many_parts() -> None:
    """Assert that the words of many parts count once each, however many are counted together."""
    batches = [list(range(size)) for size in (1, 3, 2, 1, 5)]
    sent = [word for batch in batches for word in batch]
    expected = Tally(COUNTED_LATER)
    expected.add_many(np.array(sent, np.int64))
    for at_once in range(1, len(sent) + 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parts, "WORDS_AT_ONCE", at_once)
            assert bytes(merge_parts(COUNTED_LATER, map(content_of, batches))) == bytes(expected), at_once


def test_words_of_many_parts_count_once() -> None:
    check_words_of_many_parts()


COUNTED_TOGETHER = "            total.add_many(np.concatenate(waiting))\n            waiting = []\n"
FAULTS = [
    in_place(
        fault, "store/parts.py", {COUNTED_TOGETHER: COUNTED_TOGETHER.replace(right, wrong)}, check_words_of_many_parts
    )
    for fault, right, wrong in (
        ("words that were counted together wait on", "waiting = []", "pass"),
        ("the last part that is counted together is left out", "(waiting))", "(waiting[:-1] or waiting))"),
    )
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_many_parts_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


@given(st.lists(words), st.randoms(use_true_random=False))
def test_words_come_back_without_their_order(sent: list[int], order: random.Random) -> None:
    content = content_of(sent)
    assert content_of(order.sample(sent, len(sent))) == content
    assert unpack_words(COUNTED_LATER, content).tolist() == sorted(sent)
    assert are_words(content)


GOOD = content_of([3, 5, 5])
BODY = GOOD[:-32]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD[:-1], "truncated or edited"),
        (GOOD[:40], "truncated or edited"),
        (MAGIC, "truncated or edited"),
        (GOOD[:50] + b"\x01" + GOOD[51:], "truncated or edited"),
        (sealed(BODY + b"x"), "part of a word is missing"),
        (sealed(MAGIC + OTHER.digest + BODY[40:]), "another task"),
        (sealed(BODY + bytes(8)), "out of order"),
        (sealed(BODY + LIMIT.to_bytes(8, "little")), "out of range"),
        (sealed(BODY[:40] + (-1).to_bytes(8, "little", signed=True)), "out of range"),
    ],
)
def test_damaged_words_are_refused_in_one_line(content: bytes, message: str) -> None:
    with pytest.raises(TallyError, match=message) as refused:
        unpack_words(COUNTED_LATER, content)
    assert "\n" not in str(refused.value)
    with pytest.raises(TallyError, match=message):
        merge_parts(COUNTED_LATER, [GOOD, content])


def later(numbers: range) -> list[Report]:
    return some_reports(numbers, COUNTED_LATER)


def test_a_commit_counts_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def count(*_: object) -> None:
        raise AssertionError

    store.add_task(COUNTED_LATER, DAY)
    with monkeypatch.context() as patch:
        patch.setattr(layouts, "count_supports", count)
        add(store, *later(range(20)), task=COUNTED_LATER)
    assert [(part.reports, part.uncounted) for part in store.parts(COUNTED_LATER.id)] == [(20, 20)]
    assert store.report_counts([COUNTED_LATER.id]) == {COUNTED_LATER.id: 20}
    assert total(store, COUNTED_LATER) == tally(later(range(20)), COUNTED_LATER)


def test_a_word_that_is_none_leaves_everything_as_it_was(store: Store) -> None:
    store.add_task(COUNTED_LATER, DAY)
    bad = Report(bytes(16), LIMIT.to_bytes(8, "little"))
    with pytest.raises(ReportError, match=f"word {LIMIT} is not below {LIMIT}"):
        store.add_reports([Upload(TASK.id, [report(1)]), Upload(COUNTED_LATER.id, [*later(range(1)), bad])], DAY)
    assert store.parts(TASK.id) == store.parts(COUNTED_LATER.id) == []


def test_words_are_merged_until_enough_wait_to_be_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MIN_REPORTS_TO_COUNT", 30)
    store.add_task(COUNTED_LATER, DAY)

    def kept() -> list[tuple[int, int]]:
        assert total(store, COUNTED_LATER) == tally(later(range(sent)), COUNTED_LATER)
        assert check_store(store) == []
        return sorted((part.reports, part.uncounted) for part in store.parts(COUNTED_LATER.id))

    for sent in (5, 10, 15, 20):
        add(store, *later(range(sent - 5, sent)), task=COUNTED_LATER)
    assert store.tasks_to_compact(5, 21) == []
    assert store.tasks_to_compact(5, 20) == [COUNTED_LATER.id]
    assert (store.compact(COUNTED_LATER.id), kept()) == (4, [(20, 20)])
    assert store.compact(COUNTED_LATER.id) == 0
    for sent in (25, 30):
        add(store, *later(range(sent - 5, sent)), task=COUNTED_LATER)
    assert (store.compact(COUNTED_LATER.id), kept()) == (3, [(30, 0)])
    assert store.compact(COUNTED_LATER.id) == store.compact(COUNTED_LATER.id, fully=True) == 0
    sent = 35
    add(store, *later(range(30, 35)), task=COUNTED_LATER)
    assert (store.compact(COUNTED_LATER.id), kept()) == (0, [(5, 5), (30, 0)])
    assert (store.compact(COUNTED_LATER.id, fully=True), kept()) == (2, [(35, 0)])


def test_the_last_words_of_a_closed_task_are_counted_before_its_reports_are_forgotten(store: Store) -> None:
    store.add_task(COUNTED_LATER, DAY)
    add(store, *later(range(3)), task=COUNTED_LATER)
    store.close_task(COUNTED_LATER.id, DAY)
    assert store.compact(COUNTED_LATER.id, fully=True) == 1
    assert store.forget_reports(COUNTED_LATER.id, DAY) == 3
    assert [(part.reports, part.uncounted) for part in store.parts(COUNTED_LATER.id)] == [(3, 0)]
    assert total(store, COUNTED_LATER) == tally(later(range(3)), COUNTED_LATER)
    assert check_store(store) == []
    deletion = store.delete_task(COUNTED_LATER.id, DAY)
    assert deletion is not None
    assert deletion.reports == 3


def test_one_compaction_counts_a_limited_number_of_words(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MIN_REPORTS_TO_COUNT", 1)
    layout = layouts.layout_of(COUNTED_LATER)
    assert isinstance(layout, layouts.SupportLayout)
    monkeypatch.setattr(parts, "MAX_INCREMENTS", 10 * layout.law.steps_per_report)
    store.add_task(COUNTED_LATER, DAY)
    for start in range(0, 24, 4):
        add(store, *later(range(start, start + 4)), task=COUNTED_LATER)
    left = []
    while store.compact(COUNTED_LATER.id):
        left.append(sum(part.uncounted for part in store.part_summaries(COUNTED_LATER.id)))
    assert left == [16, 8, 0]
    # A part with more words than that is counted whole.
    add(store, *later(range(24, 60)), task=COUNTED_LATER)
    assert store.compact(COUNTED_LATER.id) > 0
    assert total(store, COUNTED_LATER) == tally(later(range(60)), COUNTED_LATER)
    assert check_store(store) == []


def test_uploads_go_on_while_words_are_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add_task(COUNTED_LATER, DAY)
    add(store, *later(range(10)), task=COUNTED_LATER)
    counting, go_on = threading.Event(), threading.Event()

    def slowly(*arguments: object) -> Part:
        counting.set()
        assert go_on.wait(20)
        return compact_parts(*arguments)  # type: ignore[arg-type]

    for module in (sql, memory):
        monkeypatch.setattr(module, "compact_parts", slowly)
    merged: list[int] = []
    thread = threading.Thread(target=lambda: merged.append(store.compact(COUNTED_LATER.id, fully=True)))
    thread.start()
    assert counting.wait(20)
    add(store, *later(range(10, 15)), task=COUNTED_LATER)
    assert total(store, COUNTED_LATER) == tally(later(range(15)), COUNTED_LATER)
    go_on.set()
    thread.join()
    assert merged == [1]
    assert sorted(part.uncounted for part in store.parts(COUNTED_LATER.id)) == [0, 5]
    assert total(store, COUNTED_LATER) == tally(later(range(15)), COUNTED_LATER)
    assert check_store(store) == []


@pytest.mark.parametrize("end", ["delete", "compact"])
def test_a_compaction_that_comes_too_late_changes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Between the choice of parts and their replacement, another process replaces or deletes them."""
    store.add_task(COUNTED_LATER, DAY)
    add(store, *later(range(10)), task=COUNTED_LATER)
    add(store, *later(range(10, 20)), task=COUNTED_LATER)
    meanwhile: dict[str, Callable[[], object]] = {
        "delete": lambda: store.delete_task(COUNTED_LATER.id, DAY),
        "compact": lambda: store.compact(COUNTED_LATER.id, fully=True),
    }
    for module in (sql, memory):

        def late(*arguments: object) -> Part:
            monkeypatch.setattr(sql, "compact_parts", compact_parts)
            monkeypatch.setattr(memory, "compact_parts", compact_parts)
            meanwhile[end]()
            return compact_parts(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(module, "compact_parts", late)
    assert store.compact(COUNTED_LATER.id) == 0
    counted = 0 if end == "delete" else 20
    assert total(store, COUNTED_LATER) == tally(later(range(counted)), COUNTED_LATER)
    assert check_store(store) == []


def check_replaced_together(kind: str, folder: Path) -> None:
    """Assert that parts are replaced all together or not at all: one of them may be in another sum already."""
    with opened(store_url(kind, folder)) as store:
        store.add_task(TASK, DAY)
        for number in range(3):
            add(store, report(number))
        numbers = [part.number for part in store.parts(TASK.id)]
        unknown = next(number for number in range(4) if number not in numbers)
        for place in range(len(numbers)):
            chosen = [*numbers[:place], unknown, *numbers[place + 1 :]]
            assert store._write(reports.replace_parts, TASK.id, chosen, tally_part(tally(some_reports(range(3))))) == 0
            assert total(store) == tally(some_reports(range(3)))
        assert check_store(store) == []


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_parts_are_replaced_together(kind: str, tmp_path: Path) -> None:
    check_replaced_together(kind, tmp_path)


SOME_EXIST = {
    "sqlite": {"!= [(len(numbers),)]": "== [(0,)]"},
    "postgres": {"list(numbers))) < len(numbers)": "list(numbers))) == 0"},
}


@pytest.mark.parametrize("kind", SOME_EXIST)
def test_parts_that_are_replaced_one_by_one_are_caught(kind: str, tmp_path: Path) -> None:
    fault = in_place("some of the parts suffice", f"store/{kind}.py", SOME_EXIST[kind], check_replaced_together)
    fault.check_caught(tmp_path, kind, tmp_path, raises=AssertionError)


def check_changes_of_one_moment(kind: str, folder: Path) -> None:
    """Assert that no report is missing from changes of parts that are merged while they are read."""
    find_parts = reports.find_parts
    merged: list[bool] = []
    with opened(store_url(kind, folder)) as store, pytest.MonkeyPatch.context() as patch:
        store.add_task(TASK, DAY)
        for number in range(3):
            add(store, report(number))

        def find_merged(tx: Transaction, task_id: str, numbers: Sequence[int]) -> list[StoredPart]:
            if not merged:
                merged.append(True)
                assert store.compact(TASK.id, fully=True) == 3
            return find_parts(tx, task_id, numbers)

        patch.setattr(reports, "find_parts", find_merged)
        assert sum(part.reports for part in store.part_changes(TASK.id, ()).parts) == 3


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_changes_are_those_of_one_moment(kind: str, tmp_path: Path) -> None:
    check_changes_of_one_moment(kind, tmp_path)


def test_changes_of_two_moments_are_caught(tmp_path: Path) -> None:
    missing = {"if len(found) < len(wanted):": "if not found and not wanted and known:"}
    fault = in_place("parts may be missing", "store/sql/reports.py", missing, check_changes_of_one_moment)
    fault.check_caught(tmp_path, "postgres", tmp_path, raises=AssertionError)


def test_the_changes_of_parts(store: Store) -> None:
    store.add_task(COUNTED_LATER, DAY)
    assert store.part_changes(COUNTED_LATER.id, ()) == (False, [])
    add(store, *later(range(4)), task=COUNTED_LATER)
    (first,) = store.parts(COUNTED_LATER.id)
    assert store.part_changes(COUNTED_LATER.id, ()) == (False, [first])
    assert store.part_changes(COUNTED_LATER.id, {first.number}) == (False, [])
    add(store, *later(range(4, 9)), task=COUNTED_LATER)
    (second,) = [part for part in store.parts(COUNTED_LATER.id) if part != first]
    assert store.part_changes(COUNTED_LATER.id, {first.number}) == (False, [second])
    store.compact(COUNTED_LATER.id, fully=True)
    whole = store.parts(COUNTED_LATER.id)
    assert store.part_changes(COUNTED_LATER.id, {first.number, second.number}) == (True, whole)
    store.delete_task(COUNTED_LATER.id, DAY)
    assert store.part_changes(COUNTED_LATER.id, {whole[0].number}) == (True, [])


def test_no_word_is_left_of_reports_that_are_forgotten(store: Store) -> None:
    """Reports that are committed last, after everything was counted, leave nothing but their counts."""
    store.add_task(COUNTED_LATER, DAY)
    add(store, *later(range(20)), task=COUNTED_LATER)
    store.compact(COUNTED_LATER.id, fully=True)
    add(store, *later(range(20, 30)), task=COUNTED_LATER)
    store.close_task(COUNTED_LATER.id, "2030-01-01")
    assert store.forget_reports(COUNTED_LATER.id, "2030-01-02") == 30
    assert [part.uncounted for part in store.parts(COUNTED_LATER.id)] == [0]
    assert total(store, COUNTED_LATER) == tally(later(range(30)), COUNTED_LATER)
