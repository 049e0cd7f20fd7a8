"""What the page for a new task sends: the fields, which of them is wrong, and the task that they become."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pckv.base import limits
from pckv.base.canonical import MAX_DECIMAL_DIGITS, check_name
from pckv.base.days import checked_days
from pckv.base.errors import ParameterError
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.about import read_about
from pckv.contract.domain import Domain, Values, checked_keys, checked_other, checked_range, distinct_segment
from pckv.contract.task import Task
from pckv.mechanisms.derivation import MAX_LABELS, MIN_LABELS, Segment
from pckv.mechanisms.discovery.prefix_tree import (
    DEFAULT_ALPHABET,
    DEFAULT_CHARACTERS,
    MAX_ALPHABET,
    MAX_CHARACTERS,
    MIN_ALPHABET,
    prefix_tree,
)
from pckv.planning.derived import Labels
from pckv.planning.discovery import DiscoveryPlan, plan_discovery
from pckv.planning.mixing import Batch
from pckv.planning.people import MAX_USERS, Expectations, People, Question, Wanted, expected_sizes
from pckv.planning.plan import Plan
from pckv.planning.planner import Planner, plan_mixed
from pckv.planning.prediction import check_objective
from pckv.planning.series import Rounds
from pckv.planning.set_sizes import SetSizes
from pckv.web.mixer_fields import MIXER_FIELDS, FieldCheck, MixerFields

Form = TypeVar("Form", bound=BaseModel)
End = TypeVar("End", str, float)

ObjectiveName = Literal["both", "frequency", "mean"]
MoreName = Literal["sample", "refuse"]
CoinName = Literal["device", "server"]
BetweenName = Literal["round", "refuse"]
AnyText = Literal["hashed"]
# As many digits as the numbers of a task may have, so that every task can be duplicated.
Decimal = Annotated[str, Field(pattern=r"^-?[0-9]+(\.[0-9]+)?$", max_length=MAX_DECIMAL_DIGITS)]
Epsilon = Annotated[str, Field(pattern=r"^[0-9]{1,2}(\.[0-9]+)?$", max_length=MAX_DECIMAL_DIGITS)]
LevelTexts = Annotated[list[Decimal], Field(min_length=limits.MIN_LEVELS, max_length=limits.MAX_LEVELS)]
LevelCount = Annotated[int, Field(ge=limits.MIN_LEVELS, le=limits.MAX_LEVELS)]
Panels = Annotated[int, Field(ge=1, le=limits.MAX_PANELS)]
KEYS = rf"^([1-9][0-9]{{0,9}}|{limits.HASHED})$"
LEVELS = r"^(-?[0-9.]{1,41},?){1,20}$"

# A report of more texts says hardly anything of each.
MAX_TEXTS_PER_REPORT = 1000
Number = Annotated[int, Field(ge=1, le=MAX_CHARACTERS)]

# What a field takes, in plain words, where its text is not even of the right form.
EXPECTED = {
    "name": "the name must be text",
    "keys": f"the keys must be a list of names, a whole number from 1 to 2^31, or {limits.HASHED!r}",
    "other": "the name of the key for all that are not listed must be text",
    "low": "the lowest value must be a number in plain digits, such as 1 or 0.5",
    "high": "the highest value must be a number in plain digits, such as 1 or 0.5",
    "levels": f"the levels must be a whole number from {limits.MIN_LEVELS} to {limits.MAX_LEVELS}, or that many "
    "numbers in plain digits, such as 1 or 0.5",
    "characters": f"the characters of a text must be a whole number from 1 to {MAX_CHARACTERS}",
    "alphabet": f"the alphabet must have from {MIN_ALPHABET} to {MAX_ALPHABET} characters",
    "groups": "the groups must be a whole number from 1 to the number of characters",
    "padding": "the texts per report must be a whole number from 1 to 1,000",
    "epsilon": "ε must be a number above 0 and at most 20, such as 1 or 0.5",
    "users": "the number of people must be a whole number from 1 to 10^15",
    "pairs": "the pairs per person must be a number above 0",
    "holding": "the share of people who hold any pair must be a number above 0 and at most 1",
    "most_pairs": "the most pairs per person must be a whole number from 1 on",
    "mixer": "the address of the mixer must be text",
    "mixer_operator": "the name of the mixer's operator must be text",
    "recipient_key": "the recipient's key must be text",
    "labels": f"the groups must be a whole number from {MIN_LABELS} to {MAX_LABELS}",
    "segment": "the groups must have a name and a list of labels",
    "together": "together must be true or false",
    "panels": f"the panels must be a whole number from 1 to {limits.MAX_PANELS:,}",
    "about": "about must be an object of texts",
}


class NamedForm(BaseModel):
    """What every task has besides what it asks: a name, days, and texts for participants."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    opens: str | None = None
    closes: str | None = None
    about: dict[str, Any] = {}

    def text_checks(self) -> Iterator[FieldCheck]:
        """Yield the checks of the name and the texts."""
        yield "name", partial(check_name, self.name, "the name")
        for member, text in self.about.items():
            if member != "translations":
                yield member, partial(read_about, {member: text})
        yield "translations", partial(read_about, self.about)

    def day_checks(self) -> Iterator[FieldCheck]:
        """Yield the checks of the days."""
        yield "opens", partial(checked_days, self.opens, None)
        yield "closes", partial(checked_days, self.opens, self.closes)


