"""What participants read is checked, and part of the task's id."""

from __future__ import annotations

from typing import Any

import pytest

from pckv.base.errors import ParameterError
from pckv.contract.about import MAX_LINE_BYTES, MAX_TEXT_BYTES, MEMBERS, TEXTS, About, read_about
from pckv.contract.task import Task


def make(about: Any) -> Task:
    return Task(name="movies", keys=2, values=(1, 5), epsilon=1, padding=1, mechanism="grr", about=about)


def test_every_text_is_part_of_the_id() -> None:
    ids = {make({}).id, *(make({name: "text"}).id for name in MEMBERS)}
    assert len(ids) == 1 + len(MEMBERS)


def test_a_task_keeps_what_participants_read() -> None:
    about = About(question="Which?", consent="One line.\nAnother.")
    task = make(about)
    assert make(about.to_dict()) == task == make({"question": "Which?", "consent": "One line.\nAnother."})
    assert Task.from_json(task.to_json()).about == about
    assert make(None).about == About()


@pytest.mark.parametrize("name", MEMBERS)
def test_texts_are_bounded_lines_in_normal_form(name: str) -> None:
    limit = MAX_TEXT_BYTES if name in TEXTS else MAX_LINE_BYTES
    read_about({name: "é" * (limit // 2)})
    for text, reason in (
        ("é" * (limit // 2) + "x", f"{name} is longer than {limit:,} bytes"),
        ("a\tb", "control character"),
        ("\x7f", "control character"),
        ("e\u0301", "normal form C"),
        ("\ud800", "not valid Unicode"),
        (None, "must be text"),
        (1, "must be text"),
    ):
        with pytest.raises(ParameterError, match=reason):
            read_about({name: text})
    if name in TEXTS:
        assert getattr(read_about({name: "a\nb"}), name) == "a\nb"
    else:
        with pytest.raises(ParameterError, match="line break"):
            read_about({name: "a\nb"})


@pytest.mark.parametrize(
    ("about", "reason"),
    [({"answer": ""}, "no member 'answer'"), (["question"], "object of texts"), ("text", "object of texts")],
)
def test_other_members_are_refused(about: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        make(about)
