"""Tasks of every kind whose integers or statements are wrong by the least there is, toward less privacy.

No task that is read can be like this, since its contract is refused: an audit must see it for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

from pckv.auditing.variants import with_law
from pckv.base.budget import DECIMAL_PLACES
from pckv.base.limits import HASHED, SERVER_COIN
from pckv.contract.task import Task
from pckv.mechanisms.base import Law
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.size_question.law import SizeQuestion

Altered = TypeVar("Altered", Law, SizeQuestion)

# The integer of each mechanism that decides how much is lost, and by how much it is moved.
DECIDING = {"ue": ("fake", -1), "grr": ("kept", +1), "ue-compact": ("kept", +1), "collision": ("hit", +1)}
# More than the least ε that is shown apart.
MORE = Fraction(1, 10**DECIMAL_PLACES)


def small_task(mechanism: str, **members: Any) -> Task:
    """Return a task small enough that its loss reaches the closed form."""
    given: dict[str, Any] = {
        "name": "audit",
        "keys": 3,
        "values": (-1, 1),
        "epsilon": "1",
        "padding": 2,
        "size_share": 0,
    }
    # Few functions, of which each is tried.
    few: dict[str, object] = {"q": 3} if mechanism == "ue-compact" else {}
    return Task(mechanism={"name": mechanism, **few}, **given | members)


KINDS: dict[str, Task] = {
    **{name: small_task(name) for name in LAWS},
    **{f"{name}, size question": small_task(name, padding=1, size_share="0.25") for name in LAWS if name != "ue"},
    **{f"{name}, other": small_task(name, keys=1, padding=1, other="other") for name in LAWS},
    **{
        f"{name}, coin": small_task(name, keys=2, padding=1, size_share="0.25", coin=SERVER_COIN)
        for name in ("ue-compact", "collision")
    },
    "hashed keys": small_task("collision", keys=HASHED),
    "hashed keys, coin": small_task("collision", keys=HASHED, coin=SERVER_COIN),
    **{
        f"discovery, {coin}": Task.discovery(
            name="audit", epsilon="1", alphabet="abc", characters=3, padding=2, coin=coin
        )
        for coin in ("device", "server")
    },
}
# Both questions, and the fewest paths.
QUICK = "grr, size question"
WITH_QUESTION = [kind for kind, task in KINDS.items() if task.size_question is not None]


def altered(part: Altered, **members: object) -> Altered:
    """Return a copy of a law or a question with other members; what was computed from them is computed again."""
    kind = type(part)
    known = {
        name: value for name, value in vars(part).items() if not isinstance(getattr(kind, name, None), cached_property)
    }
    # Each integer stays what it is, unless it is named: only one of them is wrong.
    integers = {
        name: getattr(part, name) for name in ("kept", "flipped", "fake", "silent", "hit") if hasattr(part, name)
    }
    members = {name: value if callable(value) else _constant(value) for name, value in {**integers, **members}.items()}
    copy: Altered = object.__new__(type(kind.__name__, (kind,), members))
    vars(copy).update({name: value for name, value in known.items() if name not in members})
    return copy


def _constant(value: object) -> property:
    return property(lambda _: value)


def with_question(task: Task, **members: object) -> Task:
    """Return a task whose size question has other members."""
    assert task.size_question is not None
    return with_law(task, task.law, altered(task.size_question, **members))


def _moved(law: Law) -> dict[str, int]:
    name, step = DECIDING[law.name]
    return {name: getattr(law, name) + step}


def one_unit(task: Task) -> Task:
    """The deciding integer is one unit of 2^64 off: the closed form is above the claim."""
    return with_law(task, altered(task.law, **_moved(task.law)))


def one_unit_unstated(task: Task) -> Task:
    """The same, and the closed form does not say so: only the code that runs shows it."""
    return with_law(task, altered(task.law, **_moved(task.law), realised=task.law.realised))


def larger_claim(task: Task) -> Task:
    """All integers are those of a larger ε, and what is claimed is, too: only e^ε shows it."""
    larger = _law_at(task, Fraction(task.reporting.epsilon) + MORE)
    return with_law(task, altered(larger, epsilon=task.law.epsilon), task.size_question)


def another_epsilon(task: Task) -> Task:
    """The law is one of a larger ε, and says so: only the contract shows it."""
    return with_law(task, _law_at(task, Fraction(task.reporting.epsilon) + MORE), task.size_question)


def _law_at(task: Task, epsilon: Fraction) -> Law:
    law = task.law
    if isinstance(law, DiscoveryLaw):
        return DiscoveryLaw.of_groups(law.groups, law.padding, epsilon, law.parameters)
    return LAWS[law.name].from_parameters(law.keys, law.padding, epsilon, law.parameters, levels=law.levels)


def one_unit_of_sizes(task: Task) -> Task:
    """The true answer about sizes is kept one unit of 2^64 too often."""
    assert task.size_question is not None
    return with_question(task, kept=task.size_question.kept + 1)


def unstated_sizes(task: Task) -> Task:
    """Answers about sizes lose what they may, and their closed form states less: that of pairs still covers it."""
    assert task.size_question is not None
    return with_question(task, realised=Fraction(1))


def larger_claim_of_sizes(task: Task) -> Task:
    """The answers are those of a larger ε, and claim that."""
    assert task.size_question is not None
    return with_law(task, task.law, replace(task.size_question, epsilon=task.law.epsilon + MORE))


OF_PAIRS: tuple[Callable[[Task], Task], ...] = (one_unit, one_unit_unstated, larger_claim, another_epsilon)
OF_SIZES: tuple[Callable[[Task], Task], ...] = (one_unit_of_sizes, unstated_sizes, larger_claim_of_sizes)
# Every wrong task: what is wrong with which kind.
WRONG = [(kind, wrong) for wrong in OF_PAIRS for kind in KINDS] + [
    (kind, wrong) for wrong in OF_SIZES for kind in WITH_QUESTION
]
