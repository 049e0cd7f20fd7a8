"""What the dashboard shows about tasks: phase, reports, invitations, charts, precision and single keys."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from pckv.base.days import Phase
from pckv.charts.estimates import (
    QUANTILES,
    how_estimated,
    levels_chart,
    ranges_chart,
    shares_chart,
    subtitle_lines,
    values_chart,
)
from pckv.charts.pairs import pairs_chart
from pckv.charts.segments import segments_chart
from pckv.collector.analysis.estimates import (
    ASKED_KEYS_BODY,
    ESTIMATES,
    MAX_ASKED_KEYS,
    NO_SNAPSHOT,
    PAIRS,
    SEGMENTS,
    AskedKeys,
    EstimateOptions,
    QueryOptions,
    file_stem,
    is_listed,
    part_of,
    sorted_rows,
)
from pckv.collector.app import Collector, CurrentCollector
from pckv.collector.contracts.contracts import task_facts
from pckv.collector.contracts.series import MAX_NUMBER
from pckv.collector.contracts.tasks import MAX_TASKS_PER_PAGE
from pckv.collector.http.auth import Account
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import malformed_input
from pckv.collector.recipient.status import batch_members
from pckv.contract.facts import fact_members, said
from pckv.contract.task import Task
from pckv.estimators.estimate import default_method
from pckv.estimators.methods.registry import METHODS, POSTS
from pckv.estimators.needed import Precision
from pckv.estimators.results.estimates import Estimates
from pckv.planning.people import DEFAULT_CANDIDATES, MIN_FREQUENCY
from pckv.planning.prediction import ExpectedErrors
from pckv.planning.sections import HALF_RANGE
from pckv.store.base import StoredTask, TaskFilter

# The key of examples for a task that lists none.
ANY_KEY = "any text"

router = APIRouter(tags=["dashboard"])


def derived_members(task: Task) -> dict[str, Any]:
    """Return what is asked beyond single keys: a segment, or which keys are held together."""
    segment = task.segment
    return {"segment": None if segment is None else segment.to_member(), "together": task.domain.together}


def _facts(collector: Collector, stored: StoredTask, reports: int) -> dict[str, Any]:
    day = collector.contracts.today()
    return task_facts(stored, day) | {"phase": stored.phase(day).value, "reports": reports}


@router.get("/overview", summary="Tasks with their reports counted")
@Policy(Access.ANALYSTS)
async def tasks(
    collector: CurrentCollector,
    search: Annotated[str, Query(max_length=256)] = "",
    state: Phase | None = None,
    limit: Annotated[int, Query(ge=1, le=MAX_TASKS_PER_PAGE)] = 100,
    after: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
    rounds: bool = False,  # noqa: FBT002
) -> dict[str, list[dict[str, Any]]]:
    """Return tasks, newest first, with their phases, numbers of reports and the last report's days.

    `has_alarms` is whether reports were unusual when they were checked last.
    `search` is a part of the name, whatever its case; `state` is waiting, open or closed; `after` is the
    `number` of the last task that is known already. Rounds of series are left out unless `rounds` is true.
    """
    # No name holds one, and PostgreSQL takes none.
    chosen = TaskFilter(search.replace("\0", "\ufffd"), state, collector.contracts.today(), rounds)

    def query_store() -> list[dict[str, Any]]:
        listed = collector.store.newest_tasks(limit, after, chosen)
        ids = [stored.task.id for stored in listed]
        counts, days = collector.store.report_counts(ids), collector.store.last_report_days(ids)
        batches, checked = collector.store.fetched_batches(ids), collector.alarm_watch.find_all(ids)
        return [
            _facts(collector, stored, counts[stored.task.id])
            | {
                "last_report": days.get(stored.task.id),
                "batch": batch_members(stored.task, batches.get(stored.task.id)),
                "has_alarms": stored.task.id in checked and bool(checked[stored.task.id].alarms.unusual),
            }
            for stored in listed
        ]

    return {"tasks": await asyncio.to_thread(query_store)}


@router.get("/tasks/{task_id}/overview", summary="A task with its reports counted")
@Policy(Access.ANALYSTS)
async def task(task_id: str, collector: CurrentCollector) -> dict[str, Any]:
    """Return a task's phase, its numbers of reports and invitations, and what its page shows.

    Of a mixed task, `batch` is how far its batch is: `waiting`, `pulled`, `opened`, `done`, `too few` or
    `withdrawn`; when it `comes`, how many reports the mixer said are `waiting` on the day `asked`, how many were
    `opened` and how many were `unreadable`, and why the last attempt `failed`.
    """
    stored = await collector.contracts.find(task_id)
    counts = await asyncio.to_thread(collector.store.report_counts, [task_id])
    days = await asyncio.to_thread(collector.store.report_days, task_id)
    checked = await asyncio.to_thread(collector.alarm_watch.find, task_id)
    batches = await asyncio.to_thread(collector.store.fetched_batches, [task_id])
    batch = batch_members(stored.task, batches.get(task_id))
    invitations = await asyncio.to_thread(collector.store.invitation_counts, task_id)
    facts = stored.task.facts()
    return {
        **_facts(collector, stored, counts[task_id]),
        **fact_members(facts),
        **derived_members(stored.task),
        "facts": [*said(facts), *([] if batch is None else [("batch", batch["sentence"])])],
        "batch": batch,
        "days": [day._asdict() for day in days],
        "last_report": days[-1].day if days else None,
        "first_key": stored.task.key_name(0) if stored.task.lists_keys else ANY_KEY,
        "method": default_method(stored.task),
        "methods": list(METHODS),
        "posts": list(POSTS) if stored.task.lists_keys else [],
        "reports_forgotten": stored.reports_forgotten,
        "keep_reports": collector.settings.keep_reports,
        "invitations": invitations._asdict(),
        "alarms": None if checked is None else checked.to_dict(),
    }


@router.get("/tasks/{task_id}/chart", summary="A chart of the most frequent keys", responses=NO_SNAPSHOT)
@Policy(Access.ANALYSTS)
async def chart(
    task_id: str,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
    table: Annotated[str, Query(pattern=f"^({ESTIMATES}|{SEGMENTS}|{PAIRS})$")] = ESTIMATES,
) -> Response:
    """Return a chart of the most frequent keys with their intervals, as a Vega-Lite specification.

    With more than two levels, it has a stacked bar of their shares per key, too. Of a task with a segment,
    `table=segments` draws shares within each label; of one that asks which keys are held together, `table=pairs`
    draws a heat map.
    Its `usermeta` has the name of the `file` for a downloaded picture, without an extension.
    """
    return await _chart(task_id, collector, account, options, table)


@router.post(
    "/tasks/{task_id}/chart",
    summary="A chart of the most frequent of the keys named",
    responses=NO_SNAPSHOT,
    openapi_extra=ASKED_KEYS_BODY,
)
@Policy(Access.ANALYSTS, max_bytes=None)
async def chart_of_keys(
    task_id: str, collector: CurrentCollector, account: Account, options: QueryOptions, keys: AskedKeys
) -> Response:
    """Return the chart of the most frequent of the hashed keys that the body names; see GET."""
    return await _chart(task_id, collector, account, options._replace(keys=keys))


async def _chart(
    task_id: str, collector: Collector, account: bytes, options: EstimateOptions, table: str = ESTIMATES
) -> Response:
    stored = await collector.contracts.find(task_id)
    _, estimates = await collector.estimates.find(account, stored.task, options)
    task, day = stored.task, collector.contracts.today()

    def draw() -> dict[str, Any]:
        drawn = _drawn(estimates, task, table)
        file = {"file": file_stem(task, day, estimates.method, table)}
        specification: dict[str, Any] = drawn.properties(usermeta=file).to_dict()
        return specification

    specification = await collector.analysis_threads.run_short(draw)
    return JSONResponse(specification, headers={"Cache-Control": "private, no-cache"})


def _drawn(estimates: Estimates, task: Task, table: str) -> Any:
    """Return the chart of one of the tables of a result, or raise the problem that there is no such table."""
    if table == ESTIMATES:
        return shares_chart(estimates, name=task.name, unit=task.about.unit)
    part_of(estimates, table)
    return (segments_chart if table == SEGMENTS else pairs_chart)(estimates, name=task.name)


# The frequency that the page begins with.
REFERENCE_FREQUENCY = 0.05
EXPECTED, TODAY = "expected", "today"


@router.get("/tasks/{task_id}/precision", summary="How ranges shrink with reports", responses=NO_SNAPSHOT)
@Policy(Access.ANALYSTS)
async def precision(
    task_id: str,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
    frequency: Annotated[float, Query(ge=MIN_FREQUENCY, le=1)] = REFERENCE_FREQUENCY,
    wanted: Annotated[float, Query(ge=1e-6, lt=1)] = 0.01,
    candidates: Annotated[int, Query(ge=1, le=MAX_ASKED_KEYS)] = DEFAULT_CANDIDATES,
) -> dict[str, Any]:
    """Return the ranges expected today for a key of a frequency, and the reports needed for a wanted one.

    Ranges have a confidence of 95 %. `half_range` and `half_range_of_mean` are of noise alone; the latter is there
    only where keys have values, and null where a guess of the mean is as good. `hidden` is by how much the frequency
    may be higher at the level of the intervals, because people hold more pairs than the padding, and `surely_hidden`
    the part of it that is sure. `needed` counts noise and what is hidden, and is null where no number of reports
    is enough, as far as sizes are known; `needed_for_noise` is for people who hold no more. Keys below
    `smallest` can often not be distinguished from noise today; of hashed keys, among this many `candidates`. The
    curve is a Vega-Lite specification.
    """
    stored = await collector.contracts.find(task_id)
    # What hostile reports can do does not shrink with reports, as noise does: the curve is that of honest
    # ones. Only what is known of sets matters, for which any one key does where not all are estimated at
    # once.
    options = options._replace(hostile="0", keys=(stored.task.key_name(0),))
    _, estimates = await collector.estimates.find(account, stored.task, options)
    asked = candidates if stored.task.is_hashed else None

    def details() -> dict[str, Any]:
        known = Precision(stored.task, estimates.sets, estimates.reports, frequency, asked)
        now = known.noise(known.reports) if known.reports else None
        return {
            "reports": known.reports,
            "frequency": frequency,
            "candidates": known.candidates,
            "smallest": known.smallest(known.reports) if known.reports else None,
            "half_range": now and min(HALF_RANGE * now.frequency, 1.0),
            **({"half_range_of_mean": _half_range_of_mean(known, now)} if stored.task.has_values else {}),
            "padding": stored.task.padding,
            "asks_sizes": stored.task.size_question is not None,
            "size_answers": known.sets.answers,
            "hidden": known.hidden(known.reports),
            "surely_hidden": known.surely_hidden,
            "wanted": wanted,
            "needed": known.needed(wanted),
            "needed_for_noise": known.needed_for_noise(wanted),
            "chart": _ranges_chart(known),
        }

    return await collector.analysis_threads.run_short(details)


def _half_range_of_mean(known: Precision, now: ExpectedErrors | None) -> float | None:
    return None if now is None or now.mean >= known.guessed_mean_error else HALF_RANGE * now.mean


def _ranges_chart(known: Precision) -> dict[str, Any]:
    """Draw half the range of the frequency against the number of reports, today's marked."""
    rows = [{"reports": reports, "frequency": half, "series": EXPECTED} for reports, half in known.curve()]
    if known.reports:
        rows.append({"reports": known.reports, "frequency": known.half_range(known.reports), "series": TODAY})
    specification: dict[str, Any] = ranges_chart(
        rows, x="reports", expected=EXPECTED, marked=TODAY, quantities=["frequency"]
    ).to_dict()
    return specification


