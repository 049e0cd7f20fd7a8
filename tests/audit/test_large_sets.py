"""The scalar device code with rare parameters, large paddings and many pairs, and planted faults that show there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

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
from support.source_faults import faulty_module

CHECKS = (check_rare_parameters, check_large_paddings, check_large_sizes, check_whole_reports)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_large_sets(check: Callable[[str], None], name: str) -> None:
    check(name)


def test_shared_symbols() -> None:
    check_shared_symbols(collision.perturb)


def test_pairs_that_share_one_symbol_and_are_told_are_caught() -> None:
    faulty = faulty_module(
        "mechanisms/collision/device.py",
        "    number = tape.draw()",
        "    number = tape.draw()\n    number = 0 if len(own) == 1 and len(items) > 3 else number",
    )
    with pytest.raises(AuditFailure, match="shared symbols"):
        check_shared_symbols(faulty.perturb)


SAMPLERS: Sequence[tuple[str, str, str, str, str, Callable[[str], None]]] = (
    (
        "the first pair is always taken from 150 pairs on",
        "grr",
        "mechanisms/padding.py",
        "    return pairs[slot] if",
        "    slot = 0 if len(pairs) >= 150 else slot\n    return pairs[slot] if",
        check_large_sizes,
    ),
    (
        "padding capped at 128",
        "grr",
        "mechanisms/padding.py",
        "max(len(pairs), padding)",
        "max(len(pairs), min(padding, 128))",
        check_large_paddings,
    ),
    (
        "at most three residues of a set",
        "ue-compact",
        "mechanisms/ue_compact/device.py",
        "tape.below(law.r)",
        "tape.below(min(law.r, 3))",
        check_rare_parameters,
    ),
    (
        "own symbols not skipped where symbols are few",
        "collision",
        "mechanisms/collision/device.py",
        "for taken in own:",
        "for taken in own if law.symbols >= 2 * law.padding else ():",
        check_rare_parameters,
    ),
)


@pytest.mark.parametrize("planted", SAMPLERS, ids=lambda planted: planted[0])
def test_a_faulty_sampler_is_caught(planted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, name, file, right, wrong, caught_by = planted
    faulty = faulty_module(file, right, wrong)
    if file == "mechanisms/padding.py":
        monkeypatch.setattr(f"pckv.mechanisms.{name}.device.sample", faulty.sample)
    else:
        monkeypatch.setattr(single, "load_part", lambda *_: faulty.perturb)
    with pytest.raises(AuditFailure, match="interval tape"):
        caught_by(name)


def test_a_word_that_is_never_drawn_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both words of a key are set apart and keys are many: sampler and closed form agree on the fault."""
    spread = property(lambda self: self.symbols - self.set_apart - (self.set_apart > 1 and self.keys > 1_000))
    monkeypatch.setattr(GrrLaw, "spread", spread)
    assert GrrLaw(2_000, 2, Fraction(1), "naive").realised < 3
    with pytest.raises(AuditFailure):
        check_rare_parameters("grr")


REPORTS = (
    ("or tape.report_id,", "or (tape.report_id if len(pairs) < 7 else bytes(16)),"),
    ("or tape.report_id,", "or (bytes(16) if task.key_count > 1_000 else tape.report_id),"),
    (
        "return perturb_from(Tape(task.draws), task, pairs, coin)",
        (
            "return min((perturb_from(Tape(task.draws), task, pairs) for _ in range(1 + (len(pairs) > 9))), "
            "key=lambda report: report.body)"
        ),
    ),
    (
        "perturb_from(Tape(task.draws), task, pairs, coin)",
        (
            "perturb_from(Tape(task.draws, lambda count: bytes(count)) if len(pairs) > 9 else Tape(task.draws), "
            "task, pairs)"
        ),
    ),
)


@pytest.mark.parametrize(
    ("right", "wrong"), REPORTS, ids=["sizes in ids", "ids of large tasks", "best of two", "no randomness"]
)
def test_a_faulty_report_is_caught(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = faulty_module("device/perturb.py", right, wrong)
    monkeypatch.setattr(large_sets, "single", faulty)
    with pytest.raises((AuditFailure, TypeError)):
        check_whole_reports("grr")
