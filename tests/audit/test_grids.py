"""Grids of levels, sizes of sets, repeats and texts, and planted faults that show at a few of these numbers alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from audit.grids import (
    PADDINGS,
    check_alone,
    check_law_of_levels,
    check_law_of_sizes,
    check_single,
    check_together,
    level_reports,
    levels_of,
    size_reports,
)
from audit.input_grids import (
    check_held_texts,
    check_key_numbers_of_every_length,
    check_many_texts,
    check_positions,
    check_repeats,
)
from pckv.base.limits import MAX_LEVELS, MIN_LEVELS
from pckv.mechanisms.registry import LAWS
from support.faults import Fault, in_place

WITH_LEVELS = [name for name, law in LAWS.items() if law.max_levels > MIN_LEVELS]
# `perturb_many` is called for every third report alone: a call takes longer than a report of a batch.
ALONE = 3


def check_batches_of_levels(name: str) -> None:
    """Batches make the reports of single participants with every number of levels."""
    for levels in levels_of(name):
        check_together(level_reports(name, levels))


def check_batches_of_sizes(name: str) -> None:
    """The same of sets of every size up to three paddings."""
    for padding in PADDINGS:
        reports = list(size_reports(name, padding))
        check_together(reports)
        check_alone(reports)


def check_laws_of_levels(name: str) -> None:
    """Single reports follow the stated law with every number of levels."""
    for levels in levels_of(name):
        check_law_of_levels(name, levels)


def check_laws_of_sizes(name: str) -> None:
    """The same of sets of every size up to three paddings."""
    for padding in PADDINGS:
        check_law_of_sizes(name, padding)


def test_the_grid_has_every_number_of_levels() -> None:
    for name in WITH_LEVELS:
        assert list(levels_of(name)) == list(range(1, MAX_LEVELS + 1))


@pytest.mark.parametrize("name", [*reversed(LAWS)])
def test_batches_with_every_number_of_levels(name: str) -> None:
    check_batches_of_levels(name)


def test_the_grid_has_all_answers() -> None:
    for padding in PADDINGS:
        reports = list(size_reports("grr", padding))
        first, limit = reports[0].task.law.word_limit, reports[0].task.word_limit
        assert first is not None
        assert limit is not None
        assert {report.message for report in reports if report.message >= first} == set(range(first, limit))


CHECKS = (check_batches_of_sizes, check_laws_of_levels, check_laws_of_sizes)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_grids(check: Callable[[str], None], name: str) -> None:
    check(name)


@pytest.mark.verify
@pytest.mark.parametrize("name", LAWS)
def test_reports_of_one_tape_of_bytes(name: str) -> None:
    for levels in levels_of(name):
        reports = level_reports(name, levels)
        check_single(reports)
        check_alone(reports[::ALONE])


INPUTS = (check_repeats, check_many_texts, check_held_texts, check_key_numbers_of_every_length, check_positions)


def test_inputs() -> None:
    for check in INPUTS:
        check()


BATCH, PAIRS, PADDING, TASK = (
    "device/vectorised.py",
    "device/checked_pairs.py",
    "mechanisms/padding.py",
    "contract/task.py",
)
GRR, COMPACT, COLLISION = (f"mechanisms/{name}/device.py" for name in ("grr", "ue_compact", "collision"))
batches, batch_sizes = partial(check_batches_of_levels, "collision"), partial(check_batches_of_sizes, "collision")
HITS = "hits = numbers < counts.astype(np.uint64) * np.uint64(law.hit)"
FAULTS = (
    in_place("hits twice as likely at 6 to 12 levels", BATCH, {HITS: f"{HITS.removesuffix('law.hit)')}law.hit * (1 + (6 <= law.levels <= 12)))"}, batches, "batch equals single"),
    in_place("repeats are found next to each other alone from 9 pairs on", PAIRS, {"keys = keys if ascending.all() else keys[np.lexsort((keys, owners))]": "ascending.all()"}, check_repeats, "repeats"),
    in_place("texts beyond 2^16 share items", BATCH, {"places = texts * self._tree.groups": "places = texts % 2**16 * self._tree.groups"}, check_many_texts, "many texts"),
    in_place("numbers of texts are below 2^16", TASK, {"self.key_hash(key) % self.key_count": "self.key_hash(key) % self.key_count % 2**16"}, check_key_numbers_of_every_length, "key numbers"),
    in_place("long texts are cut", TASK, {"key_hash(key) % self.key_count": "key_hash(key[:200]) % self.key_count"}, check_key_numbers_of_every_length, "key numbers"),
    in_place("texts of a table beyond 2^16 share a number", "files/pairs/texts.py", {"len(self._numbers)) if": "len(self._numbers) % 2**16) if"}, check_held_texts, "held texts"),
    in_place("repeats are looked for up to six places apart", PAIRS, {"= range(1, largest)": "= range(1, min(largest, 7))"}, check_repeats, "repeats"),
    in_place("the last of repeated keys is kept", PAIRS, {"order[1:][(held": "order[:-1][(held"}, check_repeats, "repeats"),
    in_place("the last entry of a table is the first", "mechanisms/collision/positions.py", {"low[items % ITEMS_PER_STEP]": "low[items % (ITEMS_PER_STEP - 1)]"}, check_positions, "positions"),
    in_place("the highest of 7 levels is never drawn", BATCH, {"words = law.levels * keys + sampled.below": "words = law.levels * keys + np.minimum(sampled.below, 4 + 99 * (law.levels != 7))"}, partial(check_batches_of_levels, "grr"), "batch equals single"),
    in_place("13 levels are told in another order", BATCH, {"law.first(sampled.below": "law.first(sampled.below if law.levels != 13 else 11 - sampled.below"}, partial(check_batches_of_levels, "ue-compact"), "batch equals single"),
    in_place("fives are chosen as fours, in batches", BATCH, {"range(most if many.size else 0)": "range(most - (most == 5) if many.size else 0)"}, batch_sizes, "batch equals single"),
    in_place("no noise at 9 levels", GRR, {"if number < law.kept:": "if number < law.kept or law.levels == 9:"}, partial(check_laws_of_levels, "grr"), "another chance"),
    in_place("hits twice as likely at 6 to 12 levels, single reports", COLLISION, {"number < len(own) * law.hit": "number < len(own) * law.hit * (1 + (6 <= law.levels <= 12))", "own[number // law.hit]": "own[number // law.hit % len(own)]"}, partial(check_laws_of_levels, "collision"), "another chance"),
    in_place("14 levels are told in another order, single reports", COMPACT, {"law.first(draw_level(law, pair, tape))": "law.first(draw_level(law, pair, tape) if law.levels != 14 else 13 - draw_level(law, pair, tape))"}, partial(check_laws_of_levels, "ue-compact"), "another chance"),
    in_place("the first of 7 pairs is always taken", PADDING, {"return pairs[slot] if": "return pairs[slot if len(pairs) != 7 else 0] if"}, partial(check_laws_of_sizes, "grr"), "another chance"),
    in_place("the first of 13 pairs is always taken", COLLISION, {"tape.below(len(held) - place)": "(tape.below(len(held) - place) if len(held) != 13 else 0)"}, partial(check_laws_of_sizes, "collision"), "choice of pairs"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_a_fault_between_sizes_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
