"""What the tapes must do: every byte of the source is used once, in order, and no report depends on an earlier one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from audit.batches import make_task, random_pairs
from audit.replay import (
    SPARE_DRAWS,
    Participants,
    Replayed,
    ReplayTape,
    check_replay,
    named,
    replay_in_batches,
    replay_one_by_one,
)
from pckv.base.errors import AuditFailure
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.randomness import DRAW_BYTES, MAX_BLOCK_BYTES, Tape, fixed_source
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from pckv.device import perturb as single
from pckv.device import vectorised
from pckv.device.vectorised import VectorisedTape
from pckv.mechanisms.padding import VALUE_SHIFT
from pckv.mechanisms.registry import LAWS

# Numbers of participants that are served at once, up to a whole batch.
SERVED = (0, 1, 2, 7, 999, 1_000, 1_001, 65_537, vectorised.DRAWS_PER_BATCH)
# Draws of one report: within one block of the source, at its end, and in several.
DRAWS = (0, 1, 5, 8_189, 8_190, 8_191, 8_192, 16_382, 16_383, 40_000, 1_100_003)
LIMITS = (1, 2, 3, 10, 2**31 - 1, 2**32, 2**61 - 1, 2**62 + 1, 2**63 - 1)
SIZES = range(7)
# Reports that are made twice, and reports made in between: primes, so that no period of a counter divides their sum.
FEW_REPORTS, REPORTS_BETWEEN = 23, 2_503


class RecordedSource:
    """A repeatable source that remembers what it gave."""

    def __init__(self, seed: int) -> None:
        self._source = seeded_source(seed)
        self.blocks: list[bytes] = []

    def __call__(self, count: int) -> bytes:
        """Return that many bytes."""
        self.blocks.append(self._source(count))
        return self.blocks[-1]

    @property
    def given(self) -> bytes:
        """All bytes so far, in order."""
        return b"".join(self.blocks)


def check_scalar_tape() -> None:
    """The id and the draws of a tape are the bytes of its source, each once and in order, in blocks of bounded size."""
    for count in DRAWS:
        source = RecordedSource(count)
        tape = Tape(count, source)
        # Three more than expected, as after rejections.
        made = tape.report_id + b"".join(tape.draw().to_bytes(DRAW_BYTES, "little") for _ in range(count + 3))
        if made != source.given:
            raise AuditFailure(f"tape: {count} draws are not the bytes of the source, each once and in order")
        if max(map(len, source.blocks)) > MAX_BLOCK_BYTES:
            raise AuditFailure(f"tape: {max(map(len, source.blocks)):,} bytes are taken at once")


def check_vectorised_tape() -> None:
    """Ids, draws and levels of many participants are the bytes of the source, each once and in order."""
    for count in SERVED:
        source = RecordedSource(count)
        tape, everybody = VectorisedTape(source), np.arange(count)
        made = tape.report_ids(everybody).tobytes() + tape.draw(everybody).tobytes()
        made += tape.draw(everybody[:100], 3).tobytes()
        if made != source.given:
            raise AuditFailure(f"vectorised tape: {count:,} participants do not get the bytes of the source")
    _check_drawn_below()
    _check_rises()


def _check_drawn_below() -> None:
    """Every participant's number below a limit is the scalar tape's, from the same draws, rejected ones included."""
    rng = np.random.default_rng(3)
    for limit in LIMITS:
        complete = 2**64 - 2**64 % limit
        near = [(complete + step) % 2**64 for step in range(-3, 4)] + [0, limit - 1, limit % 2**64, 2**64 - 1]
        draws = rng.integers(2**64, size=(600, 30), dtype=np.uint64)
        rejected = rng.random(draws.shape) < np.linspace(0, 1, len(draws))[:, None] * (np.arange(30) < 20)
        draws[rejected] = rng.choice(np.array(near, np.uint64), int(rejected.sum()))
        tape = ReplayTape(np.zeros((len(draws), REPORT_ID_BYTES), np.uint8), draws)
        limits = np.full(len(draws), limit, np.uint64)
        # Neighbours with other limits: whose number is drawn again must not matter to them.
        limits[::2] = 3
        found = tape.below(np.arange(len(draws)), limits)
        for row, each, number in zip(draws, limits.tolist(), found.tolist(), strict=True):
            scalar = Tape(len(row), fixed_source(bytes(REPORT_ID_BYTES) + row.astype("<u8").tobytes()))
            if scalar.below(each) != number:
                raise AuditFailure(f"vectorised tape: a number below {each} is not the scalar tape's")


def _check_rises() -> None:
    rng = np.random.default_rng(4)
    chances = rng.integers(2**53 + 1, size=4_000, dtype=np.uint64)
    draws = np.concatenate([rng.integers(2**64, size=2_000, dtype=np.uint64), chances[2_000:] << np.uint64(11)])
    draws[3_000:] -= np.uint64(1)
    tape = ReplayTape(np.zeros((draws.size, REPORT_ID_BYTES), np.uint8), draws[:, None])
    for number, chance, rises in zip(
        draws.tolist(), chances.tolist(), tape.rises(np.arange(draws.size), chances).tolist(), strict=True
    ):
        if rises != (number < chance << VALUE_SHIFT):
            raise AuditFailure("vectorised tape: a level is not the scalar tape's")


def check_report_ids(mechanism: str) -> None:
    """Reports of both paths carry the bytes of their source as ids, whatever the pairs; batches as they are called."""
    task = make_task(mechanism, {}, 12, 3, "1", "0")
    rng = np.random.default_rng(5)
    pairs = [random_pairs(task, size, rng) for size in SIZES for _ in range(50)]
    people = Participants.seeded(pairs, np.zeros((len(pairs), 0), np.uint64), 5)
    for held in pairs:
        source = RecordedSource(len(held))
        pairs_by_name = named(task, held)
        made = single.perturb_from(Tape(task.draws, source), task, pairs_by_name)
        if made.id != source.given[:REPORT_ID_BYTES]:
            raise AuditFailure(f"report ids: that of a participant with {len(held)} pairs is not the source's")
        tape = Tape(task.draws, RecordedSource(len(held)))
        message = single.make_message(task, single.read_pairs(task, pairs_by_name), tape)
        if made.body != task.message_format.encode(message):
            raise AuditFailure(f"report ids: the body of a participant with {len(held)} pairs is not their message")
    source = RecordedSource(6)
    [batch] = vectorised.perturb_many(task, people.population(task), source)
    [again] = vectorised.perturb_many_from(VectorisedTape(RecordedSource(6)), task, people.population(task))
    if batch.ids.tobytes() != source.blocks[0] or batch.messages.tobytes() != again.messages.tobytes():
        raise AuditFailure("report ids: a batch is not made from its source alone")


def check_no_history(mechanism: str) -> None:
    """The same pairs and draws make the same report, in both paths, whatever reports were made before."""
    first = make_task(mechanism, {}, 12, 3, "1", "0")
    people = _seeded_people(first, FEW_REPORTS, 7)
    for replay in (replay_one_by_one, _replay_in_batches):
        before = replay(first, people)
        for task, others in _others():
            made = replay(task, others)
            repeated = replay(first, people) == before
            if not repeated or (task.mechanism == mechanism and replay(task, others) != made):
                raise AuditFailure("no history: a report depends on those that were made before")
        # The same pairs once more with other draws: nothing is kept from before.
        fresh = _seeded_people(first, FEW_REPORTS, 8)
        fresh = replace(people, ids=fresh.ids, draws=fresh.draws)
        if [made.message for made in replay(first, fresh)] == [made.message for made in before]:
            raise AuditFailure("no history: reports do not depend on new draws")
        check_replay(first, fresh)


def _replay_in_batches(task: Task, people: Participants) -> list[Replayed]:
    return replay_in_batches(task, people, len(people.pairs))


def _others() -> Iterator[tuple[Task, Participants]]:
    for number, mechanism in enumerate(LAWS):
        yield (
            (task := make_task(mechanism, {}, 12, 3, "1", "0")),
            _seeded_people(task, REPORTS_BETWEEN, number),
        )
        yield (
            (task := make_task(mechanism, {}, 40, 4, "0.5", "0")),
            _seeded_people(task, 101 + number, number),
        )


def _seeded_people(task: Task, count: int, seed: int) -> Participants:
    rng = np.random.default_rng(seed)
    pairs = [random_pairs(task, size % (task.padding + 3), rng) for size in range(count)]
    return Participants.seeded(
        pairs, rng.integers(2**64, size=(count, task.draws + SPARE_DRAWS), dtype=np.uint64), seed
    )


TAPE_CHECKS: tuple[Callable[[], None], ...] = (
    check_scalar_tape,
    check_vectorised_tape,
)
DEVICE_CHECKS: tuple[Callable[[str], None], ...] = (check_report_ids, check_no_history)
