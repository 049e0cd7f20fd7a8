"""Edge cases: what a second implementation is most likely to get wrong."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from pckv.base.canonical import base64url
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task

GOOD = Task(
    name="movies",
    keys=["alien", "heat", "up"],
    values=(1, 5),
    epsilon=1,
    padding=2,
    mechanism="grr",
    size_share=0,
)

MECHANISMS: tuple[dict[str, Any], ...] = (
    *({"name": name, "allocation": allocation}
      for name in ("ue", "grr") for allocation in ("optimized", "non-optimized", "naive")),
    *({"name": "ue-compact", "q": q} for q in (3, 7, 101)),
)  # fmt: skip
# Near a power of two, or too fine for a double.
HARD_EPSILONS = (
    "0.0625", "0.999999999999999", "2", "7.9999999999999999", "8.7", "11.1", "15.999999999999999", "19.3",
)  # fmt: skip

# Members of a task that must be refused, each in place of the good one.
BAD_MEMBERS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    '"epsilon":"1"': (
        (
            "plain decimal",
            ('""', '"1e0"', '"+1"', '".5"', '"1."', '"01"', '"0.50"', '"-0"', '" 1"', '"1\\n"', '"１"', '"0x1"',
             '"Infinity"', '"NaN"', f'"0.{"0" * 39}1"', "1", "null", "true", '["1"]', "{}"),
        ),
        ("above 0", ('"-1"', '"0"')),
        ("at least 0.000001", ('"0.0000009"', '"0.00000099999999999999999999999999999999"')),
        ("at most 20", ('"20.000000000000000000000000000000000001"', '"21"')),
    ),
    '"padding":2': (
        ("at least 1", ("-1", "2147483649", "99999999999999999999")),
        ("whole number", ('"2"', "true", "null", "[2]")),
        ("not an integer", ("2e0", "2.5", "NaN", "Infinity")),
    ),
    '"keys":["alien","heat","up"]': (
        ("at least one key", ("[]", "0", "-3")),
        ("at most 2^31 keys", ("2147483649",)),
        ("keys must be", ('"3"', "true", "null", "{}")),
        ("must be text", ("[1]", "[null]", '[["alien"]]')),
        ("not an integer", ("3.0", "3e1")),
        ("control character", ('["\\u0000"]', '["a\\nb"]', '["\\u007f"]', '["\\u0085"]')),
        ("not valid Unicode", ('["\\ud800"]', '["\\udc00\\ud800"]')),
        ("normal form C", ('["e\\u0301"]', '["e\u0301"]', '["\u212b"]')),
        ("longer than 256 bytes", (f'["{"a" * 257}"]', f'["{"é" * 129}"]')),
        ("appears twice", ('["up","up"]', '["a","\\u0061"]')),
    ),
    '"name":"movies"': (
        ("must be text", ("1", "null", '["movies"]')),
        ("is empty", ('""',)),
        ("longer than 256 bytes", (f'"{"😀" * 65}"',)),
        ("normal form C", ('"e\u0301"',)),
    ),
    '"low":"1"': (
        ("plain decimal", ("1", '"1.0"')),
        ("of a task without values must be null", ("null",)),
        ("below high", ('"5"', '"6"', f'"4.{"9" * 38}"')),
    ),
    '"kind":"pairs"': (("kind", ('"words"', "null", '["pairs"]')),),
    '"version":1': (
        ("version", ("0", "true", '"1"', "null", "[1]")),
        ("not an integer", ("1.0",)),
    ),
    '"opens":null': (
        (
            "must be a day",
            ('"2026-02-30"', '"2026-1-05"', '"20260105"', '"2026-01-05T00:00"', '"0000-01-01"', '"2026-W01-1"',
             '"+012026-01"', '"5 Jan 2026"', '""', "20260105", "false", '["2026-01-05"]'),
        ),
    ),
    '"mechanism":{"allocation":"optimized","name":"grr"}': (
        (
            "names a mechanism",
            ('"grr"', "null", "[]", "{}", '{"allocation":"optimized","name":["grr"]}', '{"name":"constructor"}',
             '{"name":"__proto__"}', '{"name":"auto"}', '{"name":"GRR"}'),
        ),
        (
            "choose from",
            ('{"allocation":"","name":"grr"}', '{"allocation":null,"name":"grr"}',
             '{"allocation":["optimized"],"name":"grr"}'),
        ),
        ("no parameter", ('{"__proto__":1,"allocation":"optimized","name":"grr"}',
                          '{"allocation":"optimized","name":"grr","padding":2}')),
        ("needs allocation", ('{"name":"grr"}',)),
        ("canonical", ('{"name":"grr","allocation":"optimized"}',)),
        ("twice", ('{"allocation":"naive","allocation":"optimized","name":"grr"}',)),
    ),
}  # fmt: skip


def refused_tasks() -> Iterator[dict[str, Any]]:
    """Yield texts that are almost tasks."""
    good = GOOD.to_json()
    for member, refusals in BAD_MEMBERS.items():
        name = member.split(":")[0]
        for reason, values in refusals:
            for value in values:
                yield _refused(reason, good.replace(member, f"{name}:{value}"))
    ending = good.replace('"opens":null', '"opens":"2026-01-05"')
    for closes in ("2026-01-05", "2026-01-04"):
        yield _refused("cannot close", ending.replace('"closes":null', f'"closes":"{closes}"'))
    for text in ("", " ", "{", "null", "1", '"task"', "[]", f"[{good}]", good + good, good[1:], good + ","):
        yield _refused("not a task", text)
    for text in (
        good.replace('"', "'"),
        good[:-1] + ",}",
        "\ufeff" + good,
        good + "//",
        good.replace(":2", ":02"),
    ):
        yield _refused("not a task", text)
    for text in (
        "\n" + good,
        good + "\n",
        good.replace("{", "{\t", 1),
        good.replace("alien", "\\u0061LIEN".lower()),
        good.replace("heat", "he\\/at"),
        good.replace("heat", "h\\u00E9"),
        good.replace("heat", "h\\u00e9"),
        _reversed(good),
    ):
        yield _refused("canonical", text)
    for member in ("__proto__", "constructor", "toString", "id", ""):
        yield _refused("is unknown", good[:-1] + f',"{member}":1}}')
    for member in ("closes", "kind", "mechanism", "version"):
        yield _refused("is missing", good.replace(f'"{member}":', '"zeal":'))


def allowed_tasks() -> Iterator[Task]:
    """Yield tasks with unusual names and numbers, and values of ε whose decimals are hard to round."""
    names = [
        "</script>",
        "\u2028",
        "a b",
        "\\",
        '"',
        "ﬀ",
        "é",
        "日本",
        "😀",
        "a" * 256,
        "é" * 128,
        "__proto__",
    ]
    yield _small(name="\u00e9\u2029", keys=names, values=("-0.1", "0.3"), epsilon="0.7", padding=3)
    # Just above the middle between two doubles, where the digits beyond the twentieth decide.
    low, high = f"-0.{'3' * 37}", "0.10000000000000001249000902703301107977"
    yield _small(keys=5, values=(low, high), epsilon="1.5", mechanism="ue")
    yield _small(keys=1, epsilon="20", opens="0001-01-01", closes="9999-12-31")
    yield _small(keys=1, epsilon="20", mechanism="ue", opens="2024-02-29")
    yield _small(keys=2**31, epsilon="0.000001", padding=2**31)
    yield _small(keys=2**18, epsilon="0.000001", padding=7, mechanism="ue")
    yield _small(keys=3, epsilon="3.14159265358979323846264338327950288419")
    for epsilon, mechanism in itertools.product(HARD_EPSILONS, (MECHANISMS[2], MECHANISMS[4], MECHANISMS[-1])):
        asks_sizes = mechanism["name"] != "ue"
        yield _small(
            keys=30,
            epsilon=epsilon,
            padding=2,
            mechanism=mechanism,
            size_share="0.1" if asks_sizes else 0,
        )


def _small(**members: Any) -> Task:
    """Return a task with the least of everything that is not given."""
    least: dict[str, Any] = {"name": "n", "values": (0, 1), "padding": 1, "mechanism": "grr", "size_share": 0}
    return Task(**(least | members))


def _refused(reason: str, text: str) -> dict[str, Any]:
    return {"json": text, "fails_at": "task", "reason": reason}


def _reversed(text: str) -> str:
    """Return a task with two members in the wrong order."""
    members = {name: f'"{name}":' for name in ("closes", "epsilon")}
    first, second = text.index(members["closes"]), text.index(members["epsilon"])
    end = text.index(",", second)
    return text[:first] + text[second:end] + "," + text[first : second - 1] + text[end:]


# Keys, padding, ε.
SIZES = ((1, 1, "0.1"), (4, 2, "1"), (9, 3, "4.5"), (26, 1, "12"))
# Pairs as shares of the range, by key: none, few, as many as the padding, more.
HELD: tuple[dict[int, float], ...] = ({}, {0: 0.1}, {0: 1 / 3, 3: 0.999}, {0: 0.0, 1: 1.0, 2: 0.7, 3: 0.3})


def seeded_cases() -> Iterator[tuple[Task, dict[str, float], bytes]]:
    """Yield tasks, pairs and tapes: every mechanism and allocation at several sizes."""
    cases = itertools.product(MECHANISMS, SIZES, HELD)
    for seed, (mechanism, (keys, padding, epsilon), shares) in enumerate(cases, 10_000):
        if max(shares, default=0) < keys:
            asks_sizes = mechanism["name"] != "ue" and padding < keys
            task = _small(
                keys=keys,
                values=("-1.5", "2.7"),
                epsilon=epsilon,
                padding=padding,
                mechanism=mechanism,
                size_share="0.25" if asks_sizes else 0,
            )
            pairs = {str(key): task.ends[0] + share * (task.ends[1] - task.ends[0]) for key, share in shares.items()}
            yield task, pairs, seeded_source(seed)(16 + 8 * (task.draws + 4))


def refused_reports() -> Iterator[dict[str, Any]]:
    """Yield pairs that cannot be perturbed, and bodies that are not reports."""
    yield from _refused_pairs()
    yield from _refused_bodies()


def _refused_pairs() -> Iterator[dict[str, Any]]:
    numbered = _small(keys=12, epsilon=1)
    for key in ("12", "-1", "01", "1.0", "1e0", " 1", "+1", "", "１"):
        yield {"task": numbered.to_json(), "pairs": {key: 1}, "fails_at": "pairs", "reason": "not a key"}
    for key in ("Alien", "alien ", "0", "", "__proto__", "length"):
        yield {"task": GOOD.to_json(), "pairs": {key: 3}, "fails_at": "pairs", "reason": "not a key"}
    for value in (5.000000000000001, 0.9999999999999999, -3, "3", None, [3]):
        pairs = {"heat": 2, "up": value}
        yield {"task": GOOD.to_json(), "pairs": pairs, "fails_at": "pairs", "reason": "within"}


def _refused_bodies() -> Iterator[dict[str, Any]]:
    for text in (
        "=",
        "AAAAAAAAAAA=",
        "AAAAAAAAAAB",
        "AAAA AAAAAAA",
        "AAAA\nAAAAAAA",
        "AAAAAAAAA+A",
        "ÄAAAAAAAAAA",
    ):
        yield {"task": GOOD.to_json(), "body": text, "fails_at": "report", "reason": "bad_encoding"}
    eight = _small(keys=8, epsilon=1, mechanism="ue")
    nine = _small(keys=9, epsilon=1, mechanism="ue")
    for task, body, reason in (
        (eight, b"\x7f\x80", "bad_encoding"),
        (eight, b"\xff\xff\x00", "wrong_length"),
        (nine, b"\x00\x02\x00\x00", "bad_encoding"),
        (nine, b"\xff\x01\x00\x02", "bad_encoding"),
        (nine, b"\xff\xfe\xff\x01", "bad_encoding"),
        (nine, b"\xff\x01\xff", "wrong_length"),
        (GOOD, b"\x0a" + bytes(7), "out_of_range"),
        (GOOD, bytes(7) + b"\x01", "out_of_range"),
        (GOOD, bytes(16), "wrong_length"),
    ):
        yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}
