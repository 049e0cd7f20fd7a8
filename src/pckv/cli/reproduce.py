"""`pckv reproduce`: the paper's whole evaluation, computed again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from pckv.cli.common import json_option, print_json, progress_bar
from pckv.lab.figures.figure import FigureScale
from pckv.lab.reproduction import reproduce


@click.command("reproduce")
@click.argument("figures", nargs=-1, metavar="[FIGURE]...")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder to write to.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder with the rating sets; figures 10a, 10b and 10c need it, and are left out without it.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Simulated collections to average over; the paper has 5.",
)
@click.option(
    "--users",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="Users in the synthetic populations.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="The same seed gives the same points.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes to use. [default: one per core]")
@json_option
def reproduce_command(figures: tuple[str, ...], out: Path, workers: int | None, as_json: bool, **scale: Any) -> None:
    """Compute the figures of the paper again: all, or those named (4, 6, 6a, …, 11, crossover).

    Writes each as PNG, SVG and CSV, and a page that compares the paper's claims with what was measured.
    A run that was interrupted continues where it stopped: figures that are there are not computed again.
    """
    result = reproduce(figures, out, FigureScale(workers=workers or os.cpu_count() or 1, **scale), progress_bar)
    if as_json:
        print_json([{"claim": v.claim, "measured": v.measured, "holds": v.holds} for v in result.verdicts])
    else:
        for verdict in result.verdicts:
            click.echo(f"{'holds' if verdict.holds else 'FAILS'}  {verdict.claim}\n       {verdict.measured}")
        click.echo(f"\nThe figures are in {out}: open {out / 'index.html'}")
    if result.missing:
        raise result.missing
