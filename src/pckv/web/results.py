"""The public results of a task: for all who have the link, once the administrator has made them public."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import Response

from pckv.charts.pairs import pairs_chart
from pckv.charts.segments import segments_chart
from pckv.collector.analysis.estimates import DETECTED, EstimateOptions, sorted_rows, top_rows
from pckv.collector.app import Collector, CurrentCollector
from pckv.collector.computations import Computations
from pckv.collector.http.bodies import JSON_TYPE, SharedResponse, json_content
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.task import Task
from pckv.estimators.results.estimates import Estimates
from pckv.store.base import StoredTask

LEVEL = 0.95
# The page lists at most this many keys: those that stand out from the noise first, then by frequency.
MAX_KEYS_SHOWN = 200
CACHE_SECONDS = 60
# The memory that all answers may take together.
MAX_ANSWER_BYTES = 32 * 2**20
# All strangers together count as one account of those who may have estimates computed.
PUBLIC_ACCOUNT = b"public"
# Of the pairs of keys that stand out, the page lists at most this many, the most frequent ones.
MAX_PAIRS_SHOWN = 200
# What the page tells of the task.
SHOWN_MEMBERS = ("name", "about", "opens", "closes", "low", "high", "padding", "keys", "other")
# What the page says instead of numbers where counts are impossible; the operator sees all of it.
WITHHELD = (
    "The results are not shown. Some of the counts are impossible, whatever people answered: responses were copied, "
    "made up, or sent by a faulty program. Numbers that come from them would be wrong. The operator of this survey "
    "sees which counts these are."
)

router = APIRouter(tags=["results"])


class PublicResults:
    """The answers of the last minute, one per task: a worker computes none more often for strangers."""

    def __init__(self, seconds: float = CACHE_SECONDS) -> None:
        self._seconds = seconds
        self._answers: Computations[bytes] = Computations(MAX_ANSWER_BYTES, len)

    async def get(self, collector: Collector, stored: StoredTask) -> bytes:
        """Return the results of a task as JSON, as they were at most a minute ago; a failure is not kept."""
        kept = self._answers.known(stored.task.id)
        if kept is not None and asyncio.get_running_loop().time() - kept.started < self._seconds:
            return kept.value
        return await self._answers.renew(stored.task.id, None, partial(_compute, collector, stored))


async def _compute(collector: Collector, stored: StoredTask) -> bytes:
    options = EstimateOptions(None, LEVEL, ())
    _, estimates = await collector.estimates.find(PUBLIC_ACCOUNT, stored.task, options)
    days = await asyncio.to_thread(collector.store.last_report_days, [stored.task.id])
    organisation, has_logo = await collector.organisations.find()
    facts = stored.task.members(*SHOWN_MEMBERS) | {
        "names": _names(stored.task),
        "organisation": organisation,
        "logo": has_logo,
        "phase": stored.phase(collector.contracts.today()).value,
        "closed": stored.closed,
        "last_report": days.get(stored.task.id),
        "round": None if stored.task.series is None else stored.task.series.round,
    }
    return await collector.analysis_threads.run_short(lambda: _write(facts, estimates, stored.task.name))


def _names(task: Task) -> dict[str, dict[str, str]]:
    """Return the names of keys in other languages, by language and by their own names."""
    if not isinstance(task.keys, tuple):
        return {}
    own = [*task.keys, *([] if task.other is None else [task.other])]
    given = {tag: texts.keys for tag, texts in task.about.translations.items() if texts.keys}
    return {tag: dict(zip(own, keys, strict=True)) for tag, keys in given.items()}


def _write(facts: dict[str, Any], estimates: Estimates, name: str) -> bytes:
    if estimates.impossible:
        return json.dumps(facts | {"reports": estimates.reports, "withheld": WITHHELD}, ensure_ascii=False).encode()
    rows = sorted_rows(estimates, np.arange(len(estimates)), DETECTED)
    rows = top_rows(estimates, rows, MAX_KEYS_SHOWN)
    shown = estimates.take(rows)
    if estimates.pairs is not None:
        # Of all keys: what is told of the list is how many of all pairs stand out.
        shown = replace(shown, pairs=estimates.pairs.shown(MAX_PAIRS_SHOWN)[0])
        facts = facts | {"pairs_found": len(estimates.pairs)}
    return json.dumps(facts | shown.to_dict() | _chart(estimates, name), ensure_ascii=False).encode()


def _chart(estimates: Estimates, name: str) -> dict[str, Any]:
    """Return the chart of groups or of keys together, as a Vega-Lite specification; nothing for other tasks."""
    if not estimates.reports or (estimates.segments is None and estimates.pairs is None):
        return {}
    drawn = pairs_chart(estimates, name=name) if estimates.segments is None else segments_chart(estimates, name=name)
    return {"chart": drawn.to_dict()}


@router.get(
    "/tasks/{task_id}/results",
    summary="The public results of a task",
    response_class=Response,
    responses={200: {"description": "The task's estimates with intervals, by its default method.", **json_content()}},
)
# Its answer is that there is no such task, unless the administrator made the results public.
@Policy(Access.PUBLIC)
async def results(task_id: str, request: Request, collector: CurrentCollector) -> Response:
    """Return what is known about a task's keys, the most frequent ones; 404 unless its results are public.

    The numbers are at most a minute old, and state how many reports they count. Where counts are impossible,
    whatever people hold, `withheld` says so, and there are none. `round` is the number of a round, else null.
    `names` has the names of keys in other languages.
    Of a task with a segment, or one that asks which keys are held together, `chart` is a Vega-Lite specification of
    that; `pairs_found` is how many pairs stand out, of which `pairs` lists the most frequent ones.
    """
    stored = await collector.contracts.find(task_id)
    if not stored.public_results:
        raise ProblemDetails(ProblemKind.UNKNOWN, "the results of this task are not public")
    public: PublicResults = request.app.state.public_results
    content = await public.get(collector, stored)
    headers = {"Cache-Control": f"public, max-age={CACHE_SECONDS}"}
    return SharedResponse(content, headers=headers, media_type=JSON_TYPE)
