"""What commands do with a result: write its table, draw it, and print it as JSON or for people."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from pckv.base.errors import ParameterError, require
from pckv.base.table import ResultTable
from pckv.base.words import either
from pckv.charts.estimates import check_picture, save_chart
from pckv.cli.common import (
    Command,
    FilePath,
    force_option,
    harmless,
    json_option,
    print_json,
    print_paragraph,
    wide_option,
    with_options,
)
from pckv.cli.table import print_table
from pckv.files.outputs import check_free, whole_file

ROWS_PRINTED = 20
# How a table is written, by the suffix of a file.
Formats = Mapping[str, Callable[[Any], str | bytes]]
TABLES: Formats = {
    ".csv": ResultTable.to_csv,
    ".parquet": ResultTable.to_parquet,
    ".json": ResultTable.to_json,
}


class Outputs(NamedTuple):
    """Where a command's result goes."""

    formats: Formats
    out: Path | None
    plot: Path | None
    force: bool
    as_json: bool

    def check(self) -> None:
        """Refuse outputs that cannot be written, before anything is computed."""
        if self.out is not None:
            if self.out.suffix not in self.formats:
                raise ParameterError(f"{self.out}: results are written as {either(self.formats)}")
            check_free(self.out, force=self.force)
        if self.plot is not None:
            check_picture(self.plot)
            check_free(self.plot, force=self.force)

    def write(
        self,
        result: ResultTable,
        sentences: Sequence[str],
        *,
        warning: Sequence[str] = (),
        chart: Callable[[], Any] | None = None,
        further: Mapping[str, Any] | None = None,
        parts: Mapping[str, ResultTable] | None = None,
    ) -> None:
        """Write, draw and print a result.

        For people, its warning and another one stand above the table, and `sentences` below, after the tables of its
        `parts` by their titles; JSON has `further` members besides the result's own.
        """
        self.save(result, chart=chart, further=further)
        if self.as_json:
            print_json(result.to_dict() | dict(further or {}))
        else:
            _print_result(result, (*result.warning, *warning), sentences, parts or {})

    def save(
        self, result: object, *, chart: Callable[[], Any] | None = None, further: Mapping[str, Any] | None = None
    ) -> None:
        """Write and draw a result."""
        if self.out is not None:
            with whole_file(self.out, force=self.force) as part:
                content = self.formats[self.out.suffix](result)
                if isinstance(content, str):
                    content = _joined(content, further if self.out.suffix == ".json" else None).encode()
                part.write_bytes(content)
        if self.plot is not None and chart is not None:
            with whole_file(self.plot, force=self.force) as part:
                save_chart(chart(), part, self.plot.suffix)


def _rows_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns of rows that need not have the same members; a list becomes a text."""
    columns: dict[str, list[Any]] = {name: [] for row in rows for name in row}
    for name, column in columns.items():
        found = [row.get(name) for row in rows]
        if any(isinstance(value, list | tuple) for value in found):
            found = [",".join(map(str, value)) if isinstance(value, list | tuple) else value for value in found]
            found = [None if value is None else str(value) for value in found]
        column.extend(found)
    return columns


def _rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    columns, text = _rows_columns(rows), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _rows_parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    file, arrow = io.BytesIO(), require("pyarrow", extra="files")
    require("pyarrow.parquet", extra="files").write_table(arrow.table(_rows_columns(rows)), file)
    return file.getvalue()


# How rows of plain values are written.
ROWS: Formats = {".csv": _rows_csv, ".parquet": _rows_parquet, ".json": partial(json.dumps, ensure_ascii=False)}


def _joined(text: str, further: Mapping[str, Any] | None) -> str:
    """Return the text of a JSON object with further members."""
    return f"{text[:-1]}, {json.dumps(further, ensure_ascii=False)[1:]}" if further else text


def _print_result(
    result: ResultTable, warning: Sequence[str], sentences: Sequence[str], parts: Mapping[str, ResultTable]
) -> None:
    """Print what is to be read first, the rows that are shown first, and what the result says in words."""
    for sentence in warning:
        print_paragraph(harmless(sentence))
    if not len(result):
        print_paragraph(result.title)
    _print_rows(result, result.title, "--out writes them all")
    for title, part in parts.items():
        _print_rows(part, title, "--json has them all")
    for sentence in sentences:
        print_paragraph(harmless(sentence))


def _print_rows(result: ResultTable, title: str, hint: str) -> None:
    shown, hidden = result.shown(ROWS_PRINTED)
    if cells := shown.cells():
        print_table(title, shown.headers(), cells, texts=result.TEXTS, less_important=shown.less_important)
        if hidden:
            click.echo(f"… and {hidden:,} more {result.NOUN} ({hint})")


def result_outputs(
    out_help: str, plot_help: str | None = None, formats: Formats = TABLES
) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options of outputs, and the `outputs` that they make.

    `plot_help` is None if the result is not drawn.
    """
    options = [click.option("--out", type=FilePath, help=out_help)]
    if plot_help is not None:
        options.append(click.option("--plot", type=FilePath, help=plot_help))

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_outputs(out: Path | None, force: bool, as_json: bool, plot: Path | None = None, **others: Any) -> None:
            outputs = Outputs(formats, out, plot, force, as_json)
            outputs.check()
            command(outputs=outputs, **others)

        return with_options(*options, force_option, json_option, wide_option)(with_outputs)

    return decorate
