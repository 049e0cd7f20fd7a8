"""`collision` above 2^22 keys, where a tally keeps words: chosen keys are decoded as a naive check would."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pckv import Tally, Task, estimate
from pckv.base.errors import PckvError, TallyError
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.tally import supports
from pckv.tally.counts import SparseCounts
from pckv.tally.decode import collision
from pckv.tally.decode.support import decode, key_support
from support.faults import faulty_module
from support.laws import collision_law
from support.tasks import a_task

MOST_KEYS = 2**29 - 1
DECODER, SUPPORTS = "tally/decode/collision.py", "tally/supports.py"


def naive_decode(law: CollisionLaw, word_counts: dict[int, int], keys: list[int]) -> list[list[int]]:
    """Return the counts of every key for every level, in Python's integers."""
    positions, symbols = law.positions, law.symbols

    def says(word: int, item: int) -> bool:
        factor, offset = law.coefficients(word // symbols)
        place = pow(law.numbering.generator, item, positions)
        return bool((factor * place + offset) % positions % symbols == word % symbols)

    return [
        [sum(times for word, times in word_counts.items() if says(word, law.levels * key + level)) for key in keys]
        for level in range(law.levels)
    ]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_chosen_keys_are_decoded_as_a_naive_check_would(data: st.DataObject) -> None:
    levels = data.draw(st.sampled_from([2, 3, 5, 16]))
    keys = data.draw(st.sampled_from([2**22 + 1, 10**7, (2**30 - 2) // levels]))
    symbols = data.draw(st.sampled_from([2, 3, 8, 46, 65_537, 2**27 - 1]))
    law = collision_law(keys, 1, "1", symbols, levels=levels)
    word_counts = data.draw(st.dictionaries(st.integers(0, law.word_limit - 1), st.integers(1, 2**40), max_size=30))
    # Words that support chosen keys, since random words hardly do if there are many symbols.
    asked = data.draw(st.lists(st.integers(0, keys - 1), max_size=8))
    for function, key in enumerate(asked):
        item = levels * key + function % levels
        word_counts[function * symbols + law.symbol(function, item)] = 7 + function
    counts = SparseCounts(law.word_limit)
    counts.add_counts(*(np.array(part, np.int64) for part in (list(word_counts), list(word_counts.values()))))
    expected = naive_decode(law, word_counts, asked)
    for compiled in (False, True):
        with mock.patch.object(supports, "CHECKS_WORTH_COMPILING", 0 if compiled else 2**60):
            found = decode(law, counts, np.array(asked, np.int64))
        assert found.counts.tolist() == expected


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        (DECODER, "np.arange(law.levels)[:, None]", "np.arange(law.levels)[::-1, None]"),
        (DECODER, "(law, words, times, items", "(law, words, np.ones_like(times), items"),
        (SUPPORTS, "places = item_positions(law.numbering, items)", "places = items"),
        (SUPPORTS, "found += number * counts", "found += counts"),
        (SUPPORTS, "law.symbols - symbols]", "symbols]"),
        (SUPPORTS, "even - 1, (every - 1)", "0, (every - 1)"),
    ],
    ids=[
        "signs exchanged",
        "repeats lost",
        "items that stand at their own number",
        "compiled: repeats lost",
        "compiled: wrong symbols",
        "compiled: odd symbols taken for even ones",
    ],
)
def test_planted_faults_are_found(file: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    law = collision_law(10**7, 2, symbols=12)
    words = {function * law.symbols + law.symbol(function, 2 * 77 + 1): 2 for function in range(40)}
    counts = SparseCounts(law.word_limit)
    counts.add_counts(np.array(list(words), np.int64), np.array(list(words.values()), np.int64))
    expected = naive_decode(law, words, [77, 78])
    for planted in (right, wrong):
        module = faulty_module(file, {right: planted})
        if file == SUPPORTS:
            # The places are those of both loops, everything else of the compiled one.
            monkeypatch.setattr(module, "CHECKS_WORTH_COMPILING", 2**60 if "places =" in right else 0)
            monkeypatch.setattr(collision, "supports_of", module.supports_of)
            module = collision
        found = module.support(law, counts, np.array([77, 78]))
        assert ([part.tolist() for part in found] == expected) == (planted == right)


def task_of(keys: int) -> Task:
    return a_task(keys=keys, padding=2, mechanism="collision", size_share="0.05")


def test_answers_about_sizes_are_no_words() -> None:
    task = task_of(10**7)
    limit = task.law.word_limit or 0
    tally = Tally(task)
    tally.add_many(np.array([5, 5, limit - 1, limit, limit, limit + 3]))
    found = key_support(tally, np.arange(200))
    expected = naive_decode(collision_of(task), {5: 2, limit - 1: 1}, list(range(200)))
    assert found.counts.tolist() == expected
    assert tally.size_answers.tolist() == [2, 0, 0, 1]
    assert tally.count_law == task.law.count_law


def collision_of(task: Task) -> CollisionLaw:
    assert isinstance(task.law, CollisionLaw)
    return task.law


def test_long_decodes_report_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    law = collision_law(2**22 + 1, 3, "2")
    counts = SparseCounts(law.word_limit)
    counts.add(np.arange(0, 5000, 7))
    monkeypatch.setattr(supports, "CHECKS_AT_ONCE", 2**14)
    # Plain loops first, whatever another test has loaded.
    monkeypatch.setattr(supports, "CHECKS_WORTH_COMPILING", 2**60)
    shares: list[float] = []
    in_parts = decode(law, counts, np.arange(300), shares.append)
    monkeypatch.undo()
    assert np.array_equal(in_parts, decode(law, counts, np.arange(300)))
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    monkeypatch.setattr(supports, "CHECKS_PER_PART", 2**14)
    monkeypatch.setattr(supports, "CHECKS_WORTH_COMPILING", 0)
    plain, shares = shares, []
    compiled = decode(law, counts, np.arange(300), shares.append)
    assert np.array_equal(in_parts, compiled)
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert (plain[-1], shares[-1]) == (1.0, 1.0)


def test_without_the_compiled_loop_fewer_checks_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    law = collision_law(2**22 + 1, 1)
    counts = SparseCounts(law.word_limit)
    counts.add(np.arange(11))
    monkeypatch.setattr(collision, "MAX_PLAIN_CHECKS", 100)
    assert decode(law, counts, np.arange(10)).keys == 10
    monkeypatch.setattr(collision, "compiled_checks", lambda: None)
    with pytest.raises(TallyError, match="ask for fewer keys"):
        decode(law, counts, np.arange(10))


def test_a_decode_that_would_take_forever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    law = collision_law(2**22 + 1, 1)
    counts = SparseCounts(law.word_limit)
    counts.add(np.arange(11))
    monkeypatch.setattr(collision, "MAX_CHECKS", 200)
    with pytest.raises(TallyError, match=r"^11 words are too many to check against 10 keys: ask for fewer keys$"):
        decode(law, counts, np.arange(10))
    assert decode(law, counts, np.arange(9)).keys == 9


def test_refused_estimates_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collision, "MAX_CHECKS", 2**20)
    for keys, line in (
        (MOST_KEYS, "536,870,911 keys are too many to estimate at once: name the keys wanted"),
        (2**22 + 1, "50 words are too many to check against 4,194,305 keys: ask for fewer keys"),
    ):
        tally = Tally(task_of(keys))
        tally.add_many(np.arange(50))
        with pytest.raises(PckvError) as caught:
            estimate(tally)
        assert str(caught.value) == line
        assert estimate(tally, keys=["7", str(keys - 1)]).frequency.size == 2
