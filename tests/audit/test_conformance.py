"""The conformance suite over every registered mechanism."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from audit.conformance import CHECKS, SUBJECTS, Subject
from audit.supports import check_supports
from pckv.mechanisms.registry import LAWS, REGISTRY


def test_every_mechanism_is_checked() -> None:
    assert {subject.name for subject in SUBJECTS} == set(LAWS) == set(REGISTRY)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
@pytest.mark.parametrize("check", [*CHECKS, check_supports], ids=lambda check: check.__name__)
def test_conformance(check: Callable[[Subject], None], subject: Subject) -> None:
    check(subject)
