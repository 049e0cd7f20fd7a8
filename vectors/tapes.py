"""Reports from fixed tapes: seeded ones, and tapes whose draws meet a threshold."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import product
from typing import Any

from pckv.base.canonical import base64url
from pckv.base.limits import DISCOVERY
from pckv.base.randomness import Tape, fixed_source
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from pckv.device.perturb import Held, perturb_from
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue_compact.law import UeCompactLaw

# Shares of the range of values, by key.
PAIRS: tuple[dict[int, float], ...] = ({}, {0: 0.0}, {1: 1.0}, {0: 0.25, 2: 0.75}, {0: 1.0, 1: 0.5, 2: 0.0})


def seeded_reports(number: int, task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports of several sets of pairs, from tapes that depend on the number."""
    for case, shares in enumerate(PAIRS):
        if max(shares, default=0) < task.key_count:
            pairs = {
                task.key_name(key): task.ends[0] + share * (task.ends[1] - task.ends[0])
                for key, share in shares.items()
            }
            tape = seeded_source(100 * number + case)(16 + 8 * (task.draws + 4))
            yield report_vector(task, pairs, tape)


def report_vector(task: Task, held: Held, tape: bytes, label: str | None = None) -> dict[str, Any]:
    """Return the report that the tape gives; where there is a segment, of one with this label, or with any."""
    stated, labelled = held_by(task, held), labelled_by(task, sum(tape), label)
    report = perturb_from(Tape(task.draws, fixed_source(tape)), task, *stated.values(), **labelled)
    return {
        "task": task.to_json(),
        **stated,
        **labelled,
        "tape": tape.hex(),
        "id": base64url(report.id),
        "body": base64url(report.body),
    }


def held_by(task: Task, held: Held) -> dict[str, Any]:
    """Return what a participant holds, by its name in vectors: pairs, keys without values, or texts."""
    if task.has_values:
        return {"pairs": held}
    return {"texts" if task.kind == DISCOVERY else "keys": list(held)}


def labelled_by(task: Task, number: int, label: str | None = None) -> dict[str, Any]:
    """Return a label by its name in vectors: this one, or one that depends on the number; none without a segment."""
    if task.segment is None:
        return {}
    return {"segment": label or task.segment.labels[number % len(task.segment.labels)]}


def level_draws(task: Task, *drawn: int) -> tuple[int, ...]:
    """Return the draws of levels, which are not drawn where keys have no values."""
    return drawn if task.has_values else ()


def rejected_draws(task: Task, key: str) -> Iterator[dict[str, Any]]:
    """Yield a report whose first draw about pairs falls into the incomplete last run of `below`."""
    tape = bytes(16) + b"\xff" * 8 * (1 + (task.size_question is not None)) + seeded_source(5)(8 * (task.draws + 3))
    yield report_vector(task, {key: 1.5}, tape)


def threshold_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports on both sides of the threshold of a compact report, and a rejected draw of φ."""
    law = task.law
    assert isinstance(law, UeCompactLaw)  # noqa: S101
    last_run = 2**64 - 2**64 % law.functions
    for function, *rest in (
        (law.functions - 1, law.kept - 1, 0),
        (law.functions - 1, law.kept, 0),
        (law.functions - 1, 2**64 - 1, law.q - law.r - 1),
        (last_run, law.functions - 1, law.kept - 1, 0),
    ):
        for level in (2**63 - 1, 2**63):
            draws = [*about_pairs(task), 0, *level_draws(task, level), function, *rest]
            yield report_vector(task, {"heat": 3.0}, bytes(16) + struct.pack(f"<{len(draws)}Q", *draws))


def many_pairs(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports of as many pairs as the padding, and of more."""
    for count in (task.padding, task.padding + 1, 3 * task.padding):
        pairs = {str(7 * key): float(key % 101) for key in range(count)}
        yield report_vector(task, pairs, seeded_source(count)(16 + 8 * (task.draws + 4)))


