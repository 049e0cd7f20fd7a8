"""`pckv shuffle`: permute a batch of reports and replace their ids."""

from __future__ import annotations

from pathlib import Path

import click

from pckv.cli.common import FilePath, force_option, row_bar
from pckv.cli.inputs import ReportOutput, read_task, report_output_option, split_named
from pckv.cli.signals import interrupting_signals
from pckv.shuffling.shuffle import shuffled


@click.command("shuffle")
@click.argument("reports", nargs=-1, required=True, type=FilePath)
@report_output_option
@click.option(
    "--task",
    "task_file",
    type=FilePath,
    help="Refuse reports of any other task than this JSON file's. [default: all must be of one task]",
)
@click.option(
    "--at-least",
    type=click.IntRange(min=1),
    default=1,
    help="Refuse a batch with fewer reports than this, copies not counted.",
)
@force_option
def shuffle_command(reports: tuple[Path, ...], out: Path, task_file: Path | None, at_least: int, force: bool) -> None:
    """Write the reports of REPORTS in random order and under new random ids.

    REPORTS are report files, folders of them, patterns ('day-*.parquet'), or - for an Arrow stream on
    standard input. All of them become one batch: order, ids, files and row groups of the inputs leave
    no trace in it, nor do columns and metadata that are not a report's. Randomness is the operating
    system's, and every order is equally likely. Estimates stay the same.

    A shuffle protects participants only if the holder of the inputs is not the recipient of the output:
    run it at a second party, hand over only the output, and delete the inputs.

    Copies of a report (the same id and body) are written once, since they cannot be recognised once
    ids are replaced; different bodies under one id are an error. Do not shuffle batches that overlap
    one by one: a report in both would be counted twice.

    Memory is bounded; 32 bytes of disk per word (more for ue) are needed in TMPDIR, in files without
    a name that vanish with the process.

    \b
    pckv shuffle received/ --out batch-1.parquet --at-least 10000
    pckv tally batch-1.parquet --task task.json --out counts.tally
    """
    task = None if task_file is None else read_task(task_file)
    output = ReportOutput(out, force)
    output.check()
    paths, stream = split_named(reports)
    with interrupting_signals(), shuffled(paths, stream, task, at_least=at_least, bars=row_bar) as batch:
        written = output.write(batch.task, batch.blocks())
    output.print_written(
        written,
        f", {batch.repeated:,} {'copy' if batch.repeated == 1 else 'copies'} left out" if batch.repeated else "",
    )
