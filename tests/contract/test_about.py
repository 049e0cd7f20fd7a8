"""What participants read is checked, and part of the task's id."""

from __future__ import annotations

from typing import Any

import pytest

from pckv.base.errors import ParameterError
from pckv.contract.about import (
    MAX_LINE_BYTES,
    MAX_TEXT_BYTES,
    MAX_TRANSLATIONS,
    TEXT_MEMBERS,
    TEXTS,
    About,
    Translation,
    read_about,
)
from pckv.contract.facts import said
from pckv.contract.task import Task
from pckv.mechanisms.derivation import Segment


def make(about: Any) -> Task:
    return Task(name="movies", keys=2, values=(1, 5), epsilon=1, padding=1, mechanism="grr", about=about)


def test_every_text_is_part_of_the_id() -> None:
    ids = {make({}).id, *(make({name: "text"}).id for name in TEXT_MEMBERS)}
    others: tuple[Any, ...] = (
        {"language": "de"},
        {"translations": {"de": {}}},
        {"translations": {"de": {"name": "n"}}},
    )
    assert grouped({"segment_name": "Alter"}).id != grouped({}).id != grouped({"segment_labels": ["a", "b"]}).id
    assert len(ids | {make(about).id for about in others}) == 1 + len(TEXT_MEMBERS) + len(others)


def test_a_task_keeps_what_participants_read() -> None:
    about = About(question="Which?", consent="One line.\nAnother.")
    task = make(about)
    assert make(about.to_dict()) == task == make({"question": "Which?", "consent": "One line.\nAnother."})
    assert Task.from_json(task.to_json()).about == about
    assert make(None).about == About()


@pytest.mark.parametrize("name", TEXT_MEMBERS)
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


# --- in other languages ---

GERMAN = {"question": "Welche?", "name": "Filme", "keys": ["Alien", "Hitze"]}
AGES = {"segment_name": "Alter", "segment_labels": ["unter 40", "ab 40"]}
NO_SEGMENT = "^translation 'de' is of a segment, which the task does not have$"


def named(translation: Any, **members: Any) -> Task:
    usual: dict[str, Any] = {"keys": ["alien", "heat"], "values": (1, 5), "epsilon": 1, "mechanism": "grr"}
    about = {"question": "Which?", "unit": "stars", "translations": {"de": translation}}
    return Task(name="movies", about=about, **(usual | members))


def grouped(translation: Any, **members: Any) -> Task:
    """Return a task that asks for the age as well, with a translation into German."""
    segment = Segment("age", ["under 40", "40 and over"])
    return named(translation, **({"segment": segment, "mechanism": "collision", "values": None} | members))


def test_a_task_keeps_its_translations() -> None:
    task = named(GERMAN)
    again = Task.from_json(task.to_json())
    assert again.about == task.about == named(Translation(**GERMAN)).about  # type: ignore[arg-type]
    assert again.about.translations["de"].keys == ("Alien", "Hitze")
    assert hash(again.about) == hash(task.about)
    assert dict(said(task.facts()))["languages"] == "en, translated into de"
    assert "languages" not in dict(said(make({}).facts()))


def test_a_task_keeps_the_translation_of_its_segment() -> None:
    task = grouped(AGES)
    again = Task.from_json(task.to_json())
    assert again.about == task.about
    german, english = (again.about.in_language([tag]) for tag in ("de", "en"))
    assert (german.segment_name, german.segment_labels) == ("Alter", ("unter 40", "ab 40"))
    assert (english.segment_name, english.segment_labels) == ("", ())
    # Each of the two may be left out.
    assert grouped({"segment_name": "Alter"}).about.in_language(["de"]).segment_labels == ()
    assert grouped({"segment_labels": ["a", "b"]}).about.in_language(["de"]).segment_name == ""


