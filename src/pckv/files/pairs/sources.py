"""Pairs in files and tables: text, Parquet, Arrow tables, and DataFrames."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.errors import DataError, ParameterError, first_line, require
from pckv.base.progress import Progress
from pckv.base.words import plural
from pckv.files.pairs.rows import PLAIN_FORM, ColumnBatch, Columns, EncodedNames, PairsSource, TextForm, encode
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

    PLACE = "line"

    def __init__(self, path: Path, columns: Columns, name: str, form: TextForm = PLAIN_FORM) -> None:
        super().__init__(columns, name, form)
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
        """What separates values: what gives the header the columns; the file's name decides a draw."""
        headers = {mark: header for mark in SEPARATORS if (header := self._header(mark)) is not None}
        fitting = [mark for mark, header in headers.items() if set(self.columns.names) <= set(header)]
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
                header = next(self._reader(file, separator), None)
            except csv.Error:
                return None
            if header is None:
                raise self.error("the file is empty")
            return self.form.names(header)

    def _reader(self, file: io.TextIOWrapper, separator: str, *, strict: bool = True) -> Any:
        return csv.reader(_lines(file), delimiter=separator, strict=strict, skipinitialspace=self.form.trim)

    def read_columns(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        size, start = self.path.stat().st_size or 1, 0
        with self._text() as (raw, file):
            reader = self._reader(file, self.separator)
            try:
                header = self.form.names(next(reader))
                self.check_header(header)
                places = {name: itemgetter(header.index(name)) for name in self.columns.names}
                while batch := list(islice(reader, rows_per_batch)):
                    rows = [fields for fields in batch if fields]
                    numbers = np.arange(start, start + len(rows))
                    start += len(rows)
                    self.findings.rows += len(rows)
                    whole = np.array([len(fields) == len(header) for fields in rows], np.bool_)
                    if not whole.all():
                        first = rows[int(np.argmin(whole))]
                        reason = f"{len(first)} fields where the header has {len(header)}"
                        differ = len({len(fields) for fields in rows} - {len(header)}) > 1
                        self.refuse(numbers[~whole], "another number of fields than the header", reason, differ=differ)
                        numbers, rows = numbers[whole], [fields for fields in rows if len(fields) == len(header)]
                    read = {name: list(map(pick, rows)) for name, pick in places.items()}
                    user, key, value, segment = self.columns
                    labels = encode(read[segment]) if segment else None
                    yield ColumnBatch(numbers, encode(read[user]), encode(read[key]), read.get(value), labels)
                    progress(raw.tell() / size)
            except csv.Error as error:
                raise DataError(str(error), place=f"{self.name}, line {reader.line_num}") from None

    def places(self, rows: Sequence[int]) -> list[int]:
        """Return the lines on which rows end, as an editor counts lines."""
        places, read = [], 0
        with self._text(errors="replace") as (_, file):
            reader = self._reader(file, self.separator, strict=False)
            # The first one is the header.
            whole = (fields for fields in reader if fields)
            for row in rows:
                next(islice(whole, row + 1 - read, None), None)
                places.append(reader.line_num)
                read = row + 2
        return places

    @contextmanager
    def _text(self, errors: str = "strict") -> Iterator[tuple[BinaryIO, io.TextIOWrapper]]:
        """Yield the file as it is stored, and its text."""
        encoding = self.form.encoding
        with self._bytes() as (raw, data), io.TextIOWrapper(data, encoding, errors, newline="") as text:
            try:
                yield raw, text
            except UnicodeError:
                known = "UTF-8" if encoding == PLAIN_FORM.encoding else encoding
                place = f"{self.name}, line {self._undecodable_line()}"
                raise DataError(f"not {known}", place=place, code="wrong_encoding") from None

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

    def _undecodable_line(self) -> int:
        """Return the line with the first bytes that are no text in the encoding."""
        decoder, lines = codecs.getincrementaldecoder(self.form.encoding)(), 1
        with self._bytes() as (_, file):
            try:
                while chunk := file.read(CHUNK_BYTES):
                    lines += decoder.decode(chunk).count("\n")
                decoder.decode(b"", final=True)
            except UnicodeDecodeError as error:
                lines += error.object[: error.start].decode(self.form.encoding, "ignore").count("\n")
            except UnicodeError:
                # What the decoders of some encodings raise names no place.
                pass
        return lines


def _lines(file: io.TextIOWrapper) -> Iterator[str]:
    """Yield the lines of a file; one that is too long is cut, so that its fields are too long or too few."""
    return iter(partial(file.readline, MAX_LINE_LENGTH), "")


class ParquetPairs(PairsSource):
    """A Parquet file of pairs."""

    def __init__(self, path: Path, columns: Columns, name: str, form: TextForm = PLAIN_FORM) -> None:
        super().__init__(columns, name, form)
        self.path = path

    @property
    def possible_rows(self) -> float:
        metadata = self._open().metadata
        groups = map(metadata.row_group, range(metadata.num_row_groups))
        # Columns of lists have more values than rows.
        return sum(
            max((int(group.column(place).num_values) for place in range(group.num_columns)), default=0)
            for group in groups
        )

    def read_columns(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        file = self._open()
        self.check_header(file.schema_arrow.names)
        batches = file.iter_batches(rows_per_batch, columns=self.columns.names)
        yield from _columns(self, batches, file.metadata.num_rows, progress)

    def _open(self) -> Any:
        return open_parquet(self.path, "a Parquet file", self.name)


class TablePairs(PairsSource):
    """Pairs in memory: an Arrow table, or whatever can be made one."""

    def __init__(self, frame: Any, columns: Columns, form: TextForm = PLAIN_FORM) -> None:
        arrow = require("pyarrow", extra="files")
        self.is_pandas = is_pandas(frame)
        super().__init__(columns, "DataFrame" if self.is_pandas else "table", form)
        try:
            if self.is_pandas:
                self.check_header(list(frame.columns))
                self._table = arrow.Table.from_pandas(frame[columns.names], preserve_index=False)
            else:
                self._table = as_table(frame)
        except (arrow.ArrowException, UnicodeError, OverflowError) as error:
            raise self.error(f"cannot be read ({first_line(error)})") from None
        self.check_header(self._table.column_names)

    @property
    def possible_rows(self) -> float:
        return int(self._table.num_rows)

    def read_columns(self, rows_per_batch: int, progress: Progress) -> Iterator[ColumnBatch]:
        table = self._table.select(self.columns.names)
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
    """Yield the columns of record batches; a column of lists has all pairs of a person in one row."""
    arrow = require("pyarrow", extra="files")
    done = 0
    try:
        for batch in batches:
            source.findings.rows += len(batch)
            names = source.columns
            single = [batch.column(name) for name in (names.user, names.segment) if name]
            held = [batch.column(name) for name in (names.key, names.value) if name]
            numbers = np.arange(done, done + len(batch))
            if any(_is_list(arrow, column) for column in held):
                numbers, single, held = _one_row_per_pair(source, arrow, numbers, single, held)
            key, *value = held
            user, *label = (_encode(arrow, column) for column in single)
            values = _values(arrow, value[0]) if value else None
            yield ColumnBatch(numbers, user, _encode(arrow, key), values, label[0] if label else None)
            done += len(batch)
            progress(done / max(rows, 1))
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise source.error(f"cannot be read ({first_line(error)})") from None


def _is_list(arrow: Any, column: Any) -> bool:
    kinds = (arrow.types.is_list, arrow.types.is_large_list, arrow.types.is_fixed_size_list)
    return any(is_kind(column.type) for is_kind in kinds)


def _one_row_per_pair(
    source: PairsSource, arrow: Any, numbers: Integers, single: list[Any], lists: list[Any]
) -> tuple[Integers, list[Any], list[Any]]:
    """Return the numbers, the columns of users and labels, and those of lists with one row per entry.

    A row without entries stays as one without a pair.
    """
    compute = require("pyarrow.compute", extra="files")
    if not all(_is_list(arrow, column) for column in lists):
        names = f"{source.columns.key!r} and {source.columns.value!r}"
        raise source.error(f"columns {names} must both hold lists, or none")
    lengths = [compute.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False) for column in lists]
    unequal = lengths[0] != lengths[-1]
    if unequal.any():
        first = int(np.argmax(unequal))
        reason = f"{plural(int(lengths[0][first]), 'key')} and {plural(int(lengths[-1][first]), 'value')}"
        differ = len(set(zip(lengths[0][unequal].tolist(), lengths[-1][unequal].tolist(), strict=True))) > 1
        source.refuse(numbers[unequal], "another number of keys than values", reason, differ=differ)
        kept = arrow.array(~unequal)
        single, lists = ([column.filter(kept) for column in columns] for columns in (single, lists))
        numbers, lengths = numbers[~unequal], [lengths[0][~unequal]]
    repeats = np.maximum(lengths[0], 1)
    rows = np.repeat(np.arange(numbers.size), repeats)
    has_entry = np.repeat(lengths[0] > 0, repeats)
    # A row without entries takes none, which Arrow writes as null.
    entries = arrow.array(np.cumsum(has_entry) - 1, mask=~has_entry)
    of_person = arrow.array(rows)
    return (
        numbers[rows],
        [column.take(of_person) for column in single],
        [compute.list_flatten(each).take(entries) for each in lists],
    )


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


def open_pairs(path: Path, columns: Columns, name: str | None = None, form: TextForm = PLAIN_FORM) -> PairsSource:
    """Return the pairs of a file, which is recognised by how it begins; `name` is what messages call it.

    It is Parquet, or text with values separated by commas, semicolons or tabs, which gzip may have compressed.
    """
    kind = ParquetPairs if is_parquet(path) else TextPairs
    return kind(path, columns, name or str(path), form)
