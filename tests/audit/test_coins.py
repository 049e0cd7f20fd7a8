"""Tasks whose server gives coins: the exact loss for every fixed function, and planted faults that spend a coin wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any
from unittest import mock

import pytest

from audit.interval_checks import COINS, check_interval_loss, check_reports, coin_tasks
from audit.smaller_laws import enumerable
from pckv import audit
from pckv.auditing.audit import audited_task
from pckv.auditing.sampler_loss import DeviceCode, sampler_loss
from pckv.auditing.variants import with_law
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.base.seeded import seeded_source
from pckv.contract.coins import coin_choice
from pckv.contract.task import Task
from pckv.device import perturb as single
from pckv.mechanisms.collision.law import CollisionLaw
from support.source_faults import faulty_module

MECHANISMS = ("ue-compact", "collision")


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_loss_is_within_epsilon_for_every_function(name: str) -> None:
    check_interval_loss(coin_tasks(name))


@pytest.mark.parametrize("name", MECHANISMS)
def test_reports_take_nothing_but_function_and_question_from_their_coin(name: str) -> None:
    check_reports(list(coin_tasks(name))[:2])


def test_all_functions_of_few_are_tried() -> None:
    compact = audited_task({"name": "ue-compact", "q": 3}, 9, 2, "1", coin="server")
    result = audit(compact)
    assert (result.holds, result.coin, result.functions) == (True, "server", 27)
    # The closed form is reached, for pairs and for sizes: a coin makes no report more private either.
    assert result.enumerated == result.closed_form == result.size_answers == 1
    law = enumerable(CollisionLaw(2, 1, Fraction(1), symbols=4))
    assert isinstance(law, CollisionLaw)
    collision = audited_task({"name": "collision", "symbols": 4}, 2, 1, "1", coin="server")
    loss = sampler_loss(with_law(collision, law))
    assert loss.functions == law.functions > 3
    assert loss.reports == collision.realised


def test_coins_ask_both_questions() -> None:
    for name in MECHANISMS:
        asked = {coin_choice(task, coin).asks_size for task in coin_tasks(name) for coin in COINS}
        assert asked == {False, True}


@dataclass(frozen=True)
class CoinFault:
    """A replacement in the source of the device, and what the check that must catch it says."""

    fault: str
    file: str
    right: str
    wrong: str
    says: str


COMPACT, COLLISION, PERTURB = (
    "mechanisms/ue_compact/device.py",
    "mechanisms/collision/device.py",
    "device/perturb.py",
)
SAMPLERS = (
    CoinFault("a function of their own", COMPACT, "if function is None:", "if True:", "a coin chose one"),
    CoinFault("a function of their own", COLLISION, "if function is None:", "if True:", "a coin chose one"),
    CoinFault(
        "a function of their own for many pairs",
        COLLISION,
        "if function is None:",
        "if function is None or len(pairs) > 4:",
        "a coin chose one",
    ),
    CoinFault(
        "a function that is not marked as one",
        COMPACT,
        "if function is None:\n        function = tape.below(law.functions)",
        "function = tape.below(int(law.functions))",
        "interval tape",
    ),
    CoinFault(
        "the next function",
        COLLISION,
        "return function * law.symbols + symbol",
        "return (function + 1) % law.functions * law.symbols + symbol",
        "another chance than stated",
    ),
    CoinFault(
        "noise that the function decides",
        COMPACT,
        "if tape.bernoulli(law.kept):",
        "if function % 4 < 2:",
        "depends on the number of a hash function",
    ),
)
OF_FILE = {COMPACT: "ue-compact", COLLISION: "collision"}


def of(name: str) -> Task:
    few: dict[str, object] = {"q": 3} if name == "ue-compact" else {}
    return audited_task({"name": name, **few}, 8, 2, "1", coin="server")


@pytest.mark.parametrize("mutant", SAMPLERS, ids=lambda mutant: f"{mutant.fault}, {mutant.file}")
def test_a_sampler_that_does_not_follow_its_coin_is_caught(
    mutant: CoinFault, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty = faulty_module(mutant.file, mutant.right, mutant.wrong)
    monkeypatch.setattr(single, "load_part", lambda *_: faulty.perturb)
    with pytest.raises(AuditFailure, match=mutant.says):
        check_interval_loss([of(OF_FILE[mutant.file])])


QUESTIONS = (
    CoinFault(
        "the device decides who answers sizes",
        PERTURB,
        "tape.bernoulli(question.asked) if choice is None else choice.asks_size",
        "tape.bernoulli(question.asked)",
        "another chance than stated",
    ),
    CoinFault(
        "large sets answer sizes",
        PERTURB,
        "else choice.asks_size",
        "else choice.asks_size or len(pairs) > 6",
        "another chance than stated",
    ),
    CoinFault(
        "nobody answers sizes",
        PERTURB,
        "else choice.asks_size",
        "else False",
        "another chance than stated",
    ),
    CoinFault(
        "the coin is ignored",
        PERTURB,
        "    if choice is None:\n        return sampler",
        "    if task:\n        return sampler",
        "a coin chose one",
    ),
)


@pytest.mark.parametrize("mutant", QUESTIONS, ids=lambda mutant: mutant.fault)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_question_that_does_not_follow_its_coin_is_caught(mutant: CoinFault, name: str) -> None:
    faulty = faulty_module(mutant.file, mutant.right, mutant.wrong)
    with pytest.raises(AuditFailure, match=mutant.says):
        check_interval_loss([of(name)], DeviceCode(message=faulty.make_message))


# The collector knows what a coin decides: noise from it would be no noise.
FROM_COIN = "Tape(task.draws, __import__('pckv.base.seeded').base.seeded.seeded_source(int.from_bytes(coin or b'', 'big')))"
REPORTS = (
    CoinFault(
        "noise drawn from the coin",
        PERTURB,
        "choose_other(task, read, tape), tape, choice)",
        f"choose_other(task, read, tape), {FROM_COIN}, choice)",
        "another message from bytes",
    ),
    CoinFault("an id of its own", PERTURB, "Report(coin or ", "Report(", "is not the coin"),
    CoinFault(
        "an id that carries the number of pairs",
        PERTURB,
        "Report(coin or ",
        "Report(coin and coin[:15] + bytes([len(pairs)]) or ",
        "is not the coin",
    ),
    CoinFault(
        "the function of another coin",
        PERTURB,
        "coin_choice(task, coin)",
        "coin_choice(task, coin)._replace(function=coin_choice(task, coin[1:] + b'!').function)",
        "another message from bytes",
    ),
)


@pytest.mark.parametrize("mutant", REPORTS, ids=lambda mutant: mutant.fault)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_report_that_takes_more_from_its_coin_is_caught(mutant: CoinFault, name: str) -> None:
    faulty = faulty_module(mutant.file, mutant.right, mutant.wrong)
    with pytest.raises(AuditFailure, match=mutant.says):
        check_reports([of(name)], faulty.perturb_from)


def check_fresh_draws(perturb: Any, name: str) -> None:
    """The public function takes its draws from the operating system, whatever the coin: 16 bytes and all draws, once."""
    task, taken = of(name), []

    def urandom(count: int) -> bytes:
        taken.append(count)
        return seeded_source(1)(count)

    with mock.patch.dict(perturb.__globals__, {"Tape": partial(Tape, source=urandom)}):
        made = perturb(task, {"3": 1.0}, COINS[1])
    expected = single.perturb_from(Tape(task.draws, seeded_source(1)), task, {"3": 1.0}, COINS[1])
    if not taken or made != expected:
        raise AuditFailure("fresh draws: a report is not made of the operating system's randomness")


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_public_function_draws_afresh(name: str) -> None:
    check_fresh_draws(single.perturb, name)
    faulty = faulty_module(
        PERTURB,
        "return perturb_from(Tape(task.draws), task, pairs, coin)",
        f"return perturb_from({FROM_COIN}, task, pairs, coin)",
    )
    with pytest.raises((AuditFailure, TypeError)):
        check_fresh_draws(faulty.perturb, name)
