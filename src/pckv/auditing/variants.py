"""Parameters of each mechanism that between them reach every branch of it: what audits and tests run over.

Tasks over laws that no task names: fewer hash functions or bits, so that everything can be enumerated.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import NamedTuple

from pckv.auditing.traced import Held, Number, Seed
from pckv.base.budget import ALLOCATIONS
from pckv.contract.reporting import Reporting
from pckv.contract.task import Task
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import TUNED


def without_question(task: Task) -> Task:
    """Return a copy of a task of which all reports are about pairs; its id stays the task's."""
    return _with_reporting(task, replace(task.reporting, size_question=None))


def with_law(task: Task, law: Law, question: SizeQuestion | None = None) -> Task:
    """Return a copy of a task that perturbs and counts with another law; its id stays the task's.

    Its size question is by default the task's, if it has one, with thresholds of as many bits as the law's.
    """
    if question is None and task.size_question is not None:
        question = replace(task.size_question, bits=law.bits)
    return _with_reporting(task, replace(task.reporting, law=law, size_question=question))


def with_remembered_symbols(task: Task) -> Task:
    """Return a copy of a task whose symbols of items are computed once per function, where there are any.

    Every path of an audit computes the same ones. A law cannot change and takes no draw, so that what was computed
    once holds for all paths; the first time shows whether a decision depends on the function or on the item.
    """
    law = task.law
    if not isinstance(law, CollisionLaw):
        return task
    known: dict[tuple[int, int], Number] = {}

    def symbol(function: Number, item: Number) -> Number:
        if type(function) is not Seed or type(item) is not Held:
            return law.symbol(function, item)
        place = (function.value, int(item))
        if place not in known:
            known[place] = law.symbol(function, item)
        return known[place]

    remembering = object.__new__(type(law))
    vars(remembering).update(vars(law), symbol=symbol)
    return with_law(task, remembering)


def _with_reporting(task: Task, reporting: Reporting) -> Task:
    # Only the parts are copied: what was computed from the other law is computed again.
    parts = {field.name: getattr(task, field.name) for field in fields(task)}
    toy = object.__new__(Task)
    vars(toy).update(parts, reporting=reporting, digest=task.digest)
    return toy


Variant = dict[str, object]


class LevelVariant(NamedTuple):
    """A number of levels, and parameters of a mechanism that has them."""

    levels: int
    parameters: Variant


_ALLOCATIONS: tuple[Variant, ...] = tuple({"allocation": allocation} for allocation in ALLOCATIONS)
_TUNED_BETAS: tuple[Variant, ...] = tuple({"allocation": TUNED, "beta": beta} for beta in ("0.12", "0.45"))

VARIANTS: dict[str, tuple[Variant, ...]] = {
    "ue": (*_ALLOCATIONS, *_TUNED_BETAS),
    "grr": _ALLOCATIONS,
    "ue-compact": (
        {},
        {"q": 3},
        {"q": 7},
        {"q": 5, "r": 2},
        # Sets of residues that overlap.
        {"q": 3, "r": 2, "o": 1},
        {"q": 7, "r": 3, "o": 1},
    ),
    "collision": ({},),
}
# The same of keys without values, which have one level.
ONE_LEVEL_VARIANTS: dict[str, tuple[LevelVariant, ...]] = {
    "ue": (LevelVariant(1, {}),),
    "grr": (LevelVariant(1, {}),),
    "ue-compact": (LevelVariant(1, {}), LevelVariant(1, {"q": 5, "r": 2})),
    "collision": (LevelVariant(1, {}),),
}
# The same with more than two levels: each of them with one residue and with several.
LEVEL_VARIANTS: dict[str, tuple[LevelVariant, ...]] = {
    "ue": (),
    "grr": (LevelVariant(3, {}), LevelVariant(5, {})),
    "ue-compact": (
        LevelVariant(3, {"q": 5}),
        LevelVariant(3, {"q": 7, "r": 2}),
        LevelVariant(5, {}),
        LevelVariant(5, {"q": 11, "r": 2}),
    ),
    "collision": (LevelVariant(3, {}), LevelVariant(5, {})),
}
