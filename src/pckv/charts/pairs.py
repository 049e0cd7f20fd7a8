"""The heat map of keys that people hold together: pairs that stand out are coloured, all others grey."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pckv.base.errors import ParameterError
from pckv.base.words import plural
from pckv.charts.estimates import (
    ESTIMATE_COLOR,
    GREY,
    KEYS_SHOWN,
    ROW_PIXELS,
    chart_title,
    load_altair,
)
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import UNKNOWN
from pckv.estimators.results.together import APART, TOGETHER

if TYPE_CHECKING:
    import altair as alt

APART_COLOR = "#d1495b"
# A lift of this much, or its inverse, has the full colour.
FULL_LIFT = 4.0
MIN_OPACITY, GREY_OPACITY = 0.45, 0.12
LABEL_PIXELS = 110
WORDS = {TOGETHER: "held together more often than by chance", APART: "held together less often than by chance"}
UNCLEAR = "does not stand out"


def pairs_chart(estimates: Estimates, *, name: str = "") -> alt.HConcatChart:
    """Draw which of the keys are held together: first those of pairs that stand out, then the most frequent ones.

    The `name` of the task is for the title.

    Raises:
        ParameterError: if the task does not ask which keys are held together.
    """
    pairs = estimates.pairs
    if pairs is None:
        raise ParameterError("this task does not ask which keys are held together")
    rows = pairs.rows()
    related = {key for row in rows if row["relation"] for key in (row["first"], row["second"])}
    by_frequency = estimates.top(len(estimates)).key
    shown = sorted(by_frequency, key=lambda key: key not in related)[:KEYS_SHOWN]
    which = f"{len(shown)} of {len(estimates):,} keys" if len(shown) < len(estimates) else plural(len(shown), "key")
    notes = ("blue: more often together than by chance", "red: less often", "grey: does not stand out")
    title = chart_title(name, f"{which} in pairs", estimates, *notes)
    return heat_map(rows, shown, title)


def heat_map(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], title: Mapping[str, Any]) -> alt.HConcatChart:
    """Draw the lift of every two of some keys, in their order, each pair once.

    A row is one of the table of pairs, which lists no others than those that stand out; they name their `relation`.
    """
    altair = load_altair()
    found = {frozenset((row["first"], row["second"])): row for row in rows}
    # Line by line, so that both axes have the order of the keys.
    cells = [
        _cell(found.get(frozenset((key, partner))), key, partner)
        for place, key in enumerate(keys)
        for partner in keys[:place]
    ]
    step = altair.Step(ROW_PIXELS)
    relations = altair.Scale(domain=[TOGETHER, APART, ""], range=[ESTIMATE_COLOR, APART_COLOR, GREY])
    across = altair.Axis(labelAngle=-90, labelLimit=LABEL_PIXELS, labelOverlap=False, orient="bottom")
    panel = altair.layer(
        altair.Chart(altair.Data(values=cells))
        .mark_rect(cornerRadius=2)
        .encode(
            # Names are data: sorted by them, Vega would take some of them for operators.
            y=altair.Y("key:N", sort=None, title=None, scale=altair.Scale(paddingInner=0.08)),
            x=altair.X("partner:N", sort=None, title=None, axis=across, scale=altair.Scale(paddingInner=0.08)),
            color=altair.Color("relation:N", scale=relations, legend=None),
            opacity=altair.Opacity("strength:Q", scale=None, legend=None),
            tooltip=[
                altair.Tooltip("key:N"),
                altair.Tooltip("partner:N", title="and"),
                altair.Tooltip("lift:N"),
                altair.Tooltip("told:N", title="the pair"),
            ],
        )
    ).properties(width=step, height=step)
    chart: alt.HConcatChart = altair.hconcat(panel).properties(title={"anchor": "start", **title})
    return chart


def _cell(row: Mapping[str, Any] | None, key: str, partner: str) -> dict[str, Any]:
    """Return one square: the stronger the lift, the fuller its colour."""
    relation = "" if row is None else row["relation"]
    told = {"key": key, "partner": partner, "relation": relation, "told": WORDS.get(relation, UNCLEAR)}
    if row is None or not relation or row["lift"] is None:
        return told | {"lift": UNKNOWN, "strength": MIN_OPACITY if relation else GREY_OPACITY}
    strength = min(1.0, abs(math.log(max(row["lift"], 1 / FULL_LIFT))) / math.log(FULL_LIFT))
    limits = (row["lift"], row["lift_low"], row["lift_high"])
    lift = UNKNOWN if None in limits else "{:.2g} ({:.2g} to {:.2g})".format(*limits)
    return told | {"lift": lift, "strength": MIN_OPACITY + (1 - MIN_OPACITY) * strength}
