"""What the outcome of a report means to the one who sent it."""

from __future__ import annotations

from pckv.collector.decoding import DECODING_REASONS
from pckv.collector.problem_details import ProblemKind
from pckv.store.base import ReportOutcome

ACCEPTED = frozenset({ReportOutcome.STORED, ReportOutcome.KNOWN})
# The whole request is refused.
TASK_ENDED = {ReportOutcome.TASK_CLOSED: ProblemKind.CLOSED, ReportOutcome.TASK_GONE: ProblemKind.DELETED}
# Why a report can be refused, before the store has seen it and by the store.
REFUSAL_REASONS = tuple(
    dict.fromkeys(
        [
            *DECODING_REASONS,
            *(outcome.value for outcome in ReportOutcome if outcome not in ACCEPTED | TASK_ENDED.keys()),
        ]
    )
)
