"""A task as facts: what programs read of it, and the same in words for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from pckv.base.html import html_table
from pckv.base.levels import listed
from pckv.base.limits import DISCOVERY, HASHED, MIN_LEVELS, REFUSE, REFUSE_BETWEEN, SERVER_COIN
from pckv.base.words import percent, plural, rounded_up
from pckv.contract.about import LABELS
from pckv.mechanisms.discovery.prefix_tree import PrefixTree

if TYPE_CHECKING:
    from pckv.contract.members import SeriesRound
    from pckv.contract.task import Task

KEYS_NAMED = 12


class Fact(NamedTuple):
    """One fact of a task.

    Attributes:
        name: What the fact is about, as people read it.
        members: The plain values of the fact, under the names that JSON has them.
        sentence: What the fact says, in words; empty where there is nothing to say.
    """

    name: str
    members: dict[str, Any]
    sentence: str


def task_members(task: Task, *names: str) -> dict[str, Any]:
    """Return some plain values of a task, under the names that JSON has them."""
    return {name: _MEMBERS[name](task) if name in _MEMBERS else getattr(task, name) for name in names}


def task_facts(task: Task) -> list[Fact]:
    """Return all facts of a task, what participants read first."""
    held = "texts" if task.kind == DISCOVERY else "pairs"

    def fact(name: str, sentence: str, *members: str) -> Fact:
        return Fact(name, task_members(task, *members), sentence)

    return [
        fact("name", task.name, "name"),
        fact("about", "", "about"),
        *(fact(label, getattr(task.about, name)) for name, label in LABELS.items()),
        fact("keys", _keys_text(task), "kind", "keys", "other"),
        fact("first keys", _first_keys_text(task)),
        fact("values", _values_text(task), "low", "high"),
        fact("levels", _levels_text(task), "levels", "level_values", "between"),
        fact(f"{held} per report", _padding_text(task, held), "padding", "more"),
        fact("size question", _size_text(task), "size_share", "size_answers"),
        fact("ε of a report", _epsilon_text(task), "epsilon", "realised_epsilon"),
        fact("mechanism", _mechanism_text(task), "mechanism", "parameters"),
        fact("public functions", _coin_text(task), "coin"),
        fact("bytes per report", f"{task.reporting.report_bytes:,}", "bytes_per_report", "word_limit"),
        fact("days", _days_text(task), "opens", "closes"),
        fact("series", _series_text(task.series), "series"),
        fact("id", task.id, "id"),
    ]


def fact_members(facts: Iterable[Fact]) -> dict[str, Any]:
    """Return the members of all facts, as JSON has them."""
    return {name: value for fact in facts for name, value in fact.members.items()}


def said(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """Return the name and the sentence of every fact that says something to people."""
    return [(fact.name, fact.sentence) for fact in facts if fact.sentence]


def facts_html(task: Task) -> str:
    """Return a task as an HTML table, for notebooks."""
    return html_table(f"Task “{task.name}”", (), said(task.facts())[1:])


def _keys(task: Task) -> object:
    """Return how many keys there are, or what stands in place of a list of them."""
    if isinstance(task.keys, PrefixTree):
        return task.keys.to_dict()
    return HASHED if task.is_hashed else task.key_count


# What is not an attribute of the task as it is.
_MEMBERS: dict[str, Callable[[Task], object]] = {
    "about": lambda task: task.about.to_dict(),
    "bytes_per_report": lambda task: task.reporting.report_bytes,
    "keys": _keys,
    "level_values": lambda task: list(task.level_values),
    "levels": lambda task: task.domain.values.to_members()["levels"],
    "series": lambda task: None if task.series is None else task.series.to_dict(),
    "size_answers": lambda task: [] if task.size_question is None else list(task.size_question.labels),
}


def _keys_text(task: Task) -> str:
    if isinstance(task.keys, PrefixTree):
        tree = task.keys
        return (
            f"unknown; found up to {plural(tree.characters, 'character')} of these: “{tree.alphabet}”, "
            f"from {plural(tree.groups, 'group')} of people"
        )
    if task.is_hashed:
        return "any text; those to estimate are named afterwards"
    rest = "" if task.other is None else f", of which “{task.other}” stands for all that are not listed"
    return f"{task.key_count:,}{rest}"


def first_keys(task: Task) -> tuple[list[str], int]:
    """Return the names of the first listed keys, and how many more are listed."""
    count = task.key_count - (task.other is not None) if task.lists_keys else 0
    names = task.key_names(range(min(count, KEYS_NAMED)))
    return names, count - len(names)


def _first_keys_text(task: Task) -> str:
    names, more = first_keys(task)
    return ", ".join([*names, *([f"and {more:,} more"] if more else [])])


def _values_text(task: Task) -> str:
    if task.kind == DISCOVERY:
        return ""
    values, about = task.domain.values, task.about
    low, high = (
        f"{end} ({label})" if label else end
        for end, label in ((values.low, about.low_label), (values.high, about.high_label))
    )
    return f"from {low} to {high}" + (f" {about.unit}" if about.unit else "")


def _levels_text(task: Task) -> str:
    if task.kind == DISCOVERY:
        return ""
    if task.between == REFUSE_BETWEEN:
        rule = "nothing in between is taken"
    elif task.level_count == MIN_LEVELS:
        rule = "a value in between is reported as one of the two, at random, so that the mean stays"
    else:
        rule = (
            "a value in between is reported as one of the two next to it, at random, so that the mean stays"
        )
    return f"{task.level_count}: {listed(task.level_values)}; {rule}"


def _padding_text(task: Task, held: str) -> str:
    most = f"at most {task.padding:,}"
    if task.more == REFUSE:
        return f"{most}; more are refused where {held} are entered"
    if not task.can_truncate:
        return f"{most}, which is one per key"
    return f"{most}; of participants with more, a random choice of their {held} is reported"


def _size_text(task: Task) -> str:
    if task.size_question is not None:
        share = percent(task.size_share)
        return f"{share} of the reports say about how many pairs a participant holds, instead of which"
    if task.kind == DISCOVERY or not task.can_truncate:
        return ""
    return "not asked: no report says how many pairs a participant holds"


def _epsilon_text(task: Task) -> str:
    asked = task.reporting.epsilon
    realised = rounded_up(task.realised_epsilon, 6)
    # Rounded up, the realised ε may pass the one asked for, which it never does.
    return f"{asked} (realised {min(asked, realised, key=Decimal)})"


def _mechanism_text(task: Task) -> str:
    return ", ".join([task.mechanism, *(f"{name} {value}" for name, value in task.parameters.items())])


def _coin_text(task: Task) -> str:
    if task.coin != SERVER_COIN:
        return ""
    return "drawn by the collector, one per invitation; the guarantee holds whichever it draws"


def _days_text(task: Task) -> str:
    days = [f"opens on {task.opens}"] if task.opens else []
    return ", ".join([*days, *([f"closes on {task.closes}"] if task.closes else [])]) or "no days set"


def _series_text(series: SeriesRound | None) -> str:
    """Say what the rounds of a series spend together, which the ε of one report does not."""
    if series is None:
        return ""
    this, panels = f"round {series.round:,} of a series", f"{series.panels:,}"
    if series.panels == 1:
        return f"{this} in which every device reports in every round, with its own ε each time"
    return (
        f"{this} in {panels} panels: a device reports in one round out of {panels}, so any {panels} rounds in a"
        f" row hold at most one of its reports; each of its reports adds its own ε, one per {panels} rounds"
    )
