"""What participants read about a task: part of its contract, so that it cannot change under them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from pckv.base.canonical import distinct_names, text_fault
from pckv.base.errors import ParameterError
from pckv.base.words import plural

MAX_LINE_BYTES, MAX_TEXT_BYTES = 256, 4096
DEFAULT_LANGUAGE, MAX_TRANSLATIONS = "en", 16
# A subset of BCP 47: a language, a script, a region, in the case that they are usually written in.
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?")
# The texts that may have several lines.
TEXTS = frozenset({"description", "eligibility", "consent"})


@dataclass(frozen=True)
class AboutTexts:
    """The texts that participants read, in one language."""

    question: str = ""
    description: str = ""
    unit: str = ""
    low_label: str = ""
    middle_label: str = ""
    high_label: str = ""
    eligibility: str = ""
    consent: str = ""
    contact: str = ""

    def __post_init__(self) -> None:
        for name, text in self.texts().items():
            lines = name in TEXTS
            _check_text(text, name, MAX_TEXT_BYTES if lines else MAX_LINE_BYTES, lines=lines)

    def texts(self) -> dict[str, str]:
        """Return the texts, by name."""
        return {name: getattr(self, name) for name in TEXT_MEMBERS}


TEXT_MEMBERS = tuple(each.name for each in fields(AboutTexts))


@dataclass(frozen=True)
class Translation(AboutTexts):
    """What participants read in another language than the task's own; what is empty is shown as in the task itself.

    Args:
        name: The name of the task.
        keys: The names of its keys, in the task's order, with that of `other` at the end; only for a task whose
            keys have names.
        segment_name: The question of its segment; only for a task that has one.
        segment_labels: The answers to that question, in the task's order; only for a task that has a segment.

    The other arguments are those of `About`.

    Raises:
        ParameterError: if a text is too long, or has control characters, or is not in Unicode normal form C, or two
            keys or two labels have one name.
    """

    name: str = ""
    keys: tuple[str, ...] = ()
    segment_name: str = ""
    segment_labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("name", "segment_name"):
            _check_text(getattr(self, name), name, MAX_LINE_BYTES)
        for name, what in (("keys", "key"), ("segment_labels", "label")):
            names = getattr(self, name)
            if not isinstance(names, list | tuple):
                raise ParameterError(f"{name} must be a list of names, not {names!r}")
            vars(self)[name] = distinct_names(names, what)

    def to_dict(self) -> dict[str, object]:
        """Return the member of `translations`."""
        return {**self.texts(), **self.names(), "keys": list(self.keys), "segment_labels": list(self.segment_labels)}

    def names(self) -> dict[str, Any]:
        """Return what a translation has besides texts, by name; what is empty stands for the task's own."""
        return {name: getattr(self, name) for name in TRANSLATION_MEMBERS if name not in TEXT_MEMBERS}


TRANSLATION_MEMBERS = tuple(each.name for each in fields(Translation))


@dataclass(frozen=True)
class ShownTexts(Translation):
    """What a participant is shown: texts in one language, with those of the task where a translation has none.

    Attributes:
        language: The language, a tag such as "de".
        name: The name of the task; empty for the task's own.
        keys: The names of its keys; empty for the task's own.
        segment_name: The question of its segment; empty for the task's own.
        segment_labels: The answers to that question; empty for the task's own.
    """

    language: str = DEFAULT_LANGUAGE


