"""Vectors of series: their ids and the tasks of their rounds, and texts that every implementation must refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from catalogue import COIN_TASKS, SERIES
from derived_tasks import SERIES as DERIVED_SERIES
from mixed_tasks import MIXED_SERIES
from pckv.base.days import days_after
from pckv.contract.series import Series
from without_values import SERIES as SERIES_WITHOUT_VALUES

# Days around which round a series is in is told: relative to its first.
DAYS = (-1, 0, 1, 6, 7, 13, 14, 363, 364)


def series_vectors() -> Iterator[dict[str, Any]]:
    """Yield series with ids, tasks of rounds and rounds of days, and texts that are not series."""
    yield from map(_described, SERIES)
    good = SERIES[0].to_json()
    for reason, text in (
        ("canonical", good + " "),
        ("canonical", good.replace(",", ", ")),
        ("unknown", good.replace('"version":1}', '"version":1,"zeal":1}')),
        ("missing", good.replace('"panels":4,', "")),
        ("twice", good.replace('"panels":4', '"panels":4,"panels":4')),
        *((f"{name} must be", text) for name, text in _bad_counts(good)),
        ("panels must be at most the number of rounds", good.replace('"rounds":52', '"rounds":3')),
        *(
            ("first must be a day", good.replace('"2026-12-28"', day))
            for day in ("null", '"2026-02-29"', '"28.12.2026"', "20261228", '"0000-01-01"')
        ),
        ("before the year 10000", good.replace('"2026-12-28"', '"9999-12-28"')),
        ("no days of its own", good.replace('"opens":null', '"opens":"2026-12-28"')),
        ("no days of its own", good.replace('"closes":null', '"closes":"2026-12-28"')),
        ("is a round of a series itself", _with_task(good, SERIES[0].task_of(1).to_json())),
        ("draws its coins on the device", _with_task(good, COIN_TASKS[0].to_json())),
        ("longer than 256 bytes", good.replace('"movies"', f'"{"x" * 242}"')),
        ("above 0", good.replace('"epsilon":"1"', '"epsilon":"0"')),
        ("not an object", "[]"),
        ("version", good.replace('"version":1}', '"version":2}')),
        ("not a task", re.sub(r'"task":.*,"version":1', '"task":null,"version":1', good)),
        ("not a series", good[:-1]),
    ):
        yield {"json": text, "fails_at": "series", "reason": reason}
    yield from map(_described, (*MIXED_SERIES, SERIES_WITHOUT_VALUES, DERIVED_SERIES))


def _bad_counts(good: str) -> Iterator[tuple[str, str]]:
    for name, value, most in (("panels", 4, 1000), ("period", 7, 3660), ("rounds", 52, 1_000_000)):
        wrong = ["0", "-1", str(most + 1), "true", f'"{value}"', *([] if name == "rounds" else ["null"])]
        yield from ((name, good.replace(f'"{name}":{value}', f'"{name}":{text}')) for text in wrong)


def _with_task(good: str, task: str) -> str:
    return re.sub(r'"task":.*,"version":1\}$', lambda _: f'"task":{task},"version":1}}', good)


def _described(series: Series) -> dict[str, Any]:
    last = series.rounds or 100
    return {
        "json": series.to_json(),
        "id": series.id,
        "rounds": {
            number: {"id": task.id, "opens": task.opens, "closes": task.closes}
            for number in sorted({1, 2, 3, 9, last} & set(range(1, last + 1)))
            for task in [series.task_of(number)]
        },
        "days": {day: series.round_on(day) for count in DAYS if (day := days_after(series.first, count))},
        "next": [
            [panel, after, series.next_round(panel, after)]
            for panel in range(min(series.panels, 4))
            for after in (0, 1, 2, 3, last - 1, last)
        ],
    }
