"""Mutants: mechanisms with one planted fault, each of which must be caught by the check that it names.

None of these faults would make an ordinary test of "it runs and the numbers look right" fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from audit import conformance
from audit.conformance import SUBJECTS, Subject
from audit.exhaustive import OneDraw
from pckv.base.errors import AuditFailure

UE, GRR, COMPACT, COLLISION = SUBJECTS


@dataclass(frozen=True)
class Mutant:
    """A faulty mechanism, the check that must catch it, and what that must say."""

    fault: str
    subject: Subject
    caught_by: Callable[[Subject], None]
    says: str | None = None


def check_caught(mutant: Mutant) -> None:
    """Assert that the named check fails with the named message; test_conformance shows that it passes otherwise."""
    with pytest.raises(AuditFailure, match=mutant.says):
        mutant.caught_by(mutant.subject)


def check_faultless(subject: Subject) -> None:
    """Assert that a mechanism rewritten for mutants is correct, so that checks catch the planted fault alone."""
    for check in (
        conformance.check_sampler_epsilon,
        conformance.check_sampler_equals_law,
        conformance.check_levels_equal_law,
        conformance.check_unbiased,
    ):
        check(subject)


class BiasedBelow(OneDraw):
    """The remainder, without rejecting the incomplete last run."""

    def below(self, count: int) -> int:
        return self.draw() % count


def skipping(own: list[int], symbol: int) -> int:
    """Return a symbol among the others: a participant's own are skipped."""
    for taken in own:
        symbol += taken <= symbol
    return symbol
