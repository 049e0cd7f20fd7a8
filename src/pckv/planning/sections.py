"""Sections: what a plan says, for commands, notebooks and pages to render, and its traffic light.

The keys that matter are the ten most frequent ones, or all where there are fewer. The light depends on the
frequency from which they stand out from the noise (`pckv.planning.outlook`); with more than two levels also on
the error of a level's share. Errors are printed as 95 % ranges, as results have them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from pckv.base.html import html_paragraphs, html_table
from pckv.base.records import Record
from pckv.base.words import percent, points
from pckv.statistics.detection import DETECTION_POWER

Light = Literal["green", "amber", "red"]

# With more than two levels: the error of a level's share relative to guessing the same share for all.
MAX_GREEN_SHARE_ERROR = 0.5
# Half a 95 % range relative to an error, the root of a mean square.
HALF_RANGE = NormalDist().inv_cdf(0.975)
# From the worst on.
LIGHTS: tuple[Light, ...] = ("red", "amber", "green")
# The light in words, for people who do not see colours.
WORDS: dict[Light, str] = {
    "green": "Enough people",
    "amber": "Enough people for frequent keys",
    "red": "Too few people",
}
RULE = (
    "The light compares the frequency from which keys stand out with what is plausible for the ten most frequent "
    "keys, or all if there are fewer: a few prevail (Zipf's law), they decline evenly, or all keys are equally "
    f"frequent. {WORDS['green']} (green): all of them stand out in each case. {WORDS['red']} (red): fewer than a "
    f"quarter do if a few prevail. {WORDS['amber']} (amber): anything between. Where you name a frequency, it is "
    "green if keys of that frequency stand out, and red if not even those of twice that frequency do."
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


def stands_out(frequency: float, among: str = "") -> str:
    """Return, as a clause, from which frequency a single key stands out from the noise; 1 stands for none."""
    often = percent(DETECTION_POWER)
    if frequency == 1:
        return f"no key stands out from the noise{among} {often} of the time"
    return (
        f"a single key stands out from the noise{among} about {often} of the time, or more often, "
        f"if {percent(frequency)} of people hold it and sets are as large as assumed"
    )


def range_points(error: float) -> str:
    """Return the 95 % range of a share in percentage points, from the root of its mean squared error."""
    return f"±{points(min(HALF_RANGE * error, 1.0))}"
