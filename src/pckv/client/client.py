"""The client: perturb once, store, send. Standard library only.

Every call of `perturb` spends a task's ε, and every retry by hand would spend it again. The client perturbs once
per survey, stores the bytes before anyone sees them, and sends exactly those bytes until the collector has decided.
Pairs are never stored.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pckv.canonical import check_name, from_base64url
from pckv.client.admission import Admission, ask_admission
from pckv.client.folder import StateFolder
from pckv.client.ledger import Ledger, LedgerEntry, realised_epsilon
from pckv.client.outbox import DeliveryOutcome, Outbox, Status, StoredReport, task_id_of
from pckv.client.reasons import explain
from pckv.client.retry_policy import RetryPolicy
from pckv.client.transport import OK, Transport, problem_of
from pckv.days import Phase, utc_today
from pckv.device.perturb import perturb, read_pairs
from pckv.errors import ClientError, DataError, ReportError, TaskError
from pckv.limits import Numeric
from pckv.task import Task

TASK_SUFFIX = ".task"


@dataclass(frozen=True)
class Receipt:
    """The state of a task's report, and what it cost.

    Attributes:
        task: The id of the task.
        status: The state of the report.
        epsilon: The ε that the report has spent.
        perturbed: Whether this very call perturbed: if not, the pairs that it was given were not used.
        reason: Why a report waits or was refused.
    """

    task: str
    status: Status
    epsilon: Decimal
    perturbed: bool = False
    reason: str = ""


class Client:
    """One device's connection to a collector: at most one report per survey, whatever happens in between.

    Args:
        url: The collector's address.
        state: The folder that stores reports; all threads and processes that share it share the reports, the ledger
            and the cap.
        cap: The most ε of all surveys together: `submit` stores it, and it holds for later clients that give none;
            ε = 10 if nobody ever gave one.
        retry_policy: How long one call tries.
    """

    def __init__(
        self,
        url: str,
        state: str | os.PathLike[str],
        *,
        cap: Numeric | None = None,
        retry_policy: RetryPolicy | None = None,
    ) -> None:
        self._folder = StateFolder(Path(state).absolute())
        self._outbox = Outbox(self._folder)
        self._ledger = Ledger(self._outbox, cap)
        self._transport = Transport(url, retry_policy or RetryPolicy())

    @property
    def url(self) -> str:
        """The collector's address."""
        return self._transport.url

    @property
    def ledger(self) -> list[LedgerEntry]:
        """The ε that each survey has spent, from the moment that its report is stored."""
        return self._ledger.entries()

    @property
    def spent(self) -> Decimal:
        """The ε that all surveys have spent together."""
        return self._ledger.spent()

    @property
    def cap(self) -> Decimal:
        """The ε that all surveys together may spend."""
        return self._ledger.cap

    def task(self, task_id: str) -> Task:
        """Return the task of an id: fetched once, checked against the id, then stored in the state folder.

        Args:
            task_id: The id of a task of this collector.

        Returns:
            The task.

        Raises:
            ClientError: if the collector does not know it, or its text does not have this id.
        """
        _check_id(task_id)
        text = self._folder.get(task_id + TASK_SUFFIX)
        if text is not None:
            if task_id_of(text) != task_id:
                raise self._folder.damage_error(task_id + TASK_SUFFIX)
            return Task.from_json(text)
        task = self._fetch(task_id)
        with self._folder.locked():
            self._folder.put(task_id + TASK_SUFFIX, task.to_json())
        return task

    def _fetch(self, task_id: str) -> Task:
        answer = self._transport.fetch(task_id)
        place = f"{self.url}/tasks/{task_id}"
        if answer.status != OK:
            problem = problem_of(answer)
            code = "not_sent" if problem is None or answer.temporary else problem.kind.replace("-", "_")
            raise ClientError(code, f"{place}: {explain(str(problem or answer))}; nothing was perturbed")
        try:
            task = Task.from_json(answer.body)
        except TaskError as error:
            raise ClientError("wrong_task", f"{place}: {error}") from None
        # The id is the hash of the task's text: nobody can change ε on the way.
        if task.id != task_id:
            raise ClientError(
                "wrong_task", f"{place}: the answer is the task {task.id}, not the one asked for"
            )
        return task

    def submit(self, task_id: str, pairs: Mapping[str, float], *, invitation: str | None = None) -> Receipt:
        """Perturb these pairs for a task, unless that was done before, and send the report.

        The receipt says `sent`, or `waiting` if the collector cannot be reached: `flush` sends the report later. A report
        that the collector refuses is a `ClientError` with the reason. Its ε is spent all the same, and another call for
        the task does not perturb again.

        Before anything is perturbed, a `ClientError` refuses an ε beyond the cap (`over_budget`), and a second task of a
        survey (`answered`): the name tells surveys apart, whatever its case and spaces. Then the collector is asked
        whether it would take a report. If not, because the task is closed, not open yet or gone, or the invitation is
        missing, unknown or spent, that is a `ClientError`, and nothing is perturbed or spent. If it cannot be reached, the
        report is made and waits, provided that the task is open by its own days and needs no coin.

        A task that refuses more pairs than its padding raises a `PairsError` before anything is perturbed. Enforce
        that limit where pairs are entered, for everybody alike: whether somebody takes part must not depend on their
        pairs, since no ε covers that.

        Args:
            task_id: The id of the task.
            pairs: The value of every key that the participant holds.
            invitation: The participant's invitation, where the task takes reports by invitation.

        Returns:
            The state of the report, and what it cost.

        Raises:
            ClientError: if nothing may be spent, the collector would not take a report, or it refused the one sent.
            PairsError: if a pair does not belong to the task; nothing was perturbed.
        """
        _check_id(task_id)
        if invitation is not None:
            check_name(invitation, "the invitation")
        self._ledger.remember_cap()
        perturbed, unreachable = False, None
        if self._outbox.find(task_id) is None:
            task = self.task(task_id)
            admission = self._ask_admission(task, pairs, invitation)
            perturbed = self._perturb(task, pairs, invitation, admission.coin)
            if admission.undecided:
                unreachable = DeliveryOutcome(Status.WAITING, admission.undecided)
        if not perturbed:
            self._outbox.readdress(task_id, self.url, invitation)
        receipt, _ = self._deliver(task_id, perturbed=perturbed, skip_as=unreachable)
        if receipt.status is Status.REFUSED:
            raise ClientError(
                "refused",
                f"the report of task {task_id} was refused: {explain(receipt.reason)}; ε = {receipt.epsilon:f} is spent",
            )
        return receipt

    def _ask_admission(self, task: Task, pairs: Mapping[str, float], invitation: str | None) -> Admission:
        """Return that a report may be made, or refuse it: first by what is known here, then by what the collector says."""
        phase = task.phase(utc_today())
        if phase is not Phase.OPEN:
            # The collector would refuse it, and the ε would be spent all the same.
            when = f"closed on {task.closes}" if phase is Phase.CLOSED else f"opens on {task.opens}"
            raise ClientError("not_sent", f"task {task.id} {when}; nothing was perturbed")
        with self._folder.locked():
            if self._outbox.find(task.id) is None:
                self._ledger.check(task, realised_epsilon(task))
        # Whoever asks and then stays away has said something: what is wrong with the pairs shows before.
        read_pairs(task, pairs)
        return ask_admission(self._transport, task, invitation)

    def _perturb(
        self, task: Task, pairs: Mapping[str, float], invitation: str | None, coin: bytes | None
    ) -> bool:
        epsilon = realised_epsilon(task)
        with self._folder.locked():
            if self._outbox.find(task.id) is not None:
                return False
            self._ledger.check(task, epsilon)
            report = StoredReport(perturb(task, pairs, coin), task.to_json(), epsilon, self.url, invitation)
            added = self._outbox.add(task.id, report)
            self._ledger.record(task.id)
            return added

    def flush(self) -> list[Receipt]:
        """Send all reports that wait for this collector.

        Once the collector cannot be reached, the remaining reports are not tried.

        Returns:
            One receipt per report.

        Raises:
            ClientError: if a file of the state folder is damaged; all other reports were sent before.
        """
        receipts: list[Receipt] = []
        damage: DataError | None = None
        unreachable: DeliveryOutcome | None = None
        for task_id in self._outbox.tasks():
            try:
                if not self._waits(task_id):
                    continue
                receipt, is_unreachable = self._deliver(task_id, skip_as=unreachable)
            except DataError as error:
                damage = damage or error
                continue
            receipts.append(receipt)
            if is_unreachable:
                unreachable = DeliveryOutcome(receipt.status, receipt.reason)
        if damage is not None:
            raise damage
        return receipts

    def _waits(self, task_id: str) -> bool:
        stored = self._outbox.find(task_id)
        waits = self._outbox.outcome(task_id).status is Status.WAITING
        return stored is not None and stored.url == self.url and waits

    def _deliver(
        self, task_id: str, *, perturbed: bool = False, skip_as: DeliveryOutcome | None = None
    ) -> tuple[Receipt, bool]:
        """Send what is stored, unless its outcome is known; with `skip_as`, only return that outcome.

        Also return whether the collector was unreachable.
        """
        stored = self._outbox.find(task_id)
        if stored is None:
            raise self._folder.damage_error(task_id, "the report was removed")
        outcome, unreachable = skip_as or self._outbox.outcome(task_id), False
        if skip_as is None and outcome.status is Status.WAITING:
            # The process that stored the report may have died before the record, or the file's name, was on disk.
            if not self._ledger.is_recorded(task_id):
                with self._folder.locked():
                    self._ledger.record(task_id)
            self._folder.sync()
            outcome, unreachable = self._transport.send(task_id, stored.report, stored.invitation)
            if outcome.status is not Status.WAITING:
                outcome = self._outbox.decide(task_id, outcome)
        return Receipt(task_id, outcome.status, stored.epsilon, perturbed, outcome.reason), unreachable


def _check_id(task_id: str) -> None:
    # The id becomes the name of a file: nothing but an id passes.
    try:
        valid = isinstance(task_id, str) and len(from_base64url(task_id)) == hashlib.sha256().digest_size
    except ReportError:
        valid = False
    if not valid:
        raise ClientError("wrong_task", f"{task_id!r} is not a task's id")
