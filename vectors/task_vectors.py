"""Vectors of tasks: their ids, and texts that every implementation must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import edge_cases
from catalogue import COLLISION_TASKS, COMPACT_TASKS, SIZES_TASKS, TASKS, TUNED_TASKS
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
    yield from _sizes_tasks()
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


def _sizes_tasks() -> Iterator[dict[str, Any]]:
    yield from map(_described, SIZES_TASKS)
    good = SIZES_TASKS[0].to_json()
    yield from _refused(
        ("is for tasks of kind 'sizes'", good.replace('"sizes"', '"pairs"')),
        ("is for tasks of kind 'pairs'", TASKS[1].to_json().replace('"pairs"', '"sizes"')),
        ("is for tasks of kind 'pairs'", COMPACT_TASKS[0].to_json().replace('"pairs"', '"sizes"')),
        ("is for tasks of kind 'pairs'", COLLISION_TASKS[0].to_json().replace('"pairs"', '"sizes"')),
        ("kind", good.replace('"sizes"', '"size"')),
        ("kind", good.replace('"sizes"', '"Sizes"')),
        ("at most 2^14", good.replace('"padding":512', '"padding":16385')),
        ("at least 1", good.replace('"padding":512', '"padding":0')),
        ("no parameter 'q'", good.replace('"name":"buckets"', '"name":"buckets","q":3')),
        ("no parameter 'allocation'", good.replace('{"name"', '{"allocation":"optimized","name"')),
        ("names a mechanism", good.replace('"buckets"', '"bucket"')),
        ("missing", good.replace('"kind":"sizes",', "")),
        ("canonical", good.replace('{"name":"buckets"}', '{"name": "buckets"}')),
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
