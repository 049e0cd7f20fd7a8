"""Pairs in tables: Parquet files, Arrow tables, and DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pckv.base.errors import ParameterError, first_line, require
from pckv.base.progress import Progress
from pckv.files.pairs.rows import ColumnBatch, Columns, EncodedNames, PairsSource
from pckv.files.parquet import open_parquet


class ParquetPairs(PairsSource):
    """A Parquet file of pairs."""

    def __init__(self, path: Path, columns: Columns, name: str) -> None:
        super().__init__(columns, name)
        self.path = path

    @property
    def possible_rows(self) -> float:
        """How many rows there are."""
        return int(self._open().metadata.num_rows)

    def place(self, row: int) -> str:
        """Return what people call the place of a row: rows are numbered from 0."""
        return f"row {row}"

    def read(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        """Yield the three columns of all rows."""
        file = self._open()
        self.check_header(file.schema_arrow.names)
        batches = file.iter_batches(rows_per_batch, columns=list(self.columns))
        yield from _columns(self, batches, file.metadata.num_rows, progress)

    def _open(self) -> Any:
        return open_parquet(self.path, "a Parquet file", self.name)


class TablePairs(PairsSource):
    """Pairs in memory: an Arrow table, or whatever can be made one."""

    def __init__(self, frame: Any, columns: Columns) -> None:
        arrow = require("pyarrow", extra="files")
        self.is_pandas = is_pandas(frame)
        super().__init__(columns, "DataFrame" if self.is_pandas else "table")
        try:
            if self.is_pandas:
                self.check_header(list(frame.columns))
                self._table = arrow.Table.from_pandas(frame[list(columns)], preserve_index=False)
            else:
                self._table = as_table(frame)
        except (arrow.ArrowException, UnicodeError, OverflowError) as error:
            raise self.error(f"cannot be read ({first_line(error)})") from None
        self.check_header(self._table.column_names)

    @property
    def possible_rows(self) -> float:
        """How many rows there are."""
        return int(self._table.num_rows)

    def place(self, row: int) -> str:
        """Return what people call the place of a row: rows are numbered from 0, whatever their index is."""
        return f"row {row}"

    def read(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        """Yield the three columns of all rows."""
        table = self._table.select(list(self.columns))
        yield from _columns(self, table.to_batches(rows_per_batch), table.num_rows, progress)


def is_pandas(frame: object) -> bool:
    """Return whether something is a DataFrame of pandas, without importing that."""
    kinds = type(frame).__mro__
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas" for kind in kinds
    )


def as_table(frame: Any) -> Any:
    """Return an Arrow table of anything that gives its columns to Arrow, such as a DataFrame of polars.

    Raises:
        ParameterError: if it is no table.
    """
    arrow = require("pyarrow", extra="files")
    if not isinstance(frame, arrow.Table) and not hasattr(frame, "__arrow_c_stream__"):
        raise ParameterError(f"a DataFrame or an Arrow table is needed, not {type(frame).__name__}")
    return arrow.table(frame)


def _columns(
    source: PairsSource, batches: Iterable[Any], rows: int, progress: Progress
) -> Iterator[ColumnBatch]:
    """Yield the three columns of record batches."""
    arrow = require("pyarrow", extra="files")
    done = 0
    try:
        for batch in batches:
            user, key, value = (batch.column(name) for name in source.columns)
            yield ColumnBatch(_encode(arrow, user), _encode(arrow, key), _values(arrow, value))
            done += len(batch)
            progress(done / max(rows, 1))
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise source.error(f"cannot be read ({first_line(error)})") from None


def _encode(arrow: Any, column: Any) -> EncodedNames:
    if arrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    encoded = column.dictionary_encode(null_encoding="encode")
    names = encoded.dictionary.cast(arrow.string()).fill_null("").to_pylist()
    return EncodedNames(names, encoded.indices.to_numpy().astype(np.int64))


def _values(arrow: Any, column: Any) -> Any:
    """Return numbers as they are, with None where one is missing; anything else as text."""
    numeric = arrow.types.is_floating(column.type) or arrow.types.is_integer(column.type)
    if numeric:
        column = column.cast(arrow.float64())
        return column.to_pylist() if column.null_count else column.to_numpy()
    return column.cast(arrow.string()).to_pylist()
