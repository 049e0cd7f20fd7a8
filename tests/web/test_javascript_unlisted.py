"""Unlisted keys in the JavaScript client: reports that are Python's on all draws, what they say, and mutants."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pytest

from pckv import Report, Tally, Task
from pckv.auditing.interval_tape import explore
from pckv.mechanisms.registry import LAWS
from pckv.tally.decode.support import key_support
from support.client_vectors import check_vectors, vectors
from support.faults import Fault
from support.node import CLIENT, NodeProcess
from support.traced_client import Setting, comparison, explored_points
from support.traced_settings import Request

# Texts of two lists of a task: some are its keys, and the others are not.
LISTED, UNLISTED = ["a", "b"], ["other", "x", "", "__proto__"]
COIN = bytes(range(16))


def unlisted_task(mechanism: str, **members: Any) -> Task:
    """Return a task with two listed keys, and one for all others."""
    given: dict[str, Any] = {
        "name": "t",
        "keys": LISTED,
        "other": "other",
        "values": (0, 1),
        "epsilon": "1.5",
    }
    given |= {"padding": 2, "size_share": "0"} | members
    return Task(mechanism=mechanism, **given)


def hashed_task(**members: Any) -> Task:
    given: dict[str, Any] = {"name": "t", "keys": "hashed", "values": (0, 1), "epsilon": "1.5", "padding": 2}
    return Task(mechanism={"name": "collision", "symbols": 8}, **given | members)


def other_settings(mechanism: str) -> Iterator[Setting]:
    """Yield people with listed keys, with others, and with both."""
    tasks = [unlisted_task(mechanism)]
    if mechanism != "ue":
        tasks += [unlisted_task(mechanism, size_share="0.25"), unlisted_task(mechanism, keys=5, padding=1)]
        tasks += [unlisted_task(mechanism, levels=3, more="refuse")]
    for task in tasks:
        names = [task.key_name(0), *UNLISTED, task.key_name(1)]
        for size in (2, 3) if task.more == "refuse" or mechanism == "ue" else (0, 2, 6):
            values = (0.0, 1.0, 0.3, 1.0, 0.0, 0.75)
            yield Setting(task, dict(zip(names[:size], values, strict=False)))
    if mechanism in {"ue-compact", "collision"}:
        task = unlisted_task(mechanism, coin="server", size_share="0.5")
        yield Setting(task, {"x": 0.5, "a": 1.0, "y": 0.0}, COIN)


def hashed_settings() -> Iterator[Setting]:
    task = hashed_task(size_share="0.25", levels=3)
    for texts in (("x",), ("x", "größe", "日本")):
        yield Setting(task, dict(zip(texts, (1.0, 0.0, 0.3), strict=False)))


@lru_cache
def requests_of(mechanism: str) -> list[Request]:
    seeded = random.Random(f"unlisted {mechanism}")
    settings = hashed_settings() if mechanism == "hashed" else other_settings(mechanism)
    requests = [(setting, explored_points(setting, seeded)) for setting in settings]
    seeded.shuffle(requests)
    return requests


def check_reports(mechanism: str) -> Callable[[Path], None]:
    """Return the check of a client's folder that compares one mechanism with Python on all draws."""
    return comparison(partial(requests_of, mechanism))


@pytest.mark.parametrize("mechanism", [*LAWS, "hashed"])
def test_every_draw_makes_the_message_of_python(mechanism: str) -> None:
    check_reports(mechanism)(CLIENT)


@lru_cache
def few_vectors() -> dict[str, list[dict[str, Any]]]:
    """Return some vectors of unlisted keys, enough for any fault; another test runs them all."""
    cases = vectors()
    chosen: dict[str, list[dict[str, Any]]] = {name: [] for name in cases}
    chosen["keys"] = cases["keys"][::3] + [case for case in cases["keys"] if case["number"] is None]
    chosen["tasks"] = [case for case in cases["tasks"] if "hashed keys need" in case.get("reason", "")]
    chosen["reports"] = [
        case
        for case in cases["reports"]
        if re.search('"hashed"|café', case["task"]) and len(case.get("pairs") or case.get("keys", ())) > 1
    ]
    return chosen


def check_few_vectors(client: Path) -> None:
    check_vectors(client, few_vectors())


def test_some_vectors_of_unlisted_keys() -> None:
    assert all(few_vectors()[name] for name in ("keys", "tasks", "reports"))
    check_few_vectors(CLIENT)


@pytest.mark.parametrize("mechanism", LAWS)
def test_what_a_report_says_of_other_is_what_is_counted(process: NodeProcess, mechanism: str) -> None:
    task = unlisted_task(mechanism)
    # Of the first function, where there are functions, and of some others.
    messages = [leaf.first for leaf in explore(Setting(task, {"x": 1.0}).message, 0)]
    bodies = [task.message_format.encode(message) for message in sorted(set(messages))]
    request = {"do": "says", "task": task.to_json(), "bodies": [body.hex() for body in bodies]}
    [answers] = process.ask(request | {"keys": [*LISTED, "other"]})
    claimed = 0
    for body, answer in zip(bodies, answers, strict=True):
        tally = Tally(task)
        tally.add(Report(bytes(16), body))
        counts = key_support(tally).counts
        assert answer["keys"] == [counts[:, key].nonzero()[0].tolist() for key in range(3)]
        claimed += bool(answer["keys"][2])
    assert claimed


