"""The device half for many participants at once: the same law, vectorised.

For files and the lab. Every draw of a report is made here too, and only those it needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Bytes, Flags, Floats, Integers, Messages
from pckv.base.errors import ParameterError
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.population import Population
from pckv.base.randomness import DRAW_BYTES, Source
from pckv.contract.task import Task
from pckv.device.checked_pairs import (
    check_keys,
    check_labels,
    check_sizes,
    check_values,
    first_of_each_key,
    other_counts,
)
from pckv.mechanisms.base import SamplingLaw
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.collision.positions import item_positions
from pckv.mechanisms.derivation import ByGroup, Together
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.padding import VALUE_ONE, VALUE_SHIFT
from pckv.mechanisms.registry import load_part
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw

Draws = NDArray[np.uint64]

# Draws held in memory at once, whatever the number of keys.
DRAWS_PER_BATCH = 2**22
_LARGEST_DRAW = 2**64 - 1
_KEYS_PER_BYTE = 8
# No item has this number.
_UNKNOWN = -1


class ReportBatch(NamedTuple):
    """Many reports: ids as rows of 16 bytes; messages as words, or as rows of plane bytes."""

    ids: Bytes
    messages: Messages


class VectorisedTape:
    """Ids and draws of many participants from a source of bytes, each byte used once, in order.

    The caller names the participants by their numbers in the population, one per draw. Here only their count
    matters; an audit serves each of them from their own tape.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def report_ids(self, participants: Integers) -> Bytes:
        """Return report ids, one row of bytes per participant."""
        data = self.source(REPORT_ID_BYTES * participants.size)
        return np.frombuffer(data, np.uint8).reshape(-1, REPORT_ID_BYTES)

    def draw(self, participants: Integers, each: int = 1) -> Draws:
        """Return uniform 64-bit integers, `each` in a row for every participant."""
        data = self.source(DRAW_BYTES * participants.size * each)
        return np.frombuffer(data, "<u8").astype(np.uint64, copy=False)

    def below(self, participants: Integers, limits: Draws | np.uint64) -> Integers:
        """Return uniform integers below each limit, or below one for all; an incomplete last run is redrawn.

        No participant may be named twice: a second number would be drawn before the first one is drawn again.
        """
        numbers = self.draw(participants)
        results = (numbers % limits).view(np.int64)
        again = np.flatnonzero(numbers - results.view(np.uint64) > _LARGEST_DRAW - limits + np.uint64(1))
        if again.size:
            results[again] = self.below(
                participants[again], limits[again] if isinstance(limits, np.ndarray) else limits
            )
        return results

    def rises(self, participants: Integers, chances: Draws | None) -> Flags:
        """Return true with probability chance / 2^53: whether values become the level above them, if there are any."""
        if chances is None:
            return np.zeros(participants.size, bool)
        return np.asarray(self.draw(participants) >> np.uint64(VALUE_SHIFT) < chances)


VectorisedSampler = Callable[[Any, Any, VectorisedTape], Messages]


class Sampled(NamedTuple):
    """One pair per participant after padding-and-sampling; a dummy has no key, and a fair one of two levels.

    Values lie between the level `below` and the next, which they become where 53 bits are below `chances`: None where
    keys have no values.
    """

    participants: Integers
    real: Flags
    keys: Integers
    below: Integers
    chances: Draws | None


class Taken(NamedTuple):
    """All items that the participants' reports are made from: up to as many each as the padding of the law.

    Owners are places in `participants`, in any order; `keys` are numbers of the law.
    """

    participants: Integers
    owners: Integers
    keys: Integers
    below: Integers
    chances: Draws | None


def perturb_many(task: Task, population: Population, source: Source = os.urandom) -> Iterator[ReportBatch]:
    """Yield one report for every participant, in batches of bounded size, in the same order.

    Functions are drawn here even where the task's coin is the server's: over all coins they have the same
    law, so that a simulation of coins needs no others. A collector takes only reports of coins that it gave.
    """
    check_labels(task, population)
    check_keys(task, population)
    check_values(task, population)
    if task.is_hashed:
        population = first_of_each_key(population)
    check_sizes(task, population)
    return perturb_many_from(VectorisedTape(source), task, population)