LEVELS = (0.5, 0.8, 0.95, 0.99)

KeyName = Annotated[str, Query(max_length=256)]


@router.get("/tasks/{task_id}/key", summary="One key in detail", responses=NO_SNAPSHOT)
@Policy(Access.ANALYSTS)
async def key_details(
    task_id: str, name: KeyName, collector: CurrentCollector, account: Account, options: QueryOptions
) -> dict[str, Any]:
    """Return the estimate of a key, the people it means, its neighbours, and what would be sharper.

    `people` are those among the senders of the reports who hold the key. `rank` counts the keys by their
    estimated frequencies from 1; it and `keys` are null where no other key was estimated, and for that of all
    keys that are not listed. `sharper` is null without reports, or if some may be hostile. In it, `noise` is half the
    range of the frequency that noise alone gives, `hidden` by how much it may be higher because people hold more pairs
    than the padding, and keys below `smallest` can often not be distinguished from noise today. With more than two
    levels the estimate has quantiles of the values of those who hold the key, and for every level the shares of them
    `above` and `below` it.
    """
    stored = await collector.contracts.find(task_id)
    options, number = _question(stored.task, name, options)
    digest, estimates = await collector.estimates.find(account, stored.task, options)

    def details() -> dict[str, Any]:
        own, values = estimates.take(np.array([number])), estimates.level_values
        # What is said of groups and pairs is said of all keys, not of this one.
        own = replace(own, verdict=replace(own, segments=None, pairs=None).with_verdict().verdict)
        # All that the page shows of how values are spread.
        found = (own.ask(QUANTILES, values, values) if values else own).to_dict()
        [row] = found.pop("estimates")
        return found | {
            "snapshot": digest,
            "estimate": row,
            "people": _people(row, estimates.reports),
            **_rank(estimates, number, alone=options.keys is not None),
            # A key that does not stand out may be as frequent as the end of its range.
            "sharper": _sharper(stored.task, estimates, row["frequency" if row["detected"] else "frequency_high"]),
        }

    return await collector.analysis_threads.run_short(details)


