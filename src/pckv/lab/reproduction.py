"""All of the paper's evaluation in one folder: figures, points, and a page that gathers them.

The figures by name, in the order of the paper.
"""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pckv.base.errors import ParameterError
from pckv.base.progress import LabelledProgressBar
from pckv.charts.estimates import chart_svg, lines_chart, save_chart
from pckv.files.outputs import whole_file
from pckv.lab.figures import formulas, realdata, synthetic
from pckv.lab.figures.claims import Verdict, verdicts
from pckv.lab.figures.figure import Figure, FigureScale, Point, from_csv, to_csv
from pckv.lab.figures.realdata import MissingData, lacks_data, missing_data, movie_source
from pckv.lab.figures.synthetic import COLORS

_ORDER = ("4", "6a", "6b", "6c", "7a", "7b", "8", "9", "10a", "10b", "10c", "10d", "11", "crossover")
_KNOWN = {figure.name: figure for figure in (*formulas.FIGURES, *synthetic.FIGURES, *realdata.FIGURES)}

FIGURES: dict[str, Figure] = {name: _KNOWN[name] for name in _ORDER}


MANIFEST = "settings.json"

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PCKV, reproduced</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
svg {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; margin: 1rem 0; }}
th, td {{ padding: .35rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd; }}
.no {{ color: #b00020; font-weight: 600; }}
</style>
</head>
<body>
<h1>PCKV, reproduced</h1>
<p>{about}</p>
<h2>Claims</h2>
<table>
<thead><tr><th>claim of the paper</th><th>measured</th><th>holds</th></tr></thead>
<tbody>
{claims}
</tbody>
</table>
{figures}
</body>
</html>
"""


def chosen_figures(names: Iterable[str]) -> list[Figure]:
    """Figures by name, all if none is named; "6" means 6a to 6c."""
    wanted: list[Figure] = []
    for name in names:
        matching = [figure for known, figure in FIGURES.items() if known == name or known.rstrip("abcd") == name]
        if not matching:
            raise ParameterError(f"figure {name!r} does not exist: choose from {', '.join(FIGURES)}")
        wanted += matching
    return list(dict.fromkeys(wanted)) or list(FIGURES.values())


@dataclass(frozen=True)
class Reproduction:
    """The verdicts on the claims, and an error about the figures that were left out, if any."""

    verdicts: list[Verdict]
    missing: MissingData | None


def reproduce(names: Iterable[str], out: Path, scale: FigureScale, progress_bar: LabelledProgressBar) -> Reproduction:
    """Compute what is not there yet, draw it, and gather everything.

    Named figures whose data are missing are refused before anything is computed; where none is named, they
    are left out.
    """
    names = tuple(names)
    chosen = chosen_figures(names)
    lacking = [figure for figure in chosen if lacks_data(figure, scale) and not _table(figure, out).exists()]
    if lacking and names:
        raise missing_data(lacking, scale)
    wanted = {figure.name for figure in chosen if figure not in lacking}
    out.mkdir(parents=True, exist_ok=True)
    settings: dict[str, int | str] = {
        "repeats": scale.repeats,
        "users": scale.users,
        "seed": scale.seed,
        "movie": movie_source(scale),
    }
    check_settings(out, settings)
    # The page gathers all that the folder holds, also from runs before.
    computed = {
        name: _points(figure, out, scale, progress_bar)
        for name, figure in FIGURES.items()
        if name in wanted or _table(figure, out).exists()
    }
    found = verdicts(computed, scale)
    _write(out / "index.html", page(computed, found, scale))
    _write(out / "reproduction.md", markdown(computed, found, scale))
    return Reproduction(found, missing_data(lacking, scale, left_out=True) if lacking else None)


def check_settings(out: Path, settings: dict[str, int | str]) -> None:
    """A folder is continued with the settings it was begun with, or not at all."""
    manifest = out / MANIFEST
    if manifest.exists():
        begun = json.loads(manifest.read_text(encoding="utf-8"))
        if begun != settings:
            raise ParameterError(f"{out} was begun with {begun}: take another folder, or the same settings")
    else:
        _write(manifest, json.dumps(settings))


def _table(figure: Figure, out: Path) -> Path:
    return out / f"figure-{figure.name}.csv"


def _points(figure: Figure, out: Path, scale: FigureScale, progress_bar: LabelledProgressBar) -> list[Point]:
    """Return the points of a figure, which is computed and drawn unless the folder has it."""
    table = _table(figure, out)
    if table.exists():
        return from_csv(table.read_text(encoding="utf-8"))
    with progress_bar(f"Figure {figure.name}") as progress:
        points = figure.points(scale, progress)
    chart = draw(figure, points, scale)
    for form in (".png", ".svg"):
        with whole_file(out / f"figure-{figure.name}{form}", force=True) as part:
            save_chart(chart, part, form)
    # The table comes last: a figure that has one is finished.
    _write(table, to_csv(points))
    return from_csv(to_csv(points))


def draw(figure: Figure, points: list[Point], scale: FigureScale) -> Any:
    """The chart of a figure."""
    return lines_chart(
        points,
        x=figure.x,
        panels=figure.panels,
        title=f"Figure {figure.name}: {figure.title}" if figure.name[0].isdigit() else figure.title,
        subtitle=figure.note(scale),
        log_x=figure.log_x,
        log_y=figure.log_y,
        colors=COLORS if all(point["series"] in COLORS for point in points) else None,
    )


def about(scale: FigureScale) -> str:
    """Say how everything was computed."""
    return (
        "Do the paper's results hold? Every figure of its evaluation is recomputed here, with "
        f"{scale.repeats} repeats, {scale.users:,} users in the synthetic populations, and seed {scale.seed}. "
        "Counts are drawn from the exact distribution of the reports."
    )


def page(computed: Mapping[str, list[Point]], found: list[Verdict], scale: FigureScale) -> str:
    """The page that gathers the figures."""
    rows = "\n".join(
        f"<tr><td>{html.escape(v.claim)}</td><td>{html.escape(v.measured)}</td>"
        f"<td{'' if v.holds else ' class=no'}>{'yes' if v.holds else 'no'}</td></tr>"
        for v in found
    )
    figures = "\n".join(
        f"<h2>{html.escape(FIGURES[name].title)}</h2>\n{chart_svg(draw(FIGURES[name], points, scale))}"
        for name, points in computed.items()
    )
    return PAGE.format(about=html.escape(about(scale)), claims=rows, figures=figures)


def markdown(computed: Iterable[str], found: list[Verdict], scale: FigureScale) -> str:
    """Return the same as Markdown; the pictures are files next to it."""
    lines = ["# The paper's evaluation, reproduced", "", textwrap.fill(about(scale), 100), ""]
    lines += ["| claim of the paper | measured | holds |", "|---|---|---|"]
    lines += [f"| {v.claim} | {v.measured} | {'yes' if v.holds else '**no**'} |" for v in found]
    for name in computed:
        title = FIGURES[name].title
        lines += ["", f"## {title}", "", f"![{title}](figure-{name}.svg)"]
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    with whole_file(path, force=True) as part:
        part.write_text(text, encoding="utf-8")
