"""Which rows of a table of estimates a request asks for, and in which order.

The keys that an analyst asks for in the body of a request: many, each once.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from fastapi import Depends, Query, Request

from pckv.base.arrays import Flags, Integers
from pckv.base.canonical import MAX_NAME_BYTES, check_names
from pckv.base.errors import ParameterError
from pckv.collector.http.bodies import JSON_TYPE, check_json
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.estimators.results.estimates import Estimates

MAX_ASKED_KEYS = 100_000
# A list of anything but texts could take far more memory than the body that it is parsed from.
_LIST_OF_TEXTS = re.compile(
    rb'\s*\{\s*"keys"\s*:\s*\[\s*(?:"(?:[^"\\]++|\\.)*+"\s*,?\s*)*+\]\s*\}\s*', re.DOTALL
)

ASKED_KEYS_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON_TYPE: {
                "schema": {
                    "type": "object",
                    "properties": {
                        "keys": {
                            "type": "array",
                            "items": {"type": "string", "minLength": 1, "maxLength": MAX_NAME_BYTES},
                            "minItems": 1,
                            "maxItems": MAX_ASKED_KEYS,
                            "uniqueItems": True,
                        }
                    },
                    "required": ["keys"],
                    "additionalProperties": False,
                }
            }
        },
    }
}


async def read_asked_keys(request: Request) -> tuple[str, ...]:
    """Return the keys that the body of a request names, or raise the problem with it."""
    check_json(request, "a list of keys")
    if "keys" in request.query_params:
        raise ProblemDetails(
            ProblemKind.MALFORMED, "the body names the keys: leave keys out of the address", field="keys"
        )
    return await asyncio.to_thread(parse_asked_keys, await request.body())


AskedKeys = Annotated[tuple[str, ...], Depends(read_asked_keys)]


def parse_asked_keys(body: bytes) -> tuple[str, ...]:
    """Return the keys of a body: texts that may be keys, no two of them the same."""
    try:
        keys = json.loads(body)["keys"] if _LIST_OF_TEXTS.fullmatch(body) else None
    except ValueError:
        keys = None
    if not keys:
        raise ProblemDetails(ProblemKind.MALFORMED, 'the body must be {"keys": […]}, a list of texts')
    if len(keys) > MAX_ASKED_KEYS:
        raise ProblemDetails(ProblemKind.TOO_LARGE, f"a request names at most {MAX_ASKED_KEYS:,} keys")
    try:
        return check_names(keys, "key")
    except ParameterError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error), field="keys") from None


# In this order, keys that stand out from the noise come first, and the most frequent first among those and
# the others.
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