class PlanHints(BaseModel):
    """What decides on padding and mechanism, besides the keys."""

    epsilon: Epsilon
    users: Annotated[int, Field(ge=1, le=MAX_USERS)]
    pairs: Annotated[float, Field(gt=0, le=limits.MAX_KEYS, allow_inf_nan=False)] | None = None
    most_pairs: Annotated[int, Field(ge=1, le=limits.MAX_KEYS)] | None = None
    holding: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    more: MoreName = "sample"
    coin: CoinName = "device"
    objective: ObjectiveName | None = None

    def hint_checks(self, key_count: int) -> Iterator[FieldCheck]:
        """Yield the library's own checks, each with the field that it is about."""
        yield "epsilon", partial(limits.check_epsilon, self.epsilon)
        yield "pairs", partial(expected_sizes, key_count, self.pairs, more=self.more)
        yield "holding", partial(expected_sizes, key_count, self.pairs, holding=self.holding)
        yield "most_pairs", partial(self.sizes, key_count)

    def sizes(self, key_count: int, padding: int = 1) -> SetSizes:
        """Return how many of the keys people hold, of which a report stands for at least as many as the padding."""
        held = (self.pairs, self.most_pairs)
        return expected_sizes(key_count, *held, padding=padding, holding=self.holding, more=self.more)


class PlanInputs(PlanHints):
    """What the form says so far."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # As many, or that any text is one.
    keys: Annotated[str, Field(pattern=KEYS)]
    low: Annotated[float, Field(allow_inf_nan=False)] | None = None
    high: Annotated[float, Field(allow_inf_nan=False)] | None = None
    # As many, or their values with commas between them.
    levels: Annotated[str, Field(pattern=LEVELS)] | None = None
    mixed: Annotated[int, Field(ge=1, le=MAX_USERS)] | None = None
    panels: Panels | None = None
    rounds: Annotated[int, Field(ge=1, le=limits.MAX_ROUNDS)] | None = None
    # How many groups are compared.
    labels: Annotated[int, Field(ge=MIN_LABELS, le=MAX_LABELS)] | None = None
    together: bool = False

    @property
    def question(self) -> Question:
        """What is asked; without a range and levels, for keys alone."""
        text = self.levels
        levels = text and (int(text) if text.isdecimal() else text.split(","))
        ends = ends_of(self.low, self.high)
        return Question.planned(
            self.given_keys,
            ends,
            levels,
            None,
            more=self.more,
            coin=self.coin,
            labels=self.labels,
            together=self.together,
        )

    @property
    def planned_labels(self) -> Labels | None:
        """The groups that are compared, as large as each other."""
        return Labels.planned(self.labels, None)

    @property
    def given_keys(self) -> int | str:
        """The number of keys, or that they are hashed."""
        return int(self.keys) if self.keys.isdecimal() else self.keys

    def expectations(self) -> Expectations:
        """Return what is expected of the people, of one round where there are several."""
        check_fields(
            [
                ("keys", partial(checked_keys, self.given_keys)),
                *range_checks(self.low, self.high),
                ("levels", lambda: self.question),
                ("objective", lambda: Wanted.of(self.question, self.objective)),
            ]
        )
        question = self.question
        check_fields([*self.hint_checks(question.keys), *self.mixed_checks()])
        people = People.expected(question, self.users, self.sizes(question.keys, question.least_padding))
        people = replace(people, users=people.users // (self.panels or 1))
        return Expectations(question, people, Wanted.of(question, self.objective))

    def mixed_checks(self) -> Iterator[FieldCheck]:
        """Yield the checks of what is said of a mixer, and of the rounds that are planned with it."""
        if self.mixed is None:
            if self.panels is not None or self.rounds is not None:
                yield "panels", partial(_refuse_rounds)
            return
        yield "panels", partial(self.planned_rounds)
        yield "mixed", partial(Batch.proposed, self.mixed, self.users, self.panels or 1, self.coin)

    def planned_rounds(self) -> Rounds | None:
        """Return the rounds of a series, if the plan is for one."""
        return Rounds.planned(self.panels, self.rounds, None, self.users)

    def planner(self) -> Planner:
        """Return the choice for what the form says, in the units of the values."""
        return Planner(self.expectations(), Fraction(limits.check_epsilon(self.epsilon)), self.planned_labels)


# The plan that a form showed is the one that its task is made by.
@lru_cache(64)
def planned_mixed(inputs: PlanInputs) -> Plan:
    """Return the plan of mixed reports, beside every report alone at the same ε."""
    wanted = limits.check_epsilon(inputs.epsilon)
    return plan_mixed(
        inputs.expectations(), wanted, inputs.mixed or inputs.users, inputs.planned_rounds(), inputs.planned_labels
    )


def ends_of(low: End | None, high: End | None) -> tuple[End, End] | None:
    """Return the ends of the range of values; None where keys have none."""
    return None if low is None or high is None else (low, high)


def range_checks(low: End | None, high: End | None) -> Iterator[FieldCheck]:
    """Yield the checks of the ends of a range, of which there are both or neither."""
    if (low is None) is not (high is None):
        yield ("low" if low is None else "high"), _refuse_one_end
    ends = ends_of(low, high)
    if ends is not None:
        yield "high", partial(checked_range, ends)


def _refuse_one_end() -> None:
    raise ParameterError("name both the lowest and the highest value, or neither: keys then have no values")


def _refuse_rounds() -> None:
    raise ParameterError("panels and rounds are planned with a mixer only: otherwise plan for the people of one round")


class SegmentForm(BaseModel):
    """The question with one answer by which groups are compared."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    labels: list[str]


