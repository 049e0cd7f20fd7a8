"""`pckv estimate`: frequencies and means from reports or tallies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pckv.base.errors import ParameterError
from pckv.base.words import plural
from pckv.charts.estimates import check_picture, save_chart
from pckv.charts.shares import shares_chart, values_chart
from pckv.cli.common import NUMBER, FilePath, force_option, json_option
from pckv.cli.inputs import count_named, read_keys, read_task, read_task_id, split_named
from pckv.cli.remote import (
    check_source,
    files_task_option,
    files_url_option,
    read_token,
    reading_token_option,
)
from pckv.cli.remote_estimates import EstimatedTask, collected_estimates
from pckv.cli.table import print_table
from pckv.cli.terminal import harmless, print_json, progress_bar
from pckv.contract.task import Task
from pckv.counting.alarms import check_files
from pckv.counting.run import CountOptions
from pckv.estimators.estimate import METHODS, POSTS, estimate
from pckv.estimators.results.estimates import Estimates
from pckv.files.estimates import estimates_to_parquet
from pckv.files.outputs import check_free, whole_file

ROWS_PRINTED = 20
TABLES = (".csv", ".parquet", ".json")


@click.command("estimate", short_help="Estimate frequencies and means from reports or tallies.")
@click.argument("files", nargs=-1, type=FilePath, metavar="[FILES]...")
@files_task_option
@files_url_option
@reading_token_option
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
@click.option(
    "--key", "keys", multiple=True, help="Only this key; repeat for more. A key given twice counts once."
)
@click.option(
    "--keys-file",
    type=FilePath,
    help="Only these keys: a text file with one per line. Hashed keys must be named, here or with --key.",
)
@click.option(
    "--false-discovery-rate",
    type=NUMBER,
    help="For hashed keys: at most this share of the keys that stand out are false, on average. [default: 0.05]",
)
@click.option(
    "--quantile",
    "quantiles",
    type=NUMBER,
    multiple=True,
    help="The value that this share of the holders do not exceed: 0.5 for the median; repeat for more. For tasks with more "
    "than two levels.",
)
@click.option(
    "--above", type=NUMBER, multiple=True, help="The share of the holders above this value; repeat for more."
)
@click.option(
    "--below", type=NUMBER, multiple=True, help="The share of the holders below this value; repeat for more."
)
@click.option("--top", type=click.IntRange(1), help="Only the keys with the largest estimated frequencies.")
@click.option("--out", type=FilePath, help="Write the table: .csv, .parquet or .json.")
@click.option(
    "--plot",
    type=FilePath,
    help="Draw the most frequent keys, or the values of one --key: .svg, .png or .html.",
)
@force_option
@json_option
def estimate_command(
    files: tuple[Path, ...],
    task_file: Path | None,
    url: str | None,
    token_file: Path | None,
    keys: tuple[str, ...],
    keys_file: Path | None,
    quantiles: tuple[float, ...],
    above: tuple[float, ...],
    below: tuple[float, ...],
    top: int | None,
    out: Path | None,
    plot: Path | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Estimate every key's frequency and mean from FILES (report files, folders of them, or tallies).

    Where the task has more than two levels, also estimate the share of every level among a key's holders.

    With --url, the collector computes, and FILES is one TASK: an id or a task file.

    \b
    pckv estimate counts.tally --task task.json --top 10
    pckv estimate counts.tally --task hashed.json --keys-file candidates.txt
    pckv estimate task.json --url https://collect.example.org \\
      --token-file analyst.token
    """
    check_source(files, task_file, url, token_file)
    task = None if task_file is None else read_task(task_file)
    _check_outputs(out, plot, force=force)
    named = read_keys(keys_file) if keys_file is not None else ()
    options["keys"] = tuple(dict.fromkeys((*keys, *named)))
    if url is not None:
        token = read_token(token_file)
        collection = collected_estimates(url, token, read_task_id(str(files[0])), **options)
    elif task is not None:
        collection = _estimate_files(task, files, **options)
    estimates, alarms, name, unit = collection
    key_count, estimates = len(estimates.listed), estimates.ask(quantiles, above, below)
    if top is not None:
        estimates = estimates.top(top)
    if out is not None:
        with whole_file(out, force=force) as part:
            _write_table(estimates, alarms, part, out.suffix)
    if plot is not None:
        with whole_file(plot, force=force) as part:
            chart = (
                values_chart(estimates.listed, name=name, unit=unit)
                if key_count == 1 and estimates.level_values
                else shares_chart(estimates, key_count=key_count, name=name, unit=unit)
            )
            save_chart(chart, part, plot.suffix)
    if as_json:
        print_json(estimates.to_dict() | {"alarms": alarms})
    else:
        _print_estimates(estimates)
        for sentence in () if alarms is None else alarms["sentences"]:
            click.echo(harmless(sentence))


def _check_outputs(out: Path | None, plot: Path | None, *, force: bool) -> None:
    """Refuse outputs that cannot be written, before anything is computed."""
    if out is not None:
        _check_table(out)
        check_free(out, force=force)
    if plot is not None:
        check_picture(plot)
        check_free(plot, force=force)


def _estimate_files(
    task: Task, files: tuple[Path, ...], *, keys: tuple[str, ...], **options: Any
) -> EstimatedTask:
    """Return the estimates of files, and alarms where these have reports."""
    tally = count_named(task, files, CountOptions()).tally
    with progress_bar("Decoding") as progress:
        estimates = estimate(tally, keys=keys or None, progress=progress, **options)
    alarms = check_files(tally, split_named(files)[0])
    found = None if alarms is None else alarms.to_dict()
    return EstimatedTask(estimates, found, task.name, task.about.unit)


def _check_table(path: Path) -> None:
    """Refuse a table format that does not exist."""
    if path.suffix not in TABLES:
        raise ParameterError(f"{path}: a table is {', '.join(TABLES)}")


def _write_table(estimates: Estimates, alarms: dict[str, Any] | None, path: Path, suffix: str) -> None:
    """Write estimates in the format that a suffix names."""
    if suffix == ".parquet":
        path.write_bytes(estimates_to_parquet(estimates))
    elif suffix == ".csv":
        path.write_text(estimates.to_csv(), encoding="utf-8")
    else:
        found = json.dumps(alarms, ensure_ascii=False)
        path.write_text(f'{estimates.to_json()[:-1]}, "alarms": {found}}}', encoding="utf-8")


def _print_estimates(estimates: Estimates) -> None:
    """Print the most frequent keys, and how they were estimated; all that are not listed have a sentence of their own."""
    listed = estimates.listed
    shown = listed.top(ROWS_PRINTED)
    title = (
        f"{plural(estimates.reports, 'report')}, {estimates.mechanism}, realised ε {estimates.epsilon:g}, "
        f"method {estimates.method}" + (f", {estimates.hostile_note}" if estimates.hostile else "")
    )
    header = shown.headers(f"{100 * estimates.level:.6g} % interval")
    print_table(title, header, shown.cells())
    if len(listed) > len(shown):
        click.echo(f"… and {len(listed) - len(shown):,} more keys (--out writes them all)")
    for sentence in estimates.verdict:
        click.echo(harmless(sentence))
