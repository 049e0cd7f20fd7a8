"""Participants' pairs from files: rows are collected into a population; bad rows are refused or repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.errors import PairsError
from pckv.base.levels import listed
from pckv.base.limits import REFUSE, REFUSE_BETWEEN
from pckv.base.population import Population
from pckv.base.progress import Progress, no_progress
from pckv.base.words import plural
from pckv.contract.task import Task
from pckv.files.pairs.rows import NO_KEY, PairsSource, RowBatch, RowKeys, format_number, row_keys
from pckv.files.spill import SpilledRecords

REPEATED = LAST, MEAN = "last", "mean"
# What is wrong with a row that has a value alone: one that has neither is a user without pairs.
NO_NAME = "a value without a key"
# The code of a refusal of all pairs of a user, by the first row that is too many.
TOO_MANY_PAIRS = "too_many_pairs"
# What stands for the number of a label that is not known.
NO_LABEL = -1


class Repairs(NamedTuple):
    """What is done to bad rows instead of refusing them."""

    # Move values outside the range to its end, and those between levels that a task refuses to the nearest one.
    clip: bool = False
    # Which value counts where a user has a key twice: one of REPEATED.
    repeated: str | None = None

    @classmethod
    def of(cls, task: Task, *, clip: bool, repeated: str | None) -> Repairs:
        """Return the repairs for a task; a key without a value is held once, however often a file has it."""
        return cls(clip, repeated) if task.has_values else cls(repeated=LAST)


NO_REPAIRS = Repairs()

# Takes a batch with each row's key as an integer, its value within the range, whether the row is used, and where the
# task has a segment the number of its label.
AddRows = Callable[[RowBatch, Integers, Floats, Flags, Integers | None], None]


class PairRules(NamedTuple):
    """What the pairs of one user must keep to, and how rows that do not are named."""

    # Which value counts where a user has a key twice: one of REPEATED; None refuses it.
    repeated: str | None
    # How many pairs a user may have.
    most: int | None
    keys: RowKeys
    # Refuses the rows of some indices, as `PairsSource.refuse` does those of some numbers.
    refuse: Callable[..., None]


class RepairedPopulation(NamedTuple):
    """A population, and how many of its rows were merged into others."""

    population: Population
    merged: int


def population_of(
    file: PairsSource, task: Task, repairs: Repairs = NO_REPAIRS, progress: Progress = no_progress
) -> RepairedPopulation:
    """Return the participants of a source of pairs, checked against a task, in the order they appear."""
    keys = row_keys(task)
    builder = PopulationBuilder(file, keys)
    read_task_rows(file, builder.add, task, repairs, progress)
    population, merged = builder.build(repairs.repeated, most_pairs(task))
    return RepairedPopulation(on_levels(file, population, task, repairs), merged)


def on_levels(file: PairsSource, population: Population, task: Task, repairs: Repairs) -> Population:
    """Return values that are levels where a task takes no others: the means of repeated ones may not be."""
    if task.between != REFUSE_BETWEEN or repairs.repeated != MEAN:
        return population
    if repairs.clip:
        return replace(population, values=_nearest_levels(population.values, task))
    between = np.flatnonzero(~np.isin(population.values, task.level_values))
    if between.size:
        key = task.key_name(int(population.keys[between[0]]))
        mean = format_number(float(population.values[between[0]]))
        reason = f"mean {mean} of a user's values of key {key!r} is not one of {listed(task.level_values)}"
        raise file.error(reason, "value_between_levels")
    return population


def most_pairs(task: Task) -> int | None:
    """Return how many pairs a task takes from one user; None where a choice of them is reported."""
    return task.padding if task.more == REFUSE else None


def read_task_rows(file: PairsSource, add: AddRows, task: Task, repairs: Repairs, progress: Progress) -> None:
    """Check all rows against a task and pass those that are not refused to `add`."""
    of_text = row_keys(task).of_text
    for batch in file.batches(progress):
        keys, are_keys = _task_keys(file, batch, task, of_text)
        values, are_values, moved = _task_values(file, batch, task, repairs)
        labels, are_labels = _task_labels(file, batch, task)
        good = (batch.blank | are_keys & are_values) & are_labels
        file.findings.clipped += int((good & moved).sum())
        some, used = batch.only(good), ~batch.blank[good]
        # As on a device: its user is a participant without this pair.
        left_out = used & (keys[good] == NO_KEY)
        file.findings.left_out += int(left_out.sum())
        used &= ~left_out
        if task.other_index is not None and not task.is_hashed:
            _count_unlisted(file, some, used & (keys[good] > task.other_index))
        add(some, keys[good], values[good], used, None if labels is None else labels[good])


def _task_keys(file: PairsSource, batch: RowBatch, task: Task, of_text: Callable[[str], int]) -> tuple[Integers, Flags]:
    """Return each row's key as an integer, and which rows have one; others are refused."""
    names, codes = batch.keys.names, batch.keys.codes
    numbers, problems = np.zeros(len(names), np.int64), dict[int, str]()
    for code, name in enumerate(names):
        try:
            # Without a text there is no key, not even one that is not listed.
            numbers[code] = of_text(name) if name else task.key_index(name)
        except PairsError as error:
            problems[code] = str(error)
    known = np.ones(len(names), np.bool_)
    known[list(problems)] = False
    unknown = ~known[codes] & ~batch.blank
    nameless = unknown & batch.keys.rows_with("")
    if nameless.any():
        file.refuse(batch.rows[nameless], NO_NAME, NO_NAME)
    unlisted = unknown & ~nameless
    if unlisted.any():
        reason = problems[int(codes[np.argmax(unlisted)])]
        differ = np.unique(codes[unlisted]).size > 1
        file.refuse(batch.rows[unlisted], "unknown key", reason, "unknown_key", differ=differ)
    _count_unlisted(file, batch, unlisted)
    return numbers[codes], known[codes]


