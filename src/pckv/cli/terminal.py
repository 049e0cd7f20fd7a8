"""What commands show: progress on stderr, and JSON on stdout."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn


def row_bar(label: str) -> Callable[[int | None], AbstractContextManager[Callable[[int], None]]]:
    """Return a bar that takes the number of rows done, made once their total is known (None: it is not)."""

    @contextmanager
    def bar(total: int | None) -> Iterator[Callable[[int], None]]:
        done = TextColumn("{task.completed:,.0f}" + (f" of {total:,}" if total is not None else "") + " rows")
        with _bar(label, done, total) as update:
            yield update

    return bar


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """Show a bar on stderr that takes the share done; nothing where stderr is no terminal."""
    with _bar(label, TextColumn("{task.percentage:>3.0f} %"), 1.0) as update:
        yield update


@contextmanager
def _bar(label: str, done: ProgressColumn, total: float | None) -> Iterator[Callable[[float], None]]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=total)
        yield lambda completed: progress.update(task, completed=completed)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
