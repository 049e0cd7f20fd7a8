"""Mixers and languages of tasks in the JavaScript client: it takes and refuses the same tasks as Python."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.canonical import dump
from pckv.base.errors import AuditFailure, TaskError
from pckv.contract.about import TEXT_MEMBERS, TRANSLATION_MEMBERS
from pckv.contract.mixer import MEMBERS
from support.client_vectors import VECTORS
from support.faults import Fault
from support.mixed_tasks import KEY, MIXER, a_mixed_task
from support.node import CLIENT, NodeProcess, node

GERMAN = {"question": "Welche?", "name": "Filme", "keys": ["Alien", "Hitze", "Rest"]}
ABOUT = {"question": "Which?", "translations": {"de": GERMAN, "de-CH": {"unit": "Stärne"}, "zh-Hant": {}}}
TASK = a_mixed_task(keys=["alien", "heat"], other="rest", about=ABOUT)
# Parts of addresses, of which some are origins.
PARTS = ("https://", "http://", "localhost", "127.0.0.1", "[::1]", "mix", "example", "xn--", "a", "1", "0x", "-", "--", ".",
         ":", ":8080", ":443", ":80", ":0", ":65535", ":65536", "/", "?", "@", "A", "é", " ", "\n", "_", "%61")  # fmt: skip
STARTS = (("https://", "mix", ".", "example"), ("https://", "a"), ("http://", "localhost"), ("http://", "127.0.0.1"))
# Numbers and texts on both sides of limits, and values of other types.
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, 2, -1, 1499, 1500, 1501, 2000, 2001, 10**9, 10**9 + 1, 2**63, "", "0", "1", "2", "2.1", "1.0", "-1",
    "0.00001", "0.000011", "0.000001", "0.0000009", "-0", "1e-6", "20", KEY, "A" * 43, KEY[:-1] + "B", f"{KEY}=", "a\nb",
    "a\tb", "e\u0301", "é" * 128, "é" * 129, "x" * 4096, "x" * 4097, "\ufeff", [], ["a"], ["a", "b", "c"],
    ["a", "b", "a"], ["a", "b", ""], ["a", "b", 1], {}, {"de": {}}, "de", "en", "device",
)  # fmt: skip
TAGS = ("de", "de-CH", "en", "zh-Hant", "zh-Hant-TW", "zh-TW", "fil", "DE", "de-ch", "d", "de-", "de_CH", "deut", "zh-hant",
        "de-CH-1996", "", "__proto__", "constructor", "ｄｅ")  # fmt: skip


def changed_tasks(count: int) -> Iterator[str]:
    """Yield tasks of which one or two members of the mixer or of the texts are changed, added or left out."""
    seeded = random.Random("mixed tasks")
    for _ in range(count):
        members = json.loads(TASK.to_json())
        for _ in range(seeded.choice((1, 1, 1, 2))):
            _change(members, seeded)
        yield dump(members)


def _change(members: dict[str, Any], seeded: random.Random) -> None:
    about, mixer = members["about"], members.get("mixer")
    translations = about.get("translations")
    texts = translations.get("de") if isinstance(translations, dict) else None
    part, names = seeded.choice(
        (
            (mixer, (*MEMBERS, "zeal")),
            (about, ("language", "translations", seeded.choice(TEXT_MEMBERS), "zeal", "__proto__")),
            (texts, (*TRANSLATION_MEMBERS, "zeal")),
            (translations, TAGS),
            (members, ("mixer", "other", "epsilon", "closes")),
        )
    )
    if not isinstance(part, dict):
        return
    name, whole = seeded.choice(names), {**dict.fromkeys(TRANSLATION_MEMBERS, ""), "keys": [], "segment_labels": []}
    if seeded.random() < 0.1:
        part.pop(name, None)
    elif name == "url":
        part[name] = _address(seeded)
    elif part is translations and seeded.random() < 0.5:
        part[name] = whole
    else:
        several = dict.fromkeys(seeded.sample(TAGS[:7], 3), whole)
        part[name] = seeded.choice((*VALUES, *TAGS, whole, several, dict(MIXER)))


def _address(seeded: random.Random) -> str:
    parts = list(seeded.choice(STARTS))
    for _ in range(seeded.randrange(4)):
        parts.insert(seeded.randrange(1, len(parts) + 1), seeded.choice(PARTS))
    return "".join(parts)


def is_taken(text: str) -> bool:
    try:
        Task.from_json(text)
    except TaskError:
        return False
    return True


def check_verdicts(client: Path, texts: list[str]) -> None:
    """Check that a client takes what Python takes, and refuses the rest as no task."""
    [answers] = node(client).ask({"do": "levels", "tasks": texts})
    for text, answer in zip(texts, answers, strict=True):
        taken = is_taken(text)
        if taken != isinstance(answer, list) or not (taken or answer.startswith("not a task: ")):
            raise AuditFailure(
                f"verdict: Python {'takes' if taken else 'refuses'} what JavaScript calls {answer}: {text}"
            )


def test_changed_tasks_are_taken_or_refused_as_in_python() -> None:
    texts = list(changed_tasks(800))
    assert 100 < sum(map(is_taken, texts)) < 700
    check_verdicts(CLIENT, texts)


@pytest.mark.verify
def test_many_changed_tasks_are_taken_or_refused_as_in_python() -> None:
    check_verdicts(CLIENT, list(changed_tasks(6_000)))


def test_addresses_of_mixers_are_origins_in_the_form_that_browsers_give_them(process: NodeProcess) -> None:
    seeded = random.Random("addresses")
    texts = {url: dump(json.loads(TASK.to_json()) | {"mixer": MIXER | {"url": url}}) for url in
             sorted({_address(seeded) for _ in range(3000)})}  # fmt: skip
    taken = [url for url, text in texts.items() if is_taken(text)]
    # What is no Punycode after xn-- is no name for a browser either.
    taken = [url for url in taken if "xn--" not in url]
    assert len(taken) >= 40
    assert process.ask({"do": "origins", "urls": taken}) == [taken]


def check_shown(client: Path) -> None:
    """Check what participants are shown, for preferences of all kinds."""
    seeded = random.Random("languages")
    preferred = [
        seeded.sample((*TAGS, "DE-AT", "fr", "zh-Hant-HK", "en-US", "*"), seeded.randrange(4)) for _ in range(200)
    ]
    expected = [asdict(TASK.about.in_language(tags)) for tags in preferred]
    [shown] = node(client).ask({"do": "shown", "task": TASK.to_json(), "preferred": preferred})
    for tags, one, other in zip(preferred, shown, expected, strict=True):
        if one != json.loads(json.dumps(other)):
            raise AuditFailure(f"languages: {tags} is shown {one['language']}, and in Python {other['language']}")


def test_participants_are_shown_the_same_as_in_python() -> None:
    check_shown(CLIENT)


def check_vectors_of_tasks(client: Path) -> None:
    """Check the vectors, of which most differ from a task in one place."""
    cases = json.loads((VECTORS / "tasks.json").read_text(encoding="utf-8"))
    plain = ('"translations":{},', '"mixer":null,')
    check_verdicts(client, [case["json"] for case in cases if not all(part in case["json"] for part in plain)])


def test_vectors_of_mixers_and_languages() -> None:
    check_vectors_of_tasks(CLIENT)


MIXER_FILE, LANGUAGES, RULES = "mixed.js", "translations.js", "task-rules.js"
FAULTS = [
    Fault("coins are taken", MIXER_FILE, {'coin === "device"': "true"}, check_vectors_of_tasks, "verdict"),
    Fault("keys of small order are taken", MIXER_FILE, {"key: isPublicKey(key)": "key: true"}, check_vectors_of_tasks, "verdict"),
    Fault("more may be honest than a batch has", MIXER_FILE, {"honest, 1, batch + 1": "honest, 1, 1e9 + 1"}, check_vectors_of_tasks, "verdict"),
    Fault("the claim may be above the ε of a report", MIXER_FILE, {'"0.000001", local': '"0.000001", "20"'}, check_vectors_of_tasks, "verdict"),
    Fault("δ may be 0", MIXER_FILE, {'delta !== "0" && ': ""}, check_vectors_of_tasks, "verdict"),
    Fault("mixers may have other members", MIXER_FILE, {"Object.keys(mixer).length === 7": "true"}, check_vectors_of_tasks, "verdict"),
    Fault("a name may end in a number", MIXER_FILE, {"(?=[a-z])": ""}, check_vectors_of_tasks, "verdict"),
    Fault("ports may be the usual ones", MIXER_FILE, {" && new URL(url).origin === url": ""}, check_vectors_of_tasks, "verdict"),
    Fault("mixers are not checked", "task.js", {"checkMixer(members);": ""}, check_vectors_of_tasks, "verdict"),
    Fault("translations are not checked", "task.js", {"checkTranslations(members);": ""}, check_vectors_of_tasks, "verdict"),
    Fault("other has no name of its own", LANGUAGES, {" + (other !== null)": ""}, check_vectors_of_tasks, "verdict"),
    Fault("names of keys may be repeated", LANGUAGES, {" && new Set(names).size === count": ""}, check_vectors_of_tasks, "verdict"),
    Fault("groups are translated that are not asked for", LANGUAGES, {' && (labelCount > 0 || question === "")': ""}, check_vectors_of_tasks, "verdict"),
    Fault("translated groups may be fewer", LANGUAGES, {" && areNames(labels, labelCount)": ""}, check_vectors_of_tasks, "verdict"),
    Fault("a language may be translated into itself", LANGUAGES, {" && tag !== language": ""}, check_vectors_of_tasks, "verdict"),
    Fault("regions may be in small letters", RULES, {"(-[A-Z]{2})?": "(-[A-Za-z]{2})?"}, check_vectors_of_tasks, "verdict"),
    Fault("tags are compared as they are written", LANGUAGES, {"wanted.toLowerCase()": "wanted"}, check_shown, "languages"),
    Fault("only the same tag counts", LANGUAGES, {"parts.length - dropped": "parts.length"}, check_shown, "languages"),
    Fault("empty texts are shown", LANGUAGES, {"given[member] || text": "given[member] ?? text"}, check_shown, "languages"),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_faults_are_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)