def _task_labels(file: PairsSource, batch: RowBatch, task: Task) -> tuple[Integers | None, Flags]:
    """Return the number of each row's label, and which rows have one; others are refused. None without a segment."""
    every = np.ones(batch.rows.size, np.bool_)
    if task.segment is None or batch.labels is None:
        return None, every
    names, codes = batch.labels
    numbers, problems = np.zeros(len(names), np.int64), dict[int, str]()
    for code, name in enumerate(names):
        try:
            numbers[code] = task.segment.label_index(name or None)
        except PairsError as error:
            problems[code] = str(error)
    for code, reason in problems.items():
        kind = "unknown label" if names[code] else "no label"
        file.refuse(batch.rows[codes == code], kind, reason, "unknown_label")
    return numbers[codes], ~np.isin(codes, list(problems))


def settle_labels(known: Integers, users: NDArray[np.int32], labels: Integers) -> Flags:
    """Give every user whose label is not known, which is below 0, the first one; return which rows have another."""
    first, at = np.unique(users, return_index=True)
    new = known[first] < 0
    known[first[new]] = labels[at[new]]
    return np.asarray(labels != known[users])


def _refuse_second_labels(file: PairsSource, rows: Integers) -> None:
    """Refuse rows whose label is not the one that their user has in an earlier row."""
    if rows.size:
        reason = "this user has another label in an earlier row"
        file.refuse(np.sort(rows), reason, reason, "second_label")


def _count_unlisted(file: PairsSource, batch: RowBatch, rows: Flags) -> None:
    """Count some rows by the names of their keys, which a task does not list."""
    pairs = np.bincount(batch.keys.codes[rows], minlength=len(batch.keys.names))
    for code in np.flatnonzero(pairs).tolist():
        file.findings.add_unlisted(batch.keys.names[code], int(pairs[code]))


def _task_values(file: PairsSource, batch: RowBatch, task: Task, repairs: Repairs) -> tuple[Floats, Flags, Flags]:
    """Return values within the range, which rows have one, and which were moved there; others are refused."""
    values, used, (low, high) = batch.values, ~batch.blank, task.ends

    def refuse(wrong: Flags, kind: str, code: str | None = None) -> None:
        first = format_number(float(values[np.argmax(wrong)]))
        differ = np.unique(values[wrong]).size > 1
        file.refuse(batch.rows[wrong], f"value {kind}", f"value {first} {kind}", code, differ=differ)

    infinite = used & ~np.isfinite(values)
    if infinite.any():
        refuse(infinite, "is not a finite number")
    outside = used & ~infinite & ~((values >= low) & (values <= high))
    if outside.any() and not repairs.clip:
        refuse(outside, f"is outside [{low:g}, {high:g}]", "value_outside_range")
    inside = np.clip(np.where(infinite, low, values), low, high)
    between = np.zeros(values.size, np.bool_)
    if task.between == REFUSE_BETWEEN:
        between = used & ~infinite & ~np.isin(inside, task.level_values)
        if between.any() and not repairs.clip:
            refuse(between, f"is not one of {listed(task.level_values)}", "value_between_levels")
        inside = _nearest_levels(inside, task)
    wrong = outside | between
    if repairs.clip:
        return inside, ~infinite, wrong
    return inside, ~(infinite | wrong), np.zeros_like(wrong)


def _nearest_levels(values: Floats, task: Task) -> Floats:
    """Return the level nearest to each value, the lower of two that are equally near."""
    levels = np.array(task.level_values)
    below = np.clip(np.searchsorted(levels, values, "right") - 1, 0, levels.size - 2)
    low, high = levels[below], levels[below + 1]
    return np.where(high - values < values - low, high, low)


