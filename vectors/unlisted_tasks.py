"""Tasks with a key for all that are not listed, tasks with hashed keys, and texts that are almost such tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catalogue import MOVIES
from level_tasks import STARS
from pckv.contract.task import Task


def _task(name: str, mechanism: dict[str, Any], **members: Any) -> Task:
    """Return a task of three keys and all others, unless members say otherwise."""
    usual: dict[str, Any] = {"keys": MOVIES, "other": "other", "values": (1, 5), "epsilon": 1, "padding": 2}
    return Task(name=name, **(usual | {"size_share": 0, "mechanism": mechanism} | members))


def _other(mechanism: dict[str, Any], **members: Any) -> Task:
    return _task("other", mechanism, **members)


def _hashed(symbols: int, **members: Any) -> Task:
    mechanism = {"name": "collision", "symbols": symbols}
    return _task("hashed", mechanism, **({"keys": "hashed", "other": None} | members))


GRR, UE = {"name": "grr"}, {"name": "ue"}
COMPACT, COLLISION = {"name": "ue-compact", "q": 5}, {"name": "collision", "symbols": 8}

# Every mechanism, with names and with numbers, with and without the size question, and with more than two levels.
OTHER_TASKS = (
    _other(UE),
    _other(GRR, size_share="0.25"),
    _other(COMPACT, size_share="0.1"),
    _other(COLLISION, size_share="0.05"),
    _other(GRR, keys=20, other="anything else", padding=1, size_share="0.2"),
    _other(UE, keys=7, other="その他 😀", padding=3),
    _other(COMPACT, keys=20, other="-1", padding=3, epsilon="0.3"),
    _other(GRR, keys=2**31 - 1, padding=10, size_share="0.05"),
    _other({"name": "collision", "symbols": 22}, keys=2**29 - 2, size_share="0.05"),
    _other(GRR, levels=STARS, between="refuse", more="refuse"),
    _other({"name": "ue-compact", "q": 13, "r": 2}, levels=3, padding=1, more="refuse"),
    _other(COLLISION, levels=16, values=("0.1", "0.7"), more="refuse"),
    # One listed key, and room for it and all others.
    _other(COLLISION, keys=["up"], padding=2, more="refuse"),
    _other(GRR, keys=["up"], padding=2),
    _other(COLLISION, keys=["café"], padding=1, size_share="0.25"),
)
HASHED_TASKS = (
    _hashed(8, size_share="0.05"),
    _hashed(3, padding=1, size_share="0.1"),
    _hashed(8, more="refuse"),
    _hashed(8, levels=STARS, between="refuse", size_share="0.25"),
    _hashed(5560, levels=16, values=("0.1", "0.7"), epsilon=4, padding=100),
    _task(
        "hashed",
        {"name": "collision", "symbols": 8, "positions": 2_147_483_647, "generator": 7},
        keys="hashed",
        other=None,
    ),
)
UNLISTED_COIN_TASKS = (
    _other(COMPACT, coin="server", size_share="0.25"),
    _other(COLLISION, coin="server"),
    _hashed(8, coin="server", size_share="0.25"),
)


def refused_unlisted_tasks() -> Iterator[tuple[str, str]]:
    """Yield what refusals say, and texts that are not tasks."""
    yield from _refused_others()
    yield from _refused_hashed()


def _refused_others() -> Iterator[tuple[str, str]]:
    listed, numbered = OTHER_TASKS[1].to_json(), OTHER_TASKS[4].to_json()
    member, numbered_member = '"other":"other"', '"other":"anything else"'
    for reason, values in (
        ("name of a listed key, 'heat'", ('"heat"',)),
        ("other is empty", ('""',)),
        ("other must be text", ("1", "true", "false", "[]", '["other"]', "{}")),
        ("not an integer", ("1.5",)),
        ("normal form C", ('"e\u0301"',)),
        ("control character", ('"a\\nb"', '"\\u0000"')),
        ("longer than 256 bytes", (f'"{"é" * 129}"',)),
        ("not valid Unicode", ('"\\ud800"',)),
        ("canonical", ('"\\u006fther"',)),
    ):
        yield from ((reason, listed.replace(member, f'"other":{value}')) for value in values)
    yield "missing", listed.replace(f"{member},", "")
    # A number, whether or not it is that of a key.
    for name in ("0", "19", "20", "007"):
        yield "name of a listed key", numbered.replace(numbered_member, f'"other":"{name}"')
    most = OTHER_TASKS[7].to_json()
    yield "at most 2^31 keys", most.replace(str(2**31 - 1), str(2**31))
    most = OTHER_TASKS[8].to_json()
    yield "at most 536,870,911 keys", most.replace(str(2**29 - 2), str(2**29 - 1))
    full = OTHER_TASKS[13].to_json()
    yield "padding must be at most the number of keys", full.replace(member, '"other":null')
    yield "padding must be at most the number of keys", full.replace('"padding":2', '"padding":3')


def _refused_hashed() -> Iterator[tuple[str, str]]:
    hashed, keys = HASHED_TASKS[0].to_json(), '"keys":"hashed"'
    yield "other must be left out", hashed.replace('"other":null', '"other":"other"')
    for value in ('"Hashed"', '"hash"', '""', "null", "true"):
        yield "keys must be", hashed.replace(keys, f'"keys":{value}')
    # As a list it is one key, which needs fewer positions, and another task.
    yield "padding must be at most the number of keys", hashed.replace(keys, '"keys":["hashed"]')
    for mechanism in (GRR, UE, COMPACT):
        good = _other(mechanism, keys=20, other=None).to_json()
        yield "hashed keys need mechanism 'collision'", good.replace('"keys":20', keys)
    positions = '"positions":1610612741'
    assert positions in hashed  # noqa: S101
    few = hashed.replace(positions, '"positions":65537').replace('"generator":995413436', '"generator":3')
    yield "positions must be from", few
