"""Batches and tapes: every report of a batch is the scalar code's, from bytes that no two share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from audit.batches import (
    BATCH_CHECKS,
    SWEEPS,
    check_batch_equals_single,
    check_rare_answers,
    check_rare_draws,
)
from audit.tapes import DEVICE_CHECKS, TAPE_CHECKS
from pckv.device import vectorised
from pckv.mechanisms.collision.affine import Number, Numbering
from pckv.mechanisms.registry import LAWS

pytestmark = pytest.mark.usefixtures("fewer_draws")


@pytest.fixture(autouse=True)
def remembered_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute where an item stands once: the scalar code makes hundreds of thousands of reports of the same pairs."""
    position = Numbering.position
    remembered = cache(position)

    def remembering(self: Numbering, item: Number) -> Number:
        return remembered(self, item) if isinstance(item, int) else position(self, item)

    monkeypatch.setattr(Numbering, "position", remembering)


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("check", BATCH_CHECKS + DEVICE_CHECKS, ids=lambda check: check.__name__)
def test_batches(check: Callable[[str], None], mechanism: str) -> None:
    check(mechanism)


@pytest.mark.parametrize("check", TAPE_CHECKS, ids=lambda check: check.__name__)
def test_tapes(check: Callable[[], None]) -> None:
    check()


@pytest.mark.parametrize("mechanism", LAWS)
def test_every_padding(mechanism: str, covers_all: bool) -> None:
    """Every seventh padding up to 100 with `--all`, two without; with as many keys, one more, and many."""
    paddings = range(2, 101, 7) if covers_all else (7, 51)
    check_batch_equals_single(mechanism, [(keys, each) for each in paddings for keys in (each, each + 1, 700)])


@pytest.mark.verify
def test_rare_draws_again() -> None:
    """The same bits next to others."""
    for mechanism in LAWS:
        check_rare_draws(mechanism, range(SWEEPS, 2 * SWEEPS))


def test_rare_answers(covers_all: bool) -> None:
    """All mechanisms share the code that answers the size question; `--all` runs it for each."""
    for mechanism in ("grr", "ue-compact", "collision") if covers_all else ("grr",):
        check_rare_answers(mechanism)


def test_planes_made_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """With many keys the draws of one participant are made in several blocks, which changes nothing."""
    monkeypatch.setattr(vectorised, "DRAWS_PER_BATCH", 400)
    check_batch_equals_single("ue")
