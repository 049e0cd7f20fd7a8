"""The chart of groups: the shares within each label as small multiples, on one axis and with the same keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pckv.base.errors import ParameterError
from pckv.base.words import TOO_RARE, percent, plural
from pckv.charts.estimates import ESTIMATE_COLOR, GREY, PALE, ROW_PIXELS, chart_title, load_altair, shown_keys
from pckv.estimators.results.estimates import Estimates

if TYPE_CHECKING:
    import altair as alt

# A picture has so many panels in a row; a page, as many as fit.
PANELS_PER_ROW = 4
PANEL_WIDTH = 190
# The opacity of what holds over all labels, which stands behind what holds within one.
FAINT = 0.45


def segments_chart(estimates: Estimates, *, name: str = "") -> alt.ConcatChart:
    """Draw the shares of the most frequent keys within each label, and over all labels in grey.

    The `name` of the task is for the title.

    Raises:
        ParameterError: if the task has no segment.
    """
    segments = estimates.segments
    if segments is None:
        raise ParameterError("this task has no segment")
    shown = shown_keys(estimates)
    keys = len(estimates.listed)
    which = f"{len(shown)} most frequent of {keys:,} keys" if keys > len(shown) else plural(keys, "key")
    rows = {(row["segment"], row["key"]): row for row in segments.only(frozenset(shown.key)).cells.rows()}
    labels = segments.labels.label
    selected = "those of shares that stand out after selection (false coverage rate)" if segments.detected_level else ""
    notes = (selected, f"grey line: overall; grey bar: {TOO_RARE}")
    title = chart_title(name, f"{which} within each group of “{segments.name}”", estimates, *notes)
    stands_out = zip(shown.key, shown.frequency.tolist(), shown.detected.tolist(), strict=True)
    overall = {key: frequency for key, frequency, detected in stands_out if detected}
    return small_multiples([rows[label, key] for label in labels for key in shown.key], overall, title)


def small_multiples(
    rows: Sequence[Mapping[str, Any]], overall: Mapping[str, float], title: Mapping[str, Any]
) -> alt.ConcatChart:
    """Draw a panel per label with a line per key: its share within the label, and over all labels.

    A row has `segment`, `key`, `share` with its interval, and `detected`; rows of one label come in the order of keys
    that is drawn. `overall` is the frequency of every key that stands out over all labels; the others have no line.
    """
    altair = load_altair()
    labels = list(dict.fromkeys(row["segment"] for row in rows))
    widest = max([*(row["share_high"] for row in rows), *overall.values()], default=1.0)
    # All panels have one scale, or they could not be compared.
    scale = altair.Scale(domain=[0.0, min(1.0, widest)], nice=True)
    panels = [
        _panel(
            altair,
            [_drawn(row, overall) for row in rows if row["segment"] == label],
            label,
            scale,
            # Panels of one row share the keys beside the first.
            named=place % PANELS_PER_ROW == 0,
        )
        for place, label in enumerate(labels)
    ]
    chart: alt.ConcatChart = altair.concat(*panels, columns=PANELS_PER_ROW, spacing=20).properties(title=dict(title))
    return chart


def _drawn(row: Mapping[str, Any], overall: Mapping[str, float]) -> dict[str, Any]:
    """Return a row with what stands where; one that noise alone may give has a line from 0 and no point."""
    low = row["share_low"] if row["detected"] else 0.0
    return {
        "key": row["key"],
        "segment": row["segment"],
        "share": row["share"],
        "low": low,
        "high": row["share_high"],
        "overall": overall.get(row["key"]),
        "overall_told": percent(overall[row["key"]]) if row["key"] in overall else TOO_RARE,
        "detected": bool(row["detected"]),
        "told": "share within the group" if row["detected"] else TOO_RARE,
    }


def _panel(altair: Any, rows: Sequence[Mapping[str, Any]], label: str, scale: Any, *, named: bool) -> Any:
    keys = altair.Axis() if named else altair.Axis(labels=False, ticks=False, title=None)
    base = altair.Chart(altair.Data(values=list(rows))).encode(
        # Names are data: sorted by them, Vega would take some of them for operators.
        y=altair.Y("key:N", sort=None, title=None, axis=keys),
        tooltip=[
            altair.Tooltip("segment:N", title="group"),
            altair.Tooltip("key:N"),
            altair.Tooltip("share:Q", format=".1%", title="share"),
            altair.Tooltip("low:Q", format=".1%", title="at least"),
            altair.Tooltip("high:Q", format=".1%", title="at most"),
            altair.Tooltip("overall_told:N", title="overall"),
            altair.Tooltip("told:N", title="this is"),
        ],
    )
    axis = altair.Axis(format="~%", tickCount=3)
    shown = altair.condition("datum.detected", altair.value(ESTIMATE_COLOR), altair.value(GREY))
    layers = [
        base.mark_rule(strokeWidth=5, strokeCap="round", opacity=PALE).encode(
            x=altair.X("low:Q", title=None, axis=axis, scale=scale), x2="high:Q", color=shown
        ),
        base.transform_filter("isValid(datum.overall)")
        .mark_tick(color=GREY, thickness=2, size=ROW_PIXELS - 4, opacity=FAINT)
        .encode(x="overall:Q"),
        base.mark_point(filled=True, color=ESTIMATE_COLOR, size=60).encode(
            x="share:Q", opacity=altair.condition("datum.detected", altair.value(1), altair.value(0))
        ),
    ]
    title = {"text": label, "anchor": "start", "frame": "group", "fontSize": 12, "limit": PANEL_WIDTH}
    return altair.layer(*layers).properties(width=PANEL_WIDTH, height=altair.Step(ROW_PIXELS), title=title)
