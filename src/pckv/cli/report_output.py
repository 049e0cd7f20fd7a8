"""Writing reports to what a command line names: a report file, or - for standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from pckv.cli.common import STREAM, FilePath
from pckv.errors import ParameterError
from pckv.files.outputs import check_free, whole_file
from pckv.files.reports.inputs import REPORT_SUFFIX
from pckv.files.reports.stream import stream_reports
from pckv.files.reports.writer import ReportArrays, write_reports
from pckv.task import Task
from pckv.texts import plural

report_output_option = click.option(
    "--out",
    type=FilePath,
    required=True,
    help="The report file to write (.parquet), or - for an Arrow stream on standard output.",
)


def check_report_output(out: Path, *, force: bool) -> None:
    """Refuse an output that reports are not written to."""
    if out == STREAM:
        return
    if out.suffix != REPORT_SUFFIX:
        raise ParameterError(f"{out}: reports are written as {REPORT_SUFFIX}, or to - as an Arrow stream")
    check_free(out, force=force)


def write_report_output(out: Path, task: Task, batches: Iterable[ReportArrays], *, force: bool) -> int:
    """Write reports to a file or to standard output; return their number."""
    if out == STREAM:
        return stream_reports(sys.stdout.buffer, task, batches)
    with whole_file(out, force=force) as part:
        return write_reports(part, task, batches)


def print_written(out: Path, reports: int, details: str) -> None:
    """Say what was written; on stderr where the reports themselves went to standard output."""
    place = "standard output" if out == STREAM else out
    click.echo(f"{plural(reports, 'report')} written to {place}{details}", err=out == STREAM)
