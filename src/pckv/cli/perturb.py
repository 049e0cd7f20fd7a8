"""`pckv perturb`: one report per user, from a file of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Messages
from pckv.base.errors import ParameterError
from pckv.base.limits import DISCOVERY, SERVER_COIN
from pckv.base.progress import RowsDone
from pckv.cli.common import STREAM, FilePath, force_option, progress_bar, row_bar, task_option
from pckv.cli.inputs import ReportOutput, read_task, report_output_option, standard_input_as_file
from pckv.contract.task import Task
from pckv.device.vectorised import perturb_many, perturb_texts
from pckv.files.pairs.population import REPEATED, RepairedPopulation, Repairs, read_populations
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.texts import HeldTexts


@click.command("perturb")
@click.argument("data", type=FilePath)
@task_option
@click.option("--user", required=True, help="The column of users.")
@click.option("--key", required=True, help="The column of keys.")
@click.option("--value", help="The column of values; a discovery has none.")
@report_output_option
@click.option(
    "--clip",
    is_flag=True,
    help="Move values outside the range to its nearest end, and those between two levels to the nearest one "
    "where the task refuses them.",
)
@click.option("--repeated", type=click.Choice(REPEATED), help="Which value counts where a user has a key twice.")
@force_option
def perturb_command(
    data: Path,
    task_file: Path,
    user: str,
    key: str,
    value: str | None,
    out: Path,
    clip: bool,
    repeated: str | None,
    force: bool,
) -> None:
    """Perturb DATA as the participants' devices would: one report per user.

    DATA has one row per pair: text separated by commas, semicolons or tabs (compressed, too: .gz), or
    Parquet; - is standard input.

    A key that the task does not list counts as the task's other key; where it has none, the row is refused.

    Randomness is the operating system's. Running this again makes new reports and spends ε again. A task
    whose collector gives coins is refused: its reports are made one by one, by pckv submit.
    """
    task = read_task(task_file)
    if task.coin == SERVER_COIN:
        raise ParameterError(
            f"{task_file}: every report of this task needs a coin from its collector, which pckv submit asks for"
        )
    output = ReportOutput(out, force)
    output.check()
    if task.kind == DISCOVERY:
        if value is not None or clip or repeated is not None:
            raise click.UsageError("--value, --clip and --repeated are not for a discovery, which has no values")
        _perturb_texts(data, task, user, key, output)
        return
    if value is None:
        raise click.UsageError("Missing option '--value'.")
    columns, repairs = Columns(user, key, value), Repairs(clip, repeated)
    with _pairs_file(data) as (path, name):
        with progress_bar(f"Reading {name}") as progress:
            parts = read_populations(path, task, columns, repairs, progress, name=name)
            # Whatever is wrong with the data shows before anything is written.
            first = next(parts)
        repaired = _RepairedRows()
        with row_bar("Perturbing")(None) as progress:
            batches = _perturbed_batches(task, chain([first], parts), repaired, progress)
            written = output.write(task, batches)
    output.print_written(written, str(repaired))


def _perturb_texts(data: Path, task: Task, user: str, key: str, output: ReportOutput) -> None:
    """Make one report per user about the texts that they hold."""
    with _pairs_file(data) as (path, name):
        with progress_bar(f"Reading {name}") as progress:
            held = HeldTexts(path, task.tree, user, key, progress, name)
        batches = (batch for population in held.populations() for batch in perturb_texts(task, held.texts, population))
        written = output.write(task, batches)
    left_out = f", {held.left_out:,} rows left out, whose texts cannot be found" if held.left_out else ""
    output.print_written(written, left_out)


@contextmanager
def _pairs_file(data: Path) -> Iterator[tuple[Path, str]]:
    """Return a file of pairs, and what messages call it."""
    if data != STREAM:
        yield data, str(data)
        return
    with standard_input_as_file() as path:
        yield path, "standard input"


@dataclass
class _RepairedRows:
    """How many rows were not used as they were."""

    clipped: int = 0
    repeated: int = 0

    def __str__(self) -> str:
        return "".join(f", {count:,} rows {what}" for what, count in asdict(self).items() if count)


def _perturbed_batches(
    task: Task, parts: Iterable[RepairedPopulation], repaired: _RepairedRows, progress: RowsDone
) -> Iterator[tuple[NDArray[np.uint8], Messages]]:
    """Yield the participants' reports in batches, and count the rows that were repaired."""
    reports = 0
    for population, clipped, merged in parts:
        repaired.clipped += clipped
        repaired.repeated += merged
        for batch in perturb_many(task, population):
            yield batch
            reports += len(batch.ids)
            progress(reports)
