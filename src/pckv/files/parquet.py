"""Parquet files: recognising one and opening one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pckv.base.errors import DataError, first_line, require

PARQUET_MAGIC = b"PAR1"


def is_parquet(path: Path) -> bool:
    """Return whether a file begins like Parquet."""
    with path.open("rb") as file:
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def open_parquet(path: Path, kind: str, name: str | None = None) -> Any:
    """Open a Parquet file, or raise a `DataError` that says what kind of file it is not.

    `name` is what the message calls the file, where that is not its path.
    """
    arrow, parquet = require("pyarrow", extra="files"), require("pyarrow.parquet", extra="files")
    try:
        file = parquet.ParquetFile(path)
        _ = file.schema_arrow.names
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"not {kind} ({first_line(error)})", place=name or path) from None
    return file
