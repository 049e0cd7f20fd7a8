"""Set sizes from a file: a histogram of sizes, or the estimates of a pilot."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pckv.errors import DataError, ParameterError, require
from pckv.planning.set_sizes import SetSizes, check_size

# The columns of a histogram, and those of a pilot's estimates.
HISTOGRAM_COLUMNS, PILOT_COLUMNS = {"size", "people"}, {"key", "frequency"}
# The low end of a share's interval, which is used where there is one.
LOW_COLUMN = "frequency_low"

Row = Mapping[str, Any]


def read_set_sizes(path: Path, task_file: Path | None = None) -> SetSizes:
    """Read a file with the columns size and people, or a pilot's estimates as an estimate's table has them.

    The format is that of the suffix: .csv, .json or .parquet.
    """
    if path.suffix not in READERS:
        raise DataError(f"a file of sizes is {', '.join(READERS)}", place=path)
    try:
        rows = READERS[path.suffix](path)
        if all(row.keys() >= HISTOGRAM_COLUMNS for row in rows):
            return SetSizes(_histogram(rows))
        return SetSizes.of_buckets((row["key"], row.get(LOW_COLUMN, row["frequency"])) for row in rows)
    except ParameterError as error:
        raise DataError(str(error), place=path) from None


def _histogram(rows: Iterable[Row]) -> dict[int, Any]:
    people: dict[int, Any] = {}
    for row in rows:
        text = row["size"]
        is_text = isinstance(text, str) and re.fullmatch(r"[0-9]{1,10}", text.strip())
        size = check_size(int(text) if is_text else text)
        if size in people:
            raise ParameterError(f"size {size} is there twice")
        people[size] = row["people"]
    return people


def _check_columns(names: Iterable[object]) -> None:
    present = set(names)
    if not (present >= HISTOGRAM_COLUMNS or present >= PILOT_COLUMNS):
        raise ParameterError("there must be columns size and people, or the estimates of a pilot")


def _read_csv(path: Path) -> list[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            _check_columns(reader.fieldnames or ())
            return list(reader)
        except csv.Error as error:
            raise ParameterError(f"not CSV ({error})") from None
        except UnicodeDecodeError:
            raise ParameterError("not UTF-8") from None


def _read_json(path: Path) -> list[Row]:
    try:
        rows = json.loads(path.read_bytes())["estimates"]
        for row in rows:
            _check_columns(row.keys())
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise ParameterError("not the JSON of a pilot's estimates") from None
    return list(rows)


def _read_parquet(path: Path) -> list[Row]:
    arrow, parquet = require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
    with path.open("rb") as raw:
        try:
            file = parquet.ParquetFile(raw)
            _check_columns(file.schema_arrow.names)
            return list(file.read().to_pylist())
        except (arrow.ArrowException, OSError, UnicodeDecodeError):
            raise ParameterError("not a Parquet file that can be read") from None


READERS: dict[str, Callable[[Path], list[Row]]] = {
    ".csv": _read_csv,
    ".json": _read_json,
    ".parquet": _read_parquet,
}
