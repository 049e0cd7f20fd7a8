"""Charts of estimates, the same for files, pages and the dashboard."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from pckv.base.errors import ParameterError, require
from pckv.base.words import TOO_RARE, either, plural
from pckv.estimators.results.distributions import MAX_DIGITS, level_names
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import UNKNOWN

if TYPE_CHECKING:
    import altair as alt

KEYS_SHOWN = 20
# Curves with more points per series than this are drawn as lines alone.
MAX_POINTS_SHOWN = 30
FORMATS = (".svg", ".png", ".html")
ESTIMATE_COLOR, _TRUTH, GREY = "#3367a8", "#d1495b", "#5f6875"
# The opacity of intervals, and of the labels of keys that are not detected.
PALE = 0.55
ROW_PIXELS = 22
# The most letters of a line below a title, which is about as wide as the panels.
LINE_LETTERS = 110
# d3 formats: ranges of frequencies in percent, of means in their own units, without powers of ten.
RANGE_FORMATS = {"frequency": "~p", "mean": "~r"}


def load_altair() -> Any:
    """Return Altair, which asks whether numbers are of pandas once any thread has begun to import pandas.

    Arrow imports it for its first table. So where there are several threads, it is loaded before anything is
    drawn.
    """
    if threading.current_thread() is not threading.main_thread() and find_spec("pandas"):
        import_module("pandas")
    return require("altair", extra="charts")


def estimates_chart(
    estimates: Estimates,
    truth: Mapping[str, tuple[float, float]] | None = None,
    *,
    key_count: int | None = None,
    name: str = "",
    unit: str = "",
) -> alt.HConcatChart:
    """Draw frequencies and means of the most frequent keys with intervals; what noise may give comes last, in grey.

    Args:
        estimates: The estimates of all keys, or of some.
        truth: The true frequency and mean by key, where they are known.
        key_count: Of how many keys these are the most frequent, where the others were left out.
        name: The name of the task, for the title.
        unit: The unit of the values.
    """
    shown = shown_keys(estimates)
    rows = shown.to_dict()["estimates"]
    if truth is not None:
        for row in rows:
            row["true frequency"], row["true mean"] = truth[row["key"]]
    keys = key_count or len(estimates.listed)
    which = f"{len(shown)} most frequent of {keys:,} keys" if keys > len(shown) else plural(keys, "key")
    red = "red: the truth" if truth is not None else ""
    title = chart_title(name, which, estimates, red, "" if shown.detected.all() else f"grey: {TOO_RARE}")
    if estimates.other:
        lines = title["subtitle"] if isinstance(title["subtitle"], list) else [title["subtitle"]]
        title["subtitle"] = [lines[0], estimates.other_note, *lines[1:]]
    return _interval_panels(rows, title, unit, with_truth=truth is not None)


def chart_title(name: str, what: str, estimates: Estimates, *notes: str) -> dict[str, Any]:
    """Return the title of a chart: what it shows, and below it how that was estimated."""
    selected = " after selection (false coverage rate)" if estimates.detected_level else ""
    intervals = f"{100 * estimates.level:g} % intervals{selected}"
    told = (how_estimated(estimates), intervals, estimates.hostile_note, *notes)
    return {
        "text": f"{name}: {what}" if name else what,
        "subtitle": subtitle_lines(", ".join(filter(None, told)), estimates.mixed),
    }


def subtitle_lines(text: str, mixed: str | None) -> str | list[str]:
    """Return what stands below a title; of a mixed task also what holds towards whom, in lines that fit the chart."""
    return text if mixed is None else [text, *wrap(mixed, LINE_LETTERS)]


def shown_keys(estimates: Estimates) -> Estimates:
    """Return the most frequent keys, those that stand out from the noise first."""
    shown = estimates.listed.top(KEYS_SHOWN)
    return shown.take(np.argsort(~shown.detected, kind="stable"))


def how_estimated(estimates: Estimates) -> str:
    """Return from how many reports, by which mechanism and how estimates were made, and if they are wrong."""
    wrong = "impossible counts, do not use: " if estimates.impossible else ""
    return (
        f"{wrong}{plural(estimates.reports, 'report')}, {estimates.mechanism}, "
        f"ε = {estimates.epsilon:g}{' of a report alone' if estimates.mixed else ''}, method {estimates.method}"
    )


def levels_chart(
    rows: Sequence[Mapping[str, Any]], *, title: str, subtitle: str | list[str], unit: str = ""
) -> alt.HConcatChart:
    """Draw frequency and mean of one key with their intervals at several levels, the lowest first.

    A row is the key's row of `Estimates.to_dict` with its `level`.
    """
    labelled = [{**row, "key": f"{100 * row['level']:g} %"} for row in rows]
    return _interval_panels(labelled, {"text": title, "subtitle": subtitle}, unit)


def _interval_panels(
    rows: Sequence[Mapping[str, Any]], title: Mapping[str, Any], unit: str, *, with_truth: bool = False
) -> alt.HConcatChart:
    """Draw a panel of frequencies and, of keys with values, one of means, a line per row; detected rows come first."""
    altair = load_altair()
    has_means = any("mean" in row for row in rows)
    means = _mean_ends([row for row in rows if row["mean_known"]] or rows) if has_means else (0.0, 0.0)
    drawn = [{**row, **_places(row, sum(means) / 2)} for row in rows]
    drawn_shares = [row[name] for row in drawn for name in row if name in ("true frequency", *_ends("frequency"))]
    frequencies = (0.0, max(drawn_shares, default=1.0))
    base = altair.Chart(altair.Data(values=drawn))
    first, second = (base.encode(y=_row_axis(altair, rows, labels=labels)) for labels in (True, False))
    panels = [_panel(altair, first, "frequency", frequencies, "share of people", with_truth=with_truth)]
    if has_means:
        named = f"mean, in {unit}" if unit else "mean"
        panels.append(_panel(altair, second, "mean", means, named, with_truth=with_truth))
    chart: alt.HConcatChart = altair.hconcat(*panels, spacing=30).properties(title=dict(title))
    return chart


def _places(row: Mapping[str, Any], middle: float) -> dict[str, Any]:
    """Return where a row's marks stand; hidden ones stand where they tell nothing, and do not widen the panel."""
    low, high = row["frequency_low"] if row["detected"] else 0.0, row["frequency_high"]
    places = {"frequency": (low, max(low, row["frequency"]) if row["detected"] else low, high)}
    known = row.get("mean_known")
    if known is not None:
        places["mean"] = (row["mean_low"], row["mean"], row["mean_high"]) if known else (middle, middle, middle)
    named = {end: place for name in places for end, place in zip(_ends(name), places[name], strict=True)}
    return named if known is None else named | {"known": known}


