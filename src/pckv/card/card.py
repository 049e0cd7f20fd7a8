"""The privacy card of a task: what an ethics board or a privacy registry files about it, and its page of Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from pckv.auditing.audit import Audit
from pckv.base.limits import DISCOVERY, MIN_LEVELS
from pckv.base.words import plural, rounded_up, sentence
from pckv.card.parties import parties
from pckv.contract.about import DEFAULT_LANGUAGE
from pckv.contract.facts import mixed_text, said
from pckv.contract.task import Task
from pckv.estimators.estimate import default_method
from pckv.estimators.methods.registry import METHODS

CARD_VERSION = 1
LEVEL = 0.95
# What a collector or a tally says of a collection, where it was asked; nothing of it is part of the task.
COLLECTION_MEMBERS = (
    "reports",
    "phase",
    "closed",
    "target",
    "last_report",
    "by_invitation",
    "public_results",
)


def privacy_card(task: Task, *, audit: Audit | None = None, collection: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the card of a task as plain values; the same task, audit and collection give the same card.

    There may be no `audit`. What a collector tells of the collection itself, `reports` and more, is `collection`.
    """
    facts = dict(said(task.facts()))
    return {
        "version": CARD_VERSION,
        "task": task.id,
        "name": task.name,
        "facts": facts,
        "purpose": task.about.description,
        "contact": task.about.contact,
        "asked": _asked(task, facts),
        "privacy": _privacy(task, facts),
        "parties": parties(task),
        "audit": None
        if audit is None
        else {
            "holds": audit.holds,
            "claimed": audit.claimed,
            "found": audit.enumerated,
            "sets": audit.sets,
            "representatives": audit.representatives,
        },
        "retention": _retention(collection or {}),
        "collection": None
        if collection is None
        else {name: collection[name] for name in COLLECTION_MEMBERS if name in collection},
        "estimates": _estimates(task),
        "participants_read": task.about.to_dict(),
    }


def _asked(task: Task, facts: dict[str, str]) -> dict[str, Any]:
    names, more = task.domain.first_keys()
    return {
        # Where keys are hashed or unknown there is no list of them.
        "keys": len(names) + more if task.lists_keys else None,
        "first_keys": names,
        # How many characters of a text a discovery finds.
        "characters": task.tree.characters if task.kind == DISCOVERY else None,
        **task.members("other", "low", "high", "between", "padding", "opens", "closes"),
        "levels": list(task.level_values) if task.has_values else [],
        "segment": None if task.segment is None else task.segment.to_member(),
        "together": task.together,
        "unit": task.about.unit,
        "low_label": task.about.low_label,
        "middle_label": task.about.middle_label,
        "high_label": task.about.high_label,
        "more": facts[f"{task.domain.noun}s per report"],
        "size_question": "" if task.size_question is None else facts["size question"],
    }


def _unit(task: Task) -> str:
    """Say what a guarantee covers: all that a person holds, and their label."""
    values = ", and every value" if task.has_values else ""
    which = f"which{' keys' * task.has_values} they hold{',' if values else ', and'} how many{values}"
    label = "" if task.segment is None else ", together with their label"
    return f"a person's whole set of {task.domain.noun}s: {which}{label}"


def _privacy(task: Task, facts: dict[str, str]) -> dict[str, Any]:
    ratio = math.exp(task.realised_epsilon)
    return {
        "guarantee": "ε-local differential privacy",
        "unit": _unit(task),
        "ratio": float(rounded_up(ratio)),
        "certainty": float(rounded_up(ratio / (1 + ratio))),
        "trust": "No other party: each report is perturbed on the person's own device, and the "
        f"{task.domain.noun}s never leave it. The program on that device must be the published one."
        f"{'' if task.mixer is None else MIXER_TRUST}",
        "not_covered": "that a person took part, and on which day; "
        "every further task that a person answers adds its own ε",
        "mixed": _mixed(task),
        "repeated": facts.get("series", ""),
        **task.members("epsilon", "realised_epsilon", "mechanism", "parameters", "bytes_per_report"),
    }


def _mixed(task: Task) -> dict[str, Any] | None:
    """Return the central claim of a mixed task, computed once more, and what is left of it if fewer are honest."""
    mixer = task.mixer
    if mixer is None:
        return None
    few = mixer.few_honest
    return {
        **mixer.to_member(),
        "holds": Fraction(mixer.central_delta(task.reporting)) <= Fraction(str(mixer.delta)),
        "few_honest": few,
        "epsilon_of_few": min(mixer.central_epsilon(task.reporting, few), task.realised_epsilon),
        "assumption": "How many reports are honest is an assumption: without invitations anyone can fill a batch, and "
        "with invitations that the recipient makes or forwards, the recipient can. Only invitations made and sent by "
        "the mixer's side or a third party bound it.",
    }


