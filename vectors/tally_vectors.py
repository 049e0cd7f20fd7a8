"""Vectors of tallies: the bytes of given reports, and bytes that every implementation must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import without_values
from catalogue import COLLISION_TASKS, COMPACT_TASKS, REFUSE_TASKS, SIZE_TASKS, TASKS, TUNED_TASKS
from derived_tasks import GROUP_TASKS, TOGETHER_TASKS
from discovery_tasks import DISCOVERY_TASKS
from level_tasks import LEVEL_TASKS
from pckv.base.canonical import base64url
from pckv.base.limits import REFUSE
from pckv.base.randomness import Tape
from pckv.base.seeded import seeded_source
from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.device.perturb import perturb_from
from pckv.mechanisms.collision.law import MAX_COUNTED_ITEMS
from pckv.tally import Tally
from tapes import held_by, labelled_by
from unlisted_tasks import HASHED_TASKS, OTHER_TASKS


def tally_vectors() -> Iterator[dict[str, Any]]:
    """Yield tallies of given bodies, and bytes that are not tallies."""
    for task in TASKS:
        yield from _counted(task)
    good = bytes(Tally(TASKS[0]))
    for reason, data in (
        ("begin", b""),
        ("begin", b"pckvtly2" + good[8:]),
        ("truncated or edited", good[:-1]),
        ("truncated or edited", good + b"\0"),
        ("truncated or edited", good[:50] + b"\1" + good[51:]),
        ("another task", bytes(Tally(TASKS[1]))),
    ):
        yield {"task": TASKS[0].to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}
    for task in COMPACT_TASKS:
        yield from _counted(task)
    small, other = COMPACT_TASKS[:2]
    for reason, data in (
        ("truncated or edited", bytes(Tally(small))[:-1]),
        ("another task", bytes(Tally(other))),
        ("another task", bytes(Tally(TASKS[1]))),
    ):
        yield {"task": small.to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}
    for task in TUNED_TASKS:
        yield from _counted(task)

    for task in COLLISION_TASKS:
        yield from _counted(task)
    small, other = COLLISION_TASKS[:2]
    for reason, data in (
        ("truncated or edited", bytes(Tally(small))[:-1]),
        ("another task", bytes(Tally(other))),
    ):
        yield {"task": small.to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}

    for task in (*SIZE_TASKS, *REFUSE_TASKS):
        yield from _counted(task)
    small, other = SIZE_TASKS[0], REFUSE_TASKS[0]
    for reason, data in (
        ("truncated or edited", bytes(Tally(small))[:-1]),
        ("another task", bytes(Tally(other))),
    ):
        yield {"task": small.to_json(), "tally": base64url(data), "fails_at": "tally", "reason": reason}

    # Counts of half a million keys with sixteen levels each would be a large file, and are like those of fewer.
    small_enough = (task for task in LEVEL_TASKS if task.key_count * task.level_count != MAX_COUNTED_ITEMS)
    yield from chain.from_iterable(map(_counted, small_enough))
    yield from chain.from_iterable(map(_counted, (*OTHER_TASKS, *HASHED_TASKS)))
    # Their first keys are texts of these discoveries.
    yield from chain.from_iterable(map(_counted, (DISCOVERY_TASKS[0], DISCOVERY_TASKS[2])))
    yield from chain.from_iterable(
        map(_counted, (*without_values.LISTED_TASKS, *without_values.OTHER_TASKS, *without_values.HASHED_TASKS))
    )
    # The largest one is like others of which a tally keeps words.
    yield from chain.from_iterable(map(_counted, (*GROUP_TASKS[:-1], *TOGETHER_TASKS)))
    planes = without_values.PLANE_TASKS[0]
    # The same keys with values have twice as many cells.
    larger = base64url(bytes(Tally(TASKS[0])))
    yield {"task": planes.to_json(), "tally": larger, "fails_at": "tally", "reason": "another task"}


def _counted(task: Task) -> Iterator[dict[str, Any]]:
    for count in (0, 3, 60):
        reports = list(sample_reports(task, count))
        tally = Tally(task)
        tally.add_many(reports)
        bodies = [base64url(report.body) for report in reports]
        yield {"task": task.to_json(), "bodies": bodies, "tally": base64url(bytes(tally))}


def sample_reports(task: Task, count: int) -> Iterator[Report]:
    """Yield reports that depend on the task and the count alone."""
    source = seeded_source(count)
    most = min(3, task.padding if task.more == REFUSE else task.key_count)
    for number in range(count):
        first, size = number % min(3, task.key_count), 1 + number // 3 % most
        pairs = {task.key_name((first + step) % task.key_count): task.ends[0] for step in range(size)}
        yield perturb_from(Tape(task.draws, source), task, *held_by(task, pairs).values(), **labelled_by(task, number))
