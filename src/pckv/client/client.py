"""The client of one device: perturb once, store the report, send it until the collector or mixer decides.

Every call of `perturb` spends a task's ε, and every retry by hand would spend it again. The client perturbs
once per survey, or once per window of rounds of a series, stores the bytes before anyone sees them, and sends
exactly those bytes until the collector has decided. Pairs and labels are never stored.

A mixed task names a mixer. Its reports are sealed for the recipient and go to the mixer, and so do all other requests
about the task. Only its text may come from the collector; the client then asks the mixer for the same text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from pckv.base.canonical import check_name
from pckv.base.days import Phase
from pckv.base.errors import ClientError, ParameterError
from pckv.base.limits import Numeric
from pckv.client.caps import Caps, PeriodCap
from pckv.client.contracts import check_id, find_contract
from pckv.client.folder import StateFolder
from pckv.client.ledger import Ledger, LedgerEntry
from pckv.client.outbox import DeliveryOutcome, Outbox, Status
from pckv.client.reports import Clock, Receipt, Reports, utc_now
from pckv.client.rounds import RoundReceipt, RoundReporter, RoundStatus, check_spread
from pckv.client.transport import Admission, RetryPolicy, Transport, ask_admission, explain, require_admission
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.device.perturb import Held, check_held


class Client:
    """One device's connection to a collector: at most one report per survey, whatever happens in between.

    Args:
        url: The collector's address.
        state: The folder that stores reports; all processes that share it share reports, ledger and caps.
        cap: The most ε of all surveys together towards recipients: `submit` and `report` store it, and it holds for
            later clients that give none; ε = 10 if none was ever given.
        cap_per_period: The most ε towards recipients in a number of days, such as (3, 365); stored like
            `cap`. None if none was ever given.
        local_cap: The most ε of all reports together, each with its own: what counts whatever fails, such as a mixer;
            stored like `cap`. ε = 40 if none was ever given.
        retry_policy: How long one call tries.
        clock: Returns the time, with a time zone; for tests.
    """

    def __init__(
        self,
        url: str,
        state: str | os.PathLike[str],
        *,
        cap: Numeric | None = None,
        cap_per_period: tuple[Numeric, int] | None = None,
        local_cap: Numeric | None = None,
        retry_policy: RetryPolicy | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self._folder = folder = StateFolder(Path(state).absolute())
        outbox = Outbox(folder)
        self._caps = Caps(folder, cap, cap_per_period, local_cap)
        self._ledger = Ledger(outbox, self._caps)
        self._transport = Transport(url, retry_policy or RetryPolicy())
        self._reports = Reports(outbox, self._ledger, self._transport, clock)
        self._rounds = RoundReporter(folder, self._ledger, self._reports, clock)

    @property
    def url(self) -> str:
        """The collector's address."""
        return self._transport.url

    def ledger(self) -> list[LedgerEntry]:
        """Return one entry per report, in the order of days: what it spent when it was stored."""
        return self._ledger.entries()

    def ledger_summary(self) -> tuple[str, str]:
        """Return one sentence about what is spent towards recipients, and one about what is spent whatever fails."""
        return self._ledger.summary()

    @property
    def spent(self) -> Decimal:
        """The ε that all surveys have spent together towards recipients: of mixed ones, what their tasks claim."""
        return self._ledger.sums().recipients

    @property
    def spent_delta(self) -> Decimal:
        """The δ that mixed surveys have spent together towards recipients; at most 10⁻⁵."""
        return self._ledger.sums().delta

    @property
    def local_spent(self) -> Decimal:
        """The ε of all reports together, each with its own: what is spent whatever fails."""
        return self._ledger.sums().local

    @property
    def cap(self) -> Decimal:
        """The ε that all surveys together may spend towards recipients."""
        return self._caps.in_all

    @property
    def cap_per_period(self) -> PeriodCap | None:
        """The ε towards recipients that may be spent in a number of days; None if only the total is capped."""
        return self._caps.per_period

    @property
    def local_cap(self) -> Decimal:
        """The ε that all reports together may have."""
        return self._caps.local

    def task(self, task_id: str) -> Task:
        """Return the task `task_id`: fetched once, checked against its id, then stored in the state folder.

        Raises:
            ClientError: if the collector does not know it, or its text does not have this id.
        """
        return find_contract(Task, task_id, self._folder, self._transport)

    def series(self, series_id: str) -> Series:
        """Return the series `series_id`: fetched once, checked against its id, then stored in the state folder.

        Raises:
            ClientError: if the collector does not know it, or its text does not have this id.
        """
        return find_contract(Series, series_id, self._folder, self._transport)

    def submit(
        self, task_id: str, pairs: Held, *, invitation: str | None = None, segment: str | None = None
    ) -> Receipt:
        """Perturb these pairs for a task, unless that was done before, and send the report.

        The receipt says `sent`, or `waiting` if the collector cannot be reached: `flush` sends the report
        later. A report that the collector refuses is a `ClientError` with the reason. Its ε stays
        spent, and another call for the task does not perturb again.

        Before anything is perturbed, a `ClientError` refuses an ε beyond a cap (`over_budget`), and a second
        task of a survey (`answered`): the name tells surveys apart, whatever its case and spaces. Then the
        collector is asked whether it would take a report. If not, because the task is closed, not open yet or
        gone, or the invitation is missing, unknown or spent, that is a `ClientError`, and nothing is
        perturbed or spent. If it cannot be reached, the report is made and waits, provided that the task is
        open by its own days and needs no coin.

        The report of a mixed task is sealed and sent to its mixer, which is asked in the collector's place, and must
        answer: what comes after the closing day is never counted. A device that cannot seal is refused before anything
        is perturbed.

        A task that refuses more pairs than its padding raises a `PairsError` before anything is perturbed.
        Enforce that limit where pairs are entered, for all alike: whether a participant takes part must not
        depend on their pairs, since no ε covers that.

        Args:
            task_id: The id of the task.
            pairs: The value of every key that the participant holds, or the keys alone where they have no values;
                for a discovery, their texts.
            invitation: The participant's invitation, where the task takes reports by invitation.
            segment: The participant's label, where the task has a segment. Like the pairs, it is never stored.

        Returns:
            The state of the report, and what it cost.

        Raises:
            ClientError: if nothing may be spent, the task is a round of a series (`series`), its mixer has not
                accepted it (`not_accepted`), the collector would not take a report, or it refused the one sent.
            PckvError: if the task is mixed and this device cannot seal (`cannot_seal`, `missing_extra`).
            PairsError: if a pair or the label does not belong to the task; nothing was perturbed.
        """
        check_id(task_id, "task")
        pairs = _read_twice(pairs)
        if invitation is not None:
            _check_invitation(invitation)
        self._caps.remember()
        perturbed, unreachable = False, None
        if (stored := self._reports.find(task_id)) is not None:
            _refuse_round(task_id, json.loads(stored.task)["series"] is not None)
        else:
            task = self.task(task_id)
            _refuse_round(task_id, task.series is not None)
            admission = self._ask_admission(task, pairs, segment, invitation)
            perturbed = self._reports.make(task, pairs, segment, invitation, admission.coin)
            if admission.undecided:
                unreachable = DeliveryOutcome(Status.WAITING, admission.undecided)
        if not perturbed:
            self._reports.readdress(task_id, invitation)
        receipt, _ = self._reports.send(task_id, perturbed=perturbed, skip_as=unreachable)
        if receipt.status is Status.REFUSED:
            reason = f"{explain(receipt.reason)}; ε = {receipt.epsilon:f} is spent"
            raise ClientError("refused", f"the report of task {task_id} was refused: {reason}")
        return receipt

    def _ask_admission(self, task: Task, pairs: Held, segment: str | None, invitation: str | None) -> Admission:
        """Return that a report may be made, or refuse it by what is known here, or the collector says."""
        try:
            task.check_collectable()
        except ParameterError as error:
            raise ClientError("not_sent", f"{error}; nothing was perturbed") from None
        phase = task.dates.phase(self._reports.today())
        if phase is not Phase.OPEN:
            # The collector would refuse it, and the ε would still be spent.
            when = f"closed on {task.closes}" if phase is Phase.CLOSED else f"opens on {task.opens}"
            raise ClientError("not_sent", f"task {task.id} {when}; nothing was perturbed")
        self._reports.check(task)
        # A device that asks and then sends nothing tells something: so pairs are checked before.
        check_held(task, pairs, segment)
        self._reports.try_seal(task)
        admission = ask_admission(self._reports.transport_of(task), task, invitation)
        require_admission(task, admission)
        return admission

    def report(self, series_id: str, pairs: Held, *, spread: float = 0.0, segment: str | None = None) -> RoundReceipt:
        """Report in the current round of a series if a report is due, and say what was done.

        Call it as often as you like, for example at every start of an app. A device draws one of the series'
        panels once, and reports in one round out of as many as there are panels; if it was off in its round,
        it waits for its next one. That many rounds in a row hold at most one report, whatever happens to the
        device or its clock. A report is made once, and later calls send the same bytes; `flush` sends those
        of earlier rounds that still wait.

        A report is made only after the collector's answer that it would take one: its clock confirms the round.

        Args:
            series_id: The id of the series.
            pairs: The value of every key that the participant holds, or the keys alone where they have no values.
            spread: If above 0, reports are due at a random moment within this share of the round, from its
                start on; the first call after it sends, so that frequent calls hide the hour in which the app
                is used.
            segment: The participant's label, where the series has a segment. Like the pairs, it is never stored.

        Returns:
            What was done: a report was `sent`, is `waiting` or was `refused`; or none was made, because it is
            `not_due` or `delayed`, the collector was `unreachable`, or the series has `not_started` or is
            `over`.

        Raises:
            ClientError: if the device has answered another task or series of this name (`answered`), nothing
                more may be spent (`over_budget`), or the collector does not know the series.
            PairsError: if a pair or the label does not belong to the series; nothing was perturbed.
        """
        check_spread(spread)
        pairs = _read_twice(pairs)
        check_id(series_id, "series")
        self._caps.remember()
        try:
            series = self.series(series_id)
        except ClientError as error:
            if error.code != "not_sent":
                raise
            return RoundReceipt(series_id, RoundStatus.UNREACHABLE, reason=str(error))
        return self._rounds.report(series, pairs, segment, spread)

    def flush(self) -> list[Receipt]:
        """Send all reports that wait for this collector, and all sealed ones, each to the mixer of its task.

        Once a collector or mixer cannot be reached, its remaining reports are not tried.

        Returns:
            One receipt per report.

        Raises:
            ClientError: if a file of the state folder is damaged; all other reports were sent before.
        """
        return self._reports.send_all()


def _read_twice(pairs: Held) -> Held:
    """Return pairs that can be read twice, to check and to perturb them, which an iterator allows once."""
    return tuple(pairs) if isinstance(pairs, Iterator) else pairs


def _check_invitation(invitation: str) -> None:
    check_name(invitation, "the invitation")
    # It travels in a header where the task is mixed.
    if not (invitation.isascii() and invitation.isprintable()) or invitation != invitation.strip():
        raise ParameterError(f"the invitation {invitation!r} is not one: they are of letters, digits, - and _")


def _refuse_round(task_id: str, is_round: bool) -> None:
    if is_round:
        raise ClientError(
            "series",
            f"task {task_id} is a round of a series, which devices report to by turns: use `report`; "
            "nothing was perturbed",
        )
