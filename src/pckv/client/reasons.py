"""The reasons of a collector in words, for people who do not know its codes."""

from __future__ import annotations

from pckv.client.transport import REASON_CODE

MEANINGS = {
    "closed": "the task takes no more reports",
    "not_open": "the task does not take reports yet",
    "unknown": "there is no such task",
    "deleted": "the task was deleted",
    "invitation_unknown": "the invitation is missing or unknown",
    "invitation_spent": "the invitation was used before",
    "conflict": "there is another report with the same id",
}


def explain(reason: str, noun: str = "task") -> str:
    """Return a reason in words: what its code means, then what the collector adds to it.

    The noun says what the reason is about. A code without a meaning of its own is written as words, and what is no code is returned as it is.

    >>> explain("invitation-spent")
    'the invitation was used before'
    >>> explain("not-open: it opens on 2030-01-01")
    'the task does not take reports yet (it opens on 2030-01-01)'
    >>> explain("wrong_length"), explain("HTTP 404")
    ('wrong length', 'HTTP 404')
    """
    first, _, detail = reason.partition(": ")
    if not REASON_CODE.fullmatch(first):
        return reason
    code = first.replace("-", "_")
    meaning = MEANINGS.get(code, code.replace("_", " ")).replace("task", noun)
    return f"{meaning} ({detail})" if detail else meaning
