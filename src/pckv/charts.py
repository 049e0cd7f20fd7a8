"""Charts of estimates, the same for files, pages and the dashboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pckv.errors import ParameterError, require
from pckv.estimators.estimates import Estimates

if TYPE_CHECKING:
    import altair as alt

KEYS_SHOWN = 20
# Curves with more points a series than this are drawn without them.
POINTS_SHOWN = 30
FORMATS = (".svg", ".png", ".html")
_ESTIMATE, _TRUTH = "#3367a8", "#d1495b"


def estimates_chart(
    estimates: Estimates, truth: Mapping[str, tuple[float, float]] | None = None
) -> alt.HConcatChart:
    """Frequency and mean of the most frequent keys with their intervals, side by side.

    `truth` gives the true frequency and mean by key, where they are known.
    """
    altair = require("altair", extra="charts")
    shown = estimates.top(KEYS_SHOWN)
    rows = shown.to_dict()["estimates"]
    for row in rows:
        if truth is not None:
            row["true frequency"], row["true mean"] = truth[row["key"]]
    data = altair.Data(values=rows)
    panels = [
        _panel(altair, data, quantity, shown.key, with_truth=truth is not None)
        for quantity in ("frequency", "mean")
    ]
    chart: alt.HConcatChart = altair.hconcat(*panels, spacing=30).properties(
        title={
            "text": f"{len(shown)} most frequent of {len(estimates):,} keys",
            "subtitle": f"{estimates.reports:,} reports, {estimates.mechanism}, ε = {estimates.epsilon:g}, "
            f"method {estimates.method}, {estimates.level:.0%} intervals"
            + (", red: the truth" if truth is not None else ""),
        }
    )
    return chart


def _panel(altair: Any, data: Any, quantity: str, order: list[str], *, with_truth: bool) -> Any:
    axis = altair.Axis(format="%", tickCount=5) if quantity == "frequency" else altair.Axis(tickCount=5)
    key = altair.Y("key:N", sort=order, title=None)
    value = altair.X(f"{quantity}:Q", title=quantity, axis=axis, scale=altair.Scale(zero=False))
    base = altair.Chart(data).encode(y=key)
    tooltip = ["key:N", *(f"{name}:Q" for name in (quantity, f"{quantity}_low", f"{quantity}_high"))]
    layers = [
        base.mark_rule(color=_ESTIMATE, opacity=0.5, strokeWidth=3).encode(
            x=altair.X(f"{quantity}_low:Q", title=quantity, axis=axis), x2=f"{quantity}_high:Q"
        ),
        base.mark_point(color=_ESTIMATE, filled=True, size=50, opacity=1).encode(x=value, tooltip=tooltip),
    ]
    if with_truth:
        truth = altair.X(f"true {quantity}:Q")
        layers.append(base.mark_tick(color=_TRUTH, thickness=2, size=14).encode(x=truth))
    return altair.layer(*layers).properties(width=330, height=altair.Step(18))


def save_chart(chart: Any, path: Path, form: str) -> None:
    """Write a chart as .svg, .png or .html (which holds all the script it needs)."""
    require("vl_convert", extra="charts")
    if form == ".html":
        path.write_text(chart.to_html(inline=True), encoding="utf-8")
    else:
        chart.save(str(path), format=form[1:], scale_factor=1.5)


def check_picture(path: Path) -> None:
    """Refuse a kind of picture that does not exist."""
    if path.suffix not in FORMATS:
        raise ParameterError(f"{path}: a picture is {', '.join(FORMATS)}")


def chart_svg(chart: Any) -> str:
    """A chart as SVG text, to stand inside a page."""
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
) -> alt.HConcatChart:
    """Curves of some quantities against one, a panel each, a colour a series.

    A row has `x`, the quantities that `panels` names, a `series`, and `theory` (true for a dashed line).
    Points at or below zero have no place on a logarithmic axis and are left out.
    """
    altair = require("altair", extra="charts")
    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    palette = (
        altair.Scale(domain=names, range=[colors[name] for name in names])
        if colors
        else altair.Scale(domain=names)
    )
    color = altair.Color("series:N", sort=names, title=None, scale=palette)
    across = altair.X(
        f"{x}:Q", title=x, axis=altair.Axis(tickCount=7), scale=_scale(altair, logarithmic=log_x)
    )
    parts = []
    for quantity, label in panels.items():
        shown = [row for row in rows if row.get(quantity) is not None and (not log_y or row[quantity] > 0)]
        axis = altair.Axis(tickCount=6, format=".0e") if log_y else altair.Axis(tickCount=6)
        up = altair.Y(f"{quantity}:Q", title=label, axis=axis, scale=_scale(altair, logarithmic=log_y))
        base = altair.Chart(altair.Data(values=shown)).encode(x=across, y=up, color=color)
        measured = base.transform_filter("!datum.theory")
        layers = [measured.mark_line()]
        if len(shown) < POINTS_SHOWN * len(names):
            tooltip = ["series:N", f"{x}:Q", f"{quantity}:Q"]
            layers.append(measured.mark_point(filled=True, size=35, opacity=1).encode(tooltip=tooltip))
        if any(row.get("theory") for row in shown):
            layers.append(base.transform_filter("datum.theory").mark_line(strokeDash=[4, 3], opacity=0.8))
        parts.append(altair.layer(*layers).properties(width=330, height=260))
    chart: alt.HConcatChart = (
        altair.hconcat(*parts, spacing=30)
        .properties(title={"text": title, "subtitle": subtitle})
        .configure_axis(gridOpacity=0.4)
    )
    return chart


def _scale(altair: Any, *, logarithmic: bool) -> Any:
    return altair.Scale(type="log", nice=False) if logarithmic else altair.Scale(zero=False)
