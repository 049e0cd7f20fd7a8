"""What makes two tasks the same survey: the name, as people read it.

One survey may come as several tasks: with another closing day, another ε, other keys. To the people who
answer, it is the same survey, and every answer would spend ε again. So its identity is the name, without what
a reader overlooks. `surveyOf` of the JavaScript client computes the same.
"""

from __future__ import annotations

import re
import unicodedata

# Characters without a visible form that are not of category Cf: joiners, fillers, variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def survey_of(name: str) -> str:
    """Return the identity of the survey that a task's name stands for.

    >>> survey_of("Movies") == survey_of(" ＭＯＶＩＥＳ\u200b ")
    True
    >>> survey_of("movies 2026") == survey_of("movies 2027")
    False
    """
    visible = _INVISIBLE.sub("", name)
    visible = "".join(letter for letter in visible if unicodedata.category(letter) != "Cf")
    # By way of upper case, ß and SS are the same. A changed case may compose anew.
    folded = unicodedata.normalize("NFKC", visible).lower().upper().lower()
    return " ".join(unicodedata.normalize("NFKC", folded).split())
