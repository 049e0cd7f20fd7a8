"""The scalar device code with rare parameters, large paddings and many pairs, and planted faults that show there."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from audit.large_sets import (
    check_large_paddings,
    check_large_sizes,
    check_rare_parameters,
    check_shared_symbols,
    check_whole_reports,
)
from pckv.base.errors import AuditFailure
from pckv.mechanisms.collision import device as collision
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.registry import LAWS
from support.faults import Fault, in_place

CHECKS = (check_rare_parameters, check_large_paddings, check_large_sizes, check_whole_reports)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_large_sets(check: Callable[[str], None], name: str) -> None:
    check(name)


def test_shared_symbols() -> None:
    check_shared_symbols(collision.perturb)


def check_reports() -> None:
    try:
        check_whole_reports("grr")
    except TypeError as error:
        raise AuditFailure("whole reports: a report is made without its randomness") from error


PADDING, COMPACT, COLLISION = (
    "mechanisms/padding.py",
    "mechanisms/ue_compact/device.py",
    "mechanisms/collision/device.py",
)
PERTURB, SLOT, DRAW = "device/perturb.py", "    return pairs[slot] if", "    number = tape.draw()"
MADE, FAULTY_TAPE = (
    "perturb_from(Tape(task.draws), task, pairs, coin, segment=segment)",
    "Tape(task.draws, lambda count: bytes(count))",
)
FAULTS = (
    in_place("pairs that share one symbol are told", COLLISION, {DRAW: f"{DRAW}\n    number = 0 if len(own) == 1 and len(items) > 3 else number"}, test_shared_symbols, "shared symbols"),
    in_place("the first pair is always taken from 150 pairs on", PADDING, {SLOT: f"    slot = 0 if len(pairs) >= 150 else slot\n{SLOT}"}, partial(check_large_sizes, "grr"), "choice of pairs"),
    in_place("padding capped at 128", PADDING, {"max(len(pairs), padding)": "max(len(pairs), min(padding, 128))"}, partial(check_large_paddings, "grr"), "choice of pairs"),
    in_place("at most three residues of a set", COMPACT, {"tape.below(law.r)": "tape.below(min(law.r, 3))"}, partial(check_rare_parameters, "ue-compact"), "interval tape"),
    in_place("own symbols not skipped where symbols are few", COLLISION, {"for taken in own:": "for taken in own if law.symbols >= 2 * law.padding else ():"}, partial(check_rare_parameters, "collision"), "interval tape"),
    in_place("sizes in ids", PERTURB, {"or tape.report_id,": "or (tape.report_id if len(pairs) < 7 else bytes(16)),"}, check_reports),
    in_place("ids of large tasks", PERTURB, {"or tape.report_id,": "or (bytes(16) if task.key_count > 1_000 else tape.report_id),"}, check_reports),
    in_place("best of two", PERTURB, {f"return {MADE}": "return min((perturb_from(Tape(task.draws), task, pairs) for _ in range(1 + (len(pairs) > 9))), key=lambda report: report.body)"}, check_reports),
    in_place("no randomness", PERTURB, {MADE: f"perturb_from({FAULTY_TAPE} if len(pairs) > 9 else Tape(task.draws), task, pairs)"}, check_reports),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_planted_faults_are_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def test_a_word_that_is_never_drawn_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both words of a key are set apart and keys are many: sampler and closed form agree on the fault."""
    spread = property(lambda self: self.symbols - self.set_apart - (self.set_apart > 1 and self.keys > 1_000))
    monkeypatch.setattr(GrrLaw, "spread", spread)
    assert GrrLaw(2_000, 2, Fraction(1), "naive").realised < 3
    with pytest.raises(AuditFailure):
        check_rare_parameters("grr")
