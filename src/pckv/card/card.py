"""The privacy card of a task: what an ethics board or a privacy registry files about a collection, as plain values."""

from __future__ import annotations

import math
from typing import Any

from pckv.auditing.audit import Audit
from pckv.base.limits import DISCOVERY, MIN_LEVELS, REFUSE, REPORT_ID_BYTES, SERVER_COIN
from pckv.base.words import percent, plural, rounded_up
from pckv.contract.members import SeriesRound
from pckv.contract.task import Task
from pckv.estimators.estimate import METHODS, default_method

CARD_VERSION = 1
KEYS_NAMED = 12
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


def privacy_card(
    task: Task, *, audit: Audit | None = None, collection: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the card of a task; the same task, audit and collection give the same card.

    Args:
        task: The contract of the collection.
        audit: The exact ε that was found by running the code, or None if no audit was run.
        collection: What is known of the collection itself: `reports`, and what else a collector tells.

    Returns:
        Plain values, of which `card_markdown` makes a page.
    """
    return {
        "version": CARD_VERSION,
        "task": task.id,
        "name": task.name,
        "purpose": task.about.description,
        "contact": task.about.contact,
        "asked": _asked(task),
        "privacy": _privacy(task),
        "audit": None if audit is None else _audited(audit),
        "retention": _retention(collection or {}),
        "collection": None if collection is None else _collection(collection),
        "estimates": _estimates(task),
        "participants_read": task.about.to_dict(),
    }


def _asked(task: Task) -> dict[str, Any]:
    more = (
        "people with more are refused where pairs are entered"
        if task.more == REFUSE
        else f"of people with more, a random choice of their {_held(task)} is used"
    )
    size = (
        ""
        if task.size_question is None
        else f"{percent(task.size_share)} of the reports say about how many pairs a person holds, instead of which"
    )
    # Where keys are hashed or unknown there is no list of them.
    unlisted = task.is_hashed or task.kind == DISCOVERY
    listed = task.key_count - (task.other is not None)
    return {
        "keys": None if unlisted else listed,
        "first_keys": [] if unlisted else task.key_names(range(min(listed, KEYS_NAMED))),
        # How many characters of a text a discovery finds.
        "characters": task.tree.characters if task.kind == DISCOVERY else None,
        "other": task.other,
        "low": task.low,
        "high": task.high,
        "levels": list(task.level_values),
        "between": task.between,
        "unit": task.about.unit,
        "low_label": task.about.low_label,
        "high_label": task.about.high_label,
        "padding": task.padding,
        "more": more if task.can_truncate or task.more == REFUSE else "",
        "size_question": "" if task.size_question is None else size,
        "opens": task.opens,
        "closes": task.closes,
    }


def _held(task: Task) -> str:
    return "texts" if task.kind == DISCOVERY else "pairs"


def _privacy(task: Task) -> dict[str, Any]:
    ratio = math.exp(task.realised_epsilon)
    coin = (
        " The collector draws a public number per report; the guarantee holds whichever it draws."
        if task.coin == SERVER_COIN
        else ""
    )
    return {
        "guarantee": "ε-local differential privacy",
        "epsilon": task.epsilon,
        "realised_epsilon": task.realised_epsilon,
        "unit": "a person's whole set of texts: which they hold, and how many"
        if task.kind == DISCOVERY
        else "a person's whole set of pairs: which keys they hold, how many, and every value",
        "ratio": float(rounded_up(ratio)),
        "certainty": float(rounded_up(ratio / (1 + ratio))),
        "trust": f"Nobody: each report is perturbed on the person's own device, and the {_held(task)} never leave it."
        " The program on that device must be the published one." + coin,
        "not_covered": "that somebody took part, and on which day; every further task that a person answers adds its own ε",
        "repeated": "" if task.series is None else _repeated(task.series),
        "mechanism": task.mechanism,
        "parameters": task.parameters,
        "bytes_per_report": REPORT_ID_BYTES + task.law.body_bytes,
    }


def _repeated(series: SeriesRound) -> str:
    """Say what the rounds of a series spend together, since the card of one round would hide it."""
    if series.panels == 1:
        return f"round {series.round:,} of a series in which every device reports in every round, with its own ε each time"
    return (
        f"round {series.round:,} of a series in {series.panels:,} panels: a device reports in one round out of"
        f" {series.panels:,}, so any {series.panels:,} rounds in a row hold at most one of its reports; each of its reports"
        f" adds its own ε, one per {series.panels:,} rounds"
    )


def _audited(result: Audit) -> dict[str, Any]:
    return {"holds": result.holds, "claimed": result.claimed, "found": result.enumerated, "sets": result.sets}


def _retention(collection: dict[str, Any]) -> dict[str, Any]:
    days = collection.get("keep_reports")
    known = "keep_reports" in collection
    if not known:
        said = "Not known from the task: ask whoever runs the collection. Raw answers are never collected."
    elif days is None:
        said = "Reports are kept until the task is deleted. Raw answers are never collected."
    else:
        said = f"Reports are deleted {plural(days, 'day')} after the task has closed; their counts stay. Raw answers are never collected."
    return {"known": known, "days_after_closing": days, "sentence": said}


def _collection(collection: dict[str, Any]) -> dict[str, Any]:
    return {name: collection[name] for name in COLLECTION_MEMBERS if name in collection}


def _estimates(task: Task) -> dict[str, Any]:
    if task.kind == DISCOVERY:
        return {"quantities": ["the share of people who hold a text"], "level": LEVEL, "method": None}
    shares = ["the share of every level among these values"] if task.level_count > MIN_LEVELS else []
    return {
        "quantities": [
            "the share of people who hold a key",
            "the mean of the values that they give it",
            *shares,
        ],
        "level": LEVEL,
        "method": default_method(task),
        "methods": list(METHODS),
        "about_single_people": False,
    }