@dataclass(frozen=True)
class About(AboutTexts):
    """What participants read; a text that is empty is not shown.

    Args:
        question: What is asked, in one line: "Which of these movies have you seen, and how did you like
            them?"
        description: Who collects this and what for.
        unit: What a value is measured in: "stars", "minutes".
        low_label: What the least value means: "awful".
        middle_label: What the middle of the values means, or the middle one of an odd number of levels: "fair".
        high_label: What the largest value means: "great".
        eligibility: Who may take part.
        consent: What participants agree to.
        contact: Whom they may ask: an address, or a name.
        language: The language of these texts, and of the names of the task and its keys: a tag such as "en", "de-CH"
            or "zh-Hant".
        translations: The same in up to 16 other languages: a `Translation`, or a mapping of its members, by language.

    The description, who may take part and the consent have up to 4,096 bytes and may have several lines; the
    others have one line of up to 256 bytes.

    Raises:
        ParameterError: if a text is too long, or has control characters, or is not in Unicode normal form C, or a
            language is not a tag, or comes twice.
    """

    language: str = DEFAULT_LANGUAGE
    # Not part of the hash, which equal values still share: dictionaries have none.
    translations: Mapping[str, Translation] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_language(self.language, "language")
        if not isinstance(self.translations, Mapping):
            raise ParameterError(f"translations must be an object of languages, not {self.translations!r}")
        if len(self.translations) > MAX_TRANSLATIONS:
            raise ParameterError(f"translations must be at most {MAX_TRANSLATIONS}, not {len(self.translations):,}")
        found = {tag: _read_translation(tag, texts) for tag, texts in self.translations.items()}
        if self.language in found:
            raise ParameterError(f"translations has the texts' own language, {self.language!r}")
        vars(self).update(translations=found)

    @classmethod
    def from_members(cls, members: Mapping[str, Any]) -> About:
        """Return what a task's member `about` says, which names every text."""
        about = members["about"]
        if not isinstance(about, dict) or about.keys() != set(MEMBERS):
            raise ParameterError(f"about must be an object of {', '.join(MEMBERS)}")
        translations = about["translations"]
        if isinstance(translations, dict):
            for tag, texts in translations.items():
                if not isinstance(texts, dict) or texts.keys() != set(TRANSLATION_MEMBERS):
                    raise ParameterError(f"translation {tag!r} must be an object of {', '.join(TRANSLATION_MEMBERS)}")
        return cls(**about)

    def to_dict(self) -> dict[str, Any]:
        """Return all texts by name, their language and the translations."""
        translations = {tag: self.translations[tag].to_dict() for tag in sorted(self.translations)}
        return {**self.texts(), "language": self.language, "translations": translations}

    def check_names(self, keys: int | None, labels: int | None) -> None:
        """Refuse translations of what the task does not have, or has more or fewer of.

        `keys` is the number of keys that have names, None where they have none; `labels` is how many labels the
        segment has, None where there is no segment.
        """
        for tag, texts in self.translations.items():
            if texts.keys and keys is None:
                raise ParameterError(f"translation {tag!r} names keys, which have no names in the task")
            if texts.keys and keys is not None and len(texts.keys) != keys:
                found, expected = plural(len(texts.keys), "name"), plural(keys, "key")
                raise ParameterError(f"translation {tag!r} has {found} for {expected}")
            if (texts.segment_name or texts.segment_labels) and labels is None:
                raise ParameterError(f"translation {tag!r} is of a segment, which the task does not have")
            if texts.segment_labels and len(texts.segment_labels) != labels:
                given = len(texts.segment_labels)
                raise ParameterError(f"translation {tag!r} must have the segment's {labels} labels, not {given:,}")

    def in_language(self, preferred: Iterable[str]) -> ShownTexts:
        """Return what a participant is shown who prefers these languages, the best first, such as `["de-CH", "en"]`.

        Of a preferred language the nearest tag counts: the same one, or the same without its region and script, or
        any of the same language. The task's own language is shown if no other is preferred.

        >>> about = About(question="Which?", translations={"de": {"question": "Welche?"}})
        >>> about.in_language(["de-CH", "en"]).question
        'Welche?'
        """
        tag = self._nearest(preferred)
        own, given = self.texts(), self.translations.get(tag, Translation())
        shown: dict[str, Any] = {name: text or own[name] for name, text in given.texts().items()}
        return ShownTexts(**shown, **given.names(), language=tag)

    def _nearest(self, preferred: Iterable[str]) -> str:
        tags = {tag.lower(): tag for tag in (self.language, *sorted(self.translations))}
        for wanted in preferred:
            parts = wanted.lower().split("-")
            for length in range(len(parts), 0, -1):
                if found := tags.get("-".join(parts[:length])):
                    return found
            for tag, found in tags.items():
                if tag.split("-")[0] == parts[0]:
                    return found
        return self.language


MEMBERS = tuple(each.name for each in fields(About))
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
    _check_members(members, MEMBERS, "about")
    return About(**members)


def check_language(tag: object, what: str) -> str:
    """Return the tag of a language, or refuse anything else."""
    if not isinstance(tag, str) or not _LANGUAGE.fullmatch(tag):
        raise ParameterError(f"{what} must be a tag such as en, de-CH or zh-Hant, not {tag!r}")
    return tag


def _read_translation(tag: str, texts: object) -> Translation:
    check_language(tag, "the language of a translation")
    if isinstance(texts, Translation):
        return texts
    if not isinstance(texts, Mapping):
        raise ParameterError(f"translation {tag!r} must be an object of texts, not {texts!r}")
    _check_members(texts, TRANSLATION_MEMBERS, f"translation {tag!r}")
    try:
        return Translation(**texts)
    except ParameterError as error:
        raise ParameterError(f"translation {tag!r}: {error}") from None


def _check_members(given: Mapping[str, object], names: tuple[str, ...], what: str) -> None:
    for name in given:
        if name not in names:
            raise ParameterError(f"{what} has no member {name!r}: choose from {', '.join(names)}")


def _check_text(text: object, name: str, max_bytes: int, *, lines: bool = False) -> None:
    if not isinstance(text, str):
        raise ParameterError(f"{name} must be text, not {text!r}")
    if fault := text_fault(text, max_bytes, lines=lines):
        raise ParameterError(f"{name} {fault}")
