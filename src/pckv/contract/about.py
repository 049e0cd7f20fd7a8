"""What participants read about a task: part of its contract, so that it cannot change under them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from pckv.base.canonical import text_fault
from pckv.base.errors import ParameterError

MAX_LINE_BYTES, MAX_TEXT_BYTES = 256, 4096


@dataclass(frozen=True)
class About:
    """What participants read; a text that is empty is not shown.

    Args:
        question: What is asked, in one line: "Which of these movies have you seen, and how did you like
            them?"
        description: Who collects this and what for.
        unit: What a value is measured in: "stars", "minutes".
        low_label: What the least value means: "awful".
        high_label: What the largest value means: "great".
        eligibility: Who may take part.
        consent: What participants agree to.
        contact: Whom they may ask: an address, or a name.

    The description, who may take part and the consent have up to 4,096 bytes and may have several lines; the
    others have one line of up to 256 bytes.

    Raises:
        ParameterError: if a text is too long, or has control characters, or is not in Unicode normal form C.
    """

    question: str = ""
    description: str = ""
    unit: str = ""
    low_label: str = ""
    high_label: str = ""
    eligibility: str = ""
    consent: str = ""
    contact: str = ""

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if not isinstance(text, str):
                raise ParameterError(f"{name} must be text, not {text!r}")
            lines = name in TEXTS
            if fault := text_fault(text, MAX_TEXT_BYTES if lines else MAX_LINE_BYTES, lines=lines):
                raise ParameterError(f"{name} {fault}")

    @classmethod
    def from_members(cls, members: Mapping[str, Any]) -> About:
        """Return what a task's member `about` says, which names every text."""
        texts = members["about"]
        if not isinstance(texts, dict) or texts.keys() != set(MEMBERS):
            raise ParameterError(f"about must be an object of {', '.join(MEMBERS)}")
        return cls(**texts)

    def to_dict(self) -> dict[str, str]:
        """Return all texts, by name."""
        return asdict(self)


# The members that may have several lines.
TEXTS = frozenset({"description", "eligibility", "consent"})
MEMBERS = tuple(field.name for field in fields(About))
# The texts that stand alone, and what people call them; the others belong to the values.
LABELS = {
    "question": "question",
    "description": "description",
    "eligibility": "who may take part",
    "consent": "consent",
    "contact": "contact",
}


def read_about(members: object) -> About:
    """Return what participants read, from a mapping of names to texts; what it does not name is empty."""
    if isinstance(members, About):
        return members
    if not isinstance(members, Mapping):
        raise ParameterError(f"about must be an object of texts, not {members!r}")
    for name in members:
        if name not in MEMBERS:
            raise ParameterError(f"about has no member {name!r}: choose from {', '.join(MEMBERS)}")
    return About(**members)
