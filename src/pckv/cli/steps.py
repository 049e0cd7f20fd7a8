"""The steps of a longer run, on stderr: for people at a terminal, and for those who read a log."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from pckv.cli.terminal import progress_bar
from pckv.progress import Progress

LINES_PER_STEP = 4


def say_step(text: str) -> None:
    """Say in a line what is done now."""
    click.echo(f"{text} …", err=True)


@contextmanager
def measured_step(text: str) -> Iterator[Progress]:
    """Show how much of a step is done: a bar on a terminal, and a line for each quarter elsewhere."""
    if sys.stderr.isatty():
        with progress_bar(text) as progress:
            yield progress
        return
    say_step(text)
    shown = 0

    def show(share: float) -> None:
        nonlocal shown
        quarters = int(share * LINES_PER_STEP)
        if quarters > shown:
            shown = quarters
            click.echo(f"  {100 * quarters // LINES_PER_STEP} %", err=True)

    yield show
