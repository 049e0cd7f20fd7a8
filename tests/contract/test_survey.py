"""The identity of a survey: its name, as people read it."""

from __future__ import annotations

import pytest

from pckv.contract.survey import survey_of
from support.ledger_checks import VARIANTS


@pytest.mark.parametrize("name", VARIANTS)
def test_what_a_reader_overlooks_makes_no_other_survey(name: str) -> None:
    assert name != "movies"
    assert survey_of(name) == "movies"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("STRASSE", "straße"),
        ("Stra\N{LATIN CAPITAL LETTER SHARP S}e", "strasse"),
        ("e\N{ZERO WIDTH JOINER}\N{COMBINING ACUTE ACCENT}tude", "\N{LATIN CAPITAL LETTER E WITH ACUTE}tude"),
        ("\N{LATIN SMALL LIGATURE FI}lms  of\N{IDEOGRAPHIC SPACE}2026", "films of 2026"),
        ("ΟΔΟΣ", "οδος"),
    ],
)
def test_spellings_of_one_survey(one: str, other: str) -> None:
    assert survey_of(one) == survey_of(other)


@pytest.mark.parametrize(("one", "other"), [("movies 1", "movies 2"), ("movies", "movie s"), ("resume", "résumé")])
def test_other_names_are_other_surveys(one: str, other: str) -> None:
    assert survey_of(one) != survey_of(other)
