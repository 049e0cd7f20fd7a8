"""The central privacy of shuffled reports, against exact enumeration of a few people's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from audit.stated_bounds import LEVELS, SIZES, check_stated
from pckv import Task, shuffled_privacy
from pckv.auditing.variants import VARIANTS
from pckv.base.errors import ParameterError
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import build
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.shuffle import ReportLaws
from support.shuffles import (
    ShuffledKind,
    enumeration_steps,
    exact_delta,
    extreme_laws,
    plain_sum,
    report_laws,
    theorem,
    violations,
)
from support.tasks import a_task

EPSILONS = ("0.5", "2", "4")
SHARES_OF_EPSILON = tuple(map(Fraction, ("0.01", "0.1", "0.25", "0.4", "0.6", "0.8", "0.95")))
MOST_PEOPLE = 5
# What is enumerated, by local ε: at most about a tenth of a second per cell, and at one ε the larger ones.
MAX_STEPS = {Fraction("0.5"): 200_000, Fraction(2): 2_200_000, Fraction(4): 200_000}
MAX_OUTPUTS = 64
# `collision` has its symbols times its functions as outputs: few of both.
SYMBOLS, FUNCTIONS = (3, 4), (1, 2)


def kind_of(law: Law, question: SizeQuestion | None = None) -> ShuffledKind:
    parameters = " ".join(f"{name} {value}" for name, value in law.parameters.items())
    name = f"{law.name} {parameters}, {law.keys} keys, padding {law.padding}, ε0 = {float(law.epsilon):g}"
    return ShuffledKind(
        name + (", sizes" if question else ""),
        extreme_laws(report_laws(law, question)),
        *ReportLaws.of(law, question),
    )


def small_laws(mechanism: str) -> Iterator[Law]:
    for (keys, padding), text in product(((1, 1), (2, 1), (2, 2)), EPSILONS):
        if mechanism == "collision":
            for symbols, functions in product(SYMBOLS, FUNCTIONS):
                yield CollisionLaw(keys, padding, Fraction(text), symbols=symbols, functions=functions)
            continue
        for variant in VARIANTS[mechanism]:
            law = build(mechanism, keys, padding, Fraction(text), variant)
            if (law.word_limit or 0) <= MAX_OUTPUTS:
                yield law


def kinds(mechanism: str) -> Iterator[tuple[Fraction, ShuffledKind]]:
    for law in small_laws(mechanism):
        yield law.epsilon, kind_of(law)
        if law.padding < law.keys and law.word_limit is not None:
            question = SizeQuestion(law.keys, law.padding, law.epsilon, Fraction(1, 5))
            yield law.epsilon, kind_of(law, question)


@pytest.mark.parametrize(
    ("mechanism", "least_cells"), [("ue", 1000), ("grr", 800), ("ue-compact", 1000), ("collision", 1200)]
)
def test_the_bound_is_never_below_the_exact_delta(mechanism: str, least_cells: int) -> None:
    cells, most_people = 0, 0
    for epsilon, kind in kinds(mechanism):
        for reports in range(1, MOST_PEOPLE + 1):
            if enumeration_steps(kind.distributions, reports) > MAX_STEPS[epsilon]:
                break
            assert not violations(kind, reports, [share * epsilon for share in SHARES_OF_EPSILON])
            cells, most_people = cells + len(SHARES_OF_EPSILON), max(most_people, reports)
    assert cells >= least_cells
    assert most_people == MOST_PEOPLE


def test_stated_bounds_hold_with_levels_sizes_and_colluding_people() -> None:
    assert check_stated("grr", 5, (2, 1), asks=True, max_people=3) == 6
    assert check_stated("collision", 1, (4, 2), asks=False, max_people=4) == 8


@pytest.mark.verify
@pytest.mark.parametrize(("mechanism", "levels"), [(name, each) for name, of in LEVELS.items() for each in of])
def test_stated_bounds_hold_at_every_number_of_levels(mechanism: str, levels: int) -> None:
    cells = Counter[int]()
    for (keys, padding), asks in product(SIZES, (False, True)):
        if not asks or (mechanism != "ue" and padding < keys):
            cells[keys] += check_stated(mechanism, levels, (keys, padding), asks=asks)
    # With one key, two cells for every number of people up to six.
    assert cells[1] == 12
    assert cells.total() >= 30


@pytest.mark.parametrize(
    ("people", "x", "reached"), [(1, 2, True), (2, 1.1, True), (2, 2, True), (3, 1.1, True), (3, 2, False)]
)
def test_for_plain_randomized_response_the_bound_is_reached(people: int, x: float, reached: bool) -> None:
    law, inputs, ratio = build("grr", 1, 1, Fraction(1), {}), range(3), Fraction(str(x))
    distributions = report_laws(law)
    worst = max(
        exact_delta(distributions, data, other, ratio)
        for data in product(inputs, repeat=people)
        for other in inputs
        if other != data[0]
    )
    bound = theorem(people, law.blanket, law.realised, ratio)
    assert worst <= bound
    assert (worst == bound) == reached


# n = 10^5, δ = 1e-7: for local ε = 1, 2 and 4; the figures of the specification, rounded up in their last place.
REFERENCES = {
    "ue": (1, (0.0103, 0.0269, 0.0938)),
    "grr": (1, (0.0018, 0.0071, 0.0603)),
    "collision": (5, (0.0114, 0.0281, 0.0945)),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_figures(name: str) -> None:
    """What is printed is within 1 % of the figures, or their last place; and on the safe side, as summed in full."""
    padding, figures = REFERENCES[name]
    for epsilon, figure in zip((1, 2, 4), figures, strict=True):
        task = a_task(keys=100, epsilon=epsilon, mechanism=name, padding=padding, size_share=0)
        central = shuffled_privacy(task, 100_000, 1e-7).central_epsilon
        assert abs(central - figure) <= max(0.01 * figure, 1e-4)
    # The last one, summed in full by other means.
    distributions = ReportLaws.of(task.law, task.size_question)
    assert plain_sum(100_000, *distributions, central) <= 1e-7 < plain_sum(100_000, *distributions, 0.997 * central)


def test_honest_reports_are_those_that_do_not_collude() -> None:
    task = Task(name="t", keys=4, values=(0, 1), epsilon=3, padding=2, mechanism="grr")
    colluding, fewer = (shuffled_privacy(task, 900, 1e-5, 400), shuffled_privacy(task, 500, 1e-5))
    assert colluding.central_epsilon == fewer.central_epsilon
    assert (colluding.reports, colluding.colluding, colluding.honest) == (900, 400, 500)
    assert colluding.local_epsilon == task.realised_epsilon
    assert shuffled_privacy(task, 900, 1e-5).central_epsilon < fewer.central_epsilon


def test_one_report_hides_nobody() -> None:
    task = Task(name="t", keys=4, values=(0, 1), epsilon=3, padding=2, mechanism="grr")
    alone = shuffled_privacy(task, 1, 1e-9)
    assert not alone.gains
    assert alone.central_epsilon == alone.local_epsilon


def test_the_conditions_are_stated_in_words() -> None:
    task = Task(name="t", keys=4, values=(0, 1), epsilon=3, padding=2)
    shuffler, honest, functions = shuffled_privacy(task, 900, 1e-5, 400).conditions
    assert "Towards the shuffler only the local ε holds" in shuffler
    assert honest.startswith("500 reports are honest")
    assert "coin" in functions
    assert "δ should be far below 1 in 900" in shuffled_privacy(task, 900, 0.01).conditions[-1]


def test_a_task_with_a_coin_is_refused() -> None:
    task = Task(name="t", keys=4, values=(0, 1), epsilon=3, padding=2, coin="server")
    with pytest.raises(ParameterError, match="a collector hands out coins") as refusal:
        shuffled_privacy(task, 1000, 1e-7)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("reports", "delta", "colluding", "said"),
    [
        (0, 1e-7, 0, "shuffled reports must be at least 1, not 0"),
        (2.5, 1e-7, 0, "shuffled reports must be a whole number, not 2.5"),
        (10, 0.0, 0, "delta must be above 0 and below 1, not 0"),
        (10, 1.0, 0, "delta must be above 0 and below 1, not 1"),
        (10, float("nan"), 0, "delta must be above 0 and below 1, not nan"),
        (
            10,
            1e-7,
            10,
            "colluding reports must be at least 0 and fewer than the 10 that are shuffled, not 10",
        ),
        (10, 1e-7, -1, "colluding reports must be at least 0"),
        (10**9 + 1, 1e-7, 0, "honest reports must be at least 1 and at most 10^9"),
    ],
)
def test_what_is_no_shuffle_is_refused(reports: int, delta: float, colluding: int, said: str) -> None:
    task = Task(name="t", keys=4, values=(0, 1), epsilon=3, padding=2)
    with pytest.raises(ParameterError) as refusal:
        shuffled_privacy(task, reports, delta, colluding)
    assert said in str(refusal.value)
