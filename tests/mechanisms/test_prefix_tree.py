"""Discoveries as tasks: their members, and the prefixes that each group reports."""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Task
from pckv.base.canonical import check_name, dump
from pckv.base.errors import ParameterError, TaskError
from pckv.mechanisms.discovery.prefix_tree import (
    DEFAULT_ALPHABET,
    MAX_CONTINUATIONS,
    _character_fault,
    prefix_tree,
)


def make(**changes: Any) -> Task:
    return Task.discovery(**{"name": "terms", "epsilon": 2, "characters": 6, **changes})


def test_a_discovery_survives_its_json() -> None:
    task = make(alphabet="cab", characters=5, groups=3, padding=2, about={"question": "Which terms?"})
    again = Task.from_json(task.to_json())
    assert again == task
    assert (again.kind, again.domain.values.levels, again.level_values) == ("discovery", 1, (1.0,))
    assert again.tree == prefix_tree("abc", 5, 3)
    members = json.loads(task.to_json())
    assert members["keys"] == {"alphabet": "abc", "characters": 5, "groups": 3}
    assert again.keys_text == "texts of up to 5 characters"
    assert again.word_limit == 3 * 2**32 * again.parameters["symbols"] < 2**63  # type: ignore[operator]
    assert again.realised_epsilon <= 2


@pytest.mark.parametrize("epsilon", ["0.1", "4", "20"])
def test_words_fit_at_any_budget(epsilon: str) -> None:
    task = make(epsilon=epsilon, characters=64, alphabet="ab")
    assert (task.word_limit or 0) < 2**63
    assert Task.from_json(task.to_json()) == task


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alphabet": "a"}, "from 2 to 255 characters, not 1"),
        ({"alphabet": "aba"}, "'a': it appears twice"),
        ({"alphabet": "ab\u0301"}, "changes the character before it"),
        ({"alphabet": "ab\u1161"}, "changes the character before it"),
        ({"alphabet": "ab\u212b"}, "or is changed"),
        ({"alphabet": "ab\n"}, "control character"),
        ({"alphabet": "ab\0"}, "control character"),
        ({"alphabet": "ab\ud800"}, "control character"),
        ({"alphabet": 5}, "must be a text"),
        ({"characters": 0}, "characters must be from 1 to 64, not 0"),
        ({"characters": 65}, "characters must be from 1 to 64, not 65"),
        ({"characters": "6"}, "whole number"),
        ({"groups": 7}, "groups must be from 1 to 6, not 7"),
        ({"groups": 0}, "groups must be from 1 to 6, not 0"),
        ({"groups": 2}, "groups must be more: a prefix would have 254,080 continuations, of at most 65,536"),
        ({"padding": 0}, "padding must be at least 1"),
        ({"symbols": 2**27, "characters": 24}, "symbols must be at most"),
        ({"coin": "nobody"}, "coin must be"),
    ],
)
def test_what_is_outside_its_domain_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "survey"}, "kind 'survey'"),
        ({"kind": "pairs"}, "keys must be a list of names"),
        ({"levels": 2}, "levels of a discovery must be 1"),
        ({"levels": True}, "levels of a discovery must be 1"),
        ({"low": "1"}, "low of a discovery must be null"),
        ({"other": "rest"}, "other of a discovery must be null"),
        ({"more": "refuse"}, "more of a discovery must be 'sample'"),
        ({"size_share": "0.1"}, "size_share of a discovery must be '0'"),
        ({"keys": ["a"]}, "an object of alphabet, characters and groups"),
        ({"keys": {"alphabet": "ab", "characters": 2}}, "an object of alphabet, characters and groups"),
        ({"keys": {"alphabet": "ab", "characters": 2, "groups": None}}, "groups must be a whole number"),
        ({"keys": {"alphabet": "ba", "characters": 6, "groups": 6}}, "not in canonical form"),
        ({"mechanism": {"name": "grr", "allocation": "optimized"}}, "must be 'collision'"),
        ({"mechanism": {"name": "collision"}}, "needs generator and positions and symbols"),
    ],
)
def test_members_of_other_tasks_are_refused(changes: dict[str, Any], message: str) -> None:
    members = json.loads(make().to_json())
    with pytest.raises(TaskError, match=message):
        Task.from_json(dump({**members, **changes}))


def test_a_tree_makes_no_other_task() -> None:
    with pytest.raises(ParameterError, match=r"Task\.discovery"):
        Task(name="t", keys=prefix_tree(), values=(0, 1), epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="is not a discovery"):
        Task(name="t", keys=3, values=(0, 1), epsilon=1).tree  # noqa: B018


@given(
    st.integers(1, 12).flatmap(lambda length: st.tuples(st.just(length), st.integers(1, length))),
    st.text("abc", min_size=1, max_size=14),
)
def test_every_text_is_found_step_by_step(shape: tuple[int, int], text: str) -> None:
    length, groups = shape
    tree = prefix_tree("abc", length, groups if 3 ** -(-length // groups) < MAX_CONTINUATIONS // 2 else length)
    known = ""
    for group in range(tree.groups):
        prefix = tree.prefix(text, group)
        if len(prefix) - len(known) <= 4:
            continued = list(tree.continued(known, group))
            assert prefix in continued
            assert len(set(continued)) == len(continued) <= tree.continuations
        known = prefix
    assert known.rstrip("\0") == tree.cut(text) == text[:length]


@pytest.mark.parametrize(
    ("alphabet", "text", "found"),
    [
        ("abc", "ABC", "abc"),
        ("aäöüß", "ÄÖÜẞ", "äöüß"),
        ("aäöüß", "A\u0308O\u0308", "äö"),
        ("aÄ", "Ä", "Ä"),
        # Capital letters alone are the operator's choice: small ones are others.
        ("aÄ", "ä", ""),
        ("Aa", "aA", "aA"),
        ("σς", "Σ", "σ"),
        ("aς", "Σ", "ς"),
        ("ıi", "I", "i"),
        ("aı", "I", "ı"),
        # Small, it has two characters.
        ("ai", "İ", ""),
        ("дж", "ДЖ", "дж"),
        ("ǆa", "ǄǅA", "ǆǆa"),
    ],
)
def test_a_capital_letter_that_the_alphabet_lacks_counts_as_a_small_one(alphabet: str, text: str, found: str) -> None:
    assert prefix_tree(alphabet, characters=4).cut(text) == found


def test_every_letter_with_a_capital_letter_of_one_character_is_found_by_it() -> None:
    """All of Unicode; the control, A to Z alone, would miss nearly all of them."""
    beyond_ascii = 0
    for character in map(chr, range(sys.maxunicode + 1)):
        capital = character.upper()
        is_cased = capital != character and len(capital) == 1 and unicodedata.is_normalized("NFC", capital)
        if is_cased and not _character_fault(character, "0"):
            assert prefix_tree("0" + character, characters=1).cut(capital) == character
            beyond_ascii += not character.isascii()
    assert beyond_ascii > 1300


def test_the_default_alphabet_has_six_bits_with_the_end_mark() -> None:
    assert len(DEFAULT_ALPHABET) == 63
    assert prefix_tree(DEFAULT_ALPHABET).alphabet == check_name(DEFAULT_ALPHABET, "the alphabet")
    assert prefix_tree().continuations == 64


def test_the_number_of_a_prefix_is_the_stated_hash() -> None:
    digest = bytes(range(32))
    hashed = hashlib.sha256(b"pckv prefix" + digest + b"\x02" + b"al\0").digest()
    assert prefix_tree().item(digest, "al\0", 2) == int.from_bytes(hashed[:8], "big") % (2**30 - 2)
