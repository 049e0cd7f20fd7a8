"""Tasks with a mixer, tasks with texts in several languages, and texts that are almost such tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from catalogue import MOVIES
from pckv.base.canonical import base64url, dump
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.mechanisms.derivation import Segment
from sealed_vectors import FIELD, SMALL_ORDER

# The u-coordinates 9, the base point, and the largest that is canonical and of no small order.
KEY, LARGEST_KEY = base64url((9).to_bytes(32, "little")), base64url((FIELD - 2).to_bytes(32, "little"))
MIXER: dict[str, Any] = {
    "url": "https://mix.example",
    "operator": "A second party",
    "key": KEY,
    "batch": 2000,
    "honest": 1500,
    "epsilon": "1",
    "delta": "0.000001",
}
NO_MIXERS: tuple[Any, ...] = ([], "", 0, False, {}, [MIXER], "https://mix.example")
CLOSES = "2031-01-01"
NO_SEGMENT = "is of a segment, which the task does not have"
Refusals = Iterator[tuple[str, str]]


def _task(**members: Any) -> Task:
    usual: dict[str, Any] = {"keys": MOVIES, "values": (1, 5), "epsilon": 2, "padding": 2, "mechanism": "grr"}
    return Task(name="mixed", **(usual | {"size_share": "0.1", "closes": CLOSES, "mixer": MIXER} | members))


GOOD = _task()
# Tasks that a device reads: it does not compute whether a claim holds, so one may be false.
MIXED_TASKS = (
    GOOD,
    _task(mixer=MIXER | {"url": "http://localhost:8080", "key": LARGEST_KEY, "operator": "é😀"}),
    _task(mixer=MIXER | {"url": "https://a-b.1.xn--mx-kka.example:65535"}),
    _task(mixer=MIXER | {"url": f"https://{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 52}"}),
    _task(mixer=MIXER | {"url": "http://[::1]:1"}, mechanism={"name": "collision", "symbols": 40}),
    _task(mixer=MIXER | {"url": "http://127.0.0.1"}, mechanism={"name": "ue"}, size_share=0),
    _task(mixer=MIXER | {"epsilon": "2", "batch": 1, "honest": 1, "delta": f"0.{'0' * 37}1"}),
    _task(mixer=MIXER | {"batch": 10**9, "honest": 10**9, "delta": "0.00001"}),
    _task(epsilon="0.000001", mixer=MIXER | {"epsilon": "0.000001"}),
    # The task of a series, which has no days.
    _task(closes=None),
    Task.from_json(GOOD.to_json().replace('"honest":1500', '"honest":1')),
    Task.discovery(
        name="mixed", epsilon=2, characters=4, alphabet="abc", padding=1, symbols=3, closes=CLOSES, mixer=MIXER
    ),
)
MIXED_SERIES = (Series(task=_task(closes=None), first="2031-01-06", period=7, panels=4),)

EMPTY: dict[str, Any] = {
    "consent": "",
    "contact": "",
    "description": "",
    "eligibility": "",
    "high_label": "",
    "keys": [],
}
EMPTY |= {"low_label": "", "middle_label": "", "name": "", "question": "", "unit": ""}
EMPTY |= {"segment_name": "", "segment_labels": []}
# The largest number of translations, as tags of every form.
TAGS = tuple(f"{first}{second}" for first in "abcd" for second in "wxyz")


def _languages(language: str, translations: dict[str, Any], **members: Any) -> Task:
    about = {"question": "Which?", "language": language, "translations": translations}
    usual: dict[str, Any] = {"keys": MOVIES, "values": (1, 5), "epsilon": 1, "padding": 2, "mechanism": "grr"}
    return Task(name="languages", about=about, **(usual | {"size_share": 0} | members))


GERMAN = {"name": "Filme", "keys": ["Alien", "Hitze", "Oben"], "question": "Welche?", "consent": "Ja.\nGern."}
SEVERAL = _languages("en", {"de": GERMAN, "de-CH": {"unit": "Stärne"}})
GROUPS: dict[str, Any] = {"segment_name": "Alter", "segment_labels": ["unter 30", "30 bis 60", "über 60"]}
BY_GROUP = _languages(
    "en",
    {
        "de": GERMAN | GROUPS,
        "fr": {"segment_name": "é" * 128},
        "pl": {"segment_labels": ["b", "a", "é" * 128]},
        "es": {},
    },
    segment=Segment("age", ["under 30", "30 to 60", "over 60"]),
    mechanism={"name": "collision", "symbols": 9},
)
LANGUAGE_TASKS = (
    SEVERAL,
    BY_GROUP,
    _languages("en", {"de": {"middle_label": "mittel"}, "fr": {"low_label": "faible", "middle_label": "é" * 128}}),
    _languages("de", {}),
    _languages("zh-Hant-TW", {"zh-Hant": {}, "zh-TW": {}, "zho": {"question": "哪"}, "zh": {"name": "é" * 128}}),
    _languages("en-GB", {tag: {} for tag in TAGS}),
    _languages("fr", {"de": GERMAN | {"keys": ["Alien", "Hitze", "Oben", "andere"]}}, other="autre"),
    _languages("en", {"de": {"name": "Zahlen"}}, keys=20, other="rest"),
    _languages("en", {"de": {"name": "Texte"}}, keys="hashed", mechanism={"name": "collision", "symbols": 8}),
    Task.discovery(
        name="languages", epsilon=2, characters=4, alphabet="abc", symbols=3, about={"translations": {"de": {}}}
    ),
)


def refused_mixed_tasks() -> Refusals:
    """Yield what is wrong with a text that is almost a task with a mixer, and the text."""
    good, members = GOOD.to_json(), "null, or an object of batch, delta, epsilon, honest, key, operator, url"
    yield from ((members, _with_mixer(good, value)) for value in NO_MIXERS)
    yield from ((members, _with_mixer(good, {k: v for k, v in MIXER.items() if k != name})) for name in MIXER)
    yield from ((members, _with_mixer(good, MIXER | {name: 1})) for name in ("zeal", "__proto__", "constructor"))
    yield "missing", good.replace(f'"mixer":{dump(MIXER)},', "")
    yield "canonical", good.replace('"batch":2000,"delta":"0.000001"', '"delta":"0.000001","batch":2000')
    yield "twice", good.replace('"batch":2000', '"batch":2000,"batch":2000')
    for name, (text, wrong) in _bad_numbers().items():
        for reason, values in wrong:
            yield from ((f"{reason}", good.replace(f'"{name}":{text}', f'"{name}":{value}')) for value in values)
    yield from (("mixer.url must be an origin", _with_mixer(good, MIXER | {"url": url})) for url in _bad_origins())
    for reason, operator in BAD_OPERATORS:
        yield reason, _with_mixer(good, MIXER | {"operator": operator})
    yield from ((reason, _with_mixer(good, MIXER | {"key": key})) for reason, key in _bad_keys())
    server = good.replace('"coin":"device"', '"coin":"server"').replace(
        '{"allocation":"optimized","name":"grr"}', '{"name":"ue-compact","q":5}'
    )
    yield "coin must be 'device' with a mixer", server


def _bad_numbers() -> dict[str, tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]]:
    """Return the numbers of a mixer: how they are written, and what is refused in their place."""
    kinds = ("whole number", ('"2000"', "true", "null", "[2000]"))
    floats = ("not an integer", ("2000.0", "2e3", "NaN"))
    texts = ("plain decimal", ("1", "null", "true", '""', '"1e-6"', '"+1"', '".1"', '"01"', '"0.50"', '"-0"', '"1 "'))
    return {
        "batch": (
            "2000",
            (
                ("at least 1", ("0", "-1", "1000000001")),
                ("at most mixer.batch", ("1", "1499")),
                kinds,
                floats,
            ),
        ),
        "honest": (
            "1500",
            (
                ("at least 1", ("0", "-1", "1000000001")),
                ("at most mixer.batch", ("2001", "1000000000")),
                kinds,
                floats,
            ),
        ),
        # The ε of the task itself is "2".
        "epsilon": (
            '"1"',
            (
                ("at most the ε of a report", ('"2.000000000000000000000000000000000001"', '"20"')),
                ("mixer.epsilon must be above 0", ('"0"', '"-1"', '"20.1"')),
                ("mixer.epsilon must be at least 0.000001", ('"0.0000009"',)),
                texts,
            ),
        ),
        "delta": (
            '"0.000001"',
            (("mixer.delta must be above 0", ('"0"', '"-0.000001"', '"0.0000100000000000001"', '"1"')), texts),
        ),
    }


BAD_OPERATORS: tuple[tuple[str, Any], ...] = (
    ("mixer.operator must be text", None),
    ("mixer.operator must be text", 1),
    ("mixer.operator must be text", ["A"]),
    ("mixer.operator is empty", ""),
    ("longer than 256 bytes", "é" * 129),
    ("control character", "a\nb"),
    ("normal form C", "e\u0301"),
)
# Hosts that end in a number are addresses, of
# which only those of the device itself are taken.
BAD_HOSTS = (
    "", "MIX.example", "mix_.example", "-mix.example", "mix-.example", "mix..example", ".mix.example", "mix.example.",
    "mïx.example", "mix.example:", "mix.example:0", "mix.example:0444", "mix.example:443", "mix.example:65536",
    "mix.example:8x", "user@mix.example", "user:word@mix.example", "mix example", "%6dix.example", "１.example",
    "10.0.0.1", "1.2.3", "mix.1", "0x7f.1", "mix.0x1", "127.0.0.1", "[::1]", "[2001:db8::1]", f"{'a' * 64}.example",
    f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 57}", "mix.example/", "mix.example/mix", "mix.example?a", "mix.example#a",
    "mix.example ", "mix.example\n", "mix.example\u200b",
)  # fmt: skip
BAD_ORIGINS = (
    "http://mix.example", "http://localhost:80", "http://127.0.0.2", "http://[::]", "http://LOCALHOST",
    "HTTPS://mix.example", "ftp://mix.example", "wss://mix.example", "//mix.example", "mix.example", "https:",
    " https://mix.example", "\ufeffhttps://mix.example", "",
)  # fmt: skip


def _bad_origins() -> Iterator[Any]:
    yield from (f"https://{host}" for host in BAD_HOSTS)
    yield from BAD_ORIGINS
    yield from (None, 1, ["https://mix.example"])


def _bad_keys() -> Iterator[tuple[str, Any]]:
    yield from (("32 bytes in base64url", key) for key in (None, 1, "", KEY[:-1], f"{KEY}=", f"{KEY[:-1]}B", [KEY]))
    yield "top bit is set", base64url((9 | 1 << 255).to_bytes(32, "little"))
    yield "not below 2^255 - 19", base64url((FIELD + 9).to_bytes(32, "little"))
    yield from (("of small order", base64url(point.to_bytes(32, "little"))) for point in SMALL_ORDER)


def _with_mixer(good: str, mixer: Any) -> str:
    return dump(json.loads(good) | {"mixer": mixer})


def refused_language_tasks() -> Refusals:
    """Yield what is wrong with a text that is almost a task in several languages, and the text."""
    good = SEVERAL.to_json()
    for tag in (
        "",
        "e",
        "EN",
        "En",
        "engl",
        "en-",
        "en-gb",
        "en_GB",
        "en-GB-oxendict",
        "zh-hant",
        "zh-TW-Hant",
        "en\n",
    ):
        yield "language must be a tag", _with_about(good, language=tag)
        yield "language of a translation must be a tag", _with_about(good, translations={tag: EMPTY})
    yield from (
        ("language must be a tag", _with_about(good, language=tag)) for tag in (None, 1, ["en"], "ｅｎ", "__proto__")
    )
    wrong: tuple[Any, ...] = (None, [], "", 1, [EMPTY])
    yield from (("translations must be an object", _with_about(good, translations=value)) for value in wrong)
    members = "translation 'de' must be an object of"
    yield from ((members, _with_about(good, translations={"de": value})) for value in (*wrong, {}, {"name": ""}))
    yield from ((members, _changed(good, **{name: ""})) for name in ("zeal", "__proto__", "language"))
    for name in ("keys", "middle_label", "segment_name", "segment_labels"):
        yield members, _with_about(good, translations={"de": {k: v for k, v in EMPTY.items() if k != name}})
    yield "own language, 'en'", _with_about(good, translations={"en": EMPTY})
    many = dict.fromkeys((*TAGS, "xx"), EMPTY)
    yield "translations must be at most 16", _with_about(good, translations=many)
    for name, limit in (("name", 256), ("question", 256), ("unit", 256), ("consent", 4096), ("segment_name", 256)):
        yield from ((f"{name} must be text", _changed(good, **{name: value})) for value in (None, 1, [""]))
        yield f"{name} is longer than {limit:,} bytes", _changed(good, **{name: "é" * (limit // 2) + "x"})
        yield f"{name} holds a control character", _changed(good, **{name: "a\tb"})
        yield f"{name} is not in Unicode normal form C", _changed(good, **{name: "e\u0301"})
    yield "name holds a control character or a line break", _changed(good, name="a\nb")
    yield from (("keys must be a list", _changed(good, keys=value)) for value in (None, 3, wrong[2], EMPTY))
    for reason, keys in (
        ("has 2 names for 3 keys", ["a", "b"]),
        ("has 4 names for 3 keys", ["a", "b", "c", "d"]),
        *WRONG_NAMES,
    ):
        yield reason, _changed(good, keys=keys)
    other, numbered, hashed, discovery = (task.to_json() for task in LANGUAGE_TASKS[-4:])
    yield "has 3 names for 4 keys", _changed(other, keys=["a", "b", "c"])
    yield "which have no names in the task", _changed(numbered, keys=[str(number) for number in range(21)])
    yield "which have no names in the task", _changed(hashed, keys=["a"])
    yield "which have no names in the task", _changed(discovery, keys=["a"])
    for text in (good, discovery):
        yield from ((NO_SEGMENT, _changed(text, **{name: value})) for name, value in GROUPS.items())
    yield from _refused_groups(BY_GROUP.to_json())
    yield "canonical", good.replace('"keys":["Alien"', '"keys": ["Alien"')
    yield "twice", good.replace('"translations":{"de":', f'"translations":{{"de":{dump(EMPTY)},"de":')
    yield "missing", good.replace('"about":{', '"zeal":{')


# Lists of three names, each with one that is wrong.
WRONG_NAMES: tuple[tuple[str, list[Any]], ...] = (
    ("appears twice", ["a", "b", "a"]),
    ("is empty", ["a", "", "c"]),
    ("must be text", ["a", None, "c"]),
    ("normal form C", ["a", "e\u0301", "c"]),
    ("longer than 256 bytes", ["a", "b" * 257, "c"]),
    ("control character", ["a", "b\n", "c"]),
)


def _refused_groups(good: str) -> Refusals:
    wrong: tuple[Any, ...] = (None, 3, "", EMPTY)
    yield from (("segment_labels must be a list", _changed(good, segment_labels=value)) for value in wrong)
    for reason, labels in (
        ("must have the segment's 3 labels, not 2", ["a", "b"]),
        ("must have the segment's 3 labels, not 4", ["a", "b", "c", "d"]),
        *WRONG_NAMES,
    ):
        yield reason, _changed(good, segment_labels=labels)


def _with_about(good: str, **about: Any) -> str:
    members = json.loads(good)
    return dump(members | {"about": members["about"] | about})


def _changed(good: str, **texts: Any) -> str:
    """Return a task whose German texts are changed."""
    translations = json.loads(good)["about"]["translations"]
    return _with_about(good, translations=translations | {"de": translations["de"] | texts})
