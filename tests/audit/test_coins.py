"""Tasks whose server gives coins: the exact loss for every fixed function, and planted faults that spend a coin wrongly."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from audit.interval_checks import COINS, check_interval_loss, check_reports, coin_tasks
from audit.smaller_laws import enumerable
from pckv import audit
from pckv.auditing.audit import audited_task
from pckv.auditing.sampler_loss import sampler_loss
from pckv.auditing.variants import with_law
from pckv.contract.coins import coin_choice
from pckv.contract.task import Task
from pckv.mechanisms.collision.law import CollisionLaw
from support.faults import Fault, in_place

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


def of(name: str) -> Task:
    few: dict[str, object] = {"q": 3} if name == "ue-compact" else {}
    return audited_task({"name": name, **few}, 8, 2, "1", coin="server")


def check_loss(name: str) -> None:
    check_interval_loss([of(name)])


COMPACT, COLLISION, PERTURB = (
    "mechanisms/ue_compact/device.py",
    "mechanisms/collision/device.py",
    "device/perturb.py",
)
FUNCTION = "if function is None:"
SAMPLERS = (
    in_place("a function of their own", COMPACT, {FUNCTION: "if True:"}, partial(check_loss, "ue-compact"), "a coin chose one"),
    in_place("a function of their own", COLLISION, {FUNCTION: "if True:"}, partial(check_loss, "collision"), "a coin chose one"),
    in_place("a function of their own for many pairs", COLLISION, {FUNCTION: "if function is None or len(pairs) > 4:"}, partial(check_loss, "collision"), "a coin chose one"),
    in_place("a function that is not marked as one", COMPACT, {f"{FUNCTION}\n        function = tape.below(law.functions)": "function = tape.below(int(law.functions))"}, partial(check_loss, "ue-compact"), "interval tape"),
    in_place("the next function", COLLISION, {"return function * law.symbols + symbol": "return (function + 1) % law.functions * law.symbols + symbol"}, partial(check_loss, "collision"), "another chance than stated"),
    in_place("noise that the function decides", COMPACT, {"if tape.bernoulli(law.kept):": "if function % 4 < 2:"}, partial(check_loss, "ue-compact"), "depends on the number of a hash function"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", SAMPLERS, ids=lambda mutant: f"{mutant.fault}, {mutant.file}")
def test_a_sampler_that_does_not_follow_its_coin_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def check_report(name: str) -> None:
    check_reports([of(name)])


# The collector knows what a coin decides: noise from it would be no noise.
FROM_COIN = (
    "Tape(task.draws, __import__('pckv.base.seeded').base.seeded.seeded_source(int.from_bytes(coin or b'', 'big')))"
)
CHOICE = "coin_choice(task, coin)"
REPORTS = (
    in_place("the device decides who answers sizes", PERTURB, {"tape.bernoulli(question.asked) if choice is None else choice.asks_size": "tape.bernoulli(question.asked)"}, check_loss, "another chance than stated"),
    in_place("large sets answer sizes", PERTURB, {"else choice.asks_size": "else choice.asks_size or len(pairs) > 6"}, check_loss, "another chance than stated"),
    in_place("no report answers sizes", PERTURB, {"else choice.asks_size": "else False"}, check_loss, "another chance than stated"),
    in_place("the coin is ignored", PERTURB, {"    if choice is None:\n        return sampler": "    if task:\n        return sampler"}, check_loss, "a coin chose one"),
    in_place("noise drawn from the coin", PERTURB, {"choose_other(task, read, tape), tape, choice, label)": f"choose_other(task, read, tape), {FROM_COIN}, choice, label)"}, check_report, "another message from bytes"),
    in_place("an id of its own", PERTURB, {"Report(coin or ": "Report("}, check_report, "is not the coin"),
    in_place("an id that carries the number of pairs", PERTURB, {"Report(coin or ": "Report(coin and coin[:15] + bytes([len(pairs)]) or "}, check_report, "is not the coin"),
    in_place("the function of another coin", PERTURB, {CHOICE: f"{CHOICE}._replace(function=coin_choice(task, coin[1:] + b'!').function)"}, check_report, "another message from bytes"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", REPORTS, ids=str)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_report_that_does_not_follow_its_coin_is_caught(mutant: Fault, name: str, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path, name)