@router.get("/tasks/{task_id}/key/levels", summary="One key at several levels", responses=NO_SNAPSHOT)
@Policy(Access.ANALYSTS)
async def key_levels(
    task_id: str, name: KeyName, collector: CurrentCollector, account: Account, options: QueryOptions
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

    def details() -> dict[str, Any]:
        own = [estimates.take(np.array([number])) for estimates in found]
        rows = [each.to_dict()["estimates"][0] | {"level": level} for level, each in zip(levels, own, strict=True)]
        wanted = own[levels.index(options.level)]
        # A key that stands out from the noise at some level does so at all lower ones, as the chart expects.
        chart = levels_chart(
            rows,
            title=f"{stored.task.name}: {name}",
            subtitle=subtitle_lines(
                ", ".join(filter(None, (how_estimated(wanted), wanted.hostile_note))), wanted.mixed
            ),
            unit=stored.task.about.unit,
        )
        return {
            "levels": rows,
            "chart": chart.to_dict(),
            "distribution_chart": _distribution_chart(wanted, stored.task),
        }

    return await collector.analysis_threads.run_short(details)


def _distribution_chart(own: Estimates, task: Task) -> dict[str, Any] | None:
    if not own.level_values:
        return None
    specification: dict[str, Any] = values_chart(own, name=task.name, unit=task.about.unit).to_dict()
    return specification


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
        "noise": min(HALF_RANGE * known.noise(known.reports).frequency, 1.0),
        "hidden": known.hidden(known.reports),
        "size_answers": known.sets.answers,
        "smallest": known.smallest(known.reports),
    }
