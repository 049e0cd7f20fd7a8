"""What pages say of sentences of the server, in German and in English, and which words are left in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pckv
from support.node import run_module

STATIC = Path(pckv.__path__[0]) / "web" / "static"
# A page as far as the modules look at it, with a language that a browser prefers.
_PAGE = """
import { readFileSync } from "node:fs";
const [, folder, language] = process.argv;
const page = { localStorage: { getItem: () => language }, navigator: { languages: [] } };
page.document = { documentElement: { dataset: {} } };
for (const [name, value] of Object.entries(page)) Object.defineProperty(globalThis, name, { value });
const { told, toldChart } = await import(`${folder}/shared/told.js`);
const { texts, charts } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ texts: texts.map(told), charts: charts.map(toldChart) }));
"""
# Words that no German sentence has; what stands in quotation marks, or between slashes, is a name.
ENGLISH = re.compile(
    r"(?<![\w“„'/.])(the|of|people|and|is|are|were|reports?|keys?|labels?|hold|holds|held|with|for|from|that|by|not|to|"
    r"or|it|its|than|noise|out|no|has|have|be|must|which|each|every|between|without|does|only|too|their)(?![\w”'/])"
)
# Words of analysts and developers, which pages for operators avoid.
TECHNICAL = re.compile(r"\b(keys?|pairs?|hold|holds|held|reports?|padding|labels?|intervals?|mechanisms?|methods?)\b")


def in_german(texts: Iterable[str], language: str = "de") -> list[str]:
    """Return what a page says of some sentences."""
    told: list[str] = _run(list(texts), [], language)["texts"]
    return told


def charts_in_german(charts: Iterable[dict[str, Any]], language: str = "de") -> list[dict[str, Any]]:
    """Return what a page draws of some specifications."""
    told: list[dict[str, Any]] = _run([], list(charts), language)["charts"]
    return told


def _run(texts: list[str], charts: list[dict[str, Any]], language: str) -> Any:
    return run_module(_PAGE, str(STATIC), language, given={"texts": texts, "charts": charts})


def english_left(texts: Iterable[str]) -> dict[str, str]:
    """Return those sentences in which English is left, each with what a page says of it."""
    shown = sorted(set(texts))
    return {text: german for text, german in zip(shown, in_german(shown), strict=True) if ENGLISH.search(german)}


def technical_left(texts: Iterable[str]) -> dict[str, str]:
    """Return those sentences in which an English page has words of analysts, each with what it says."""
    shown = sorted(set(texts))
    return {text: said for text, said in zip(shown, in_german(shown, "en"), strict=True) if TECHNICAL.search(said)}


def catalog(name: str, language: str = "german") -> dict[str, str]:
    """Return a catalog of texts by its name."""
    found: dict[str, str] = run_module(
        "const { default: found } = await import(process.argv[1]); console.log(JSON.stringify(found));",
        str(STATIC / language / f"{name}.js"),
    )
    return found
