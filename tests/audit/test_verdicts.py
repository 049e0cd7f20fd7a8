"""The verdict of an audit: every kind of task that is wrong by the least there is fails, and the shipped one holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest

from audit.wrong_tasks import (
    KINDS,
    OF_PAIRS,
    OF_SIZES,
    QUICK,
    WRONG,
    another_epsilon,
    larger_claim,
    larger_claim_of_sizes,
    one_unit,
    one_unit_of_sizes,
    one_unit_unstated,
    unstated_sizes,
)
from pckv import audit
from pckv.base.errors import AuditFailure
from pckv.contract.task import Task
from support.faults import Fault, in_place


def check_verdicts(wrong_tasks: Iterable[tuple[str, Callable[[Task], Task]]] = WRONG) -> None:
    """No wrong task holds, though its code follows its law exactly."""
    for kind, wrong in wrong_tasks:
        found = audit(wrong(KINDS[kind]))
        if found.holds:
            raise AuditFailure(f"verdict: {kind} holds with {wrong.__name__}, {found.enumerated} of {found.asked}")


@pytest.mark.parametrize("kind", [QUICK, *(kind for kind in KINDS if kind != QUICK)])
def test_a_shipped_task_holds_and_wrong_ones_do_not(kind: str) -> None:
    shipped = audit(KINDS[kind])
    assert shipped.holds
    # Otherwise one unit more would not show.
    assert shipped.enumerated == shipped.closed_form
    check_verdicts([(name, wrong) for name, wrong in WRONG if name == kind])


def test_every_mechanism_is_judged() -> None:
    """One unit of 2^64, by the fewest paths of each."""
    check_verdicts([(kind, one_unit) for kind in ("ue", "grr", "ue-compact", "collision", "hashed keys")])


AUDIT = "auditing/audit.py"
CHAIN, SIZES, CLAIM = (
    "loss.reports <= task.realised <= task.claim",
    "loss.sizes <= question.realised",
    "is_within(task.claim, epsilon)",
)


def of_verdict(fault: str, right: str, wrong: str, witness: Callable[[Task], Task]) -> Fault:
    """Return a fault of the verdict, and the wrong task that holds because of it."""
    return in_place(fault, AUDIT, {right: wrong}, partial(check_verdicts, [(QUICK, witness)]), witness.__name__)


FAULTS = (
    of_verdict("e^ε is not compared", CLAIM, "True", larger_claim),
    of_verdict("twice e^ε is compared", CLAIM, "is_within(task.claim / 2, epsilon)", larger_claim),
    of_verdict("e^2ε is compared", CLAIM, "is_within(task.claim, 2 * epsilon)", larger_claim_of_sizes),
    of_verdict("what is lost is compared instead of what is claimed", CLAIM, "is_within(loss.sizes, epsilon)", larger_claim),
    of_verdict("the law's own ε is compared", "Fraction(task.reporting.epsilon)", "law.epsilon", another_epsilon),
    of_verdict("what was found is not compared", CHAIN, "task.realised <= task.claim", one_unit_unstated),
    of_verdict("the claim is not compared", CHAIN, "loss.reports <= task.realised", one_unit),
    of_verdict("the closed form is not compared with the claim", CHAIN, "loss.reports <= task.realised and law.claim <= task.claim", one_unit_of_sizes),
    of_verdict("answers about sizes are not compared", SIZES, "True", unstated_sizes),
    of_verdict("answers about sizes are compared with pairs", SIZES, "loss.sizes <= task.realised", unstated_sizes),
    of_verdict("one of two suffices", f"{CHAIN}\n        and", f"{CHAIN}\n        or", one_unit_unstated),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_a_faulty_verdict_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def test_every_wrong_task_is_a_witness() -> None:
    assert {fault.says for fault in FAULTS} == {wrong.__name__ for wrong in (*OF_PAIRS, *OF_SIZES)}
