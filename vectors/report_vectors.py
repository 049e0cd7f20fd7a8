"""Vectors of reports: from fixed tapes, and pairs and bodies that every implementation must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from typing import Any

import edge_cases
from catalogue import COLLISION_TASKS, COMPACT_TASKS, SIZES_TASKS, TASKS, TUNED_TASKS
from pckv.canonical import base64url
from tapes import (
    bucket_draws,
    every_bucket,
    many_pairs,
    rejected_draws,
    report_vector,
    seeded_reports,
    symbol_draws,
    threshold_draws,
)


def report_vectors() -> Iterator[dict[str, Any]]:
    """Yield reports from fixed tapes, pairs that cannot be perturbed, and bodies that are not reports."""
    for number, task in enumerate(TASKS):
        yield from seeded_reports(number, task)
    yield from rejected_draws(TASKS[2], "7")
    ue, grr = TASKS[0], TASKS[1]
    for task in (ue, grr):
        for reason, key, value in (
            ("not a key", "solaris", 3),
            ("within", "alien", 5.5),
            ("within", "heat", 0.5),
        ):
            yield {"task": task.to_json(), "pairs": {key: value}, "fails_at": "pairs", "reason": reason}
    for task, reason, body in (
        (ue, "wrong_length", b""),
        (ue, "wrong_length", bytes(1)),
        (ue, "wrong_length", bytes(3)),
        (ue, "bad_encoding", b"\x08\x00"),
        (ue, "bad_encoding", b"\x00\x01"),
        (ue, "bad_encoding", b"\x07\x08"),
        (grr, "wrong_length", bytes(7)),
        (grr, "wrong_length", bytes(9)),
        (grr, "out_of_range", (10).to_bytes(8, "little")),
        (grr, "out_of_range", b"\xff" * 8),
    ):
        yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}
    for text in ("A", "AB==", "AB", "A B", "+/+/"):
        yield {"task": grr.to_json(), "body": text, "fails_at": "report", "reason": "bad_encoding"}
    for number, task in enumerate(COMPACT_TASKS, len(TASKS)):
        yield from seeded_reports(number, task)
    yield from rejected_draws(COMPACT_TASKS[2], "7")
    yield from threshold_draws(COMPACT_TASKS[0])
    for task in COMPACT_TASKS[:2]:
        yield {"task": task.to_json(), "pairs": {"up": 0}, "fails_at": "pairs", "reason": "within"}
        for reason, body in (
            ("wrong_length", b""),
            ("wrong_length", bytes(7)),
            ("wrong_length", bytes(9)),
            ("out_of_range", (task.word_limit or 0).to_bytes(8, "little")),
            ("out_of_range", bytes(7) + b"\x80"),
            ("out_of_range", b"\xff" * 8),
        ):
            yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}
    for number, task in enumerate(TUNED_TASKS, 100):
        yield from seeded_reports(number, task)
    yield from threshold_draws(TUNED_TASKS[0])

    yield from _collision_reports()
    yield from _sizes_reports()
    yield from starmap(report_vector, edge_cases.seeded_cases())
    yield from edge_cases.refused_reports()


def _collision_reports() -> Iterator[dict[str, Any]]:
    for number, task in enumerate(COLLISION_TASKS, len(TASKS) + len(COMPACT_TASKS)):
        yield from seeded_reports(number, task)
    yield from many_pairs(COLLISION_TASKS[3])
    yield from symbol_draws(COLLISION_TASKS[0])
    for task in COLLISION_TASKS[:2]:
        yield {"task": task.to_json(), "pairs": {"up": 0}, "fails_at": "pairs", "reason": "within"}
        for reason, body in (
            ("wrong_length", bytes(7)),
            ("wrong_length", bytes(9)),
            ("out_of_range", (task.word_limit or 0).to_bytes(8, "little")),
            ("out_of_range", b"\xff" * 8),
        ):
            yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}


def _sizes_reports() -> Iterator[dict[str, Any]]:
    for number, task in enumerate(SIZES_TASKS, 200):
        yield from seeded_reports(number, task)
    yield from every_bucket(SIZES_TASKS[3])
    yield from bucket_draws(SIZES_TASKS[2])
    for task in SIZES_TASKS[:3]:
        for reason, pairs in (("within", {"up": 0}), ("not a key", {"solaris": 3})):
            yield {"task": task.to_json(), "pairs": pairs, "fails_at": "pairs", "reason": reason}
        for reason, body in (
            ("wrong_length", bytes(7)),
            ("wrong_length", bytes(9)),
            ("out_of_range", (task.word_limit or 0).to_bytes(8, "little")),
            ("out_of_range", b"\xff" * 8),
        ):
            yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}
