"""Discoveries in the JavaScript client: reports that are Python's on all draws, what they say, and mutants."""

from __future__ import annotations

import hashlib
import io
import random
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.randomness import Tape
from pckv.device.perturb import perturb_from
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.discovery.prefix_tree import _character_fault
from support.client_vectors import check_vectors, vectors
from support.faults import Fault
from support.node import CLIENT, NodeProcess
from support.traced_client import Setting, check_points, explored_points, traced_node
from support.traced_settings import Request

COIN = bytes(range(16))
# All code points with anything but ideographs and private characters.
CODE_POINTS = 0x20000


def discovery(**members: Any) -> Task:
    given: dict[str, Any] = {"name": "t", "epsilon": "1.5", "alphabet": "ab", "characters": 3, "padding": 2}
    return Task.discovery(**given | {"symbols": 8} | members)


def settings() -> Iterator[Setting]:
    """Yield people with no text, some and too many, in every group, with texts that are cut, repeated and left out."""
    one, coarse = discovery(padding=1, symbols=4), discovery(characters=5, groups=2)
    for texts in ((), ("a",), ("ab", "aba"), ("b", "abab", "aba", "x", "", "aa")):
        held = dict.fromkeys(texts, 1.0)
        # Functions are drawn at random, and with them groups.
        yield from (Setting(task, held) for task in (one, coarse, discovery()))
    by_coin = discovery(coin="server")
    yield from (Setting(by_coin, dict.fromkeys(("a", "ab", "b"), 1.0), bytes([number]) * 16) for number in range(4))


@lru_cache
def requests() -> list[Request]:
    seeded = random.Random("discovery")
    made = [(setting, explored_points(setting, seeded)) for setting in settings()]
    seeded.shuffle(made)
    return made


def check_reports(client: Path) -> None:
    """Compare a client with Python on all draws."""
    with traced_node(client) as process:
        check_points(process, requests())


def test_every_draw_makes_the_message_of_python() -> None:
    check_reports(CLIENT)


@lru_cache
def few_vectors() -> dict[str, list[dict[str, Any]]]:
    """Return some vectors of discoveries, enough for any fault; another test runs them all."""
    cases = vectors()
    chosen: dict[str, list[dict[str, Any]]] = {name: [] for name in cases}
    chosen["tasks"] = [case for case in cases["tasks"] if "discovery" in case["json"] and "fails_at" in case]
    small = [case for case in cases["reports"] if "texts" in case and "0123" in case["task"]]
    chosen["reports"] = [case for case in small if '"groups":3' in case["task"]]
    chosen["prefixes"] = [
        case for case in cases["prefixes"] if any(each in case["task"] for each in ("😀", "ς", '"ab","characters":2'))
    ]
    return chosen


def check_few_vectors(client: Path) -> None:
    check_vectors(client, few_vectors())


def test_some_vectors_of_discoveries() -> None:
    assert all(few_vectors()[name] for name in ("tasks", "reports", "prefixes"))
    check_few_vectors(CLIENT)


def test_alphabets_may_have_the_same_characters_in_both_languages(process: NodeProcess) -> None:
    """Of all characters that Python's release of Unicode knows: a later one may assign others."""
    [answer] = process.ask({"do": "alone", "first": 0, "last": CODE_POINTS})
    alone = set(answer)
    for point in range(CODE_POINTS):
        if unicodedata.category(chr(point)) != "Cn":
            assert (point in alone) == (not _character_fault(chr(point), "")), hex(point)


