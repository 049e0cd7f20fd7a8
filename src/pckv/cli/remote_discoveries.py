"""Discoveries that a collector computes from the reports it has."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from pckv.base.canonical import check_names
from pckv.base.errors import DataError, ParameterError
from pckv.cli.remote import ask, collected, understood
from pckv.cli.remote_estimates import read_numbers
from pckv.client.transport import one_line
from pckv.estimators.results.discovery import Discovery, FollowedPrefix, FoundKey

FREQUENCIES = ("frequency", "frequency_low", "frequency_high")
FLOATS = ("epsilon", "level", "false_discovery_rate", "smallest_frequency")
WHOLE_NUMBERS = ("reports", "characters", "padding")


def collected_discovery(
    url: str, token: str, task_id: str, *, level: float, false_discovery_rate: float
) -> Discovery:
    """Return what a discovery on a collector found."""
    query = urlencode({"level": level, "false_discovery_rate": false_discovery_rate})
    answer = ask("GET", url, collected(task_id, f"/discovery?{query}"), token, estimates=True)
    with understood(url):
        found = read_discovery(answer)
    if found.task != task_id:
        raise DataError(f"{url}: it answers with another task, {one_line(found.task)}")
    return found


def read_discovery(document: dict[str, Any]) -> Discovery:
    """Return a discovery from its JSON; its keys are such as a file of keys can have."""
    keys = tuple(
        FoundKey(key=str(row["key"]), is_cut=bool(row["is_cut"]), **_numbers(row, FREQUENCIES))
        for row in document["keys"]
    )
    try:
        check_names((found.key for found in keys), "key")
    except ParameterError as error:
        raise ValueError(str(error)) from None
    tree = tuple(
        FollowedPrefix(
            prefix=str(row["prefix"]),
            length=int(row["length"]),
            ended=bool(row["ended"]),
            leads_to_key=bool(row["leads_to_key"]),
            **_numbers(row, FREQUENCIES),
        )
        for row in document["tree"]
    )
    counts = {name: int(document[name]) for name in WHOLE_NUMBERS}
    return Discovery(task=str(document["task"]), keys=keys, tree=tree, **counts, **_numbers(document, FLOATS))


def _numbers(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    numbers = read_numbers([row[name] for name in names], float)
    return dict(zip(names, numbers.tolist(), strict=True))
