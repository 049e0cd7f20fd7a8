"""`pckv discover`: frequent keys that nobody listed, from the reports of a discovery."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pckv.base.errors import ParameterError
from pckv.base.words import percent, plural
from pckv.cli.common import NUMBER, FilePath, force_option, json_option
from pckv.cli.inputs import count_named, read_task, read_task_id
from pckv.cli.remote import (
    check_source,
    files_task_option,
    files_url_option,
    read_token,
    reading_token_option,
)
from pckv.cli.remote_discoveries import collected_discovery
from pckv.cli.table import print_table
from pckv.cli.terminal import harmless, print_json, progress_bar
from pckv.contract.task import Task
from pckv.counting.run import CountOptions
from pckv.estimators.discovery.discover import discover
from pckv.estimators.results.discovery import Discovery
from pckv.files.outputs import check_free, whole_file
from pckv.planning.discovery import DEFAULT_FOUND_RATE

ROWS_PRINTED = 20
# How keys are written, by the suffix of a file.
FORMATS: dict[str, Callable[[Discovery], str]] = {
    ".txt": Discovery.to_text,
    ".csv": Discovery.to_csv,
    ".json": Discovery.to_json,
}


@click.command("discover", short_help="Find frequent keys that nobody listed.")
@click.argument("files", nargs=-1, type=FilePath, metavar="[FILES]...")
@files_task_option
@files_url_option
@reading_token_option
@click.option("--level", type=NUMBER, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--false-discovery-rate",
    type=NUMBER,
    default=DEFAULT_FOUND_RATE,
    show_default=True,
    help="The share of keys that nobody holds among those found, on average, at most.",
)
@click.option("--top", type=click.IntRange(1), help="Only the keys with the largest estimated frequencies.")
@click.option(
    "--out",
    type=FilePath,
    help="Write the keys: .txt, one per line, as `pckv task new --keys-file` takes them; .csv or .json.",
)
@force_option
@json_option
def discover_command(
    files: tuple[Path, ...],
    task_file: Path | None,
    url: str | None,
    token_file: Path | None,
    level: float,
    false_discovery_rate: float,
    top: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find the keys that many people hold from FILES (report files, folders of them, or tallies) of a discovery.

    With --url, the collector computes, and FILES is one TASK: an id or a task file.

    \b
    pckv task new --discover --name terms --epsilon 4 --out discovery.json
    pckv perturb searches.csv --task discovery.json --user user --key term \\
      --out reports.parquet
    pckv discover reports.parquet --task discovery.json --out keys.txt
    pckv task new --name minutes --keys-file keys.txt --other --low 0 --high 60 \\
      --epsilon 1 --out task.json
    pckv discover discovery.json --url https://collect.example.org \\
      --token-file analyst.token
    """
    check_source(files, task_file, url, token_file)
    task = None if task_file is None else read_task(task_file)
    if out is not None:
        if out.suffix not in FORMATS:
            raise ParameterError(f"{out}: keys are written as {', '.join(FORMATS)}")
        check_free(out, force=force)
    options = {"level": level, "false_discovery_rate": false_discovery_rate}
    if url is not None:
        found = collected_discovery(url, read_token(token_file), read_task_id(str(files[0])), **options)
    elif task is not None:
        found = _discover_in_files(task, files, **options)
    wanted = found if top is None else found.top(top)
    if out is not None:
        with whole_file(out, force=force) as part:
            part.write_text(FORMATS[out.suffix](wanted), encoding="utf-8")
    if as_json:
        print_json(wanted.to_dict())
    else:
        _print_keys(wanted, found)


def _discover_in_files(task: Task, files: tuple[Path, ...], **options: Any) -> Discovery:
    """Return what the reports of files tell."""
    # Another task is refused before anything is counted.
    groups = task.tree.groups
    tally = count_named(task, files, CountOptions()).tally
    with progress_bar(f"Following prefixes through {plural(groups, 'group')}") as progress:
        return discover(tally, progress=progress, **options)


def _print_keys(wanted: Discovery, found: Discovery) -> None:
    """Print the most frequent keys, and what could be found at all."""
    shown = wanted.top(ROWS_PRINTED)
    if shown.keys:
        title = (
            f"{plural(found.reports, 'report')}, realised ε {found.epsilon:g}, at most "
            f"{percent(found.false_discovery_rate)} false discoveries on average"
        )
        print_table(title, shown.headers(), shown.cells())
    if len(wanted) > len(shown):
        click.echo(f"… and {len(wanted) - len(shown):,} more keys (--out writes them all)")
    for sentence in found.verdict:
        click.echo(harmless(sentence))
