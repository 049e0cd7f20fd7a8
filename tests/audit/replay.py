"""Replay batches draw by draw: every report must be the one that the scalar device code makes from the same draws.

What the scalar code does with its draws is found by enumeration; from here on the batch path does the same, and a
participant's report depends on no other's pairs or draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from audit.interval_checks import key_text
from pckv.auditing.exact import key_number
from pckv.base.arrays import Bytes, Flags, Integers, Messages
from pckv.base.errors import AuditFailure
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.population import Population
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.device import perturb as single
from pckv.device import vectorised
from pckv.device.vectorised import Draws, VectorisedTape
from pckv.mechanisms.padding import Pair

# Room for rejected draws, beyond those that a report takes.
SPARE_DRAWS = 8
# Batches of a replay that is cut into several.
PEOPLE_PER_BATCH = 7

# Keys by number, and values in the task's units.
NumberedPairs = Mapping[int, float]


class ReplayTape(VectorisedTape):
    """The vectorised tape itself, whose source gives every participant the bytes of a tape of their own."""

    def __init__(self, ids: Bytes, draws: Draws) -> None:
        super().__init__(self._serve)
        # How many draws every participant has taken.
        self.taken = np.zeros(len(draws), np.int64)
        self._ids, self._draws = ids, draws
        self._next = b""

    def report_ids(self, participants: Integers) -> Bytes:
        """Report ids, from every participant's own tape."""
        self._next = self._ids[participants].tobytes()
        return super().report_ids(participants)

    def draw(self, participants: Integers, each: int = 1) -> Draws:
        """Draws, from every participant's own tape; a participant named several times takes as many in a row."""
        firsts = self.taken[participants]
        if _ascending(participants):
            self.taken[participants] = firsts + each
        else:
            firsts += each * _earlier(participants)
            self.taken += each * np.bincount(participants, minlength=self.taken.size)
        places = firsts[:, None] + np.arange(each)
        if firsts.max(initial=0) + each > self._draws.shape[1]:
            raise AuditFailure("batch equals single: a batch takes more draws than there are")
        self._next = self._draws[participants[:, None], places].astype("<u8").tobytes()
        return super().draw(participants, each)

    def below(self, participants: Integers, limits: Draws | np.uint64) -> Integers:
        """Uniform integers below limits; none may be named twice."""
        if not _ascending(participants) and np.unique(participants).size < participants.size:
            raise AuditFailure("batch equals single: somebody is named twice, and rejections would mix")
        return super().below(participants, limits)

    def rises(self, participants: Integers, chances: Draws | None) -> Flags:
        """Whether values become the level above them; one chance per participant named."""
        if chances is not None and participants.size != chances.size:
            raise AuditFailure("batch equals single: there are more or fewer chances than participants")
        return super().rises(participants, chances)

    def _serve(self, count: int) -> bytes:
        served, self._next = self._next, b""
        if count != len(served):
            raise AuditFailure(f"batch equals single: {count} bytes are taken, where {len(served)} are needed")
        return served


def _ascending(participants: Integers) -> bool:
    """Return whether participants are named in order, and none twice, as in most calls."""
    return bool((participants[1:] > participants[:-1]).all())


def _earlier(participants: Integers) -> Integers:
    """Return how often each participant is named earlier in the list."""
    order = np.argsort(participants, kind="stable")
    ordered = participants[order]
    earlier = np.empty(participants.size, np.int64)
    earlier[order] = np.arange(participants.size) - np.searchsorted(ordered, ordered)
    return earlier


class CountingTape(Tape):
    """A tape of these draws, which counts those that are taken."""

    def __init__(self, draws: list[int]) -> None:
        self.taken = 0
        self._draws = draws

    def draw(self) -> int:
        """The next draw."""
        self.taken += 1
        return self._draws[self.taken - 1]


@dataclass(frozen=True)
class Participants:
    """People of one batch: their pairs, the bytes of every participant's own tape, and what labels are made of."""

    pairs: Sequence[NumberedPairs]
    ids: Bytes
    draws: Draws
    numbers: Integers

    @classmethod
    def seeded(cls, pairs: Sequence[NumberedPairs], draws: Draws, seed: int) -> Self:
        """Return people with these pairs and draws, and ids that differ."""
        ids = np.random.default_rng(seed).bytes(REPORT_ID_BYTES * len(pairs))
        rows = np.frombuffer(ids, np.uint8).reshape(-1, REPORT_ID_BYTES)
        return cls(pairs, rows, draws, np.arange(len(pairs)))

    def take(self, people: Integers) -> Participants:
        """Some of the people, in the order given."""
        pairs = [self.pairs[person] for person in people]
        return Participants(pairs, self.ids[people], self.draws[people], self.numbers[people])

    def labels(self, task: Task) -> Integers | None:
        """Everybody's label, all labels by turns; None where the task has no segment."""
        return None if task.segment is None else self.numbers % len(task.segment.labels)

    def population(self, task: Task) -> Population:
        """The pairs in compressed rows, with the numbers of a task's keys."""
        # Many people of a replay share their pairs.
        kinds = list({id(held): held for held in self.pairs}.values())
        numbers = {id(held): number for number, held in enumerate(kinds)}
        shared = Population(
            np.cumsum([0, *map(len, kinds)]),
            np.fromiter((key_number(task, key) for held in kinds for key in held), np.int32),
            np.fromiter((value for held in kinds for value in held.values()), float),
        )
        population = shared.take(np.array([numbers[id(held)] for held in self.pairs], np.int64))
        return replace(population, labels=self.labels(task))


