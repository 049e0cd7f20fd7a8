"""Fixtures of the tests of audits."""

from __future__ import annotations

import pytest

from audit import batches


@pytest.fixture
def fewer_draws(monkeypatch: pytest.MonkeyPatch, covers_all: bool) -> None:
    """Replay a third of the people of every setting, and sweep 14 bits; with `--all` all people, and 16 bits.

    No setting is left out, and the planted faults are caught with as many.
    """
    if not covers_all:
        monkeypatch.setattr(batches, "REPEATS_OF_WORDS", batches.REPEATS_OF_WORDS // 3)
        monkeypatch.setattr(batches, "SWEPT_BITS", 14)
