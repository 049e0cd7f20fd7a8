"""Read ratings files as datasets: the keys are whatever the file holds."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from pckv.arrays import Flags, Floats
from pckv.errors import ParameterError
from pckv.files.pairs.population import PopulationBuilder
from pckv.files.pairs.rows import Columns, PairsFile, format_number
from pckv.lab.dataset import Dataset
from pckv.progress import Progress, no_progress


def read_ratings(
    path: str | os.PathLike[str],
    columns: tuple[str, str, str],
    *,
    low: float | None = None,
    high: float | None = None,
    repeated: str | None = None,
    progress: Progress = no_progress,
) -> Dataset:
    """Return a CSV or Parquet file with one row per pair as a data set.

    Args:
        path: The file.
        columns: The names of the columns that hold the user, the key and the value.
        low: The least possible value; by default the least of the file.
        high: The largest possible value; by default the largest of the file.
        repeated: What counts where a user has a key twice, `last` or `mean`; by default such a file is refused.
        progress: Called with the share of the file that was read.

    Raises:
        DataError: if a row is not a pair within the range, or there are no pairs.
        ParameterError: if the range is none.
    """
    _check_range(low, high)
    path = Path(path)
    file = PairsFile(path, Columns(*columns))
    builder = PopulationBuilder(file)
    numbers: dict[str, int] = {}
    least, largest = np.inf, -np.inf
    for batch in file.batches(progress):
        used = ~batch.blank
        bad = used & ~_within(batch.values, low, high)
        if bad.any():
            first = int(np.argmax(bad))
            raise file.row_error(int(batch.rows[first]), _bad_value(float(batch.values[first]), low, high))
        names = [name for name in batch.keys.names if name]
        codes = {name: numbers.setdefault(name, len(numbers)) for name in names}
        keys = np.array([codes.get(name, -1) for name in batch.keys.names], np.int64)[batch.keys.codes]
        if (keys[used] < 0).any():
            raise file.row_error(int(batch.rows[used][np.argmax(keys[used] < 0)]), "no key")
        if used.any():
            least = min(least, batch.values[used].min())
            largest = max(largest, batch.values[used].max())
        builder.add(batch, keys, batch.values, used)
    names = list(numbers)
    population, _ = builder.build(repeated, names.__getitem__)
    if not names:
        raise file.error("no pairs")
    low, high = least if low is None else low, largest if high is None else high
    if not low < high:
        raise file.error(f"all values are {low:g}: give the range, low and high")
    return Dataset(path.name, population, len(names), float(low), float(high))


def _check_range(low: float | None, high: float | None) -> None:
    for what, end in (("low", low), ("high", high)):
        if end is not None and not np.isfinite(end):
            raise ParameterError(f"{what} must be a finite number, not {end}")
    if low is not None and high is not None and not low < high:
        raise ParameterError(f"low must be below high: {low:g} ≥ {high:g}")


def _within(values: Floats, low: float | None, high: float | None) -> Flags:
    return (
        np.isfinite(values)
        & (values >= (-np.inf if low is None else low))
        & (values <= (np.inf if high is None else high))
    )


def _bad_value(value: float, low: float | None, high: float | None) -> str:
    if not np.isfinite(value):
        return f"value {value} is not a finite number"
    return f"value {format_number(value)} is outside [{'…' if low is None else f'{low:g}'}, {'…' if high is None else f'{high:g}'}]"