@pytest.mark.parametrize("name", [*TEXT_MEMBERS, "name", "segment_name"])
def test_translated_texts_have_the_same_limits(name: str) -> None:
    limit = MAX_TEXT_BYTES if name in TEXTS else MAX_LINE_BYTES
    grouped({name: "é" * (limit // 2)})
    for text, reason in (("é" * limit, f"is longer than {limit:,}"), (1, "must be text"), ("e\u0301", "normal form C")):
        with pytest.raises(ParameterError, match=f"^translation 'de': {name} .*{reason}"):
            named({name: text})


@pytest.mark.parametrize(
    ("translation", "members", "reason"),
    [
        ({"keys": ["a"]}, {}, "translation 'de' has 1 name for 2 keys"),
        ({"keys": ["a", "b"]}, {"other": "rest"}, "translation 'de' has 2 names for 3 keys"),
        ({"keys": ["a", "b"]}, {"keys": 2}, "translation 'de' names keys, which have no names in the task"),
        ({"keys": ["a"]}, {"keys": "hashed", "mechanism": "auto"}, "which have no names"),
        ({"keys": ["a", "a"]}, {}, "translation 'de': key 'a' appears twice"),
        ({"keys": ["a", ""]}, {}, "translation 'de': key 2 is empty"),
        ({"keys": "ab"}, {}, "translation 'de': keys must be a list of names, not 'ab'"),
        ({"answer": ""}, {}, "translation 'de' has no member 'answer': choose from question"),
        ("Welche?", {}, "translation 'de' must be an object of texts, not 'Welche"),
    ],
)
def test_translations_fit_their_task(translation: Any, members: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        named(translation, **members)


@pytest.mark.parametrize(
    ("translation", "members", "reason"),
    [
        ({"segment_name": "Alter"}, {"segment": None}, NO_SEGMENT),
        ({"segment_labels": ["a", "b"]}, {"segment": None}, NO_SEGMENT),
        ({"segment_labels": ["a"]}, {}, "^translation 'de' must have the segment's 2 labels, not 1$"),
        ({"segment_labels": ["a", "b", "c"]}, {}, "^translation 'de' must have the segment's 2 labels, not 3$"),
        ({"segment_labels": ["a", "a"]}, {}, "^translation 'de': label 'a' appears twice$"),
        ({"segment_labels": ["a", ""]}, {}, "^translation 'de': label 2 is empty$"),
        ({"segment_labels": ["a", "e\u0301"]}, {}, "^translation 'de': label 2 .* is not in Unicode normal form C$"),
        ({"segment_labels": ["a", "b" * 257]}, {}, "^translation 'de': label 2 .* is longer than 256 bytes$"),
        ({"segment_labels": "ab"}, {}, "^translation 'de': segment_labels must be a list of names, not 'ab'$"),
    ],
)
def test_translated_groups_fit_their_task(translation: Any, members: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        grouped(translation, **members)


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"language": "EN"}, "language must be a tag such as en, de-CH or zh-Hant, not 'EN'"),
        ({"language": None}, "language must be a tag .* not None"),
        ({"translations": {"deutsch": {}}}, "the language of a translation must be a tag .* not 'deutsch'"),
        ({"translations": {1: {}}}, "the language of a translation must be a tag .* not 1"),
        ({"translations": {"en": {}}}, "translations has the texts' own language, 'en'"),
        ({"language": "de", "translations": {"de": {}}}, "translations has the texts' own language, 'de'"),
        ({"translations": ["de"]}, "translations must be an object of languages"),
        ({"translations": {f"{a}{b}": {} for a in "abcde" for b in "wxyz"}}, "translations must be at most 16, not 20"),
    ],
)
def test_languages_are_tags(about: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        make(about)
    assert MAX_TRANSLATIONS == 16


SEVERAL = About(
    question="Which?",
    unit="stars",
    translations={
        "de": GERMAN,  # type: ignore[dict-item]
        "de-CH": {"unit": "Stärne"},  # type: ignore[dict-item]
        "pt-BR": {},  # type: ignore[dict-item]
        "zh-Hant": {"question": "哪些"},  # type: ignore[dict-item]
    },
)


@pytest.mark.parametrize(
    ("preferred", "language"),
    [
        ([], "en"),
        (["en"], "en"),
        (["de"], "de"),
        (["de-CH", "en"], "de-CH"),
        (["de-ch"], "de-CH"),
        (["DE-AT", "en"], "de"),
        (["de-CH-1996"], "de-CH"),
        (["en-US", "de"], "en"),
        (["fr", "it-CH", "de"], "de"),
        (["fr"], "en"),
        (["pt"], "pt-BR"),
        (["pt-PT", "de"], "pt-BR"),
        (["zh-Hant-TW"], "zh-Hant"),
        (["zh-TW"], "zh-Hant"),
        (["d", "*", "", "-", "x-de", "zh-Hant"], "zh-Hant"),
    ],
)
def test_participants_read_the_nearest_language(preferred: list[str], language: str) -> None:
    assert SEVERAL.in_language(preferred).language == language


def test_what_a_translation_lacks_is_shown_in_the_language_of_the_task() -> None:
    german, swiss, english = (SEVERAL.in_language([tag]) for tag in ("de", "de-CH", "en"))
    assert (german.question, german.unit, german.name, german.keys) == ("Welche?", "stars", "Filme", ("Alien", "Hitze"))
    assert (swiss.question, swiss.unit, swiss.name, swiss.keys) == ("Which?", "Stärne", "", ())
    assert (english.question, english.unit, english.name, english.keys) == ("Which?", "stars", "", ())
