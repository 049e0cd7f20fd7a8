"""Tables on stdout that lose nothing, at any width of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pckv.cli.common import harmless

if TYPE_CHECKING:
    from pckv.planning.sections import Section

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


def _lines(console: Console, groups: Sequence[Sequence[Column]], cells: Sequence[Sequence[str]]) -> Iterator[str]:
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
