"""Charts of more than two levels: shares of all keys as stacked bars, and the values of one key."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pckv.base.errors import ParameterError
from pckv.base.words import TOO_RARE
from pckv.charts.estimates import (
    ESTIMATE_COLOR,
    GREY,
    PALE,
    ROW_PIXELS,
    estimates_chart,
    how_estimated,
    load_altair,
    shown_keys,
)
from pckv.estimators.results.distributions import MAX_DIGITS, level_names
from pckv.estimators.results.estimates import UNKNOWN, Estimates

if TYPE_CHECKING:
    import altair as alt

# From violet to yellow, each lighter than the one before: readable on white and on black, in grey, and
# without red and green.
COLOR_SCHEME = "viridis"
PANEL_WIDTH, PANEL_HEIGHT = 330, 260
# The quantiles that are drawn of one key.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
# A level with a longer text is rounded where it is drawn.
MAX_LABEL_LETTERS = 8


def shares_chart(
    estimates: Estimates, *, key_count: int | None = None, name: str = "", unit: str = ""
) -> alt.HConcatChart:
    """Draw frequency and mean of the most frequent keys, and with more than two levels the shares of these.

    Args:
        estimates: The estimates of all keys, or of some.
        key_count: Of how many keys these are the most frequent, where the others were left out.
        name: The name of the task, for the title.
        unit: The unit of the values.
    """
    panels = estimates_chart(estimates, key_count=key_count, name=name, unit=unit)
    if not estimates.level_values:
        return panels
    rows = shown_keys(estimates).to_dict()["estimates"]
    chart: alt.HConcatChart = panels | shares_panel(rows, level_labels(estimates.level_values), unit)
    return chart


def shares_panel(rows: Sequence[Mapping[str, Any]], names: Sequence[str], unit: str = "") -> alt.LayerChart:
    """Draw the shares of levels as one stacked bar per row, in the order of the rows.

    Args:
        rows: Rows of `Estimates.to_dict`, those that are detected first; the others get no bar.
        names: What each level is called.
        unit: The unit of the values.
    """
    altair = load_altair()
    parts = [
        {"key": row["key"], "level": name, "place": place, **share}
        for row in rows
        if row["detected"]
        for place, (name, share) in enumerate(zip(names, row["shares"], strict=True))
    ]
    unknown = [{"key": row["key"], "middle": 0.5} for row in rows if not row["detected"]]
    # A sort by names would write them into an expression, where Vega takes some for operators.
    keys = altair.Y("key:N", sort=None, title=None, axis=altair.Axis(labels=False, ticks=False, title=None))
    axis = altair.Axis(format="~%", tickCount=5)
    color = altair.Color(
        "level:N",
        sort=None,
        scale=altair.Scale(domain=list(names), scheme=COLOR_SCHEME),
        title=f"value, in {unit}" if unit else "value",
    )
    bars = (
        altair.Chart(altair.Data(values=parts))
        .mark_bar(stroke="white", strokeWidth=0.5)
        .encode(
            y=keys,
            x=altair.X(
                "share:Q",
                stack="zero",
                title="share of holders",
                axis=axis,
                scale=altair.Scale(domain=[0, 1]),
            ),
            color=color,
            order=altair.Order("place:Q"),
            tooltip=["key:N", altair.Tooltip("level:N", title="value"), *_share_tooltips(altair)],
        )
    )
    said = (
        altair.Chart(altair.Data(values=unknown))
        .mark_text(color=GREY, fontSize=11)
        .encode(y=keys, x="middle:Q", text=altair.value(UNKNOWN))
    )
    panel: alt.LayerChart = altair.layer(bars, said).properties(
        width=PANEL_WIDTH, height=altair.Step(ROW_PIXELS)
    )
    return panel


def level_labels(values: Sequence[float]) -> tuple[str, ...]:
    """Return what levels are worth, with few of the decimals that equal steps may have without end.

    >>> level_labels((0.0, 2.5, 1000.0))
    ('0', '2.5', '1000')
    >>> level_labels((0.0, 1 / 3, 2 / 3, 1.0))
    ('0', '0.333', '0.667', '1')
    """
    closest = min(larger - smaller for smaller, larger in pairwise(values))
    decimals = max(0, 2 - math.floor(math.log10(closest)))
    return tuple(
        text if len(text) <= MAX_LABEL_LETTERS else level_names([round(value, decimals)], MAX_DIGITS)[0]
        for value, text in zip(values, level_names(values, MAX_DIGITS), strict=True)
    )


def values_chart(estimates: Estimates, *, name: str = "", unit: str = "") -> alt.HConcatChart:
    """Draw how the values of one key are spread: shares of the levels and quantiles, with intervals.

    Args:
        estimates: The estimates of the key alone, of a task with more than two levels.
        name: The name of the task, for the title.
        unit: The unit of the values.

    Raises:
        ParameterError: if there are several keys, or two levels.
    """
    if len(estimates) != 1 or not estimates.level_values:
        raise ParameterError("the values of one key are drawn, of a task with more than two levels")
    altair = load_altair()
    [row] = estimates.to_dict()["estimates"]
    label = f"value, in {unit}" if unit else "value"
    notes = [
        how_estimated(estimates),
        f"{100 * estimates.level:g} % intervals",
        estimates.hostile_note,
        "" if row["detected"] else TOO_RARE,
    ]
    title = {
        "text": f"{name}: {row['key']}" if name else row["key"],
        "subtitle": ", ".join(filter(None, notes)),
    }
    histogram = _histogram(altair, row, level_labels(estimates.level_values), label)
    quantiles = _quantile_panel(altair, estimates, label)
    chart: alt.HConcatChart = altair.hconcat(histogram, quantiles, spacing=30).properties(title=title)
    return chart


def _histogram(altair: Any, row: Mapping[str, Any], names: Sequence[str], label: str) -> Any:
    """Draw one bar per level, at equal distances whatever its value, with the interval of its share."""
    levels = [{"level": name, **share} for name, share in zip(names, row["shares"], strict=True)]
    base = altair.Chart(altair.Data(values=levels)).encode(
        x=altair.X("level:N", sort=None, title=label, axis=altair.Axis(labelAngle=0)),
        tooltip=[altair.Tooltip("level:N", title="value"), *_share_tooltips(altair)],
    )
    axis = altair.Axis(format="~%", tickCount=6)
    bars = base.mark_bar(color=ESTIMATE_COLOR, opacity=PALE).encode(
        y=altair.Y("share:Q", title="share of holders", axis=axis)
    )
    intervals = base.mark_rule(color=ESTIMATE_COLOR, strokeWidth=2).encode(y="low:Q", y2="high:Q")
    points = base.mark_point(color=ESTIMATE_COLOR, filled=True, size=45, opacity=1).encode(y="share:Q")
    return altair.layer(bars, intervals, points).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)


def _quantile_panel(altair: Any, estimates: Estimates, label: str) -> Any:
    """Draw quantiles with their intervals, the lowest first."""
    rows = []
    for probability in QUANTILES:
        value, low, high = (float(limit[0]) for limit in estimates.quantile(probability))
        rows.append({"share": f"{100 * probability:g} %", "value": value, "low": low, "high": high})
    scale = altair.Scale(domain=[estimates.level_values[0], estimates.level_values[-1]])
    base = altair.Chart(altair.Data(values=rows)).encode(
        y=altair.Y("share:N", sort=None, title="share of holders at or below"),
        tooltip=[
            altair.Tooltip("share:N", title="quantile"),
            *(
                altair.Tooltip(f"{field}:Q", format=".4~g", title=title)
                for field, title in (("value", "value"), ("low", "at least"), ("high", "at most"))
            ),
        ],
    )
    intervals = base.mark_rule(color=ESTIMATE_COLOR, strokeWidth=5, strokeCap="round", opacity=PALE).encode(
        x=altair.X("low:Q", title=label, scale=scale), x2="high:Q"
    )
    points = base.mark_point(color=ESTIMATE_COLOR, filled=True, size=70, opacity=1).encode(
        x=altair.X("value:Q", scale=scale)
    )
    return altair.layer(intervals, points).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)


def _share_tooltips(altair: Any) -> list[Any]:
    return [
        altair.Tooltip(f"{field}:Q", format=".1%", title=title)
        for field, title in (("share", "share"), ("low", "at least"), ("high", "at most"))
    ]
