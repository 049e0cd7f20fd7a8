"""Admission: whether a collector would take a report, asked before anything is perturbed."""

from __future__ import annotations

from typing import NamedTuple

from pckv.base.canonical import from_base64url
from pckv.base.errors import ClientError, ReportError
from pckv.base.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.client.reasons import explain
from pckv.client.transport import OK, Answer, Problem, Transport, problem_of
from pckv.contract.task import Task


class Admission(NamedTuple):
    """What a collector says about a report that is not made yet.

    Attributes:
        coin: The coin that the report is to be made with, where the task needs one.
        undecided: Why the collector did not answer; empty if it did.
        refusal: Why the collector would refuse the report; None if it would not.
    """

    coin: bytes | None = None
    undecided: str = ""
    refusal: Problem | None = None


def ask_admission(transport: Transport, task: Task, invitation: str | None) -> Admission:
    """Ask a collector whether it would take a report of a task."""
    answer = transport.ask_admission(task.id, invitation)
    if answer.status == OK:
        members = answer.members("application/json")
        coin = _coin(members.get("coin"))
        if "coin" in members and (coin is None) == (task.coin != SERVER_COIN):
            return Admission(coin)
    problem = problem_of(answer)
    if problem is not None and not answer.temporary:
        return Admission(refusal=problem)
    return Admission(undecided=_undecided(answer, str(problem or answer)))


def require_admission(task: Task, admission: Admission) -> None:
    """Refuse a report that the collector would refuse, and one without the coin that it needs.

    A collector that cannot be reached decides nothing: a report that needs no coin can be made and wait.

    Raises:
        ClientError: if no report may be made.
    """
    problem = admission.refusal
    if problem is not None:
        raise ClientError(
            problem.kind.replace("-", "_"),
            f"no report of task {task.id} can be made: {explain(str(problem))}; nothing was perturbed",
        )
    if admission.undecided and task.coin == SERVER_COIN:
        raise ClientError(
            "not_sent",
            f"task {task.id} needs a coin from its collector ({admission.undecided}); nothing was perturbed",
        )


def _undecided(answer: Answer, shown: str) -> str:
    return "an answer that is not a collector's" if answer.status == OK else shown


def _coin(text: object) -> bytes | None:
    """Return the coin of an answer, None if it has none."""
    try:
        coin = from_base64url(text) if isinstance(text, str) else b""
    except ReportError:
        return None
    return coin if len(coin) == REPORT_ID_BYTES else None
