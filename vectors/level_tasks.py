"""Tasks with levels, and texts that are almost such tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catalogue import MOVIES
from pckv.contract.task import Task

STARS = ("1", "2", "3", "4", "5")
# Ends whose third and sixth parts have no last decimal, and a negative one: whole division rounds down.
LONG_ENDS = (f"-0.{'3' * 37}", "0.10000000000000001249000902703301107977")


def _task(mechanism: dict[str, Any], **members: Any) -> Task:
    """Return a task of three keys rated with stars, unless members say otherwise."""
    usual: dict[str, Any] = {"name": "levels", "keys": MOVIES, "values": (1, 5), "epsilon": 1, "padding": 2}
    return Task(**(usual | {"size_share": 0, "mechanism": mechanism, "between": "round"} | members))


def _grr(**members: Any) -> Task:
    return _task({"name": "grr"}, **members)


def _compact(q: int, r: int = 1, **members: Any) -> Task:
    return _task({"name": "ue-compact", "q": q, "r": r}, **members)


def _collision(symbols: int, **members: Any) -> Task:
    return _task({"name": "collision", "symbols": symbols}, **members)


# Two, three, five and sixteen levels, equally spaced and named, with and without the size question.
LEVEL_TASKS = (
    _grr(levels=2, between="refuse", size_share="0.1"),
    _grr(levels=("1", "5")),
    _grr(levels=3, keys=20, padding=3, values=("0.1", "0.7"), epsilon="0.3", size_share="0.2"),
    _grr(levels=STARS, between="refuse", size_share="0.05"),
    _grr(levels=16, values=("0.1", "0.7"), epsilon=4),
    _grr(levels=16, keys=2**31, values=(0, 100), epsilon=2, padding=10),
    _grr(levels=7, values=LONG_ENDS, padding=1),
    _compact(3, levels=("1", "5"), between="refuse"),
    _compact(5, levels=3, size_share="0.05"),
    _compact(13, 2, levels=("0", "0.5", "2", "8", "10"), values=(0, 10), padding=1),
    _compact(11, 2, levels=STARS, between="refuse", epsilon="0.5"),
    _compact(17, levels=16, keys=20, padding=3, values=("-0.1", "0.7"), epsilon=2, size_share="0.25"),
    _compact(67, 4, levels=16, keys=249_274, values=(0, 100), epsilon=3, padding=10),
    _collision(4, levels=("1", "5"), padding=1, size_share="0.1"),
    _task({"name": "collision", "symbols": 8, "positions": 4099, "generator": 2539}, levels=3, size_share="0.05"),
    _collision(8, levels=STARS, between="refuse"),
    _collision(5560, levels=16, keys=10_000, values=("0.1", "0.7"), epsilon=4, padding=100),
    # On both sides of the number of items from which functions are named by an index.
    _collision(16, levels=16, keys=2**19, values=(0, 1), padding=4),
    _collision(16, levels=16, keys=2**19 + 1, values=(0, 1), padding=4),
    _collision(22, levels=5, keys=(2**30 - 2) // 5, values=(0, 100), epsilon=2),
)
LEVEL_COIN_TASKS = (
    _compact(13, 2, levels=5, coin="server", size_share="0.25"),
    _collision(8, levels=3, coin="server"),
)

# What a task of three levels from 1 to 5 must not say instead of `"levels":3`.
BAD_LEVELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("at least 2 and at most 16", ("1", "0", "-3", "17", "99999999999999999999", "[]")),
    (
        "levels must be a number of them",
        ('"3"', "null", "true", "false", "{}", "[1,5]", '["1",5]', '["1",null,"5"]', '["1","2.0","5"]',
         '["1","3e0","5"]', '["1","","5"]', '["1",["3"],"5"]', '["1","03","5"]', '["-0","5"]'),
    ),
    ("not an integer", ("3.0", "3e0", '["1",2.5,"5"]', "NaN")),
    (
        "levels must ascend",
        ('["1","4","3","5"]', '["1","3","3","5"]', '["1","1","5"]', '["5","1"]',
         # Equal as doubles, and so never told apart.
         f'["1","3","3.{"0" * 20}1","5"]'),
    ),
    ("is not within [1, 5]", ('["0","3","5"]', '["1","3","6"]', '["-1","5"]')),
    ("must begin with 1 and end with 5", ('["1"]', '["2","5"]', '["1","4"]', '["1.5","3","4.5"]')),
)  # fmt: skip


def refused_level_tasks() -> Iterator[tuple[str, str]]:
    """Yield what refusals say, and texts that are not tasks."""
    good = _grr(levels=3).to_json()
    member, between = '"levels":3', '"between":"round"'
    for reason, values in BAD_LEVELS:
        yield from ((reason, good.replace(member, f'"levels":{value}')) for value in values)
    many = ",".join(f'"{1 + number / 4:g}"' for number in range(17))
    yield "at least 2 and at most 16", good.replace(member, f'"levels":[{many}]')
    yield "missing", good.replace(f"{member},", "")
    yield "missing", good.replace(f"{between},", "")
    yield "canonical", good.replace(member, '"levels":["1", "3","5"]')
    for value in ('"Round"', '""', '"refused"', "null", "true", "0", "[]", '["round"]', '{"round":1}'):
        yield "between must be 'round' or 'refuse'", good.replace(between, f'"between":{value}')
    close = good.replace('"high":"5"', '"high":"1.0000000000000004"').replace(member, '"levels":16')
    yield "too close to be told apart", close
    yield from _refused_mechanisms(member)


def _refused_mechanisms(three: str) -> Iterator[tuple[str, str]]:
    """Yield tasks of mechanisms that do not take that many levels."""
    five = '"levels":5'
    planes = _task({"name": "ue"}, levels=2).to_json()
    yield "'ue' takes 2 levels, not 3", planes.replace('"levels":2', three)
    yield "'ue' takes 2 levels, not 3", planes.replace('"levels":2', '"levels":["1","3","5"]')
    for allocation in ("naive", "non-optimized"):
        words = _task({"name": "grr", "allocation": allocation}).to_json()
        yield f"allocation '{allocation}' has two levels, not 3", words.replace('"levels":2', three)
    compact = _compact(7, 2, levels=3).to_json()
    yield "o must be 0 with 3 levels", compact.replace('"q":7', '"o":1,"q":7')
    yield "3 levels with 3 residues each do not fit into q = 7", compact.replace('"r":2', '"r":3')
    yield "5 levels with 2 residues each do not fit into q = 7", compact.replace(three, five)
    yield "at least 1 and below q", compact.replace('"r":2', '"r":7')
    # Were every residue some level's, reports would not tell holders of a key from others.
    few = _compact(5, levels=3).to_json()
    yield "3 levels with 1 residues each do not fit into q = 3", few.replace('"q":5', '"q":3')
    yield "5 levels with 1 residues each do not fit into q = 5", few.replace(three, five)
    largest = LEVEL_TASKS[-1].to_json()
    yield "at most 214,748,364 keys with 5 levels", largest.replace("214748364", "214748365")
    yield "at most 67,108,863 keys with 16 levels", largest.replace(five, '"levels":16')
    # Fewer than three positions per two items, though enough for three levels.
    many = _task({"name": "collision", "symbols": 8, "positions": 4507, "generator": 2}, keys=1000, levels=3)
    yield "positions must be from 7,500", many.to_json().replace(three, five)
