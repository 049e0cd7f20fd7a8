"""What several commands share: options, progress, tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from pckv.errors import PckvError, TaskError
from pckv.task import Task

PIPED_WIDTH, WIDEST = 200, 100_000

FilePath = click.Path(path_type=Path)
# Standard input or standard output in place of a file.
STREAM = Path("-")

task_option = click.option("--task", "task_file", type=FilePath, required=True, help="The task's JSON file.")
force_option = click.option("--force", is_flag=True, help="Replace outputs that exist.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")

# The library names no options: what an option can do about an error is said here, by the error's code.
HINTS = {
    "output_exists": ": use --force to replace it",
    "unknown_key": " (--ignore-unknown leaves such rows out)",
    "value_outside_range": " (--clip moves it to the nearest end)",
    "repeated_key": " (--repeated last or mean)",
    "dedupe_cannot_resume": ": leave out --dedupe or --resume",
    "dedupe_without_ids": ": leave out --dedupe",
}


def error_line(error: PckvError) -> str:
    """Return an error's message, with a hint at an option that can help."""
    return f"{error}{HINTS.get(error.code, '')}"


def read_task(path: Path) -> Task:
    """Read a task file; the message names the file."""
    try:
        return Task.from_json(path.read_bytes())
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from None


def row_bar(label: str) -> Callable[[int | None], AbstractContextManager[Callable[[int], None]]]:
    """A bar that takes the number of rows done, made once their total is known (None: it is not)."""

    @contextmanager
    def bar(total: int | None) -> Iterator[Callable[[int], None]]:
        console = Console(stderr=True)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f}" + (f" of {total:,}" if total is not None else "") + " rows"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
            task = shown.add_task(label, total=total)
            yield lambda rows: shown.update(task, completed=rows)

    return bar


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """A bar on stderr that takes the share done; nothing where nobody watches."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 1) -> None:
    """Print a table on stdout: the first columns are texts, the others numbers."""
    # Names are shown as they are: texts, not markup.
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(header))
    for place, name in enumerate(header):
        table.add_column(name, justify="left" if place < texts else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        # Piped output is not cut to the width of a terminal that is not there.
        console.width = WIDEST
        console.width = max(PIPED_WIDTH, console.measure(table).maximum)
    if title:
        console.print(Text(title, style="italic"))
    console.print(table)
