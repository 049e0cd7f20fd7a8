"""`pckv tally`: count reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from pckv.bulk.outputs import check_free, whole_file
from pckv.bulk.reports import is_report_file, tally_reports
from pckv.cli.common import FilePath, force_option, progress_bar, read_task, task_option
from pckv.errors import DataError, TallyError
from pckv.tally import Tally
from pckv.task import Task


def tally_files(task: Task, paths: Sequence[Path]) -> Tally:
    """The tally of report files and tally files together."""
    places = [path.resolve() for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise DataError(f"{path}: given twice, and would be counted twice")
    tally = Tally(task)
    reports = [path for path in paths if is_report_file(path)]
    with progress_bar("Counting") as progress:
        tally_reports(tally, reports, progress)
    for path in paths:
        if path not in reports:
            tally.merge(read_tally(task, path))
    return tally


def read_tally(task: Task, path: Path) -> Tally:
    """Read a tally file; the message names the file."""
    data = path.read_bytes()
    if not data:
        raise DataError(f"{path}: the file is empty")
    try:
        return Tally.from_bytes(task, data)
    except TallyError as error:
        raise TallyError(f"{path}: {error}") from None


@click.command("tally", short_help="Count reports.")
@click.argument("reports", nargs=-1, required=True, type=FilePath)
@task_option
@click.option("--out", type=FilePath, required=True, help="The tally file to write.")
@force_option
def tally_command(reports: tuple[Path, ...], task_file: Path, out: Path, force: bool) -> None:
    """Count the reports of REPORTS (report files, or tallies to merge) into one tally.

    Any partition of the same reports gives the same bytes.
    """
    check_free(out, force=force)
    tally = tally_files(read_task(task_file), reports)
    with whole_file(out, force=force) as part:
        part.write_bytes(bytes(tally))
    click.echo(f"{tally.reports:,} reports counted into {out}")
