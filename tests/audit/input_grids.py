"""Inputs of every kind that code tells apart by a number: repeated keys at any two places, and texts of any length.

The grids come from the limits in the code, so that another limit makes another grid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice, product

import numpy as np
import pyarrow as pa

from audit.batches import make_task
from audit.replay import SPARE_DRAWS, ReplayTape
from audit.unlisted_checks import stated_number
from pckv.base.canonical import MAX_NAME_BYTES
from pckv.base.errors import AuditFailure, PairsError
from pckv.base.limits import HASHED, MAX_ITEMS, REPORT_ID_BYTES
from pckv.base.population import Population
from pckv.base.randomness import Tape, fixed_source
from pckv.contract.task import Task
from pckv.device import checked_pairs, vectorised
from pckv.device.perturb import perturb_from
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import TablePairs
from pckv.files.pairs.texts import HeldTexts
from pckv.mechanisms.collision import positions
from pckv.mechanisms.collision.law import MAX_COUNTED_ITEMS, CollisionLaw

# Participants hold up to this many pairs, on both sides of where repeated keys are looked for in another way.
MOST_PAIRS = 3 * checked_pairs._FEW_PAIRS


def repeats() -> Iterator[tuple[int, int, int]]:
    """Yield numbers of pairs, and two places among them that have the same key."""
    for size in range(2, MOST_PAIRS + 1):
        yield from ((size, first, second) for first, second in combinations(range(size), 2))


def repeated_keys(size: int, first: int, second: int, *, descending: bool) -> list[int]:
    """Return that many different keys, in either order, of which two places have the same."""
    keys = list(range(size))[:: -1 if descending else 1]
    keys[second] = keys[first]
    return keys


def check_repeats() -> None:
    """Two pairs of one key are found, wherever they are, however many pairs a participant or another one holds."""
    task = make_task("grr", {}, MOST_PAIRS, 1, "1", "0")
    for number, (size, first, second) in enumerate(repeats()):
        keys = repeated_keys(size, first, second, descending=number % 2 == 0)
        # A participant before with some of the keys, and one after with as many as anyone.
        before, after = keys[:first], list(range(size))
        people = _population([before, keys, after])
        if not _is_refused(task, people):
            raise AuditFailure(f"repeats: pairs {first} and {second} of {size} pass")
        kept = checked_pairs.first_of_each_key(people)
        if kept.keys.tolist() != [*before, *dict.fromkeys(keys), *after]:
            raise AuditFailure(f"repeats: not the first of pairs {first} and {second} of {size} is kept")
    for size in range(1, MOST_PAIRS + 1):
        people = _population([list(range(size)), list(range(size))[::-1], [size - 1]])
        if _is_refused(task, people) or checked_pairs.first_of_each_key(people).keys.size != people.keys.size:
            raise AuditFailure(f"repeats: {size} different keys are refused, or some are left out")


def _population(people: Sequence[Sequence[int]]) -> Population:
    keys = np.array([key for held in people for key in held], np.int32)
    return Population(np.cumsum([0, *map(len, people)]), keys, np.zeros(keys.size))


def _is_refused(task: Task, people: Population) -> bool:
    try:
        checked_pairs.check_keys(task, people)
    except PairsError:
        return True
    return False


# More texts than 16 bits number.
TEXTS = 2**17 + 2
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def near_powers(stop: int) -> list[int]:
    """Return the numbers below a limit that are powers of two, or next to one."""
    near = {2**power + step for power in range(stop.bit_length() + 1) for step in (-1, 0, 1)}
    return sorted(number for number in {*near, stop - 1} if 0 <= number < stop)


def check_many_texts() -> None:
    """Texts far down the list are reported as themselves, at numbers next to all powers of two."""
    task = Task.discovery(name="texts", epsilon=4, alphabet=ALPHABET, characters=4, groups=2, padding=1)
    texts = ["".join(letters) for letters in islice(product(ALPHABET, repeat=4), TEXTS)]
    numbers = np.array(near_powers(TEXTS), np.int32)
    people = Population(np.arange(numbers.size + 1), numbers, np.ones(numbers.size))
    rng = np.random.default_rng(0)
    draws = rng.integers(2**64, size=(numbers.size, task.draws + SPARE_DRAWS), dtype=np.uint64)
    # The own symbol is reported: the third draw is below any threshold.
    draws[:, 1:] = 0
    ids = np.zeros((numbers.size, REPORT_ID_BYTES), np.uint8)
    [batch] = vectorised.perturb_texts_from(ReplayTape(ids, draws), task, texts, people)
    for number, row, word in zip(numbers.tolist(), draws, batch.messages.tolist(), strict=True):
        tape = Tape(task.draws, fixed_source(bytes(REPORT_ID_BYTES) + row.astype("<u8").tobytes()))
        if perturb_from(tape, task, [texts[number]]).body != task.message_format.encode(word):
            raise AuditFailure(f"many texts: number {number:,} is not reported as itself")


def texts_of_every_length() -> Iterator[str]:
    """Yield texts of every length in bytes that a key may have, of letters of one, two, three and four bytes."""
    for letter in "xé日😀":
        yield from (letter * count for count in range(1, MAX_NAME_BYTES // len(letter.encode()) + 1))


def check_key_numbers_of_every_length() -> None:
    """The number of a text is the stated hash, however long it is."""
    for levels in (2, 16):
        task = make_task("collision", {}, HASHED, 2, "1", "0", levels=levels)
        for text in texts_of_every_length():
            if task.key_index(text) != stated_number(task, text):
                raise AuditFailure(f"key numbers: not the stated hash of {len(text.encode())} bytes")


def check_positions() -> None:
    """The tables of many items say what single items are, next to all powers of two and to every step of a table."""
    for items in (2, positions.ITEMS_PER_STEP, MAX_COUNTED_ITEMS, MAX_COUNTED_ITEMS + 2, MAX_ITEMS):
        numbering = CollisionLaw(items // 2, 1, Fraction(1)).numbering
        steps = range(0, min(items, 40 * positions.ITEMS_PER_STEP), positions.ITEMS_PER_STEP)
        near = {start + step for start in steps for step in (-1, 0, 1)}
        tried = sorted({*near_powers(items), *(number for number in near if 0 <= number < items)})
        found = positions.item_positions(numbering, np.array(tried, np.int64))
        for item, position in zip(tried, found.tolist(), strict=True):
            if position != numbering.position(item):
                raise AuditFailure(f"positions: item {item:,} of {items:,} stands elsewhere in tables")


def check_held_texts() -> None:
    """Every participant of a table holds their own text, of more texts than 16 bits number."""
    tree = Task.discovery(name="texts", epsilon=4, alphabet=ALPHABET, characters=4).tree
    texts = ["".join(letters) for letters in islice(product(ALPHABET, repeat=4), 2**16 + 2)]
    users = [f"user {number}" for number in range(len(texts))]
    held = HeldTexts(TablePairs(pa.table({"user": users, "key": texts}), Columns("user", "key", "")), tree)
    [people] = held.populations()
    if held.texts != texts or sorted(people.keys.tolist()) != list(range(len(texts))):
        raise AuditFailure("held texts: two texts have one number, or one has two")
