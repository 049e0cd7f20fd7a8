"""The sentences of the participant's page: the same in all languages, all used, and numbers as people write them."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from support.node import CLIENT, run_module

JOIN = CLIENT.parent / "static" / "join"
# The scripts that say something.
SCRIPTS = (
    "answer-form.js",
    "join-page.js",
    "join-privacy.js",
    "join-strings.js",
    "language-field.js",
    "mixed.js",
    "own-keys.js",
    "own-texts.js",
    "pairs-form.js",
    "preview.js",
    "repeated.js",
    "report-view.js",
    "segment-field.js",
    "tick-row.js",
    "value-row.js",
    "waiting.js",
)
SCRIPT = """
const [file, languages, code] = process.argv.slice(1);
globalThis.navigator = { languages: JSON.parse(languages) };
const strings = await import(file);
console.log(JSON.stringify(new Function("strings", `return ${code}`)(strings)));
"""

SENTENCES = "console.log(JSON.stringify((await import(process.argv[1])).default));"


@cache
def strings(languages: tuple[str, ...], code: str) -> Any:
    """Return what an expression gives in a browser with these languages."""
    arguments = [(JOIN / "join-strings.js").as_uri(), json.dumps(languages), code]
    return run_module(SCRIPT, *arguments)


@cache
def all_strings() -> dict[str, dict[str, Any]]:
    languages = strings((), "strings.LANGUAGES")
    return {tag: run_module(SENTENCES, (JOIN / f"strings-{tag}.js").as_uri()) for tag in languages}


def placeholders(text: str | dict[str, str]) -> dict[str, set[str]]:
    """Return the placeholders of a sentence, or of each of its forms."""
    forms = text if isinstance(text, dict) else {"": text}
    # In German, the organisation that asks has a case.
    found = {form: set(re.findall(r"\{(\w+)\}", words)) for form, words in forms.items()}
    return {form: {name.removeprefix("of_") for name in names} for form, names in found.items()}


def test_all_languages_have_the_same_sentences_and_placeholders() -> None:
    english, *others = all_strings().values()
    assert len(others) == 1
    for other in others:
        assert list(other) == list(english)
        for key, text in english.items():
            assert placeholders(other[key]) == placeholders(text), key
            assert all(other[key].values() if isinstance(text, dict) else [other[key]]), key


def test_no_sentence_is_a_copy_of_another_language() -> None:
    english, german = all_strings().values()
    same = {key for key, text in english.items() if german[key] == text}
    assert same == {"value_unit", "value_label", "pair", "text_start"}


def test_every_sentence_is_used_and_every_one_that_is_used_exists() -> None:
    scripts = "".join((JOIN / name).read_text(encoding="utf-8") for name in SCRIPTS)
    keys = set(all_strings()["en"])
    assert set(re.findall(r'say\("(\w+)"', scripts)) <= keys
    # No name for screen readers is written in one language alone.
    assert re.findall(r'"aria-label": "', scripts) == []
    composed = (*re.findall(r"say\(`(\w+_)\$\{", scripts), "own_", "example_")
    unused = {key for key in keys if f'"{key}"' not in scripts and not key.startswith(composed)}
    assert unused == set()


def test_every_code_with_a_panel_has_its_sentences() -> None:
    script = (JOIN / "join-page.js").read_text(encoding="utf-8")
    [listed] = re.findall(r"const PANELS = \[(.+?)\];", script, re.DOTALL)
    names = {*re.findall(r'"(\w+)"', listed), *re.findall(r'return \["(\w+)"', script)}
    assert {f"panel_{name}{end}" for name in names for end in ("", "_title")} <= set(all_strings()["en"])
    [refusals] = re.findall(r"const REFUSALS = \[(.+?)\];", script, re.DOTALL)
    assert {f"refused_{code}" for code in re.findall(r'"(\w+)"', refusals)} <= set(all_strings()["en"])


def bare_claims(texts: dict[str, Any]) -> set[str]:
    """Return the sentences that name ε or δ of a mixed task's claim without its mixer and its honest reports."""
    named = {key: set().union(*placeholders(text).values()) for key, text in texts.items()}
    # Without a mixer ε is that of a report, which has no condition.
    claims = {key for key, names in named.items() if names & {"epsilon", "delta"}} - {"factor"}
    return {key for key in claims if not {"operator", "honest"} <= named[key]}


def test_the_claim_of_a_mixed_task_never_stands_without_its_condition() -> None:
    for texts in all_strings().values():
        assert bare_claims(texts) == set()
        for key, planted in (
            ("party_recipient", texts["party_recipient"].replace("{honest}", "")),
            ("party_recipient", texts["party_recipient"].replace("{operator}", "")),
            ("sent_mixed", texts["sent_mixed"] + " ε = {epsilon}"),
        ):
            assert bare_claims(texts | {key: planted}) == {key}


@pytest.mark.parametrize(
    ("languages", "chosen"),
    [(("fr", "de-AT", "en"), "de"), (("en-GB", "de"), "en"), (("fr",), "en"), ((), "en"), (("DE",), "de")],
)
def test_the_browser_chooses_the_language(languages: tuple[str, ...], chosen: str) -> None:
    assert strings(languages, "strings.pageLanguage()") == chosen


def test_numbers_and_days_are_written_as_the_language_writes_them() -> None:
    code = """[strings.number(1234.5), strings.percent(0.27448), strings.day("2099-01-01", -1),
        strings.say("chosen_of", { count: 1000, limit: 2000 }), strings.say("odds_less", { count: 1 }),
        strings.say("remove", { key: "$& {key}" }), strings.anyOf(["a", "b"])]"""
    english, german = (strings((language,), code) for language in ("en", "de"))
    assert english[:4] == ["1,234.5", "27.4\u00a0%", "December 31, 2098", "1,000 of 2,000 chosen"]
    assert german[:4] == ["1.234,5", "27,4\u00a0%", "31. Dezember 2098", "1.000 von 2.000 gewählt"]
    assert "more than one thing applies" in english[4]
    # A key is never taken for a pattern or a placeholder.
    assert english[5:] == ["Remove $& {key}", "a or b"]
    assert german[5:] == ["$& {key} entfernen", "a oder b"]
