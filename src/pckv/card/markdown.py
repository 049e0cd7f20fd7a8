"""A privacy card as one page of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pckv.base.levels import listed
from pckv.base.limits import MIN_LEVELS, REFUSE_BETWEEN
from pckv.base.words import plural, rounded_up

NOT_STATED = "Not stated in the task."
# From here on, numbers are shown without decimals.
LARGE = 1000
# What would be markup in a text that people wrote.
MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&])")
# What would be markup at the beginning of a line: a list, a heading's underline, or the blanks before code.
LINE_START = re.compile(r"^ *([0-9]*)([-+=.)])|^ +", re.MULTILINE)


def card_markdown(card: dict[str, Any]) -> str:
    """Return a card, as `privacy_card` makes it, as Markdown; texts of the task are shown as they are written."""
    held = "pairs" if card["asked"]["characters"] is None else "texts"
    sections = (
        ("Purpose", _purpose(card)),
        ("What is asked", _asked(card["asked"], card["participants_read"]["question"])),
        ("Privacy", _privacy(card["privacy"], held)),
        ("Audit", _audit(card["audit"], held)),
        ("Collection", _collection(card["collection"], card["asked"])),
        ("Retention", [card["retention"]["sentence"]]),
        ("Estimates offered", _estimates(card["estimates"])),
        ("What participants read", _read(card["participants_read"])),
    )
    head = f"# Privacy card: {_plain(card['name'])}\n\nTask `{card['task']}`. The id is the SHA-256 of the task: a task with another text has another id.\n"
    return head + "".join(f"\n## {title}\n\n{_block(lines)}\n" for title, lines in sections)


def _block(lines: Iterable[str]) -> str:
    return "\n\n".join(line for line in lines if line)


def _purpose(card: dict[str, Any]) -> list[str]:
    contact = _plain(card["contact"]) or NOT_STATED
    return [_plain(card["purpose"]) or NOT_STATED, f"Contact: {contact}"]


def _asked(asked: dict[str, Any], question: str) -> list[str]:
    low, high = (
        f"{asked[end]:g}" + (f" ({_plain(asked[f'{end}_label'])})" if asked[f"{end}_label"] else "")
        for end in ("low", "high")
    )
    unit = f" {_plain(asked['unit'])}" if asked["unit"] else ""
    levels = _levels(asked)
    if asked["characters"] is not None:
        values, held = "", "text"
    else:
        values, held = f", and for each of these a value from {low} to {high}{unit}{levels}", "pair"
    limits = [
        f"A report stands for at most {plural(asked['padding'], held)}",
        asked["more"],
        asked["size_question"],
    ]
    return [
        f"“{_plain(question)}”" if question else "",
        f"{_held(asked)}{values}.",
        "; ".join(filter(None, limits)) + ".",
    ]


def _held(asked: dict[str, Any]) -> str:
    """Say which keys a report is about."""
    if asked["characters"] is not None:
        return f"Which texts a person holds, whatever these are: the first {plural(asked['characters'], 'character')} of each"
    if asked["keys"] is None:
        return "Which keys a person holds, whatever these are: any text is a key"
    names = ", ".join(map(_plain, asked["first_keys"]))
    rest = asked["keys"] - len(asked["first_keys"])
    more = f", and {rest:,} more" if rest else ""
    other = "" if asked["other"] is None else ", whether they hold a key that is not listed"
    return f"Which of {plural(asked['keys'], 'key')} a person holds ({names}{more}){other}"


def _levels(asked: dict[str, Any]) -> str:
    """Say which levels values are reported as, where a report says more than one of the two ends."""
    refuses = asked["between"] == REFUSE_BETWEEN
    if len(asked["levels"]) == MIN_LEVELS and not refuses:
        return ""
    between = (
        "other values are refused where pairs are entered"
        if refuses
        else "a value between two is reported as one of them at random, so that means stay"
    )
    return (
        f", reported as one of {plural(len(asked['levels']), 'level')} ({listed(asked['levels'])}; {between})"
    )


def _privacy(privacy: dict[str, Any], held: str) -> list[str]:
    parameters = "".join(f", {name} {value}" for name, value in privacy["parameters"].items())
    rows = {
        "Guarantee": privacy["guarantee"],
        "ε per person": f"{rounded_up(privacy['epsilon'], 6)} (realised {rounded_up(privacy['realised_epsilon'], 6)})",
        "Unit of privacy": privacy["unit"],
        "In odds": f"no report is more than {_number(privacy['ratio'])} times as likely under one set of {held}"
        " as under any other:"
        f" who thinks a statement about a person as likely as not is at most {100 * privacy['certainty']:.4g} % sure after the report",
        "Who is trusted": privacy["trust"],
        "Repeated": privacy["repeated"],
        "Not covered": privacy["not_covered"],
        "Mechanism": f"{privacy['mechanism']}{parameters}; {privacy['bytes_per_report']:,} bytes per report",
    }
    table = [f"| {name} | {text} |" for name, text in rows.items() if text]
    return ["\n".join(["| | |", "|---|---|", *table])]


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


def _collection(collection: dict[str, Any] | None, asked: dict[str, Any]) -> list[str]:
    days = f"Opens: {asked['opens'] or 'at once'}. Closes: {asked['closes'] or 'when somebody closes it'}."
    if collection is None:
        return [days]
    facts = [plural(collection["reports"], "report") + " so far"]
    if collection.get("target") is not None:
        facts.append(f"{collection['target']:,} wanted")
    if "phase" in collection:
        early = f", closed early on {collection['closed']}" if collection.get("closed") else ""
        facts.append(f"state: {collection['phase']}{early}")
    if "by_invitation" in collection:
        facts.append("by invitation" if collection["by_invitation"] else "open to everybody with the link")
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
    return LINE_START.sub(_escaped_start, MARKUP.sub(r"\\\1", text))


def _escaped_start(start: re.Match[str]) -> str:
    number, sign = start.groups(default="")
    return f"{number}\\{sign}" if sign else ""
