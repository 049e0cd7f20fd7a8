"""Tasks whose keys have no values, with their integers and reports, and texts that are almost such tasks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from catalogue import MOVIES
from mixed_tasks import CLOSES, MIXER
from pckv.base.canonical import base64url
from pckv.base.limits import REFUSE
from pckv.base.seeded import seeded_source
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.mechanisms.collision.law import MAX_COUNTED_ITEMS, MAX_SYMBOLS, CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
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
from thresholds import EPSILONS, law_thresholds
from unlisted_vectors import chosen_others, hashed_pairs, other_pairs, refused_sizes, seeded_sets

UE, GRR = {"name": "ue"}, {"name": "grr"}


def _task(mechanism: dict[str, Any], **members: Any) -> Task:
    """Return a task of three keys, unless members say otherwise."""
    usual: dict[str, Any] = {"name": "choices", "keys": MOVIES, "epsilon": 1, "padding": 2, "size_share": 0}
    return Task(**(usual | {"mechanism": mechanism} | members))


def _compact(q: int, r: int = 1, **members: Any) -> Task:
    return _task({"name": "ue-compact", "q": q, "r": r}, **members)


def _collision(symbols: int, **members: Any) -> Task:
    return _task({"name": "collision", "symbols": symbols}, **members)


PLANE_TASKS = (
    _task(UE),
    # A plane that fills its byte, and one of a byte and a bit.
    _task(UE, keys=8, padding=1, epsilon="0.3"),
    _task(UE, keys=9, padding=3, epsilon=4, more="refuse"),
)
GRR_TASKS = (
    _task(GRR, size_share="0.25"),
    _task(GRR, keys=20, padding=3, epsilon="0.3", size_share="0.2"),
    _task(GRR, keys=["up"], padding=1, more="refuse"),
    _task(GRR, keys=2**31, padding=10, epsilon=2, size_share="0.05"),
)
COMPACT_TASKS = (
    _compact(3, size_share="0.1"),
    _compact(5, 2),
    _compact(11, 3, keys=20, padding=3, epsilon="0.3", size_share="0.2"),
    _compact(47, keys=249_274, padding=10, epsilon=4),
    _compact(5, 4, padding=1, more="refuse"),
)
COLLISION_TASKS = (
    _task({"name": "collision", "symbols": 9, "positions": 4099, "generator": 2539}, size_share="0.05"),
    _collision(2, padding=1),
    _collision(7, keys=20, padding=3, epsilon="0.3", size_share="0.1"),
    _collision(5657, keys=10_000, padding=100, epsilon=4),
    _collision(4, padding=1, more="refuse"),
    # As many keys as there may be.
    _collision(8, keys=2**30 - 2, padding=1, epsilon=2, size_share="0.05"),
)
# On both sides of the number of items from which functions are named by an index.
NAMING_TASKS = tuple(_collision(16, keys=keys, padding=4) for keys in (MAX_COUNTED_ITEMS, MAX_COUNTED_ITEMS + 1))
LISTED_TASKS = (*PLANE_TASKS, *GRR_TASKS, *COMPACT_TASKS, *COLLISION_TASKS)

OTHER_TASKS = (
    _task(UE, other="other"),
    _task(GRR, other="other", size_share="0.25"),
    _compact(5, 2, other="その他 😀", keys=20, padding=3),
    _collision(8, other="other", size_share="0.05"),
    _task(GRR, other="other", more="refuse"),
)
HASHED_TASKS = (
    _collision(8, keys="hashed", size_share="0.05"),
    _collision(3, keys="hashed", padding=1, size_share="0.1"),
    _collision(8, keys="hashed", more="refuse"),
)
COIN_TASKS = (
    _compact(5, 2, coin="server", size_share="0.25"),
    _collision(9, coin="server", size_share="0.25"),
    _collision(9, other="other", coin="server"),
    _collision(9, keys="hashed", coin="server", size_share="0.25"),
)
MIXED_TASK = _task(GRR, epsilon=2, closes=CLOSES, mixer=MIXER)
SERIES = Series(task=_compact(5, 2, size_share="0.05"), first="2026-12-28", period=7, panels=4, rounds=52)
ALL_TASKS = (*LISTED_TASKS, *NAMING_TASKS, *OTHER_TASKS, *HASHED_TASKS, *COIN_TASKS, MIXED_TASK, SERIES.task_of(3))


def thresholds_without_values() -> Iterator[dict[str, Any]]:
    """Yield the integers behind the probabilities of keys without values, chosen parameters among them."""
    for epsilon in EPSILONS:
        exact = Fraction(epsilon)
        for keys, padding in ((1, 1), (3, 2), (1000, 5), (2**31, 100)):
            laws = (UeLaw(keys, padding, exact, levels=1), GrrLaw(keys, padding, exact, levels=1))
            yield law_thresholds(epsilon, *laws, levels=1, allocation="optimized")
        for keys, q, r in ((3, 3, 1), (20, 11, 3), (3, None, None), (1000, None, None), (2**31, None, None)):
            compact = UeCompactLaw(keys, 1, exact, q, r, levels=1)
            yield law_thresholds(epsilon, compact, levels=1, **compact.parameters, q_is_chosen=q is None)
        for keys, padding, symbols in (
            *((1000, *stated) for stated in ((1, None), (2, 3), (2, None), (100, None), (100, MAX_SYMBOLS))),
            *((keys, 5, None) for keys in (MAX_COUNTED_ITEMS, MAX_COUNTED_ITEMS + 1, 2**30 - 2)),
        ):
            collision = CollisionLaw(keys, padding, exact, symbols=symbols, levels=1)
            stated = collision.parameters | {"symbols_are_chosen": symbols is None}
            yield law_thresholds(epsilon, collision, levels=1, **stated)


def reports_without_values() -> Iterator[dict[str, Any]]:
    """Yield reports from fixed tapes, what cannot be perturbed, and bodies that are not reports."""
    for number, task in enumerate(LISTED_TASKS, 800):
        if task.more != REFUSE:
            yield from seeded_reports(number, task)
        yield report_vector(task, [], bytes(16 + 8 * (task.draws + 4)))
        # A key is held once, however often it is given.
        yield report_vector(task, [task.key_name(0)] * 3, seeded_source(100 * number + 9)(16 + 8 * (task.draws + 4)))
        yield from _refused_keys(task)
        yield from _refused_bodies(task)
    yield from rejected_draws(GRR_TASKS[1], "7")
    yield from rejected_draws(COMPACT_TASKS[2], "7")
    yield from threshold_draws(COMPACT_TASKS[1])
    yield from many_pairs(COLLISION_TASKS[3])
    yield from symbol_draws(COLLISION_TASKS[0])
    for task in (COLLISION_TASKS[0], COLLISION_TASKS[5], *NAMING_TASKS):
        yield from function_draws(task)
    for task in (GRR_TASKS[0], COMPACT_TASKS[2], COLLISION_TASKS[2]):
        yield from size_draws(task)
        yield from rejected_size_draws(task)
    for number, task in enumerate(OTHER_TASKS, 850):
        yield from seeded_sets(number, task, other_pairs(task))
        yield from chosen_others(task)
    for number, task in enumerate(HASHED_TASKS, 870):
        yield from seeded_sets(number, task, hashed_pairs(task))
    yield from refused_sizes(OTHER_TASKS[4], HASHED_TASKS[2])


def _refused_keys(task: Task) -> Iterator[dict[str, Any]]:
    """Yield keys that the task does not have, and what is not a list of keys."""
    json, first = task.to_json(), task.key_name(0)
    for reason, held in (
        ("is not a key of task", {"keys": ["solaris"]}),
        ("is not a key of task", {"keys": [""]}),
        ("is not a text", {"keys": [first, 5]}),
        ("is not a text", {"keys": [None]}),
        ("takes a list of keys, which have no values", {"keys": first}),
        ("takes a list of keys, which have no values", {"keys": 5}),
        ("takes a list of keys, which have no values", {"pairs": {first: 1}}),
        ("takes a list of keys, which have no values", {"pairs": {}}),
    ):
        yield {"task": json, **held, "fails_at": "pairs", "reason": reason}
    if task.more == REFUSE and task.padding < task.key_count:
        keys = [task.key_name(key) for key in range(task.padding + 1)]
        yield {"task": json, "keys": keys, "fails_at": "pairs", "reason": "takes at most"}


def _refused_bodies(task: Task) -> Iterator[dict[str, Any]]:
    """Yield bodies too short and too long, of two planes or with a bit too many, and words that are none."""
    size, limit = task.law.body_bytes, task.word_limit
    wrong = [("wrong_length", bytes(size - 1)), ("wrong_length", bytes(size + 1))]
    if limit is not None:
        wrong += [("out_of_range", limit.to_bytes(8, "little")), ("out_of_range", b"\xff" * 8)]
    else:
        wrong.append(("wrong_length", bytes(2 * size)))
        if task.key_count % 8:
            wrong.append(("bad_encoding", (1 << task.key_count).to_bytes(size, "little")))
    for reason, body in wrong:
        yield {"task": task.to_json(), "body": base64url(body), "fails_at": "report", "reason": reason}


# What a task without values must not say instead of what its members are.
BAD_MEMBERS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    '"between":null': (
        ("between of a task without values must be null", ('"round"', '"refuse"', '""', "0", "false", "[]")),
    ),
    '"high":null': (
        ("high of a task without values must be null", ('"1"', '"5"', '""', "0", "false", "[]")),
    ),
    '"levels":1': (
        ("levels of a task without values must be 1", ("2", "0", "-1", "true", "[]", '["1"]', '["0","1"]')),
        ("levels must be a number of them", ('"1"', "null", "{}", "[1]")),
        ("not an integer", ("1.0", "1e0")),
    ),
    '"low":null': (("plain decimal", ('"0"', '"1"', '""', '"1.0"', "0", "false", "[]")),),
}  # fmt: skip


def refused_without_values() -> Iterator[tuple[str, str]]:
    """Yield what refusals say, and texts that are not tasks."""
    good = GRR_TASKS[0].to_json()
    for member, refusals in BAD_MEMBERS.items():
        assert member in good, member  # noqa: S101
        name = member.partition(":")[0]
        for reason, values in refusals:
            yield from ((reason, good.replace(member, f"{name}:{value}")) for value in values)
        yield "missing", good.replace(f"{member},", "")
    ends = good.replace('"high":null', '"high":"5"').replace('"low":null', '"low":"1"')
    yield "between must be 'round' or 'refuse'", ends
    yield "at least 2 and at most 16", ends.replace('"between":null', '"between":"round"')
    for allocation in ("naive", "non-optimized"):
        for text in (good, PLANE_TASKS[0].to_json()):
            yield f"allocation '{allocation}' has two levels, not 1", text.replace("optimized", allocation)
    tuned = PLANE_TASKS[0].to_json().replace('"optimized"', '"tuned","beta":"0.2"')
    yield "allocation 'tuned' has two levels, not 1", tuned
    compact = COMPACT_TASKS[1].to_json()
    yield "o must be 0 with 1 level", compact.replace('"q":5', '"o":1,"q":5')
    yield "at least 1 and below q", compact.replace('"r":2', '"r":5')
    yield "canonical", compact.replace('"r":2', '"r":1')
    symbols, most = COLLISION_TASKS[0].to_json(), COLLISION_TASKS[5].to_json()
    yield "more than the padding", symbols.replace('"symbols":9', '"symbols":2')
    yield "at most 1,073,741,822 keys with 1 level", most.replace(str(2**30 - 2), str(2**30 - 1))
    # Enough positions for one level, and not for two.
    fewer = _collision(8, keys=10_000).to_json()
    two = fewer.replace('"high":null', '"high":"5"').replace('"low":null', '"low":"1"')
    two = two.replace('"between":null', '"between":"round"').replace('"levels":1', '"levels":2')
    yield "positions must be from 30,000", two
