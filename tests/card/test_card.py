"""Privacy cards: one page per task, the same every time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pckv import Segment, Series, Task, audit
from pckv.card.card import card_markdown, privacy_card
from support.mixed import MIXER
from support.tasks import a_task

GOLDEN = Path(__file__).parent / "golden"
SURVEY = Task(
    name="symptoms, week 47",
    keys=[f"symptom {number}" for number in range(1, 15)],
    values=(1, 10),
    epsilon=1,
    padding=2,
    mechanism="grr",
    size_share="0.05",
    opens="2026-11-16",
    closes="2026-11-23",
    about={
        "question": "Which symptoms did you have this week, and how bad were they?",
        "description": "The clinic of Example watches what goes around.\nResults are published every week.",
        "unit": "points",
        "low_label": "hardly felt",
        "middle_label": "bearable",
        "high_label": "unbearable",
        "eligibility": "Everybody of age in Example.",
        "consent": "I take part of my own will.",
        "contact": "study@example.org",
    },
)
COLLECTION = {
    "reports": 12_345,
    "target": 20_000,
    "phase": "open",
    "by_invitation": True,
    "public_results": False,
    "keep_reports": 30,
}


@pytest.fixture(scope="module")
def card() -> dict[str, object]:
    return privacy_card(SURVEY, audit=audit(SURVEY), collection=COLLECTION)


def test_the_card_is_the_golden_one(card: dict[str, object]) -> None:
    assert card_markdown(card) == (GOLDEN / "card.md").read_text(encoding="utf-8")
    assert card == json.loads((GOLDEN / "card.json").read_text(encoding="utf-8"))


def test_a_card_needs_nothing_but_a_task() -> None:
    bare = privacy_card(Task(name="t", keys=3, values=(0, 1), epsilon=20, padding=1, mechanism="grr", more="refuse"))
    page = card_markdown(bare)
    assert page.count("Not stated in the task.") == 3
    assert "Not run. `pckv audit` computes" in page
    assert "Not known from the task" in page
    assert "## Collection\n\nNo days set.\n" in page
    assert "| at most 1; more are refused where pairs are entered |" in page
    assert bare["collection"] is None
    # e^20 is 485,165,195.4: limits are never rounded down.
    assert "486,000,000 times" in page


def test_the_card_of_keys_without_values_says_nothing_of_values() -> None:
    """As a control, that of keys with values does."""
    task = Task(name="drinks", keys=["tea", "milk"], epsilon=1, padding=1, mechanism="grr")
    page, rated = (card_markdown(privacy_card(each, audit=audit(each))) for each in (task, SURVEY))
    about_values = re.compile(r"\b(mean|means|pairs?|ratings?|levels?|every value)\b")
    assert not about_values.findall(page)
    assert set(about_values.findall(rated)) >= {"mean", "pairs", "every value"}
    assert "| Values | none: a participant holds a key, or not |" in page
    assert "For every key: the share of people who hold a key with a 95 % interval, the number of reports," in page


def test_the_card_of_a_mixed_task_says_what_each_party_can_learn() -> None:
    members: dict[str, Any] = {"epsilon": 5, "padding": 1, "mechanism": "grr", "size_share": 0, "closes": "2030-01-01"}
    card = privacy_card(Task(name="t", keys=3, values=(0, 1), mixer=MIXER, **members))
    page, learned = card_markdown(card), card["parties"]
    assert "## Who can learn what\n\n| party | what it can learn |" in page
    assert all(f"| {party} | {what} |" in page for party, what in learned.items())
    # ε of the claim stands only beside its condition.
    claimed = [what for what in learned.values() if "ε = 1 " in what]
    condition = "if the mixer follows the protocol and at least 7,500 reports of the batch are honest"
    assert claimed == [f"ε = 1 with δ = 0.0000005 {condition}"]
    assert "## Who can learn what" not in card_markdown(privacy_card(SURVEY))


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        (
            {"keys": ["a", "b"], "other": "rest"},
            "| Keys | 3, of which “rest” stands for all that are not listed |\n| First keys | a, b |",
        ),
        ({"keys": "hashed"}, "| Keys | any text; those to estimate are named afterwards |\n| Values |"),
    ],
    ids=["other", "hashed"],
)
def test_keys_that_are_not_listed_are_said(members: dict[str, Any], sentence: str) -> None:
    assert sentence in card_markdown(privacy_card(Task(name="t", values=(0, 1), epsilon=1, **members)))


@pytest.mark.parametrize(
    ("days", "sentence"),
    [
        (None, "Reports are kept until the task is deleted."),
        (30, "Reports are deleted 30 days after the task has closed"),
        (1, "Reports are deleted 1 day after the task has closed"),
    ],
)
def test_retention_is_what_the_collector_says(days: int | None, sentence: str) -> None:
    retention = privacy_card(SURVEY, collection={"reports": 1, "keep_reports": days})["retention"]
    assert retention["days_after_closing"] == days
    assert retention["sentence"].startswith(sentence)


def test_texts_are_no_markup() -> None:
    task = Task(
        name="a|b <script>",
        keys=["*x*", "[y](http://evil.example)"],
        values=(0, 1),
        epsilon=1,
        about={"consent": "# no\n| title |"},
    )
    page = card_markdown(privacy_card(task))
    assert "# Privacy card: a\\|b \\<script\\>" in page
    assert "\\*x\\*, \\[y\\](http://evil.example)" in page
    assert "> \\# no\n> \\| title \\|" in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- no list", "\\- no list"),
        ("1. no list", "1\\. no list"),
        ("no heading\n===", "no heading\n\\==="),
        ("no heading\n---", "no heading\n\\---"),
        ("text\n\n    no code", "text\n\nno code"),
        ("&lt;", "\\&lt;"),
    ],
)
def test_the_beginning_of_a_line_is_no_markup(text: str, shown: str) -> None:
    task = Task(name="t", keys=1, values=(0, 1), epsilon=1, about={"description": text})
    assert f"## Purpose\n\n{shown}\n" in card_markdown(privacy_card(task))


def test_a_task_that_was_closed_early_says_when() -> None:
    closed = COLLECTION | {"reports": 1, "phase": "closed", "closed": "2026-11-18"}
    page = card_markdown(privacy_card(SURVEY, collection=closed))
    assert "1 report so far; 20,000 wanted; state: closed, closed early on 2026-11-18;" in page


def test_the_least_epsilon_is_not_a_power_of_ten() -> None:
    task = Task(name="t", keys=1, values=(0, 1), epsilon="0.000001")
    assert "| ε of a report | 0.000001 (realised 0.000001) |" in card_markdown(privacy_card(task))


def test_a_round_says_what_all_rounds_spend() -> None:
    """A board that reads the card of one round would take its ε for that of the series."""
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, padding=1, mechanism="grr")
    told = {}
    for panels in (1, 4):
        series = Series(task=task, first="2030-01-07", period=7, panels=panels)
        told[panels] = card_markdown(privacy_card(series.task_of(3)))
    assert "| Series | round 3 of a series in which every device reports in every round" in told[1]
    assert "any 4 rounds in a row hold at most one of its reports" in told[4]
    assert "| Series |" not in card_markdown(privacy_card(task))


def test_coins_are_told() -> None:
    task = Task(name="t", keys=9, values=(0, 1), epsilon=1, mechanism="ue-compact", coin="server")
    assert "the guarantee holds whichever it draws" in card_markdown(privacy_card(task))


def test_levels_are_told() -> None:
    task = a_task(keys=9, values=(1, 5), levels=5, mechanism="grr", about={"unit": "stars"})
    page = card_markdown(privacy_card(task))
    assert (
        "| Values | from 1 to 5 stars |\n| Levels | 5: 1, 2, 3, 4, 5; a value in between is reported as one of the"
        " two next to it, at random, so that means are right on average |" in page
    )
    assert "the mean of the values that they give it and the share of every level among these values, each with" in page
    exact = card_markdown(
        privacy_card(Task(name="t", keys=9, values=(1, 5), between="refuse", epsilon=1, mechanism="grr", padding=1))
    )
    assert "| Levels | 2: 1, 5; nothing in between is taken |" in exact
    signs = card_markdown(privacy_card(Task(name="t", keys=9, values=(1, 5), epsilon=1, mechanism="grr")))
    assert "| Levels | 2: 1, 5; a value in between is reported as one of the two, at random" in signs
    assert "share of every level" not in signs


@pytest.mark.parametrize(
    ("members", "unit", "offered"),
    [
        ({}, "a person's whole set of keys: which they hold, and how many", "the share of people who hold a key"),
        (
            {"segment": Segment("age", ["young", "old"])},
            "a person's whole set of keys: which they hold, and how many, together with their label",
            "the share of people who hold a key and the same within every label, each",
        ),
        (
            {"together": True},
            "a person's whole set of keys: which they hold, and how many",
            "the share of people who hold a key and the share of people who hold two keys together, each",
        ),
    ],
    ids=["keys", "segment", "together"],
)
def test_cards_of_keys_without_values(members: dict[str, Any], unit: str, offered: str) -> None:
    task = Task(name="t", keys=3, epsilon=1, padding=2, **members)
    card = privacy_card(task)
    page = card_markdown(card)
    assert f"| Unit of privacy | {unit} |" in page
    assert f"For every key: {offered} with a 95 % interval" in page
    assert "under one set of keys as under any other" in page
    assert "| Keys per report | at most 2; " in page
    assert ("| Segment | “age”, one of 2: young, old;" in page) == ("segment" in members)
    assert ("| Together | " in page) == ("together" in members)
    assert not any(word in page for word in ("mean", "pairs"))