def _ends(name: str) -> list[str]:
    """Return the fields of where the marks of a quantity begin, are and end."""
    return [f"{name} {end}" for end in ("from", "point", "to")]


def _mean_ends(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the least and the largest number that is drawn of means."""
    names = ("mean", "mean_low", "mean_high", "true mean")
    numbers = [row[name] for row in rows for name in names if name in row] or [0.0, 1.0]
    return min(numbers), max(numbers)


def _tooltips(altair: Any, quantity: str, low: str, high: str, *, form: str) -> list[Any]:
    """Return what is said of a number and its interval."""
    titles = {quantity: quantity, low: "at least", high: "at most"}
    return [altair.Tooltip(f"{field}:Q", format=form, title=title) for field, title in titles.items()]


def _row_axis(altair: Any, rows: Sequence[Mapping[str, Any]], *, labels: bool) -> Any:
    """Return the axis of keys, in the order of the rows; the labels of those that are not detected are paler.

    A sort by names would write them into an expression, where Vega takes `constructor` and other names of
    JavaScript's own for operators. The index of a label runs from 0 to 1.
    """
    axis = altair.Axis(labels=False, ticks=False, title=None)
    if labels:
        detected = sum(bool(row["detected"]) for row in rows)
        pale = {"test": f"datum.index > {(detected - 0.5) / max(1, len(rows) - 1)}", "value": PALE}
        axis = altair.Axis(labelOpacity={"condition": pale, "value": 1})
    return altair.Y("key:N", sort=None, title=None, axis=axis)


def _panel(altair: Any, base: Any, quantity: str, ends: tuple[float, float], title: str, *, with_truth: bool) -> Any:
    form = {"frequency": ".1%", "mean": ".4~g"}[quantity]
    axis = altair.Axis(format="~%", tickCount=5) if quantity == "frequency" else altair.Axis(tickCount=5)
    scale = altair.Scale(domain=list(ends), zero=False, nice=True)
    tooltip = [
        altair.Tooltip("key:N"),
        *_tooltips(altair, quantity, f"{quantity}_low", f"{quantity}_high", form=form),
    ]
    # A mean that may be anywhere in its range is not drawn as if it were known.
    is_drawn = "datum.known" if quantity == "mean" else "true"
    layers = [
        base.mark_rule(strokeWidth=5, strokeCap="round").encode(
            x=altair.X(f"{quantity} from:Q", title=title, axis=axis, scale=scale),
            x2=f"{quantity} to:Q",
            tooltip=tooltip,
            color=altair.condition("datum.detected", altair.value(ESTIMATE_COLOR), altair.value(GREY)),
            opacity=altair.condition(is_drawn, altair.value(PALE), altair.value(0)),
        ),
        base.mark_point(filled=True, color=ESTIMATE_COLOR, size=70).encode(
            x=altair.X(f"{quantity} point:Q", scale=scale),
            tooltip=tooltip,
            opacity=altair.condition(f"datum.detected && {is_drawn}", altair.value(1), altair.value(0)),
        ),
    ]
    if quantity == "mean":
        text = altair.condition("datum.known", altair.value(""), altair.value(UNKNOWN))
        layers.append(base.mark_text(color=GREY, fontSize=11).encode(x="mean point:Q", text=text))
    if with_truth:
        truth = altair.X(f"true {quantity}:Q")
        layers.append(base.mark_tick(color=_TRUTH, thickness=2, size=14).encode(x=truth))
    return altair.layer(*layers).properties(width=330, height=altair.Step(ROW_PIXELS))


def ranges_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    x: str,
    expected: str,
    marked: str,
    quantities: Sequence[str],
) -> alt.ConcatChart | alt.HConcatChart:
    """Draw half the expected ranges of some quantities against another one: a curve, and one marked point.

    A row has `x`, halves of ranges, and its `series`: the name given as `expected` or as `marked`.
    """
    panels = {quantity: f"half the 95 % range of a {quantity}" for quantity in quantities}
    colors = {expected: ESTIMATE_COLOR, marked: _TRUTH}
    return lines_chart(rows, x=x, panels=panels, title="", log_x=True, colors=colors, formats=RANGE_FORMATS)


def save_chart(chart: Any, path: Path, form: str) -> None:
    """Write a chart as .svg, .png or .html (which contains all the script it needs)."""
    require("vl_convert", extra="charts")
    if form == ".html":
        path.write_text(chart.to_html(inline=True), encoding="utf-8")
    else:
        chart.save(str(path), format=form[1:], scale_factor=1.5)


def check_picture(path: Path) -> None:
    """Refuse a file name whose extension is no picture format."""
    if path.suffix not in FORMATS:
        raise ParameterError(f"{path}: pictures are written as {either(FORMATS)}")


def chart_svg(chart: Any) -> str:
    """Return a chart as SVG text, for use inside a page."""
    return str(require("vl_convert", extra="charts").vegalite_to_svg(chart.to_dict()))


def lines_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    x: str,
    panels: Mapping[str, str],
    title: str,
    subtitle: str = "",
    log_x: bool = False,
    log_y: bool = True,
    colors: Mapping[str, str] | None = None,
    formats: Mapping[str, str] | None = None,
    columns: int | None = None,
) -> alt.ConcatChart | alt.HConcatChart:
    """Draw curves of several quantities against one: one panel per quantity, one colour per series.

    A row has `x`, the quantities that `panels` names, a `series`, and `theory` (true for a dashed line).
    `formats` gives the d3 number format of a quantity, `columns` the number of panels per row.
    Points at or below zero do not exist on a logarithmic axis and are left out.
    """
    altair = load_altair()
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    palette = (
        altair.Scale(domain=names, range=[colors[name] for name in names]) if colors else altair.Scale(domain=names)
    )
    color = altair.Color("series:N", sort=names, title=None, scale=palette)
    horizontal = altair.X(f"{x}:Q", title=x, axis=altair.Axis(tickCount=7), scale=_scale(altair, logarithmic=log_x))
    drawn_panels = []
    for quantity, label in panels.items():
        shown = [row for row in rows if row.get(quantity) is not None and (not log_y or row[quantity] > 0)]
        form = (formats or {}).get(quantity, ".2~e" if log_y else None)
        axis = altair.Axis(tickCount=6, format=form) if form else altair.Axis(tickCount=6)
        vertical = altair.Y(f"{quantity}:Q", title=label, axis=axis, scale=_scale(altair, logarithmic=log_y))
        base = altair.Chart(altair.Data(values=shown)).encode(x=horizontal, y=vertical, color=color)
        measured = base.transform_filter("!datum.theory")
        layers = [measured.mark_line()]
        if len(shown) < MAX_POINTS_SHOWN * len(names):
            tooltip = ["series:N", f"{x}:Q", f"{quantity}:Q"]
            layers.append(measured.mark_point(filled=True, size=35, opacity=1).encode(tooltip=tooltip))
        if any(row.get("theory") for row in shown):
            layers.append(base.transform_filter("datum.theory").mark_line(strokeDash=[4, 3], opacity=0.8))
        drawn_panels.append(altair.layer(*layers).properties(width=330, height=260))
    combined = altair.concat(*drawn_panels, columns=columns) if columns else altair.hconcat(*drawn_panels)
    chart: alt.ConcatChart | alt.HConcatChart = combined.properties(
        title={"text": title, "subtitle": subtitle}, spacing=30
    ).configure_axis(gridOpacity=0.4)
    return chart


def _scale(altair: Any, *, logarithmic: bool) -> Any:
    return altair.Scale(type="log", nice=False) if logarithmic else altair.Scale(zero=False)


# From violet to yellow, each lighter than the one before: readable on white and on black, in grey, and
# without red and green.
COLOR_SCHEME = "viridis"
PANEL_WIDTH, PANEL_HEIGHT = 330, 260
# The quantiles that are drawn of one key.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
# Nothing is known of the share of a level whose interval is at least this wide.
UNKNOWN_WIDTH = 0.95
# A level with a longer text is rounded where it is drawn.
MAX_LABEL_LETTERS = 8


def shares_chart(
    estimates: Estimates, *, key_count: int | None = None, name: str = "", unit: str = ""
) -> alt.HConcatChart:
    """Draw what `estimates_chart` does, and with more than two levels the shares of these."""
    panels = estimates_chart(estimates, key_count=key_count, name=name, unit=unit)
    if not estimates.level_values:
        return panels
    rows = shown_keys(estimates).to_dict()["estimates"]
    chart: alt.HConcatChart = panels | shares_panel(rows, level_labels(estimates.level_values), unit)
    return chart


def shares_panel(rows: Sequence[Mapping[str, Any]], names: Sequence[str], unit: str = "") -> alt.LayerChart:
    """Draw the shares of the levels with these names as one stacked bar per row of `Estimates.to_dict`.

    Rows that are detected come first; those of whose shares nothing is known get no bar.
    """
    altair = load_altair()
    parts = [
        {"key": row["key"], "level": name, "place": place, **share}
        for row in rows
        if _is_spread_known(row)
        for place, (name, share) in enumerate(zip(names, row["shares"], strict=True))
    ]
    unknown = [{"key": row["key"], "middle": 0.5} for row in rows if not _is_spread_known(row)]
    keys = _row_axis(altair, rows, labels=False)
    axis, scale = altair.Axis(format="~%", tickCount=5), altair.Scale(domain=[0, 1])
    colors = altair.Scale(domain=list(names), scheme=COLOR_SCHEME)
    drawn = altair.Chart(altair.Data(values=parts)).mark_bar(stroke="white", strokeWidth=0.5)
    bars = drawn.encode(
        y=keys,
        x=altair.X("share:Q", stack="zero", title="share of holders", axis=axis, scale=scale),
        color=altair.Color("level:N", sort=None, scale=colors, title=_value_label(unit)),
        order=altair.Order("place:Q"),
        tooltip=["key:N", *_share_tooltips(altair)],
    )
    texts = altair.Chart(altair.Data(values=unknown)).mark_text(color=GREY, fontSize=11)
    said = texts.encode(y=keys, x="middle:Q", text=altair.value(UNKNOWN))
    panel: alt.LayerChart = altair.layer(bars, said).properties(width=PANEL_WIDTH, height=altair.Step(ROW_PIXELS))
    return panel


def _is_spread_known(row: Mapping[str, Any]) -> bool:
    return row["detected"] and all(map(_is_share_known, row["shares"]))


def _is_share_known(share: Mapping[str, Any]) -> bool:
    """Return whether the share of a level is more than a guess: nothing is known of one that may be almost anything."""
    return bool(share["high"] - share["low"] < UNKNOWN_WIDTH)


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

    Raises:
        ParameterError: if there are several keys, or two levels.
    """
    if len(estimates) != 1 or not estimates.level_values:
        raise ParameterError("the values of one key are drawn, of a task with more than two levels")
    altair = load_altair()
    [row] = estimates.to_dict()["estimates"]
    title = chart_title(name, row["key"], estimates, "" if row["detected"] else TOO_RARE)
    histogram = _histogram(altair, row, level_labels(estimates.level_values), _value_label(unit))
    quantiles = _quantile_panel(altair, estimates, _value_label(unit))
    chart: alt.HConcatChart = altair.hconcat(histogram, quantiles, spacing=30).properties(title=title)
    return chart


def _histogram(altair: Any, row: Mapping[str, Any], names: Sequence[str], label: str) -> Any:
    """Draw one bar per level, at equal distances whatever its value, with the interval of its share."""
    levels = [
        {"level": name, **share, "known": row["detected"] and _is_share_known(share)}
        for name, share in zip(names, row["shares"], strict=True)
    ]
    base = altair.Chart(altair.Data(values=levels)).encode(
        x=altair.X("level:N", sort=None, title=label, axis=altair.Axis(labelAngle=0)),
        tooltip=_share_tooltips(altair),
    )
    axis = altair.Axis(format="~%", tickCount=6)
    known = base.transform_filter("datum.known")
    bars = known.mark_bar(color=ESTIMATE_COLOR, opacity=PALE).encode(
        y=altair.Y("share:Q", title="share of holders", axis=axis)
    )
    intervals = base.mark_rule(color=ESTIMATE_COLOR, strokeWidth=2).encode(y="low:Q", y2="high:Q")
    points = known.mark_point(color=ESTIMATE_COLOR, filled=True, size=45, opacity=1).encode(y="share:Q")
    return altair.layer(bars, intervals, points).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)


