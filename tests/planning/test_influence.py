"""As how many people a hostile report counts: closed forms, enumeration of small families, and known numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.random import default_rng

from pckv import Task
from pckv.base.errors import ParameterError
from pckv.base.words import two_digits
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import build
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.planning import influence
from pckv.planning.influence import best_support, fullest_cell, hostile, people_per_report
from pckv.planning.planner import plan
from support.tasks import a_task

NO_SIZES = Fraction(0)
LIARS = Path(__file__).parents[2] / "docs" / "explanation" / "liars.md"


def people(law: Law, targets: int, *, coin: bool) -> float:
    return people_per_report(law, targets, NO_SIZES, coin=coin)


@pytest.mark.parametrize(
    ("name", "epsilon", "parameters", "targets", "own", "with_coin"),
    [
        ("ue-compact", "1", {"q": 5}, 1, 3.91, 3.91),
        ("ue-compact", "1", {"q": 5}, 10, 39.1, 12.6),
        ("ue-compact", "1", {"q": 5}, 1000, 3910, 126),
        ("ue-compact", "4", {"q": 59}, 1, 2.10, 2.10),
        ("ue-compact", "4", {"q": 59}, 10, 21.0, 3.85),
        ("ue-compact", "4", {"q": 59}, 1000, 2100, 29.7),
        ("collision", "1", {}, 1, 5.49, 2.75),
        ("collision", "4", {}, 1, 4.05, 2.03),
    ],
)
def test_known_numbers(
    name: str, epsilon: str, parameters: dict[str, int], targets: int, own: float, with_coin: float
) -> None:
    law = build(name, 1000, 1, Fraction(epsilon), parameters)
    assert people(law, targets, coin=False) == pytest.approx(own, rel=0.01)
    assert people(law, targets, coin=True) == pytest.approx(with_coin, rel=0.01)


def supports(law: UeCompactLaw, residues: list[int]) -> int:
    """What the best offset supports of keys that a function gives these residues."""
    plus, minus = law.firsts
    return max(
        sum(((z + offset - first) % law.q < law.r) for z in residues for first in (plus, minus))
        for offset in range(law.q)
    )


@pytest.mark.parametrize("sets", [(3, 1, 0), (5, 1, 0), (5, 2, 1)])
def test_a_coin_leaves_the_best_word_of_a_random_function(sets: tuple[int, int, int]) -> None:
    """All functions of keys whose digit vectors are affinely independent: 0 and the powers of q."""
    q, r, o = sets
    law = UeCompactLaw(q**3 - 1, 1, Fraction(1), q=q, r=r, o=o)
    for targets in ([0], [0, 1], [0, 1, q], [0, 1, q, q * q]):
        best = [supports(law, [law.product(function, key) for key in targets]) for function in range(law.functions)]
        assert best_support(law, len(targets)) == pytest.approx(np.mean(best))
        assert max(best) == law.max_support(len(targets))


def test_two_items_share_a_symbol_exactly_as_often() -> None:
    """All functions of a small family, and the mean of the fullest symbol for one key."""
    law = CollisionLaw(3, 1, Fraction(1), symbols=4, positions=13, generator=2, functions=13 * 12)
    for first, second in product(range(6), repeat=2):
        if first != second:
            shared = sum(
                law.symbol(function, first) == law.symbol(function, second) for function in range(law.functions)
            )
            assert Fraction(shared, law.functions) == law.same_symbol_chance
    assert best_support(law, 1) == pytest.approx(1 + float(law.same_symbol_chance))


def test_the_fullest_cell_by_enumeration() -> None:
    for cells, balls in ((2, 3), (3, 4), (4, 4), (3, 7)):
        fullest = [max(map(thrown.count, range(cells))) for thrown in product(range(cells), repeat=balls)]
        assert fullest_cell(cells, balls) == pytest.approx(np.mean(fullest))


def test_drawn_and_enumerated_spreads_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The standard error of the drawn mean is below .3 % here: 2^15 draws of a number whose deviation is below its mean."""
    law = build("ue-compact", 1000, 1, Fraction(1), {"q": 5})
    exact = best_support(law, 10)
    monkeypatch.setattr(influence, "MAX_ENUMERATED", 0)
    best_support.cache_clear()
    drawn = best_support(law, 10)
    best_support.cache_clear()
    assert drawn != exact
    assert drawn == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("parameters", [{"q": 7}, {"q": 13, "r": 5, "o": 1}])
def test_some_best_offset_moves_a_target_to_a_first_residue(parameters: dict[str, int]) -> None:
    law, rng = build("ue-compact", 40, 1, Fraction(1), parameters), default_rng(5)
    assert isinstance(law, UeCompactLaw)
    supports = np.zeros(law.q)
    for first in law.firsts:
        supports[first : first + law.r] += 1
    residues = rng.integers(0, law.q, (200, 4))
    of_all = [supports[(residues + offset) % law.q].sum(axis=1) for offset in range(law.q)]
    assert influence._best_offsets(law, supports, residues) == np.max(of_all, axis=0).mean()


