"""The conformance suite over every registered mechanism."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pckv.auditing.conformance import CHECKS, SUBJECTS, Subject
from pckv.auditing.supports import check_supports
from pckv.channels import CHANNELS
from pckv.mechanisms import REGISTRY


def test_every_mechanism_is_checked() -> None:
    assert {subject.name for subject in SUBJECTS} == set(CHANNELS) == set(REGISTRY)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
@pytest.mark.parametrize("check", [*CHECKS, check_supports], ids=lambda check: check.__name__)
def test_conformance(check: Callable[[Subject], None], subject: Subject) -> None:
    check(subject)
