"""Checks of the central (ε, δ) that the product states: against exact enumeration, and for people who collude."""

from __future__ import annotations

from fractions import Fraction

from pckv import shuffled_privacy
from pckv.auditing.variants import with_law
from pckv.base.budget import exp_lower
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import build
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.planning.shuffle import MIN_CENTRAL_EPSILON, ReportLaws
from support.shuffles import enumeration_steps, exact_deltas, merged_outputs, report_laws, theorem
from support.tasks import a_task

# What is enumerated of one number of people, at most.
MAX_STEPS = 2_200_000
UNASKED = a_task(keys=3, mechanism="grr", size_share=0)
# Local ε by keys and padding, which make from two to four answers to the size question.
SIZES = {(1, 1): "2", (2, 1): "4", (3, 1): "0.5", (5, 1): "2", (4, 2): "1"}
LEVELS = {"ue": (2,), "grr": (2, 3, 5, 16), "ue-compact": (2, 3, 5, 16), "collision": (1, 2, 3, 5, 16)}


def distant_sets(keys: int, levels: int) -> list[dict[int, int]]:
    """Sets of which any two may be neighbours: nothing, a key's levels, or either half of the keys and all of them."""
    if keys == 1:
        return [{}, {0: levels - 1}, {0: 0}, {0: levels // 2}]
    halves = dict.fromkeys(range(keys // 2), levels - 1), dict.fromkeys(range(keys // 2, keys), 0)
    return [{}, *halves, dict.fromkeys(range(keys), 0)]


def check_stated(mechanism: str, levels: int, size: tuple[int, int], *, asks: bool, max_people: int = 6) -> int:
    """Assert that stated (ε, δ) hold for shuffled reports of up to six honest people, with some who collude.

    They hold exactly for all neighbours among a few sets, and are those of the theorem for as many people.
    """
    (keys, padding), epsilon = size, Fraction(SIZES[size])
    law = (
        CollisionLaw(keys, padding, epsilon, symbols=3 * padding, functions=4, levels=levels)
        if mechanism == "collision"
        else build(mechanism, keys, padding, epsilon, {}, levels)
    )
    question = SizeQuestion(keys, padding, epsilon, Fraction(1, 5)) if asks else None
    task, constants = with_law(UNASKED, law, question), ReportLaws.of(law, question)
    distributions = merged_outputs(report_laws(law, question, distant_sets(keys, levels)))
    cells = 0
    for honest in range(1, max_people + 1):
        if enumeration_steps(distributions, honest) > MAX_STEPS:
            break
        for delta, colluding in ((0.02, honest % 2), (0.1, 3)):
            said = shuffled_privacy(task, honest + colluding, delta, colluding)
            stated = Fraction(str(said.central_epsilon))
            (exact,) = exact_deltas(distributions, honest, [exp_lower(stated)])
            assert exact <= delta * (1 + 1e-9), (law.parameters, honest, colluding)
            assert theorem(honest, *constants, exp_lower(stated)) <= delta
            if MIN_CENTRAL_EPSILON < stated < said.local_epsilon:
                assert delta < theorem(honest, *constants, exp_lower(stated * Fraction("0.9999")))
            cells += 1
    return cells
