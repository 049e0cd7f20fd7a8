"""What commands show: progress on stderr, and JSON on stdout.

Tables on stdout that lose nothing, however narrow the terminal is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pckv.base.progress import Progress, RowsDone, RowsProgressBar, no_progress

if TYPE_CHECKING:
    from pckv.planning.sections import Section

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


GAP = 2
# Further lines of a folded row begin with this.
INDENT = "  "


@dataclass
class Column:
    """One column of a table: texts stand to the left, numbers to the right; none can control the terminal."""

    name: str
    cells: Sequence[str]
    is_text: bool
    width: int = 0

    def __post_init__(self) -> None:
        self.cells = list(map(harmless, self.cells))
        self.width = max(map(cell_len, (self.name, *self.cells)))

    @property
    def narrowest(self) -> int:
        """The width below which a word or a number would be broken; only names and texts wrap."""
        wrapped = (self.name, *self.cells) if self.is_text else (self.name,)
        words = [word for text in wrapped for word in text.split()]
        return max(map(cell_len, (*words, *(() if self.is_text else self.cells))), default=0)


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 1) -> None:
    """Print a table on stdout: the first columns are texts, the others numbers.

    Where it is wider than the terminal, names of columns and texts wrap between words; where that
    is not enough, every row is folded into several lines. Nothing is cut.
    """
    console = Console(highlight=False)
    width = _terminal_width(console)
    columns = [Column(name, [row[place] for row in rows], place < texts) for place, name in enumerate(header)]
    groups = arrange(columns, width)
    if title := harmless(title):
        for line in _wrapped(console, title, width or cell_len(title)):
            console.print(Text(line, style="italic"), soft_wrap=True)
    if any(header):
        for line in _lines(console, groups, [[column.name for column in group] for group in groups]):
            console.print(Text(line, style="bold"), soft_wrap=True)
    for row in range(len(rows)):
        for line in _lines(console, groups, [[column.cells[row] for column in group] for group in groups]):
            # Names are shown as they are: texts, not markup.
            console.print(Text(line), soft_wrap=True)


def print_sections(sections: Iterable[Section]) -> None:
    """Print what a plan says: every section with its title, its table and its sentences."""
    for number, section in enumerate(sections):
        if number:
            click.echo()
        print_table(section.title, section.columns, section.rows, texts=section.texts)
        for sentence in section.sentences:
            click.echo(sentence)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print a table of named facts, one per line."""
    rows = [(name.replace("_", " "), _fact_text(fact)) for name, fact in facts.items()]
    print_table("", ("", ""), rows, texts=2)


def _fact_text(fact: object) -> str:
    if isinstance(fact, dict):
        return ", ".join(f"{name} {value}" for name, value in fact.items()) or "–"
    if isinstance(fact, list):
        return ", ".join(fact)
    return "–" if fact is None else str(fact)


def _terminal_width(console: Console) -> int | None:
    """Return the width of the terminal, or None where there is none: piped output is never folded."""
    return console.width if console.file.isatty() else None


def arrange(columns: Sequence[Column], width: int | None) -> list[list[Column]]:
    """Set the columns' widths, and say which of them share a line."""
    gaps = GAP * (len(columns) - 1)
    if width is None or sum(column.width for column in columns) + gaps <= width:
        return [list(columns)]
    if sum(column.narrowest for column in columns) + gaps <= width:
        while sum(column.width for column in columns) + gaps > width:
            widest = max((c for c in columns if c.width > c.narrowest), key=lambda column: column.width)
            widest.width -= 1
        return [list(columns)]
    groups: list[list[Column]] = [[]]
    room = width
    for column in columns:
        column.width = min(column.width, max(width - len(INDENT), 1))
        if groups[-1] and column.width > room:
            groups.append([])
            room = width - len(INDENT)
        groups[-1].append(column)
        room -= column.width + GAP
    return groups


def _lines(
    console: Console, groups: Sequence[Sequence[Column]], cells: Sequence[Sequence[str]]
) -> Iterator[str]:
    """Yield the lines of one row: one or more per group of columns."""
    for number, (group, texts) in enumerate(zip(groups, cells, strict=True)):
        wrapped = [_wrapped(console, text, column.width) for column, text in zip(group, texts, strict=True)]
        for line in range(max(map(len, wrapped))):
            parts = (
                _padded(column, lines[line] if line < len(lines) else "")
                for column, lines in zip(group, wrapped, strict=True)
            )
            yield (INDENT * (number > 0) + (" " * GAP).join(parts)).rstrip()


def _padded(column: Column, text: str) -> str:
    space = " " * (column.width - cell_len(text))
    return text + space if column.is_text else space + text


def _wrapped(console: Console, text: str, width: int) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    return [line.plain.rstrip() for line in Text(text).wrap(console, width, overflow="fold")]
