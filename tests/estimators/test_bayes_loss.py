"""How much errors count by frequency: predicted losses, the bounds they keep, and what they do for single keys."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from pckv.base.arrays import Floats
from pckv.estimators.linear import corrected
from pckv.estimators.methods.bayes import MAX_LOSS, LearnedDistribution, Risks, bayes, learn, loss_weights
from pckv.estimators.methods.prior import (
    ValueGrid,
    count_likelihood,
    flat,
    frequency_grid,
    lower_mean,
    posterior,
    zipf_law,
)
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport
from support.counts import zipf_counts


def risks_of(mechanism: str, keys: int, reports: int, epsilon: str) -> Risks:
    moments = CountMoments.of(build(mechanism, keys, 1, Fraction(epsilon), {}).count_law)
    return Risks(frequency_grid(reports, moments), count_likelihood(reports, moments), reports, moments)


@pytest.mark.parametrize(("reports", "epsilon"), [(40, "1"), (40, "4"), (2_000, "2")])
def test_risks_are_expected_squared_errors(reports: int, epsilon: str) -> None:
    """A key that no participant holds: its count is binomial, and errors can be added up exactly; within 4 %."""
    risks = risks_of("grr", 20, reports, epsilon)
    moments = risks.moments
    counts = np.arange(reports + 1)
    own = np.clip((counts / reports - moments.noise) / moments.signal, 1 / reports, 1)
    exact = (stats.binom.pmf(counts, reports, moments.noise) * own**2).sum()
    assert risks.own[0] == pytest.approx(exact, rel=0.04)


@pytest.mark.parametrize(
    ("mechanism", "keys", "reports", "epsilon"),
    [
        ("grr", 400, 50_000, "2"),
        ("ue", 5_000, 10**6, "1"),
        ("collision", 100, 10_000, "4"),
        ("ue", 20, 2_000, "0.5"),
    ],
)
def test_no_key_is_expected_to_lose_more_than_allowed(mechanism: str, keys: int, reports: int, epsilon: str) -> None:
    """Anywhere, if the learned distribution is that no participant holds any key; without weights it is far more."""
    risks = risks_of(mechanism, keys, reports, epsilon)
    count_law = np.full(risks.points.size, 1e-12)
    count_law[0] = 1
    learned = LearnedDistribution(frequency_grid(reports, risks.moments), count_law, keys)
    weights = count_law * loss_weights(learned, 0, risks)
    assert (risks.of_weights(weights) <= 1.05 * MAX_LOSS * risks.variance).all()
    assert (risks.of_weights(count_law) > 3 * MAX_LOSS * risks.variance).any()


def lone_key_errors(seeds: range) -> Floats:
    """Squared errors of one key 3.5 standard errors above 400 equal ones: own, without weights, and estimated."""
    users, count_law = 50_000, build("grr", 401, 1, Fraction(2), {}).count_law
    moments = CountMoments.of(count_law)
    holders = np.append(5_000, np.full(400, 112))
    errors = []
    for seed in seeds:
        support = draw_counts(count_law, users, holders, np.zeros(401), np.random.default_rng(seed))
        found = learn(support, users, moments)
        estimates = corrected(support, users, moments)[0], found.expected()[0], found.estimates()[0]
        errors.append([(each[0] - 0.1) ** 2 for each in estimates])
    return np.asarray(np.mean(errors, axis=0))


def test_a_lone_key_does_not_pay_for_the_others() -> None:
    """Its mean is 0. 100 collections; the ratios of mean squared errors are 2 and 4.8, within about .2 and .5."""
    own, unprotected, ours = lone_key_errors(range(100))
    assert ours < 2.2 * own
    assert unprotected > 4 * own


def test_top_keys_lose_less_than_without_weights() -> None:
    """Zipf's frequencies and little noise: errors of the top 50 keys, summed over 10 collections, paired."""
    users, errors = 100_000, []
    for seed in range(10):
        support, moments, frequency, _ = zipf_counts("ue", 1000, users, "4", seed)
        found, top = learn(support, users, moments), np.argsort(-frequency)[:50]
        estimates = corrected(support, users, moments)[0], found.expected()[0], found.estimates()[0]
        errors.append([((each - frequency)[top] ** 2).sum() for each in estimates])
    own, unprotected, ours = np.sum(errors, axis=0)
    assert ours < 1.15 * own
    assert unprotected > 1.4 * own


