"""Which rows of a table of estimates a request asks for, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from fastapi import Query

from pckv.arrays import Flags, Integers
from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.estimators.result import Estimates

# In this order, keys that stand out from the noise come first, and the most frequent first among those and the others.
DETECTED = "detected"
SORTS = ("key", "frequency", "-frequency", "mean", "-mean", DETECTED)
# How many quantiles, or shares above or below a value, a request may ask for.
MAX_QUESTIONS = 16


class WantedRows(NamedTuple):
    """Some rows of a table, and columns besides."""

    top: int | None
    search: str
    order: str
    limit: int | None
    offset: int
    quantiles: Sequence[float]
    above: Sequence[float]
    below: Sequence[float]


def parse_rows(
    top: Annotated[int | None, Query(ge=1)] = None,
    search: Annotated[str, Query(max_length=256)] = "",
    sort: Annotated[str | None, Query(max_length=32)] = None,
    limit: Annotated[int | None, Query(ge=1)] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    quantile: Annotated[list[float] | None, Query(max_length=MAX_QUESTIONS)] = None,
    above: Annotated[list[float] | None, Query(max_length=MAX_QUESTIONS)] = None,
    below: Annotated[list[float] | None, Query(max_length=MAX_QUESTIONS)] = None,
) -> WantedRows:
    """Return which rows to show, according to a query string."""
    return WantedRows(top, search, _order(sort, top), limit, offset, quantile or (), above or (), below or ())


def _order(sort: str | None, top: int | None) -> str:
    if sort is not None and sort not in SORTS:
        raise ProblemDetails(ProblemKind.MALFORMED, f"sort must be one of {', '.join(SORTS)}")
    if top is None:
        return sort or "key"
    if sort is not None:
        raise ProblemDetails(
            ProblemKind.MALFORMED, "sort cannot be combined with top, which sorts by frequency"
        )
    return "-frequency"


def sorted_rows(estimates: Estimates, rows: Integers, order: str) -> Integers:
    """Return rows in an order; the key for all that are not listed comes last, whatever its numbers."""
    if order == "key":
        return rows
    if order == DETECTED:
        rows = rows[np.lexsort((-estimates.frequency[rows], ~estimates.detected[rows]))]
    else:
        column = getattr(estimates, order.removeprefix("-"))[rows]
        rows = rows[np.argsort(-column if order.startswith("-") else column, kind="stable")]
    return top_rows(estimates, rows, rows.size)


def top_rows(estimates: Estimates, rows: Integers, count: int) -> Integers:
    """Return the first rows of listed keys, and after them that of all others where it is among the rows."""
    listed = is_listed(estimates, rows)
    return np.concatenate([rows[listed][:count], rows[~listed]])


def is_listed(estimates: Estimates, rows: Integers) -> Flags:
    """Return which of some rows are those of listed keys: all but the one of the key for all others."""
    if estimates.other is None:
        return np.ones(rows.size, np.bool_)
    return np.asarray(rows != estimates.key.index(estimates.other))
