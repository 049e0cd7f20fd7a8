"""The help: pages made from Markdown and from the glossary of this package, also for browsers without scripts."""

from __future__ import annotations

import hashlib
import html
import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pckv.collector.http.bodies import JSON_TYPE
from pckv.collector.http.downloads import SharedFile
from pckv.collector.http.policy import Access, Policy
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.web.languages import LANGUAGES, VARY, accepted_languages, nearest_language
from pckv.web.static_files import CACHING, MEDIA_TYPES

FOLDER = files("pckv.web") / "help"
INDEX, GLOSSARY = "index", "glossary"
# In the order of the menu.
PAGES = (
    INDEX,
    "survey",
    "people",
    "share",
    "results",
    "privacy",
    "repeat",
    "questions",
    "languages",
    "changes",
    "alarms",
    "downloads",
    "mixer",
    GLOSSARY,
    "participants",
)
MENU = MappingProxyType({"en": "Help", "de": "Hilfe"})

CURRENT = ' aria-current="page"'

_LINK = re.compile(r"(?P<page>[\w-]+)\.md(?P<place>#.*)?")

router = APIRouter(include_in_schema=False)


def chosen_language(request: Request) -> str:
    """Return the language that a request names, or that its browser prefers."""
    accepted = accepted_languages(request.headers.get("accept-language", ""))
    return nearest_language(request.query_params.get("lang", ""), *accepted)


@cache
def glossary(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return every explained word: what it is called, and its explanation."""
    terms = tomllib.loads((FOLDER / "glossary.toml").read_text(encoding="utf-8"))
    return {name: texts[language] for name, texts in terms.items()}


@cache
def glossary_json(language: str) -> SharedFile:
    """Return the glossary as pages load it to explain a word in place."""
    return _file(json.dumps(glossary(language), ensure_ascii=False), JSON_TYPE)


@cache
def page(name: str, language: str) -> SharedFile:
    """Return a page as HTML."""
    text = _text(name, language)
    content = _rendered(text, language)
    if name == GLOSSARY:
        content += _definitions(language)
    return _file(_document(name, language, _title(text), content), MEDIA_TYPES["html"])


def _file(text: str, media_type: str) -> SharedFile:
    content = text.encode()
    return SharedFile.of(content, media_type, hashlib.sha256(content).hexdigest()[:32])


def _text(name: str, language: str) -> str:
    return (FOLDER / language / f"{name}.md").read_text(encoding="utf-8")


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _rendered(text: str, language: str) -> str:
    """Return Markdown as HTML; links to other pages of the help stay in their language."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for token in tokens:
        for inner in token.children or ():
            _aim(inner, language)
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _aim(token: Token, language: str) -> None:
    found = _LINK.fullmatch(str(token.attrs.get("href", "")))
    if found:
        token.attrs["href"] = address(found["page"], language) + (found["place"] or "")


def address(name: str, language: str) -> str:
    """Return the path of a page in a language."""
    path = "/help" if name == INDEX else f"/help/{name}"
    return f"{path}?lang={language}"


def _definitions(language: str) -> str:
    terms = "".join(
        f'<dt id="{name}">{html.escape(term["name"])}</dt><dd>{html.escape(term["text"])}</dd>'
        for name, term in glossary(language).items()
    )
    return f"<dl>{terms}</dl>"


def _menu(name: str, language: str) -> str:
    entries = "".join(
        f'<li><a href="{address(each, language)}"{CURRENT if each == name else ""}>'
        f"{html.escape(_title(_text(each, language)))}</a></li>"
        for each in PAGES
    )
    title = MENU[language]
    return f'<nav class="help" aria-label="{title}"><h2>{title}</h2><ul>{entries}</ul></nav>'


def _document(name: str, language: str, title: str, content: str) -> str:
    # The first page is itself a list of all others.
    menu = "" if name == INDEX else _menu(name, language)
    others = "".join(
        f'<a href="{address(name, other)}" lang="{other}" hreflang="{other}">{own_name}</a>'
        for other, own_name in LANGUAGES.items()
        if other != language
    )
    return f"""<!doctype html>
<html lang="{language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{html.escape(title)}</title>
    <link rel="icon" href="/static/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/static/shared/shared.css" />
    <link rel="stylesheet" href="/static/help/help.css" />
  </head>
  <body>
    <header class="help"><a href="/">pckv</a>{others}</header>
    <main class="narrow help">{content}</main>
    {menu}
  </body>
</html>
"""


def _response(request: Request, file: SharedFile, language: str) -> Response:
    further = {"Vary": f"Accept-Encoding, {VARY}", "Content-Language": language}
    return file.response(request, CACHING, **further)


@router.get("/help")
@Policy(Access.PUBLIC)
async def index(request: Request) -> Response:
    """Serve the first page of the help."""
    return await help_page(request, INDEX)


# Before the pages, whose route would take it.
@router.get("/help/glossary.json")
@Policy(Access.PUBLIC)
async def terms(request: Request) -> Response:
    """Serve the explained words to scripts of the pages."""
    language = chosen_language(request)
    return _response(request, glossary_json(language), language)


@router.get("/help/{name}")
@Policy(Access.PUBLIC)
async def help_page(request: Request, name: str) -> Response:
    """Serve a page of the help."""
    if name not in PAGES:
        raise ProblemDetails(ProblemKind.UNKNOWN)
    language = chosen_language(request)
    return _response(request, page(name, language), language)
