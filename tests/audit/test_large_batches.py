"""Batches of very many people and pairs, draws in narrow bands, and planted faults that show there alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from audit.compared_draws import recorded_corners
from audit.large_batches import (
    LARGE_BATCH_CHECKS,
    check_bands,
    check_large_sets,
    check_many_people,
)
from pckv.base.errors import AuditFailure
from pckv.base.seeded import seeded_source
from pckv.device import vectorised
from pckv.mechanisms import registry as mechanisms
from pckv.mechanisms.registry import LAWS
from support.source_faults import faulty_module

VECTORISED = "device/vectorised.py"


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("check", LARGE_BATCH_CHECKS, ids=lambda check: check.__name__)
def test_large_batches(check: Callable[[str], None], mechanism: str) -> None:
    check(mechanism)


@dataclass(frozen=True)
class BatchFault:
    """A replacement in the source of the batch path, what it replaces, and the check that must catch it."""

    fault: str
    right: str
    wrong: str
    function: str
    mechanism: str
    caught_by: Callable[[str], None]


KEPT = "moved = np.flatnonzero(numbers >= np.uint64(law.kept))"
FAULTS = (
    BatchFault(
        "a band of 2^-24 of all draws keeps the truth",
        KEPT,
        "moved = np.flatnonzero((numbers >= np.uint64(law.kept)) & ((numbers < np.uint64(5 << 60)) "
        "| (numbers >= np.uint64((5 << 60) + (1 << 40)))))",
        "perturb_grr",
        "grr",
        check_bands,
    ),
    BatchFault(
        "one function in 65,521 names a pair",
        "hits = numbers < counts",
        "numbers = np.where(functions % 65521 == 7, np.uint64(0), numbers)\n    hits = numbers < counts",
        "perturb_collision",
        "collision",
        check_bands,
    ),
    BatchFault(
        "people numbered by 16 bits",
        "owners = np.repeat(np.arange(len(population)), sizes)\n    taken",
        "owners = np.repeat(np.arange(len(population)).astype(np.uint16).astype(np.int64), sizes)\n    taken",
        "_take",
        "collision",
        check_many_people,
    ),
    BatchFault(
        "draws shared beyond 65,536 people",
        KEPT,
        f"numbers = numbers[np.arange(numbers.size) % 2**16]\n    {KEPT}",
        "perturb_grr",
        "grr",
        check_many_people,
    ),
    BatchFault(
        "noise shared beyond 1,000 people",
        "perturb_many_from(VectorisedTape(source), task",
        "perturb_many_from(VectorisedTape(lambda count: (source(4096) * (count // 4096 + 1))[:count] "
        "if len(population) > 1_000 else source(count)), task",
        "perturb_many",
        "grr",
        check_many_people,
    ),
    BatchFault(
        "slots counted by 8 bits",
        "np.maximum(sizes, task.law.padding).astype(np.uint64)",
        "(np.maximum(sizes, task.law.padding) - 1).astype(np.uint8).astype(np.uint64) + np.uint64(1)",
        "_sample",
        "grr",
        check_large_sets,
    ),
    BatchFault(
        "the first pair is always taken from 150 pairs on",
        "    real = slots < sizes",
        "    slots = np.where(sizes >= 150, 0, slots)\n    real = slots < sizes",
        "_sample",
        "grr",
        check_large_sets,
    ),
)


@pytest.mark.parametrize("planted", FAULTS, ids=lambda planted: planted.fault)
def test_a_faulty_batch_is_caught(planted: BatchFault, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = getattr(faulty_module(VECTORISED, planted.right, planted.wrong), planted.function)
    monkeypatch.setattr(vectorised, planted.function, faulty)
    load = mechanisms.load_part
    monkeypatch.setattr(
        vectorised,
        "load_part",
        lambda *part: found if (found := load(*part)).__name__ != planted.function else faulty,
    )
    with pytest.raises(AuditFailure):
        planted.caught_by(planted.mechanism)


def test_what_draws_are_compared_with_is_recorded() -> None:
    """Also behind a shift, and of remainders; an operation that cannot be followed is refused."""
    people = np.arange(9)

    def corners(run: Callable[[vectorised.VectorisedTape], object]) -> set[int]:
        return set(recorded_corners(run, seeded_source(1), 2**32))

    assert {776, 777, 778} <= corners(lambda tape: tape.draw(people) < np.uint64(777))
    assert 3 << 36 in corners(lambda tape: tape.draw(people) >> np.uint64(36) == np.uint64(3))
    assert 5 in corners(lambda tape: tape.below(people, np.uint64(10)) == 5)
    with pytest.raises(AuditFailure, match="cannot be followed"):
        corners(lambda tape: tape.draw(people) & np.uint64(7))
    with pytest.raises(AuditFailure, match="hash function"):
        corners(lambda tape: tape.below(people, np.uint64(2**32)) % 65521 == 7)
