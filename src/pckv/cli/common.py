"""What commands share: options, hints on what an option can do about an error, progress on stderr, JSON on stdout."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import click

from pckv.base.canonical import is_typed_decimal
from pckv.base.progress import Progress, RowsDone, RowsProgressBar, no_progress

FilePath = click.Path(path_type=Path)


class TypedNumber(click.types.FloatParamType):
    """A number as people type it; Python alone would take "1_0" for ten."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail as click does for what is none."""
        number = super().convert(value, param, ctx)
        if isinstance(value, str) and math.isfinite(number) and not is_typed_decimal(value):
            self.fail(f"{value!r} is not a number in plain digits, such as 0.5.", param, ctx)
        return number


NUMBER = TypedNumber()
# Standard input or standard output in place of a file.
STREAM = Path("-")

Command = Callable[..., None]


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command some options, in this order."""
    return lambda command: reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


task_option = click.option("--task", "task_file", type=FilePath, required=True, help="The task's JSON file.")
force_option = click.option("--force", is_flag=True, help="Replace outputs that exist.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
_WIDE = "pckv.wide"


def _note_wide(context: click.Context, _: click.Parameter, wide: bool) -> None:
    context.meta[_WIDE] = wide


wide_option = click.option(
    "--wide",
    is_flag=True,
    expose_value=False,
    callback=_note_wide,
    help="Print all columns of tables, even if lines are longer than the terminal is wide.",
)


def is_wide() -> bool:
    """Return whether all columns of tables are wanted, whatever the width of the terminal."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_WIDE))


def terminal_width(*, err: bool = False) -> int | None:
    """Return the width of the terminal, or None where there is none: what is piped keeps its lines."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else None


def print_paragraph(text: str, *, err: bool = False, style: str = "") -> None:
    """Print a text, with lines that end between words where there is a terminal; nothing if it is empty."""
    width = terminal_width(err=err)
    lines = [text] if width is None else textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    for line in lines if text else []:
        click.secho(line, err=err, italic=style == "italic" or None)


# The library names no options: what an option can do about an error is said here, by the error's code.
HINTS = {
    "output_exists": ": use --force to replace it",
    "unknown_key": " (pckv task new --other makes a task that counts such keys)",
    "value_outside_range": " (--clip moves it to the nearest end)",
    "value_between_levels": " (--clip moves it to the nearest level)",
    "repeated_key": " (--repeated last or mean)",
    "decimal_comma": " (--decimal , reads decimal commas)",
    "wrong_encoding": " (--encoding names another one)",
    "dedupe_cannot_resume": ": leave out --dedupe or --resume",
    "batch_too_small": " (--at-least)",
    "dedupe_without_ids": ": leave out --dedupe",
    "over_budget": " (pckv ledger shows what was spent, --cap changes the cap)",
    "no_administrator_token": ", or name a --token-file to write one to",
    "missing_data": ": name their folder with --data, or ask for other figures by name",
    "figures_left_out": ": name their folder with --data",
}


def with_hint(message: str, code: str | None) -> str:
    """Return the message of an error, with a hint at an option that can help."""
    return f"{message}{HINTS.get(code or '', '')}"


# Characters that could control a terminal, end a line, or change the direction of what follows.
DIRECTIONS = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *DIRECTIONS), "\ufffd")


def harmless(text: str) -> str:
    """Return a text from elsewhere without characters that could control the terminal.

    >>> harmless("a\x1b[2Jb\u202ec")
    'a�[2Jb�c'
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
    with ProgressDisplay(*columns, console=console, transient=True, disable=not console.is_terminal) as display:
        task = display.add_task(label, total=total)
        yield lambda completed: display.update(task, completed=completed)


def print_json(value: Any) -> None:
    """Print a value as JSON in UTF-8, whatever encoding the terminal has."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    # What UTF-8 cannot encode, such as a file name that is not text, becomes an escape of JSON.
    click.echo(text.encode(errors="backslashreplace"))
