"""Estimates that a collector computes from the reports it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np

from pckv.cli.remote import ask, collected, understood
from pckv.estimators.result import COLUMNS, SCALARS, Estimates
from pckv.estimators.set_sizes import SetSummary
from pckv.estimators.verdict import verdict


class EstimatedTask(NamedTuple):
    """The estimates of a task, its alarms if they were checked, and what charts say of it."""

    estimates: Estimates
    alarms: dict[str, Any] | None
    name: str
    unit: str


def collected_estimates(
    url: str, token: str, task_id: str, *, keys: Sequence[str], **options: Any
) -> EstimatedTask:
    """Return the estimates of a task on a collector, of some keys or of all."""
    query = {name: value for name, value in options.items() if value is not None} | {"keys": keys}
    answer = ask("GET", url, collected(task_id, f"/estimates?{urlencode(query, doseq=True)}"), token)
    overview = ask("GET", url, collected(task_id, "/overview"), token)
    with understood(url):
        estimates = _read_estimates(answer)
        alarms, name, unit = overview["alarms"], str(overview["name"]), str(overview["about"]["unit"])
    if keys:
        # The collector's sentences are about all keys, and these are to be about those asked for.
        said = verdict(estimates.reports, estimates.detected, estimates.sets, estimates.hostile)
        estimates = replace(estimates, verdict=said)
    return EstimatedTask(estimates, alarms, name, unit)


def _read_estimates(document: dict[str, Any]) -> Estimates:
    """Return estimates from their JSON."""
    rows = document["estimates"]
    columns: dict[str, Any] = {
        name: np.array([row[name] for row in rows]) for name in COLUMNS if name != "key"
    }
    sizes = document["sizes"]
    sets = SetSummary(**sizes | {"ends": tuple(sizes["ends"]), "shares": tuple(sizes["shares"])})
    return Estimates(
        **{name: document[name] for name in SCALARS},
        sets=sets,
        verdict=tuple(document["verdict"]),
        key=[row["key"] for row in rows],
        **columns,
        # It is not sent, and nothing that a command prints or writes has it.
        mean_misfit=np.zeros(len(rows), np.bool_),
    )
