"""The pages of the help, in every language, and the words that pages explain in place."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from pckv import plan
from pckv.base.words import rounded_up
from pckv.web import help_pages, static_files
from pckv.web.languages import LANGUAGES
from support.collectors import Running, check_problem
from support.german import catalog

STATIC = Path(static_files.__file__).parent / "static"
HELP = STATIC.parent / "help"
# The words of the product that need an explanation wherever they stand.
NAMES = {
    *("answer-option", "people", "chosen-by", "rating", "response", "privacy-level", "epsilon", "key", "pair"),
    *("padding", "mechanism", "method", "interval", "level", "report", "mixer", "groups", "together", "noise"),
    *("hashed-keys", "discovery", "series", "invitation", "honest-reports"),
}


class Outline(HTMLParser):
    """What a page is made of: its tags, the places that links lead to, and its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.places: set[str] = set()
        self.links: list[str] = []
        self.language = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.places |= {str(given["id"])} if "id" in given else set()
        self.links += [str(given["href"])] if tag == "a" else []
        self.language = str(given["lang"]) if tag == "html" else self.language


def path_of(name: str) -> str:
    return "/help" if name == "index" else f"/help/{name}"


def outline(site: Running, path: str) -> Outline:
    answer = site.get(path, None)
    assert answer.status_code == 200, path
    return Outline(answer.text)


# What is asked in the rows of the table of people, and how many there are in its columns.
ASKED: tuple[dict[str, Any], ...] = ({"keys": 6, "more": "refuse", "most_pairs": 1}, {"keys": 10, "pairs": 3})
ANSWERING = (300, 1000, 3000, 10_000)


@pytest.mark.parametrize("language", ["en", "de"])
def test_how_many_people_are_enough_is_what_plans_say(language: str) -> None:
    text = (HELP / language / "people.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|")[1:] for line in text.splitlines() if line.startswith("|")]
    # Two tables of three levels, each with a head of two lines.
    numbers = [[float(cell.strip(" %").replace(",", ".")) for cell in row] for row in (*rows[2:5], *rows[7:])]
    planned = [
        [100 * plan(epsilon=epsilon, users=users, **asked).smallest_frequency for users in ANSWERING]
        for asked in ASKED
        for epsilon in ("1", "2", "3")
    ]
    assert len(rows[0]) == len(ANSWERING)
    for said, least in zip(numbers, planned, strict=True):
        assert said == [float(rounded_up(share, 2)) for share in least]


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_a_privacy_level_suits_is_said_as_in_the_form(language: str) -> None:
    fields = (STATIC / "new-task" / "privacy-field.js").read_text(encoding="utf-8")
    suits = re.findall(r't\(\s*"((?:For|Only for) [^"]+)"', fields)
    assert len(suits) == 3
    german = catalog("new-task")
    for name in ("survey", "privacy"):
        page = (STATIC.parent / "help" / language / f"{name}.md").read_text(encoding="utf-8")
        shown = " ".join(page.split()).lower()
        assert [text for text in suits if (text if language == "en" else german[text]).lower() not in shown] == []
        assert "amber" not in shown


@pytest.mark.parametrize("name", help_pages.PAGES)
def test_a_page_is_the_same_in_every_language(site: Running, name: str) -> None:
    english, german = (outline(site, f"{path_of(name)}?lang={language}") for language in ("en", "de"))
    assert (english.language, german.language) == ("en", "de")
    assert english.tags == german.tags
    assert english.places == german.places
    assert english.tags.count("h1") == 1
    assert not {"script", "style", "img"} & {*english.tags}


def test_links_lead_to_pages_and_places_of_their_language(site: Running) -> None:
    for name in help_pages.PAGES:
        for language, other in (("en", "de"), ("de", "en")):
            page = outline(site, f"{path_of(name)}?lang={language}")
            assert f"{path_of(name)}?lang={other}" in page.links
            for link in set(page.links) - {"/", f"{path_of(name)}?lang={other}"}:
                parts = urlsplit(urljoin(path_of(name), link))
                assert (parts.netloc, parts.query) == ("", f"lang={language}"), link
                target = outline(site, f"{parts.path}?{parts.query}")
                assert not parts.fragment or parts.fragment in target.places, link


def test_every_page_is_linked_from_the_first() -> None:
    for language in LANGUAGES:
        text = (help_pages.FOLDER / language / "index.md").read_text(encoding="utf-8")
        assert {f"{name}.md" for name in help_pages.PAGES} - {"index.md"} == set(re.findall(r"\]\(([^)]+)\)", text))
        files = {Path(entry.name).stem for entry in (help_pages.FOLDER / language).iterdir()}
        assert files == set(help_pages.PAGES)


@pytest.mark.parametrize(
    ("path", "accepted", "language"),
    [
        ("/help", "", "en"),
        ("/help", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("/help", "fr, en;q=0.5, de;q=0.7", "de"),
        ("/help", "fr;q=x, *;q=0.1", "en"),
        ("/help?lang=de", "en", "de"),
        ("/help?lang=fr", "de", "de"),
    ],
)
def test_the_language_is_that_of_the_address_or_the_browser(
    site: Running, path: str, accepted: str, language: str
) -> None:
    answer = site.get(path, None, **{"Accept-Language": accepted})
    assert answer.headers["content-language"] == language
    assert "Accept-Language" in answer.headers["vary"]
    assert Outline(answer.text).language == language
    again = site.get(path, None, **{"Accept-Language": accepted, "If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    assert "'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/help/nothing", "/help/..%2Fglossary", "/help/glossary.md", "/help/en/share"])
def test_there_is_no_other_page(site: Running, path: str) -> None:
    check_problem(site.get(path, None), 404, "unknown")


def test_every_word_is_explained_in_every_language(site: Running) -> None:
    for language in LANGUAGES:
        told = site.get(f"/help/glossary.json?lang={language}", None).json()
        assert told.keys() >= NAMES
        for name, word in told.items():
            assert word.keys() == {"name", "text"}
            assert 1 <= len(re.findall(r"[.”“](?= |$)", word["text"])) <= 4, name
        assert set(told) <= outline(site, f"/help/glossary?lang={language}").places


def test_what_pages_explain_is_in_the_glossary() -> None:
    texts = [path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js")]
    used = {name for text in texts for name in re.findall(r"\bterm\(\s*\"([^\"]+)\"", text)}
    assert used <= help_pages.glossary("en").keys()


def test_nothing_in_a_text_is_taken_for_html() -> None:
    content = help_pages._rendered("# A\n\n<script>alert(1)</script> [x](javascript:alert(1)) [y](share.md#a)", "de")
    assert "<script" not in content
    assert 'href="javascript' not in content
    assert 'href="/help/share?lang=de#a"' in content
