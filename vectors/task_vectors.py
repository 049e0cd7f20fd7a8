"""Vectors of tasks: their ids, and texts that every implementation must refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import edge_cases
from catalogue import COLLISION_TASKS, COMPACT_TASKS, REFUSE_TASKS, SIZE_TASKS, TASKS, TUNED_TASKS
from pckv.task import Task


def task_vectors() -> Iterator[dict[str, Any]]:
    """Yield tasks with their ids, and texts that are not tasks."""
    yield from map(_described, TASKS)
    good = TASKS[0].to_json()
    yield from _refused(
        ("canonical", good + " "),
        ("canonical", good.replace(",", ", ")),
        ("canonical", good.replace("alien", "\\u0061lien")),
        ("unknown", good.replace('"version":1', '"version":1,"zeal":1')),
        ("missing", good.replace('"padding":2,', "")),
        ("twice", good.replace('"padding":2', '"padding":2,"padding":2')),
        ("plain decimal", good.replace('"epsilon":"1"', '"epsilon":"1.0"')),
        ("plain decimal", good.replace('"epsilon":"1"', '"epsilon":1')),
        ("at most 20", good.replace('"epsilon":"1"', '"epsilon":"20.5"')),
        ("above 0", good.replace('"epsilon":"1"', '"epsilon":"0"')),
        ("below high", good.replace('"high":"5"', '"high":"1"')),
        ("appears twice", good.replace("heat", "alien")),
        ("is empty", good.replace("heat", "")),
        ("at least 1", good.replace('"padding":2', '"padding":0')),
        ("not an integer", good.replace('"padding":2', '"padding":2.0')),
        ("version", good.replace('"version":1', '"version":2')),
        ("names a mechanism", good.replace('"name":"ue"', '"name":"oue"')),
        ("choose from", good.replace('"allocation":"optimized"', '"allocation":"best"')),
        ("not a task", good[:-1]),
    )
    yield from map(_described, COMPACT_TASKS)
    good = COMPACT_TASKS[0].to_json()
    yield from _refused(
        ("canonical", good.replace(',"q":3', "")),
        ("q must be a prime", good.replace('"q":3', '"q":9')),
        ("q must be a prime", good.replace('"q":3', '"q":2')),
        ("q must be a prime", good.replace('"q":3', '"q":-3')),
        ("q must be a prime", good.replace('"q":3', '"q":3037000507')),
        ("q must be a whole number", good.replace('"q":3', '"q":"3"')),
        ("q must be a whole number", good.replace('"q":3', '"q":true')),
        ("q must be a whole number", good.replace('"q":3', '"q":null')),
        ("not an integer", good.replace('"q":3', '"q":3.0')),
        ("no parameter 'allocation'", good.replace('{"name"', '{"allocation":"optimized","name"')),
        ("no parameter 'q'", good.replace('"ue-compact"', '"ue"')),
        (
            "more than 63 bits",
            good.replace('["alien","heat","up"]', "2147483648").replace('"q":3', '"q":2097169'),
        ),
    )
    yield from _tuned_tasks()
    yield from _collision_tasks()
    yield from _size_tasks()
    yield from map(_described, edge_cases.allowed_tasks())
    yield from edge_cases.refused_tasks()


def _tuned_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, TUNED_TASKS)
    good = TUNED_TASKS[0].to_json()
    yield from _refused(
        ("canonical", good.replace('"o":1,"q":3,"r":2', '"o":0,"q":3,"r":1')),
        ("canonical", good.replace('"o":1,"q":3,"r":2', '"q":3,"r":1')),
        ("r must be at least 1", good.replace('"r":2', '"r":3')),
        ("o must be at least 1", good.replace('"o":1', '"o":0')),
        ("below r = 2", good.replace('"o":1', '"o":2')),
        ("r must be a whole number", good.replace('"r":2', '"r":"2"')),
        ("together with q", good.replace('"q":3,', "")),
    )
    good = TUNED_TASKS[3].to_json()
    yield from _refused(
        ("canonical", good.replace('"0.2"', '"0.20"')),
        ("canonical", good.replace('"beta":"0.2",', "")),
        ("beta go together", good.replace('"tuned"', '"optimized"')),
        ("beta must be at least 0.000001", good.replace('"0.2"', '"0"')),
        ("at most 0.499999", good.replace('"0.2"', '"0.5"')),
        ("beta must be a number", good.replace('"0.2"', "null")),
        ("not an integer", good.replace('"0.2"', "0.2")),
    )


def _collision_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, COLLISION_TASKS)
    good = COLLISION_TASKS[0].to_json()
    yield from _refused(
        ("canonical", good.replace(',"symbols":8', "")),
        ("more than the padding", good.replace('"symbols":8', '"symbols":2')),
        ("more than the padding", good.replace('"symbols":8', '"symbols":-8')),
        ("at most 2^31 - 1", good.replace('"symbols":8', '"symbols":2147483648')),
        ("symbols must be a whole number", good.replace('"symbols":8', '"symbols":"8"')),
        ("symbols must be a whole number", good.replace('"symbols":8', '"symbols":true')),
        ("not an integer", good.replace('"symbols":8', '"symbols":8.0')),
        ("no parameter 'q'", good.replace('"symbols":8', '"q":3')),
    )


def _size_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, (*SIZE_TASKS, *REFUSE_TASKS))
    good, refusing = SIZE_TASKS[0].to_json(), REFUSE_TASKS[0].to_json()
    planes, full = TASKS[0].to_json(), REFUSE_TASKS[4].to_json()
    share, none, asked = '"size_share":"0.5"', '"size_share":"0"', '"size_share":"0.05"'
    yield from _refused(
        ("at most 0.5", good.replace(share, '"size_share":"0.6"')),
        ("at most 0.5", good.replace(share, f'"size_share":"0.5{"0" * 30}1"')),
        ("at most 0.5", good.replace(share, '"size_share":"1"')),
        ("at least 0", good.replace(share, '"size_share":"-0.05"')),
        *(
            ("size_share must be a plain decimal", good.replace(share, f'"size_share":{value}'))
            for value in ("0", "null", "true", '""', '".5"', '"0.50"', '"5e-1"', '"-0"', '["0.5"]')
        ),
        ("not an integer", good.replace(share, '"size_share":0.5')),
        ("missing", good.replace(f",{share}", "")),
        ("where more pairs than the padding are refused", refusing.replace(none, asked)),
        ("whose reports are not words", planes.replace(none, asked)),
        (
            "need a mechanism whose reports are words",
            re.sub(r'"keys":\[[^]]*\]', f'"keys":{2**26 + 1}', planes),
        ),
        ("nobody can hold more pairs", full.replace(none, asked)),
        ("more must be", good.replace('"more":"sample"', '"more":"Sample"')),
        *(
            ("more must be", good.replace('"more":"sample"', f'"more":{value}'))
            for value in ('""', '"refused"', "null", "true", "[]", '["sample"]', '{"sample":1}')
        ),
        ("missing", good.replace('"more":"sample",', "")),
        ("at most the number of keys", good.replace('"padding":2', '"padding":4')),
        ("at most the number of keys", refusing.replace('"padding":2', '"padding":2147483648')),
        ("kind", good.replace('"kind":"pairs"', '"kind":"sizes"')),
        ("names a mechanism", good.replace('"name":"grr"', '"name":"buckets"')),
    )


def _refused(*cases: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Yield texts that are not tasks, and what the refusal says."""
    for reason, text in cases:
        yield {"json": text, "fails_at": "task", "reason": reason}


def _described(task: Task) -> dict[str, Any]:
    return {
        "json": task.to_json(),
        "id": task.id,
        "realised_epsilon": task.realised_epsilon,
        "word_limit": task.word_limit,
    }
