"""`pckv simulate`: what private collection of some data would cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from pckv.base.levels import Levels
from pckv.base.limits import AUTO, MIN_LEVELS
from pckv.base.words import in_points, percent, plural, signed, two_digits
from pckv.charts.estimates import lines_chart
from pckv.cli.common import NUMBER, FilePath, print_json, print_paragraph, progress_bar
from pckv.cli.contract_options import LEVELS, LEVELS_HELP
from pckv.cli.outputs import ROWS, Outputs, result_outputs
from pckv.cli.pairs_files import column_options, text_form_options
from pckv.cli.table import print_table
from pckv.estimators.methods.registry import DEFAULT_METHOD, METHODS, POSTS
from pckv.files.pairs.population import REPEATED
from pckv.files.pairs.rows import Columns, TextForm
from pckv.lab.baselines import BASELINE_NAMES
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.simulate import Result, simulate
from pckv.mechanisms.registry import LAWS
from pckv.planning.prediction import OBJECTIVES


@click.command("simulate")
@click.argument("data", type=FilePath)
@column_options(value_help="The column of values. [default: none: keys have no values]")
@click.option("--low", type=NUMBER, help="The smallest possible value. [default: the smallest in DATA]")
@click.option("--high", type=NUMBER, help="The largest possible value. [default: the largest in DATA]")
@click.option("--epsilon", multiple=True, required=True, help="A privacy budget; repeat for several.")
@click.option(
    "--mechanism",
    type=click.Choice([AUTO, *LAWS, *BASELINE_NAMES]),
    # All of them would not fit into a line.
    metavar="MECHANISM",
    multiple=True,
    default=(AUTO,),
    show_default=True,
    help=f"auto, {', '.join(LAWS)}, or one of the paper's baselines {', '.join(BASELINE_NAMES)}; repeat for several.",
)
@click.option(
    "--padding",
    type=int,
    multiple=True,
    help="Repeat for several. [default: chosen for the data, as plan does]",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    multiple=True,
    default=(DEFAULT_METHOD,),
    show_default=True,
    help="How to estimate; repeat for several.",
)
@click.option(
    "--post",
    type=click.Choice(POSTS),
    multiple=True,
    help="Postprocess the frequencies; the simulated reports stay the same.",
)
@click.option(
    "--levels",
    type=LEVELS,
    multiple=True,
    help=f"{LEVELS_HELP} Repeat to compare: --levels 2 --levels 5. [default: 2, where keys have values]",
)
@click.option("--repeats", type=int, default=10, show_default=True, help="Simulated collections to average over.")
@click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    help="The error that auto and ue-compact minimise. [default: both, or frequency where keys have no values]",
)
@click.option("--top", type=int, help="Only the most frequent keys. [default: all keys]")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same rows.")
@click.option(
    "--repeated",
    type=click.Choice(REPEATED),
    help="Which value counts where a user has a key twice. [default: it is refused]",
)
@click.option("--workers", type=click.IntRange(1), help="Processes to use. [default: one per core]")
@text_form_options
@result_outputs("Write the rows: .csv, .parquet or .json.", "Draw the errors: .svg, .png or .html.", formats=ROWS)
def simulate_command(
    *,
    data: Path,
    columns: Columns,
    low: float | None,
    high: float | None,
    repeated: str | None,
    levels: tuple[Levels, ...],
    form: TextForm,
    outputs: Outputs,
    **options: Any,
) -> None:
    """Simulate private collection of DATA and compare it with the truth.

    DATA has one row per pair: text separated by commas, semicolons or tabs (compressed, too: .gz), or
    Parquet, where columns may also hold lists, with one row per user. A row with an empty key and an empty
    value is a user without pairs. Without --value, keys have no values: people only hold them.

    Every row is drawn from the distribution that real reports would give, without making them.

    \b
    pckv simulate ratings.csv --user user --key movie --value stars \\
      --low 1 --high 5 --epsilon 1 --epsilon 4 \\
      --mechanism auto --mechanism ue --top 50
    pckv simulate ratings.csv --user user --key movie --value stars \\
      --low 1 --high 5 --epsilon 2 --levels 2 --levels 1,2,3,4,5
    pckv simulate ratings.csv --user user --key movie --epsilon 1
    """
    if not columns.value and (levels, low, high, repeated) != ((), None, None, None):
        raise click.UsageError("--levels, --low, --high and --repeated are about values: name their column by --value")
    with progress_bar(f"Reading {data.name}") as progress:
        dataset = read_ratings(data, columns, low=low, high=high, repeated=repeated, form=form, progress=progress)
    with progress_bar("Simulating") as progress:
        rows = simulate(dataset, **options, levels=levels or None, progress=progress)
    plain = [row.to_dict() for row in rows]
    outputs.save(plain, chart=lambda: errors_chart(dataset, rows))
    if outputs.as_json:
        print_json(plain)
    else:
        _print_results(dataset, rows)


def errors_chart(dataset: Dataset, rows: Sequence[Result]) -> object:
    """Draw errors against ε, one line per way to collect; dashed lines are theory."""
    points = []
    for row in rows:
        series = {"series": _way_to_collect(row), "ε": row.epsilon}
        of_mean = [{"mean": error} if dataset.has_values else {} for error in (row.mse_mean, row.theory_mse_mean)]
        points.append(series | {"theory": False, "frequency": row.mse_frequency} | of_mean[0])
        points.append(series | {"theory": True, "frequency": row.theory_mse_frequency} | of_mean[1])
    return lines_chart(
        points,
        x="ε",
        panels={"frequency": "MSE of frequency"} | ({"mean": "MSE of mean, on [-1, 1]"} if dataset.has_values else {}),
        title=f"{dataset.name}: {plural(dataset.users, 'user')}, {plural(dataset.keys, 'key')}",
        subtitle=f"{_which_keys(rows[0])}, {plural(rows[0].repeats, 'repeat')}, seed {rows[0].seed}; "
        "dashed: theory without clipping",
    )


def _way_to_collect(row: Result) -> str:
    """Return a short name for how a row was collected."""
    if row.theory_mse_frequency is None:
        return row.mechanism
    levels = f", {row.level_count} levels" if row.level_count > MIN_LEVELS else ""
    return f"{row.mechanism}, padding {row.padding}, {row.method}{levels}"


def _which_keys(row: Result) -> str:
    """Return in words which keys a row is about."""
    return _most_frequent(row.keys if row.top is None else row.top, row.keys)


def _most_frequent(count: int, keys: int) -> str:
    """Return in words the most frequent ones of all keys."""
    if keys == 1:
        return "the only key"
    if count == 1:
        return "the most frequent key"
    return f"all {keys:,} keys" if count == keys else f"the {count:,} most frequent keys"


def _print_results(dataset: Dataset, rows: Sequence[Result]) -> None:
    """Print a table, then what it means in plain words."""

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.3g}"

    several, has_means = any(row.level_count > MIN_LEVELS for row in rows), dataset.has_values
    print_table(
        f"{plural(dataset.users, 'user')}, {plural(dataset.keys, 'key')}, {_which_keys(rows[0])}, "
        f"{plural(rows[0].repeats, 'repeat')}, seed {rows[0].seed}",
        (
            "mechanism",
            "ε",
            "padding",
            "method",
            "MSE frequency",
            "MSE frequency in theory",
            *(("MSE mean", "MSE mean in theory") if has_means else ()),
            "precision",
            *(("levels", "shares off by") if several else ()),
        ),
        [
            (
                row.mechanism,
                f"{row.epsilon:g}",
                str(row.padding),
                row.method,
                f"{row.mse_frequency:.3g} ±{row.mse_frequency_se:.1g}",
                number(row.theory_mse_frequency),
                *((f"{row.mse_mean:.3g} ±{row.mse_mean_se:.1g}", number(row.theory_mse_mean)) if has_means else ()),
                percent(row.precision),
                *((str(row.level_count), _distance(row)) if several else ()),
            )
            for row in rows
        ],
        # Theory, and what is the same in most rows.
        less_important=(7, 5, 3, 2) if has_means else (5, 3, 2),
    )
    click.echo()
    print_table(
        "Bias (the average error with its sign), and how many 95 % intervals cover the truth",
        (
            "mechanism",
            "ε",
            "padding",
            "method",
            "frequency",
            "frequency covered",
            *(("mean", "mean covered") * has_means),
        ),
        [
            (
                row.mechanism,
                f"{row.epsilon:g}",
                str(row.padding),
                row.method,
                in_points(f"{100 * row.bias_frequency:+.2g}"),
                _covered(row.coverage_frequency),
                *(_mean_bias(dataset, row) if has_means else ()),
            )
            for row in rows
        ],
    )
    if has_means and rows[0].keys_without_mean:
        have = "has" if rows[0].keys_without_mean == 1 else "have"
        missing = plural(rows[0].keys_without_mean, "key")
        click.echo(f"{missing} {have} no holders, and so no mean to compare with.")
    click.echo()
    for epsilon in dict.fromkeys(row.epsilon for row in rows):
        print_paragraph(_in_plain_words(dataset, [row for row in rows if row.epsilon == epsilon]))
    if several:
        print_paragraph(
            "“Shares off by” says how many percent of a key's holders are placed at a wrong level (the total "
            "variation distance)."
        )
    for row in rows:
        if row.share_keys is not None:
            print_paragraph(_levels_in_plain_words(row, _most_frequent(row.share_keys, row.keys)))


def _mean_bias(dataset: Dataset, row: Result) -> tuple[str, str]:
    """Return the average error of means in the units of the data, and how many of their intervals cover the truth."""
    bias = (dataset.high - dataset.low) / 2 * row.bias_mean
    return signed(f"{bias:+.2g}"), _covered(row.coverage_mean)


def _covered(share: float | None) -> str:
    """Return how many of the intervals cover the truth; nothing where there are none."""
    return "–" if share is None else f"{100 * share:.3g} %"


def _distance(row: Result) -> str:
    """Return how many of the holders are placed at a wrong level; nothing where there are two."""
    return "–" if row.total_variation is None else percent(row.total_variation)


def _levels_in_plain_words(row: Result, keys: str) -> str:
    """Say how well the shares of levels would be known, and what that costs relative to two levels."""
    words = (
        f"At ε = {row.epsilon:g} the shares of {row.level_count} levels among the holders of {keys} are off by "
        f"{_distance(row)} on average ({_way_to_collect(row)})"
    )
    if row.frequency_factor is None or row.mean_factor is None:
        return f"{words}."
    return (
        f"{words}; relative to two levels, the error of a frequency is {row.frequency_factor:.2f} times as large, "
        f"and that of a mean {row.mean_factor:.2f} times."
    )


def _in_plain_words(dataset: Dataset, rows: Sequence[Result]) -> str:
    """Say what the best way to collect at one ε would cost."""
    best = min(rows, key=lambda row: row.mse_frequency)
    frequency, keys = dataset.truth[0], dataset.top(best.top)
    points = 100 * math.sqrt(best.mse_frequency)
    least, largest = (f"{100 * float(frequency[keys[place]]):.2g} %" for place in (-1, 0))
    larger = float(np.mean(dataset.population.sizes > best.padding))
    words = (
        f"At ε = {best.epsilon:g} the frequency of {_which_keys(best)} is typically off by ±{points:.2g} points "
        f"(they are held by {least} to {largest} of people{_mean_in_plain_words(dataset, best)}"
        f"{_way_to_collect(best)})."
    )
    if larger and best.theory_mse_frequency is not None:
        hidden = 100 * dataset.hidden_share(best.padding)
        of_means = ", and means off if these people give other values" if dataset.has_values else ""
        words += (
            f" {percent(larger)} of people hold more than {plural(best.padding, dataset.noun)}, which makes "
            f"frequencies too low by up to {hidden:.2g} points{of_means}; the intervals of a real collection include "
            f"{'both' if of_means else 'that'}."
        )
    return words


def _mean_in_plain_words(dataset: Dataset, row: Result) -> str:
    """Say what means would cost, between what people hold and the way to collect, both in parentheses."""
    if not dataset.has_values:
        return "; "
    frequency, mean = dataset.truth
    keys = dataset.top(row.top)
    held = keys[frequency[keys] > 0]
    overall = float(np.average(mean[held], weights=frequency[held])) if held.size else 0.0
    scale = (dataset.high - dataset.low) / 2
    guessing = scale * float(np.sqrt(np.mean((mean[held] - overall) ** 2))) if held.size else 0.0
    return (
        f"), and the mean by ±{two_digits(scale * math.sqrt(row.mse_mean))} on a scale from {dataset.low:g} to "
        f"{dataset.high:g}, where guessing the overall mean for every key is off by ±{two_digits(guessing)} ("
    )
