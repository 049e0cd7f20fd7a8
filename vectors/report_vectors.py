"""Vectors of reports: from fixed tapes, and pairs and bodies that every implementation must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from typing import Any

import edge_cases
from catalogue import (
    COLLISION_TASKS,
    COMPACT_TASKS,
    MOVIES,
    NAMING_TASKS,
    REFUSE_TASKS,
    SIZE_TASKS,
    TASKS,
    TUNED_TASKS,
)
from derived_tasks import derived_reports
from discovery_vectors import discovery_reports
from level_vectors import level_reports
from pckv.base.canonical import base64url
from pckv.base.seeded import seeded_source
from tapes import (
    function_draws,
    many_pairs,
    rejected_draws,
    rejected_size_draws,
    report_vector,
    seeded_reports,
    size_draws,
    symbol_draws,
    threshold_draws,
)
from unlisted_vectors import unlisted_reports
from without_values import reports_without_values


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
        (grr, "out_of_range", (12).to_bytes(8, "little")),
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
    yield from _size_reports()
    yield from _refuse_reports()
    yield from starmap(report_vector, edge_cases.seeded_cases())
    yield from edge_cases.refused_reports()
    yield from level_reports()
    yield from unlisted_reports()
    yield from discovery_reports()
    yield from reports_without_values()
    yield from derived_reports()


def _collision_reports() -> Iterator[dict[str, Any]]:
    for number, task in enumerate(COLLISION_TASKS, len(TASKS) + len(COMPACT_TASKS)):
        yield from seeded_reports(number, task)
    yield from many_pairs(COLLISION_TASKS[3])
    yield from symbol_draws(COLLISION_TASKS[0])
    for task in (COLLISION_TASKS[0], *COLLISION_TASKS[4:], *NAMING_TASKS):
        yield from function_draws(task)
    for task in COLLISION_TASKS[:2]:
        yield {"task": task.to_json(), "pairs": {"up": 0}, "fails_at": "pairs", "reason": "within"}
        for reason, body in (
            ("wrong_length", bytes(7)),
            ("wrong_length", bytes(9)),
            ("out_of_range", (task.word_limit or 0).to_bytes(8, "little")),
            ("out_of_range", b"\xff" * 8),
        ):
            yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}


def _size_reports() -> Iterator[dict[str, Any]]:
    for number, task in enumerate(SIZE_TASKS, 200):
        yield from seeded_reports(number, task)
    for task in SIZE_TASKS[:4]:
        yield from size_draws(task)
    for task in SIZE_TASKS[1:4]:
        yield from rejected_size_draws(task)
    for task in SIZE_TASKS:
        # The first word that is no answer any more.
        body = base64url((task.word_limit or 0).to_bytes(8, "little"))
        yield {"task": task.to_json(), "body": body, "fails_at": "report", "reason": "out_of_range"}


def _refuse_reports() -> Iterator[dict[str, Any]]:
    for number, task in enumerate(REFUSE_TASKS, 300):
        sizes = range(task.padding + 1)
        for size in sizes:
            pairs = {key: 3.0 for key, _ in zip(MOVIES, range(size), strict=False)}
            tape = seeded_source(100 * number + size)(16 + 8 * (task.draws + 4))
            yield report_vector(task, pairs, tape)
        if task.padding < task.key_count:
            more = {key: 3.0 for key, _ in zip(MOVIES, range(task.padding + 1), strict=False)}
            yield {"task": task.to_json(), "pairs": more, "fails_at": "pairs", "reason": "takes at most"}
        limit = task.law.word_limit
        if limit is not None:
            # The first answer to a size question, which this task does not ask.
            body = base64url(limit.to_bytes(8, "little"))
            yield {"task": task.to_json(), "body": body, "fails_at": "report", "reason": "out_of_range"}
