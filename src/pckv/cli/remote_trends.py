"""Trends that a collector computes from the reports it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from pckv.base.errors import DataError
from pckv.cli.remote import ask, understood
from pckv.cli.remote_estimates import read_estimates, read_numbers
from pckv.cli.series import series_path
from pckv.client.transport import one_line
from pckv.estimators.results.trend import COLUMNS, RoundSummary, Trend
from pckv.estimators.trends.changes import Changes, KeyChange

# The most rounds that a collector estimates together.
MAX_ROUNDS = 1000
SCALAR_TYPES = {"series": str, "name": str, "mechanism": str, "epsilon": float, "panels": int, "level": float}
ROUND_TYPES = {"round": int, "task": str, "opens": str, "closes": str, "reports": int}
FLAGS = ("mean_known", "changed")


def collected_trend(
    url: str, token: str, series_id: str, *, keys: Sequence[str], since: int | None, level: float, rate: float
) -> Trend:
    """Return the trend of a series on a collector, of some keys or of all."""
    query: dict[str, Any] = {"level": level, "rate": rate, "limit": MAX_ROUNDS, "keys": keys}
    query |= {} if since is None else {"since": since}
    path = series_path(series_id, f"/trend?{urlencode(query, doseq=True)}")
    answer = ask("GET", url, path, token, estimates=True)
    with understood(url):
        found = _read_trend(answer)
    if found.series != series_id:
        raise DataError(f"{url}: it answers with another series, {one_line(found.series)}")
    return found


def _read_trend(document: dict[str, Any]) -> Trend:
    """Return a trend from its JSON."""
    rows, names = document["keys"], [str(row["key"]) for row in document["keys"]]
    rounds = [
        RoundSummary(**{name: kind(each[name]) for name, kind in ROUND_TYPES.items()})
        for each in document["rounds"]
    ]
    columns = {name: _numbers(rows, name).reshape(len(rows), len(rounds)) for name in COLUMNS}
    pooled, changes = read_estimates(document["pooled"]), document["changes"]
    if pooled.key != names:
        raise ValueError("the pooled estimates are of other keys")
    return Trend(
        **{name: kind(document[name]) for name, kind in SCALAR_TYPES.items()},
        rounds=tuple(rounds),
        key=names,
        columns=columns,
        pooled=pooled,
        changes=None if changes is None else _read_changes(changes, names),
        # They are not sent: the collector has compared what was to be compared.
        counts=(),
    )


def _read_changes(document: dict[str, Any], names: list[str]) -> Changes:
    """Return changes from their JSON."""
    rows = document["keys"]
    if [row["key"] for row in rows] != names:
        raise ValueError("the changes are of other keys")
    return Changes(
        before=int(document["before"]),
        after=int(document["after"]),
        rate=float(document["false_discovery_rate"]),
        level=float(document["level"]),
        keys_compared=int(document["keys_compared"]),
        keys_changed=int(document["keys_changed"]),
        key=names,
        **{name: _numbers(rows, name) for name in KeyChange._fields[1:]},
    )


def _numbers(rows: list[dict[str, Any]], name: str) -> Any:
    return read_numbers([row[name] for row in rows], bool if name in FLAGS else float)
