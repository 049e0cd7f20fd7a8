"""What the page of one key shows: its estimate in people, neighbours, levels, and what would be sharper."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query

from pckv.charts.estimates import how_estimated, levels_chart
from pckv.charts.shares import QUANTILES, values_chart
from pckv.collector.analysis.estimates import EstimateOptions, QueryOptions, is_listed, sorted_rows
from pckv.collector.http.auth import Account
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import malformed_input
from pckv.collector.state import CurrentCollector
from pckv.contract.task import Task
from pckv.estimators.needed import Precision
from pckv.estimators.results.estimates import Estimates
from pckv.planning.people import MIN_FREQUENCY

LEVELS = (0.5, 0.8, 0.95, 0.99)

router = APIRouter(tags=["dashboard"])
KeyName = Annotated[str, Query(max_length=256)]


@router.get("/tasks/{task_id}/key", summary="One key in detail")
@Policy(Access.ANALYSTS)
async def key_details(
    task_id: str,
    name: KeyName,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
) -> dict[str, Any]:
    """Return the estimate of a key, the people it means, its neighbours, and what would be sharper.

    `people` are those among the senders of the reports who hold the key. `rank` counts the keys by their
    estimated frequencies from 1; it and `keys` are null where no other key was estimated, and for that of all
    keys that are not listed. `sharper` is null without reports, or if some may be hostile. In it, `noise` is
    the typical error of the frequency, `hidden` by how much it may be higher because people hold more pairs
    than the padding, and keys below `smallest` are often too rare to tell today. With more than two levels
    the estimate has quantiles of the values of those who hold the key, and for every level the shares of them
    `above` and `below` it.
    """
    stored = await collector.contracts.find(task_id)
    options, number = _question(stored.task, name, options)
    _, estimates = await collector.estimates.find(account, stored.task, options)

    def details() -> dict[str, Any]:
        found = _asked(estimates.take(np.array([number]))).to_dict()
        [row] = found.pop("estimates")
        return found | {
            "estimate": row,
            "people": _people(row, estimates.reports),
            **_rank(estimates, number, alone=options.keys is not None),
            "sharper": _sharper(stored.task, estimates, row["frequency"]),
        }

    return await collector.analysis_threads.run_short(details)


@router.get("/tasks/{task_id}/key/levels", summary="One key at several levels")
@Policy(Access.ANALYSTS)
async def key_levels(
    task_id: str,
    name: KeyName,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
) -> dict[str, Any]:
    """Return the estimate of a key with intervals at several levels, and a Vega-Lite specification of them.

    `distribution_chart` is that of the values of those who hold the key, null unless the task has more than
    two levels.
    """
    stored = await collector.contracts.find(task_id)
    options, number = _question(stored.task, name, options)
    levels = sorted({*LEVELS, options.level})
    # All of one tally: reports may arrive meanwhile.
    asked = [options._replace(level=level) for level in levels]
    _, found = await collector.estimates.find_all(account, stored.task, asked)
    own = [estimates.take(np.array([number])) for estimates in found]
    rows = [
        each.to_dict()["estimates"][0] | {"level": level} for level, each in zip(levels, own, strict=True)
    ]
    wanted = own[levels.index(options.level)]
    # A key that stands out from the noise at some level does so at all lower ones, as the chart expects.
    chart = levels_chart(
        rows,
        title=f"{stored.task.name}: {name}",
        subtitle=", ".join(filter(None, (how_estimated(wanted), wanted.hostile_note))),
        unit=stored.task.about.unit,
    )
    threads = collector.analysis_threads
    return {
        "levels": rows,
        "chart": await threads.run_short(chart.to_dict),
        "distribution_chart": await threads.run_short(partial(_distribution_chart, wanted, stored.task)),
    }


def _distribution_chart(own: Estimates, task: Task) -> dict[str, Any] | None:
    if not own.level_values:
        return None
    specification: dict[str, Any] = values_chart(own, name=task.name, unit=task.about.unit).to_dict()
    return specification


def _asked(own: Estimates) -> Estimates:
    """Return the estimates of a key with all that its page shows of how values are spread."""
    values = own.level_values
    return own.ask(QUANTILES, values, values) if values else own


def _question(task: Task, name: str, options: EstimateOptions) -> tuple[EstimateOptions, int]:
    """Return the options for estimates with a key, and the row of the key in them."""
    with malformed_input():
        number = task.key_index(name)
    options = options._replace(keys=(name,)).resolved(task)
    return options, number if options.keys is None else 0


def _rank(estimates: Estimates, number: int, *, alone: bool) -> dict[str, Any]:
    """Return where a key stands among all, and its neighbours there; `alone`: no other key was estimated."""
    order = sorted_rows(estimates, np.arange(len(estimates)), "-frequency")
    order = order[is_listed(estimates, order)]
    places = np.flatnonzero(order == number)
    if alone or not places.size:
        return {"rank": None, "keys": None, "previous": None, "next": None}
    rank = int(places[0])
    return {
        "rank": rank + 1,
        "keys": order.size,
        "previous": estimates.key[order[rank - 1]] if rank else None,
        "next": estimates.key[order[rank + 1]] if rank + 1 < order.size else None,
    }


def _people(row: dict[str, Any], reports: int) -> dict[str, int]:
    """Return how many of those who sent the reports hold the key: the estimate and its interval."""
    return {
        end or "estimate": round(reports * min(max(row[f"frequency{end and '_'}{end}"], 0.0), 1.0))
        for end in ("", "low", "high")
    }


def _sharper(task: Task, estimates: Estimates, frequency: float) -> dict[str, Any] | None:
    if not estimates.reports or estimates.hostile:
        return None
    frequency, candidates = min(max(frequency, MIN_FREQUENCY), 1.0), 1 if task.is_hashed else None
    known = Precision(task, estimates.sets, estimates.reports, frequency, candidates)
    return {
        "noise": known.noise(known.reports).frequency,
        "hidden": known.hidden(known.reports),
        "size_answers": known.sets.answers,
        "smallest": known.smallest(known.reports),
    }