class Replayed(NamedTuple):
    """One participant's report, and how many draws it took."""

    id: bytes
    message: int
    taken: int


def replay_one_by_one(task: Task, people: Participants) -> list[Replayed]:
    """Make every participant's report by the scalar device code."""
    replayed = []
    read: dict[int, list[Pair]] = {}
    given = people.labels(task)
    labels = [0] * len(people.pairs) if given is None else given.tolist()
    for held, report_id, draws, label in zip(people.pairs, people.ids, people.draws.tolist(), labels, strict=True):
        # Many people of a replay share their pairs.
        if id(held) not in read:
            read[id(held)] = single.read_pairs(task, named(task, held))
        tape = CountingTape(draws)
        chosen = single.choose_other(task, read[id(held)], tape)
        message = single.make_message(task, chosen, tape, label=label)
        replayed.append(Replayed(report_id.tobytes(), message, tape.taken))
    return replayed


def named(task: Task, pairs: NumberedPairs) -> dict[str, float]:
    """Return pairs by the names of their keys."""
    return {key_text(task, key): value for key, value in pairs.items()}


def held_of(task: Task, pairs: NumberedPairs) -> single.Held:
    """Return what a participant gives the device: pairs, or keys alone where they have no values."""
    by_name = named(task, pairs)
    return by_name if task.has_values else list(by_name)


def replay_in_batches(task: Task, people: Participants, people_per_batch: int) -> list[Replayed]:
    """Make every participant's report by the vectorised device code."""
    tape = ReplayTape(people.ids, people.draws)
    ids: list[bytes] = []
    messages: list[int] = []
    for batch in vectorised.perturb_many_from(tape, task, people.population(task), people_per_batch * task.draws):
        ids += map(bytes, batch.ids)
        messages += _integers(batch.messages)
    return [Replayed(*made) for made in zip(ids, messages, tape.taken.tolist(), strict=True)]


def _integers(messages: Messages) -> list[int]:
    """Return words, or rows of plane bytes, as the scalar code has them."""
    if messages.ndim == 1:
        return [int(word) for word in messages.tolist()]
    return [int.from_bytes(row.tobytes(), "little") for row in messages]


def check_replay(task: Task, people: Participants, splits: Iterable[int] = ()) -> None:
    """Raise an `AuditFailure` unless every participant's report is that of the scalar code, regardless of the others in the batch.

    Args:
        task: The contract.
        people: Every participant's pairs and draws.
        splits: How many people are in a batch, for replays beyond the one of all people in one batch.
    """
    expected = replay_one_by_one(task, people)
    backwards = np.arange(len(expected))[::-1]
    _compare(task, people, expected, replay_in_batches(task, people, len(expected)))
    for people_per_batch in splits:
        found = replay_in_batches(task, people.take(backwards), people_per_batch)
        _compare(task, people, expected, found[::-1])


def check_batch_sizes(task: Task, people: Participants, people_per_batch: int) -> None:
    """Raise an `AuditFailure` unless all people in one batch get the reports that they get in smaller ones."""
    population, rows = people.population(task), []
    for size in (len(people.pairs), people_per_batch):
        tape = ReplayTape(people.ids, people.draws)
        ids, messages = zip(*vectorised.perturb_many_from(tape, task, population, size * task.draws), strict=True)
        rows.append((np.concatenate(ids), np.concatenate(messages), tape.taken))
    if not all(map(np.array_equal, *rows)):
        raise AuditFailure(f"batch sizes: a batch of {len(people.pairs):,} people differs under {task!r}")


def _compare(task: Task, people: Participants, expected: list[Replayed], found: list[Replayed]) -> None:
    if found == expected:
        return
    if len(found) != len(expected):
        raise AuditFailure(f"batch equals single: {len(found)} reports of {len(expected)} people")
    person, one, many = next(
        (person, one, many) for person, (one, many) in enumerate(zip(expected, found, strict=True)) if one != many
    )
    part = next(part for part in Replayed._fields if getattr(one, part) != getattr(many, part))
    raise AuditFailure(
        f"batch equals single: {part} of a participant with {len(people.pairs[person])} pairs differs under {task!r}"
    )
