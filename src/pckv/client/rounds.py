"""Reports in rounds: whether one is due now, and what becomes of it."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from pckv.base.errors import ParameterError
from pckv.client.folder import StateFolder
from pckv.client.ledger import Ledger
from pckv.client.panel import Panel, find_panel
from pckv.client.reports import Clock, Reports, day_of, read_clock
from pckv.client.transport import ask_admission
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.device.perturb import Held, check_held


class RoundStatus(StrEnum):
    """What a device does about a series.

    Attributes:
        SENT: The collector has the report of the round.
        WAITING: The report is stored, and will be sent.
        REFUSED: The collector does not take the report; nothing is spent if it said so before it was made.
        NOT_DUE: The device reports in a later round.
        DELAYED: The device reports later in this round.
        UNREACHABLE: The collector did not answer, and nothing was perturbed.
        NOT_STARTED: The first round is still to come.
        OVER: The device has no more rounds.
    """

    SENT = "sent"
    WAITING = "waiting"
    REFUSED = "refused"
    NOT_DUE = "not_due"
    DELAYED = "delayed"
    UNREACHABLE = "unreachable"
    NOT_STARTED = "not_started"
    OVER = "over"


@dataclass(frozen=True)
class RoundReceipt:
    """What a call did about a series.

    Attributes:
        series: The id of the series.
        status: The state of the report, or why there is none.
        round: The round of the report, or of the device's next one; None if there is none, or none is known.
        due: From when on the device reports in that round, in UTC.
        epsilon: The ε that the report of that round has spent; 0 if there is none yet.
        perturbed: Whether this very call perturbed: if not, the pairs that it was given were not used.
        reason: Why a report waits, was refused or was not made.
    """

    series: str
    status: RoundStatus
    round: int | None = None
    due: dt.datetime | None = None
    epsilon: Decimal = Decimal(0)
    perturbed: bool = False
    reason: str = ""


def check_spread(spread: float) -> None:
    """Refuse a share of a round that is not within 0 and 1."""
    is_number = isinstance(spread, int | float) and not isinstance(spread, bool)
    if not is_number or not math.isfinite(spread) or not 0 <= spread <= 1:
        raise ParameterError(f"spread must be a number within [0, 1], not {spread!r}")


class RoundReporter:
    """Reports to series, each in the rounds of the device's panel."""

    def __init__(self, folder: StateFolder, ledger: Ledger, reports: Reports, clock: Clock) -> None:
        self._folder, self._ledger, self._reports, self._clock = folder, ledger, reports, clock

    def report(self, series: Series, pairs: Held, segment: str | None, spread: float) -> RoundReceipt:
        """Make the report of the current round if it is due, send it, and say what was done."""
        now = read_clock(self._clock)
        # Read before: if another process makes the report of this round meanwhile, it is found here.
        last_round, number = self._ledger.last_round(series.id), series.round_on(day_of(now))
        is_made = number is not None and self._reports.find(series.task_of(number).id) is not None
        if not is_made:
            # Whenever a report is due: an error must not tell that it is.
            check_held(series.task, pairs, segment)
        panel = find_panel(self._folder, series)
        if number is None or not is_made:
            turn = _next_turn(series, panel, now, spread, last_round)
            if isinstance(turn, RoundReceipt):
                return turn
            number = turn
        receipt = RoundReceipt(series.id, RoundStatus.WAITING, number, panel.due(series, number, spread))
        return self._complete(receipt, series.task_of(number), pairs, segment)

    def _complete(self, receipt: RoundReceipt, task: Task, pairs: Held, segment: str | None) -> RoundReceipt:
        """Make the report of a round, unless it was made, and send it."""
        perturbed = False
        if self._reports.find(task.id) is None:
            self._reports.check(task)
            self._reports.try_seal(task)
            admission = ask_admission(self._reports.transport_of(task), task, None)
            if admission.refusal is not None:
                return replace(receipt, status=RoundStatus.REFUSED, reason=str(admission.refusal))
            if admission.undecided:
                # Only the collector's clock confirms the round: a report is never made without it.
                return replace(receipt, status=RoundStatus.UNREACHABLE, reason=admission.undecided)
            perturbed = self._reports.make(task, pairs, segment, None, None)
        if not perturbed:
            self._reports.readdress(task.id, None)
        sent, _ = self._reports.send(task.id, perturbed=perturbed)
        status, epsilon = RoundStatus(sent.status), sent.epsilon
        return replace(receipt, status=status, epsilon=epsilon, perturbed=perturbed, reason=sent.reason)


def _next_turn(series: Series, panel: Panel, now: dt.datetime, spread: float, last_round: int) -> int | RoundReceipt:
    """Return the round that a report is due in now, or what a device without one waits for.

    `last_round` is the last one that the device has made a report for, 0 if there is none.
    """
    day = day_of(now)
    current = series.round_on(day)
    if current is None and day >= series.first:
        return RoundReceipt(series.id, RoundStatus.OVER)
    # Rounds only go up, whatever the clock says; as many in a row as there are panels hold one report.
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