def test_capital_letters_count_as_small_ones_in_both_languages_alike() -> None:
    """All letters with case that Python's release of Unicode knows, in alphabets of small ones and of all.

    The control, without letters beyond A to Z, is a planted fault below.
    """
    cased = [chr(point) for point in range(CODE_POINTS) if unicodedata.category(chr(point)) in ("Ll", "Lu", "Lt")]
    allowed = [letter for letter in cased if not _character_fault(letter, "")]
    small = [letter for letter in allowed if unicodedata.category(letter) == "Ll"]
    cases, found = [], 0
    for letters in (few[first : first + 255] for few in (small, allowed) for first in range(0, len(few), 255)):
        task = discovery(alphabet="".join(letters), characters=1, padding=1)
        tree = task.tree
        near = {each for letter in letters for each in (letter, letter.lower(), letter.upper()) if len(each) == 1}
        for text in (*near, "".join(letters)):
            shown = tree.cut(text)
            numbers = [tree.item(task.digest, tree.prefix(shown, 0), 0)] if shown else []
            found += bool(shown) and shown != text
            cases.append({"task": task.to_json(), "text": text, "found": shown, "numbers": numbers})
    assert found > 1300
    check_vectors(CLIENT, {name: [] for name in vectors()} | {"prefixes": cases})


def test_what_a_report_says_of_a_text_is_what_its_function_says(process: NodeProcess) -> None:
    task, texts = discovery(alphabet="ab😀", characters=4, groups=2), ["a", "ab", "abb😀", "😀😀bbb"]
    law, tree = task.law, task.tree
    assert isinstance(law, DiscoveryLaw)
    functions = [group * 2**32 + index for group in range(2) for index in range(20)]
    words = [function * law.symbols + function % 3 for function in functions]
    request = {"do": "says", "task": task.to_json(), "keys": [*texts, "ä", ""]}
    [answers] = process.ask(request | {"bodies": [task.message_format.encode(word).hex() for word in words]})
    claimed = 0
    for function, answer in zip(functions, answers, strict=True):
        group = law.group_of(function)
        items = [tree.item(task.digest, tree.prefix(tree.cut(text), group), group) for text in texts]
        expected = [[0] if law.symbol(function, item) == function % 3 else [] for item in items]
        assert answer == {"answer": None, "keys": [*expected, [], []], "labels": []}
        claimed += sum(map(len, expected))
    assert claimed


def test_a_report_takes_the_bytes_that_it_needs_at_once(process: NodeProcess) -> None:
    """It is Python's report of the same bytes, whichever form texts are given in."""
    texts = ["b", "abab", "", "aba", "x\ud83d", "aa"]
    cases = [
        (discovery(), None),
        (discovery(characters=24, padding=5), None),
        (discovery(coin="server"), COIN),
    ]
    made = [
        {"task": task.to_json(), "pairs": [[text, 1] for text in texts]} | ({"coin": coin.hex()} if coin else {})
        for task, coin in cases
    ]
    [answers] = process.ask({"do": "made", "reports": made, "seed": 7})
    stream = io.BytesIO(hashlib.shake_256(b"7").digest(4096))
    for (task, coin), answer in zip(cases, answers, strict=True):
        report = perturb_from(Tape(task.draws, stream.read), task, texts, coin)
        assert answer["taken"] == [16, 8 * task.draws]
        assert (answer["id"], answer["body"]) == (report.id.hex(), report.body.hex())


def test_a_discovery_refuses_what_is_no_list_of_texts(process: NodeProcess) -> None:
    request: dict[str, Any] = {"do": "refused", "task": discovery().to_json(), "form": "map"}
    answers = process.ask(*(request | {"pairs": pairs} for pairs in ([], [["ä", 1]], [[5, 1]], [[None, 1]])))
    assert [answer and answer["message"] for answer in answers] == [
        None,
        None,
        "key 5 is not a text",
        "key null is not a text",
    ]
    for answer in process.ask(*(request | {"form": "plain", "pairs": held} for held in ("ab", None, 5))):
        assert answer == {
            "code": "bad_pairs",
            "message": "a discovery takes a list of texts, not one text or number",
        }


