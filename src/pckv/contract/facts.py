"""What a contract promises as facts: what programs read of it, and the same in words for people."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from pckv.base.days import days_after
from pckv.base.levels import listed
from pckv.base.limits import DISCOVERY, MIN_LEVELS, REFUSE, REFUSE_BETWEEN, SERVER_COIN
from pckv.base.words import percent, plural, rounded_up
from pckv.contract.about import LABELS, About
from pckv.contract.domain import Domain
from pckv.contract.members import Dates, SeriesRound
from pckv.contract.mixer import Mixer
from pckv.contract.reporting import Reporting
from pckv.mechanisms.discovery.prefix_tree import PrefixTree

if TYPE_CHECKING:
    from pckv.contract.task import Task


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


def fact_members(facts: Iterable[Fact]) -> dict[str, Any]:
    """Return the members of all facts, as JSON has them."""
    return {name: value for fact in facts for name, value in fact.members.items()}


def said(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """Return the name and the sentence of every fact that says something to people."""
    return [(fact.name, fact.sentence) for fact in facts if fact.sentence]


def keys_text(domain: Domain) -> str:
    """Say how many keys there are, or what they are where they are not listed."""
    if isinstance(domain.keys, PrefixTree):
        tree = domain.keys
        return (
            f"unknown; found up to {plural(tree.characters, 'character')} of these: “{tree.alphabet}”, "
            f"from {plural(tree.groups, 'group')} of people"
        )
    if domain.is_hashed:
        return "any text; those to estimate are named afterwards"
    rest = "" if domain.other is None else f", of which “{domain.other}” stands for all that are not listed"
    return f"{domain.key_count:,}{rest}"


def languages_text(about: About) -> str:
    """Say which languages participants read; nothing where there is one."""
    return f"{about.language}, translated into {', '.join(sorted(about.translations))}" if about.translations else ""


def values_text(domain: Domain, about: About) -> str:
    """Say from where to where values go and what they mean, or that there are none; nothing for a discovery."""
    if domain.kind == DISCOVERY:
        return ""
    if not domain.has_values:
        return "none: a participant holds a key, or not"
    low, high = (
        f"{end} ({label})" if label else end
        for end, label in ((domain.values.low, about.low_label), (domain.values.high, about.high_label))
    )
    scale = f"from {low} to {high}" + (f" {about.unit}" if about.unit else "")
    if not about.middle_label:
        return scale
    # Named levels need not be equally spaced.
    if isinstance(domain.values.levels, tuple) and domain.values.level_count % 2:
        return f"{scale}; {domain.values.levels[domain.values.level_count // 2]} is “{about.middle_label}”"
    return f"{scale}; halfway is “{about.middle_label}”"


def levels_text(domain: Domain) -> str:
    """Say what the levels are, and what becomes of values between them; nothing without values."""
    if not domain.has_values:
        return ""
    values = domain.values
    if values.between == REFUSE_BETWEEN:
        rule = "nothing in between is taken"
    else:
        two = "the two" if values.level_count == MIN_LEVELS else "the two next to it"
        rule = f"a value in between is reported as one of {two}, at random, so that means are right on average"
    return f"{values.level_count}: {listed(values.level_values)}; {rule}"


def segment_text(domain: Domain, held: str) -> str:
    """Say what is asked for besides the keys, and that it stays private; nothing without a segment."""
    if domain.segment is None:
        return ""
    asked = f"“{domain.segment.name}”, one of {len(domain.segment.labels)}: {domain.segment.choices}"
    return f"{asked}; a label is reported together with the {held}, and as private as they are"


def together_text(domain: Domain) -> str:
    """Say that keys are asked about together; nothing where they are not."""
    return "reports are also about every two keys that a participant holds together" if domain.together else ""


def items_text(domain: Domain, padding: int, held: str) -> str:
    """Say what a report is made of, where items are derived from what a participant holds; nothing otherwise."""
    if domain.derivation is None:
        return ""
    made = f"these {held}, and every two of them" if domain.together else f"the label, and these {held} within it"
    return f"{made}: at most {domain.derivation.padding(padding):,}"


def padding_text(reporting: Reporting, held: str, *, can_truncate: bool) -> str:
    """Say how many pairs, or texts, a report stands for, and what becomes of more."""
    most = f"at most {reporting.padding:,}"
    if reporting.more == REFUSE:
        return f"{most}; more are refused where {held} are entered"
    if not can_truncate:
        return f"{most}, which is one per key"
    return f"{most}; of participants with more, a random choice of their {held} is reported"


def size_text(reporting: Reporting, held: str, *, can_truncate: bool) -> str:
    """Say how many reports answer the size question; nothing where it does not arise."""
    if reporting.size_question is not None:
        share = percent(float(reporting.size_share))
        return f"{share} of the reports say about how many {held} a participant holds, instead of which"
    if held == "texts" or not can_truncate:
        return ""
    return f"not asked: no report says how many {held} a participant holds"


def epsilon_text(asked: str, realised: float) -> str:
    """Say which ε was asked for, and which the integers realise."""
    # Rounded up, the realised ε may pass the one asked for, which it never does.
    return f"{asked} (realised {min(asked, rounded_up(realised, 6), key=Decimal)})"


def coin_text(coin: str) -> str:
    """Say who draws public functions, where that is not the device."""
    if coin != SERVER_COIN:
        return ""
    return "drawn by the collector, one per invitation; the guarantee holds whichever it draws"


def days_text(dates: Dates) -> str:
    """Say from when to when reports are taken."""
    opens = f"opens on {dates.opens}" if dates.opens else None
    # A task closes at the beginning of a day, which people would take for its last one.
    last = f"last day {days_after(dates.closes, -1)}" if dates.closes else None
    return ", ".join(filter(None, (opens, last))) or "no days set"


def mixer_text(mixer: Mixer | None, local: str) -> str:
    """Say who mixes the reports, and what is claimed towards whom under which condition; nothing without a mixer."""
    if mixer is None:
        return ""
    return (
        f"reports are sealed for their recipient and held by {mixer.operator} ({mixer.url}), which hands them over "
        f"as one batch, of at least {mixer.batch:,}, in a random order; {_promise_text(mixer, local)}"
    )


def mixed_text(mixer: Mixer | None, local: str, *, has_rounds: bool = False) -> str | None:
    """Say what results of a mixed task come from, and what was promised towards whom; None without a mixer."""
    if mixer is None:
        return None
    batch = (
        "one batch of a mixer per round, whose reports of one device add up" if has_rounds else "one batch of a mixer"
    )
    return f"{batch}; {_promise_text(mixer, local)}"


def _promise_text(mixer: Mixer, local: str) -> str:
    return (
        f"{central_text(mixer)}; towards all others who see reports, and if mixer and recipient work together: the ε "
        f"of a report, {local}"
    )


def realised_text(epsilon: float, mixed: str | None) -> str:
    """Say which ε reports realise, in a title; that of a mixed report is not what its recipient learns."""
    return f"realised ε {epsilon:g}{'' if mixed is None else ' of a report alone, mixed'}"


def central_text(mixer: Mixer) -> str:
    """Say the central claim of a mixed task, with its condition."""
    return (
        f"towards a recipient who sees only that batch: ε = {mixer.epsilon} with δ = {mixer.delta} (central), "
        f"if the mixer follows the protocol and at least {mixer.honest:,} of the reports are honest"
    )


def series_text(series: SeriesRound | None) -> str:
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


def facts_of(task: Task) -> list[Fact]:
    """Return what a task promises, what participants read first."""
    domain, reporting = task.domain, task.reporting
    held = f"{domain.noun}s"
    names, more = task.domain.first_keys()
    first_keys = ", ".join([*names, *([f"and {more:,} more"] if more else [])])
    padding = padding_text(reporting, held, can_truncate=task.can_truncate)
    sizes = size_text(reporting, held, can_truncate=task.can_truncate)
    epsilon = epsilon_text(reporting.epsilon, task.realised_epsilon)
    parameters = (f"{name} {value}" for name, value in task.parameters.items())

    def fact(name: str, sentence: str, *members: str) -> Fact:
        return Fact(name, task.members(*members), sentence)

    return [
        fact("name", task.name, "name"),
        fact("about", "", "about"),
        *(fact(label, getattr(task.about, name)) for name, label in LABELS.items()),
        fact("languages", languages_text(task.about)),
        fact("keys", keys_text(domain), "kind", "keys", "other"),
        fact("first keys", first_keys),
        fact("values", values_text(domain, task.about), "low", "high"),
        fact("levels", levels_text(domain), "levels", "level_values", "between"),
        fact("segment", segment_text(domain, held), "segment"),
        fact("together", together_text(domain), "together"),
        fact(f"{held} per report", padding, "padding", "more"),
        fact("items per report", items_text(domain, task.padding, held)),
        fact("size question", sizes, "size_share", "size_answers"),
        fact("ε of a report", epsilon, "epsilon", "realised_epsilon"),
        fact("mechanism", ", ".join([task.mechanism, *parameters]), "mechanism", "parameters"),
        fact("public functions", coin_text(task.coin), "coin"),
        fact("bytes per report", f"{reporting.report_bytes:,}", "bytes_per_report", "word_limit"),
        fact("days", days_text(task.dates), "opens", "closes"),
        fact("mixer", mixer_text(task.mixer, reporting.epsilon), "mixer"),
        fact("series", series_text(task.series), "series"),
        fact("id", task.id, "id"),
    ]
