"""Set sizes: what a padding keeps of them, where they come from, and the padding that is planned for them."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pilots import LABELS, pilot, shares_of

from pckv import Tally, Task, estimate, plan
from pckv.channels import CHANNELS, BucketsChannel, build
from pckv.errors import ParameterError
from pckv.moments import CountMoments
from pckv.planning.prediction import predict
from pckv.planning.set_sizes import SetSizes

SOME_SIZES = st.dictionaries(st.integers(1, 300), st.floats(0.01, 100), min_size=1, max_size=8)


def test_what_a_padding_keeps_by_hand() -> None:
    """20 people without pairs, 40 with one, 30 with two, 10 with ten: 200 pairs."""
    sizes = SetSizes({0: 20, 1: 40, 2: 30, 10: 10})
    assert (sizes.mean, sizes.largest) == (2.0, 10)
    assert sizes.shown_pair_share(1) == pytest.approx(80 / 200)
    assert sizes.shown_pair_share(2) == pytest.approx((40 + 60 + 20) / 200)
    assert sizes.shown_pair_share(10) == sizes.shown_pair_share(11) == 1
    roots = 40 + 30 * math.sqrt(2) + 10 * math.sqrt(10)
    assert sizes.seen(2) == pytest.approx((40 + 30 * math.sqrt(2) + 10 * math.sqrt(10) * 0.2) / roots)
    assert sizes.seen(10) == 1
    assert [sizes.percentile(share) for share in (0.1, 0.2, 0.21, 0.6, 0.9, 0.91, 1)] == [
        0,
        0,
        1,
        1,
        2,
        10,
        10,
    ]
    assert shares_of(sizes.at_most(2)) == pytest.approx({0: 0.2, 1: 0.4, 2: 0.4})


def test_everybody_alike_shows_the_same_share_of_every_key() -> None:
    sizes = SetSizes({5: 3})
    for padding in (1, 2, 5, 9):
        assert (
            sizes.seen(padding)
            == pytest.approx(min(1, padding / 5))
            == pytest.approx(sizes.shown_pair_share(padding))
        )


@given(SOME_SIZES)
def test_longer_paddings_keep_more_and_of_popular_keys_most(people: dict[int, float]) -> None:
    sizes = SetSizes(people)
    for share in (sizes.shown_pair_share, sizes.seen):
        shown = [share(padding) for padding in range(1, sizes.largest + 1)]
        assert shown == sorted(shown)
        assert shown[-1] == 1
    for padding in (1, 2, 10, 100):
        assert sizes.seen(padding) >= sizes.shown_pair_share(padding) - 1e-12
        assert sizes.shown_pair_share(padding) * sizes.mean == pytest.approx(sizes.at_most(padding).mean)


def test_sizes_are_spread_over_a_bucket_log_uniformly() -> None:
    assert shares_of(SetSizes.of_buckets(zip(LABELS, [0, 0, 0, 7, 0, 0, 0], strict=True))) == pytest.approx(
        {3: 4 / 7, 4: 3 / 7}
    )
    within = shares_of(SetSizes.of_buckets(zip(LABELS, [0, 0, 0, 0, 0, 0, 1.0], strict=True)))
    assert list(within) == list(range(17, 33))
    assert [within[size] * size for size in within] == pytest.approx([17 * within[17]] * 16)


@pytest.mark.parametrize(
    ("labels", "largest"),
    [(["0", "1+"], 1), (["0", "1", "2+"], 2), (["0", "1", "2", "3+"], 4), (["17+", "0", "1-16"], 32)],
)
def test_an_open_bucket_ends_where_the_next_would_begin(labels: list[str], largest: int) -> None:
    assert SetSizes.of_buckets((label, 1.0) for label in labels).largest == largest


@pytest.mark.parametrize("largest", [1, 2, 3, 4, 5, 20, 512, 2**14])
def test_the_buckets_of_every_pilot_are_read(largest: int) -> None:
    channel = build("buckets", 100, largest, Fraction(1), {})
    assert isinstance(channel, BucketsChannel)
    for number in range(1, channel.rows):
        sizes = list(
            shares_of(SetSizes.of_buckets(zip(channel.labels, np.eye(channel.rows)[number], strict=True)))
        )
        assert sizes[0] == channel.starts[number]
        assert sizes[-1] == max(channel.ends[number], channel.ends[number - 1] * 2)


def test_the_estimates_of_a_real_pilot_are_understood() -> None:
    """Half of the people hold one pair, half of them three or four; ε is so large that no bucket changes."""
    task = Task(name="t", keys=50, values=(0, 1), epsilon=20, padding=8, kind="sizes")
    tally = Tally(task)
    tally.add_many(np.repeat([1, 3], 5000))
    estimates = estimate(tally)
    assert shares_of(SetSizes.of(estimates)) == pytest.approx({1: 1 / 2, 3: 2 / 7, 4: 3 / 14}, rel=0.01)
    assert plan(50, 10**9, 1, sizes=estimates).padding == 4


@pytest.mark.parametrize(
    "labels",
    [
        ["0", "1", "2"],
        ["1", "2+"],
        ["0", "1", "3-4", "5+"],
        ["0", "1", "1", "2+"],
        ["0", "1+", "2+"],
        ["0+", "1"],
        [str(key) for key in range(9)],
        [],
    ],
)
def test_parts_of_a_pilot_and_other_keys_are_refused(labels: list[str]) -> None:
    with pytest.raises(
        ParameterError, match=r"has all buckets: 0, 1, 2, 3-4 and so on|can be told from zero"
    ):
        SetSizes.of_buckets((label, 0.1) for label in labels)


@pytest.mark.parametrize("label", ["alien", "", "-1", "3-", "+", "1.5", "²", "123456+", None])
def test_bad_labels_are_refused(label: Any) -> None:
    with pytest.raises(ParameterError, match=r"is not a bucket of sizes such as 2, 3-4 or 257\+$"):
        SetSizes.of_buckets([(label, 1.0)])


def test_noise_in_a_large_bucket_is_not_taken_for_people() -> None:
    """Two of a hundred with 17 pairs or more would hold a quarter of all pairs: only if the pilot is sure of it."""
    shares = [0, 0.9, 0.08, 0, 0, 0, 0.02]
    unsure = SetSizes.of_pilot(pilot(shares, low=[0, 0.8, 0.04, 0, 0, 0, 0]))
    assert shares_of(unsure) == pytest.approx({1: 20 / 21, 2: 1 / 21})
    sure = SetSizes.of_pilot(pilot(shares))
    assert sure.mean > 1.3
    assert unsure.mean == pytest.approx(22 / 21)
    with pytest.raises(ParameterError, match="can be told from zero: the pilot needs more people"):
        SetSizes.of_pilot(pilot(shares, low=[0.0] * 7))


@pytest.mark.parametrize(
    ("people", "message"),
    [
        ({}, "sizes of nobody"),
        ({1: 0}, "sizes of nobody"),
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


def test_the_guess_of_frequencies_sums_to_the_mean_size() -> None:
    """Its 50 largest by hand; saturation aside, all of them sum to the mean size."""
    sizes, keys = SetSizes({1: 1, 3: 1}), 2000
    scale = 2 / math.log(2008.5 / 8.5)
    rates = [scale / (rank + 8) for rank in range(1, keys + 1)]
    assert sum(rates) == pytest.approx(2, rel=1e-3)
    squares = [(1 - math.exp(-rate)) ** 2 for rate in rates[:50]]
    assert sizes.popular_frequency(keys) == pytest.approx(math.sqrt(sum(squares) / 50))
    assert plan(keys, 1000, 1, sizes=sizes).frequency == sizes.popular_frequency(keys)
    assert 0 < SetSizes({0: 10**12, 1: 1}).popular_frequency(1) < SetSizes({1: 1}).popular_frequency(1) < 1


def paddings(planned: Any) -> dict[str, int]:
    return {option.mechanism: option.padding for option in planned.options}


@pytest.mark.parametrize("epsilon", ["0.5", "4"])
def test_the_padding_in_clear_cases(epsilon: str) -> None:
    one = plan(500, 10**9, epsilon, sizes={1: 1})
    assert set(paddings(one).values()) == {1}
    ten = plan(500, 10**12, epsilon, sizes={1: 60, 10: 40})
    assert set(paddings(ten).values()) == {10}
    few = paddings(plan(500, 100, epsilon, sizes={1: 60, 10: 40}, objective="frequency"))
    # A long padding adds hardly any noise to grr.
    assert max(few[name] for name in CHANNELS if name != "grr") < 3


def test_pairs_are_the_same_as_a_single_size() -> None:
    for pairs in (1, 7, 300):
        by_pairs = plan(1000, 10**6, 2, pairs).to_dict()
        by_sizes = plan(1000, 10**6, 2, sizes={pairs: 4}, frequency=0.05).to_dict()
        assert by_pairs.pop("alternatives") == ()
        assert len(by_sizes.pop("alternatives")) == 1
        assert by_pairs == by_sizes
    with pytest.raises(ParameterError, match="pairs and sizes say the same: give one of them"):
        plan(1000, 10**6, 2, 1, sizes={1: 1})


def test_nobody_holds_more_than_all_keys() -> None:
    planned = plan(10, 10**6, 1, sizes=pilot([0, 0.1, 0.1, 0.1, 0.1, 0.3, 0.3]))
    assert planned.pairs < planned.usual_pairs == 10
    assert max(paddings(planned).values()) <= 10


@pytest.mark.parametrize("people", [{1: 70, 2: 20, 6: 8, 40: 2}, {20: 30, 50: 40, 150: 20, 700: 10}], ids=str)
def test_more_people_never_shorten_a_padding(people: dict[int, float]) -> None:
    """Noise shrinks with people and the bias of a short padding does not: of the frequency alone, for one mechanism.

    With fewer than 10^4, grr's estimates are all 0 or 1, whatever the padding.
    """
    plans = [plan(3000, 10**power, 1, sizes=people, objective="frequency") for power in range(4, 10)]
    for name in CHANNELS:
        chosen = [paddings(planned)[name] for planned in plans]
        assert chosen == sorted(chosen)
        assert chosen[0] < chosen[-1]


def test_a_plan_shows_alternative_paddings() -> None:
    people = {1: 700, 2: 150, 4: 100, 9: 40, 60: 10}
    planned = plan(5000, 100_000, 2, sizes=people, objective="frequency")
    sizes = SetSizes(people)
    assert (planned.pairs, planned.usual_pairs) == (sizes.mean, 4)
    assert planned.seen == sizes.seen(planned.padding)
    (usual,) = planned.alternatives
    assert (usual.rule, usual.padding) == ("90 %", 4)
    chosen = next(option for option in planned.options if option.mechanism == planned.mechanism)
    assert usual.frequency_error > chosen.frequency_error
    assert [way["rule"] for way in json.loads(json.dumps(planned.to_dict()))["alternatives"]] == ["90 %"]


def test_a_short_padding_is_predicted_as_bias() -> None:
    """Everybody holds three pairs and two are shown: the error is the noise of what is shown, and the bias squared."""
    moments, users = CountMoments.of(build("collision", 100, 2, Fraction(2), {}).count_law), 10**7
    predicted = predict(moments, users, 0.3, 2 / 3).frequency
    noise = moments.frequency_variance(0.2) / users
    assert predicted == pytest.approx(noise + 0.1**2, rel=1e-3)


def test_the_predicted_bias_is_exact_for_the_assumed_population() -> None:
    """The predicted bias is exact for a population whose holders are drawn by the root of their sizes."""
    sizes = SetSizes({1: 500, 4: 400, 9: 100})
    # A key that 5, 10 and 15 % of the people of the three sizes hold.
    holders = {1: 25.0, 4: 40.0, 9: 15.0}
    for padding, (size, number) in itertools.product((1, 2, 4), holders.items()):
        assert number == pytest.approx(0.05 * math.sqrt(size) * {1: 500, 4: 400, 9: 100}[size])
        shown = sum(count * min(1, padding / held) for held, count in holders.items())
        assert sizes.seen(padding) == pytest.approx(shown / 80)
