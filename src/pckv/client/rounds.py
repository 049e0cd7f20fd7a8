"""Reports in rounds: whether one is due now, and what becomes of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace

from pckv.client.admission import ask_admission
from pckv.client.clock import Clock, day_of, read_clock
from pckv.client.folder import StateFolder
from pckv.client.ledger import Ledger
from pckv.client.panel import Panel, find_panel
from pckv.client.reports import Reports
from pckv.client.round_receipt import RoundReceipt, RoundStatus
from pckv.client.transport import Transport
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.device.perturb import read_pairs


class RoundReporter:
    """Reports to series, each in the rounds of the device's panel."""

    def __init__(
        self, folder: StateFolder, ledger: Ledger, transport: Transport, reports: Reports, clock: Clock
    ) -> None:
        self._folder, self._ledger, self._clock = folder, ledger, clock
        self._transport, self._reports = transport, reports

    def report(self, series: Series, pairs: Mapping[str, float], spread: float) -> RoundReceipt:
        """Make the report of the current round if it is due, send it, and say what was done."""
        panel, now = find_panel(self._folder, series), read_clock(self._clock)
        # Read before: if another process makes the report of this round meanwhile, it is found here.
        last_round, number = self._ledger.last_round(series.id), self._stored_round(series, now)
        if number is None:
            read_pairs(series.task, pairs)
            turn = _next_turn(series, panel, now, spread, last_round)
            if isinstance(turn, RoundReceipt):
                return turn
            number = turn
        receipt = RoundReceipt(series.id, RoundStatus.WAITING, number, panel.due(series, number, spread))
        return self._complete(receipt, series.task_of(number), pairs)

    def _stored_round(self, series: Series, now: dt.datetime) -> int | None:
        """Return the round of now, if its report was made."""
        number = series.round_on(day_of(now))
        made = number is not None and self._reports.find(series.task_of(number).id) is not None
        return number if made else None

    def _complete(self, receipt: RoundReceipt, task: Task, pairs: Mapping[str, float]) -> RoundReceipt:
        """Make the report of a round, unless it was made, and send it."""
        perturbed = False
        if self._reports.find(task.id) is None:
            self._reports.check(task)
            admission = ask_admission(self._transport, task, None)
            if admission.refusal is not None:
                return replace(receipt, status=RoundStatus.REFUSED, reason=str(admission.refusal))
            if admission.undecided:
                # Only the collector's clock confirms the round: a report is never made without it.
                return replace(receipt, status=RoundStatus.UNREACHABLE, reason=admission.undecided)
            perturbed = self._reports.make(task, pairs, None, None)
        if not perturbed:
            self._reports.readdress(task.id, None)
        sent, _ = self._reports.send(task.id, perturbed=perturbed)
        return replace(
            receipt,
            status=RoundStatus(sent.status),
            epsilon=sent.epsilon,
            perturbed=perturbed,
            reason=sent.reason,
        )


def _next_turn(
    series: Series, panel: Panel, now: dt.datetime, spread: float, last_round: int
) -> int | RoundReceipt:
    """Return the round that a report is due in now, or what a device without one waits for.

    Args:
        series: The series.
        panel: The device's panel.
        now: The time by the device's clock.
        spread: Within which share of a round its reports are due.
        last_round: The last round that the device has made a report for, 0 if there is none.
    """
    day = day_of(now)
    current = series.round_on(day)
    if current is None and day >= series.first:
        return RoundReceipt(series.id, RoundStatus.OVER)
    # Rounds only go up, whatever the clock says, and as many rounds in a row as there are panels hold one report.
    earliest = max(current or 1, last_round + series.panels if last_round else 1)
    number = series.next_round(panel.number, earliest - 1)
    if number is None:
        return RoundReceipt(series.id, RoundStatus.OVER)
    due = panel.due(series, number, spread)
    if now >= due:
        return number
    if current is None:
        status = RoundStatus.NOT_STARTED
    else:
        status = RoundStatus.DELAYED if number == current else RoundStatus.NOT_DUE
    return RoundReceipt(series.id, status, number, due)
