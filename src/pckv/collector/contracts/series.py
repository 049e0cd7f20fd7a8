"""The routes of series: create, show, list, close, and the rounds."""

from __future__ import annotations

import asyncio
from collections.abc import Set as AbstractSet
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response

from pckv.base.days import Phase
from pckv.base.errors import NameTaken, ParameterError
from pckv.base.limits import MAX_ROUNDS
from pckv.collector.contracts.checked_reports import parse_checks
from pckv.collector.contracts.contracts import TEXT_CACHING, Contracts, CurrentContracts, name_taken, next_round
from pckv.collector.http.bodies import check_json, json_body, json_content
from pckv.collector.http.policy import Access, Policy, preflight
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, malformed_input, problem_responses
from pckv.contract.facts import said
from pckv.contract.series import Series
from pckv.store.base import StoredRound, StoredSeries

MAX_SERIES_PER_PAGE = MAX_ROUNDS_PER_PAGE = 1000
# The largest number that a database gives a series or a task.
MAX_NUMBER = 2**63 - 1

router = APIRouter(tags=["series"])
router.add_api_route("/series/{series_id}", preflight, methods=["OPTIONS"], include_in_schema=False)


@router.post(
    "/series",
    summary="Create a series",
    status_code=201,
    response_class=Response,
    responses={
        200: {"description": "The series exists already."},
        201: {"description": "The series was created, and its first rounds with it."},
        **problem_responses(ProblemKind.NOT_MIXABLE, ProblemKind.NAME_TAKEN),
    },
    openapi_extra=json_body(),
)
@Policy(max_bytes=None)
async def create_series(
    request: Request,
    contracts: CurrentContracts,
    force: bool = False,  # noqa: FBT002
) -> Response:
    """Create a series from its canonical JSON; it never changes, and its rounds open automatically.

    A first day in the past is refused unless `force` is true: the rounds before today stay without reports.
    The `warning` says if devices may not answer, since the series was closed.
    """
    check_json(request, "a series")
    with malformed_input():
        series = await asyncio.to_thread(Series.from_json, await request.body())
    new, warning = await asyncio.to_thread(_create, contracts, series, force=force)
    headers = {"Location": f"/series/{series.id}"}
    return JSONResponse({"id": series.id, "warning": warning}, 201 if new else 200, headers)


def _create(contracts: Contracts, series: Series, *, force: bool) -> tuple[bool, str | None]:
    store, today = contracts.store, contracts.today()
    if series.first < today and not force and store.find_series(series.id) is None:
        raise ProblemDetails(
            ProblemKind.MALFORMED,
            f"the first day, {series.first}, is in the past: use force if that is meant",
            field="first",
        )
    contracts.check_mixed(series)
    try:
        new = store.add_series(series, today)
    except NameTaken:
        raise name_taken() from None
    stored = store.find_series(series.id)
    if stored is not None:
        contracts.rounds.add_rounds(stored, today)
    if stored is not None and stored.closed is not None:
        return new, f"the series was closed on {stored.closed}, and takes no more reports"
    return new, None


@router.get("/series", summary="List series")
@Policy(Access.ANALYSTS)
async def list_series(
    contracts: CurrentContracts,
    limit: Annotated[int, Query(ge=1, le=MAX_SERIES_PER_PAGE)] = 100,
    after: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
) -> dict[str, list[dict[str, Any]]]:
    """List series, newest first, each with its last round that has begun, after the `number` in `after`.

    `has_alarms` is whether reports of any of its rounds were unusual when they were checked last.
    """

    def query_store() -> list[dict[str, Any]]:
        return [_facts(contracts, stored) for stored in contracts.store.list_series(limit, after)]

    return {"series": await asyncio.to_thread(query_store)}


@router.get(
    "/series/{series_id}",
    summary="Fetch a series",
    response_class=Response,
    responses={
        200: {"description": "The canonical JSON of the series.", **json_content()},
        304: {"description": "The client has the series already."},
    },
)
@Policy(Access.PUBLIC, any_origin=True)
async def fetch_series(series_id: str, request: Request, contracts: CurrentContracts) -> Response:
    """Return the public contract, whose SHA-256 is the id: clients derive the tasks of its rounds from it."""
    return (await contracts.series_text(series_id)).response(request, TEXT_CACHING)


@router.get("/series/{series_id}/rounds", summary="List the rounds of a series")
@Policy(Access.ANALYSTS)
async def list_rounds(
    series_id: str,
    contracts: CurrentContracts,
    limit: Annotated[int, Query(ge=1, le=MAX_ROUNDS_PER_PAGE)] = 100,
    before: Annotated[int | None, Query(ge=1, le=MAX_ROUNDS)] = None,
) -> dict[str, Any]:
    """Return a series with its last rounds, or the last before a given one, and their numbers of reports.

    A round has a task from one round before its first day on. Rounds that were deleted, or were over before
    the series came here, are left out. `has_alarms` of a round is whether its reports were unusual when they were
    checked last, and that of the series whether those of any round were.
    """
    stored = await contracts.find_series(series_id)
    today = contracts.today()

    def query_store() -> dict[str, Any]:
        rounds, alarmed = contracts.store.rounds(series_id, limit, before), _alarmed(contracts, series_id)
        return {
            "series": _facts(contracts, stored),
            "facts": said(stored.series.facts()),
            "rounds": [_round_facts(one, today, alarmed) for one in rounds],
        }

    return await asyncio.to_thread(query_store)


