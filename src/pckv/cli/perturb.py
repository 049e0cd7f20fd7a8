"""`pckv perturb`: one report a user, from a file of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from pckv.bulk.outputs import check_free, whole_file
from pckv.bulk.pairs import REPEATED, Leniency, read_population
from pckv.bulk.reports import Messages, write_reports
from pckv.bulk.rows import Columns
from pckv.cli.common import FilePath, force_option, progress_bar, read_task, task_option
from pckv.device.many import perturb_many


@click.command("perturb", short_help="Make one report a user from a file of pairs.")
@click.argument("data", type=FilePath)
@task_option
@click.option("--user", required=True, help="The column that tells users apart.")
@click.option("--key", required=True, help="The column of keys.")
@click.option("--value", required=True, help="The column of values.")
@click.option("--out", type=FilePath, required=True, help="The report file to write (Parquet).")
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
    check_free(out, force=force)
    with progress_bar(f"Reading {data.name}") as progress:
        read = read_population(
            data, task, Columns(user, key, value), Leniency(clip, ignore_unknown, repeated), progress
        )
    population = read.population
    with whole_file(out, force=force) as part, progress_bar("Perturbing") as progress:

        def batches() -> Iterator[tuple[NDArray[np.uint8], Messages]]:
            done = 0
            for batch in perturb_many(task, population):
                yield batch
                done += len(batch.ids)
                progress(done / len(population))

        written = write_reports(part, task, batches())
    mended = {"clipped": read.clipped, "ignored": read.ignored, "repeated": read.merged}
    notes = "".join(f", {count:,} rows {what}" for what, count in mended.items() if count)
    click.echo(f"{written:,} reports written to {out}{notes}")
