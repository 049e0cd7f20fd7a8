"""Charts of trends: one panel per key, with a band of smoothed frequencies and the rounds as points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pckv.charts.estimates import load_altair, subtitle_lines
from pckv.estimators.results.trend import Trend

if TYPE_CHECKING:
    import altair as alt

PANELS_SHOWN = 9
PANELS_PER_ROW = 3
_COLOR, _CHANGED = "#3367a8", "#d1495b"


def trend_chart(trend: Trend) -> alt.FacetChart:
    """Draw the frequencies of the first keys of a trend over its rounds, each with its interval.

    There is a panel per key: the smoothed frequency as a line with a band, single rounds as points, and the
    intervals of rounds that differ from the others as bars.
    """
    altair = load_altair()
    table = trend.lists()
    shown = min(PANELS_SHOWN, len(trend)) * len(trend.rounds)
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)][:shown]
    # Where noise may explain a share, only its interval is drawn: the line has a gap.
    for row in rows:
        row["line"] = row["smoothed"] if row["smoothed_low"] > 0 else None
    across = altair.X(
        "round:Q", title="round", axis=altair.Axis(tickMinStep=1, format="d"), scale=altair.Scale(zero=False)
    )
    axis = altair.Axis(format="~%", tickCount=5)
    tooltip = [
        altair.Tooltip("round:Q"),
        altair.Tooltip("opens:N"),
        altair.Tooltip("reports:Q", format=","),
        altair.Tooltip("frequency:Q", format=".2%", title="this round alone"),
        altair.Tooltip("frequency_low:Q", format=".2%", title="alone at least"),
        altair.Tooltip("frequency_high:Q", format=".2%", title="alone at most"),
        altair.Tooltip("smoothed:Q", format=".2%"),
        altair.Tooltip("smoothed_low:Q", format=".2%", title="at least"),
        altair.Tooltip("smoothed_high:Q", format=".2%", title="at most"),
    ]
    base = altair.Chart().transform_filter("isValid(datum.round)").encode(x=across, tooltip=tooltip)
    found = [] if trend.changes is None else [row._asdict() for row in trend.changes.rows if row.changed]
    drawn = {row["key"] for row in rows}
    # In the data of all layers: a panel has those of its key.
    rows += [row for row in found if row["key"] in drawn]
    layers = altair.layer(
        altair.Chart()
        .transform_filter("isValid(datum.before_first)")
        .mark_rect(color=_CHANGED, opacity=0.14)
        .encode(x=altair.X("before_first:Q", title="round"), x2="after_last:Q", tooltip=_change_tooltip(altair)),
        base.mark_area(color=_COLOR, opacity=0.2).encode(
            y=altair.Y("smoothed_low:Q", title="share of people", axis=axis, scale=altair.Scale(zero=True)),
            y2="smoothed_high:Q",
        ),
        base.mark_line(color=_COLOR).encode(y="line:Q"),
        base.transform_filter("datum.differs")
        .mark_rule(color=_COLOR, opacity=0.5)
        .encode(y="frequency_low:Q", y2="frequency_high:Q"),
        base.transform_filter("datum.frequency_low > 0")
        .mark_point(color=_COLOR, filled=True, size=25, opacity=0.5)
        .encode(y="frequency:Q"),
        data=altair.Data(values=rows),
    ).properties(width=240, height=160)
    panels = layers.facet(
        # Names are data: sorted by them, Vega would take some of them for operators.
        facet=altair.Facet("key:N", sort=None, title=None),
        columns=PANELS_PER_ROW,
    )
    title = {"text": f"{trend.name}: {len(trend.rounds):,} rounds", "subtitle": _subtitle(trend)}
    chart: alt.FacetChart = panels.properties(title=title)
    return chart


def _change_tooltip(altair: Any) -> list[Any]:
    return [
        altair.Tooltip("change:Q", format="+.2%", title="change"),
        altair.Tooltip("change_low:Q", format="+.2%", title="at least"),
        altair.Tooltip("change_high:Q", format="+.2%", title="at most"),
    ]


def _subtitle(trend: Trend) -> str | list[str]:
    mixed = trend.pooled.mixed
    told = (
        f"line: smoothed, with {100 * trend.level:g} % intervals; points: single rounds; "
        f"{'bars: intervals of rounds that differ from the others; ' if trend.columns['differs'].any() else ''}"
        f"{'red: the key changed between these rounds; ' if trend.changes and trend.changes.keys_changed else ''}"
        f"{trend.mechanism}, "
        f"ε = {trend.epsilon:g}{' of a report alone' if mixed else ''}, {trend.panels:,} panels"
    )
    return subtitle_lines(told, mixed)
