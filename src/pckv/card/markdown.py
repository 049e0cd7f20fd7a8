"""A privacy card as one page of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pckv.base.words import plural, rounded_up

# The facts of a section, in order.
ASKED = (
    "keys",
    "first keys",
    "values",
    "levels",
    "pairs per report",
    "texts per report",
    "size question",
)
PRIVACY = (
    "guarantee",
    "ε of a report",
    "unit of privacy",
    "in odds",
    "who is trusted",
    "series",
    "not covered",
    "mechanism",
    "public functions",
    "bytes per report",
)
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
    held = "pairs" if card["asked"]["characters"] is None else "texts"
    sections = (
        ("Purpose", _purpose(card)),
        ("What is asked", [f"“{_plain(question)}”" if question else "", _table(facts, ASKED)]),
        ("Privacy", [_table(facts | _privacy(card["privacy"], held), PRIVACY)]),
        ("Audit", _audit(card["audit"], held)),
        ("Collection", _collection(card["collection"], facts["days"])),
        ("Retention", [card["retention"]["sentence"]]),
        ("Estimates offered", _estimates(card["estimates"])),
        ("What participants read", _read(card["participants_read"])),
    )
    head = (
        f"# Privacy card: {_plain(card['name'])}\n\n"
        f"Task `{card['task']}`. The id is the SHA-256 of the task: a task with another text has another id.\n"
    )
    return head + "".join(f"\n## {title}\n\n{_block(lines)}\n" for title, lines in sections)


def _table(facts: dict[str, str], names: Iterable[str]) -> str:
    """Return the facts that have these names, in this order, as a table."""
    rows = [f"| {_title(name)} | {_escaped(facts[name])} |" for name in names if name in facts]
    return "\n".join(["| | |", "|---|---|", *rows])


def _title(name: str) -> str:
    """Return the name of a fact with a capital; Greek letters stay as they are."""
    return name[0].upper() + name[1:] if name[0].isascii() else name


def _block(lines: Iterable[str]) -> str:
    return "\n\n".join(line for line in lines if line)


def _purpose(card: dict[str, Any]) -> list[str]:
    contact = _plain(card["contact"]) or NOT_STATED
    return [_plain(card["purpose"]) or NOT_STATED, f"Contact: {contact}"]


def _privacy(privacy: dict[str, Any], held: str) -> dict[str, str]:
    """Return what a card says of privacy beyond the facts of the task."""
    certainty = f"{100 * privacy['certainty']:.4g} %"
    return {
        "guarantee": privacy["guarantee"],
        "unit of privacy": privacy["unit"],
        "in odds": f"no report is more than {_number(privacy['ratio'])} times as likely under one set of {held}"
        " as under any other: an observer who thinks a statement about a person as likely as not is at most"
        f" {certainty} sure after the report",
        "who is trusted": privacy["trust"],
        "not covered": privacy["not_covered"],
    }


def _audit(audit: dict[str, Any] | None, held: str) -> list[str]:
    if audit is None:
        return ["Not run. `pckv audit` computes the exact ε of a task's reports."]
    verdict = "The guarantee holds" if audit["holds"] else "THE GUARANTEE DOES NOT HOLD"
    found, claimed = (rounded_up(audit[epsilon], 6) for epsilon in ("found", "claimed"))
    run = f"the Python code that makes reports was run on all of its random draws, for {audit['sets']:,} sets"
    return [
        f"{verdict}: {run} of {held}, in exact arithmetic. The largest ε found is {found}, of {claimed} claimed.",
        "The tests of this release check the JavaScript client against the same law.",
    ]


def _collection(collection: dict[str, Any] | None, days: str) -> list[str]:
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


def _estimates(estimates: dict[str, Any]) -> list[str]:
    level = f"{100 * estimates['level']:g} %"
    if estimates["method"] is None:
        found = f"The texts that many people hold, each with {estimates['quantities'][0]} and its {level} interval."
        return [f"{found} Texts that few people hold are not found. Nothing about single people."]
    quantities = _enumerated(estimates["quantities"])
    how = f"the number of reports, ε and the method (by default {estimates['method']})"
    return [f"For every key: {quantities}, each with a {level} interval, {how}. Nothing about single people."]


def _enumerated(quantities: list[str]) -> str:
    *others, last = quantities
    return f"{', '.join(others)} and {last}"


def _read(about: dict[str, str]) -> list[str]:
    """Return the texts that participants read: those of one line as a list, the others as quotations."""
    given = {name.replace("_", " ").capitalize(): text for name, text in about.items() if text}
    lines = [f"- {name}: {_plain(text)}" for name, text in given.items() if "\n" not in text]
    quotations = [
        f"{name}:\n\n" + "\n".join(f"> {_plain(line)}".rstrip() for line in text.split("\n"))
        for name, text in given.items()
        if "\n" in text
    ]
    return ["\n".join(lines), *quotations] if given else [NOT_STATED]


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
