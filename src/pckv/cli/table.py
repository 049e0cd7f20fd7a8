"""Tables on stdout with one line per row, and lists of facts, at any width of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from pckv.cli.common import harmless, is_wide, print_paragraph, terminal_width

if TYPE_CHECKING:
    from pckv.planning.sections import Section

GAP = 2
# Longer texts are cut to this many characters before a column is left out.
SHORT_TEXT = 24
CUT = "…"
# How the names of columns end that hold the interval of the number before them.
INTERVAL = "interval"
# A fact needs this much room beside its name; where there is less, it stands below it.
MIN_FACT_WIDTH = 24
INDENT = "  "


class Output(Console):
    """Standard output for tables."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    def on_broken_pipe(self) -> None:
        """Let the program end as it does for any other output that is no longer read."""
        raise BrokenPipeError


@dataclass(eq=False)
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
        """The least width: names wrap between words, texts are cut to a few characters, numbers never."""
        content = max(map(cell_len, self.cells), default=0)
        words = max(map(cell_len, self.name.split()), default=0)
        return max(min(content, SHORT_TEXT) if self.is_text else content, words)

    def padded(self, text: str) -> str:
        """Return a text in the width of the column."""
        if cell_len(text) > self.width:
            text = set_cell_size(text, max(self.width - cell_len(CUT), 0)).rstrip() + CUT
        space = " " * (self.width - cell_len(text))
        return text + space if self.is_text else space + text


def print_table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    texts: int = 1,
    less_important: Sequence[int] = (),
) -> None:
    """Print a table on stdout, one line per row: the first columns are texts, the others numbers.

    Where it is wider than the terminal, names of columns wrap and texts are cut; where that is not enough,
    columns are left out: the less important ones, in the order of these numbers, then those to the right, each
    with its interval. What is missing is said below the table.
    """
    console = Output()
    width = None if is_wide() else terminal_width()
    columns = [Column(name, [row[place] for row in rows], place < texts) for place, name in enumerate(header)]
    shown = fit(columns, width, less_important)
    print_paragraph(harmless(title), style="italic")
    if any(header):
        names = [_wrapped(console, column.name, column.width) for column in shown]
        for line in range(max(map(len, names))):
            _print_row(console, shown, [lines[line] if line < len(lines) else "" for lines in names], style="bold")
    for row in range(len(rows)):
        _print_row(console, shown, [column.cells[row] for column in shown])
    if len(shown) < len(columns):
        missing = ", ".join(column.name for column in columns if column.name and column not in shown)
        print_paragraph(f"Not shown, for lack of room: {missing} (--wide shows all columns).")
    elif any(cell_len(cell) > column.width for column in shown for cell in column.cells):
        print_paragraph("Long names are cut (--wide shows them whole).")


def fit(columns: Sequence[Column], width: int | None, less_important: Sequence[int] = ()) -> list[Column]:
    """Return the columns that fit into a width, and set how wide each of them is."""
    shown = list(columns)
    if width is None:
        return shown
    groups: list[list[Column]] = []
    for column in columns:
        # A number is never shown without its interval.
        if groups and column.name.endswith(INTERVAL):
            groups[-1].append(column)
        else:
            groups.append([column])
    first = [group for place in less_important for group in groups if columns[place] in group]
    leave_out = [*first, *(group for group in reversed(groups[1:]) if group not in first)]
    while len(shown) > 1 and leave_out and sum(column.narrowest + GAP for column in shown) - GAP > width:
        left_out = leave_out.pop(0)
        shown = [column for column in shown if column not in left_out]
    while sum(column.width + GAP for column in shown) - GAP > width:
        # A column that stands alone may be narrower still.
        wide = [column for column in shown if column.width > column.narrowest] or shown
        max(wide, key=lambda column: column.width).width -= 1
    return shown


def _print_row(console: Output, columns: Sequence[Column], cells: Sequence[str], style: str = "") -> None:
    line = (" " * GAP).join(column.padded(cell) for column, cell in zip(columns, cells, strict=True))
    # Names are shown as they are: texts, not markup.
    console.print(Text(line.rstrip(), style=style), soft_wrap=True)


def print_facts(rows: Sequence[tuple[str, str]]) -> None:
    """Print facts on stdout, each beside its name; where a line is too short for one, it goes on below itself."""
    console, width = Output(), terminal_width()
    names = max((cell_len(name) for name, _ in rows), default=0)
    room = None if width is None else width - names - GAP
    for name, fact in rows:
        if room is None or room >= MIN_FACT_WIDTH:
            before, start = f"{name}{' ' * (names - cell_len(name) + GAP)}", names + GAP
            lines = [fact] if room is None else _wrapped(console, harmless(fact), room)
        else:
            console.print(Text(harmless(name)), soft_wrap=True)
            before, start = INDENT, len(INDENT)
            lines = _wrapped(console, harmless(fact), max((width or 0) - start, 1))
        for number, line in enumerate(lines):
            text = f"{before if number == 0 else ' ' * start}{line}"
            console.print(Text(harmless(text).rstrip()), soft_wrap=True)


def print_sections(sections: Iterable[Section]) -> None:
    """Print what a plan says: every section with its title, its table and its sentences."""
    for number, section in enumerate(sections):
        if number:
            click.echo()
        if len(section.columns) > section.texts:
            # Errors say more than how they come about.
            details = range(section.texts - 1, 0, -1)
            print_table(section.title, section.columns, section.rows, texts=section.texts, less_important=details)
        else:
            print_paragraph(section.title, style="italic")
            print_facts([(" ".join(row[:-1]), row[-1]) for row in section.rows])
        for sentence in section.sentences:
            print_paragraph(sentence)


def _wrapped(console: Output, text: str, width: int) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    return [line.plain.rstrip() for line in Text(text).wrap(console, width, overflow="fold")]
