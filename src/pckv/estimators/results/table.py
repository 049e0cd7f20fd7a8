"""Results as tables of other tools: CSV, Arrow and pandas, from the same columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pckv.base.errors import require

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# The column of texts that every table has; in one without rows, nothing else tells its type.
KEY_COLUMN = "key"


def to_csv(columns: Mapping[str, Any], repeated: Mapping[str, Any]) -> str:
    """Return columns as CSV with a header; every row ends with the values that are `repeated`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*columns, *repeated))
    writer.writerows((*row, *repeated.values()) for row in zip(*columns.values(), strict=True))
    return text.getvalue()


def to_arrow(columns: Mapping[str, Any], about: Mapping[str, Any]) -> pa.Table:
    """Return columns as an Arrow table, with what they have in common in the schema's metadata."""
    arrow = require("pyarrow", extra="files")
    keys = arrow.array(columns[KEY_COLUMN], arrow.string())
    table = arrow.table(dict(columns) | {KEY_COLUMN: keys})
    return table.replace_schema_metadata({f"pckv.{name}": _as_text(value) for name, value in about.items()})


def to_pandas(columns: Mapping[str, Any], about: Mapping[str, Any]) -> pd.DataFrame:
    """Return columns as a DataFrame, with what they have in common in `attrs`."""
    frame: pd.DataFrame = require("pandas", extra="pandas").DataFrame(dict(columns))
    frame.attrs.update(about)
    return frame


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
