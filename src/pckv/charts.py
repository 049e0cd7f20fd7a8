"""Charts of estimates, the same for files, pages and the dashboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pckv.errors import ParameterError, require
from pckv.estimators.result import UNKNOWN, Estimates
from pckv.texts import TOO_RARE

if TYPE_CHECKING:
    import altair as alt

KEYS_SHOWN = 20
# Curves with more points per series than this are drawn as lines alone.
MAX_POINTS_SHOWN = 30
FORMATS = (".svg", ".png", ".html")
_ESTIMATE, _TRUTH = "#3367a8", "#d1495b"
# d3 formats: errors of frequencies in percent, of means in their own units, without powers of ten.
ERROR_FORMATS = {"frequency": "~p", "mean": "~r"}
# Distinguishable without red and green, and in grey.
_CHOICE_COLORS = ("#e69f00", "#0b4f8a", "#56b4e9", "#a6d9c7", "#cc79a7", "#555555", "#f0e442", "#d55e00")


def estimates_chart(
    estimates: Estimates,
    truth: Mapping[str, tuple[float, float]] | None = None,
    *,
    key_count: int | None = None,
) -> alt.HConcatChart:
    """Draw frequency and mean of the most frequent keys with their intervals.

    `truth` gives the true frequency and mean by key, where they are known; `key_count` says of how many
    keys these are the most frequent, where the others were left out.
    """
    altair = require("altair", extra="charts")
    shown = estimates.top(KEYS_SHOWN)
    rows = shown.to_dict()["estimates"]
    for row in rows:
        row["middle"] = (row["mean_low"] + row["mean_high"]) / 2
        if truth is not None:
            row["true frequency"], row["true mean"] = truth[row["key"]]
    data = altair.Data(values=rows)
    title = f"{len(shown)} most frequent of {key_count or len(estimates):,} keys"
    # In the order of the rows. A sort by names would write them into an expression, where Vega takes `constructor`
    # and other names of JavaScript's own for operators.
    key = altair.Y("key:N", sort=None, title=None)
    panels = [
        _panel(altair, altair.Chart(data).encode(y=key), quantity, with_truth=truth is not None)
        for quantity in ("frequency", "mean")
    ]
    chart: alt.HConcatChart = altair.hconcat(*panels, spacing=30).properties(
        title={
            "text": title,
            "subtitle": f"{estimates.reports:,} reports, {estimates.mechanism}, ε = {estimates.epsilon:g}, "
            f"method {estimates.method}, {estimates.level:.0%} intervals"
            + (f", {estimates.hostile_note}" if estimates.hostile else "")
            + (", red: the truth" if truth is not None else "")
            + ("" if shown.detected.all() else f", open circles: {TOO_RARE}"),
        }
    )
    return chart


def _panel(altair: Any, base: Any, quantity: str, *, with_truth: bool) -> Any:
    axis = altair.Axis(format="%", tickCount=5) if quantity == "frequency" else altair.Axis(tickCount=5)
    value = altair.X(f"{quantity}:Q", title=quantity, axis=axis, scale=altair.Scale(zero=False))
    tooltip = ["key:N", *(f"{name}:Q" for name in (quantity, f"{quantity}_low", f"{quantity}_high"))]
    filled = altair.condition("datum.detected", altair.value(1), altair.value(0))
    layers = [
        base.mark_rule(color=_ESTIMATE, strokeWidth=3).encode(
            x=altair.X(f"{quantity}_low:Q", title=quantity, axis=axis),
            x2=f"{quantity}_high:Q",
            opacity=altair.condition("datum.detected", altair.value(0.5), altair.value(0.2)),
        ),
        base.mark_point(fill=_ESTIMATE, stroke=_ESTIMATE, size=50, opacity=1).encode(
            x=value, tooltip=tooltip, fillOpacity=filled
        ),
    ]
    if quantity == "mean":
        layers[1] = layers[1].encode(opacity=_if_known(altair, 1, 0))
        layers.append(
            base.mark_text(color=_ESTIMATE, fontSize=10).encode(
                x="middle:Q", text=_if_known(altair, "", UNKNOWN)
            )
        )
    if with_truth:
        truth = altair.X(f"true {quantity}:Q")
        layers.append(base.mark_tick(color=_TRUTH, thickness=2, size=14).encode(x=truth))
    return altair.layer(*layers).properties(width=330, height=altair.Step(18))


def _if_known(altair: Any, known: Any, unknown: Any) -> Any:
    """Return a channel's value where the mean is known, and another where it may be anywhere in its range."""
    return altair.condition("datum.mean_known", altair.value(known), altair.value(unknown))