class PopulationBuilder:
    """Rows of pairs in memory, until they are built into a population."""

    def __init__(self, file: PairsSource, keys: RowKeys) -> None:
        self.file = file
        self._keys = keys
        self._users: dict[str, int] = {}
        # The number of every user's label; below 0 where none was read.
        self._labels = np.zeros(0, np.int64)
        self._has_labels = False
        self._user = _GrowingArray(np.dtype(np.int32))
        self._key = _GrowingArray(keys.kind)
        self._value = _GrowingArray(np.dtype(np.float64))
        # As many rows as fit into memory have numbers that short.
        self._row = _GrowingArray(np.dtype(np.int32))

    def add(self, batch: RowBatch, keys: Integers, values: Floats, used: Flags, labels: Integers | None = None) -> None:
        """Add a batch; the user of an unused row is still a participant."""
        codes = [self._users.setdefault(name, len(self._users)) for name in batch.users.names]
        users = np.array(codes, np.int32)[batch.users.codes]
        if labels is not None:
            more = max(len(self._users), 2 * self._labels.size) if len(self._users) > self._labels.size else 0
            self._labels = np.append(self._labels, np.full(max(more - self._labels.size, 0), NO_LABEL))
            self._has_labels = True
            others = settle_labels(self._labels, users, labels)
            _refuse_second_labels(self.file, batch.rows[others])
            used = used & ~others
        self._user.extend(users[used])
        self._key.extend(keys[used])
        self._value.extend(values[used])
        self._row.extend(batch.rows[used])

    def build(self, repeated: str | None, most: int | None = None) -> tuple[Population, int]:
        """Return all participants' pairs, and how many rows were merged into others."""
        if not self.file.findings.rows:
            raise self.file.error("no rows")
        rows = self._row.release()

        def refuse(indices: Integers, *what: str, differ: bool = False) -> None:
            self.file.refuse(rows[indices], *what, differ=differ)

        population, merged = build_population(
            self._user.release(),
            self._key.release(),
            self._value.release(),
            participants=len(self._users),
            rules=PairRules(repeated, most, self._keys, refuse),
        )
        labels = self._labels[: len(self._users)] if self._has_labels else None
        return replace(population, labels=labels), merged


def build_population(
    users: NDArray[np.int32],
    keys: Integers | NDArray[np.int32],
    values: Floats,
    *,
    participants: int,
    rules: PairRules,
) -> tuple[Population, int]:
    """Return rows of pairs as a population, and how many rows were merged into others.

    Different keys of one number stay apart, in the order of their rows: `perturb_many` chooses among them.
    """
    # A stable order: rows of one user and key stay as they came.
    order = np.lexsort((keys, users))
    # One after the other: each unordered column is freed before the next one is copied.
    users = users[order]
    keys = keys[order]
    values = values[order]
    repeats = np.zeros(users.size, np.bool_)
    repeats[1:] = (users[1:] == users[:-1]) & (keys[1:] == keys[:-1])
    if repeats.any():
        if rules.repeated is None:
            first = int(np.flatnonzero(repeats)[np.argmin(order[repeats])])
            kind = "appears twice for this user"
            reason = f"{rules.keys.name(int(keys[first]))} {kind}"
            differ = len(set(map(rules.keys.name, np.unique(keys[repeats]).tolist()))) > 1
            rules.refuse(np.sort(order[repeats]), f"key {kind}", reason, "repeated_key", differ=differ)
        values = _merge_repeats(values, repeats, rules.repeated or LAST)
        users, keys, order = users[~repeats], keys[~repeats], order[~repeats]
    numbers = rules.keys.numbers(keys)
    shared = np.zeros(users.size, np.bool_)
    shared[1:] = (users[1:] == users[:-1]) & (numbers[1:] == numbers[:-1])
    if shared.any():
        by_row = np.lexsort((order, numbers, users))
        values, order = values[by_row], order[by_row]
    if rules.most is not None:
        _check_number(users[~shared], order[~shared], rules.most, rules)
    offsets = np.append(0, np.cumsum(np.bincount(users, minlength=participants)))
    # What is refused is not merged.
    return Population(offsets, numbers, values), 0 if rules.repeated is None else int(repeats.sum())


def _check_number(users: NDArray[np.int32], order: Integers, most: int, rules: PairRules) -> None:
    """Refuse the first row that gives a user one pair too many."""
    by_row = np.lexsort((order, users))
    starts = np.flatnonzero(np.r_[True, users[1:] != users[:-1]]) if users.size else by_row
    rank = np.arange(users.size) - np.repeat(starts, np.diff(np.append(starts, users.size)))
    too_many = order[by_row][rank == most]
    if too_many.size:
        reason = f"this user has more than {plural(most, 'pair')}, the most that the task takes"
        rules.refuse(np.sort(too_many), reason, reason, TOO_MANY_PAIRS)


