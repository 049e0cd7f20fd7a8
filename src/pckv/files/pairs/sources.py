"""Pairs in files and tables: text, Parquet, Arrow tables, and DataFrames."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pckv.base.errors import DataError, ParameterError, first_line, require
from pckv.base.progress import Progress
from pckv.files.pairs.rows import ColumnBatch, Columns, EncodedNames, PairsSource, encode
from pckv.files.parquet import is_parquet, open_parquet

TAB = "\t"
# What may separate values, and what people call it.
SEPARATORS = {",": "commas", ";": "semicolons", TAB: "tabs"}
TAB_SUFFIXES = (".tsv", ".tab")
GZIP_MAGIC, GZIP_SUFFIX = b"\x1f\x8b", ".gz"
# A line has at least this many bytes; compressed, people's ratings hardly take fewer than that each.
MIN_LINE_BYTES, MIN_COMPRESSED_LINE_BYTES = 8, 1
# A longer line is read in pieces, none of which can be a row: a small compressed file could fill the memory.
MAX_LINE_LENGTH = 2**20
CHUNK_BYTES = 2**16


class TextPairs(PairsSource):
    """A text file of pairs, with the names of its columns in the first line."""

    def __init__(self, path: Path, columns: Columns, name: str) -> None:
        super().__init__(columns, name)
        self.path = path
        with path.open("rb") as file:
            file.seek(0)
            self.is_compressed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        if path.suffix.lower() == GZIP_SUFFIX and not self.is_compressed:
            raise self.error("not a gzip file")

    @property
    def possible_rows(self) -> float:
        least = MIN_COMPRESSED_LINE_BYTES if self.is_compressed else MIN_LINE_BYTES
        return self.path.stat().st_size / least

    @cached_property
    def separator(self) -> str:
        """What separates values: what gives the header the three columns; the file's name decides a draw."""
        headers = {mark: header for mark in SEPARATORS if (header := self._header(mark)) is not None}
        fitting = [mark for mark, header in headers.items() if set(self.columns) <= set(header)]
        if TAB in fitting and self.path.name.lower().removesuffix(GZIP_SUFFIX).endswith(TAB_SUFFIXES):
            return TAB
        if len(fitting) > 1:
            ways = " as well as ".join(SEPARATORS[mark] for mark in fitting)
            raise self.error(f"the header has these columns if separated by {ways}: rename them")
        # Where a column is missing, the separator that was most likely meant names those that are there.
        return fitting[0] if fitting else max(headers or [","], key=lambda mark: len(headers.get(mark, ())))

    def _header(self, separator: str) -> list[str] | None:
        """Return the names of the columns; None if the header cannot be read with this separator."""
        with self._text() as (_, file):
            try:
                header = next(csv.reader(_lines(file), delimiter=separator, strict=True), None)
            except csv.Error:
                return None
            if header is None:
                raise self.error("the file is empty")
            return header

    def read(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        size, start = self.path.stat().st_size or 1, 0
        with self._text() as (raw, file):
            reader = csv.reader(_lines(file), delimiter=self.separator, strict=True)
            try:
                header = next(reader)
                self.check_header(header)
                pickers = [itemgetter(header.index(name)) for name in self.columns]
                while batch := list(islice(reader, rows_per_batch)):
                    rows = [fields for fields in batch if fields]
                    for row, fields in enumerate(rows, start):
                        if len(fields) != len(header):
                            reason = f"{len(fields)} fields where the header has {len(header)}"
                            raise self.row_error(row, reason)
                    users, keys, values = (list(map(pick, rows)) for pick in pickers)
                    yield ColumnBatch(encode(users), encode(keys), values)
                    start += len(rows)
                    progress(raw.tell() / size)
            except csv.Error as error:
                raise DataError(str(error), place=f"{self.name}, line {reader.line_num}") from None

    def place(self, row: int) -> str:
        """Return the line on which a row ends, as an editor counts lines."""
        with self._text(errors="replace") as (_, file):
            reader = csv.reader(_lines(file), delimiter=self.separator)
            rows = (fields for fields in reader if fields)
            next(islice(rows, row + 1, None), None)
            return f"line {reader.line_num}"

    @contextmanager
    def _text(self, errors: str = "strict") -> Iterator[tuple[BinaryIO, io.TextIOWrapper]]:
        """Yield the file as it is stored, and its text."""
        with self._bytes() as (raw, data), io.TextIOWrapper(data, "utf-8-sig", errors, newline="") as text:
            try:
                yield raw, text
            except UnicodeDecodeError:
                raise DataError("not UTF-8", place=f"{self.name}, line {self._line_not_utf8()}") from None

    @contextmanager
    def _bytes(self) -> Iterator[tuple[BinaryIO, BinaryIO]]:
        """Yield the file as it is stored, and its bytes without compression."""
        with self.path.open("rb") as raw:
            # The path of a descriptor, such as /dev/fd/3, shares its position on some systems.
            raw.seek(0)
            data = gzip.GzipFile(fileobj=raw) if self.is_compressed else raw
            try:
                yield raw, data  # type: ignore[misc]
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise self.error(f"not a whole gzip file ({first_line(error)})") from None

    def _line_not_utf8(self) -> int:
        decoder, lines = codecs.getincrementaldecoder("utf-8")(), 1
        with self._bytes() as (_, file):
            try:
                while chunk := file.read(CHUNK_BYTES):
                    decoder.decode(chunk)
                    lines += chunk.count(b"\n")
                decoder.decode(b"", final=True)
            except UnicodeDecodeError as error:
                lines += error.object[: error.start].count(b"\n")
        return lines


def _lines(file: io.TextIOWrapper) -> Iterator[str]:
    """Yield the lines of a file; one that is too long is cut, so that its fields are too long or too few."""
    return iter(partial(file.readline, MAX_LINE_LENGTH), "")


class ParquetPairs(PairsSource):
    """A Parquet file of pairs."""

    def __init__(self, path: Path, columns: Columns, name: str) -> None:
        super().__init__(columns, name)
        self.path = path

    @property
    def possible_rows(self) -> float:
        return int(self._open().metadata.num_rows)

    def read(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
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
        return int(self._table.num_rows)

    def read(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        table = self._table.select(list(self.columns))
        yield from _columns(self, table.to_batches(rows_per_batch), table.num_rows, progress)


def is_pandas(frame: object) -> bool:
    """Return whether something is a DataFrame of pandas, without importing that."""
    names = ((kind.__name__, kind.__module__.partition(".")[0]) for kind in type(frame).__mro__)
    return ("DataFrame", "pandas") in names


def as_table(frame: Any) -> Any:
    """Return an Arrow table of anything that gives its columns to Arrow, such as a DataFrame of polars.

    Raises:
        ParameterError: if it is no table.
    """
    arrow = require("pyarrow", extra="files")
    if not isinstance(frame, arrow.Table) and not hasattr(frame, "__arrow_c_stream__"):
        raise ParameterError(f"a DataFrame or an Arrow table is needed, not {type(frame).__name__}")
    return arrow.table(frame)


def _columns(source: PairsSource, batches: Iterable[Any], rows: int, progress: Progress) -> Iterator[ColumnBatch]:
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


def open_pairs(path: Path, columns: Columns, name: str | None = None) -> PairsSource:
    """Return the pairs of a file, which is recognised by how it begins; `name` is what messages call it.

    It is Parquet, or text with values separated by commas, semicolons or tabs, which gzip may have compressed.
    """
    kind = ParquetPairs if is_parquet(path) else TextPairs
    return kind(path, columns, name or str(path))
