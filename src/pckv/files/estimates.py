"""Estimates as a Parquet file."""

from __future__ import annotations

import io

from pckv.errors import require
from pckv.estimators.result import Estimates


def estimates_to_parquet(estimates: Estimates) -> bytes:
    """Return a Parquet file with one row per key."""
    file = io.BytesIO()
    require("pyarrow.parquet", extra="files").write_table(estimates.to_arrow(), file)
    return file.getvalue()
