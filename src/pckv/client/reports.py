"""The reports of a device: each made once, recorded in the ledger, and sent as it was stored.

A report of a mixed task is sealed when it is made, once, and its sealed bytes go to the mixer: sealing again would give
other bytes, and so two entries of one participant in a batch.

Days are those of the device's clock, which may be set back or forward at any time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from pckv.base.errors import DataError, ParameterError
from pckv.base.wire import Report
from pckv.client.ledger import Ledger, ReportCost
from pckv.client.outbox import DeliveryOutcome, Outbox, SealedReport, Status, StoredReport
from pckv.client.transport import Delivery, Transport
from pckv.contract.task import Task
from pckv.device.perturb import Held, perturb
from pckv.sealing.seal import seal, try_seal

# Returns the time, with a time zone.
Clock = Callable[[], dt.datetime]


def utc_now() -> dt.datetime:
    """Return the time of the system's clock, in UTC."""
    return dt.datetime.now(dt.UTC)


def read_clock(clock: Clock) -> dt.datetime:
    """Return the time of a clock in UTC; one without a time zone is refused."""
    now = clock()
    if not isinstance(now, dt.datetime) or now.tzinfo is None:
        raise ParameterError(f"the clock must return a time with a time zone, not {now!r}")
    return now.astimezone(dt.UTC)


def day_of(time: dt.datetime) -> str:
    """Return the day of a time in UTC."""
    return time.date().isoformat()


@dataclass(frozen=True)
class Receipt:
    """The state of a task's report, and what it cost.

    Attributes:
        task: The id of the task.
        status: The state of the report.
        epsilon: The ε of the report itself; the ledger says what a mixed one spends towards its recipient.
        perturbed: Whether this very call perturbed: if not, the pairs that it was given were not used.
        reason: Why a report waits or was refused.
    """

    task: str
    status: Status
    epsilon: Decimal
    perturbed: bool = False
    reason: str = ""


class Reports:
    """The reports of a state folder, for one collector and all mixers."""

    def __init__(self, outbox: Outbox, ledger: Ledger, transport: Transport, clock: Clock) -> None:
        self._outbox, self._folder, self._ledger = outbox, outbox.folder, ledger
        self._transport, self._clock = transport, clock

    def find(self, task_id: str) -> StoredReport | None:
        """Return the stored report of a task, None if none was made."""
        return self._outbox.find(task_id)

    def today(self) -> str:
        """Return the day by the device's clock."""
        return day_of(read_clock(self._clock))

    def check(self, task: Task) -> None:
        """Refuse a task whose report the ledger does not allow, unless it was made."""
        with self._folder.locked():
            if self._outbox.find(task.id) is None:
                self._ledger.check(task, ReportCost.of(task), self.today())

    def transport_of(self, task: Task) -> Transport:
        """Return the connection that a task's requests go to: of a mixed task, that to its mixer alone."""
        return self._transport if task.mixer is None else self._transport.at(task.mixer.url)

    def try_seal(self, task: Task) -> None:
        """Refuse a mixed task on a device that cannot seal, before anything is asked or perturbed."""
        if task.mixer is not None:
            try_seal(task.message_format.body_bytes, task.mixer.public_key, task.digest)

    def make(self, task: Task, pairs: Held, segment: str | None, invitation: str | None, coin: bytes | None) -> bool:
        """Perturb the pairs and store the report, unless there is one; return whether that was done."""
        cost, url = ReportCost.of(task), self.transport_of(task).url
        with self._folder.locked():
            if self._outbox.find(task.id) is not None:
                return False
            day = self._ledger.check(task, cost, self.today())
            report: Report | SealedReport = perturb(task, pairs, coin, segment=segment)
            if task.mixer is not None:
                report = SealedReport(report.body, seal(report.body, task.mixer.public_key, task.digest))
            stored = StoredReport(report, task.to_json(), cost.epsilon, day, url, invitation)
            added = self._outbox.add(task.id, stored)
            self._ledger.record(task.id)
            return added

    def readdress(self, task_id: str, invitation: str | None) -> None:
        """Send a stored report to this collector from now on, or to its mixer, with this invitation if there is one."""
        self._outbox.readdress(task_id, self._transport.url, invitation)

    def send(
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
            # The process that stored it may have died before the record, or the file's name, was on disk.
            if not self._ledger.is_recorded(task_id):
                with self._folder.locked():
                    self._ledger.record(task_id)
            self._folder.sync()
            outcome, unreachable = self._deliver(task_id, stored)
            if outcome.status is not Status.WAITING:
                outcome = self._outbox.decide(task_id, outcome)
        return Receipt(task_id, outcome.status, stored.epsilon, perturbed, outcome.reason), unreachable

    def _deliver(self, task_id: str, stored: StoredReport) -> Delivery:
        report = stored.report
        if isinstance(report, SealedReport):
            return self._transport.at(stored.url).send_sealed(task_id, report.sealed, stored.invitation)
        return self._transport.send(task_id, report, stored.invitation)

    def send_all(self) -> list[Receipt]:
        """Send all reports that wait for this collector or a mixer; return one receipt per report."""
        receipts: list[Receipt] = []
        damage: DataError | None = None
        unreachable: dict[str, DeliveryOutcome] = {}
        for task_id in self._outbox.tasks():
            try:
                stored = self._outbox.find(task_id)
                waits = self._outbox.outcome(task_id).status is Status.WAITING
                if stored is None or not waits:
                    continue
                if stored.url != self._transport.url and not isinstance(stored.report, SealedReport):
                    continue
                receipt, is_unreachable = self.send(task_id, skip_as=unreachable.get(stored.url))
            except DataError as error:
                damage = damage or error
                continue
            receipts.append(receipt)
            if is_unreachable:
                unreachable[stored.url] = DeliveryOutcome(receipt.status, receipt.reason)
        if damage is not None:
            raise damage
        return receipts
