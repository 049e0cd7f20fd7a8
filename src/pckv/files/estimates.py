"""Estimates and trends as a Parquet file."""

from __future__ import annotations

import io

from pckv.base.errors import require
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.trend import Trend


def estimates_to_parquet(estimates: Estimates | Trend) -> bytes:
    """Return a Parquet file with one row per key, of a trend one per key and round."""
    file = io.BytesIO()
    require("pyarrow.parquet", extra="files").write_table(estimates.to_arrow(), file)
    return file.getvalue()
