"""Postprocessing: results are possible, dummies are counted correctly, and methods are named."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from pckv import Tally, Task, estimate, simulate
from pckv.auditing.variants import VARIANTS
from pckv.base.errors import ParameterError
from pckv.estimators.methods.registry import METHODS, POSTS, make_consistent
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.populations import zipf
from pckv.mechanisms.base import SamplingLaw
from pckv.mechanisms.registry import LAWS
from pckv.statistics.moments import CountMoments
from pckv.statistics.projection import project_to_sum, project_to_sum_at_most
from pckv.tally.counts import empty_counts
from pckv.tally.decode.support import NO_DUMMIES, DummySupport, decode_all
from support.sample_reports import TASKS, some_messages

# Fewer bits than a device has, so that exact weights are counts of a tally.
BITS = 8
COUNTED = ("grr", "ue-compact")
MEANS = ("mean", "mean_low", "mean_high")


def some_tally(mechanism: str, count: int = 3000, padding: int = 1) -> Tally:
    task = Task(name="t", keys=11, values=(0, 1), epsilon=1, padding=padding, mechanism=mechanism)
    tally = Tally(task)
    tally.add_many(some_messages(task, count))
    return tally


# Projections


def test_at_most_by_hand() -> None:
    for numbers, total, expected in (
        ([0.2, -0.1, 0.3], 1, [0.2, 0, 0.3]),
        ([0.9, 0.3, -0.2], 1, [0.8, 0.2, 0]),
        ([-1.0, -2.0], 1, [0, 0]),
        ([0.75, 0.25, -3.0], 1, [0.75, 0.25, 0]),
    ):
        assert project_to_sum_at_most(np.array(numbers), total) == pytest.approx(expected, abs=1e-15)


@st.composite
def truths(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """Draw frequencies of a possible population, and the padding they are collected with."""
    padding = draw(st.integers(1, 4))
    weights = np.array(draw(st.lists(st.floats(0, 1), min_size=1, max_size=8)))
    return weights * min(1, padding * draw(st.floats(0, 1)) / max(weights.sum(), 1e-9)), padding


@given(truths(), st.randoms(use_true_random=False))
def test_no_possible_truth_is_further_away_than_before(example: tuple[np.ndarray, int], random: object) -> None:
    """By squared distances over all projected coordinates, to every possible point."""
    truth, padding = example
    rng = default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    with_dummy = np.append(truth, padding - truth.sum())
    noise = rng.normal(0, 10.0 ** rng.integers(-3, 2), with_dummy.size)

    def closer(after: np.ndarray, before: np.ndarray, goal: np.ndarray) -> bool:
        return bool(((after - goal) ** 2).sum() <= ((before - goal) ** 2).sum() + 1e-9)

    assert closer(project_to_sum(with_dummy + noise, padding), with_dummy + noise, with_dummy)
    noisy = truth + noise[:-1]
    assert closer(project_to_sum_at_most(noisy, padding), noisy, truth)
    moments = CountMoments.of(TASKS["ue"].law.count_law)
    assert closer(make_consistent(noisy, NO_DUMMIES, 1, moments, padding), noisy, truth)


# Dummies


def small_laws(mechanism: str) -> list[SamplingLaw]:
    """Every branch of a mechanism, with two and three keys and several paddings."""
    kind = LAWS[mechanism]
    built = [
        kind.from_parameters(keys, padding, Fraction(1), parameters, bits=BITS)
        for keys, padding, parameters in itertools.product((2, 3), (1, 2, 3), VARIANTS[mechanism])
    ]
    return [law for law in built if isinstance(law, SamplingLaw)]


@pytest.mark.parametrize("mechanism", COUNTED)
def test_dummies_are_counted_exactly(mechanism: str) -> None:
    """In fractions, for every set of keys: unbiased, and with the keys' frequencies the padding in all.

    The control leaves the dummies out: the keys alone do not add up to the padding.
    """
    left_out = 0
    for law in small_laws(mechanism):
        a, b, _ = law.probabilities
        assert law.word_limit is not None
        for held in itertools.chain.from_iterable(
            itertools.combinations(range(law.keys), size) for size in range(law.keys + 1)
        ):
            distribution = law.distribution(dict.fromkeys(held, 1))
            counts = empty_counts(law.word_limit)
            words = sorted(distribution.weights)
            counts.add_counts(np.array(words), np.array([distribution.weights[word] for word in words], np.int64))
            support, dummies = decode_all(law, counts)

            def frequency(total: int, supported: int, reports: int = distribution.total) -> Fraction:
                return (Fraction(total, reports) - supported * b) * law.padding / (a - b)  # noqa: B023

            of_dummies = frequency(dummies.total, dummies.dummies)
            of_keys = frequency(int(support.counts.sum()), law.keys)
            assert of_dummies == max(0, law.padding - len(held))
            assert of_keys + of_dummies == law.padding
            left_out += of_keys != law.padding
    assert left_out > 0


@pytest.mark.parametrize("mechanism", COUNTED)
def test_a_tally_without_noise_is_not_changed(mechanism: str) -> None:
    """A tally in the exact proportions of people with one pair and three slots: nothing needs to change.

    The control makes the keys alone add up to the padding, and is far off.
    """
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, padding=3, mechanism=mechanism)
    distribution, reports = task.law.distribution({1: 1}), 10**9
    words = np.array(sorted(distribution.weights))
    tally = Tally(task)
    tally.add_counted(
        words,
        np.array([distribution.weights[word] * reports // distribution.total for word in words.tolist()], np.int64),
    )
    frequencies = estimate(tally, "corrected", post="consistent").frequency
    assert frequencies == pytest.approx([0, 1, 0], abs=1e-6)
    assert np.abs(project_to_sum(frequencies, 3) - [0, 1, 0]).max() > 0.5


def test_mechanisms_that_drop_their_dummies_count_none() -> None:
    for mechanism in ("ue", "collision"):
        tally = some_tally(mechanism, padding=3)
        assert decode_all(tally.task.law, tally.counts)[1] == NO_DUMMIES
    assert [some_tally(name, padding=3).task.law.counted_dummies for name in COUNTED] == [3, 1]


@pytest.mark.parametrize("mechanism", COUNTED)
def test_the_lab_counts_dummies_too(mechanism: str) -> None:
    """Every participant holds 2 pairs of 4 slots: dummies have frequency 2, on average over 1,000 collections.

    Within 5 standard errors of that average (a false alarm in two million); the control, which takes the noise of one
    dummy more, is 10 or more away.
    """
    dataset = zipf(2000, 30, default_rng(1), pairs=2)
    law = LAWS[mechanism].from_parameters(30, 4, Fraction(4), {})
    moments, model, rng = CountMoments.of(law.count_law), SamplingModel(dataset), default_rng(2)
    dummy_counts = [count_reports(law, model.prepare(law, rng), rng).dummies for _ in range(1000)]

    def standard_errors_off(more: int) -> float:
        frequencies = np.array(
            [(total / 2000 - (dummies + more) * moments.noise) / moments.signal for total, dummies in dummy_counts]
        )
        return float(abs(frequencies.mean() - 2) / (frequencies.std(ddof=1) / len(frequencies) ** 0.5))

    assert standard_errors_off(0) < 5
    assert standard_errors_off(1) > 10


# Estimates


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("padding", [1, 3])
def test_frequencies_become_consistent_and_all_else_stays(mechanism: str, method: str, padding: int) -> None:
    tally = some_tally(mechanism, padding=padding)
    plain = estimate(tally, method)
    consistent = estimate(tally, method, post=["consistent"])
    assert (plain.method, consistent.method) == (method, f"{method}+consistent")
    assert np.all((consistent.frequency >= 0) & (consistent.frequency <= 1))
    assert consistent.frequency.sum() <= padding + 1e-9
    assert np.all(
        (consistent.frequency_low <= consistent.frequency) & (consistent.frequency <= consistent.frequency_high)
    )
    assert all(np.array_equal(getattr(consistent, name), getattr(plain, name)) for name in MEANS)
    some = estimate(tally, method, keys=["7", "0"], post="consistent")
    assert some.to_dict()["estimates"] == [consistent.to_dict()["estimates"][row] for row in (7, 0)]


def test_unclipped_frequencies_are_made_consistent() -> None:
    """`corrected` and `baseline` project the same unbiased frequencies; clipped ones would give others."""
    tally = some_tally("ue")
    consistent_ones = [estimate(tally, method, post="consistent").frequency for method in METHODS]
    assert np.array_equal(consistent_ones[0], consistent_ones[1])
    unbiased = estimate(tally, "baseline").frequency
    assert np.array_equal(consistent_ones[0], np.minimum(project_to_sum_at_most(unbiased, 1), 1))
    clipped = project_to_sum_at_most(estimate(tally, "corrected").frequency, 1)
    assert np.abs(clipped - consistent_ones[0]).max() > 1e-4


@pytest.mark.parametrize("mechanism", LAWS)
def test_no_reports_and_one(mechanism: str) -> None:
    for count in (0, 1):
        for method in METHODS:
            estimates = estimate(some_tally(mechanism, count), method, post=POSTS)
            assert all(np.isfinite(column).all() for column in list(estimates.to_arrow().to_pydict().values())[1:])
            assert np.all(
                (estimates.frequency_low <= estimates.frequency) & (estimates.frequency <= estimates.frequency_high)
            )


def test_naming_a_post_twice_changes_nothing() -> None:
    tally = some_tally("ue")
    once, twice = (estimate(tally, "corrected", post=post) for post in ("consistent", ["consistent"] * 2))
    assert once.method == twice.method == "corrected+consistent"
    assert np.array_equal(once.frequency, twice.frequency)
    assert once.to_dict()["method"] == once.to_arrow().schema.metadata[b"pckv.method"].decode()


@pytest.mark.parametrize(
    ("post", "message"),
    [
        ("tidy", "post 'tidy' does not exist: choose from consistent$"),
        (["consistent", ""], "post '' does not exist"),
        ("oversize", "post 'oversize' does not exist"),
    ],
)
def test_bad_posts(post: str | list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        estimate(some_tally("grr"), post=post)


def test_too_many_keys_to_fit_together() -> None:
    padded = Tally(Task(name="t", keys=2**25, values=(0, 1), epsilon=2, padding=2, mechanism="grr"))
    message = "33,554,432 keys and 2 dummies are too many .*: leave out post 'consistent'"
    with pytest.raises(ParameterError, match=message):
        estimate(padded, keys=["1"], post="consistent")
    assert len(estimate(padded, "corrected", keys=["1"])) == 1


# The lab


def test_simulated_with_and_without_are_the_same_reports() -> None:
    """Means do not change, so they show whether the reports are the same; frequencies do."""
    dataset = zipf(20_000, 40, default_rng(5), pairs=4, exponent=0.0)
    rows = {
        post: simulate(
            dataset,
            epsilon=["0.5"],
            mechanism=["ue", "kvue"],
            padding=2,
            method="corrected",
            repeats=3,
            post=post,
            workers=1,
        )
        for post in ((), ("consistent",))
    }
    assert [row.method for row in rows["consistent",]] == ["corrected+consistent", "own"]
    assert len({row[0].mse_mean for row in rows.values()}) == 1
    assert len({row[1].mse_frequency for row in rows.values()}) == 1
    assert rows["consistent",][0].mse_frequency < rows[()][0].mse_frequency
    with pytest.raises(ParameterError, match="post 'tidy' does not exist"):
        simulate(dataset, epsilon=["4"], mechanism=["ue"], post="tidy")


def test_an_impossible_estimate_of_dummies() -> None:
    """If the estimate of the dummies is far off, keys still get possible frequencies."""
    moments = CountMoments.of(TASKS["grr"].law.count_law)
    frequency = np.array([0.4, -0.1])
    assert make_consistent(frequency, DummySupport(10**6, 1), 10, moments, 1).tolist() == [0, 0]
    assert make_consistent(frequency, DummySupport(0, 10**6), 10, moments, 1) == pytest.approx([0.75, 0.25])