def symbol_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports on both sides of the thresholds of `collision`, for functions with and without a collision."""
    law = task.law
    assert isinstance(law, CollisionLaw)  # noqa: S101
    items = [law.item(key, law.levels - 1) for key in (0, 1)]
    for own in (1, 2):
        function = next(i for i in range(2**32) if len(law.own_symbols(i, items)) == own)
        thresholds = [law.hit * count for count in range(1, own + 1)]
        for number in (0, *(edge + step for edge in thresholds for step in (-1, 0)), 2**64 - 1):
            for other in (0, law.symbols - own - 1):
                draws = [*about_pairs(task), *level_draws(task, 0, 0), function, number, other]
                tape = bytes(16) + struct.pack(f"<{len(draws)}Q", *draws) + bytes(16)
                yield report_vector(task, {"alien": 5.0, "heat": 5.0}, tape)


def function_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports of keys with all kinds of bits, and by functions at both ends, next to a run, and drawn again."""
    law = task.law
    assert isinstance(law, CollisionLaw)  # noqa: S101
    last, positions = law.functions - 1, law.positions
    complete = 2**64 - 2**64 % law.functions
    rejected = [] if complete == 2**64 else [(complete, last), (2**64 - 1, complete - 1)]
    functions = [(number,) for number in (0, 1, positions - 1, positions, last)] + rejected
    cases = (
        *((key, (last // 3,)) for key in _keys_of_all_bits(task.key_count)),
        *((task.key_count - 1, drawn) for drawn in functions),
    )
    for number, (key, drawn) in enumerate(cases):
        # The middle of the range, with either level by turns; the symbol of the pair is kept.
        tape = tape_of(task, *about_pairs(task), *level_draws(task, 2**63 - number % 2), *drawn, law.hit - 1)
        yield report_vector(task, {task.key_name(key): (task.ends[0] + task.ends[1]) / 2}, tape)


def _keys_of_all_bits(keys: int) -> list[int]:
    """Return the first and the last key, one with the highest bit alone, and those whose bits alternate."""
    highest = 1 << ((keys - 1).bit_length() - 1)
    alternating = [int(pattern * 16, 2) % highest for pattern in ("01", "10")]
    return sorted({0, 1, highest, keys - 1, *alternating})


def size_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield reports on both sides of every threshold of the size question, of sizes at, between and beyond its ends."""
    question = task.size_question
    assert question is not None  # noqa: S101
    for size in _sizes(question):
        pairs = {task.key_name(key): task.ends[0] for key in range(size)}
        rounding = question.rounding(size)
        rounded = [()] if rounding is None else [(rounding.down - 1,), (rounding.down,), (rounding.total - 1,)]
        answers = [
            (question.kept - 1,),
            *((question.kept, other) for other in range(len(question.ends) - 1)),
            (2**64 - 1, 0),
        ]
        for end, drawn in product(rounded, answers):
            yield report_vector(task, pairs, tape_of(task, question.asked - 1, *end, *drawn))
        # The next draw is the first of those about pairs.
        first = bytes(16) + struct.pack("<Q", question.asked)
        yield report_vector(task, pairs, first + seeded_source(size)(8 * (task.draws + 4)))


def rejected_size_draws(task: Task) -> Iterator[dict[str, Any]]:
    """Yield answers whose draws fall into the incomplete last run of `below`: of the end, and of another answer."""
    question = task.size_question
    assert question is not None  # noqa: S101
    for size in _sizes(question):
        pairs = {task.key_name(key): task.ends[0] for key in range(size)}
        rounding = question.rounding(size)
        last = 2**64 - 1
        others = len(question.ends) - 1
        rejected = () if 2**64 % others == 0 else (last,)
        if rounding is not None and 2**64 % rounding.total:
            yield report_vector(task, pairs, tape_of(task, 0, last, rounding.down, question.kept, *rejected, 1))
        elif rounding is None and rejected:
            yield report_vector(task, pairs, tape_of(task, 0, question.kept, last, last, others - 1))


def about_pairs(task: Task) -> list[int]:
    """Return the draw by which a report is about pairs, where that is drawn."""
    return [] if task.size_question is None else [2**64 - 1]


def _sizes(question: SizeQuestion) -> list[int]:
    """Return sizes at the ends, next to them and between them."""
    near = {end + step for end in question.ends for step in (-1, 0, 1, 5)}
    return sorted(size for size in {0, *near} if size <= question.keys)


def tape_of(task: Task, *draws: int) -> bytes:
    """Return an id of zeros and these draws, followed by as many zeros as a device may read."""
    return bytes(16) + struct.pack(f"<{len(draws)}Q", *draws) + bytes(8 * task.draws)