def _quantile_panel(altair: Any, estimates: Estimates, label: str) -> Any:
    """Draw quantiles with their intervals, the lowest first."""
    rows = []
    least, most = estimates.level_values[0], estimates.level_values[-1]
    for probability in QUANTILES:
        value, low, high = (float(limit[0]) for limit in estimates.quantile(probability))
        known = bool(estimates.detected[0]) and (low > least or high < most)
        rows.append({"share": f"{100 * probability:g} %", "value": value, "low": low, "high": high, "known": known})
    scale = altair.Scale(domain=[least, most])
    base = altair.Chart(altair.Data(values=rows)).encode(
        y=altair.Y("share:N", sort=None, title="share of holders at or below"),
        tooltip=[
            altair.Tooltip("share:N", title="quantile"),
            *_tooltips(altair, "value", "low", "high", form=".4~g"),
        ],
    )
    intervals = base.mark_rule(color=ESTIMATE_COLOR, strokeWidth=5, strokeCap="round", opacity=PALE).encode(
        x=altair.X("low:Q", title=label, scale=scale), x2="high:Q"
    )
    known_rows = base.transform_filter("datum.known")
    points = known_rows.mark_point(color=ESTIMATE_COLOR, filled=True, size=70, opacity=1).encode(
        x=altair.X("value:Q", scale=scale)
    )
    return altair.layer(intervals, points).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)


def _share_tooltips(altair: Any) -> list[Any]:
    level = altair.Tooltip("level:N", title="value")
    return [level, *_tooltips(altair, "share", "low", "high", form=".1%")]


def _value_label(unit: str) -> str:
    return f"value, in {unit}" if unit else "value"