def errors_chart(
    rows: Sequence[Mapping[str, Any]], *, x: str, expected: str, marked: str
) -> alt.ConcatChart | alt.HConcatChart:
    """Draw the expected errors of `frequency` and `mean` against one quantity: a curve, and one marked point.

    A row has `x`, both errors, and its `series`: the name given as `expected` or as `marked`.
    """
    panels = {"frequency": "error of a frequency", "mean": "error of a mean"}
    colors = {expected: _ESTIMATE, marked: _TRUTH}
    return lines_chart(rows, x=x, panels=panels, title="", log_x=True, colors=colors, formats=ERROR_FORMATS)


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
        raise ParameterError(f"{path}: a picture is {', '.join(FORMATS)}")


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
    altair = require("altair", extra="charts")
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    palette = (
        altair.Scale(domain=names, range=[colors[name] for name in names])
        if colors
        else altair.Scale(domain=names)
    )
    color = altair.Color("series:N", sort=names, title=None, scale=palette)
    horizontal = altair.X(
        f"{x}:Q", title=x, axis=altair.Axis(tickCount=7), scale=_scale(altair, logarithmic=log_x)
    )
    drawn_panels = []
    for quantity, label in panels.items():
        shown = [row for row in rows if row.get(quantity) is not None and (not log_y or row[quantity] > 0)]
        form = (formats or {}).get(quantity, ".0e" if log_y else None)
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


def choices_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    across: str,
    up: str,
    panels: tuple[str, str],
    title: str,
    subtitle: str,
) -> alt.FacetChart:
    """Draw maps of choices: one square per setting, one colour per choice, one panel per row and column.

    A row has the two quantities of a map, the two of the panels, and its `choice`.
    """
    altair = require("altair", extra="charts")
    places = {name: list(dict.fromkeys(row[name] for row in rows)) for name in (across, up, *panels)}
    choices = sorted({str(row["choice"]) for row in rows})
    squares = (
        altair.Chart(altair.Data(values=list(rows)))
        .mark_rect(stroke="white", strokeWidth=1)
        .encode(
            x=altair.X(f"{across}:O", sort=places[across], title=across, axis=altair.Axis(labelAngle=-45)),
            y=altair.Y(f"{up}:O", sort=places[up][::-1], title=up),
            color=altair.Color(
                "choice:N",
                title=None,
                scale=altair.Scale(domain=choices, range=_CHOICE_COLORS[: len(choices)]),
                legend=altair.Legend(orient="bottom", symbolType="square", symbolSize=150, labelFontSize=12),
            ),
            tooltip=[f"{across}:O", f"{up}:O", "choice:N"],
        )
        .properties(width=altair.Step(18), height=altair.Step(14))
    )
    headers = [
        part(
            f"{name}:N",
            sort=places[name],
            title=None,
            header=altair.Header(labelFontSize=12, labelFontWeight="bold"),
        )
        for part, name in zip((altair.Column, altair.Row), panels, strict=True)
    ]
    chart: alt.FacetChart = squares.facet(column=headers[0], row=headers[1], spacing=14).properties(
        title={"text": title, "subtitle": subtitle, "offset": 14}
    )
    return chart


def _scale(altair: Any, *, logarithmic: bool) -> Any:
    return altair.Scale(type="log", nice=False) if logarithmic else altair.Scale(zero=False)
