"""What commands show: progress on stderr, and JSON on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from pckv.base.progress import Progress, RowsDone, RowsProgressBar, no_progress

# Characters that could control a terminal.
CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), "\ufffd")


def harmless(text: str) -> str:
    """Return a text from elsewhere without characters that could control the terminal.

    >>> harmless("a\x1b[2Jb")
    'a�[2Jb'
    """
    return text.translate(CONTROLS)


def row_bar(label: str) -> RowsProgressBar:
    """Return a bar that takes the number of rows done, made once their total is known (None: it is not)."""

    @contextmanager
    def bar(total: int | None) -> Iterator[RowsDone]:
        done = "{task.completed:,.0f}" + (f" of {total:,}" if total is not None else "") + " rows"
        with _bar(label, done, total) as update:
            yield update

    return bar


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """Show a bar on stderr that takes the share done; nothing where stderr is no terminal."""
    with _bar(label, "{task.percentage:>3.0f} %", 1.0) as update:
        yield update


@contextmanager
def _bar(label: str, done: str, total: float | None) -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield no_progress
        return
    # Loading rich takes as long as counting millions of words, so that only a terminal pays for it.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as ProgressDisplay  # noqa: PLC0415

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn(done), TimeRemainingColumn())
    with ProgressDisplay(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as display:
        task = display.add_task(label, total=total)
        yield lambda completed: display.update(task, completed=completed)


def print_json(value: Any) -> None:
    """Print a value as JSON in UTF-8, whatever encoding the terminal has."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    # What UTF-8 cannot encode, such as a file name that is not text, becomes an escape of JSON.
    click.echo(text.encode(errors="backslashreplace"))
