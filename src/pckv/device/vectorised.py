"""The device half for many participants at once: the same law, vectorised.

For files and the lab. Every draw of a report is made here too, and only those it needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.arrays import Bytes, Flags, Floats, Integers, Messages
from pckv.channels import SamplingChannel
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.size_question import SizeQuestion
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.device.padding import VALUE_ONE, VALUE_SHIFT
from pckv.errors import PairsError
from pckv.limits import REFUSE, REPORT_ID_BYTES
from pckv.mechanisms import load_part
from pckv.population import Population
from pckv.randomness import Source
from pckv.task import Task

Draws = NDArray[np.uint64]

# Draws held in memory at once, whatever the number of keys.
DRAWS_PER_BATCH = 2**22
_LARGEST_DRAW = 2**64 - 1


class ReportBatch(NamedTuple):
    """Many reports: ids as rows of 16 bytes; messages as words, or as rows of plane bytes."""

    ids: Bytes
    messages: Messages


class VectorisedTape:
    """Arrays of draws from a source of bytes."""

    def __init__(self, source: Source = os.urandom) -> None:
        self.source = source

    def draw(self, count: int) -> Draws:
        """Uniform 64-bit integers."""
        return np.frombuffer(self.source(8 * count), "<u8").astype(np.uint64, copy=False)

    def below(self, limits: Draws) -> Integers:
        """A uniform integer below each limit; the incomplete last run is drawn again."""
        numbers = self.draw(limits.size)
        results = (numbers % limits).view(np.int64)
        again = np.flatnonzero(numbers - results.view(np.uint64) > _LARGEST_DRAW - limits + np.uint64(1))
        if again.size:
            results[again] = self.below(limits[again])
        return results

    def positive(self, levels: Draws) -> Flags:
        """True with probability level / 2^53: how values become signs."""
        return np.asarray(self.draw(levels.size) >> np.uint64(VALUE_SHIFT) < levels)


VectorisedSampler = Callable[[Any, Any, VectorisedTape], Messages]


class Sampled(NamedTuple):
    """One pair per participant after padding-and-sampling; a dummy has no key of the task."""

    real: Flags
    keys: Integers
    positive: Flags


class Taken(NamedTuple):
    """All pairs that the participants' reports are made from: up to as many each as the padding."""

    users: int
    owners: Integers
    keys: Integers
    positive: Flags


