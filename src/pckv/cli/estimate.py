"""`pckv estimate`: frequencies and means from reports or tallies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pckv.base.table import ResultTable
from pckv.charts.estimates import shares_chart, values_chart
from pckv.charts.pairs import pairs_chart
from pckv.charts.segments import segments_chart
from pckv.cli.common import NUMBER, FilePath
from pckv.cli.inputs import read_keys
from pckv.cli.outputs import Outputs, result_outputs
from pckv.cli.source import TaskSource, task_source
from pckv.estimators.methods.registry import METHODS, POSTS
from pckv.estimators.results.estimates import Estimates


@click.command("estimate")
@task_source
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    help="How to estimate. [default: bayes; corrected where keys are too many, or hashed]",
)
@click.option("--post", type=click.Choice(POSTS), multiple=True, help="Postprocess the frequencies.")
@click.option("--level", type=NUMBER, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--hostile",
    default="0",
    show_default=True,
    help="Intervals that hold whatever this number of the reports say, or this share of them: 20, 1%.",
)
@click.option("--key", "keys", multiple=True, help="Only this key; repeat for more. A key given twice counts once.")
@click.option(
    "--keys-file",
    type=FilePath,
    help="Only these keys: a text file with one per line. Hashed keys must be named, here or with --key.",
)
@click.option(
    "--false-discovery-rate",
    type=NUMBER,
    help="For hashed keys, keys within labels, differences between labels, and pairs: at most this share of those that "
    "stand out are false, on average. [default: 0.05]",
)
@click.option(
    "--quantile",
    "quantiles",
    type=NUMBER,
    multiple=True,
    help="The value that this share of the holders do not exceed: 0.5 for the median; repeat for more. "
    "For tasks with more than two levels.",
)
@click.option("--above", type=NUMBER, multiple=True, help="The share of the holders above this value; repeat for more.")
@click.option("--below", type=NUMBER, multiple=True, help="The share of the holders below this value; repeat for more.")
@click.option(
    "--within",
    is_flag=True,
    help="Where the task has a segment: only the shares of keys within every label, one row per label and key.",
)
@click.option(
    "--pairs",
    is_flag=True,
    help="Where the task asks which keys are held together: only the pairs that stand out, or are held more or "
    "less often than by chance, one row each.",
)
@click.option("--top", type=click.IntRange(1), help="Only the keys with the largest estimated frequencies.")
@result_outputs(
    "Write the table: .csv, .parquet or .json.",
    "Draw the most frequent keys, or the values of one --key: .svg, .png or .html.",
)
def estimate_command(
    source: TaskSource,
    outputs: Outputs,
    keys: tuple[str, ...],
    keys_file: Path | None,
    quantiles: tuple[float, ...],
    above: tuple[float, ...],
    below: tuple[float, ...],
    top: int | None,
    within: bool,
    pairs: bool,
    **options: Any,
) -> None:
    """Estimate every key's frequency and mean from FILES (report files, folders of them, or tallies).

    Where the task has more than two levels, also estimate the share of every level among a key's holders.

    Where the task has a segment, shares within every label follow, and which of them differ between labels; where it
    asks which keys are held together, --pairs prints those. With --out, --within and --pairs write these tables.

    With --url, the collector computes, and FILES is one TASK: an id or a task file.

    \b
    pckv estimate counts.tally --task task.json --top 10
    pckv estimate counts.tally --task by-age.json --within --out by-age.csv
    pckv estimate counts.tally --task snacks.json --pairs
    pckv estimate counts.tally --task hashed.json --keys-file candidates.txt
    pckv estimate task.json --url https://collect.example.org \\
      --token-file analyst.token
    """
    named = read_keys(keys_file) if keys_file is not None else ()
    found, alarms, name, unit = source.estimates(tuple(dict.fromkeys((*keys, *named))), **options)
    key_count, asked = len(found.listed), found.ask(quantiles, above, below)
    estimates = asked if top is None else asked.top(top)

    part = _only_part(estimates, within=within, pairs=pairs)

    def chart() -> Any:
        if part is not None:
            return (segments_chart if within else pairs_chart)(estimates, name=name)
        if key_count == 1 and estimates.level_values:
            return values_chart(estimates.listed, name=name, unit=unit)
        return shares_chart(estimates, key_count=key_count, name=name, unit=unit)

    said = () if alarms is None else alarms.sentences
    is_unusual = alarms is not None and bool(alarms.unusual)
    if part is not None:
        told = estimates.segments if within else estimates.pairs
        before = (*estimates.warning, *(said if is_unusual else ()))
        outputs.write(part, () if told is None else told.sentences, warning=before, chart=chart)
        return
    outputs.write(
        estimates,
        # Where counts are impossible, what single reports do not show is no comfort.
        (*estimates.conclusion, *(() if is_unusual or estimates.warning else said)),
        warning=said if is_unusual else (),
        chart=chart,
        further={"alarms": None if alarms is None else alarms.to_dict()},
        parts=_within_labels(estimates),
    )


def _only_part(estimates: Estimates, *, within: bool, pairs: bool) -> ResultTable | None:
    """Return the table that was asked for in place of the keys, if any; refuse one that the task does not have."""
    if within and pairs:
        raise click.UsageError("a task has a segment, or asks which keys are held together: give --within or --pairs")
    if within:
        if estimates.segments is None:
            raise click.UsageError("--within is for tasks with a segment")
        return estimates.segments.cells
    if pairs and estimates.pairs is None:
        raise click.UsageError("--pairs is for tasks that ask which keys are held together")
    return estimates.pairs if pairs else None


def _within_labels(estimates: Estimates) -> dict[str, ResultTable]:
    """Return what is known of labels, of keys within them and of differences, by the titles of these tables."""
    segments = estimates.segments
    if segments is None:
        return {}
    # The sentences say it where no difference stands out.
    differences = {f"Shares that differ between labels of “{segments.name}”": segments.differences}
    return {
        f"Labels of “{segments.name}”": segments.labels,
        f"Shares within the labels of “{segments.name}”, those that stand out from the noise first": segments.cells,
        **(differences if len(segments.differences) else {}),
    }
