"""Write docs/appendix/accuracy-by-rank.md: what must hold, what is left by rank and ε, every cell, and few reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.few_reports import MAX_SUM, FewReports
from experiments.settings import Requirement

if TYPE_CHECKING:
    from experiments.accuracy_by_rank import RankErrors

RANKS = ("rank 1", "ranks 2 to 10", "ranks 11 to 50", "the rest", "all keys")
INTRODUCTION = """# Accuracy by rank

What does `bayes` gain and lose for the most frequent key, for those after it, and for the rest; and
how much better could it be? `make experiment NAME=accuracy-by-rank DATA=FOLDER` writes this page,
where FOLDER contains the rating sets.

- The constants of `bayes` were chosen on other populations: those of [accuracy.md](accuracy.md) but
  Amazon, those of `make experiment NAME=other-populations`, and crowds of equal keys with 1, 10 or
  50 more frequent ones. The ones on this page were named before anything was measured on them.
  They were measured five times, and changes in between were chosen on the other populations: what
  ranks 11 to 50 may lose (from 0.95 to 0.9 times), and, since the top 10 and the largest key missed
  their bars, what T says of protected keys, what rank 1 may lose (from 1.5 to 1.2 times) and the
  common mean; then the shapes of its distributions. Before the last three measurements the
  geometric means were 9.08 (all keys), 4.09 (top 50), 2.53 (top 10) and 2.61 (means), and the worst
  cells 0.86, 0.61 and 0.35. Before the last one nothing changed but the repeats of populations of
  up to 1,000 keys, from 40 to 200: the error of a single key varies, and the worst of 160 cells is
  the unluckiest. That of the largest key was 0.46 ± 0.10 with 40 repeats (zipf 0.6, `collision`).
- Numbers are how many times lower the mean squared error is than that of `corrected` from the same
  reports; below 1 it is higher. Frequencies are those that reports show.
- `oracle` knows the true distributions of frequencies and means and minimises the error of all
  keys: it is no bound for single ranks, where a method may be better.

## What must hold

"""


def write_page(
    folder: Path, cells: Sequence[RankErrors], few: Sequence[FewReports], requirements: Sequence[Requirement]
) -> None:
    """Write the page."""
    parts = [INTRODUCTION, "| what | must be | measured | |\n|---|---|---|---|\n"]
    for what, bar, measured, holds in requirements:
        parts.append(f"| {what} | {bar} | {measured} | {'holds' if holds else '**missed**'} |\n")
    parts += [*_left(cells), *_every_cell(cells), *_few(few)]
    (folder / "accuracy-by-rank.md").write_text("".join(parts), encoding="utf-8")


def _left(cells: Sequence[RankErrors]) -> Iterator[str]:
    yield (
        "\n## What is left, by rank and ε\n\nGeometric means over populations and mechanisms: `bayes` and `oracle`, "
        "frequencies; means\nlast.\n\n"
    )
    epsilons = list(dict.fromkeys(cell.epsilon for cell in cells))
    yield _head("ranks", [f"ε = {epsilon}" for epsilon in epsilons])
    rows = {group: (group, "frequency") for group in RANKS} | {"means of all keys": ("all keys", "mean")}
    for name, (group, quantity) in rows.items():
        entries = []
        for epsilon in epsilons:
            same = [cell for cell in cells if cell.epsilon == epsilon]
            gains = (_geometric_mean(same, group, method, quantity) for method in ("bayes", "oracle"))
            entries.append(" / ".join(f"{gain:.3g}" for gain in gains))
        yield f"| {name} | " + " | ".join(entries) + " |\n"


def _every_cell(cells: Sequence[RankErrors]) -> Iterator[str]:
    yield "\n## Every population\n\nGeometric means over mechanisms, frequencies; the mean over all keys last.\n\n"
    groups = ("rank 1", "ranks 2 to 10", "ranks 11 to 50", "all keys")
    yield (
        "| population | ε | "
        + " | ".join(groups)
        + " | mean |\n|---|---|"
        + "---:|" * (len(groups) + 1)
        + "\n"
    )
    for name, epsilon in dict.fromkeys((cell.data, cell.epsilon) for cell in cells):
        same = [cell for cell in cells if (cell.data, cell.epsilon) == (name, epsilon)]
        gains = [_geometric_mean(same, group, "bayes") for group in groups]
        gains.append(_geometric_mean(same, "all keys", "bayes", "mean"))
        yield f"| {name} | {epsilon} | " + " | ".join(f"{gain:.2f}" for gain in gains) + " |\n"
    yield f"\nRepeats: {', '.join(sorted({str(cell.repeats) for cell in cells}, key=int))}.\n"


def _few(cells: Sequence[FewReports]) -> Iterator[str]:
    yield (
        "\n## Few reports, few keys, and many\n\nEverybody holds one key, by Zipf's law or any with the same chance. The "
        "largest error of\n`bayes` over all keys relative to `corrected`, and the largest sum of its frequencies, over "
        f"both,\nmechanisms, and ε = 1 and 4. Sums above {MAX_SUM} come with protecting single keys among many;\n"
        "`bayes+consistent` gives sums of at most 1.\n\n"
    )
    keys = list(dict.fromkeys(cell.keys for cell in cells))
    yield _head("reports", [f"{count:,} keys" for count in keys])
    for reports in dict.fromkeys(cell.reports for cell in cells):
        entries = []
        for count in keys:
            same = [cell for cell in cells if (cell.reports, cell.keys) == (reports, count)]
            ratio, total = max(cell.ratio for cell in same), max(cell.total for cell in same)
            entries.append(f"{ratio:.2f}, {total:,.3g}")
        yield f"| {reports:,} | " + " | ".join(entries) + " |\n"
    yield "\n**Next:** [coverage by rank](coverage.md).\n"


def _head(first: str, columns: Sequence[str]) -> str:
    """Return the head of a table: a column of names, and columns of numbers."""
    return f"| {' | '.join([first, *columns])} |\n|---|{'---:|' * len(columns)}\n"


def _geometric_mean(
    cells: Sequence[RankErrors], group: str, method: str, quantity: str = "frequency"
) -> float:
    return float(np.exp(np.nanmean([np.log(cell.gain(quantity, group, method)) for cell in cells])))
