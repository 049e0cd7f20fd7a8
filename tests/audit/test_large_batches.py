"""Batches of very many people and pairs, draws in narrow bands, and planted faults that show there alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from audit.compared_draws import recorded_corners
from audit.large_batches import LARGE_BATCH_CHECKS, check_bands, check_large_sets, check_many_people
from pckv.base.errors import AuditFailure
from pckv.base.seeded import seeded_source
from pckv.device import vectorised
from pckv.mechanisms.registry import LAWS
from support.faults import Fault, in_place

VECTORISED = "device/vectorised.py"


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("check", LARGE_BATCH_CHECKS, ids=lambda check: check.__name__)
def test_large_batches(check: Callable[[str], None], mechanism: str) -> None:
    check(mechanism)


KEPT = "moved = np.flatnonzero(numbers >= np.uint64(law.kept))"
BAND = "(numbers < np.uint64(5 << 60)) | (numbers >= np.uint64((5 << 60) + (1 << 40)))"
SHARED = "lambda count: (source(4096) * (count // 4096 + 1))[:count] if len(population) > 1_000 else source(count)"
OWNERS, SLOTS = "np.arange(len(population))", "    real = slots < sizes"
FAULTS = (
    in_place("a band of 2^-24 of all draws keeps the truth", VECTORISED, {KEPT: f"moved = np.flatnonzero((numbers >= np.uint64(law.kept)) & ({BAND}))"}, partial(check_bands, "grr")),
    in_place("one function in 65,521 names a pair", VECTORISED, {"hits = numbers < counts": "numbers = np.where(functions % 65521 == 7, np.uint64(0), numbers)\n    hits = numbers < counts"}, partial(check_bands, "collision")),
    in_place("people numbered by 16 bits", VECTORISED, {f"owners = np.repeat({OWNERS}, sizes)\n    taken": f"owners = np.repeat({OWNERS}.astype(np.uint16).astype(np.int64), sizes)\n    taken"}, partial(check_many_people, "collision")),
    in_place("draws shared beyond 65,536 people", VECTORISED, {KEPT: f"numbers = numbers[np.arange(numbers.size) % 2**16]\n    {KEPT}"}, partial(check_many_people, "grr")),
    in_place("noise shared beyond 1,000 people", VECTORISED, {"perturb_many_from(VectorisedTape(source), task": f"perturb_many_from(VectorisedTape({SHARED}), task"}, partial(check_many_people, "grr")),
    in_place("slots counted by 8 bits", VECTORISED, {"np.maximum(sizes, task.law.padding).astype(np.uint64)": "(np.maximum(sizes, task.law.padding) - 1).astype(np.uint8).astype(np.uint64) + np.uint64(1)"}, partial(check_large_sets, "grr")),
    in_place("the first pair is always taken from 150 pairs on", VECTORISED, {SLOTS: f"    slots = np.where(sizes >= 150, 0, slots)\n{SLOTS}"}, partial(check_large_sets, "grr")),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_a_faulty_batch_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


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