def _retention(collection: dict[str, Any]) -> dict[str, Any]:
    days = collection.get("keep_reports")
    known = "keep_reports" in collection
    if not known:
        sentence = "Not known from the task: ask the operator of the collection. Raw answers are never collected."
    elif days is None:
        sentence = "Reports are kept until the task is deleted. Raw answers are never collected."
    else:
        sentence = (
            f"Reports are deleted {plural(days, 'day')} after the task has closed; their counts stay. "
            "Raw answers are never collected."
        )
    return {"known": known, "days_after_closing": days, "sentence": sentence}


def _estimates(task: Task) -> dict[str, Any]:
    mixed = mixed_text(task.mixer, task.reporting.epsilon, has_rounds=task.series is not None)
    if task.kind == DISCOVERY:
        quantities = ["the share of people who hold a text"]
        return {"quantities": quantities, "level": LEVEL, "method": None, "mixed": mixed}
    offered = {
        "the share of people who hold a key": True,
        "the mean of the values that they give it": task.has_values,
        "the share of every level among these values": task.level_count > MIN_LEVELS,
        "the same within every label": task.segment is not None,
        "the share of people who hold two keys together": task.together,
    }
    return {
        "quantities": [quantity for quantity, is_offered in offered.items() if is_offered],
        "level": LEVEL,
        "method": default_method(task),
        "methods": list(METHODS),
        "about_single_people": False,
        "mixed": mixed,
    }


# The facts of a section, in order.
ASKED = (
    *("keys", "first keys", "values", "levels", "segment", "together"),
    *("pairs per report", "keys per report", "texts per report", "items per report", "size question"),
)
PRIVACY = (
    "guarantee",
    "ε of a report",
    "unit of privacy",
    "in odds",
    "who is trusted",
    "mixer",
    "if fewer are honest",
    "series",
    "not covered",
    "mechanism",
    "public functions",
    "bytes per report",
)
# What people hold, as facts call it.
HELD = ("pairs", "keys", "texts")
MIXER_TRUST = " For the central ε, the mixer too, and that many people are honest."
NOT_STATED = "Not stated in the task."
# From here on, numbers are shown without decimals.
LARGE = 1000
# What would be markup in a text that people wrote.
MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&])")
# What would be markup at the beginning of a line: a list, a heading's underline, or the blanks before code.
LINE_START = re.compile(r"^ *([0-9]*)([-+=.)])|^ +", re.MULTILINE)


def card_markdown(card: dict[str, Any]) -> str:
    """Return a card of `privacy_card` as Markdown; texts of the task are shown as they are written."""
    facts, question = card["facts"], card["participants_read"]["question"]
    held = next(name.split()[0] for name in facts if name in {f"{held} per report" for held in HELD})
    sections = (
        ("Purpose", [_shown(card["purpose"]), f"Contact: {_shown(card['contact'])}"]),
        ("What is asked", [f"“{_plain(question)}”" if question else "", _table(facts, ASKED)]),
        ("Privacy", [_table(facts | _privacy_facts(card["privacy"], held), PRIVACY)]),
        ("Who can learn what", _parties_lines(card["parties"])),
        ("Audit", _audit_lines(card["audit"], held)),
        ("Collection", _collection_lines(card["collection"], facts["days"])),
        ("Retention", [card["retention"]["sentence"]]),
        ("Estimates offered", _estimates_lines(card["estimates"])),
        ("What participants read", _read(card["participants_read"])),
    )
    head = (
        f"# Privacy card: {_plain(card['name'])}\n\n"
        f"Task `{card['task']}`. The id is the SHA-256 of the task: a task with another text has another id.\n"
    )
    blocks = ((title, "\n\n".join(filter(None, lines))) for title, lines in sections if lines)
    return head + "".join(f"\n## {title}\n\n{block}\n" for title, block in blocks)


def _table(facts: dict[str, str], names: Iterable[str]) -> str:
    """Return the facts that have these names, in this order, as a table."""
    rows = [f"| {_title(name)} | {_escaped(facts[name])} |" for name in names if name in facts]
    return "\n".join(["| | |", "|---|---|", *rows])


def _parties_lines(learned: dict[str, str]) -> list[str]:
    rows = [f"| {_escaped(party)} | {_escaped(what)} |" for party, what in learned.items()]
    return ["\n".join(["| party | what it can learn |", "|---|---|", *rows])] if rows else []


def _title(name: str) -> str:
    """Return the name of a fact with a capital; Greek letters stay as they are."""
    return name[0].upper() + name[1:] if name[0].isascii() else name


def _shown(text: str) -> str:
    return _plain(text) or NOT_STATED


def _privacy_facts(privacy: dict[str, Any], held: str) -> dict[str, str]:
    """Return what a card says of privacy beyond the facts of the task."""
    certainty, mixed = f"{100 * privacy['certainty']:.4g} %", privacy["mixed"]
    fewer = {} if mixed is None else {"if fewer are honest": _few_honest(mixed)}
    return fewer | {
        "guarantee": privacy["guarantee"],
        "unit of privacy": privacy["unit"],
        "in odds": f"no report is more than {_number(privacy['ratio'])} times as likely under one set of {held}"
        " as under any other: an observer who gave a statement about a person even odds is at most"
        f" {certainty} sure of it after seeing the report",
        "who is trusted": privacy["trust"],
        "not covered": privacy["not_covered"],
    }


