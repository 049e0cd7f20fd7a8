"""`pckv perturb`: one report a user, from a file of pairs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Messages
from pckv.cli.common import STREAM, FilePath, force_option, progress_bar, read_task, row_bar, task_option
from pckv.device.vectorised import perturb_many
from pckv.files.outputs import check_free, whole_file
from pckv.files.pairs.population import REPEATED, Repairs
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.spill import read_populations
from pckv.files.reports.stream import stream_reports
from pckv.files.reports.writer import write_reports


@click.command("perturb", short_help="Make one report a user from a file of pairs.")
@click.argument("data", type=FilePath)
@task_option
@click.option("--user", required=True, help="The column that tells users apart.")
@click.option("--key", required=True, help="The column of keys.")
@click.option("--value", required=True, help="The column of values.")
@click.option(
    "--out",
    type=FilePath,
    required=True,
    help="The report file to write (Parquet), or - for an Arrow stream.",
)
@click.option("--clip", is_flag=True, help="Move values outside the range to its nearest end.")
@click.option("--ignore-unknown", is_flag=True, help="Leave out rows with a key the task does not have.")
@click.option("--repeated", type=click.Choice(REPEATED), help="What to do with a key twice for a user.")
@force_option
def perturb_command(
    data: Path,
    task_file: Path,
    user: str,
    key: str,
    value: str,
    out: Path,
    clip: bool,
    ignore_unknown: bool,
    repeated: str | None,
    force: bool,
) -> None:
    """Perturb DATA (CSV or Parquet) as the participants' devices would: one report a user.

    Randomness is the operating system's. Running this again makes new reports and spends ε again.
    """
    task = read_task(task_file)
    if out != STREAM:
        check_free(out, force=force)
    repaired = dict.fromkeys(("clipped", "ignored", "repeated"), 0)
    repairs = Repairs(clip, ignore_unknown, repeated)
    with progress_bar(f"Reading {data.name}") as progress:
        people = read_populations(data, task, Columns(user, key, value), repairs, progress)
        # Whatever is wrong with the data shows before anything is written.
        first = next(people)
    with row_bar("Perturbing")(None) as made:

        def batches() -> Iterator[tuple[NDArray[np.uint8], Messages]]:
            done = 0
            for population, *counts in chain([first], people):
                for what, count in zip(repaired, counts, strict=True):
                    repaired[what] += count
                for batch in perturb_many(task, population):
                    yield batch
                    done += len(batch.ids)
                    made(done)

        if out == STREAM:
            written = stream_reports(sys.stdout.buffer, task, batches())
        else:
            with whole_file(out, force=force) as part:
                written = write_reports(part, task, batches())
    notes = "".join(f", {count:,} rows {what}" for what, count in repaired.items() if count)
    place = "standard output" if out == STREAM else out
    click.echo(f"{written:,} reports written to {place}{notes}", err=out == STREAM)