def perturb_many_from(
    tape: VectorisedTape, task: Task, population: Population, draws_per_batch: int = DRAWS_PER_BATCH
) -> Iterator[ReportBatch]:
    """Yield reports made from a given tape, of pairs that were checked: for audits."""
    for part, participants in _batches(task, population, draws_per_batch):
        ids = tape.report_ids(participants)
        chosen = _choose_others(task, part, participants, tape)
        yield ReportBatch(ids, _messages(task, chosen, participants, tape))


def _batches(task: Task, population: Population, draws_per_batch: int) -> Iterator[tuple[Population, Integers]]:
    """Yield the participants, some at a time, and their numbers."""
    batch = max(1, draws_per_batch // task.draws)
    for start in range(0, len(population), batch):
        offsets = population.offsets[start : start + batch + 1]
        row = slice(offsets[0], offsets[-1])
        labels = None if population.labels is None else population.labels[start : start + batch]
        part = Population(offsets - offsets[0], population.keys[row], population.values[row], labels)
        yield part, np.arange(start, start + len(part))


def _choose_others(task: Task, population: Population, participants: Integers, tape: VectorisedTape) -> Population:
    """Keep one of the pairs with unlisted keys, chosen at random where there are several; it comes last."""
    if task.other_index is None:
        return population
    counts = other_counts(task, population)
    is_other = population.keys == task.other_index
    owners = np.repeat(np.arange(len(population)), population.sizes)
    order = np.lexsort((is_other, owners))
    several = np.flatnonzero(counts > 1)
    drawn = np.zeros(len(population), np.int64)
    drawn[several] = tape.below(participants[several], counts[several].astype(np.uint64))
    kept = ~is_other[order]
    kept[(population.offsets[1:] - counts + drawn)[counts > 0]] = True
    return population.with_rows(order[kept])


def _messages(task: Task, population: Population, participants: Integers, tape: VectorisedTape) -> Messages:
    """Draw which question each participant answers, before pairs are looked at, and then the answers."""
    question, first = task.size_question, task.law.word_limit
    if question is None or first is None:
        return _pair_messages(task, population, participants, tape)
    asked = tape.draw(participants) < np.uint64(question.asked)
    words = np.empty(len(population), np.int64)
    words[asked] = first + answer_sizes(question, population.sizes[asked], participants[asked], tape)
    others = np.flatnonzero(~asked)
    words[others] = _pair_messages(task, population.take(others), participants[others], tape)
    return words


def _pair_messages(task: Task, population: Population, participants: Integers, tape: VectorisedTape) -> Messages:
    """Report pairs; the sampler of the task's mechanism is made to look at a pair each, or at several."""
    prepare = _sample if isinstance(task.law, SamplingLaw) else _take
    sampler: VectorisedSampler = load_part(task.mechanism, "vectorised_sampler")
    return sampler(task.law, prepare(task, population, participants, tape), tape)


def answer_sizes(question: SizeQuestion, sizes: Integers, participants: Integers, tape: VectorisedTape) -> Integers:
    """Answer how many pairs each participant holds, by randomized response."""
    ends = np.array(question.ends, np.int64)
    sizes = np.clip(sizes, question.padding, question.keys)
    answers = np.searchsorted(ends, sizes)
    between = np.flatnonzero(ends[answers] != sizes)
    around = ends[answers[between] - 1], ends[answers[between]], sizes[between]
    low, high, own = (_arrangements(numbers, question.order) for numbers in around)
    totals = (own * (high - low)).astype(np.uint64)
    answers[between] -= tape.below(participants[between], totals) < low * (high - own)
    moved = np.flatnonzero(tape.draw(participants) >= np.uint64(question.kept))
    others = tape.below(participants[moved], np.uint64(ends.size - 1))
    answers[moved] = others + (others >= answers[moved])
    return np.asarray(answers, np.int64)


def _arrangements(sizes: Integers, order: int) -> Integers:
    """Return in how many ways `order` of so many keys can be put in a row, which is what sizes are rounded by."""
    return np.asarray(np.prod([sizes - place for place in range(order)], axis=0), np.int64)


def _sample(task: Task, population: Population, participants: Integers, tape: VectorisedTape) -> Sampled:
    if task.derivation is not None:
        population = _with_items(_take(task, population, participants, tape))
    sizes = population.sizes
    slots = tape.below(participants, np.maximum(sizes, task.law.padding).astype(np.uint64))
    real = slots < sizes
    chosen = (population.offsets[:-1] + slots)[real]
    keys = np.full(len(population), task.law.keys)
    keys[real] = population.keys[chosen]
    below = np.zeros(len(population), np.int64)
    if not task.has_values:
        return Sampled(participants, real, keys, below, None)
    chances = np.full(len(population), VALUE_ONE // 2, np.uint64)
    below[real], chances[real] = _placed(task, population.values[chosen])
    return Sampled(participants, real, keys, below, chances)


def _take(task: Task, population: Population, participants: Integers, tape: VectorisedTape) -> Taken:
    owners, chosen = choose_rows(population, task.padding, participants, tape)
    keys = population.keys[chosen].astype(np.int64)
    if task.has_values:
        kept = Taken(participants, owners, keys, *_placed(task, population.values[chosen]))
    else:
        kept = Taken(participants, owners, keys, np.zeros_like(keys), None)
    if isinstance(task.derivation, ByGroup) and population.labels is not None:
        return _by_group(task.derivation, kept, population.labels)
    return _together(task.derivation, kept) if isinstance(task.derivation, Together) else kept


def _with_items(taken: Taken) -> Population:
    """Return participants who hold items, without values, each with their own in the order in which these are made."""
    order = np.argsort(taken.owners, kind="stable")
    sizes = np.bincount(taken.owners, minlength=taken.participants.size)
    return Population(np.append(0, np.cumsum(sizes)), taken.keys[order].astype(np.int32), np.zeros(order.size))


def _by_group(derivation: ByGroup, kept: Taken, labels: Integers) -> Taken:
    """Return everybody's label, which they report at the first level, and the keys that they keep within it."""
    everybody = np.arange(labels.size)
    children = derivation.child(labels[kept.owners], kept.keys)
    # Nothing is drawn for a label that has no value, and a chance of 0 never rises.
    chances = None if kept.chances is None else np.concatenate([np.zeros(labels.size, np.uint64), kept.chances])
    return Taken(
        kept.participants,
        np.concatenate([everybody, kept.owners]),
        np.concatenate([labels, children]),
        np.concatenate([np.zeros_like(labels), kept.below]),
        chances,
    )


def _together(derivation: Together, kept: Taken) -> Taken:
    """Return the keys that participants keep, and every two of them together, by their numbers."""
    order = np.lexsort((kept.keys, kept.owners))
    owners, keys = kept.owners[order], kept.keys[order]
    all_owners, items = [], list[Integers]()
    # Keys of one owner are next to each other, in order: those this far apart are pairs.
    most = int(np.bincount(owners).max(initial=0))
    for distance in range(1, most):
        first = np.flatnonzero(owners[distance:] == owners[:-distance])
        all_owners.append(owners[first])
        items.append(derivation.child(keys[first], keys[first + distance]))
    children = np.concatenate([np.zeros(0, np.int64), *items])
    in_order = np.argsort(children, kind="stable")
    their_owners = np.concatenate([np.zeros(0, np.int64), *all_owners])[in_order]
    numbers = np.concatenate([kept.keys, children[in_order]])
    return Taken(kept.participants, np.concatenate([kept.owners, their_owners]), numbers, np.zeros_like(numbers), None)


def choose_rows(
    population: Population, most: int, participants: Integers, tape: VectorisedTape
) -> tuple[Integers, Integers]:
    """Return the rows that reports are made from, at most `most` per participant, and whose they are."""
    sizes, starts = population.sizes, population.offsets[:-1]
    order = np.arange(population.keys.size)
    # The first pairs of each participant who holds too many are shuffled in, one place after another.
    many = np.flatnonzero(sizes > most)
    for place in range(most if many.size else 0):
        current = starts[many] + place
        other = current + tape.below(participants[many], (sizes[many] - place).astype(np.uint64))
        order[current], order[other] = order[other], order[current]
    owners = np.repeat(np.arange(len(population)), sizes)
    taken = np.arange(order.size) - starts[owners] < most
    return owners[taken], order[taken]


def _placed(task: Task, values: Floats) -> tuple[Integers, Draws]:
    """Return the levels below values, and the chances out of 2^53 of the next ones."""
    levels = np.array(task.level_values)
    below = np.clip(np.searchsorted(levels, values, "right") - 1, 0, levels.size - 2)
    low, high = levels[below], levels[below + 1]
    return below, ((values - low) / (high - low) * VALUE_ONE).astype(np.uint64)


def perturb_grr(law: GrrLaw, sampled: Sampled, tape: VectorisedTape) -> Integers:
    """Sample the words of `grr`, one per participant."""
    participants, keys = sampled.participants, sampled.keys.copy()
    dummies = np.flatnonzero(~sampled.real)
    keys[dummies] += tape.below(participants[dummies], np.uint64(law.padding))
    words = law.levels * keys + sampled.below + tape.rises(participants, sampled.chances)
    numbers = tape.draw(participants)
    moved = np.flatnonzero(numbers >= np.uint64(law.kept))
    flipped = numbers[moved] < np.uint64(law.kept + law.flipped)
    words[moved[flipped]] ^= 1
    moved = moved[~flipped]
    others = tape.below(participants[moved], np.uint64(law.spread))
    words[moved] = others + law.set_apart * (others >= words[moved] & -law.set_apart)
    return words


def perturb_ue_compact(law: UeCompactLaw, sampled: Sampled, tape: VectorisedTape) -> Integers:
    """Sample the words of `ue-compact`, one per participant."""
    participants = sampled.participants
    residues = law.first(sampled.below + tape.rises(participants, sampled.chances))
    functions = tape.below(participants, np.uint64(law.functions))
    kept = tape.draw(participants) < np.uint64(law.kept)
    moved = np.flatnonzero(~kept)
    others = tape.below(participants[moved], np.uint64(law.q - law.r))
    residues[moved] = others + law.r * (others >= residues[moved])
    if law.r > 1:
        inside = np.flatnonzero(kept)
        residues[inside] += tape.below(participants[inside], np.uint64(law.r))
    return functions * law.q + (residues - law.product(functions, sampled.keys)) % law.q


def perturb_collision(law: CollisionLaw, taken: Taken, tape: VectorisedTape) -> Integers:
    """Sample the words of `collision`, one per participant."""
    participants = taken.participants
    levels = taken.below + tape.rises(participants[taken.owners], taken.chances)
    functions = tape.below(participants, np.uint64(law.functions))
    return send_items(law, functions, taken.owners, law.item(taken.keys, levels), participants, tape)


def send_items(  # noqa: PLR0917
    law: CollisionLaw,
    functions: Integers,
    holders: Integers,
    items: Integers,
    participants: Integers,
    tape: VectorisedTape,
) -> Integers:
    """Report one function per participant, and a symbol that some of their items are sent to, or another.

    Holders of items are places in `participants`.
    """
    users = participants.size
    places = item_positions(law.numbering, items)
    sent_to = law.symbol_at(functions.view(np.uint64)[holders], places.view(np.uint64))
    # Each participant's own symbols, each once and in order.
    numbered = np.sort(holders * law.symbols + sent_to.view(np.int64))
    owners, own = np.divmod(numbered[np.diff(numbered, prepend=-1) != 0], law.symbols)
    counts = np.bincount(owners, minlength=users)
    starts = np.cumsum(counts) - counts
    numbers = tape.draw(participants)
    hits = numbers < counts.astype(np.uint64) * np.uint64(law.hit)
    symbols = np.empty(users, np.int64)
    symbols[hits] = own[starts[hits] + (numbers[hits] // np.uint64(law.hit)).view(np.int64)]
    missed = np.flatnonzero(~hits)
    symbols[missed] = tape.below(participants[missed], (law.symbols - counts[missed]).astype(np.uint64))
    # Own symbols are skipped: those that are not above the drawn one, once the ones before them are.
    skipped = ~hits[owners] & (own - (np.arange(own.size) - starts[owners]) <= symbols[owners])
    symbols += np.bincount(owners[skipped], minlength=users)
    return functions * law.symbols + symbols


def perturb_ue(law: UeLaw, sampled: Sampled, tape: VectorisedTape) -> Bytes:
    """Sample the bit planes of `ue` for each participant; the draws in memory at once are bounded."""
    rows = np.flatnonzero(sampled.real)
    positive = np.zeros(sampled.keys.size, bool)
    if sampled.chances is not None:
        positive[rows] = tape.rises(sampled.participants[rows], sampled.chances[rows])
    per_participant = DRAWS_PER_BATCH // max(1, sampled.keys.size) + _KEYS_PER_BYTE
    width = per_participant - per_participant % _KEYS_PER_BYTE
    blocks = [
        _ue_block(law, sampled, positive, range(start, min(start + width, law.keys)), tape)
        for start in range(0, law.keys, width)
    ]
    planes = [*(present for present, _ in blocks), *(sign for _, sign in blocks)]
    return np.concatenate(planes[: law.message_format.planes * len(blocks)], axis=1)


def _ue_block(law: UeLaw, sampled: Sampled, positive: Flags, keys: range, tape: VectorisedTape) -> tuple[Bytes, Bytes]:
    """Return the presence and the signs of some of the keys, which begin with a byte."""
    numbers = tape.draw(sampled.participants, len(keys)).reshape(-1, len(keys))
    plus = numbers < np.uint64(law.fake)
    present = numbers < np.uint64(law.levels * law.fake)
    rows = np.flatnonzero(sampled.real & (sampled.keys >= keys.start) & (sampled.keys < keys.stop))
    own = (rows, sampled.keys[rows] - keys.start)
    plus[own] = positive[rows] == (numbers[own] < np.uint64(law.kept))
    present[own] = numbers[own] < np.uint64(law.kept + law.flipped)
    packed = (np.packbits(plane, axis=1, bitorder="little") for plane in (present, plus & present))
    presence, signs = packed
    return presence, signs


class PrefixItems:
    """The items of the prefixes of many texts, each computed once, where it is first asked for."""

    def __init__(self, task: Task, texts: Sequence[str]) -> None:
        self._tree, self._digest, self._texts = task.tree, task.digest, texts
        self._known: NDArray[np.int32] = np.full(len(texts) * task.tree.groups, _UNKNOWN, np.int32)

    def items(self, texts: Integers, groups: Integers) -> Integers:
        """Return the items of some texts, given by their numbers, each in its group."""
        places = texts * self._tree.groups + groups
        wanted = np.unique(places[self._known[places] == _UNKNOWN])
        numbers, its_groups = np.divmod(wanted, self._tree.groups)
        self._known[wanted] = [
            self._tree.item(self._digest, self._tree.prefix(self._texts[number], group), group)
            for number, group in zip(numbers.tolist(), its_groups.tolist(), strict=True)
        ]
        return np.asarray(self._known[places], np.int64)


def perturb_texts(
    task: Task, texts: Sequence[str], population: Population, source: Source = os.urandom
) -> Iterator[ReportBatch]:
    """Yield one report of a discovery for every participant, in batches of bounded size, in the same order.

    Keys of the population are numbers of `texts`, which can be found (`PrefixTree.cut`); none is held twice.
    """
    return perturb_texts_from(VectorisedTape(source), task, texts, population)


def perturb_texts_from(
    tape: VectorisedTape,
    task: Task,
    texts: Sequence[str],
    population: Population,
    draws_per_batch: int = DRAWS_PER_BATCH,
) -> Iterator[ReportBatch]:
    """Yield reports of a discovery made from a given tape: for audits."""
    law = task.law
    if not isinstance(law, DiscoveryLaw):
        raise ParameterError(f"task {task.name!r} is not a discovery")
    known = PrefixItems(task, texts)
    for part, participants in _batches(task, population, draws_per_batch):
        ids = tape.report_ids(participants)
        holders, chosen = choose_rows(part, law.padding, participants, tape)
        functions = tape.below(participants, np.uint64(law.functions))
        items = known.items(part.keys[chosen].astype(np.int64), law.group_of(functions)[holders])
        yield ReportBatch(ids, send_items(law, functions, holders, items, participants, tape))