class NewTaskForm(PlanHints, MixerFields, NamedForm):
    """The fields of the form for a new task; without `low` and `high`, keys have no values.

    With a mixer, `users` are those of all `panels` of a series together; `panels` is null where there is none.
    """

    kind: Literal["pairs"] = "pairs"
    keys: list[str] | Annotated[int, Field(ge=1, le=limits.MAX_KEYS)] | AnyText
    other: str | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    levels: LevelTexts | LevelCount | None = None
    between: BetweenName | None = None
    panels: Panels | None = None
    segment: SegmentForm | None = None
    together: bool = False

    def checks(self) -> Iterator[FieldCheck]:
        """Yield the library's own checks in the order of the page, each with the field that it is about."""
        yield from self.text_checks()
        yield "keys", partial(checked_keys, self.keys)
        yield "other", lambda: checked_other(self.other, checked_keys(self.keys))
        yield from range_checks(self.low, self.high)
        yield "levels", lambda: Values.of(ends_of(self.low, self.high), self.levels)
        yield "between", lambda: self.values
        if self.low is None:
            yield "objective", partial(check_objective, self.objective, has_values=False)
        yield "segment", lambda: self.asked_segment
        yield "together" if self.together else "segment", lambda: self.domain
        yield from self.day_checks()
        yield from self.hint_checks(self.key_count)
        yield from self.mixer_checks(self.closes, self.coin, in_rounds=self.panels is not None)
        if self.mixer is None and self.panels is not None:
            yield "panels", _refuse_rounds
        keys, labels = self.key_count if isinstance(self.keys, list) else None, self.label_count
        yield "translations", lambda: read_about(self.about).check_names(keys, labels)

    @property
    def key_count(self) -> int:
        """The number of keys, with the one for all others, or of all hashes."""
        if isinstance(self.keys, str):
            return limits.MAX_ITEMS // self.values.level_count
        listed = self.keys if isinstance(self.keys, int) else len(self.keys)
        return listed + (self.other is not None)

    @property
    def values(self) -> Values:
        """The values that the keys may have."""
        return Values.of(ends_of(self.low, self.high), self.levels, self.between)

    @property
    def label_count(self) -> int | None:
        """How many groups are compared; None where there are none."""
        return None if self.segment is None else len(self.segment.labels)

    @property
    def asked_segment(self) -> Segment | None:
        """The question with one answer, if there is one."""
        return None if self.segment is None else distinct_segment(self.segment.name, self.segment.labels)

    @property
    def domain(self) -> Domain:
        """What the task asks about."""
        return Domain.of(self.keys, self.other, self.values, segment=self.asked_segment, together=self.together)

    def to_task(self) -> Task:
        """Return the task, whose padding and mechanism are chosen as a plan does."""
        check_fields(self.checks())
        members = self.model_dump(exclude={"kind", "low", "high", "panels", "segment", *MIXER_FIELDS})
        members["segment"] = self.asked_segment
        if self.mixer is not None:
            planned = planned_mixed(self.plan_inputs()).mixed
            members |= {} if planned is None else self.mixed_members(planned)
            members["users"] //= self.panels or 1
        return Task(values=ends_of(self.low, self.high), **members)

    def plan_inputs(self) -> PlanInputs:
        """Return what the plan of this task is made from, as the page asks for it; all people are mixed."""
        levels = self.levels if self.levels is None else str(self.levels)
        if isinstance(self.levels, list):
            levels = ",".join(self.levels)
        ends = ends_of(self.low, self.high)
        return PlanInputs(
            **self.model_dump(include=set(PlanHints.model_fields)),
            keys=self.keys if isinstance(self.keys, str) else str(self.key_count),
            low=ends and float(ends[0]),
            high=ends and float(ends[1]),
            levels=levels,
            mixed=self.users,
            panels=self.panels,
            labels=self.label_count,
            together=self.together,
        )


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
        yield "epsilon", partial(limits.check_epsilon, self.epsilon)


