"""Estimates that a collector computes from the reports it has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from pckv.base.errors import DataError
from pckv.base.limits import REFUSE_BETWEEN, check_between
from pckv.cli.remote import ask, collected, understood
from pckv.client.transport import one_line
from pckv.estimators.alarms.result import Alarms
from pckv.estimators.results.distributions import DEVIATIONS, Distributions, LevelShare
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import COLUMNS
from pckv.estimators.sets import SetSummary
from pckv.estimators.verdict import verdict

SCALAR_TYPES = {
    "task": str,
    "mechanism": str,
    "reports": int,
    "epsilon": float,
    "method": str,
    "level": float,
    "hostile": int,
}
# What only some tables have.
OPTIONAL_TYPES = {"other": str, "false_discovery_rate": float}
NUMBERS, FLAGS = COLUMNS[1:], ("mean_known", "detected")


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
    query = {name: value for name, value in options.items() if value is not None}
    path = collected(task_id, f"/estimates?{urlencode(query, doseq=True)}")
    # There may be more keys than an address takes.
    body = json.dumps({"keys": keys}).encode() if keys else None
    answer = ask("POST" if keys else "GET", url, path, token, body, estimates=True)
    overview = ask("GET", url, collected(task_id, "/overview"), token)
    with understood(url):
        estimates, alarms = read_estimates(answer), overview["alarms"]
        alarms = None if alarms is None else Alarms.from_dict(alarms).to_dict()
        name, unit = str(overview["name"]), str(overview["about"]["unit"])
    if estimates.task != task_id:
        raise DataError(f"{url}: it answers with another task, {one_line(estimates.task)}")
    if keys:
        # The collector's sentences are about all keys, and these are to be about those asked for.
        with understood(url):
            estimates = replace(estimates, verdict=verdict(estimates))
    return EstimatedTask(estimates, alarms, name, unit)


def read_estimates(document: dict[str, Any]) -> Estimates:
    """Return estimates from their JSON."""
    rows = document["estimates"]
    columns: dict[str, Any] = {
        name: read_numbers([row[name] for row in rows], bool if name in FLAGS else float) for name in NUMBERS
    }
    sizes = document["sizes"]
    sets = SetSummary(**sizes | {"ends": tuple(sizes["ends"]), "shares": tuple(sizes["shares"])})
    return Estimates(
        **{name: kind(document[name]) for name, kind in SCALAR_TYPES.items()},
        sets=sets,
        verdict=tuple(map(str, document["verdict"])),
        key=[str(row["key"]) for row in rows],
        **columns,
        # It is not sent, and nothing that a command prints or writes has it.
        mean_misfit=np.zeros(len(rows), np.bool_),
        collides=read_numbers([row.get("collides", False) for row in rows], bool),
        distributions=_read_distributions(document),
        **{name: kind(document[name]) for name, kind in OPTIONAL_TYPES.items() if name in document},
    )


def _read_distributions(document: dict[str, Any]) -> Distributions:
    """Return how holders are spread over the levels, where the rows tell it."""
    rows = document["estimates"]
    if "between" not in document:
        return Distributions.none(len(rows))
    values, *columns = (
        np.stack([read_numbers([each[name] for each in row["shares"]], float) for row in rows])
        for name in LevelShare._fields
    )
    if (values != values[0]).any():
        raise ValueError("keys of different levels")
    deviations = (read_numbers([row[name] for row in rows], float) for name in DEVIATIONS)
    exact = check_between(document["between"]) == REFUSE_BETWEEN
    return Distributions(tuple(values[0].tolist()), exact, *columns, *deviations)


def read_numbers(values: list[Any], kind: type[float | bool]) -> NDArray[Any]:
    """Return numbers as an array; what is none, or not finite, is a `ValueError`."""
    numbers = np.array(values, kind)
    if not np.isfinite(numbers).all():
        raise ValueError("not a finite number")
    return numbers
