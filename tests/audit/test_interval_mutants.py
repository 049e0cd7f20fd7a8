"""Planted faults of the scalar device code that need large sets, large paddings, many keys or rare draws to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import pytest

from audit.interval_checks import check_interval_loss, check_reports, check_within_epsilon
from pckv.auditing.audit import audited_task
from pckv.auditing.sampler_loss import DeviceCode, check_choices
from pckv.base import budget
from pckv.base.errors import AuditFailure, ParameterError
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.device.perturb import Sampler
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.size_question.device import answer
from support.source_faults import faulty_module


@dataclass(frozen=True)
class SourceFault:
    """A replacement in the source of a sampler, and the task at which running it shows the fault."""

    fault: str
    file: str
    right: str
    wrong: str
    task: Callable[[], Task]
    says: str = "interval tape"


def of(name: str, keys: int, padding: int, epsilon: str = "1", **parameters: object) -> Callable[[], Task]:
    """Return what makes a task."""
    return partial(audited_task, {"name": name, **parameters}, keys, padding, epsilon)


def with_sampler(sampler: Sampler) -> DeviceCode:
    """Return the device's code with another sampler."""

    def message(task: Task, pairs: Sequence[Pair], tape: Tape) -> int:
        question, first = task.size_question, task.law.word_limit
        if question is not None and first is not None and tape.bernoulli(question.asked):
            return first + answer(question, len(pairs), tape)
        return sampler(task.law, pairs, tape)

    return DeviceCode(message=message)


SKIP = "        for taken in own:"
SAMPLERS = (
    SourceFault(
        "a narrow band of draws keeps the truth",
        "mechanisms/grr/device.py",
        "number < law.kept:",
        "number < law.kept or number == law.one - 2**40:",
        of("grr", 1000, 5),
    ),
    SourceFault(
        "at most 10 dummies",
        "mechanisms/grr/device.py",
        "tape.below(law.padding)",
        "tape.below(min(law.padding, 10))",
        of("grr", 100, 12),
    ),
    SourceFault(
        "dummies always +",
        "mechanisms/grr/device.py",
        "law.one // 2",
        "law.one",
        of("grr", 2**31, 3),
    ),
    SourceFault(
        "one key is told as it is",
        "mechanisms/grr/device.py",
        "    number = tape.draw()",
        "    number = 0 if pair[0] == 4097 else tape.draw()",
        of("grr", 10_000, 1),
        "depends on a key",
    ),
    SourceFault(
        "one value is told as it is",
        "mechanisms/ue_compact/device.py",
        "if tape.bernoulli(law.kept):",
        "if pair[2] == 3 << 62 or tape.bernoulli(law.kept):",
        of("ue-compact", 10_000, 1),
        "depends on a key",
    ),
    SourceFault(
        "every 4099th key is told as it is",
        "mechanisms/collision/device.py",
        "    number = tape.draw()",
        "    number = 0 if any(item // 2 % 4099 == 7 for item in items) else tape.draw()",
        of("collision", 10_000, 3),
        "depends on a key",
    ),
    SourceFault(
        "keys beyond 2^20 are told as they are",
        "mechanisms/grr/device.py",
        "    number = tape.draw()",
        "    number = 0 if pair[0] > 2**20 else tape.draw()",
        of("grr", 2**31, 1),
        "depends on a key",
    ),
    SourceFault(
        "one function in 65,521 names a pair",
        "mechanisms/ue_compact/device.py",
        "if tape.bernoulli(law.kept):",
        "if function % 65521 == 7 or tape.bernoulli(law.kept):",
        of("ue-compact", 10**6, 3),
        "hash function",
    ),
    SourceFault(
        "a function among a few names a pair",
        "mechanisms/collision/device.py",
        "    number = tape.draw()",
        "    number = 0 if function in (2**31, 2**32 - 1) else tape.draw()",
        of("collision", 10**6, 3),
        "hash function",
    ),
    SourceFault(
        "one function in 65,521 names a pair",
        "mechanisms/collision/device.py",
        "if number < len(own) * law.hit:",
        "if function % 65521 == 7 or number < len(own) * law.hit:",
        of("collision", 100, 3),
        "hash function",
    ),
    SourceFault(
        "own symbols not skipped where there are 4 to 49",
        "mechanisms/collision/device.py",
        SKIP,
        "        for taken in own if not 4 <= len(own) < 50 else ():",
        of("collision", 10**4, 12),
    ),
    SourceFault(
        "own symbols not skipped where they are many",
        "mechanisms/collision/device.py",
        SKIP,
        "        for taken in own[:40]:",
        of("collision", 10**4, 60),
    ),
    SourceFault(
        "no noise for sets larger than the padding",
        "mechanisms/collision/device.py",
        "items = [law.item(pair[0], draw_level(pair, tape)) for pair in choose(pairs, law.padding, tape)]",
        "items = [law.item(pair[0], draw_level(pair, tape)) for pair in choose(pairs, law.padding, tape)]\n"
        "    if len(pairs) > law.padding:\n"
        "        function = tape.below(law.functions)\n"
        "        return function * law.symbols + law.own_symbols(function, items)[0]",
        of("collision", 100, 5),
        "choice of pairs",
    ),
    SourceFault(
        "no limit on the pairs",
        "mechanisms/collision/device.py",
        "if len(held) <= most:",
        "if len(held) >= 0:",
        of("collision", 100, 5),
    ),
    SourceFault(
        "the last residue of a set is never drawn",
        "mechanisms/ue_compact/device.py",
        "tape.below(law.r) if law.r > 1",
        "tape.below(law.r - 1) if law.r > 1",
        of("ue-compact", 500, 2, q=19, r=9, o=3),
    ),
    SourceFault(
        "no fakes from key 4096 on",
        "mechanisms/ue/device.py",
        "present = number < either",
        "present = number < either and position < 4096",
        of("ue", 4_200, 2),
    ),
    SourceFault(
        "the draw of a position decides two",
        "mechanisms/ue/device.py",
        "        number = draw()",
        "        number = draw() if position != 77 else number",
        of("ue", 100, 2),
    ),
    SourceFault(
        "a position is silent where its neighbour is",
        "mechanisms/ue/device.py",
        "        if present:",
        "        if present and not (position == 60 and not presence[7] & 8):",
        of("ue", 100, 2),
    ),
    SourceFault(
        "the sampled pair keeps its sign where there are many keys",
        "mechanisms/ue/device.py",
        "plus = positive == (number < law.kept)",
        "plus = positive == (number < law.kept or law.keys > 50)",
        of("ue", 100, 2),
    ),
)


