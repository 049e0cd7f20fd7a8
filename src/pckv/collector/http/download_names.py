"""The names of downloads: what, from which day, by which method."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from pckv.contract.task import Task

MAX_SLUG_LETTERS = 60
# For names without letters or digits.
NAMELESS = "task"


def file_stem(task: Task, day: str, what: str) -> str:
    """Return the name of a download without its extension: the task's name, the day, and what it holds.

    >>> task = Task(name="Films of the year!", keys=2, values=(1, 5), epsilon=1)
    >>> file_stem(task, "2030-01-15", "corrected+consistent")
    'films-of-the-year-2030-01-15-corrected-consistent'
    """
    return f"{_slug(task.name)}-{day}-{_slug(what)}"


def attachment(name: str) -> str:
    """Return the header Content-Disposition for a download with this name (RFC 6266).

    >>> attachment("films.csv"), attachment("ø.csv")
    ('attachment; filename="films.csv"', 'attachment; filename="task.csv"; filename*=UTF-8\\'\\'%C3%B8.csv')
    """
    if name.isascii():
        return f'attachment; filename="{name}"'
    stem, dot, suffix = name.rpartition(".")
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().strip("-") or NAMELESS
    return f"attachment; filename=\"{plain}{dot}{suffix}\"; filename*=UTF-8''{quote(name)}"


def _slug(text: str) -> str:
    """Return the letters and digits of a text, in lower case, with a hyphen for all that is between them."""
    return re.sub(r"[\W_]+", "-", text.lower())[:MAX_SLUG_LETTERS].strip("-") or NAMELESS
