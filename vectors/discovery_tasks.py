"""Discoveries, and texts that are almost such tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pckv.contract.task import Task


def _discovery(**members: Any) -> Task:
    return Task.discovery(**{"name": "terms", "epsilon": 2, **members})


# Characters of one to four bytes, with and without case, quotes, some that cannot be seen, a first letter of
# Korean and a whole syllable, and two whose order is another one in UTF-16.
UNUSUAL = ' "\\<aÄéß\u00a0\u115f\u200d日가\ue000\uffee😀'

DISCOVERY_TASKS = (
    _discovery(),
    _discovery(epsilon=1, alphabet="ab", characters=2, padding=2),
    # Prefixes of 2, 4 and 5 characters.
    _discovery(alphabet="0123", characters=5, groups=3, padding=3, symbols=12),
    _discovery(alphabet=UNUSUAL, characters=4, groups=2, padding=2, epsilon="0.5"),
    # As many continuations as there may be, or nearly so.
    _discovery(alphabet="ab", characters=15, groups=1),
    _discovery(alphabet="".join(map(chr, range(0x4E00, 0x4EFF))), characters=3),
    _discovery(alphabet="ab", characters=64, epsilon=20),
    _discovery(alphabet="ab", characters=64, groups=7, epsilon="0.000001", padding=2),
    _discovery(characters=3, epsilon=4, padding=100),
    # As many symbols as there may be with as many groups.
    _discovery(symbols=44_739_242),
    _discovery(about={"question": "Which terms?"}, opens="2030-01-01", closes="2030-02-01"),
)
DISCOVERY_COIN_TASKS = (
    _discovery(coin="server"),
    _discovery(alphabet="0123", characters=5, groups=3, padding=2, coin="server"),
)
# Small letters whose capital letter has two characters, is that of a small letter that is not among them, or of
# two that are.
CASED_TASK = _discovery(alphabet="iıßςé\u1c84\u1c85", characters=4, padding=2)


def refused_discoveries() -> Iterator[tuple[str, str]]:
    """Yield what refusals say, and texts that are not tasks."""
    yield from _refused_members()
    yield from _refused_trees()
    yield from _refused_alphabets()


def _refused_members() -> Iterator[tuple[str, str]]:
    good = DISCOVERY_TASKS[1].to_json()
    for reason, member, values in (
        ("kind", '"kind":"discovery"', ('"Discovery"', '""', "null", "1", "[]")),
        ("keys must be a list of names", '"kind":"discovery"', ('"pairs"',)),
        ("between of a discovery must be null", '"between":null', ('"round"', '"refuse"')),
        ("high of a discovery must be null", '"high":null', ('"1"', '"5"', "1", '"1.0"')),
        ("levels of a discovery", '"levels":1', ("2", "0", "true", "[]", '["0","1"]')),
        ("levels must be", '"levels":1', ('"1"', "null")),
        ("low of a discovery must be null", '"low":null', ('"-1"', '"0.5"', "0")),
        ("more of a discovery", '"more":"sample"', ('"refuse"', "null")),
        ("other of a discovery", '"other":null', ('"other"', "false", "0", '""')),
        ("series of a discovery", '"series":null', ("false", "[]", "{}")),
        ("size_share of a discovery", '"size_share":"0"', ('"0.1"',)),
        ("padding must be", '"padding":2', ("0", "-1", "true", "null")),
        ("more than the padding", '"padding":2', ("9",)),
        ("coin must be", '"coin":"device"', ('"nobody"', "null")),
        ("mechanism must be", '"name":"collision"', ('"oue"', "null")),
        ("no parameter 'q'", '"positions":1610612741', ('1610612741,"q":2',)),
        ("symbols must be", '"symbols":9', ("2", "0", "-9", '"9"', "true", "134217728")),
        ("positions must be", '"positions":1610612741', ("1610612743", "65537", "true")),
        ("generator must be", '"generator":995413436', ("1", "1610612741", "null")),
    ):
        assert member in good, member  # noqa: S101
        name = member.partition(":")[0]
        yield from ((reason, good.replace(member, f"{name}:{value}")) for value in values)
    yield from _refused_mechanisms(good)


def _refused_mechanisms(good: str) -> Iterator[tuple[str, str]]:
    start = good.index('"mechanism":')
    end = good.index(',"mixer"')
    for mechanism in (
        '{"allocation":"optimized","name":"grr"}',
        '{"allocation":"optimized","name":"ue"}',
        '{"name":"ue-compact","q":5}',
    ):
        yield (
            "mechanism of a discovery must be 'collision'",
            good[:start] + f'"mechanism":{mechanism}' + good[end:],
        )
    for member in ('"generator":995413436,', '"positions":1610612741,'):
        yield "needs", good.replace(member, "")
    many = DISCOVERY_TASKS[9].to_json()
    yield "symbols must be at most 44,739,242 with 24 groups", many.replace(":44739242", ":44739243")
    # The same keys and mechanism in a task of pairs.
    pairs = Task(name="terms", keys=3, values=(0, 1), epsilon=2, padding=1, mechanism="grr").to_json()
    yield "between of a discovery must be null", pairs.replace('"kind":"pairs"', '"kind":"discovery"')
    yield "levels must be", pairs.replace('"levels":2', '"levels":1')


def _refused_trees() -> Iterator[tuple[str, str]]:
    good = DISCOVERY_TASKS[1].to_json()
    tree = '{"alphabet":"ab","characters":2,"groups":2}'
    assert tree in good  # noqa: S101
    names = "an object of alphabet, characters and groups"
    for reason, values in (
        (names, ("null", "3", '"hashed"', '"ab"', '["a","b"]', "[]", "{}", "true")),
        (names, ('{"alphabet":"ab","characters":2}', '{"alphabet":"ab","groups":2}')),
        (names, ('{"characters":2,"groups":2}', '{"alphabet":"ab","characters":2,"groups":2,"length":3}')),
        (names, ('{"__proto__":null,"alphabet":"ab","characters":2,"groups":2}',)),
        ("appears twice", ('{"alphabet":"ab","characters":2,"groups":2,"groups":2}',)),
        ("canonical", ('{"characters":2,"alphabet":"ab","groups":2}', tree.replace(",", ", "))),
    ):
        yield from ((reason, good.replace(tree, value)) for value in values)
    for reason, member, numbers in (
        ("characters must be from 1 to 64", '"characters":2', ("0", "-2", "65", "1000000000000000000000")),
        ("characters must be a whole number", '"characters":2', ("true", "null", '"2"', "[2]")),
        ("not an integer", '"characters":2', ("2.0", "2e0")),
        # There are two groups.
        ("groups must be from 1 to 1", '"characters":2', ("1",)),
        ("groups must be from 1 to 2", '"groups":2', ("0", "-1", "3", "1000000000000000000000")),
        ("groups must be a whole number", '"groups":2', ("true", "null", '"2"', "[2]")),
        ("not an integer", '"groups":2', ("2.0",)),
    ):
        name = member.partition(":")[0]
        yield from ((reason, good.replace(member, f"{name}:{number}")) for number in numbers)
    full = DISCOVERY_TASKS[4].to_json()
    yield "131,071 continuations", full.replace('"characters":15', '"characters":16')
    yield "groups must be more", full.replace('"characters":15', '"characters":64')
    yield "groups must be more", full.replace('"ab"', '"abc"')
    full = DISCOVERY_TASKS[5].to_json()
    yield "groups must be more", full.replace('"groups":3', '"groups":1')


def _refused_alphabets() -> Iterator[tuple[str, str]]:
    good = DISCOVERY_TASKS[1].to_json()
    many = "".join(map(chr, range(0x4E00, 0x4F00)))
    for reason, alphabets in (
        ("alphabet must be a text", ("5", "null", "true", '["a","b"]', "{}")),
        ("from 2 to 255 characters, not 1", ('"a"', '"😀"')),
        ("from 2 to 255 characters, not 0", ('""',)),
        ("from 2 to 255 characters, not 256", (f'"{many}"',)),
        ("it appears twice", ('"aab"', '"aba"', '"a😀😀"')),
        ("canonical", ('"ba"', '"😀\uffee"', '"a\\u0062"', '"éa"')),
        ("control character", ('"\\u0000a"', '"\\na"', '"a\\u007f"', '"a\\u0085"', '"a\u2028"', '"a\u2029"')),
        ("control character", ('"a\\ud800"', '"a\\udfff"')),
        (
            "changes the character before it, or is changed",
            # Marks, conjoining letters, and characters with another normal form.
            tuple(
                f'"a{letter}"' for letter in "\u0301\u0903\u20dd\ufe0f\u3099\U0001d165\u1160\u11ff\u212b\u0958\ufb1d"
            ),
        ),
    ):
        yield from ((reason, good.replace('"alphabet":"ab"', f'"alphabet":{text}')) for text in alphabets)
