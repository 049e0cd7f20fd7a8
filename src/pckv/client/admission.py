"""Admission: whether a collector would take a report, asked before anything is perturbed."""

from __future__ import annotations

from typing import NamedTuple

from pckv.canonical import from_base64url
from pckv.client.reasons import explain
from pckv.client.transport import OK, Answer, Transport, problem_of
from pckv.errors import ClientError, ReportError
from pckv.limits import REPORT_ID_BYTES, SERVER_COIN
from pckv.task import Task


class Admission(NamedTuple):
    """A report may be made: with this coin, where the task needs one.

    `undecided` says why the collector did not answer; it is empty if it did.
    """

    coin: bytes | None
    undecided: str = ""


def ask_admission(transport: Transport, task: Task, invitation: str | None) -> Admission:
    """Ask a collector whether it would take a report of a task.

    A collector that cannot be reached decides nothing: a report that needs no coin can be made and wait.

    Raises:
        ClientError: if the collector would refuse the report, or gives no coin where one is needed.
    """
    answer = transport.ask_admission(task.id, invitation)
    if answer.status == OK:
        members = answer.members("application/json")
        coin = _coin(members.get("coin"))
        if "coin" in members and (coin is None) == (task.coin != SERVER_COIN):
            return Admission(coin)
    problem = problem_of(answer)
    if problem is not None and not answer.temporary:
        raise ClientError(
            problem.kind.replace("-", "_"),
            f"no report of task {task.id} can be made: {explain(str(problem))}; nothing was perturbed",
        )
    undecided = _undecided(answer, str(problem or answer))
    if task.coin == SERVER_COIN:
        raise ClientError(
            "not_sent", f"task {task.id} needs a coin from its collector ({undecided}); nothing was perturbed"
        )
    return Admission(None, undecided)


def _undecided(answer: Answer, shown: str) -> str:
    return "an answer that is not a collector's" if answer.status == OK else shown


def _coin(text: object) -> bytes | None:
    """Return the coin of an answer, None if it has none."""
    try:
        coin = from_base64url(text) if isinstance(text, str) else b""
    except ReportError:
        return None
    return coin if len(coin) == REPORT_ID_BYTES else None
