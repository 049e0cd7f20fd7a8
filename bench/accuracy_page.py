"""docs/accuracy.md from measured cells: what must hold, and a chart and tables a population."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pckv.charts import lines_chart, save_chart
from pckv.lab.accuracy import METHODS, QUANTITIES, TOP, Measurement

PAPER = ("ue", "grr")
LABELS = (
    "frequency, all keys",
    "mean, all keys",
    f"frequency, top {TOP}",
    f"mean, top {TOP}",
)
INTRODUCTION = """# Accuracy

Measured, not promised: mean squared errors of every mechanism and method, simulated on three made populations and
on real ratings, and how far they are from the best that could be known. `make accuracy DATA=FOLDER` writes this page
in 12 minutes on two cores, where FOLDER holds the rating sets.

- Frequencies are shares of all people, means are on [-1, 1]. A mean is only compared where somebody holds the key.
- All methods read the same reports. `baseline` and `corrected` are the paper's; its best is the better one of `ue` and
  `grr` with `corrected`.
- `oracle` knows the true laws of the frequencies and of the means, and limits nothing: nobody who only has the reports is better
  over all keys. It is not made for the top keys, and may be worse there.
- Coverage is that of intervals which know how many pairs people hold (`sizes`).
- `movielike` is synthetic, with the figures of MovieLens 20M. A third of its sets are larger than its padding of 100,
  which no method makes up for. Amazon's ratings are known by item and are dealt to people at random.

## What must hold

`bayes` beside `corrected` over all populations and mechanisms at ε = 0.5, 1, 2 and 4.

"""


class Line(NamedTuple):
    """One line of a chart or row of a table: a mechanism and a method."""

    mechanism: str
    method: str


def write_page(
    folder: Path, cells: Sequence[Measurement], bars: Sequence[tuple[str, str, str, bool]]
) -> None:
    """The page and its pictures."""
    parts = [INTRODUCTION, *_bars(bars)]
    for name in dict.fromkeys(cell.data for cell in cells):
        own = [cell for cell in cells if cell.data == name]
        picture = f"accuracy/{name.lower()}.svg"
        save_chart(_chart(name, own), folder / picture, ".svg")
        parts += _section(name, own, picture)
    (folder / "accuracy.md").write_text("".join(parts), encoding="utf-8")


def _bars(bars: Sequence[tuple[str, str, str, bool]]) -> Iterator[str]:
    yield "| what | must be | measured | |\n|---|---|---|---|\n"
    for what, bar, measured, holds in bars:
        yield f"| {what} | {bar} | {measured} | {'holds' if holds else '**missed**'} |\n"


def _section(name: str, cells: list[Measurement], picture: str) -> Iterator[str]:
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
        f"{' to '.join(map(str, repeats))} repeats. Standard errors of `corrected` and `bayes` are at most "
        f"{worst:.0%} of the number.\n\n![{name}]({picture})\n"
    )
    for place, label in enumerate(LABELS):
        yield f"\n**{label[0].upper()}{label[1:]}**\n\n"
        yield from _table(cells, place)


def _table(cells: list[Measurement], place: int) -> Iterator[str]:
    epsilons = list(dict.fromkeys(cell.epsilon for cell in cells))
    by_place = {(cell.mechanism, cell.epsilon): cell for cell in cells}
    yield "| ε | " + " | ".join(epsilons) + " |\n|---|" + "---:|" * len(epsilons) + "\n"
    paper = [_papers_best(cells, epsilon, place) for epsilon in epsilons]
    yield "| the paper's best | " + " | ".join(f"{error:.2e}" for error in paper) + " |\n"
    for mechanism in dict.fromkeys(cell.mechanism for cell in cells):
        for method in METHODS:
            errors = [by_place[mechanism, epsilon].errors[method][place] for epsilon in epsilons]
            yield f"| {mechanism}, {method} | " + " | ".join(f"{error:.2e}" for error in errors) + " |\n"
    best = [
        min(cell.errors["bayes"][place] for cell in cells if cell.epsilon == epsilon) for epsilon in epsilons
    ]
    yield "| best `bayes`, × below the paper's best | "
    yield " | ".join(f"**{theirs / ours:.1f}**" for ours, theirs in zip(best, paper, strict=True)) + " |\n"


def _papers_best(cells: Sequence[Measurement], epsilon: str, place: int) -> float:
    return min(
        cell.errors["corrected"][place]
        for cell in cells
        if cell.epsilon == epsilon and cell.mechanism in PAPER
    )


def _chart(name: str, cells: list[Measurement]) -> object:
    """All four errors against ε: the paper's best, every mechanism with bayes, and the best oracle."""
    rows: list[dict[str, object]] = []

    def add(series: str, epsilon: str, errors: Sequence[float], *, theory: bool = False) -> None:
        named = dict(zip(QUANTITIES, errors, strict=True))
        rows.append({"series": series, "ε": float(epsilon), "theory": theory, **named})

    for epsilon in dict.fromkeys(cell.epsilon for cell in cells):
        places = range(len(QUANTITIES))
        here = [cell for cell in cells if cell.epsilon == epsilon]
        add("the paper's best", epsilon, [_papers_best(cells, epsilon, place) for place in places])
        for cell in here:
            add(f"{cell.mechanism}, bayes", epsilon, cell.errors["bayes"])
        best = [min(cell.errors["oracle"][place] for cell in here) for place in places]
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
