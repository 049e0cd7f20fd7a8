"""Which uploaded reports are stored, known already, or in conflict: the same decisions for every database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pckv.base.wire import Report
from pckv.store.base import Invitation, ReportOutcome, Upload


@dataclass
class TaskBatch:
    """The reports that all requests of one transaction bring for one task, in their order."""

    reports: list[Report] = field(default_factory=list)
    invitations: list[bytes | None] = field(default_factory=list)


@dataclass(frozen=True)
class BatchDecision:
    """One outcome per report of a batch, the reports to store, and the invitations that they spend."""

    outcomes: list[ReportOutcome]
    stored: list[Report] = field(default_factory=list)
    spent: list[bytes] = field(default_factory=list)


def group_by_task(uploads: Iterable[Upload]) -> dict[str, TaskBatch]:
    """Return the reports of many requests as one batch per task, in the order of the task ids."""
    batches: dict[str, TaskBatch] = {}
    for upload in uploads:
        batch = batches.setdefault(upload.task, TaskBatch())
        batch.reports += upload.reports
        batch.invitations += upload.invitations or [None] * len(upload.reports)
    return dict(sorted(batches.items()))


def outcomes_per_upload(uploads: Iterable[Upload], decisions: Mapping[str, BatchDecision]) -> list[list[ReportOutcome]]:
    """Return the outcomes of each request, the inverse of `group_by_task`."""
    outcomes = {task: iter(decision.outcomes) for task, decision in decisions.items()}
    return [list(islice(outcomes[upload.task], len(upload.reports))) for upload in uploads]


def refuse_all(batch: TaskBatch, outcome: ReportOutcome) -> BatchDecision:
    """Return the same outcome for all reports of a batch."""
    return BatchDecision([outcome] * len(batch.reports))


def unique_by_id(reports: Sequence[Report]) -> list[Report]:
    """Return the first report of each id, in the order of the ids, which does not reveal arrival."""
    firsts = {report.id: report for report in reversed(reports)}
    return [firsts[report_id] for report_id in sorted(firsts)]


def decide(
    batch: TaskBatch,
    known: Mapping[bytes, bytes],
    invitations: Mapping[bytes, Invitation] | None = None,
    *,
    by_coin: bool = False,
) -> BatchDecision:
    """Decide on each report of a batch, in order.

    `known` has the bodies that are stored under the batch's ids. `invitations` has those of the batch's
    invitations that are stored; None if the task takes reports without. `by_coin`: the id of a report is its
    invitation's coin.
    """
    bodies: MutableMapping[bytes, bytes] = dict(known)
    unspent = None if invitations is None else dict(invitations)
    decision = BatchDecision([])
    for report, invitation in zip(batch.reports, batch.invitations, strict=True):
        # A known report is recognised before its invitation is checked, so that a retry is never refused.
        body = bodies.get(report.id)
        if body is not None:
            outcome = ReportOutcome.KNOWN if body == report.body else ReportOutcome.CONFLICT
        elif unspent is None:
            outcome = ReportOutcome.STORED
        else:
            outcome = _spend(unspent, invitation, report.id if by_coin else None)
        if outcome is ReportOutcome.STORED:
            bodies[report.id] = report.body
            decision.stored.append(report)
            if unspent is not None and invitation is not None:
                decision.spent.append(invitation)
        decision.outcomes.append(outcome)
    return decision


def _spend(invitations: dict[bytes, Invitation], invitation_hash: bytes | None, coin: bytes | None) -> ReportOutcome:
    """Spend an invitation, if it is valid and, where a coin is needed, has this one."""
    invitation = None if invitation_hash is None else invitations.get(invitation_hash)
    if invitation_hash is None or invitation is None:
        return ReportOutcome.INVITATION_UNKNOWN
    if invitation.spent:
        return ReportOutcome.INVITATION_SPENT
    if coin is not None and invitation.coin != coin:
        return ReportOutcome.WRONG_COIN
    invitations[invitation_hash] = Invitation(spent=True)
    return ReportOutcome.STORED