@router.get("/series/{series_id}/rounds/{number}", summary="A round of a series")
@Policy(Access.ANALYSTS)
async def fetch_round(
    series_id: str, number: Annotated[int, Path(ge=1, le=MAX_ROUNDS)], contracts: CurrentContracts
) -> dict[str, Any]:
    """Return the task, days, phase and number of reports of a round."""
    await contracts.find_series(series_id)
    rounds = await asyncio.to_thread(contracts.store.rounds, series_id, 1, number + 1)
    if [one.number for one in rounds] != [number]:
        raise ProblemDetails(ProblemKind.UNKNOWN, f"the series has no round {number:,} here")
    alarmed = await asyncio.to_thread(_alarmed, contracts, series_id)
    return _round_facts(rounds[0], contracts.today(), alarmed)


@router.post("/series/{series_id}/close", summary="Close a series early")
async def close_series(series_id: str, contracts: CurrentContracts) -> dict[str, Any]:
    """Take no more reports for its current round from now on, and open no other.

    It can be undone until `reopen_until`, except for series of mixed tasks.
    """
    series, today = (await contracts.find_series(series_id)).series, contracts.today()
    await asyncio.to_thread(contracts.store.close_series, series_id, today)
    return await _changed_series(contracts, series, today)


@router.post(
    "/series/{series_id}/reopen",
    summary="Undo the early close of a series",
    responses=problem_responses(ProblemKind.NOT_REOPENABLE),
)
async def reopen_series(series_id: str, contracts: CurrentContracts) -> dict[str, Any]:
    """Take reports again, until seven days after the close; of an open series nothing changes.

    Its current round and the next open again, unless they were closed by themselves before; rounds whose first day
    came meanwhile stay without reports. Refused later, when the last round is over, and for series of mixed tasks;
    `detail` says why.
    """
    series, today = (await contracts.find_series(series_id)).series, contracts.today()

    def undo() -> None:
        contracts.store.reopen_series(series_id, today)
        stored = contracts.store.find_series(series_id)
        if stored is not None:
            contracts.rounds.add_rounds(stored, today)

    try:
        await asyncio.to_thread(undo)
    except ParameterError as refusal:
        raise ProblemDetails(ProblemKind.NOT_REOPENABLE, str(refusal)) from None
    return await _changed_series(contracts, series, today)


async def _changed_series(contracts: Contracts, series: Series, today: str) -> dict[str, Any]:
    """Return a series as it is after a change."""
    # The rounds that may have been open, or about to open.
    upcoming = series.last_round_by(today) + 1
    for one in await asyncio.to_thread(contracts.store.rounds, series.id, 2, upcoming + 1):
        contracts.invalidate(one.task)
    stored = await contracts.find_series(series.id)
    return await asyncio.to_thread(_facts, contracts, stored)


def _facts(contracts: Contracts, stored: StoredSeries) -> dict[str, Any]:
    """Return a stored series as plain values, with its last round that has begun and the next one."""
    series, day, alarmed = stored.series, contracts.today(), _alarmed(contracts, stored.series.id)
    phase, begun = stored.phase(day), series.last_round_by(day)
    last = contracts.store.rounds(series.id, 1, begun + 1) if begun else []
    upcoming = None if phase is Phase.CLOSED else next_round(series, day)
    return {
        "id": series.id,
        "name": series.name,
        "first": series.first,
        "period": series.period,
        "panels": series.panels,
        "rounds": series.rounds,
        **series.task.members("mechanism", "keys", "other", "epsilon"),
        "closed": stored.closed,
        "reopen_until": stored.reopen_until(day),
        "created": stored.created,
        "number": stored.number,
        "has_alarms": bool(alarmed),
        "phase": phase.value,
        "last_round": _round_facts(last[0], day, alarmed) if last else None,
        "next_round": None if upcoming is None else {"number": upcoming, "opens": series.opens(upcoming)},
    }


def _round_facts(one: StoredRound, day: str, alarmed: AbstractSet[str]) -> dict[str, Any]:
    return one._asdict() | {"phase": one.phase(day).value, "has_alarms": one.task in alarmed}


def _alarmed(contracts: Contracts, series_id: str) -> AbstractSet[str]:
    """Return the tasks of the rounds whose reports were unusual when they were checked last."""
    checked = parse_checks(contracts.store.round_alarm_checks(series_id))
    return {task_id for task_id, each in checked.items() if each.alarms.unusual}