def test_well_measured_keys_that_few_are_like_keep_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight keys, 3 standard errors apart and far above 250 equal ones; 60 collections.

    The ratio of their errors to their own is 1.01, with a standard error of .02. If the learned distribution is
    believed everywhere, the control, it is 1.2.
    """
    users, count_law = 10**6, build("ue", 258, 1, Fraction(1), {}).count_law
    moments = CountMoments.of(count_law)
    error = float(np.sqrt(moments.frequency_variance(0.05) / users))
    holders = np.append((users * error * (12 + 3 * np.arange(8))).astype(np.int64), np.full(250, 300))
    truth = holders[:8] / users
    drawn = [draw_counts(count_law, users, holders, np.zeros(258), np.random.default_rng(seed)) for seed in range(60)]

    def error_of(method: Callable[[KeySupport, int, CountMoments], tuple[Floats, Floats]]) -> float:
        return float(np.mean([((method(each, users, moments)[0][:8] - truth) ** 2).mean() for each in drawn]))

    own = error_of(corrected)
    assert error_of(bayes) < 1.05 * own
    monkeypatch.setattr("pckv.estimators.methods.bayes.MIN_NEIGHBOURS", 1e-9)
    assert error_of(bayes) > 1.1 * own


def test_equal_keys_are_shrunk_together() -> None:
    count_law = build("ue", 200, 1, Fraction(1), {}).count_law
    support = draw_counts(count_law, 100_000, np.full(200, 500), np.zeros(200), np.random.default_rng(10))
    moments = CountMoments.of(count_law)
    own, ours = (method(support, 100_000, moments)[0] for method in (corrected, bayes))
    assert ((own - 0.005) ** 2).mean() > 3 * ((ours - 0.005) ** 2).mean()


def test_a_few_equal_keys_are_not_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight keys, four standard errors above 0, 100 collections; the ratio of errors has a standard error of .03.

    It is 1.0. If they start by Zipf's law and it is believed where few keys are, the control, it is 1.3.
    """
    count_law, users = build("ue", 8, 1, Fraction(1), {}).count_law, 10_000
    moments, truth = CountMoments.of(count_law), np.full(8, 0.125)
    drawn = [
        draw_counts(count_law, users, np.full(8, 1_250), np.zeros(8), np.random.default_rng(seed))
        for seed in range(100)
    ]

    def error() -> float:
        return float(np.mean([((bayes(each, users, moments)[0] - truth) ** 2).mean() for each in drawn]))

    own = np.mean([((corrected(each, users, moments)[0] - truth) ** 2).mean() for each in drawn])
    assert error() < 1.12 * own
    monkeypatch.setattr("pckv.estimators.methods.prior.MANY_KEYS", 1)
    monkeypatch.setattr("pckv.estimators.methods.bayes.MIN_NEIGHBOURS", 1e-9)
    assert error() > 1.12 * own


# Few reports


@pytest.mark.parametrize("reports", [1, 10, 100])
@pytest.mark.parametrize("mechanism", ["grr", "collision"])
def test_few_reports_say_little(mechanism: str, reports: int) -> None:
    """A thousand keys: frequencies add up to the padding at most, with a smaller error than the keys' own."""
    support, moments, frequency, _ = zipf_counts(mechanism, 1000, reports, "1", seed=3)
    own, ours = (method(support, reports, moments)[0] for method in (corrected, bayes))
    assert ours.sum() <= 1.1
    assert ((ours - frequency) ** 2).sum() < ((own - frequency) ** 2).sum()


@pytest.mark.parametrize("keys", [1, 2, 4])
def test_four_keys_have_too_few_others_to_learn_from(keys: int) -> None:
    support, moments, _, _ = zipf_counts("grr", keys, 50, "1", seed=4)
    assert bayes(support, 50, moments)[0].tolist() == corrected(support, 50, moments)[0].tolist()


@pytest.mark.parametrize("mean", [1e-6, 0.003, 0.2, 0.45])
def test_zipfs_law_has_its_mean(mean: float) -> None:
    grid = ValueGrid.around(np.linspace(0, 1, 200_001), 0, 1)
    weights = zipf_law(grid, mean)
    assert weights.sum() == pytest.approx(1)
    assert weights @ grid.points == pytest.approx(mean, rel=0.02, abs=2e-6)
    # Of a thousand times rarer keys there are a thousand times more: as many per rank.
    above = 1 - np.cumsum(weights)
    assert (np.diff(above) <= 0).all()


def test_a_mean_beyond_the_possible_is_lowered() -> None:
    points = np.linspace(0, 1, 21)
    weights = flat(ValueGrid.around(points, 0, 1))
    assert lower_mean(weights, points, 0.6) is weights
    for largest in (0.4, 0.01, 1e-9):
        lowered = lower_mean(weights, points, largest)
        assert lowered.sum() == pytest.approx(1)
        assert lowered @ points <= largest * (1 + 1e-9)
        # Weights change by a factor that falls with the frequency, and by nothing else.
        ratio = np.log(posterior(weights, lowered))
        if largest > 1e-3:
            assert np.diff(ratio, 2) == pytest.approx(np.zeros(19), abs=1e-6)
