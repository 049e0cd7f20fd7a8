"""Write docs/appendix/accuracy.md from measured cells: what must hold, and a chart and tables per population."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.measured_errors import METHODS, QUANTITIES, TOP, MeasuredErrors
from experiments.settings import Requirement
from pckv.charts.estimates import lines_chart, save_chart

PAPER = ("ue", "grr")
LABELS = (
    "frequency, all keys",
    "mean, all keys",
    f"frequency, top {TOP}",
    f"mean, top {TOP}",
)
INTRODUCTION = """# Accuracy

How large are the errors of the estimates? This page has the mean squared errors of every mechanism
and method, simulated on three synthetic populations and on real ratings, relative to the paper's
methods and to the best that could be known. `make experiment NAME=accuracy DATA=FOLDER` writes this
page in 12 minutes on two cores, where FOLDER contains the rating sets.

- Frequencies are shares of all people, and means are on [-1, 1]. A mean is compared only where
  somebody holds the key.
- All methods read the same reports. `baseline` and `corrected` are the paper's methods; its best is
  the better one of `ue` and `grr` with `corrected`.
- `oracle` knows the true distributions of frequencies and means: no method that has only the
  reports is better over all keys. It is not optimised for the top keys, and may be worse there.
- Coverage is that of intervals that know how many pairs people hold. By rank and per ε it is in
  [coverage.md](coverage.md).
- `movielike` is synthetic, with the figures of MovieLens 20M. A third of its sets are larger than
  its padding of 100, which no method makes up for. Amazon's ratings are known per item and are
  assigned to people at random.

## What must hold

`bayes` relative to `corrected` over all populations and mechanisms at ε = 0.5, 1, 2 and 4.

"""


def write_page(folder: Path, cells: Sequence[MeasuredErrors], requirements: Sequence[Requirement]) -> None:
    """Write the page and its pictures."""
    parts = [INTRODUCTION, *_requirements(requirements)]
    for name in dict.fromkeys(cell.data for cell in cells):
        own = [cell for cell in cells if cell.data == name]
        picture = f"accuracy/{name.lower()}.svg"
        save_chart(_chart(name, own), folder / picture, ".svg")
        parts += _section(name, own, picture)
    parts.append("\n**Next:** [accuracy by rank](accuracy-by-rank.md).\n")
    (folder / "accuracy.md").write_text("".join(parts), encoding="utf-8")


def _requirements(requirements: Sequence[Requirement]) -> Iterator[str]:
    yield "| what | must be | measured | |\n|---|---|---|---|\n"
    for what, bar, measured, holds in requirements:
        yield f"| {what} | {bar} | {measured} | {'holds' if holds else '**missed**'} |\n"


def _section(name: str, cells: list[MeasuredErrors], picture: str) -> Iterator[str]:
    first = cells[0]
    repeats = sorted({cell.repeats for cell in cells})
    worst = max(
        spread / error
        for cell in cells
        for method in ("corrected", "bayes")
        for spread, error in zip(cell.spread[method], cell.errors[method], strict=True)
    )
    yield (
        f"\n## {name}\n\n{first.users:,} people, {first.keys:,} keys, padding {first.padding}; "
        f"{' to '.join(map(str, repeats))} repeats.\nStandard errors of `corrected` and `bayes` are at most "
        f"{worst:.0%} of the number.\n\n![{name}]({picture})\n"
    )
    for index, label in enumerate(LABELS):
        yield f"\n**{label[0].upper()}{label[1:]}**\n\n"
        yield from _table(cells, index)


def _table(cells: list[MeasuredErrors], index: int) -> Iterator[str]:
    epsilons = list(dict.fromkeys(cell.epsilon for cell in cells))
    by_setting = {(cell.mechanism, cell.epsilon): cell for cell in cells}
    yield "| ε | " + " | ".join(epsilons) + " |\n|---|" + "---:|" * len(epsilons) + "\n"
    paper = [_papers_best(cells, epsilon, index) for epsilon in epsilons]
    yield "| the paper's best | " + " | ".join(f"{error:.2e}" for error in paper) + " |\n"
    for mechanism in dict.fromkeys(cell.mechanism for cell in cells):
        for method in METHODS:
            errors = [by_setting[mechanism, epsilon].errors[method][index] for epsilon in epsilons]
            yield f"| {mechanism}, {method} | " + " | ".join(f"{error:.2e}" for error in errors) + " |\n"
    best = [
        min(cell.errors["bayes"][index] for cell in cells if cell.epsilon == epsilon) for epsilon in epsilons
    ]
    yield "| best `bayes`, × below the paper's best | "
    yield " | ".join(f"**{theirs / ours:.1f}**" for ours, theirs in zip(best, paper, strict=True)) + " |\n"


def _papers_best(cells: Sequence[MeasuredErrors], epsilon: str, index: int) -> float:
    return min(
        cell.errors["corrected"][index]
        for cell in cells
        if cell.epsilon == epsilon and cell.mechanism in PAPER
    )


def _chart(name: str, cells: list[MeasuredErrors]) -> object:
    """Draw all four errors against ε: the paper's best, every mechanism with bayes, and the best oracle."""
    rows: list[dict[str, object]] = []

    def add(series: str, epsilon: str, errors: Sequence[float], *, theory: bool = False) -> None:
        named = dict(zip(QUANTITIES, errors, strict=True))
        rows.append({"series": series, "ε": float(epsilon), "theory": theory, **named})

    for epsilon in dict.fromkeys(cell.epsilon for cell in cells):
        indices = range(len(QUANTITIES))
        same_epsilon = [cell for cell in cells if cell.epsilon == epsilon]
        add("the paper's best", epsilon, [_papers_best(cells, epsilon, index) for index in indices])
        for cell in same_epsilon:
            add(f"{cell.mechanism}, bayes", epsilon, cell.errors["bayes"])
        best = [min(cell.errors["oracle"][index] for cell in same_epsilon) for index in indices]
        add("oracle", epsilon, best, theory=True)
    first = cells[0]
    return lines_chart(
        rows,
        x="ε",
        panels=dict(zip(QUANTITIES, LABELS, strict=True)),
        title=name,
        subtitle=f"mean squared errors; {first.users:,} people, {first.keys:,} keys, padding {first.padding}",
        columns=2,
    )