def test_many_residues_take_no_memory() -> None:
    """A table of all offsets and residues would have 25 billion numbers."""
    law = build("ue-compact", 40, 1, Fraction(12), {"q": 160_001})
    assert 1 <= best_support(law, 10) < 1.01


@pytest.mark.parametrize("keys", [range(10), range(0, 50, 5), range(0, 60, 6), [0, 1, 2, 3, 4, 5, 6, 7, 25, 26]])
def test_no_set_of_keys_exceeds_what_pairwise_independence_allows(keys: range | list[int]) -> None:
    """The bound of proofs/influence.md for any keys, enumerated over all functions, and what random keys give."""
    law = UeCompactLaw(100, 1, Fraction(1), q=5)
    chance = 2 / law.q
    bound = 10 * chance + ((law.q - 1) * 10 * chance * (1 - chance)) ** 0.5
    best = np.mean([supports(law, [law.product(function, key) for key in keys]) for function in range(law.functions)])
    assert best <= bound
    # Keys in line are worse targets than keys at random.
    assert best <= best_support(law, 10)


def test_size_answers_make_hostile_reports_weigh_more_unless_a_coin_decides() -> None:
    law = build("collision", 100, 3, Fraction(1), {})
    without, asked = hostile(law, 1000), hostile(law, 1000, Fraction(1, 5))
    assert asked.own_function.people == pytest.approx(without.own_function.people / 0.8)
    assert asked.server_coin == without.server_coin
    assert without.own_function.one_report == pytest.approx(without.own_function.people / 1000)
    assert without.own_function.one_percent == pytest.approx(without.own_function.people / 100)
    assert hostile(build("grr", 100, 1, Fraction(1), {}), 1000).server_coin is None


@pytest.mark.parametrize("coin", ["device", "server"])
@pytest.mark.parametrize("most", [50, 10, 4.5])
def test_a_plan_keeps_the_influence_that_was_asked_for(most: float, coin: str) -> None:
    which = "server_coin" if coin == "server" else "own_function"
    made = plan(100, 20_000, 2, pairs=3, coin=coin, most_influence=most, levels=2)
    assert getattr(made.hostile, which).people <= most
    assert (made.coin, made.most_influence) == (coin, most)
    task = a_task(keys=100, epsilon=2, pairs=3, users=20_000, coin=coin, most_influence=most)
    assert (task.mechanism, task.padding) == (made.mechanism, made.padding)
    free = plan(100, 20_000, 2, pairs=3, coin=coin, levels=2)
    assert free.most_influence is None
    if getattr(free.hostile, which).people <= most:
        assert (free.mechanism, free.padding) == (made.mechanism, made.padding)


def test_a_plan_that_cannot_keep_it_names_the_least() -> None:
    with pytest.raises(
        ParameterError, match=r"counts as at least 4\.33 people in every setting compared, more than 2$"
    ):
        plan(100, 20_000, 1, most_influence=2, levels=2)
    with pytest.raises(ParameterError, match="at least"):
        Task(name="t", keys=100, values=(0, 1), epsilon=1, mechanism="grr", most_influence=100)
    # A coin halves what a report of collision does to one key.
    assert plan(100, 20_000, 1, most_influence=3, coin="server", levels=2).mechanism == "collision"
    # Who answers the size question counts: hostile reports do not, and weigh more.
    with pytest.raises(ParameterError, match="at least"):
        a_task(keys=100, mechanism="collision", padding=1, size_share="0.4", most_influence=6)


def test_an_alternative_with_more_influence_does_not_refuse_the_plan() -> None:
    # Rarer keys would ask for more size answers, and so give each report more influence.
    made = plan(1000, 100_000, 10, most_influence=1.2, levels=2)
    assert made.hostile.own_function.people <= 1.2
    assert "a tenth as frequent" not in {each.rule for each in made.alternatives}


@pytest.mark.parametrize("most", [0, -1, float("nan"), float("inf"), "3", True])
def test_a_limit_that_is_no_number_is_refused(most: float) -> None:
    with pytest.raises(ParameterError, match="a number above 0"):
        plan(100, 20_000, 1, most_influence=most, levels=2)


@pytest.mark.parametrize("share", ["1", "0.6", "-0.1"])
def test_a_share_of_size_answers_outside_its_range_is_refused(share: str) -> None:
    with pytest.raises(ParameterError, match=r"size_share must be at least 0 and at most 0\.5"):
        Task(name="t", keys=100, values=(0, 1), epsilon=1, size_share=share)


def test_the_page_on_liars_states_these_numbers() -> None:
    """Every row of the table of docs/explanation/liars.md, at padding 1 and with 100 keys."""
    rows = re.findall(r"^\| `([a-z-]+)`([^|]*)\| ([\d. |]+) \|$", LIARS.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 6
    for name, detail, numbers in rows:
        stated = [float(number) for number in numbers.split("|")]
        for epsilon, (one, ten) in {"1": stated[:2], "4": stated[2:]}.items():
            parameters = {"q": 5 if epsilon == "1" else 47} if name == "ue-compact" else {}
            law = build(name, 100, 1, Fraction(epsilon), parameters)
            for targets, number in ((1, one), (10, ten)):
                assert number == float(two_digits(people(law, targets, coin="coin" in detail)).replace(",", ""))
