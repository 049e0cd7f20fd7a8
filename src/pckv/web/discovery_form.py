"""The form for a discovery: what it can find, field by field, and the task that it becomes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pckv.base.limits import DISCOVERY, KINDS, PAIRS, check_epsilon
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.task import Task
from pckv.mechanisms.discovery.prefix_tree import (
    DEFAULT_ALPHABET,
    DEFAULT_CHARACTERS,
    MAX_ALPHABET,
    MAX_CHARACTERS,
    MIN_ALPHABET,
    prefix_tree,
)
from pckv.planning.discovery import DiscoveryPlan, plan_discovery
from pckv.planning.people import MAX_USERS
from pckv.web.task_form import CoinName, Epsilon, FieldCheck, NamedForm, NewTaskForm, check_fields, read_form

# A report of more texts says hardly anything of each.
MAX_TEXTS_PER_REPORT = 1000
Number = Annotated[int, Field(ge=1, le=MAX_CHARACTERS)]


class TreeFields(BaseModel):
    """The texts that are to be found, and how: without a number of groups, one per character.

    A report stands for up to `padding` texts of one person.
    """

    epsilon: Epsilon
    characters: Number = DEFAULT_CHARACTERS
    alphabet: Annotated[str, Field(min_length=MIN_ALPHABET, max_length=MAX_ALPHABET)] = DEFAULT_ALPHABET
    groups: Number | None = None
    padding: Annotated[int, Field(ge=1, le=MAX_TEXTS_PER_REPORT)] = 1

    def tree_checks(self) -> Iterator[FieldCheck]:
        """Yield the library's own checks, each with the field that it is about."""
        yield "alphabet", partial(prefix_tree, self.alphabet, 1)
        yield "groups", partial(prefix_tree, self.alphabet, self.characters, self.groups)
        yield "epsilon", partial(check_epsilon, self.epsilon)


class DiscoveryPlanInputs(TreeFields):
    """What the form says so far."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    users: Annotated[int, Field(ge=1, le=MAX_USERS)]

    def plan(self) -> DiscoveryPlan:
        """Return what can be found."""
        check_fields(self.tree_checks())
        return plan_discovery(**self.model_dump())


class NewDiscoveryForm(TreeFields, NamedForm):
    """The fields of the form for a discovery."""

    kind: Literal["discovery"]
    coin: CoinName = "device"

    def to_task(self) -> Task:
        """Return the task."""
        check_fields(self.text_checks())
        check_fields(self.tree_checks())
        check_fields(self.day_checks())
        return Task.discovery(**self.model_dump(exclude={"kind"}))


class _Kind(BaseModel):
    kind: Any = PAIRS


def read_any_form(body: bytes) -> NewTaskForm | NewDiscoveryForm:
    """Return the form of a body: by its kind that of a discovery, or of a task with pairs."""
    try:
        kind = _Kind.model_validate_json(body).kind
    except ValidationError:
        # What is not even an object is refused as the usual form.
        kind = PAIRS
    if kind not in KINDS:
        detail = f"the kind must be {PAIRS} or {DISCOVERY}"
        raise ProblemDetails(ProblemKind.MALFORMED, detail, field="kind")
    return read_form(body, NewDiscoveryForm) if kind == DISCOVERY else read_form(body, NewTaskForm)
