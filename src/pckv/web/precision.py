"""How the errors of a running task shrink with reports, and what no number of reports can show."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query

from pckv.charts.estimates import errors_chart
from pckv.collector.analysis.estimates import MAX_ASKED_KEYS, QueryOptions
from pckv.collector.http.auth import Account
from pckv.collector.http.policy import Access, Policy
from pckv.collector.state import CurrentCollector
from pckv.estimators.needed import Precision
from pckv.planning.people import DEFAULT_CANDIDATES, MIN_FREQUENCY

# The frequency that the page begins with.
REFERENCE_FREQUENCY = 0.05
EXPECTED, TODAY = "expected", "today"

router = APIRouter(tags=["dashboard"])


@router.get("/tasks/{task_id}/precision", summary="How errors shrink with reports")
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
    """Return the errors expected today for a key of a frequency, and the reports needed for a wanted error.

    `frequency_error` and `mean_error` are of noise alone; `hidden` is by how much the frequency may be higher
    at the level of the intervals, because people hold more pairs than the padding, and `surely_hidden` the
    part of it that is sure. `needed` counts noise and what is hidden, and is null where no number of reports
    is enough, as far as sizes are known; `needed_for_noise` is for people who hold no more. Keys below
    `smallest` are often too rare to tell today; of hashed keys, among this many `candidates`. The curve is a
    Vega-Lite specification.
    """
    stored = await collector.contracts.find(task_id)
    # What hostile reports can do does not shrink with reports, as noise does: the curve is that of honest
    # ones. Only what is known of sets matters, for which any one key does where not all are estimated at
    # once.
    options = options._replace(hostile="0", keys=(stored.task.key_name(0),))
    _, estimates = await collector.estimates.find(account, stored.task, options)
    asked = candidates if stored.task.is_hashed else None
    known = Precision(stored.task, estimates.sets, estimates.reports, frequency, asked)
    now = known.noise(known.reports) if known.reports else None
    return {
        "reports": known.reports,
        "frequency": frequency,
        "candidates": known.candidates,
        "smallest": known.smallest(known.reports) if known.reports else None,
        "frequency_error": now and now.frequency,
        "mean_error": now and now.mean,
        "guessed_mean_error": known.guessed_mean_error,
        "padding": stored.task.padding,
        "asks_sizes": stored.task.size_question is not None,
        "size_answers": known.sets.answers,
        "hidden": known.hidden(known.reports),
        "surely_hidden": known.surely_hidden,
        "wanted": wanted,
        "needed": known.needed(wanted),
        "needed_for_noise": known.needed_for_noise(wanted),
        "chart": await collector.analysis_threads.run_short(partial(_chart, known)),
    }


def _chart(known: Precision) -> dict[str, Any]:
    """Draw the error of the frequency against the number of reports, today's marked."""
    rows = [{"reports": reports, "frequency": error, "series": EXPECTED} for reports, error in known.curve()]
    if known.reports:
        rows.append({"reports": known.reports, "frequency": known.error(known.reports), "series": TODAY})
    specification: dict[str, Any] = errors_chart(
        rows, x="reports", expected=EXPECTED, marked=TODAY, quantities=["frequency"]
    ).to_dict()
    return specification
