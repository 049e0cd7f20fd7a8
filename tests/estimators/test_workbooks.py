"""Workbooks of results: words in the language of the reader, and no number for what does not stand out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pckv import Segment, Task, estimate
from pckv.base.words import Language
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.sheet_words import GERMAN, SheetWords
from pckv.estimators.results.workbooks import share_columns
from support.derived import collect, people_who_hold
from support.workbooks import formats, read

QUESTION = "Welche Schäden hat Ihre Wohnung?"
TASK = Task(
    name="Wohnungen",
    keys=["Mould", "=1+1", "Noise"],
    values=(1, 5),
    epsilon=2,
    padding=1,
    size_share=0,
    more="refuse",
    about={"question": QUESTION, "unit": "stars"},
)


@pytest.fixture(scope="module")
def found() -> Estimates:
    """Return estimates of which one has no known mean, and one does not stand out; both are set by hand."""
    counted = estimate(collect(TASK, people_who_hold(np.array([[True, False, False]] * 400), value=4.0)))
    return replace(
        counted,
        frequency=np.array([0.38676389041329523, 0.25, 0.0706]),
        frequency_low=np.array([0.3, 0.2, 0.01]),
        frequency_high=np.array([0.45, 0.295, 0.14]),
        mean=np.array([4.1234, 3.0, 2.0]),
        mean_low=np.array([3.5, 1.0, 1.0]),
        mean_high=np.array([4.75, 5.0, 5.0]),
        mean_known=np.array([True, False, False]),
        detected=np.array([True, True, False]),
        reported_mean_known=np.array([True, False, False]),
    )


def test_what_is_clear_has_no_lower_end_where_its_range_begins_at_0() -> None:
    numbers = [(0.2, 0.0, 0.51), (0.2, 0.1, 0.3), (0.2, 0.1, 0.3)]
    columns = share_columns(SheetWords("en"), "Share", numbers, [True, True, False])
    cells = [[cell.value for cell in column.cells] for column in columns]
    assert list(zip(*cells, strict=True)) == [(0.2, None, 0.51), (0.2, 0.1, 0.3), (None, 0.0, 0.3)]


HEADERS: dict[Language, list[str]] = {
    "en": ["Answer", "Share of people", "from", "to", "Average (stars)", "from", "to", "Clear?"],
    "de": [
        "Antwortmöglichkeit",
        "Anteil der Personen",
        "von",
        "bis",
        "Durchschnitt (stars)",
        "von",
        "bis",
        "Eindeutig?",
    ],
}
CLEAR: dict[Language, tuple[str, str]] = {
    "en": ("yes", "not distinguishable from noise"),
    "de": ("ja", "vom Rauschen nicht zu unterscheiden"),
}


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_first_sheet_has_words_and_numbers_that_stand_out(found: Estimates, language: Language) -> None:
    content = found.to_xlsx(TASK, language, "2030-01-15")
    yes, no = CLEAR[language]
    assert read(content) == [
        HEADERS[language],
        ["Mould", 0.38676389041329523, 0.3, 0.45, 4.1234, 3.5, 4.75, yes],
        ["=1+1", 0.25, 0.2, 0.295, None, None, None, yes],
        # Noise alone may give what it shows.
        ["Noise", None, 0.0, 0.14, None, None, None, no],
    ]
    text, share, narrow, mean = "General", "0 %", "0.0 %", "0.0"
    assert formats(content) == [
        [text] * 8,
        [text, share, share, share, mean, mean, mean, text],
        [text, narrow, narrow, narrow, text, text, text, text],
        [text, text, share, share, text, text, text, text],
    ]


def test_the_second_sheet_says_what_was_asked_and_how_to_read_it(found: Estimates) -> None:
    about = read(found.to_xlsx(TASK, "en", "2030-01-15"), 2)
    assert about[:7] == [
        ["Survey", "Wohnungen"],
        ["Question", QUESTION],
        ["Responses", 400.0],
        ["Day", 47498.0],
        ["Confidence", "95 %"],
        ["Privacy", "Balanced (ε = 2 per response)"],
        ["Result", "Clearly above zero: 2 of 3."],
    ]
    assert [row[0] for row in about[7:]] == ["How to read it", "", "", ""]
    assert about[-1] == ["", "An average that is empty is unknown."]
    in_german = read(replace(found, level=0.995).to_xlsx(TASK, "de"), 2)
    assert in_german[:6] == [
        ["Umfrage", "Wohnungen"],
        ["Frage", QUESTION],
        ["Antworten", 400.0],
        ["Sicherheit", "99,5 %"],
        ["Schutz der Antworten", "Ausgewogen (ε = 2 je Antwort)"],
        ["Ergebnis", "Klar über null: 2 von 3."],
    ]
    # Analysts write it without the task.
    assert read(found.to_xlsx(), 2)[:3] == [
        ["Responses", 400.0],
        ["Confidence", "95 %"],
        ["Privacy", "ε = 2 per response"],
    ]


def test_impossible_counts_are_warned_of_on_both_sheets() -> None:
    task = Task(name="t", keys=["a", "b", "c"], values=(1, 5), epsilon=1, padding=1, mechanism="grr")
    counted = collect(task, people_who_hold(np.array([[True, False, False]] * 50), value=4.0))
    counted.add_many(np.full(4000, 1))
    found = estimate(counted)
    assert found.impossible
    header, first, *_ = read(found.to_xlsx(language="de"))
    assert header[-1] == "Warnung"
    assert first[-1].startswith("Verwenden Sie diese Zahlen nicht")
    assert ["Ergebnis", first[-1]] in read(found.to_xlsx(language="de"), 2)


def test_shares_of_levels_are_told_with_what_the_levels_mean() -> None:
    about = {"low_label": "leicht", "high_label": "schwer"}
    task = Task(name="t", keys=["a", "b"], values=(1, 3), levels=[1, 2.5, 3], epsilon=6, padding=1, about=about)
    found = estimate(collect(task, people_who_hold(np.array([[True, False]] * 600), value=3.0))).ask([0.5], above=[2.5])
    header, first, second = read(found.to_xlsx(task, "de"))
    named = [name for name in header if name not in ("von", "bis")]
    assert named[-5:] == [
        "Davon: 1 (leicht)",
        "Davon: 2,5",
        "Davon: 3 (schwer)",
        "50 % geben höchstens an",
        "Davon: über 2,5",
    ]
    place = header.index("Davon: 3 (schwer)")
    assert first[place : place + 3] == [found.shares[0, 2], found.shares_low[0, 2], found.shares_high[0, 2]]
    # No share is given among the holders of an answer that may have no holders.
    assert second[header.index("Davon: 1 (leicht)") :] == [None] * 15


@pytest.mark.parametrize("has_means", [True, False])
def test_groups_and_their_differences_are_told_in_words(has_means: bool) -> None:
    task = Task(
        name="t",
        keys=["a", "b"],
        values=(1, 5) if has_means else None,
        epsilon=6,
        padding=1,
        segment=Segment("Alter", ["jung", "alt"]),
    )
    people, labels = np.array([[True, False]] * 300 + [[False, True]] * 100), np.array([0] * 300 + [1] * 100)
    segments = estimate(collect(task, people_who_hold(people, labels, value=4.0))).segments
    assert segments is not None
    assert read(segments.labels.to_xlsx(task, "de"))[0] == ["Gruppe", "Anteil der Personen", "von", "bis", "Eindeutig?"]
    header, *rows = read(segments.cells.to_xlsx(task, "de"))
    means = ["Durchschnitt", "von", "bis"] if has_means else []
    assert header == ["Gruppe", "Antwortmöglichkeit", "Anteil in der Gruppe", "von", "bis", *means, "Eindeutig?"]
    detected = segments.cells.detected.tolist()
    assert [row[2] for row in rows] == [
        share if clear else None for share, clear in zip(segments.cells.share.tolist(), detected, strict=True)
    ]
    assert set(detected) == {True, False}
    header, first, *_ = read(segments.differences.to_xlsx(task))
    assert header == ["Answer", "Chosen more often in", "than in", "Difference (percentage points)", "from", "to"]
    assert first[3] == 100 * segments.differences.difference[0]


def test_keys_together_are_told_in_words() -> None:
    task = Task(name="t", keys=["a", "b", "c"], epsilon=8, padding=2, together=True)
    people = np.array([[True, True, False]] * 600 + [[False, False, True]] * 600)
    pairs = estimate(collect(task, people_who_hold(people))).pairs
    assert pairs is not None
    header, first, *_ = read(pairs.to_xlsx(task))
    assert header[:5] == ["First answer", "Second answer", "Chose both", "from", "to"]
    assert first[:3] == ["a", "b", pairs.share[0]]
    assert first[-2:] == ["yes", "more often than by chance"]


def test_german_has_the_places_of_english() -> None:
    places = dict.fromkeys(
        [
            "unit",
            "level",
            "value",
            "share",
            "epsilon",
            "delta",
            "honest",
            "local",
            "clear",
            "all",
            "padding",
            "hostile",
        ],
        "7",
    )
    places |= dict.fromkeys(("number", "characters"), "7")
    for english in GERMAN:
        assert SheetWords("de")(english, **places).count("7") == SheetWords("en")(english, **places).count("7")
