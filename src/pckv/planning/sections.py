"""Sections: what a plan says, for commands, notebooks and pages to render, and its traffic light.

The keys that matter are the ten most frequent ones, as the plan expects them, or all where there are fewer.
The light depends on how many of them stand out from the noise (four times out of five), and on the expected
error of a typical one relative to its frequency; with more than two levels also on that of a level's share.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pckv.base.html import html_paragraphs, html_table
from pckv.base.records import Record
from pckv.base.words import percent, points

Light = Literal["green", "amber", "red"]

MAX_GREEN_ERROR, MAX_AMBER_ERROR = 0.25, 0.5
MIN_AMBER_SHARE = 0.5
# With more than two levels, in addition.
MAX_GREEN_SHARE_ERROR = 0.5
# The light in words, for people who do not see colours.
WORDS: dict[Light, str] = {
    "green": "Enough people",
    "amber": "More people would help",
    "red": "Too few people",
}
RULE = (
    f"{WORDS['green']} (green): all of the ten most frequent keys stand out from the noise, and the error "
    f"of a typical one is at most {percent(MAX_GREEN_ERROR)} of its frequency. {WORDS['red']} (red): fewer "
    f"than {percent(MIN_AMBER_SHARE)} of these keys do, or the error is more than "
    f"{percent(MAX_AMBER_ERROR)} of the frequency. {WORDS['amber']} (amber): anything between."
)
LEVELS_RULE = (
    f"{RULE} With more than two levels, green also requires that the error of a level's share is at most "
    f"{percent(MAX_GREEN_SHARE_ERROR)} of that of guessing the same share for all levels."
)
# What is said of an estimate that is as far off as a guess.
NO_BETTER = "no better than a guess"


@dataclass(frozen=True)
class Section(Record):
    """One thing that a plan says.

    Attributes:
        title: What it is about.
        sentences: What is to say of it; below the table, where there is one.
        columns: The names of the table's columns: the first `texts` are texts, the others numbers.
        rows: The cells of the table.
        light: The traffic light, where the section is what to think of a plan at first sight.
    """

    title: str
    sentences: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    texts: int = 1
    light: Light | None = None


def html_sections(sections: Iterable[Section]) -> str:
    """Return sections as HTML, for notebooks."""
    return "".join(
        html_table(each.title, each.columns, each.rows) + html_paragraphs(each.sentences)
        if each.columns
        else html_table(each.title, (), [(sentence,) for sentence in each.sentences])
        for each in sections
    )


def choose_light(share_standing_out: float, relative_error: float, relative_share_error: float = 0.0) -> Light:
    """Return the light for a share of keys that stand out from the noise, and the errors of a typical one.

    `relative_share_error` is that of a level's share, relative to guessing the same share for all levels.

    >>> choose_light(1, 0.25), choose_light(1, 0.26), choose_light(0.4, 0.1), choose_light(1, 0.1, 0.6)
    ('green', 'amber', 'red', 'amber')
    """
    if share_standing_out < MIN_AMBER_SHARE or relative_error > MAX_AMBER_ERROR:
        return "red"
    known = relative_error <= MAX_GREEN_ERROR and relative_share_error <= MAX_GREEN_SHARE_ERROR
    return "green" if share_standing_out == 1 and known else "amber"


def error_points(error: float) -> str:
    """Return the error of a share in percentage points."""
    return f"±{points(min(error, 1.0))}"
