"""`pckv estimate`: frequencies and means from reports or tallies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pckv.charts import check_picture, estimates_chart, save_chart
from pckv.cli.common import NUMBER, FilePath, force_option, json_option, task_option
from pckv.cli.counting import count_named, split_named
from pckv.cli.inputs import read_task
from pckv.cli.table import print_table
from pckv.cli.terminal import print_json, progress_bar
from pckv.counting.alarms import check_files
from pckv.counting.run import CountOptions
from pckv.errors import ParameterError
from pckv.estimators.alarms.result import Alarms
from pckv.estimators.estimate import METHODS, POSTS, estimate
from pckv.estimators.result import Estimates
from pckv.files.estimates import estimates_to_parquet
from pckv.files.outputs import check_free, whole_file

ROWS_PRINTED = 20
TABLES = (".csv", ".parquet", ".json")


@click.command("estimate", short_help="Estimate frequencies and means from reports or tallies.")
@click.argument("files", nargs=-1, required=True, type=FilePath)
@task_option
@click.option(
    "--method",
    help=f"{', '.join(METHODS)}.  [default: bayes; corrected where keys are too many]",
)
@click.option("--post", multiple=True, help=f"Postprocess the frequencies: {', '.join(POSTS)}.")
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
@click.option("--top", type=click.IntRange(1), help="Only the keys with the largest estimated frequencies.")
@click.option("--out", type=FilePath, help="Write the table: .csv, .parquet or .json.")
@click.option("--plot", type=FilePath, help="Draw the most frequent keys: .svg, .png or .html.")
@force_option
@json_option
def estimate_command(
    files: tuple[Path, ...],
    task_file: Path,
    method: str | None,
    post: tuple[str, ...],
    level: float,
    hostile: str,
    keys: tuple[str, ...],
    top: int | None,
    out: Path | None,
    plot: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Estimate every key's frequency and mean from FILES (report files, folders of them, or tallies)."""
    task = read_task(task_file)
    if out is not None:
        _check_table(out)
        check_free(out, force=force)
    if plot is not None:
        check_picture(plot)
        check_free(plot, force=force)
    tally = count_named(task, files, CountOptions()).tally
    with progress_bar("Decoding") as progress:
        estimates = estimate(
            tally,
            method=method,
            level=level,
            keys=tuple(dict.fromkeys(keys)) or None,
            post=post,
            hostile=hostile,
            progress=progress,
        )
    alarms = check_files(task, split_named(files)[0])
    key_count = len(estimates)
    if top is not None:
        estimates = estimates.top(top)
    if out is not None:
        with whole_file(out, force=force) as part:
            _write_table(estimates, alarms, part, out.suffix)
    if plot is not None:
        with whole_file(plot, force=force) as part:
            chart = estimates_chart(estimates, key_count=key_count, name=task.name, unit=task.about.unit)
            save_chart(chart, part, plot.suffix)
    if as_json:
        print_json(_document(estimates, alarms))
    else:
        _print_estimates(estimates)
        for sentence in () if alarms is None else alarms.sentences:
            click.echo(sentence)


def _check_table(path: Path) -> None:
    """Refuse a table format that does not exist."""
    if path.suffix not in TABLES:
        raise ParameterError(f"{path}: a table is {', '.join(TABLES)}")


def _document(estimates: Estimates, alarms: Alarms | None) -> dict[str, Any]:
    """Return all that is said about the reports, as plain values."""
    return estimates.to_dict() | {"alarms": None if alarms is None else alarms.to_dict()}


def _write_table(estimates: Estimates, alarms: Alarms | None, path: Path, suffix: str) -> None:
    """Write estimates in the format that a suffix names."""
    if suffix == ".parquet":
        path.write_bytes(estimates_to_parquet(estimates))
    else:
        document = _document(estimates, alarms)
        text = estimates.to_csv() if suffix == ".csv" else json.dumps(document, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")


def _print_estimates(estimates: Estimates) -> None:
    """Print the most frequent keys, and how they were estimated."""
    shown = estimates.top(ROWS_PRINTED)
    title = (
        f"{estimates.reports:,} reports, {estimates.mechanism}, realised ε {estimates.epsilon:g}, "
        f"method {estimates.method}" + (f", {estimates.hostile_note}" if estimates.hostile else "")
    )
    header = shown.headers(f"{100 * estimates.level:.6g} % interval")
    print_table(title, header, shown.cells())
    if len(estimates) > len(shown):
        click.echo(f"… and {len(estimates) - len(shown):,} more keys (--out writes them all)")
    for sentence in estimates.verdict:
        click.echo(sentence)