@pytest.mark.parametrize("mutant", SAMPLERS, ids=lambda mutant: mutant.fault)
def test_a_faulty_sampler_is_caught(mutant: SourceFault) -> None:
    sampler = faulty_module(mutant.file, mutant.right, mutant.wrong).perturb
    with pytest.raises(AuditFailure, match=mutant.says):
        check_interval_loss([mutant.task()], with_sampler(sampler))


# What the samplers share: the first two are called by their names from the samplers' modules.
SHARED = (
    SourceFault(
        "the first pair is always taken from 5 pairs on",
        "mechanisms/padding.py",
        "slot = tape.below(max(len(pairs), padding))",
        "slot = tape.below(max(len(pairs), padding)) if len(pairs) < 5 else 0",
        of("ue-compact", 100, 12),
    ),
    SourceFault(
        "padding capped at 10",
        "mechanisms/padding.py",
        "max(len(pairs), padding)",
        "max(len(pairs), min(padding, 10))",
        of("grr", 100, 12),
    ),
    SourceFault(
        "pairs beyond the hundredth are never taken",
        "mechanisms/padding.py",
        "return pairs[slot] if",
        "return pairs[min(slot, 99)] if",
        of("ue-compact", 200, 2),
    ),
)


@pytest.mark.parametrize("mutant", SHARED, ids=lambda mutant: mutant.fault)
@pytest.mark.parametrize("name", ["ue", "grr", "ue-compact"])
def test_faulty_padding_is_caught(mutant: SourceFault, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = faulty_module(mutant.file, mutant.right, mutant.wrong)
    monkeypatch.setattr(f"pckv.mechanisms.{name.replace('-', '_')}.device.sample", faulty.sample)
    task = mutant.task()
    with pytest.raises(AuditFailure, match=mutant.says):
        check_interval_loss([audited_task({"name": name}, task.key_count, task.padding, "1")])


QUESTIONS = (
    SourceFault(
        "whether sizes are asked depends on the pairs",
        "device/perturb.py",
        "tape.bernoulli(question.asked)",
        "tape.bernoulli(question.asked if pairs else 0)",
        of("grr", 100, 5),
    ),
    SourceFault(
        "a wrong size is named where there are many pairs",
        "device/perturb.py",
        "answer(question, len(pairs), tape)",
        "answer(question, min(len(pairs), 30), tape)",
        of("grr", 100, 5),
    ),
)


@pytest.mark.parametrize("mutant", QUESTIONS, ids=lambda mutant: mutant.fault)
def test_a_faulty_question_is_caught(mutant: SourceFault) -> None:
    faulty = faulty_module(mutant.file, mutant.right, mutant.wrong)
    with pytest.raises(AuditFailure, match=mutant.says):
        check_interval_loss([mutant.task()], DeviceCode(message=faulty.make_message))


def test_a_faulty_answer_is_caught() -> None:
    faulty = faulty_module(
        "mechanisms/size_question/device.py",
        "if tape.bernoulli(question.kept):",
        "if size > 10**9 or tape.bernoulli(question.kept):",
    )
    with pytest.raises(AuditFailure, match="answer of size"):
        check_interval_loss([of("grr", 2**31, 5)()], DeviceCode(answer=faulty.answer))


TAPES: dict[str, tuple[str, Any]] = {
    "the incomplete last run is kept": ("below", lambda self, count: self.draw() % count),
    "a threshold that is met counts": ("bernoulli", lambda self, threshold: self.draw() <= threshold),
    "a chance of none is some": ("bernoulli", lambda self, threshold: self.draw() < max(threshold, 1)),
}


@pytest.mark.parametrize(("method", "wrong"), TAPES.values(), ids=TAPES)
def test_a_faulty_tape_is_caught(method: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tape, method, wrong)
    with pytest.raises(AuditFailure):
        check_interval_loss([of("grr", 10, 3)()])


CHOICES = {
    "the first pairs are always taken from 50 on": (
        "tape.below(len(held) - place)",
        "(tape.below(len(held) - place) if len(held) < 50 else 0)",
    ),
    "the last pair is never taken": ("tape.below(len(held) - place)", "tape.below(len(held) - place - 1)"),
    "a pair may be taken twice": (
        "shuffled[place], shuffled[other] = shuffled[other], shuffled[place]",
        "shuffled[place] = shuffled[other]",
    ),
}


@pytest.mark.parametrize(("right", "wrong"), CHOICES.values(), ids=CHOICES)
def test_a_faulty_choice_is_caught(right: str, wrong: str) -> None:
    faulty = faulty_module("mechanisms/collision/device.py", right, wrong)
    law = CollisionLaw(2**20, 5, Fraction(2))
    with pytest.raises(AuditFailure, match="choice of pairs"):
        check_choices(
            law,
            lambda values, tape: faulty.perturb(law, DeviceCode().pairs(values, 2), tape),
            (6, 65),
        )


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


def test_an_id_that_carries_the_number_of_pairs_is_caught() -> None:
    faulty = faulty_module(
        "device/perturb.py",
        "or tape.report_id, ",
        "or tape.report_id[:15] + bytes([len(pairs)]), ",
    )
    with pytest.raises(AuditFailure, match="report ids"):
        check_reports([of("grr", 8, 2)()], faulty.perturb_from)


def test_the_checks_pass_without_a_fault() -> None:
    check_interval_loss(mutant.task() for mutant in QUESTIONS)
    check_reports([of("grr", 8, 2)()])
    check_all_within_epsilon(laws(GrrLaw, (200, 2**31)))