class _GrowingArray:
    """An array that grows in place: there may be many millions of rows, and no room for them twice."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._array = np.empty(0, kind)
        self._size = 0

    def extend(self, part: NDArray[Any]) -> None:
        end = self._size + part.size
        if end > self._array.size:
            self._array.resize(max(end, 2 * self._array.size), refcheck=False)
        self._array[self._size : end] = part
        self._size = end

    def release(self) -> NDArray[Any]:
        """Return the whole array and forget it."""
        whole, self._array = self._array, np.empty(0, self._array.dtype)
        whole.resize(self._size, refcheck=False)
        self._size = 0
        return whole


def _merge_repeats(values: Floats, repeats: Flags, how: str) -> Floats:
    """Return one value per run of rows with the same user and key; most runs have one row."""
    merged = values[~repeats]
    indices = np.flatnonzero(repeats)
    starts = indices[np.flatnonzero(~repeats[indices - 1])] - 1
    ends = indices[np.flatnonzero(~np.append(repeats, False)[indices + 1])]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        run = values[start : end + 1]
        # Rounding must not move a mean outside its values, and so perhaps outside the range.
        value = run[-1] if how == LAST else np.clip(run.mean(), run.min(), run.max())
        merged[start - np.searchsorted(indices, start)] = value
    return merged


# A user is identified by 128 bits of a hash; a row without a pair has no key.
RECORD = np.dtype([("user", "<u8", (2,)), ("row", "<i8"), ("value", "<f8"), ("key", "<i8"), ("label", "<i1")])


class SpilledRows:
    """Rows of pairs on disk, until they are built into populations, one per group."""

    def __init__(self, file: PairsSource, keys: RowKeys) -> None:
        self.file = file
        self._keys = keys
        self._spill = SpilledRecords(RECORD)
        self.close = self._spill.close

    def add(self, batch: RowBatch, keys: Integers, values: Floats, used: Flags, labels: Integers | None = None) -> None:
        """Add a batch; the user of an unused row is still a participant."""
        records = np.zeros(len(batch.rows), RECORD)
        records["user"] = batch.users.hashes()
        records["row"], records["value"] = batch.rows, values
        records["key"] = np.where(used, keys, NO_KEY)
        records["label"] = NO_LABEL if labels is None else labels
        self._spill.add(records, records["user"][:, 0])

    def populations(self, repeated: str | None, most: int | None) -> Iterator[tuple[Population, int]]:
        """Yield all pairs, some participants at a time, and how many rows were merged into others."""
        if not self.file.findings.rows:
            raise self.file.error("no rows")
        for records in self._spill.read():
            yield self._population(records, repeated, most)

    def _population(self, records: NDArray[Any], repeated: str | None, most: int | None) -> tuple[Population, int]:
        order = np.lexsort(records["user"].T)
        new = np.ones(order.size, np.bool_)
        new[1:] = (records["user"][order[1:]] != records["user"][order[:-1]]).any(axis=1)
        users = np.empty(order.size, np.int32)
        users[order] = np.cumsum(new) - 1
        used = records["key"] != NO_KEY
        labels = np.full(int(new.sum()), NO_LABEL, np.int64)
        if (records["label"] != NO_LABEL).any():
            # The first row of a user decides.
            by_row = np.argsort(records["row"], kind="stable")
            others = by_row[settle_labels(labels, users[by_row], records["label"][by_row])]
            _refuse_second_labels(self.file, records["row"][others])
            used[others] = False
        pairs = records[used]

        def refuse(indices: Integers, *what: str, differ: bool = False) -> None:
            self.file.refuse(pairs["row"][indices], *what, differ=differ)

        population, merged = build_population(
            users[used],
            pairs["key"],
            pairs["value"],
            participants=labels.size,
            rules=PairRules(repeated, most, self._keys, refuse),
        )
        return replace(population, labels=None if (labels == NO_LABEL).any() else labels), merged


def read_populations(
    file: PairsSource, task: Task, repairs: Repairs = NO_REPAIRS, progress: Progress = no_progress
) -> Iterator[RepairedPopulation]:
    """Read all pairs: at once where memory allows, else some participants at a time."""
    if not file.is_large:
        yield population_of(file, task, repairs, progress)
        return
    with closing(SpilledRows(file, row_keys(task))) as spilled:
        read_task_rows(file, spilled.add, task, repairs, progress)
        most = most_pairs(task)
        if (most is not None or task.segment is not None) and not file.counts_faults:
            # A file in which a participant has too many pairs, or two labels, is refused whole, before it is used.
            for _ in spilled.populations(repairs.repeated, most):
                pass
        for population, merged in spilled.populations(repairs.repeated, most):
            yield RepairedPopulation(on_levels(file, population, task, repairs), merged)
