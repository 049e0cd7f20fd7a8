"""The scalar device code with rare parameters, large paddings and many pairs, and planted faults that show there."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest

from audit import large_sets
from audit.large_sets import (
    check_large_paddings,
    check_large_sizes,
    check_rare_parameters,
    check_shared_symbols,
    check_whole_reports,
)
from pckv.base.errors import AuditFailure
from pckv.device import perturb as single
from pckv.mechanisms.collision import device as collision
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.registry import LAWS
from support.faults import Fault

CHECKS = (check_rare_parameters, check_large_paddings, check_large_sizes, check_whole_reports)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_large_sets(check: Callable[[str], None], name: str) -> None:
    check(name)


def test_shared_symbols() -> None:
    check_shared_symbols(collision.perturb)


def of_sampler(check: Callable[[str], None], name: str) -> Callable[[ModuleType], None]:
    """Return a check of a mechanism whose sampler, or the sampling that it calls, is a module's."""

    def caught_by(module: ModuleType) -> None:
        with (
            mock.patch.object(single, "load_part", return_value=module.perturb)
            if hasattr(module, "perturb")
            else mock.patch(f"pckv.mechanisms.{name}.device.sample", module.sample)
        ):
            check(name)

    return caught_by


def check_reports(module: ModuleType) -> None:
    with mock.patch.object(large_sets, "single", module):
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
    "perturb_from(Tape(task.draws), task, pairs, coin)",
    "Tape(task.draws, lambda count: bytes(count))",
)
FAULTS = (
    Fault("pairs that share one symbol are told", COLLISION, {DRAW: f"{DRAW}\n    number = 0 if len(own) == 1 and len(items) > 3 else number"}, lambda device: check_shared_symbols(device.perturb), "shared symbols"),
    Fault("the first pair is always taken from 150 pairs on", PADDING, {SLOT: f"    slot = 0 if len(pairs) >= 150 else slot\n{SLOT}"}, of_sampler(check_large_sizes, "grr"), "interval tape"),
    Fault("padding capped at 128", PADDING, {"max(len(pairs), padding)": "max(len(pairs), min(padding, 128))"}, of_sampler(check_large_paddings, "grr"), "interval tape"),
    Fault("at most three residues of a set", COMPACT, {"tape.below(law.r)": "tape.below(min(law.r, 3))"}, of_sampler(check_rare_parameters, "ue-compact"), "interval tape"),
    Fault("own symbols not skipped where symbols are few", COLLISION, {"for taken in own:": "for taken in own if law.symbols >= 2 * law.padding else ():"}, of_sampler(check_rare_parameters, "collision"), "interval tape"),
    Fault("sizes in ids", PERTURB, {"or tape.report_id,": "or (tape.report_id if len(pairs) < 7 else bytes(16)),"}, check_reports),
    Fault("ids of large tasks", PERTURB, {"or tape.report_id,": "or (bytes(16) if task.key_count > 1_000 else tape.report_id),"}, check_reports),
    Fault("best of two", PERTURB, {f"return {MADE}": "return min((perturb_from(Tape(task.draws), task, pairs) for _ in range(1 + (len(pairs) > 9))), key=lambda report: report.body)"}, check_reports),
    Fault("no randomness", PERTURB, {MADE: f"perturb_from({FAULTY_TAPE} if len(pairs) > 9 else Tape(task.draws), task, pairs)"}, check_reports),
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
