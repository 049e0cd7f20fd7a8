"""What every client does in a life: checks that each of its steps is as the model of the ledger says."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple, Protocol

from support.ledger_lives import Call, Life, Step, day_text
from support.ledger_model import DELTA_CAP, Claim, Collector, Made, Model, Result, Sums, SurveyTask


class Entry(NamedTuple):
    """An entry of a ledger."""

    survey: str
    task: str
    epsilon: Decimal
    status: str
    day: str
    series: str | None
    round: int | None
    claim: Claim | None


class Seen(NamedTuple):
    """What a step shows: results of its calls (a list for `flush`), uploads, stored reports, and what the ledger says."""

    results: list[Any]
    uploads: list[tuple[str, str, str]]
    stored: dict[str, tuple[str, str]]
    ledger: list[Entry]
    sums: Sums
    cap: Decimal
    local_cap: Decimal
    per_period: tuple[Decimal, int] | None


class LivingDevice(Protocol):
    """A device with two clients on one state."""

    def take(self, step: Step) -> Seen:
        """Take a step, and return what it shows."""


def check_life(device: LivingDevice, life: Life) -> None:
    """Check that every step of a life is as the model says."""
    uploaded: dict[str, tuple[str, str]] = {}
    for number, step in enumerate(life):
        seen = device.take(step)
        try:
            before, life.models = life.model, _following(life, step, seen)
            uploaded.pop(step.removed or "", None)
            _check_reports(seen, uploaded)
            if len(life.model.reports) > len(before.reports):
                _check_windows(seen.ledger, life.model)
        except AssertionError as error:
            raise AssertionError(f"seed {life.seed!r}, step {number}: {error}\n{step}") from None


def _following(life: Life, step: Step, seen: Seen) -> list[Model]:
    """Return the models after a step, of which the calls happened in one order or the other."""
    found: list[Model] = []
    differences = []
    for before, (order, draws) in product(life.models, _orders(step)):
        model = before.copy()
        if step.forgotten:
            model.forget(step.forgotten)
        if step.removed:
            model.remove(step.removed)
        results = {at: _result(model, life, step.collector, step.calls[at], draws[at]) for at in order}
        difference = _difference(model, [results[at] for at in sorted(results)], step, seen)
        if difference is not None:
            differences.append(difference)
        elif model not in found:
            found.append(model)
    assert found, "; or ".join(differences)
    return found


def _orders(step: Step) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the orders that calls may have happened in, with the numbers that they draw.

    Who is the first to join a series need not be the first to report.
    """
    draws = tuple(step.draw_of(call.client) for call in step.calls)
    if step.overtaken is None:
        yield (0,), draws
        return
    for order in ((0, 1), (1, 0)):
        yield order, draws
        if step.call.contract == step.overtaken[1].contract:
            yield order, draws[::-1]


def _result(model: Model, life: Life, collector: Collector, call: Call, draw: int) -> Any:
    if call.method == "flush":
        return model.flush(collector)
    model.remember(call.caps)
    survey = life.contracts.surveys[call.contract]
    if isinstance(survey, SurveyTask):
        return model.submit(survey, call.clock, collector)
    return model.report(survey, call.clock, collector, draw)


def _difference(model: Model, results: list[Any], step: Step, seen: Seen) -> str | None:
    """Return how the model differs from what was seen, None if it does not."""
    for call, expected, found in zip(step.calls, results, seen.results, strict=True):
        # A folder without the report of an answered survey is not as it was left.
        is_removed = found == Result("bad_data") and model.is_removed(call.contract)
        if found != expected and not is_removed and not (step.overtaken and _is_overtaken(call, expected, found)):
            return f"{call.method} says {found}, not {expected}"
    tasks = [task for task, *_ in seen.uploads]
    if tasks != model.uploads and (step.overtaken is None or not {*tasks} >= {*model.uploads}):
        return f"uploads of {tasks}, not of {model.uploads}"
    ledger, expected_ledger = set(seen.ledger), {_entry(made) for made in model.reports.values()}
    if ledger != expected_ledger or len(seen.ledger) != len(ledger):
        return f"the ledger has {ledger - expected_ledger}, and not {expected_ledger - ledger}"
    caps = (model.sums(), model.cap, model.local_cap, model.per_period)
    found_caps = (seen.sums, seen.cap, seen.local_cap, seen.per_period)
    return None if found_caps == caps else f"sums, caps and limit are {found_caps}, not {caps}"


def _is_overtaken(call: Call, expected: Any, found: Any) -> bool:
    """Return whether the difference is that a call had begun before it was overtaken.

    A flush finds the other's report or not, and a round that was due is refused by the ledger.
    """
    if call.method == "flush":
        return True
    return bool(found == Result("not_due") and expected.says in {"not_due", "over"})


def _entry(made: Made) -> Entry:
    task = made.task
    day = str(day_text(made.day))
    return Entry(task.name, task.id, task.cost, made.status, day, made.series, made.round, task.claim)


def _check_reports(seen: Seen, uploaded: dict[str, tuple[str, str]]) -> None:
    """Check that a task has one report for ever, which is stored, and is what was uploaded."""
    for task, report in uploaded.items():
        assert seen.stored.get(task) == report, f"another report of task {task} is stored"
    uploaded.update(seen.stored)
    for task, report_id, body in seen.uploads:
        assert uploaded.get(task) == (report_id, body), f"another report of task {task} was uploaded"


def _check_windows(ledger: list[Entry], model: Model) -> None:
    """Check that no days in a row that end with the latest entry hold more than the caps."""
    costs = {entry: entry.claim.epsilon if entry.claim else entry.epsilon for entry in ledger}
    total, local = sum(costs.values(), Decimal(0)), sum((entry.epsilon for entry in ledger), Decimal(0))
    assert total <= model.cap, f"{total} is over the cap"
    assert local <= model.local_cap, f"{local} is over the local cap"
    delta = sum((entry.claim.delta for entry in ledger if entry.claim), Decimal(0))
    assert delta <= DELTA_CAP, f"{delta} is over the cap on δ"
    if model.per_period is not None:
        days = {entry: dt.date.fromisoformat(entry.day).toordinal() for entry in ledger}
        latest = max(days.values(), default=0)
        lately = sum((costs[entry] for entry in ledger if latest - days[entry] < model.per_period.days), Decimal(0))
        assert lately <= model.per_period.epsilon, f"{lately} is over the cap per period"
