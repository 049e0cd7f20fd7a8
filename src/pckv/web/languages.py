"""The language of a page: that which its reader's browser prefers, of those that pages are written in."""

from __future__ import annotations

import re
from types import MappingProxyType

# By their own names.
LANGUAGES = MappingProxyType({"en": "English", "de": "Deutsch"})
# That of readers who prefer none of them, which the scripts of every page have.
FIRST_LANGUAGE = "en"
# What an answer in the language of its reader depends on besides its address and its encoding.
VARY = "Accept-Language"


def accepted_languages(header: str) -> list[str]:
    """Return the tags of a header Accept-Language, the best first.

    >>> accepted_languages("fr;q=0.5, de-AT, en; q=0.7"), accepted_languages("de;q=0, en;q=none")
    (['de-AT', 'en', 'fr'], ['en'])
    """
    weighed = [_weighed(part) for part in header.split(",")]
    return [name for weight, name in sorted(weighed, key=lambda each: -each[0]) if weight]


def _weighed(part: str) -> tuple[float, str]:
    name, _, weight = part.partition(";")
    found = re.fullmatch(r"\s*q\s*=\s*([01](?:\.\d*)?)\s*", weight)
    return (float(found[1]) if found else 1.0, name.strip())


def nearest_language(*tags: str) -> str:
    """Return the first of some languages that pages are written in.

    >>> nearest_language("fr", "de-AT", "en"), nearest_language("DE"), nearest_language()
    ('de', 'de', 'en')
    """
    bases = (tag.lower().partition("-")[0] for tag in tags)
    return next((base for base in bases if base in LANGUAGES), FIRST_LANGUAGE)
