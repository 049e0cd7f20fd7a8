"""What a browser shows for an address that leads nowhere, in its own language; programs get a problem in JSON."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import HTMLResponse


class _Texts(NamedTuple):
    title: str
    advice: str
    operators: str
    start: str


TEXTS = {
    "en": _Texts(
        "There is no such page",
        "The address is wrong or incomplete. If it is a link to a survey, open it again from the message that it came "
        "in, or ask the organisation that sent it.",
        "You run surveys here?",
        "To your surveys",
    ),
    "de": _Texts(
        "Diese Seite gibt es nicht",
        "Die Adresse ist falsch oder unvollständig. Wenn sie zu einer Umfrage führen soll, öffnen Sie den Link noch "
        "einmal aus der Nachricht, in der er stand, oder fragen Sie die Organisation, die ihn verschickt hat.",
        "Sie führen hier Umfragen durch?",
        "Zu Ihren Umfragen",
    ),
}
PAGE = """<!doctype html>
<html lang="{language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{title}</title>
    <link rel="icon" href="/static/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/static/shared/shared.css" />
  </head>
  <body>
    <main class="narrow">
      <h1>{title}</h1>
      <p>{advice}</p>
      <p>{operators} <a href="/">{start}</a></p>
    </main>
  </body>
</html>
"""


def unknown_page(request: Request) -> HTMLResponse:
    """Return the page that there is no such page."""
    language = language_of(request.headers.get("accept-language", ""))
    page = PAGE.format(language=language, **TEXTS[language]._asdict())
    return HTMLResponse(page, 404, {"Vary": "Accept, Accept-Language", "Cache-Control": "no-cache"})


def language_of(accepted: str) -> str:
    """Return the language of ours that a header Accept-Language prefers.

    >>> language_of("fr, de-AT;q=0.8, en;q=0.7"), language_of("en, de"), language_of("")
    ('de', 'en', 'en')
    """
    found = re.findall(r"(?:^|,)\s*([a-z]+)[^,;]*(?:;\s*q=([01](?:\.[0-9]{0,3})?))?", accepted.lower())
    known = [(float(quality or 1), name) for name, quality in found if name in TEXTS]
    return max(known, key=itemgetter(0), default=(0.0, "en"))[1]
