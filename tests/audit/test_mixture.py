"""The conformance suite of reports that answer one of two questions, over every mechanism with words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from audit.mixture import MIXTURE_CHECKS, MIXTURE_SUBJECTS, MixtureSubject
from pckv.mechanisms.registry import LAWS


def test_every_mechanism_with_words_is_checked() -> None:
    assert [subject.name for subject in MIXTURE_SUBJECTS] == [name for name in LAWS if name != "ue"]


@pytest.mark.parametrize("subject", MIXTURE_SUBJECTS, ids=lambda subject: subject.name)
@pytest.mark.parametrize("check", MIXTURE_CHECKS, ids=lambda check: check.__name__)
def test_mixture(check: Callable[[MixtureSubject], None], subject: MixtureSubject) -> None:
    check(subject)