def _few_honest(mixed: dict[str, Any]) -> str:
    """Say what a central claim rests on, and what is left of it where that is not so."""
    broken = "" if mixed["holds"] else "THE CENTRAL CLAIM DOES NOT HOLD. "
    few = f"with {mixed['few_honest']:,} it is {rounded_up(mixed['epsilon_of_few'])} at the same δ"
    counted = (
        f"If the mixer follows the protocol, the central ε is {mixed['epsilon']} with {mixed['honest']:,} honest "
        f"reports; {few}"
    )
    return f"{broken}{mixed['assumption']} {counted}"


def _audit_lines(audit: dict[str, Any] | None, held: str) -> list[str]:
    if audit is None:
        return ["Not run. `pckv audit` computes the exact ε of a task's reports."]
    verdict = "The guarantee holds" if audit["holds"] else "THE GUARANTEE DOES NOT HOLD"
    found, claimed = (rounded_up(audit[epsilon], 6) for epsilon in ("found", "claimed"))
    run = f"the Python code that makes reports was run on all of its random draws, for {audit['sets']:,} sets"
    followed = f" Choices among {held} that are too many for that were followed by representatives of them."
    largest = f"The largest ε found is {found}, of {claimed} claimed."
    return [
        f"{verdict}: {run} of {held}, in exact arithmetic.{followed if audit['representatives'] else ''} {largest}",
        "The tests of this release check the JavaScript client against the same law.",
    ]


def _collection_lines(collection: dict[str, Any] | None, days: str) -> list[str]:
    days = f"{_title(days)}."
    if collection is None:
        return [days]
    facts = [plural(collection["reports"], "report") + " so far"]
    if collection.get("target") is not None:
        facts.append(f"{collection['target']:,} wanted")
    if "phase" in collection:
        early = f", closed early on {collection['closed']}" if collection.get("closed") else ""
        facts.append(f"state: {collection['phase']}{early}")
    if "by_invitation" in collection:
        facts.append("by invitation" if collection["by_invitation"] else "open to anyone with the link")
    if "public_results" in collection:
        facts.append("results are public" if collection["public_results"] else "results are not public")
    return [days, "; ".join(facts) + "."]


def _estimates_lines(estimates: dict[str, Any]) -> list[str]:
    level, mixed = f"{100 * estimates['level']:g} %", [sentence(estimates["mixed"])] if estimates["mixed"] else []
    if estimates["method"] is None:
        found = f"The texts that many people hold, each with {estimates['quantities'][0]} and its {level} interval."
        return [f"{found} Texts that few people hold are not found. Nothing about single people.", *mixed]
    *others, last = estimates["quantities"]
    quantities = f"{', '.join(others)} and {last}, each" if others else last
    how = f"the number of reports, ε and the method (by default {estimates['method']})"
    return [f"For every key: {quantities} with a {level} interval, {how}. Nothing about single people.", *mixed]


def _read(about: dict[str, Any]) -> list[str]:
    """Return the texts that participants read: those of one line as a list, the others as quotations."""
    texts = {name: text for name, text in about.items() if name not in {"language", "translations"}}
    blocks = _texts(texts) or [NOT_STATED]
    if not about["translations"] and about["language"] == DEFAULT_LANGUAGE:
        return blocks
    blocks = [f"In `{about['language']}`:", *blocks]
    for tag, translation in about["translations"].items():
        lists = {name: ", ".join(translation[name]) for name in ("keys", "segment_labels")}
        shown = _texts({"name": translation["name"], "keys": "", **translation, **lists})
        blocks += [f"In `{tag}`:", *(shown or ["As above."])]
    return blocks


def _texts(texts: dict[str, str]) -> list[str]:
    given = {name.replace("_", " ").capitalize(): text for name, text in texts.items() if text}
    lines = [f"- {name}: {_plain(text)}" for name, text in given.items() if "\n" not in text]
    quotations = [
        f"{name}:\n\n" + "\n".join(f"> {_plain(line)}".rstrip() for line in text.split("\n"))
        for name, text in given.items()
        if "\n" in text
    ]
    return ["\n".join(lines), *quotations] if given else []


def _number(number: float) -> str:
    return f"{number:,.0f}" if number >= LARGE else f"{number:g}"


def _plain(text: str) -> str:
    """Return a text such that Markdown shows it as it is."""
    return LINE_START.sub(_escaped_start, _escaped(text))


def _escaped(text: str) -> str:
    return MARKUP.sub(r"\\\1", text)


def _escaped_start(start: re.Match[str]) -> str:
    number, sign = start.groups(default="")
    return f"{number}\\{sign}" if sign else ""
