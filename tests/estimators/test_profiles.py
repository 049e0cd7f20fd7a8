"""Profiles: the shares of levels that `bayes` estimates with what all keys show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.profiles import (
    CommonProfile,
    KnownFrequencies,
    _log_likelihood,
    learn_common,
    learn_profiles,
)
from pckv.estimators.shares import own_interval, own_shares
from pckv.statistics.moments import Scale
from pckv.tally.decode.support import KeySupport
from support.counts import CountedLevels, count_levels, holders_by_level

COMMON = np.array([0.05, 0.1, 0.15, 0.2, 0.5])
EVERY_KEY = slice(None)


def zipf_population(epsilon: str, seed: int, odd: int = 0) -> CountedLevels:
    """Draw 60,000 people's reports over 120 keys; every `odd`-th key has the reversed profile."""
    rng = default_rng(seed)
    weights = np.arange(1, 121) ** -0.8
    profiles = rng.dirichlet(40 * COMMON, 120)
    if odd:
        profiles[::odd] = profiles[::odd, ::-1]
    held = holders_by_level(rng.multinomial(60_000, weights / weights.sum()), profiles, rng)
    return count_levels(held, 60_000, epsilon, rng)


def distances(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the total variation distance of every row."""
    return np.asarray(np.abs(found - truth).sum(axis=1) / 2)


def is_level(level: int) -> Scale:
    """Return the scale on which a mean is the share of a level."""
    return Scale(tuple(float(each == level) for each in range(5)))


@pytest.fixture(scope="module")
def counted() -> CountedLevels:
    """Return counts at ε = 2."""
    return zipf_population("2", 1)


def test_shares_are_possible_and_have_the_reported_mean(counted: CountedLevels) -> None:
    found = learn(counted.support, counted.reports, counted.moments)
    shares = found.profiles.shares
    assert shares.min() >= 0
    assert shares.sum(axis=1) == pytest.approx(1)
    assert found.estimates()[1] == pytest.approx(shares @ np.array(counted.moments.scale.values))


def test_shares_are_at_least_twice_as_near_to_the_truth_as_the_keys_own(counted: CountedLevels) -> None:
    # Ten seeds gave factors of 3.4 to 4.5.
    own = own_shares(counted.support, counted.reports, counted.moments)
    found = learn(counted.support, counted.reports, counted.moments).profiles.shares
    assert distances(own, counted.shares).mean() > 2 * distances(found, counted.shares).mean()


def test_the_common_profile_is_learned() -> None:
    counted = zipf_population("6", 2)
    found = learn(counted.support, counted.reports, counted.moments).profiles.common
    assert found.shares == pytest.approx(COMMON, abs=0.04)
    # Profiles were drawn with a scatter of 1/41.
    assert 0.005 < found.scatter < 0.1


def test_without_information_all_levels_are_alike(counted: CountedLevels) -> None:
    nobody = KeySupport(np.round(np.full_like(counted.support.counts, counted.support.counts.mean())))
    shares = learn(nobody, counted.reports, counted.moments).profiles.shares
    assert shares == pytest.approx(np.full(shares.shape, 0.2), abs=0.01)


def test_the_order_of_keys_and_of_levels_does_not_matter(counted: CountedLevels) -> None:
    found = learn(counted.support, counted.reports, counted.moments).profiles.shares
    order = default_rng(3).permutation(counted.support.keys)
    shuffled = learn(counted.support.take(order), counted.reports, counted.moments).profiles.shares
    assert shuffled == pytest.approx(found[order], abs=1e-9)
    reverse = KeySupport(counted.support.counts[::-1])
    reversed_shares = learn(reverse, counted.reports, counted.moments).profiles.shares
    assert reversed_shares[:, ::-1] == pytest.approx(found, abs=1e-9)


def test_posterior_is_that_of_dense_linear_algebra(counted: CountedLevels) -> None:
    """Condition the joint normal law of shares and centred counts, with matrices as the proof states them."""
    support, moments, n = counted.support.take(slice(4)), counted.moments, counted.reports
    mean, variance = np.array([0.1, 0.03, 0.004, 0.0]), np.array([1e-5, 2e-5, 3e-6, 1e-7])
    found = learn_profiles(support, n, moments, KnownFrequencies(mean, variance, np.arange(4)))
    shares, scatter = found.common.shares, found.common.scatter
    centre, nowhere = np.eye(5) - 0.2, np.zeros((4, 5))
    for key, (f, t) in enumerate(zip(mean, variance, strict=True)):
        prior = (scatter + (1 - scatter) / max(n * f, 1)) * shares
        held, absent, contrast = moments.holder, moments.absent, moments.contrast
        noise = (1 - f) * absent.noise_square + f * (held.noise_square + (held.own_square - contrast**2) * shares)
        seen = np.diag(noise / (n * contrast**2) + t * prior) + t * np.outer(shares, shares)
        covariance = np.diag(prior) - np.outer(prior, prior) / prior.sum()
        gain = f * covariance @ centre @ np.linalg.pinv(centre @ (f**2 * covariance + seen) @ centre)
        signal = support.counts[:, key] / (n * contrast)
        expected = shares + gain @ centre @ (signal - f * shares)
        left = covariance - gain @ centre @ covariance * f
        possible = np.maximum(expected, 0)
        assert found.spread[key] == pytest.approx(possible / possible.sum(), abs=1e-7)
        values = np.array(moments.scale.values)
        # How the estimate follows the common profile, which is known up to a covariance among profiles that
        # add up to 1.
        following = np.eye(5) - f * gain @ centre
        for doubt in (np.zeros((5, 5)), centre @ np.diag([1e-3, 2e-3, 5e-4, 1e-3, 4e-3]) @ centre):
            known = replace(found, common=CommonProfile(shares, doubt, scatter), shares=found.spread, at_level=nowhere)
            low, high = known.credible_interval(Scale(tuple(100 * values)), EVERY_KEY, 0.1)
            variance = values @ (left + following @ doubt @ following.T) @ values
            assert ((high - low)[key] / 2 / 100 / 0.12566) ** 2 == pytest.approx(variance, rel=1e-3)


def test_keys_with_the_same_total_are_added_up_before_the_common_profile_is_learned() -> None:
    counted = zipf_population("4", 5)
    keys = counted.support.keys
    once = KnownFrequencies(np.full(keys, 0.01), np.full(keys, 1e-6), np.arange(keys))
    together = KnownFrequencies(once.mean[:1], once.variance[:1], np.zeros(keys, np.int64))
    found, expected = (
        learn_common(counted.support, counted.reports, counted.moments, each, np.ones(counted.support.keys))
        for each in (together, once)
    )
    assert found.shares == pytest.approx(expected.shares)
    assert found.scatter == expected.scatter


@pytest.mark.parametrize(("odd", "least"), [(0, 0.93), (9, 0.93)])
def test_intervals_of_shares_hold_the_truth(odd: int, least: float) -> None:
    # 600 shares; the standard error of a coverage of 0.95 is 0.009, and the intervals of keys that are alike hold more.
    counted = zipf_population("4", 4, odd)
    found = learn(counted.support, counted.reports, counted.moments)
    inside = np.stack(
        [
            (low - 1e-12 <= truth) & (truth <= high + 1e-12)
            for level, truth in enumerate(counted.shares.T)
            for low, high in [found.mean_interval(is_level(level), EVERY_KEY, 0.95)]
        ]
    )
    assert inside.mean() >= least
    if odd:
        # Keys unlike the others are held by their own narrower intervals: 86 %, with 70 shares ± 4 %.
        assert inside[:, ::odd].mean() > 0.78


def test_every_number_of_levels_and_few_reports_are_possible() -> None:
    rng = default_rng(6)
    for levels in (3, 16):
        for users in (1, 50):
            held = np.zeros((levels, 4), np.int64)
            held[levels - 1, 0] = users
            counted = count_levels(held, users, "1", rng)
            shares = learn(counted.support, users, counted.moments).profiles.shares
            assert np.isfinite(shares).all()
            assert shares.sum(axis=1) == pytest.approx(1)


def test_intervals_of_two_frequent_keys_are_hardly_wider_than_their_own() -> None:
    """What is not known of the common profile does not widen the intervals of keys that do not need it."""
    # Five seeds gave 1.0 to 1.5 times their width: noise is computed for the common profile.
    counted = count_levels(np.array([[600, 900], [600, 3000], [3800, 1100]]), 10_000, "4", default_rng(6))
    posterior = learn(counted.support, counted.reports, counted.moments)
    own = own_interval(counted.support, counted.reports, counted.moments, 0.95)
    for level in range(3):
        scale = Scale(tuple(float(each == level) for each in range(3)))
        low, high = posterior.mean_interval(scale, EVERY_KEY, 0.95)
        own_low, own_high = own(scale, EVERY_KEY)
        assert (high - low < 1.6 * (own_high - own_low)).all()


def one_end_population(seed: int) -> tuple[CountedLevels, np.ndarray]:
    """Draw 400,000 people's reports over 60 keys; every fourth key has all holders at the lowest level."""
    rng = default_rng(seed)
    profiles = rng.dirichlet(40 * COMMON, 60)
    at_end = np.arange(60) % 4 == 1
    profiles[at_end] = np.eye(5)[0]
    held = holders_by_level(rng.multinomial(400_000, np.full(60, 1 / 60)), profiles, rng)
    return count_levels(held, 400_000, "4", rng), at_end


def test_keys_with_all_holders_at_one_level_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    """15 such keys: six collections gave 0.00 times the distance of their own shares, and 0.83 to 0.92 for the mixed.

    If every key is typical, the control, it is 1.8 times in this collection, and 1.1 to 3.6 times in the others.
    """
    counted, at_end = one_end_population(8)

    def ratios() -> tuple[float, float]:
        own = distances(own_shares(counted.support, counted.reports, counted.moments), counted.shares)
        found = learn(counted.support, counted.reports, counted.moments).profiles.shares
        ours = distances(found, counted.shares)
        return ours[at_end].mean() / own[at_end].mean(), ours[~at_end].mean() / own[~at_end].mean()

    one_end, mixed = ratios()
    assert one_end < 0.3
    assert mixed < 0.9
    monkeypatch.setattr("pckv.estimators.methods.profiles.TYPICAL_CHANCE", 1.0)
    assert ratios()[0] > 1.3


def test_the_likelihood_of_a_kind_is_that_of_whole_matrices() -> None:
    rng = default_rng(9)
    centre = np.eye(5) - 0.2
    # An orthonormal basis of the centred signals.
    basis = np.linalg.svd(centre)[0][:, :4]
    centred, profile = rng.normal(size=5) @ centre, (COMMON - 0.2)[:, None]
    mean, variance, noise = 0.3, 0.02, 0.07
    covariance = noise * centre + variance * profile @ profile.T
    law = stats.multivariate_normal(np.zeros(4), basis.T @ covariance @ basis)
    expected = law.logpdf((centred - mean * profile[:, 0]) @ basis) + 2 * np.log(2 * np.pi)
    known, doubt, added = (np.array([[each]]) for each in (mean, variance, noise))
    found = _log_likelihood(centred[None], known, doubt, profile, added)
    assert found[0, 0] == pytest.approx(expected)
