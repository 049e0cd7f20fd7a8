"""Write docs/appendix/levels.md: what must hold, and the tables of shares, means and medians."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.level_few_keys import FewKeys
from experiments.level_means import COLLECTIONS, MIN_STANDARD_ERRORS, MeanCost
from experiments.level_medians import (
    GUESSED_MEDIAN,
    GUESSED_SPREAD,
    LONGEST,
    MedianErrors,
    guessed_levels,
)
from experiments.settings import Requirement

if TYPE_CHECKING:
    from experiments.levels import ShareErrors

INTRODUCTION = """# Measured: levels

How near are the shares of levels to the truth, how often do their intervals hold, and what do
levels cost the mean? [levels.md](../explanation/levels.md) explains levels, and
[proofs/shares.md](../../proofs/shares.md) derives the estimates. `make experiment NAME=levels
DATA=FOLDER` writes this page, where FOLDER contains the rating sets.

- Ratings have five levels. E-commerce is collected with padding 1, Clothing with 2, Goodbooks with
  5. The true shares are those among the pairs that reports are about: somebody who holds more pairs
  than the padding counts for less.
- "Own" shares are made from each key's own counts alone (`corrected`). `bayes` learns from all
  keys. Its constants were chosen on synthetic populations, with one exception: that the mean of the
  common profile may be anywhere in the range with equal chances was decided after its means had
  missed the truth too often on Clothing, whose ratings are mostly at one end.
- A distance is the total variation distance, half the sum of the differences of the five shares,
  averaged over the 50 most frequent keys.

## What must hold

"""
SHARES = """
## Shares of five levels

"Equal" is the distance of five equal shares, which need no report. "Distribution known" is that of
`bayes` if it knew the true frequencies, but not which key has which. Where it is not half of "own"
either, reports with this noise do not tell enough: all keys together show the common profile only
as far as they show which of them are frequent. Coverage is that of 95 % intervals of `bayes` for
all keys, the top 50, and the detected keys with their number in all repeats. Keys that are detected
although they are rare are the luckiest of many, and their shares are as lucky; they are few. The
last columns are the mean widths of the intervals of the top 50.

| data | mechanism | ε | own | `bayes` | × smaller | equal | distribution known | all keys | top 50 | detected | width | own width |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""
MEANS = f"""
## What five levels cost the mean

The error of the mean with five levels relative to that with two, over all keys whose frequency is
above {MIN_STANDARD_ERRORS} of its standard errors, with the same mechanism, padding and parameters; where a setting is
left out, no key is. In some rows the same people are there several times, so that more keys are.
Counts of single keys were drawn from their exact law {COLLECTIONS:,} times. Predicted is √(Σ(v - m)²/(2 +
2m²)); computed is what the exact variances of the mechanism give, to first order. They include what
holders themselves add, and that levels exclude each other: with few residues per level, as at ε =
2, `ue-compact` costs more than predicted.

| data | mechanism | ε | keys | measured | predicted | computed |
|---|---|---:|---:|---:|---:|---:|
"""
MEDIANS = f"""
## Medians of load times

Everybody loads one page. Times are log-normal per page: medians about 1.4 s, mostly within a factor
of 1.5, and standard deviations of the logarithm from 0.5 to 1. The author of the task guesses a
median of {GUESSED_MEDIAN:g} s and a deviation of {GUESSED_SPREAD:g} for all pages, and takes ten levels: 0, the quantiles 1/9
to 8/9 of the guess, and {LONGEST:g} s, at which longer times are cut. `ue-compact`, padding 1.

Errors are means of |estimated/true median - 1| over the half of the pages that is loaded most.
"From the mean" is what two levels from 0 to {LONGEST:g} s tell: the mean that `bayes` estimates, times
exp(-{GUESSED_SPREAD:g}²/2), which is the median of a log-normal law with this mean and the guessed deviation.
"From the true mean" is the same without any noise: the error of the guess alone, although the law
is of the guessed kind. Intervals hold for any data; their width is relative to the median. With few
people per page, ten levels are no nearer than the guess at ε = 2 and 4: their noise costs as much
as the guess does, or more.

| people | pages | ε | `bayes` | own | from the mean | from the true mean | coverage | width |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""

FEW = """
## Few keys

Synthetic populations of 20,000 people with one pair each, whose profiles scatter a lot, a little or
hardly about a common one that is drawn anew every time. Coverage is the least of two mechanisms
(`ue-compact`, `collision`) and the three scatters; widths are means.

| keys | ε | coverage | width | own width | relative |
|---:|---:|---:|---:|---:|---:|
"""


def write_page(
    folder: Path,
    *,
    shares: Sequence[ShareErrors],
    means: Sequence[MeanCost],
    medians: Sequence[MedianErrors],
    few: Sequence[FewKeys],
    requirements: Sequence[Requirement],
) -> None:
    """Write the page."""
    parts = [
        INTRODUCTION,
        *_requirements(requirements),
        SHARES,
        *_shares(shares),
        *_means(means),
        *_medians(medians),
        *_few_keys(few),
        "\n**Next:** [trends of series](series.md).\n",
    ]
    (folder / "levels.md").write_text("".join(parts), encoding="utf-8")


def _requirements(requirements: Sequence[Requirement]) -> Iterator[str]:
    yield "| what | must be | measured | |\n|---|---|---|---|\n"
    for what, bar, measured, holds in requirements:
        yield f"| {what} | {bar} | {measured} | {'holds' if holds else '**missed**'} |\n"


def _shares(cells: Sequence[ShareErrors]) -> Iterator[str]:
    for cell in cells:
        found = f"{cell.cover[2]:.1%} of {cell.detected}" if cell.detected else "none"
        yield (
            f"| {cell.data} | `{cell.mechanism}` | {cell.epsilon} | {cell.own:.3f} | {cell.bayes:.3f} "
            f"| **{cell.gain:.2f}** | {cell.equal:.3f} | {cell.informed:.3f} | {cell.cover[0]:.1%} "
            f"| {cell.cover[1]:.1%} | {found} | {cell.width:.2f} | {cell.own_width:.2f} |\n"
        )
    together = float(np.exp(np.mean([np.log(cell.gain) for cell in cells])))
    yield f"\nIn the geometric mean of these settings `bayes` is {together:.2f} × nearer to the truth.\n"


def _means(cells: Sequence[MeanCost]) -> Iterator[str]:
    yield MEANS
    for data, mechanism, epsilon, keys, *factors in cells:
        numbers = " | ".join(f"{factor:.3f}" for factor in factors)
        yield f"| {data} | `{mechanism}` | {epsilon} | {keys} | {numbers} |\n"


def _medians(cells: Sequence[MedianErrors]) -> Iterator[str]:
    yield MEDIANS
    for people, pages, epsilon, *errors, cover, width in cells:
        numbers = " | ".join(f"{error:.1%}" for error in errors)
        yield f"| {people:,} | {pages} | {epsilon} | {numbers} | {cover:.1%} | {width:.2f} |\n"
    yield f"\nThe levels are {', '.join(guessed_levels())} s.\n"


def _few_keys(cells: Sequence[FewKeys]) -> Iterator[str]:
    yield FEW
    for keys, epsilon, cover, width, own_width in cells:
        yield f"| {keys} | {epsilon} | {cover:.1%} | {width:.3f} | {own_width:.3f} | {width / own_width:.2f} |\n"