def perturb_many(task: Task, population: Population, source: Source = os.urandom) -> Iterator[ReportBatch]:
    """One report for every participant, in batches of bounded size, in the same order."""
    check_sizes(task, population)
    check_values(task, population)
    tape = VectorisedTape(source)
    batch = max(1, DRAWS_PER_BATCH // task.draws)
    for start in range(0, len(population), batch):
        part = _participants(population, start, start + batch)
        ids = np.frombuffer(source(REPORT_ID_BYTES * len(part)), np.uint8).reshape(-1, REPORT_ID_BYTES)
        yield ReportBatch(ids, _messages(task, part, tape))


def check_sizes(task: Task, population: Population) -> None:
    """Refuse more pairs than a task takes that refuses them."""
    largest = int(population.sizes.max(initial=0))
    if task.more == REFUSE and largest > task.padding:
        raise PairsError(
            f"somebody holds {largest:,} pairs, where task {task.name!r} takes at most {task.padding:,}"
        )


def check_values(task: Task, population: Population) -> None:
    """Refuse a value outside the task's range, naming its key."""
    wrong = np.flatnonzero(~((population.values >= task.low) & (population.values <= task.high)))
    if wrong.size:
        key, value = int(population.keys[wrong[0]]), population.values[wrong[0]]
        raise PairsError(
            f"value {value} of key {task.key_name(key)!r} is not within [{task.low:g}, {task.high:g}]"
        )


def _participants(population: Population, start: int, stop: int) -> Population:
    offsets = population.offsets[start : stop + 1]
    row = slice(offsets[0], offsets[-1])
    return Population(offsets - offsets[0], population.keys[row], population.values[row])


def _messages(task: Task, population: Population, tape: VectorisedTape) -> Messages:
    """Draw which question everybody answers, before their pairs are looked at, and then the answers."""
    question, first = task.size_question, task.channel.word_limit
    if question is None or first is None:
        return _pair_messages(task, population, tape)
    asked = tape.draw(len(population)) < np.uint64(question.asked)
    words = np.empty(len(population), np.int64)
    words[asked] = first + answer_sizes(question, population.sizes[asked], tape)
    words[~asked] = _pair_messages(task, population.take(np.flatnonzero(~asked)), tape)
    return words


def _pair_messages(task: Task, population: Population, tape: VectorisedTape) -> Messages:
    sampler: VectorisedSampler = load_part(task.mechanism, "vectorised_sampler")
    return sampler(task.channel, _prepared(task, population, tape), tape)


def answer_sizes(question: SizeQuestion, sizes: Integers, tape: VectorisedTape) -> Integers:
    """Answer how many pairs everybody holds by randomized response."""
    ends = np.array(question.ends, np.int64)
    sizes = np.clip(sizes, question.padding, question.keys)
    answers = np.searchsorted(ends, sizes)
    between = np.flatnonzero(ends[answers] != sizes)
    low, high, size = ends[answers[between] - 1], ends[answers[between]], sizes[between]
    down = tape.below((size * (high - low)).astype(np.uint64)) < low * (high - size)
    answers[between] -= down
    moved = np.flatnonzero(tape.draw(answers.size) >= np.uint64(question.kept))
    others = tape.below(np.full(moved.size, ends.size - 1, np.uint64))
    answers[moved] = others + (others >= answers[moved])
    return np.asarray(answers, np.int64)


def _prepared(task: Task, population: Population, tape: VectorisedTape) -> Sampled | Taken:
    """What the sampler of the task's mechanism is made to look at: a pair each, or several."""
    prepare = _sample if isinstance(task.channel, SamplingChannel) else _take
    return prepare(task, population, tape)


def _sample(task: Task, population: Population, tape: VectorisedTape) -> Sampled:
    sizes = population.sizes
    slots = tape.below(np.maximum(sizes, task.padding).astype(np.uint64))
    real = slots < sizes
    chosen = (population.offsets[:-1] + slots)[real]
    keys = np.full(len(population), task.key_count)
    keys[real] = population.keys[chosen]
    levels = np.full(len(population), VALUE_ONE // 2, np.uint64)
    levels[real] = _levels(task, population.values[chosen])
    return Sampled(real, keys, tape.positive(levels))


def _take(task: Task, population: Population, tape: VectorisedTape) -> Taken:
    sizes, starts = population.sizes, population.offsets[:-1]
    order = np.arange(population.keys.size)
    # The first pairs of everybody who holds too many are shuffled in, one place after another.
    many = np.flatnonzero(sizes > task.padding)
    for place in range(task.padding if many.size else 0):
        current = starts[many] + place
        other = current + tape.below((sizes[many] - place).astype(np.uint64))
        order[current], order[other] = order[other], order[current]
    owners = np.repeat(np.arange(len(population)), sizes)
    taken = np.arange(order.size) - starts[owners] < task.padding
    chosen = order[taken]
    levels = _levels(task, population.values[chosen]).astype(np.uint64)
    return Taken(
        len(population), owners[taken], population.keys[chosen].astype(np.int64), tape.positive(levels)
    )


def _levels(task: Task, values: Floats) -> Floats:
    return (values - task.low) / (task.high - task.low) * VALUE_ONE


def perturb_grr(channel: GrrChannel, sampled: Sampled, tape: VectorisedTape) -> Integers:
    """Sample the words of `grr`, one per participant."""
    dummies = np.flatnonzero(~sampled.real)
    keys = sampled.keys.copy()
    keys[dummies] += tape.below(np.full(dummies.size, channel.padding, np.uint64))
    words = 2 * keys + sampled.positive
    numbers = tape.draw(words.size)
    moved = np.flatnonzero(numbers >= np.uint64(channel.kept))
    flipped = numbers[moved] < np.uint64(channel.kept + channel.flipped)
    words[moved[flipped]] ^= 1
    moved = moved[~flipped]
    others = tape.below(np.full(moved.size, channel.spread, np.uint64))
    words[moved] = others + channel.set_apart * (others >= words[moved] & -channel.set_apart)
    return words


def perturb_ue_compact(channel: UeCompactChannel, sampled: Sampled, tape: VectorisedTape) -> Integers:
    """Sample the words of `ue-compact`, one per participant."""
    count = sampled.keys.size
    residues = channel.first(sampled.positive.astype(np.int64))
    functions = tape.below(np.full(count, channel.functions, np.uint64))
    kept = tape.draw(count) < np.uint64(channel.kept)
    moved = np.flatnonzero(~kept)
    others = tape.below(np.full(moved.size, channel.q - channel.r, np.uint64))
    residues[moved] = others + channel.r * (others >= residues[moved])
    if channel.r > 1:
        inside = np.flatnonzero(kept)
        residues[inside] += tape.below(np.full(inside.size, channel.r, np.uint64))
    return functions * channel.q + (residues - channel.product(functions, sampled.keys)) % channel.q


def perturb_collision(channel: CollisionChannel, taken: Taken, tape: VectorisedTape) -> Integers:
    """Sample the words of `collision`, one per participant."""
    functions = tape.below(np.full(taken.users, channel.functions, np.uint64))
    items = channel.item(taken.keys.astype(np.uint64), taken.positive)
    hashes = channel.symbol(functions.view(np.uint64)[taken.owners], items).astype(np.int64)
    # Everybody's own symbols, each once and in order.
    owners, own = np.divmod(np.unique(taken.owners * channel.symbols + hashes), channel.symbols)
    counts = np.bincount(owners, minlength=taken.users)
    starts = np.cumsum(counts) - counts
    numbers = tape.draw(taken.users)
    hits = numbers < counts.astype(np.uint64) * np.uint64(channel.hit)
    symbols = np.empty(taken.users, np.int64)
    symbols[hits] = own[starts[hits] + (numbers[hits] // np.uint64(channel.hit)).view(np.int64)]
    missed = np.flatnonzero(~hits)
    symbols[missed] = tape.below((channel.symbols - counts[missed]).astype(np.uint64))
    # A participant's own symbols are skipped: those that are not above the drawn one, once the ones before them are.
    skipped = ~hits[owners] & (own - (np.arange(own.size) - starts[owners]) <= symbols[owners])
    symbols += np.bincount(owners[skipped], minlength=taken.users)
    return functions * channel.symbols + symbols


def perturb_ue(channel: UeChannel, sampled: Sampled, tape: VectorisedTape) -> Bytes:
    """Sample the bit planes of `ue`, one per participant."""
    count = sampled.keys.size
    numbers = tape.draw(count * channel.keys).reshape(count, channel.keys)
    plus = numbers < np.uint64(channel.fake)
    present = numbers < np.uint64(2 * channel.fake)
    rows = np.flatnonzero(sampled.real)
    own = (rows, sampled.keys[rows])
    plus[own] = sampled.positive[rows] == (numbers[own] < np.uint64(channel.kept))
    present[own] = numbers[own] < np.uint64(channel.kept + channel.flipped)
    planes = [np.packbits(plane, axis=1, bitorder="little") for plane in (present, plus & present)]
    return np.concatenate(planes, axis=1)
