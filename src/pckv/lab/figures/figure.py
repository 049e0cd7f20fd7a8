"""What a figure of the paper is: its points and how they are laid out."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from numpy.random import Generator, SeedSequence, default_rng

from pckv.base.progress import Progress
from pckv.lab.processes import map_in_processes

Point = dict[str, Any]


@dataclass(frozen=True)
class FigureScale:
    """How large and how often: the paper has a million users and five repeats."""

    repeats: int = 5
    users: int = 1_000_000
    seed: int = 0
    workers: int = 2
    data: Path | None = None

    def rng(self, *place: int) -> Generator:
        """Randomness that depends on the seed and the place alone."""
        return default_rng(SeedSequence(self.seed, spawn_key=place))


@dataclass(frozen=True, eq=False)
class Figure:
    """One figure: `points` computes it, the rest says how it is drawn.

    Points have `x`, the quantities that `panels` names, a `series`, and `theory`.
    """

    name: str
    title: str
    x: str
    panels: Mapping[str, str]
    points: Callable[[FigureScale, Progress], list[Point]]
    log_x: bool = False
    log_y: bool = True
    note: Callable[[FigureScale], str] = field(default=lambda _: "")
    # The file in the data folder that the points are computed from.
    data_file: str | None = None


def averaged(points: Sequence[Point], x: str, quantities: Sequence[str]) -> list[Point]:
    """Average the repeats of every series at every x; rows keep the number of repeats."""

    def place(point: Point) -> tuple[str, bool, float]:
        return point["series"], point["theory"], point[x]

    order = {series: number for number, series in enumerate(dict.fromkeys(point["series"] for point in points))}
    ordered = sorted(points, key=lambda point: (order[point["series"]], point["theory"], point[x]))
    rows = []
    for (series, theory, at), group in groupby(ordered, key=place):
        same = list(group)
        means = {name: _mean([point[name] for point in same]) for name in quantities}
        rows.append({"series": series, "theory": theory, x: at, **means, "repeats": len(same)})
    return rows


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def in_parallel(
    job: Callable[..., list[Point]],
    arguments: Sequence[tuple[Any, ...]],
    scale: FigureScale,
    progress: Progress,
) -> list[Point]:
    """Run jobs in several processes; their points do not depend on how many there are."""
    points: list[Point] = []
    for done, some in enumerate(map_in_processes(job, arguments, scale.workers), 1):
        points += some
        progress(done / len(arguments))
    return points


def to_csv(points: Sequence[Point]) -> str:
    """Points as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(points[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(points)
    return text.getvalue()


def from_csv(text: str) -> list[Point]:
    """Undo `to_csv`."""
    return [{name: _value(name, value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


def _value(name: str, value: str) -> Any:
    if name in ("series", "panel"):
        return value
    if name == "theory":
        return value == "True"
    return float(value) if value else None
