"""Set sizes: what a padding keeps of them, and where they come from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import plan
from pckv.base.errors import ParameterError
from pckv.planning.people import expected_sizes
from pckv.planning.set_sizes import SetSizes, blocks

SOME_SIZES = st.dictionaries(st.integers(1, 3000), st.floats(0.01, 100), min_size=1, max_size=8)


def shares_of(sizes: SetSizes) -> dict[int, float]:
    return dict(sizes._shares)


def test_what_a_padding_keeps_by_hand() -> None:
    """20 people without pairs, 40 with one, 30 with two, 10 with ten: 200 pairs."""
    sizes = SetSizes({0: 20, 1: 40, 2: 30, 10: 10})
    assert (sizes.mean, sizes.smallest, sizes.largest) == (2.0, 0, 10)
    kept = [sizes.at_most(padding).mean for padding in (1, 2, 10, 11)]
    assert kept == pytest.approx([0.8, 1.2, 2, 2])
    assert [sizes.share_above(padding) for padding in (0, 1, 2, 9, 10)] == pytest.approx([0.8, 0.4, 0.1, 0.1, 0])
    percentiles = [sizes.percentile(share) for share in (0.1, 0.2, 0.21, 0.6, 0.9, 0.91, 1)]
    assert percentiles == [0, 0, 1, 1, 2, 10, 10]
    assert shares_of(sizes.at_most(2)) == pytest.approx({0: 0.2, 1: 0.4, 2: 0.4})


@given(SOME_SIZES)
def test_groups_keep_people_and_pairs(people: dict[int, float]) -> None:
    sizes = SetSizes(people)
    groups = sizes.grouped()
    assert math.fsum(share for _, share in groups) == pytest.approx(1)
    assert math.fsum(size * share for size, share in groups) == pytest.approx(sizes.mean)
    # Sizes that are counted together differ by little.
    for size in people:
        assert min(abs(size - middle) for middle, _ in groups) <= size / 8


@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 40), (3, 1000), (100, 2**31)])
def test_blocks_cover_every_number_once(first: int, last: int) -> None:
    found = blocks(last, first)
    assert sum(block.width for block in found) == last - first + 1
    edges = [block.middle - block.width / 2 for block in found]
    assert edges[0] == first - 0.5
    for block, edge in zip(found[:-1], edges[1:], strict=True):
        assert block.middle + block.width / 2 == edge
    assert len(found) < 400


@pytest.mark.parametrize(
    ("typical", "most", "keys", "largest"),
    [
        (3, None, 100, 9),
        (3, 5, 100, 5),
        (3, None, 4, 4),
        (2.3, None, 50, 7),
        (30, 5000, 5000, 5000),
        (8, 9, 12, 9),
    ],
)
def test_assumed_sizes_have_the_average_and_the_largest(
    typical: float, most: int | None, keys: int, largest: int
) -> None:
    sizes = SetSizes.assumed(typical, most, keys)
    assert sizes.mean == pytest.approx(typical)
    assert (sizes.smallest, sizes.largest) == (1, largest)


def test_assumed_sizes_are_as_even_as_the_average_allows() -> None:
    """A uniform distribution has the largest entropy, otherwise one whose logarithm is straight."""
    assert list(shares_of(SetSizes.assumed(3, 5, 100)).values()) == pytest.approx([0.2] * 5)
    logarithms = np.log(list(shares_of(SetSizes.assumed(3, 9, 100)).values()))
    assert np.diff(logarithms) == pytest.approx([np.diff(logarithms)[0]] * 8)
    assert logarithms[0] > logarithms[-1]
    assert shares_of(SetSizes.assumed(1, 50, 100)) == {1: 1}
    assert shares_of(SetSizes.assumed(7, 7, 100)) == {7: 1}


@pytest.mark.parametrize(
    ("typical", "most", "message"),
    [
        (0, None, "pairs must be at least 0.000001, not 0$"),
        (0.5, None, r"pairs must be at least the share of people who hold any \(1\), not 0.5: each of those"),
        (11, None, r"pairs must be at most the number of keys \(10\), not 11$"),
        (math.nan, None, "pairs must be"),
        (3, 2, "most pairs must be at least the 3 pairs of the average"),
        (3, 11, "at most the number of keys"),
    ],
)
def test_impossible_averages_are_refused(typical: float, most: int | None, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SetSizes.assumed(typical, most, 10)


@given(st.floats(0.01, 1), st.floats(1, 20), st.integers(20, 3000))
def test_people_without_pairs_are_added_to_those_who_hold_any(holding: float, average: float, keys: int) -> None:
    """The same sizes as if all people held any, each with a part of its share."""
    all_hold, some_hold = (SetSizes.assumed(average * share, None, keys, share) for share in (1.0, holding))
    assert some_hold.holding == pytest.approx(holding)
    assert some_hold.mean == pytest.approx(holding * average)
    assert (some_hold.smallest_held, some_hold.largest) == (all_hold.smallest, all_hold.largest)
    for padding in (1, 3, 9):
        assert some_hold.share_above(padding) == pytest.approx(holding * all_hold.share_above(padding), abs=1e-9)


@pytest.mark.parametrize(
    ("said", "people"),
    [
        # Of nothing that is said, all hold one pair; of a padding, that many.
        ({}, {1: 1}),
        ({"padding": 3}, {3: 1}),
        ({"holding": 0.4}, {0: 0.6, 1: 0.4}),
        ({"holding": 0.4, "padding": 3}, {0: 0.6, 3: 0.4}),
        ({"holding": 0.4, "most_pairs": 2}, {0: 0.6, 1: 0.2, 2: 0.2}),
        ({"holding": 0.3, "pairs": 0.3}, {0: 0.7, 1: 0.3}),
        ({"pairs": 1, "most_pairs": 1}, {1: 1}),
        ({"pairs": 0.2, "most_pairs": 1}, {0: 0.8, 1: 0.2}),
        ({"pairs": 0.2, "more": "refuse"}, {0: 0.8, 1: 0.2}),
        ({"pairs": 1, "more": "refuse"}, {1: 1}),
    ],
    ids=str,
)
def test_what_is_said_of_people_who_hold_any(said: dict[str, Any], people: dict[int, float]) -> None:
    assert shares_of(expected_sizes(100, **said)) == pytest.approx(people)


def test_where_only_an_average_is_said_those_who_hold_any_hold_two_pairs() -> None:
    """An average of 0.4 means that six of ten people or more hold nothing; from two on, all hold some."""
    for pairs, holding in ((0.4, 0.2), (1, 0.5), (1.5, 0.75), (2, 1), (7, 1)):
        sizes = expected_sizes(100, pairs)
        assert sizes.holding == pytest.approx(holding)
        assert sizes.mean == pytest.approx(pairs)
    # As many hold any as hold a key that is named.
    assert expected_sizes(100, 1, frequency=0.7).holding == pytest.approx(0.7)


def test_sizes_of_answers_keep_who_holds_more_and_what_they_hide() -> None:
    """People above the first end keep their share, and the mean of 1/size that rounding to ends kept."""
    ends, shares = (4, 5, 16, 5000), (0.7, 0.2, 0.06, 0.04)
    sizes = SetSizes.of_shares(ends, shares)
    assert sizes.smallest == 4
    assert sizes.share_above(4) == pytest.approx(0.3)
    inverse = sum(share / size for size, share in shares_of(sizes).items())
    assert inverse == pytest.approx(sum(share / end for end, share in zip(ends, shares, strict=True)), rel=0.01)
    # The last end is the number of keys: a set that was rounded to it need not hold all of them.
    assert sizes.mean < 10 < sum(share * end for end, share in zip(ends, shares, strict=True))


def test_noise_is_not_taken_for_people() -> None:
    assert shares_of(SetSizes.of_shares((2, 3, 8), (0.9, 0.05, 0.05), error=0.06)) == {2: 1}
    assert SetSizes.of_shares((2, 3, 8), (0.9, 0.05, 0.05), error=0.02).share_above(2) == pytest.approx(0.06)
    for shares in ((0.9, 0.1), (0.9, 0.2, -0.1), (0.9, math.nan, 0.1)):
        with pytest.raises(ParameterError, match="one share, from 0 to 1, for every end"):
            SetSizes.of_shares((2, 3, 8), shares)


@pytest.mark.parametrize(
    ("people", "message"),
    [
        ({}, "sizes of 0 people"),
        ({1: 0}, "sizes of 0 people"),
        ({0: 5}, "who hold no pair"),
        ({-1: 5}, "a size must be a whole number of at least 0 and at most 2\\^31, not -1"),
        ({1.5: 5}, "not 1.5"),
        ({"one": 5}, "not 'one'"),
        ({2**31 + 1: 5}, "at most 2\\^31"),
        ({1: -5}, "size 1: people must be at least 0 and at most 10\\^15, not -5"),
        ({1: math.nan}, "not nan"),
        ({1: math.inf}, "not inf"),
        ({1: "many"}, "not 'many'"),
        ({1: 10**400}, "at most 10\\^15"),
    ],
)
def test_bad_sizes_are_refused(people: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SetSizes(people)
    if people:
        with pytest.raises(ParameterError, match=message):
            plan(10, 100, 1, sizes=people)