class DiscoveryPlanInputs(TreeFields):
    """What the form says so far."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    users: Annotated[int, Field(ge=1, le=MAX_USERS)]
    mixed: Annotated[int, Field(ge=1, le=MAX_USERS)] | None = None

    def plan(self) -> DiscoveryPlan:
        """Return what can be found."""
        check_fields(self.tree_checks())
        if self.mixed is not None:
            check_fields([("mixed", partial(Batch.proposed, self.mixed, self.users))])
        return plan_discovery(**self.model_dump())


class NewDiscoveryForm(TreeFields, MixerFields, NamedForm):
    """The fields of the form for a discovery; with a mixer, `users` is how many people are expected."""

    kind: Literal["discovery"]
    coin: CoinName = "device"
    users: Annotated[int, Field(ge=1, le=MAX_USERS)] | None = None

    def to_task(self) -> Task:
        """Return the task."""
        check_fields(self.text_checks())
        check_fields(self.tree_checks())
        check_fields(self.day_checks())
        check_fields(self.mixer_checks(self.closes, self.coin, in_rounds=False))
        check_fields([("translations", partial(read_about(self.about).check_names, None, None))])
        members = self.model_dump(exclude={"kind", "users", *MIXER_FIELDS})
        if self.mixer is not None:
            if self.users is None:
                raise ProblemDetails(ProblemKind.MALFORMED, EXPECTED["users"], field="users")
            tree = self.model_dump(include=set(TreeFields.model_fields))
            planned = DiscoveryPlanInputs(**tree, users=self.users, mixed=self.users).plan().mixed
            members |= {} if planned is None else self.mixed_members(planned)
        return Task.discovery(**members)


def check_fields(checks: Iterable[FieldCheck]) -> None:
    """Run checks in order; the first that fails is a problem that names its field."""
    for field, check in checks:
        try:
            check()
        except ParameterError as error:
            raise ProblemDetails(ProblemKind.MALFORMED, str(error), field=field) from None


def read_form(body: bytes, form: type[Form]) -> Form:
    """Return the form that a request has in its body; a problem names the first field that is wrong."""
    try:
        return form.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = [str(part) for part in first["loc"]]
        field = "".join(place[:1])
        detail = EXPECTED.get(field, f"{'.'.join(place)}: {first['msg']}" if place else first["msg"])
        raise ProblemDetails(ProblemKind.MALFORMED, detail, field=field) from None


class _Kind(BaseModel):
    kind: Any = limits.PAIRS


def read_any_form(body: bytes) -> NewTaskForm | NewDiscoveryForm:
    """Return the form of a body: by its kind that of a discovery, or of a task with pairs."""
    try:
        kind = _Kind.model_validate_json(body).kind
    except ValidationError:
        # What is not even an object is refused as the usual form.
        kind = limits.PAIRS
    if kind not in limits.KINDS:
        detail = f"the kind must be {limits.PAIRS} or {limits.DISCOVERY}"
        raise ProblemDetails(ProblemKind.MALFORMED, detail, field="kind")
    return read_form(body, NewDiscoveryForm) if kind == limits.DISCOVERY else read_form(body, NewTaskForm)
