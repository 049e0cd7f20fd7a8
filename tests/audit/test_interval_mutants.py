"""Planted faults of the scalar device code that need large sets, large paddings, many keys or rare draws to show."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pytest

from audit.interval_checks import check_interval_loss, check_reports, check_within_epsilon
from pckv.auditing.audit import audited_task
from pckv.auditing.exact import spread_values
from pckv.auditing.sampler_loss import sampler_loss
from pckv.base import budget
from pckv.base.errors import AuditFailure, ParameterError
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.mechanisms.grr.law import GrrLaw
from support.faults import Fault, in_place


def of(name: str, keys: int, padding: int, **parameters: object) -> Task:
    return audited_task({"name": name, **parameters}, keys, padding, "1")


def check_loss(name: str, keys: int, padding: int, **parameters: object) -> None:
    check_interval_loss([of(name, keys, padding, **parameters)])


def check_report() -> None:
    check_reports([of("grr", 8, 2)])


UE, GRR, COMPACT, COLLISION = (f"mechanisms/{name}/device.py" for name in ("ue", "grr", "ue_compact", "collision"))
TAPE, PADDING = "interval tape", "mechanisms/padding.py"
SKIP, DRAW = "        for taken in own:", "    number = tape.draw()"
ITEMS = "items = [law.item(pair[0], draw_level(law, pair, tape)) for pair in choose(pairs, law.padding, tape)]"
WITHOUT_NOISE = (
    "\n    if len(pairs) > law.padding:\n"
    "        function = tape.below(law.functions)\n"
    "        return function * law.symbols + law.own_symbols(function, items)[0]"
)
SAMPLERS = (
    in_place("a narrow band of draws keeps the truth", GRR, {"number < law.kept:": "number < law.kept or number == law.one - 2**40:"}, partial(check_loss, "grr", 1000, 5), TAPE),
    in_place("at most 10 dummies", GRR, {"tape.below(law.padding)": "tape.below(min(law.padding, 10))"}, partial(check_loss, "grr", 100, 12), TAPE),
    in_place("dummies always +", GRR, {"law.one // 2": "law.one"}, partial(check_loss, "grr", 2**31, 3), TAPE),
    in_place("one key is told as it is", GRR, {DRAW: "    number = 0 if pair[0] == 4097 else tape.draw()"}, partial(check_loss, "grr", 10_000, 1), "depends on a key"),
    in_place("one value is told as it is", COMPACT, {"if tape.bernoulli(law.kept):": "if pair[2] == 3 << 62 or tape.bernoulli(law.kept):"}, partial(check_loss, "ue-compact", 10_000, 1), "depends on a key"),
    in_place("every 4099th key is told as it is", COLLISION, {DRAW: "    number = 0 if any(item // 2 % 4099 == 7 for item in items) else tape.draw()"}, partial(check_loss, "collision", 10_000, 3), "depends on a key"),
    in_place("keys beyond 2^20 are told as they are", GRR, {DRAW: "    number = 0 if pair[0] > 2**20 else tape.draw()"}, partial(check_loss, "grr", 2**31, 1), "depends on a key"),
    in_place("one function in 65,521 names a pair", COMPACT, {"if tape.bernoulli(law.kept):": "if function % 65521 == 7 or tape.bernoulli(law.kept):"}, partial(check_loss, "ue-compact", 10**6, 3), "hash function"),
    in_place("a function among a few names a pair", COLLISION, {DRAW: "    number = 0 if function in (2**31, 2**32 - 1) else tape.draw()"}, partial(check_loss, "collision", 10**6, 3), "hash function"),
    in_place("one function in 65,521 names a pair", COLLISION, {"if number < len(own) * law.hit:": "if function % 65521 == 7 or number < len(own) * law.hit:"}, partial(check_loss, "collision", 100, 3), "hash function"),
    in_place("own symbols not skipped where there are 4 to 49", COLLISION, {SKIP: "        for taken in own if not 4 <= len(own) < 50 else ():"}, partial(check_loss, "collision", 10**4, 12), TAPE),
    in_place("own symbols not skipped where they are many", COLLISION, {SKIP: "        for taken in own[:40]:"}, partial(check_loss, "collision", 10**4, 60), TAPE),
    in_place("no noise for sets larger than the padding", COLLISION, {ITEMS: ITEMS + WITHOUT_NOISE}, partial(check_loss, "collision", 100, 5), "choice of pairs"),
    in_place("no limit on the pairs", COLLISION, {"if len(held) <= most:": "if len(held) >= 0:"}, partial(check_loss, "collision", 100, 5), "choice of pairs"),
    in_place("the last residue of a set is never drawn", COMPACT, {"tape.below(law.r) if law.r > 1": "tape.below(law.r - 1) if law.r > 1"}, partial(check_loss, "ue-compact", 500, 2, q=19, r=9, o=3), TAPE),
    in_place("no fakes from key 4096 on", UE, {"present = number < either": "present = number < either and position < 4096"}, partial(check_loss, "ue", 4_200, 2), TAPE),
    in_place("the draw of a position decides two", UE, {"        number = draw()": "        number = draw() if position != 77 else number"}, partial(check_loss, "ue", 100, 2), TAPE),
    in_place("a position is silent where its neighbour is", UE, {"        if present:": "        if present and not (position == 60 and not presence[7] & 8):"}, partial(check_loss, "ue", 100, 2), TAPE),
    in_place("the sampled pair keeps its sign where there are many keys", UE, {"plus = positive == (number < law.kept)": "plus = positive == (number < law.kept or law.keys > 50)"}, partial(check_loss, "ue", 100, 2), TAPE),
)  # fmt: skip


@pytest.mark.parametrize("mutant", SAMPLERS, ids=str)
def test_a_faulty_sampler_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


# Of what the samplers share, shown by three of them.
SHARED = (
    in_place("the first pair is always taken from 5 pairs on", PADDING, {"slot = tape.below(max(len(pairs), padding))": "slot = tape.below(max(len(pairs), padding)) if len(pairs) < 5 else 0"}, partial(check_loss, keys=100, padding=12), TAPE),
    in_place("padding capped at 10", PADDING, {"max(len(pairs), padding)": "max(len(pairs), min(padding, 10))"}, partial(check_loss, keys=100, padding=12), TAPE),
    in_place("pairs beyond the hundredth are never taken", PADDING, {"return pairs[slot] if": "return pairs[min(slot, 99)] if"}, partial(check_loss, keys=200, padding=2), TAPE),
)  # fmt: skip


@pytest.mark.parametrize("mutant", SHARED, ids=str)
@pytest.mark.parametrize("name", ["ue", "grr", "ue-compact"])
def test_faulty_padding_is_caught(mutant: Fault, name: str, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path, name)


PERTURB, QUESTION = "device/perturb.py", "mechanisms/size_question/device.py"
REPORTS = (
    in_place("whether sizes are asked depends on the pairs", PERTURB, {"tape.bernoulli(question.asked)": "tape.bernoulli(question.asked if pairs else 0)"}, partial(check_loss, "grr", 100, 5), TAPE),
    in_place("a wrong size is named where there are many pairs", PERTURB, {"answer(question, len(pairs), tape)": "answer(question, min(len(pairs), 30), tape)"}, partial(check_loss, "grr", 100, 5), TAPE),
    in_place("an answer about very many pairs is true", QUESTION, {"if tape.bernoulli(question.kept):": "if size > 10**9 or tape.bernoulli(question.kept):"}, partial(check_loss, "grr", 2**31, 5), "answer of size"),
    in_place("an id that carries the number of pairs", PERTURB, {"or tape.report_id, ": "or tape.report_id[:15] + bytes([len(pairs)]), "}, check_report, "report ids"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", REPORTS, ids=str)
def test_a_faulty_report_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


TAPES: dict[str, tuple[str, Any]] = {
    "the incomplete last run is kept": ("below", lambda self, count: self.draw() % count),
    "a threshold that is met counts": ("bernoulli", lambda self, threshold: self.draw() <= threshold),
    "a chance of none is some": ("bernoulli", lambda self, threshold: self.draw() < max(threshold, 1)),
}


@pytest.mark.parametrize(("method", "wrong"), TAPES.values(), ids=TAPES)
def test_a_faulty_tape_is_caught(method: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tape, method, wrong)
    with pytest.raises(AuditFailure):
        check_loss("grr", 10, 3)


def check_choice() -> None:
    sampler_loss(of("collision", 2**20, 5), sets=[spread_values(2**20, size) for size in (6, 65)])


OTHER, SWAP = (
    "tape.below(len(held) - place)",
    "shuffled[place], shuffled[other] = shuffled[other], shuffled[place]",
)
CHOICES = (
    in_place("the first pairs are always taken from 50 on", COLLISION, {OTHER: f"({OTHER} if len(held) < 50 else 0)"}, check_choice, "choice of pairs"),
    in_place("the last pair is never taken", COLLISION, {OTHER: "tape.below(len(held) - place - 1)"}, check_choice, "choice of pairs"),
    in_place("a pair may be taken twice", COLLISION, {SWAP: "shuffled[place] = shuffled[other]"}, check_choice, "choice of pairs"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", CHOICES, ids=str)
def test_a_faulty_choice_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


class TooLargeAtOnePadding(GrrLaw):
    """`kept` is 5 % too large at one padding."""

    @cached_property
    def kept(self) -> int:
        right: int = super().kept
        return right * 105 // 100 if self.padding == 73 else right


class OneUnitTooLarge(GrrLaw):
    """`kept` is one unit out of 2^64 too large, where there are very many keys."""

    @cached_property
    def kept(self) -> int:
        right: int = super().kept
        return right + (self.keys > 10**9)


def laws(law: type[GrrLaw], keys: Iterable[int]) -> Iterable[GrrLaw]:
    return (law(each, padding, Fraction(1)) for each in keys for padding in (1, 2, 73, 100))


def check_all_within_epsilon(built: Iterable[GrrLaw]) -> None:
    for law in built:
        check_within_epsilon(law)


@pytest.mark.parametrize("law", [TooLargeAtOnePadding, OneUnitTooLarge])
def test_a_threshold_that_is_too_large_is_caught(law: type[GrrLaw]) -> None:
    with pytest.raises(AuditFailure, match="within ε"):
        check_all_within_epsilon(laws(law, (200, 2**31)))


def test_e_to_the_epsilon_too_large_for_long_decimals_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the audit nor a device takes such a task."""
    right = budget.exp_lower.__wrapped__

    def wrong(epsilon: Fraction) -> Fraction:
        return right(epsilon) * (Fraction(11, 10) if epsilon.denominator > 10**20 else 1)

    monkeypatch.setattr(budget, "exp_lower", wrong)
    epsilon = "1.123456789012345678901234567"
    with pytest.raises(AuditFailure, match="within ε"):
        check_within_epsilon(GrrLaw(10, 2, Fraction(epsilon)))
    with pytest.raises(ParameterError, match=f"would lose more than ε = {epsilon}$"):
        audited_task({"name": "grr"}, 10, 2, epsilon)
    assert audited_task({"name": "grr"}, 10, 2, "1.5").epsilon == 1.5


def test_the_checks_pass_without_a_fault() -> None:
    check_loss("grr", 100, 5)
    check_report()
    check_all_within_epsilon(laws(GrrLaw, (200, 2**31)))
