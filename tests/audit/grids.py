"""Reports with every number of levels, and of sets of every size, from the limits in the code.

Reports are compared in all ways of making them, from equal tapes of bytes: at the corners of every path of the code
for one participant, whose law is compared with the stated one on all draws.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from audit.batches import make_task
from audit.interval_checks import check_within_epsilon
from audit.replay import Participants, check_replay, held_of, named
from pckv.auditing.audit import audited_task
from pckv.auditing.exact import input_sets, scale, spread_keys
from pckv.auditing.interval_tape import explore
from pckv.auditing.sampler_loss import sampler_loss
from pckv.base.errors import AuditFailure
from pckv.base.limits import MAX_LEVELS, MIN_LEVELS, ONE_LEVEL, REPORT_ID_BYTES
from pckv.base.randomness import Tape, fixed_source
from pckv.contract.task import Task
from pckv.device import perturb as single
from pckv.device import vectorised
from pckv.device.perturb import perturb_from
from pckv.mechanisms.primes import least_prime
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.size_question.law import LARGE_SETS

# Few keys, so that all paths are followed, with fewer and with more pairs than the padding.
LEVEL_KEYS, LEVEL_PADDING = 3, 2
# Sets of every size up to this many paddings.
PADDINGS, SIZES_PER_PADDING = range(1, 6), 3
# Tapes per size that are not at a corner of a path, and the levels they are made with, where there are more than two.
TAPES_PER_SIZE, SIZE_LEVELS = 9, 3
TAPE_ID = bytes(range(REPORT_ID_BYTES))


@dataclass(frozen=True)
class Report:
    """One report: the task, the numbered pairs, the draws, and the message that they make."""

    task: Task
    pairs: dict[int, float]
    draws: tuple[int, ...]
    message: int

    @property
    def tape(self) -> bytes:
        """The bytes of the tape: an id, and the draws."""
        return TAPE_ID + np.array(self.draws, "<u8").tobytes()

    @property
    def body(self) -> bytes:
        """The body of the report."""
        return self.task.message_format.encode(self.message)

    def __str__(self) -> str:
        task = self.task
        return f"{len(self.pairs)} pairs, {task.mechanism}, {task.level_count} levels, padding {task.padding}"


def levels_of(name: str) -> range:
    """Return all numbers of levels that a mechanism takes: one where keys have no values."""
    return range(ONE_LEVEL, min(MAX_LEVELS, LAWS[name].max_levels) + 1)


def parameters_of(name: str, levels: int) -> Iterator[dict[str, object]]:
    """Yield the parameters that are chosen for this many levels, and of `ue-compact` two residues per level."""
    yield {}
    if name == "ue-compact":
        yield {"q": least_prime(2 * levels + 1), "r": 2}


def level_reports(name: str, levels: int) -> list[Report]:
    """Return reports of few keys with this many levels; a share of them answers the size question."""
    share = "0" if name == "ue" else "0.25"
    return [
        report
        for parameters in parameters_of(name, levels)
        for report in _all_corners(make_task(name, parameters, LEVEL_KEYS, LEVEL_PADDING, "1", share, levels=levels))
    ]


def _all_corners(task: Task) -> Iterator[Report]:
    """Yield reports at two corners of every path, of sets of every size with levels by turns and a value between two."""
    levels = task.level_count
    for size in range(LEVEL_KEYS + 1):
        # By turns over all numbers of keys, so that every level is reported of some key.
        for first in range(0, levels, max(size, 1)) if size else (0,):
            held = {key: task.level_values[(first + key) % levels] for key in range(size)}
            yield from corners(task, held)
    if task.has_values:
        low, high = task.level_values[-2:]
        yield from corners(task, {1: (3 * low + high) / 4})


def corners(task: Task, pairs: dict[int, float]) -> Iterator[Report]:
    """Yield the reports at two corners of every path, given one function."""
    read = single.read_pairs(task, named(task, pairs))
    for leaf in explore(lambda tape: single.make_message(task, read, tape), seed=1):
        yield Report(task, pairs, leaf.lowest, leaf.first)
        if leaf.highest != leaf.lowest:
            yield Report(task, pairs, leaf.highest, leaf.last)


def sizes_task(name: str, padding: int) -> Task:
    """Return a task with as many keys as make all answers to the size question different."""
    levels, keys = min(SIZE_LEVELS, LAWS[name].max_levels), (LARGE_SETS + 1) * padding
    return make_task(name, {}, keys, padding, "2", "0" if name == "ue" else "0.25", levels=levels)


def size_reports(name: str, padding: int) -> Iterator[Report]:
    """Yield reports of sets of every size up to three paddings, at draws of which half are next to ends."""
    task, seeded = sizes_task(name, padding), random.Random(padding)
    for size in range(SIZES_PER_PADDING * padding + 1):
        keys = spread_keys(task.key_count, size)
        pairs = {key: seeded.choice(task.level_values) for key in seeded.sample(keys, size)}
        for _ in range(TAPES_PER_SIZE):
            draws = tuple(_draw(seeded, task) for _ in range(2 * task.draws + 9))
            tape = Tape(len(draws), fixed_source(TAPE_ID + np.array(draws, "<u8").tobytes()))
            made = perturb_from(tape, task, held_of(task, pairs))
            yield Report(task, pairs, draws, task.message_format.decode(made.body))


def _draw(seeded: random.Random, task: Task) -> int:
    """Return a draw of any kind: uniform, at either end, or next to a multiple of the threshold of a symbol."""
    hit = getattr(task.law, "hit", task.law.one // 7)
    multiple = seeded.randint(0, task.padding) * hit
    kinds = (seeded.getrandbits(64), seeded.getrandbits(8), multiple - 1, multiple, task.law.one - 1)
    return max(0, seeded.choice(kinds)) % task.law.one


def check_single(reports: Sequence[Report]) -> None:
    """The public function makes each of these reports of its tape."""
    for report in reports:
        tape = Tape(len(report.draws), fixed_source(report.tape))
        made = perturb_from(tape, report.task, held_of(report.task, report.pairs))
        if made.body != report.body or made.id != TAPE_ID:
            raise AuditFailure(f"one report: another one than stated of {report}")


def check_alone(reports: Sequence[Report]) -> None:
    """`perturb_many` of one participant makes each of these reports of the same bytes."""
    for report in reports:
        people = _people([report]).population(report.task)
        [batch] = vectorised.perturb_many(report.task, people, fixed_source(report.tape))
        message = batch.messages[0]
        body = report.task.message_format.encode(int(message)) if message.ndim == 0 else message.tobytes()
        if body != report.body:
            raise AuditFailure(f"perturb_many: another report than the single one of {report}")


def check_together(reports: Sequence[Report]) -> None:
    """A batch of all participants of a task makes the same reports, each from the bytes of their own tape."""
    for task in dict.fromkeys(report.task for report in reports):
        check_replay(task, _people([report for report in reports if report.task is task]))


def _people(reports: Sequence[Report]) -> Participants:
    longest = max(len(report.draws) for report in reports) + 1
    draws = np.array([[*report.draws, *[0] * (longest - len(report.draws))] for report in reports], np.uint64)
    return Participants.seeded([report.pairs for report in reports], draws, 0)


def check_law_of_levels(name: str, levels: int) -> None:
    """On all draws a report follows the stated law, of sets of every size with every level, and loses what is stated."""
    values = scale(levels)
    # Without values, two sets that have no key in common differ most.
    keys = 2 * LEVEL_PADDING if levels == ONE_LEVEL else LEVEL_KEYS
    sets: list[dict[int, float]] = [{}, {1: values[-1] - 1 / 2 if levels > ONE_LEVEL else values[-1]}]
    if levels == MIN_LEVELS:
        sets += [{key: values[level] for key, level in held.items()} for held in input_sets(LEVEL_KEYS)]
    for size in range(1, keys + 1):
        sets += [{key: values[(first + key) % levels] for key in range(size)} for first in range(0, levels, size)]
    if levels == ONE_LEVEL:
        sets += [dict.fromkeys(range(first, keys), values[0]) for first in range(1, keys)]
    for parameters in parameters_of(name, levels):
        mechanism = {"name": name, **parameters}
        if _check_loss(audited_task(mechanism, keys, LEVEL_PADDING, "1", "0.25", levels=levels), sets) < 1:
            raise AuditFailure(f"interval tape: {levels} levels lose less than stated")


def check_law_of_sizes(name: str, padding: int) -> None:
    """The same of sets of every size up to three paddings."""
    keys = SIZES_PER_PADDING * padding + 1
    task = audited_task({"name": name}, keys, padding, "2", "0.25")
    _check_loss(task, [dict.fromkeys(spread_keys(keys, size), 1.0) for size in range(keys)])


def _check_loss(task: Task, sets: Sequence[dict[int, float]]) -> Fraction:
    """Return which part of the stated loss is reached."""
    loss = sampler_loss(task, sets=sets)
    if max(loss.reports, loss.sizes) > task.realised:
        raise AuditFailure(f"interval tape: more is lost than {task!r} states")
    check_within_epsilon(task.law)
    return loss.reports / task.realised
