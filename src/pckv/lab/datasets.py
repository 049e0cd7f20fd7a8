"""Ratings files of any kind as datasets: keys are whatever the file holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pckv.errors import ParameterError
from pckv.files.pairs.population import PopulationBuilder
from pckv.files.pairs.rows import Columns, PairsFile, format_number
from pckv.lab.dataset import Dataset
from pckv.progress import Progress, no_progress


def read_dataset(
    path: Path,
    columns: Columns,
    *,
    low: float | None = None,
    high: float | None = None,
    repeated: str | None = None,
    progress: Progress = no_progress,
) -> Dataset:
    """Read a CSV or Parquet file; the range is found in the data where it is not given."""
    for what, end in (("low", low), ("high", high)):
        if end is not None and not np.isfinite(end):
            raise ParameterError(f"{what} must be a finite number, not {end}")
    if low is not None and high is not None and not low < high:
        raise ParameterError(f"low must be below high: {low:g} ≥ {high:g}")
    file = PairsFile(path, columns)
    builder = PopulationBuilder(file)
    numbers: dict[str, int] = {}
    found_low, found_high = np.inf, -np.inf
    for batch in file.batches(progress):
        used = ~batch.blank
        bad = used & ~_within(batch.values, low, high)
        if bad.any():
            place = int(np.argmax(bad))
            raise file.row_error(int(batch.rows[place]), _bad_value(float(batch.values[place]), low, high))
        names = [name for name in batch.keys.names if name]
        codes = {name: numbers.setdefault(name, len(numbers)) for name in names}
        keys = np.array([codes.get(name, -1) for name in batch.keys.names], np.int64)[batch.keys.codes]
        if (keys[used] < 0).any():
            raise file.row_error(int(batch.rows[used][np.argmax(keys[used] < 0)]), "no key")
        if used.any():
            found_low = min(found_low, batch.values[used].min())
            found_high = max(found_high, batch.values[used].max())
        builder.add(batch, keys, batch.values, used)
    names = list(numbers)
    population, _ = builder.build(repeated, names.__getitem__)
    if not names:
        raise file.error("no pairs")
    low, high = found_low if low is None else low, found_high if high is None else high
    if not low < high:
        raise file.error(f"all values are {low:g}", "no_range")
    return Dataset(path.name, population, len(names), float(low), float(high))


def _within(values: NDArray[np.float64], low: float | None, high: float | None) -> NDArray[np.bool_]:
    return (
        np.isfinite(values)
        & (values >= (-np.inf if low is None else low))
        & (values <= (np.inf if high is None else high))
    )


def _bad_value(value: float, low: float | None, high: float | None) -> str:
    if not np.isfinite(value):
        return f"value {value} is not a finite number"
    return f"value {format_number(value)} is outside [{'…' if low is None else f'{low:g}'}, {'…' if high is None else f'{high:g}'}]"
