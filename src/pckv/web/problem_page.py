"""What a browser shows for an address that leads nowhere, or cannot be shown now; programs get a problem in JSON."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import Request
from fastapi.responses import HTMLResponse

from pckv.web.languages import VARY, accepted_languages, nearest_language

NOT_FOUND = 404


class _Texts(NamedTuple):
    title: str
    advice: str
    busy: str
    later: str
    operators: str
    start: str


TEXTS = {
    "en": _Texts(
        "There is no such page",
        "The address is wrong or incomplete. If it is a link to a survey, open it again from the message that it came "
        "in, or ask the organisation that sent it.",
        "Please try again in a moment",
        "This page cannot be shown right now. Load it again in a few seconds.",
        "You run surveys here?",
        "To your surveys",
    ),
    "de": _Texts(
        "Diese Seite gibt es nicht",
        "Die Adresse ist falsch oder unvollständig. Wenn sie zu einer Umfrage führen soll, öffnen Sie den Link noch "
        "einmal aus der Nachricht, in der er stand, oder fragen Sie die Organisation, die ihn verschickt hat.",
        "Bitte versuchen Sie es gleich noch einmal",
        "Diese Seite lässt sich gerade nicht anzeigen. Laden Sie sie in einigen Sekunden noch einmal.",
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


def problem_page(request: Request, status: int) -> HTMLResponse:
    """Return the page for a problem: there is no such page, or it cannot be shown right now."""
    language = nearest_language(*accepted_languages(request.headers.get("accept-language", "")))
    texts = TEXTS[language]
    title, advice = (texts.title, texts.advice) if status == NOT_FOUND else (texts.busy, texts.later)
    page = PAGE.format(language=language, title=title, advice=advice, operators=texts.operators, start=texts.start)
    return HTMLResponse(page, status, {"Vary": f"Accept, {VARY}", "Cache-Control": "no-cache"})
