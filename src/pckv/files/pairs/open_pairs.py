"""Opening a file of pairs, whatever its format."""

from __future__ import annotations

from pathlib import Path

from pckv.files.pairs.rows import Columns, PairsSource
from pckv.files.pairs.tables import ParquetPairs
from pckv.files.pairs.text import TextPairs
from pckv.files.parquet import is_parquet


def open_pairs(path: Path, columns: Columns, name: str | None = None) -> PairsSource:
    """Return the pairs of a file, which is recognised by how it begins.

    Args:
        path: A Parquet file, or text with values separated by commas, semicolons or tabs, which gzip may have
            compressed.
        columns: The names of the three columns.
        name: What messages call the file, where that is not its path.
    """
    kind = ParquetPairs if is_parquet(path) else TextPairs
    return kind(path, columns, name or str(path))
