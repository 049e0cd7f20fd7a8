"""A population with what is known about it: keys, range, and the truth to compare with.

Ratings in files and tables as data sets: the keys are whatever they hold.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats
from pckv.base.errors import ParameterError
from pckv.base.levels import KEY_ALONE
from pckv.base.population import Population
from pckv.base.progress import Progress, no_progress
from pckv.files.pairs.population import LAST, NO_NAME, PopulationBuilder
from pckv.files.pairs.rows import PLAIN_FORM, Columns, PairsSource, RowBatch, TextForm, format_number, listed_keys
from pckv.files.pairs.sources import TablePairs, open_pairs


@dataclass(frozen=True, eq=False)
class Dataset:
    """The pairs of all people, the number of keys and the range of values.

    Keys without values count as 1, each of them, which is both ends of their range.

    Attributes:
        name: What the data are called in tables and charts.
        population: The pairs of all people.
        keys: The number of keys.
        low: The smallest value that is possible.
        high: The largest value that is possible.
    """

    name: str
    population: Population
    keys: int
    low: float
    high: float

    @property
    def users(self) -> int:
        """The number of participants."""
        return len(self.population)

    @property
    def has_values(self) -> bool:
        """Whether keys have values, or are only held."""
        return self.low < self.high

    @property
    def noun(self) -> str:
        """What people hold: a `pair`, or a `key` without a value."""
        return "pair" if self.has_values else "key"

    def scaled(self, values: Floats) -> Floats:
        """Return `values` of the data's own range on [-1, 1]; 0 where keys have none."""
        if not self.has_values:
            return np.zeros_like(values)
        return 2 * (values - self.low) / (self.high - self.low) - 1

    def with_range(self, low: float, high: float) -> Dataset:
        """Return the same people with values stretched to another range, from `low` to `high`."""
        values = low + (self.scaled(self.population.values) + 1) / 2 * (high - low)
        people = Population(self.population.offsets, self.population.keys, np.clip(values, low, high))
        return Dataset(self.name, people, self.keys, low, high)

    @cached_property
    def truth(self) -> tuple[Floats, Floats]:
        """The true frequency of every key, and the mean on [-1, 1] (0 where the key has no holders)."""
        frequency, mean = self.population.truth(self.keys)
        return frequency, np.where(frequency > 0, self.scaled(mean), 0.0)

    def sampled_share(self, padding: int) -> Floats:
        """Return the frequencies that reports show: holders of more pairs than the `padding` count for less."""
        weights = padding / np.maximum(self.population.sizes, padding)
        spread = np.repeat(weights, self.population.sizes)
        return np.asarray(np.bincount(self.population.keys, spread, minlength=self.keys) / max(self.users, 1))

    @property
    def set_sizes(self) -> dict[int, int]:
        """How many users hold how many pairs."""
        sizes, users = np.unique(self.population.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), users.tolist(), strict=True))

    def hidden_share(self, padding: int, factor: float = 1.0) -> float:
        """Return by how much a frequency may exceed what reports with this `padding`, ℓ, show, times a `factor` θ.

        That is the mean of 1 - θℓ/m over all people, where a person holds m > θℓ pairs.
        """
        return float(np.mean(np.maximum(1 - factor * padding / np.maximum(self.population.sizes, padding), 0)))

    def top(self, count: int | None) -> NDArray[np.int64]:
        """Return the numbers of the most frequent keys, the first `count` of them, or all if it is None."""
        return np.argsort(-self.truth[0], kind="stable")[:count]


def read_ratings(
    source: Any,
    columns: Sequence[str],
    *,
    low: float | None = None,
    high: float | None = None,
    repeated: str | None = None,
    form: TextForm = PLAIN_FORM,
    progress: Progress = no_progress,
) -> Dataset:
    """Return a file or a table with one row per pair as a data set to simulate with.

    Args:
        source: The path of a file (text with values separated by commas, semicolons or tabs, compressed by
            gzip or not, or Parquet), a DataFrame, or an Arrow table.
        columns: The names of the columns that hold the user, the key and the value; without the last one, keys have
            no values.
        low: The least possible value; by default the least of the source.
        high: The largest possible value; by default the largest of the source.
        repeated: What counts where a user has a key twice, `last` or `mean`; by default such a source is
            refused. A key without a value counts once.
        form: How a text file is encoded, how it writes decimals, and whether blanks around names are left out.
        progress: Called with the share of the source that was read.

    Returns:
        The pairs of all people, with all keys that appear in them.

    Raises:
        DataError: if a row is not a pair within the range, or there are no pairs.
        ParameterError: if the range is none, or there is one without values, or the source is neither a file nor a
            table.
    """
    _check_range(low, high)
    named = Columns(*columns)
    if not named.value:
        if (low, high, repeated) != (None, None, None):
            raise ParameterError("low, high and repeated are about values: name their column")
        (low,), (high,), repeated = KEY_ALONE, KEY_ALONE, LAST
    is_file = isinstance(source, str | os.PathLike)
    pairs = open_pairs(Path(source), named, form=form) if is_file else TablePairs(source, named, form)
    rows = _RatingRows(pairs, low, high)
    for batch in pairs.batches(progress):
        rows.add(batch)
    return rows.dataset(Path(source).name if is_file else pairs.name, repeated)


class _RatingRows:
    """The rows read so far: their keys are numbered as they appear, and their values are within the range."""

    def __init__(self, pairs: PairsSource, low: float | None, high: float | None) -> None:
        self._pairs, self._low, self._high = pairs, low, high
        self._numbers: dict[str, int] = {}
        keys = listed_keys(self._numbers.__getitem__, lambda key: list(self._numbers)[key])
        self._builder = PopulationBuilder(pairs, keys)
        self._least, self._largest = np.inf, -np.inf

    def add(self, batch: RowBatch) -> None:
        """Add a batch of rows, or refuse the first bad one."""
        used = ~batch.blank
        bad = used & ~_within(batch.values, self._low, self._high)
        if bad.any():
            first = int(np.argmax(bad))
            reason = _bad_value(float(batch.values[first]), self._low, self._high)
            raise self._pairs.row_error(int(batch.rows[first]), reason)
        names, numbers = batch.keys.names, self._numbers
        codes = {name: numbers.setdefault(name, len(numbers)) for name in names if name}
        keys = np.array([codes.get(name, -1) for name in names], np.int64)[batch.keys.codes]
        if (keys[used] < 0).any():
            raise self._pairs.row_error(int(batch.rows[used][np.argmax(keys[used] < 0)]), NO_NAME)
        if used.any():
            self._least = min(self._least, batch.values[used].min())
            self._largest = max(self._largest, batch.values[used].max())
        self._builder.add(batch, keys, batch.values, used)

    def dataset(self, name: str, repeated: str | None) -> Dataset:
        """Return all rows as a data set."""
        names = list(self._numbers)
        population, _ = self._builder.build(repeated)
        if not names:
            raise self._pairs.error("no pairs")
        low = self._least if self._low is None else self._low
        high = self._largest if self._high is None else self._high
        if self._pairs.columns.value and not low < high:
            raise self._pairs.error(f"all values are {low:g}: give the range, low and high")
        return Dataset(name, population, len(names), float(low), float(high))


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
    least, most = ("…" if end is None else f"{end:g}" for end in (low, high))
    return f"value {format_number(value)} is outside [{least}, {most}]"
