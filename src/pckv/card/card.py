"""The privacy card of a task, as plain values: what an ethics board or a privacy registry files about it."""

from __future__ import annotations

import math
from typing import Any

from pckv.auditing.audit import Audit
from pckv.base.limits import DISCOVERY, MIN_LEVELS
from pckv.base.words import plural, rounded_up
from pckv.contract.facts import first_keys, said, task_members
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
        "audit": None if audit is None else _audited(audit),
        "retention": _retention(collection or {}),
        "collection": None if collection is None else _collection(collection),
        "estimates": _estimates(task),
        "participants_read": task.about.to_dict(),
    }


def _asked(task: Task, facts: dict[str, str]) -> dict[str, Any]:
    names, more = first_keys(task)
    return {
        # Where keys are hashed or unknown there is no list of them.
        "keys": len(names) + more if task.lists_keys else None,
        "first_keys": names,
        # How many characters of a text a discovery finds.
        "characters": task.tree.characters if task.kind == DISCOVERY else None,
        **task_members(task, "other", "low", "high", "between", "padding", "opens", "closes"),
        "levels": list(task.level_values),
        "unit": task.about.unit,
        "low_label": task.about.low_label,
        "high_label": task.about.high_label,
        "more": facts[f"{_held(task)} per report"],
        "size_question": "" if task.size_question is None else facts["size question"],
    }


def _held(task: Task) -> str:
    return "texts" if task.kind == DISCOVERY else "pairs"


def _privacy(task: Task, facts: dict[str, str]) -> dict[str, Any]:
    ratio = math.exp(task.realised_epsilon)
    return {
        "guarantee": "ε-local differential privacy",
        "unit": "a person's whole set of texts: which they hold, and how many"
        if task.kind == DISCOVERY
        else "a person's whole set of pairs: which keys they hold, how many, and every value",
        "ratio": float(rounded_up(ratio)),
        "certainty": float(rounded_up(ratio / (1 + ratio))),
        "trust": "No other party: each report is perturbed on the person's own device, and the "
        f"{_held(task)} never leave it. The program on that device must be the published one.",
        "not_covered": "that a person took part, and on which day; "
        "every further task that a person answers adds its own ε",
        "repeated": facts.get("series", ""),
        **task_members(task, "epsilon", "realised_epsilon", "mechanism", "parameters", "bytes_per_report"),
    }


def _audited(result: Audit) -> dict[str, Any]:
    return {"holds": result.holds, "claimed": result.claimed, "found": result.enumerated, "sets": result.sets}


def _retention(collection: dict[str, Any]) -> dict[str, Any]:
    days = collection.get("keep_reports")
    known = "keep_reports" in collection
    if not known:
        sentence = (
            "Not known from the task: ask the operator of the collection. Raw answers are never collected."
        )
    elif days is None:
        sentence = "Reports are kept until the task is deleted. Raw answers are never collected."
    else:
        sentence = (
            f"Reports are deleted {plural(days, 'day')} after the task has closed; their counts stay. "
            "Raw answers are never collected."
        )
    return {"known": known, "days_after_closing": days, "sentence": sentence}


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
