"""What becomes of uploaded reports: the same decisions for every database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pckv.store.base import Outcome, Upload
from pckv.wire import Report


@dataclass
class Batch:
    """The reports of one task in all requests of a transaction, in their order."""

    reports: list[Report] = field(default_factory=list)
    invitations: list[bytes | None] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    """An outcome for every report of a batch; the reports to be stored, and the invitations that they spend."""

    outcomes: list[Outcome]
    stored: list[Report] = field(default_factory=list)
    spent: list[bytes] = field(default_factory=list)


def gather(uploads: Iterable[Upload]) -> dict[str, Batch]:
    """The reports of many requests, a batch a task; tasks in the order of their ids."""
    batches: dict[str, Batch] = {}
    for upload in uploads:
        batch = batches.setdefault(upload.task, Batch())
        batch.reports += upload.reports
        batch.invitations += upload.invitations or [None] * len(upload.reports)
    return dict(sorted(batches.items()))


def scatter(uploads: Iterable[Upload], verdicts: Mapping[str, Verdict]) -> list[list[Outcome]]:
    """Give every request its own outcomes back."""
    outcomes = {task: iter(verdict.outcomes) for task, verdict in verdicts.items()}
    return [list(islice(outcomes[upload.task], len(upload.reports))) for upload in uploads]


def refuse(batch: Batch, outcome: Outcome) -> Verdict:
    """The same outcome for all."""
    return Verdict([outcome] * len(batch.reports))


def first_of_each(reports: Sequence[Report]) -> list[Report]:
    """The first report of every id, in the order of the ids, which says nothing about arrival."""
    firsts = {report.id: report for report in reversed(reports)}
    return [firsts[report_id] for report_id in sorted(firsts)]


def decide(
    batch: Batch, known: Mapping[bytes, bytes], invitations: Mapping[bytes, bool] | None = None
) -> Verdict:
    """Decide about one report after the other.

    `known` has the bodies that are stored under the batch's ids, `invitations` whether each of the
    batch's is spent; None if the task is open to all.
    """
    bodies: MutableMapping[bytes, bytes] = dict(known)
    spent = None if invitations is None else dict(invitations)
    verdict = Verdict([])
    for report, invitation in zip(batch.reports, batch.invitations, strict=True):
        # A known report is looked at before its invitation, so that a retry is never refused.
        body = bodies.get(report.id)
        if body is not None:
            outcome = Outcome.KNOWN if body == report.body else Outcome.CONFLICT
        else:
            outcome = _spend(spent, invitation, verdict)
        if outcome is Outcome.STORED:
            bodies[report.id] = report.body
            verdict.stored.append(report)
        verdict.outcomes.append(outcome)
    return verdict


def _spend(spent: dict[bytes, bool] | None, invitation: bytes | None, verdict: Verdict) -> Outcome:
    if spent is None:
        return Outcome.STORED
    if invitation is None or invitation not in spent:
        return Outcome.INVITATION_UNKNOWN
    if spent[invitation]:
        return Outcome.INVITATION_SPENT
    spent[invitation] = True
    verdict.spent.append(invitation)
    return Outcome.STORED
