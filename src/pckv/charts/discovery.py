"""The chart of a discovery: the keys that were found, with the intervals of their frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pckv.base.words import percent, plural
from pckv.charts.estimates import ESTIMATE_COLOR, PALE, ROW_PIXELS, load_altair, subtitle_lines
from pckv.estimators.results.discovery import Discovery

if TYPE_CHECKING:
    import altair as alt

KEYS_SHOWN = 30


def discovery_chart(found: Discovery, *, name: str = "") -> alt.LayerChart:
    """Draw the most frequent of the keys found, each with the interval of its frequency.

    The `name` of the task is for the title.
    """
    altair = load_altair()
    shown = found.top(KEYS_SHOWN)
    table = shown.lists()
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    for row in rows:
        row["label"] = f"{row['key']}…" if row["is_cut"] else row["key"]
    base = altair.Chart(altair.Data(values=rows)).encode(
        # Names are data: sorted by them, Vega would take some of them for operators.
        y=altair.Y("label:N", sort=None, title=None),
        tooltip=[
            altair.Tooltip("key:N"),
            altair.Tooltip("frequency:Q", format=".2%"),
            altair.Tooltip("frequency_low:Q", format=".2%", title="at least"),
            altair.Tooltip("frequency_high:Q", format=".2%", title="at most"),
        ],
    )
    axis = altair.Axis(format="~%", tickCount=5)
    intervals = base.mark_rule(color=ESTIMATE_COLOR, strokeWidth=5, strokeCap="round", opacity=PALE).encode(
        x=altair.X("frequency_low:Q", title="share of people", axis=axis), x2="frequency_high:Q"
    )
    points = base.mark_point(color=ESTIMATE_COLOR, filled=True, size=70, opacity=1).encode(x="frequency:Q")
    chart: alt.LayerChart = altair.layer(intervals, points).properties(
        width=420,
        height=altair.Step(ROW_PIXELS),
        title={"text": _text(found, shown, name), "subtitle": _subtitle(found)},
    )
    return chart


def _text(found: Discovery, shown: Discovery, name: str) -> str:
    which = f"{plural(len(found), 'key')} found" if found.keys else "no key was found"
    if len(shown) < len(found):
        which = f"the {len(shown):,} most frequent of {which}"
    return f"{name}: {which}" if name else which


def _subtitle(found: Discovery) -> str | list[str]:
    missed, alone = percent(1 - found.level), " of a report alone" if found.mixed else ""
    told = (
        f"{plural(found.reports, 'report')}, ε = {found.epsilon:g}{alone}; on average at most {missed} of the "
        f"intervals miss{'; …: may be longer' if any(key.is_cut for key in found) else ''}"
    )
    return subtitle_lines(told, found.mixed)
