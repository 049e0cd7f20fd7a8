"""The order and the ids that `pckv shuffle` writes: uniform, drawn, and independent of how reports come and leave."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from pckv import Task
from support.faults import Fault, in_place
from support.sample_reports import COLLISION, COMPACT, SPARSE
from support.shuffle_checks import (
    check_at_least,
    check_every_byte_of_keys,
    check_large_split,
    check_sizes,
    check_small_limits,
    check_uniform,
    sizes_at_limits,
)
from support.shuffle_command import FILE_TO_FILE, PLANES, STREAM_TO_STREAM, WAYS, WIDE_PLANES, Way


def test_three_rows_are_uniform_over_all_draws() -> None:
    check_uniform(SPARSE, 3, FILE_TO_FILE, block=2)
    check_uniform(PLANES, 3, STREAM_TO_STREAM, block=1)


@pytest.mark.verify
@pytest.mark.parametrize("way", WAYS, ids="-to-".join)
@pytest.mark.parametrize("task", [SPARSE, PLANES], ids=["words", "planes"])
def test_three_rows_are_uniform_in_blocks_of_any_size(task: Task, way: Way) -> None:
    for block in (2, 3, 4):
        check_uniform(task, 3, way, block)


@pytest.mark.verify
def test_more_rows_are_uniform() -> None:
    """Four rows, groups that are split, and the other mechanisms' words."""
    check_uniform(SPARSE, 4, FILE_TO_FILE, block=3)
    check_uniform(PLANES, 4, Way("both", "file"), block=2)
    for task in (SPARSE, PLANES):
        check_uniform(task, 3, FILE_TO_FILE, block=2, split=True)
    for task in (COMPACT, COLLISION):
        check_uniform(task, 3, Way("files", "stream"), block=2)


def test_rows_are_ordered_by_every_bit_of_their_keys() -> None:
    check_every_byte_of_keys()


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_batches_at_every_limit_follow_the_draws(turn: int) -> None:
    check_small_limits(turn)


def test_large_batches_follow_the_draws() -> None:
    for task in (SPARSE, PLANES):
        check_sizes(task, [40_000])


def test_large_groups_that_are_split_follow_the_draws() -> None:
    check_large_split()


@pytest.mark.verify
@pytest.mark.parametrize("task", [SPARSE, PLANES], ids=["words", "planes"])
def test_batches_of_every_order_of_magnitude_follow_the_draws(task: Task) -> None:
    check_sizes(task, [2**power + 2**power * (7 * power % 11) // 11 for power in range(18)], WAYS)


@pytest.mark.verify
def test_wide_planes_follow_the_draws_at_the_limits_as_they_are() -> None:
    """No limit is made smaller; where all rows are in one group, it is split."""
    sizes = sizes_at_limits(WIDE_PLANES, 1100)
    assert len(sizes) >= 12
    assert max(sizes) > 1024
    check_sizes(WIDE_PLANES, sizes)


@pytest.mark.verify
def test_words_follow_the_draws_at_the_limits_as_they_are() -> None:
    """Row groups, batches that are read, and writes of spilled messages; a part of a row group is left."""
    check_sizes(SPARSE, [2**21 + 1])


def test_at_least_counts_different_reports() -> None:
    for source in ("file", "files", "stream", "both"):
        check_at_least(Way(source, "file"))


# Planted faults

PERMUTED = "yield messages[random_order(len(messages), self._source)]"
PERMUTED_FIRST = "messages = messages[random_order(len(messages), self._source)]\n            "

FAULTS = [
    in_place(
        "bit planes are ordered within a group",
        "shuffling/permutation.py",
        {PERMUTED: PERMUTED_FIRST + "yield messages if messages.ndim == 1 else messages[np.lexsort(messages.T)]"},
        partial(check_uniform, PLANES, 3, FILE_TO_FILE, block=2),
    ),
    in_place(
        "keys of 32 bits, ties in order of arrival",
        "shuffling/permutation.py",
        {"np.argsort(keys)": "np.argsort(keys >> np.uint64(32), kind='stable')"},
        check_every_byte_of_keys,
    ),
    in_place(
        "keys are rounded to floats",
        "shuffling/permutation.py",
        {"np.argsort(keys)": "np.argsort(keys.astype(float), kind='stable')"},
        check_every_byte_of_keys,
    ),
    in_place(
        "ties are kept in large groups",
        "shuffling/permutation.py",
        {"if (ordered": "if count > 100 or (ordered"},
        check_every_byte_of_keys,
    ),
    in_place(
        "groups of large batches stay in order of arrival",
        "shuffling/permutation.py",
        {
            PERMUTED: (
                "order = random_order(len(messages), self._source)\n"
                "            yield messages if self._spilled._sizes.sum() > 30_000 else messages[order]"
            )
        },
        partial(check_sizes, SPARSE, [40_000]),
        "the order is not",
    ),
    in_place(
        "no group is permuted",
        "shuffling/permutation.py",
        {PERMUTED: "yield messages"},
        partial(check_uniform, SPARSE, 3, FILE_TO_FILE, block=2),
    ),
    in_place(
        "groups that are split are split by position",
        "shuffling/permutation.py",
        {"return messages, random_groups(": "return messages, np.arange(len(messages)).astype(np.uint8)  # ("},
        check_small_limits,
    ),
    in_place(
        "groups of many rows that are split repeat after 4,096 rows",
        "shuffling/permutation.py",
        {
            "return messages, random_groups(len(messages), self._source)": (
                "return messages, np.resize(random_groups(min(len(messages), 2**12), self._source), len(messages))"
            )
        },
        check_large_split,
        "the order is not|ids are not",
    ),
    in_place(
        "new ids are hashes of the old ones",
        "shuffling/shuffle.py",
        {
            "deduplicator.add(batch,": (
                "self.bars = [*getattr(self, 'bars', []), *batch.column('report_id').to_pylist()]\n"
                "                    deduplicator.add(batch,"
            ),
            "yield block\n                written": (
                "hashes = b''.join(__import__('hashlib').md5(old).digest() for old in self.bars[written:])\n"
                "                ids = np.frombuffer(hashes, np.uint8).reshape(-1, 16)\n"
                "                yield ids[: len(block[0])], block[1]\n                written"
            ),
        },
        partial(check_sizes, SPARSE, [5]),
        "ids are not",
    ),
    in_place(
        "the last block is in order of its words",
        "shuffling/shuffle.py",
        {"yield block[:filled]": "yield np.sort(block[:filled])"},
        partial(check_uniform, SPARSE, 3, FILE_TO_FILE, block=4),
    ),
    in_place(
        "at least counts copies",
        "shuffling/shuffle.py",
        {"if batch.reports < at_least": "if batch.reports + batch.repeated < at_least"},
        partial(check_at_least, FILE_TO_FILE),
    ),
    in_place(
        "streams are in order of their words",
        "cli/inputs.py",
        {
            "task, batches)\n        with": "task, ((ids, words[words.argsort(0)]) for ids, words in batches))\n        with"
        },
        partial(check_uniform, SPARSE, 3, STREAM_TO_STREAM, block=3),
    ),
    in_place(
        "the command draws from a generator of its own",
        "cli/shuffle.py",
        {"bars=row_bar": "bars=row_bar, source=__import__('random').Random(1).randbytes"},
        partial(check_sizes, SPARSE, [5]),
        "ids are not",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_the_command_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)