FILE = "discovery.js"
LENGTH = "slice(0, length)"
MUTANTS = (
    Fault("prefixes are one character longer", FILE, {"(group + 1)) / groups": "(group + 1)) / groups + 1"}, check_few_vectors),
    Fault("the lengths of groups are rounded down", FILE, {"Math.ceil((characters": "Math.floor((characters"}, check_few_vectors),
    Fault("whole texts are reported", FILE, {LENGTH: "slice(0)", "length - shown.length": "0"}, check_few_vectors),
    Fault("no end mark", FILE, {"END.repeat(length - shown.length)": '""'}, check_few_vectors),
    Fault("one number in all groups", FILE, {", group, ": ", 0, "}, check_few_vectors),
    Fault("one number in all tasks", FILE, {"...this.taskDigest, ": ""}, check_few_vectors),
    Fault("hashes read from their other end", FILE, {"getBigUint64(0)": "getBigUint64(0, true)"}, check_few_vectors),
    Fault("code units are counted", FILE, {"const letters = [...text.normalize()].slice": 'const letters = text.normalize().split("").slice'}, check_few_vectors),
    Fault("unknown characters are reported", FILE, {"this.letters.has(letter)": "true"}, check_few_vectors),
    Fault("unknown characters are left out", FILE, {'letters.every(known) ? letters.join("") : ""': 'letters.filter(known).join("")'}, check_few_vectors),
    Fault("capital letters are unknown", FILE, {"letter.toLowerCase()": "letter"}, check_few_vectors),
    Fault("capital letters of other small letters are unknown", FILE, {", this.small.get(letter)]": "]"}, check_few_vectors),
    Fault("the last letter with a capital letter", FILE, {"[...alphabet].reverse()": "[...alphabet]"}, check_few_vectors),
    Fault("only capital letters from A to Z", FILE, {"letter.toLowerCase(), this.small.get(letter)": "letter.replace(/[A-Z]/, (each) => each.toLowerCase())"}, check_few_vectors),
    Fault("texts are not cut", FILE, {"[...text.normalize()].slice(0, this.characters)": "[...text.normalize()]"}, check_few_vectors),
    Fault("texts keep their form", FILE, {"text.normalize()": "text"}, check_few_vectors),
    Fault("texts count twice", FILE, {"new Set(Array.from(": "[...(Array.from(", "this.findablePart(text)))": "this.findablePart(text)))]"}, check_reports),
    Fault("texts that cannot be found count", FILE, {'.filter((text) => text !== "")': ""}, check_few_vectors),
    Fault("a group less", FILE, {"BigInt(texts.groups) <<": "BigInt(texts.groups - 1) <<"}, check_few_vectors),
    Fault("the group makes a function", FILE, {"BigInt.asUintN(FUNCTION_BITS, drawn)": "drawn"}, check_few_vectors),
    Fault("the first group is always asked", FILE, {"Number(drawn >> BigInt(FUNCTION_BITS))": "Number(drawn >> 64n)"}, check_few_vectors),
    Fault("a level is drawn", "mechanisms/collision.js", {"this.placed(pair, tape)": "[this.placed(pair, tape), tape.draw()][0]"}, check_reports),
    Fault("marks in an alphabet", FILE, {"\\p{M}": ""}, check_few_vectors),
    Fault("an alphabet in another normal form", FILE, {"letter.normalize() === letter && ": ""}, check_few_vectors),
    Fault("an alphabet in the order of code units", FILE, {"points[place - 1] < point": "letters[place - 1] < letters[place]"}, check_few_vectors),
    Fault("more members", FILE, {" && Object.keys(more).length === 0": ""}, check_few_vectors),
    Fault("members of other tasks", FILE, {"members[member] === FIXED[member]": "true"}, check_few_vectors),
    Fault("any number of continuations", FILE, {" <= MAX_CONTINUATIONS": " > 0"}, check_few_vectors),
    Fault("any number of symbols", FILE, {"symbols <= 2 ** 30 / groups": "true"}, check_few_vectors),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