def test_what_a_report_says_of_a_text_is_what_its_function_says(process: NodeProcess) -> None:
    task, texts = hashed_task(levels=3), ["größe", "x", "😀"]
    law: Any = task.law
    items = [3 * task.key_index(text) + level for text in texts for level in range(3)]
    words = [7 * law.symbols + law.symbol(7, item) for item in items]
    bodies = [task.message_format.encode(word).hex() for word in words]
    [answers] = process.ask({"do": "says", "task": task.to_json(), "bodies": bodies, "keys": texts})
    for word, answer in zip(words, answers, strict=True):
        symbol = word % law.symbols
        expected = [law.symbol(7, item) == symbol for item in items]
        assert [level in said for said in answer["keys"] for level in range(3)] == expected


@pytest.mark.parametrize(
    ("task", "pairs", "says"),
    [
        (unlisted_task("grr"), [[5, 1]], "key 5 is not a text"),
        (unlisted_task("grr", keys=["é"]), [["é", 1], ["e\u0301", 0]], None),
        (unlisted_task("grr"), [["x", 1], ["x", 0]], None),
        (unlisted_task("grr", more="refuse"), [["x", 1], ["y", 1], ["z", 0], ["a", 0]], None),
        (unlisted_task("grr", more="refuse"), [["x", 1], ["b", 1], ["a", 0]], "takes at most 2 pairs, not 3"),
        (hashed_task(more="refuse"), [["x", 1], ["y", 1], ["z", 1]], "takes at most 2 pairs, not 3"),
        (hashed_task(more="refuse"), [["x", 1], ["e\u0301", 1], ["é", 1], ["", 1], ["y" * 257, 1], ["\t", 1]], None),
        (hashed_task(), [["", 2]], "value 2 of key '' is not a number within"),
        (hashed_task(), [[5, 1]], "key 5 is not a text"),
    ],
)
def test_what_is_refused(process: NodeProcess, task: Task, pairs: list[Any], says: str | None) -> None:
    request = {"do": "refused", "task": task.to_json(), "pairs": pairs, "form": "repeating"}
    [found] = process.ask(request)
    assert found is None if says is None else (found["code"] == "bad_pairs" and says in found["message"])


def test_a_listed_task_does_not_take_other_keys(process: NodeProcess) -> None:
    task = unlisted_task("grr", other=None)
    [found] = process.ask({"do": "refused", "task": task.to_json(), "pairs": [["x", 1]], "form": "map"})
    assert found == {"code": "bad_pairs", "message": "key x is not a key of task t"}


FILE, HASH = "unlisted.js", "sha256.js"
CHOICE = "others[tape.below(BigInt(others.length))]"
grr, collision, hashed = (check_reports(name) for name in ("grr", "collision", "hashed"))

MUTANTS = (
    Fault("the first of the others is taken", FILE, {CHOICE: "others[0]"}, grr),
    Fault("a draw although there is one", FILE, {"others.length <= 1": "others.length <= 0"}, grr),
    Fault("all others are kept", FILE, {"return [...listed, chosen];": "return [...listed, ...others];"}, collision),
    Fault("others are left out", FILE, {"return [...listed, chosen];": "return listed.length ? listed : [chosen];", "return [...listed, ...others];": "return listed.length ? listed : others;"}, grr),
    Fault("others come first", FILE, {"[...listed, chosen]": "[chosen, ...listed]", "[...listed, ...others]": "[...others, ...listed]"}, grr),
    Fault("other is the first key", FILE, {"this.otherIndex = this.count;": "this.otherIndex = 0;"}, check_few_vectors),
    Fault("a hash that is not bound to its task", FILE, {"...this.taskDigest, ": ""}, check_few_vectors),
    Fault("hashes read from their other end", FILE, {"getBigUint64(0)": "getBigUint64(0, true)"}, check_few_vectors),
    Fault("one hash for all levels", FILE, {"MAX_ITEMS / levelValues.length": "MAX_ITEMS / 2"}, check_few_vectors),
    Fault("the second of two texts of one hash counts", FILE, {"if (!found.has(pair.key)) ": ""}, check_few_vectors),
    Fault("two texts of one hash are two keys", FILE, {"return firstOfEachKey(pairs);": "return pairs;"}, check_few_vectors),
    Fault("texts are hashed in the form they have", FILE, {"const text = isHeld ? key.normalize() : key;": "const text = key;"}, check_few_vectors),
    Fault("what cannot be a key is taken", FILE, {"if (isHeld && !isName(text)) return undefined;": "", "check(isName(text)": "check(true"}, check_few_vectors),
    Fault("what cannot be a key is refused", FILE, {"if (isHeld && !isName(text)) return undefined;": ""}, check_few_vectors),
    Fault("the second form of a listed key counts", FILE, {"firstOfEachKey(pairs.filter(({ key }) => key !== this.otherIndex))": "firstOfEachKey(pairs.filter(({ key }) => key !== this.otherIndex).reverse()).reverse()"}, check_few_vectors),
    Fault("texts are taken by every mechanism", FILE, {"checkTask(mechanism.positions": "checkTask(true"}, check_few_vectors),
    Fault("one round of the hash is wrong", HASH, {"rotated(e, 25)": "rotated(e, 24)"}, check_few_vectors),
    Fault("long texts are cut", HASH, {"(data.length + END_BYTES)": "(Math.min(data.length, 119) + END_BYTES)"}, check_few_vectors),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
