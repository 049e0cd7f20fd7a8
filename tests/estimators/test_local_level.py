"""The local level model against brute force: likelihoods, smoothed levels, and the quantiles of mixtures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.stats import norm

from pckv.base.arrays import Floats
from pckv.estimators.trends import smoothing as local_level
from pckv.estimators.trends.smoothing import Levels, Movements, learn_chances, smooth_levels

ROUNDS = 6


def brute_force(
    values: Floats, variances: Floats, steps: Floats, transients: Floats | None = None
) -> tuple[Floats, Floats, float]:
    """Return levels, variances and the log likelihood of a path, by one linear system; the first level is unknown."""
    size = values.size
    variances = variances + (0 if transients is None else transients)
    precision = np.diag(1 / variances)
    for place, step in enumerate(steps):
        difference = np.zeros(size)
        difference[place : place + 2] = -1, 1
        precision += np.outer(difference, difference) / step
    covariance = np.linalg.inv(precision)
    # Differences of successive values have a known law.
    change = np.diff(np.eye(size), axis=0)
    noise = change @ np.diag(variances) @ change.T + np.diag(steps)
    errors = change @ values
    likelihood = -0.5 * (np.linalg.slogdet(noise)[1] + errors @ np.linalg.solve(noise, errors))
    return covariance @ (values / variances), np.diag(covariance), likelihood


def test_filter_and_smoother_solve_the_linear_system() -> None:
    rng = default_rng(1)
    values, variances = rng.normal(0, 2, (3, ROUNDS)), rng.uniform(0.5, 2, (3, ROUNDS))
    relative = rng.uniform(0.01, 3, (4, ROUNDS - 1))
    transient = np.append(np.zeros((1, ROUNDS)), rng.uniform(0, 3, (3, ROUNDS)), axis=0)
    moved = Movements(relative, transient, np.arange(4), (1, 3))
    likelihood = local_level._filter(values, variances, moved).likelihood
    level, variance = local_level._smooth(values, variances, moved)
    for key in range(3):
        for number in range(4):
            typical = np.sort(variances[key])[(ROUNDS - 1) // 2]
            steps, transients = relative[number] * typical, transient[number] * typical
            expected = brute_force(values[key], variances[key], steps, transients)
            assert level[:, number, key] == pytest.approx(expected[0])
            assert variance[:, number, key] == pytest.approx(expected[1])
            assert likelihood[number, key] == pytest.approx(expected[2])


def test_transients_are_part_of_what_is_estimated() -> None:
    """Against the conditional law of levels plus transients, by covariances, the first level being nearly unknown."""
    rng = default_rng(6)
    values, variances = rng.normal(0, 2, (1, ROUNDS)), np.ones((1, ROUNDS))
    step, transient = rng.uniform(0.1, 2, (1, ROUNDS - 1)), rng.uniform(0, 3, (1, ROUNDS))
    found = local_level._with_transients(values, variances, Movements(step, transient, np.zeros(1, np.int64), (1,)))
    walk = np.tril(np.ones((ROUNDS, ROUNDS))) * np.sqrt(np.append(1e6, step))
    signal = walk @ walk.T + np.diag(transient[0])
    gain = signal @ np.linalg.inv(signal + np.eye(ROUNDS))
    assert found.level[:, 0, 0] == pytest.approx(gain @ values[0], abs=1e-3)
    assert found.variance[:, 0, 0] == pytest.approx(np.diag(signal - gain @ signal), abs=1e-3)
    # Errors are those of predicting a value from all others.
    for place in range(ROUNDS):
        others = np.delete(np.arange(ROUNDS), place)
        total = signal + np.eye(ROUNDS)
        weights = np.linalg.solve(total[np.ix_(others, others)], total[others, place])
        error = (values[0, place] - weights @ values[0, others]) / np.sqrt(
            total[place, place] - weights @ total[others, place]
        )
        assert found.errors[place, 0, 0] == pytest.approx(error, abs=1e-3)


def test_a_missing_round_is_one_that_says_nothing() -> None:
    values, variances = np.array([[1.0, 3.0, 2.0]]), np.ones((1, 3))
    with_gap = Movements(np.array([[0.5, 1.0]]), np.zeros((1, 3)), np.zeros(1, np.int64), (1,))
    found = local_level._smooth(values, variances, with_gap)[0][:, 0, 0]
    # The typical noise is 1 in both; the third round of four has nearly infinite noise.
    filled = brute_force(np.array([1.0, 3.0, 0.0, 2.0]), np.array([1, 1, 1e9, 1]), np.array([0.5, 0.5, 0.5]))
    assert found == pytest.approx(filled[0][[0, 1, 3]], abs=1e-6)
    assert local_level.movements((1, 2)).steps[1] == pytest.approx(local_level.DRIFTS[0] * np.array([1, 2]))


def test_limits_are_quantiles_of_the_mixture() -> None:
    rng = default_rng(2)
    size = local_level.LAWS_PER_KEY
    level, deviation = rng.normal(0, 3, (1, size, 2)), rng.uniform(0.1, 2, (1, size, 2))
    chance = rng.dirichlet(np.ones(size), 2).T
    count_laws = local_level._likeliest(level, deviation**2, chance)
    low = local_level._lower_limit(count_laws, 0.9)
    below = (norm.cdf((low[:, None] - level) / deviation) * chance).sum(axis=1)
    assert below == pytest.approx(0.05, abs=2e-4)
    assert (below <= 0.05 + 1e-7).all()


def test_unlikely_movements_keep_their_mean_and_variance() -> None:
    rng = default_rng(3)
    level, variance = rng.normal(0, 1, (2, 50, 4)), rng.uniform(0.1, 2, (2, 50, 4))
    chance = rng.dirichlet(np.ones(50), 4).T
    count_laws = local_level._likeliest(level, variance, chance)

    def moments(means: Floats, squares: Floats, chances: Floats) -> tuple[Floats, Floats]:
        mean = (means * chances).sum(axis=1)
        return mean, ((squares + means**2) * chances).sum(axis=1) - mean**2

    expected = moments(level, variance, chance)
    found = moments(count_laws.level, count_laws.deviation**2, count_laws.chance)
    assert count_laws.chance.shape == (local_level.LAWS_PER_KEY, 4)
    assert found[0] == pytest.approx(expected[0])
    assert found[1] == pytest.approx(expected[1])


def test_weights_are_learned_from_all_keys() -> None:
    moved = local_level.movements((1,) * 19)
    rng = default_rng(4)
    still = rng.normal(0, 1, (200, 20))
    walks = still + np.cumsum(rng.normal(0, 1, (200, 20)), axis=1)
    ambiguous = still[:1] + np.cumsum(rng.normal(0, 0.15, (1, 20)), axis=1)

    def chance_of_stillness(others: Floats) -> float:
        values = np.concatenate([ambiguous, others])
        likelihood = local_level._filter(values, np.ones_like(values), moved).likelihood
        return float(learn_chances(likelihood, moved).of_all[0, 0])

    assert chance_of_stillness(still) > 3 * chance_of_stillness(walks)


def test_one_key_is_not_taken_for_certain() -> None:
    """With one round nothing moves, and with one key the imagined ones decide the weights."""
    one = smooth_levels(np.array([[0.3]]), np.array([[0.04]]), (), 0.95)
    assert one.interval.high[0, 0] - 0.3 == pytest.approx(1.96 * 0.2, rel=1e-3)
    moved = local_level.movements((1, 1))
    chances = learn_chances(np.zeros((moved.kind.size, 1)), moved)
    assert chances.of_all[0, 0] == pytest.approx(1 / 3)
    assert chances.if_moving[0, 0] == 0
    assert chances.if_moving.sum() == pytest.approx(1)


@pytest.fixture(scope="module")
def simulated() -> tuple[Floats, Floats, Levels]:
    """200 keys over 20 rounds with noise 1: half stay, a quarter drifts, a quarter jumps by 1 to 8 before round 10."""
    rng = default_rng(5)
    truth = np.zeros((200, 20))
    truth[100:150] = np.cumsum(rng.normal(0, 0.25, (50, 20)), axis=1)
    truth[150:, 10:] = rng.uniform(1, 8, (50, 1))
    values = truth + rng.normal(0, 1, truth.shape)
    return truth, values, smooth_levels(values, np.ones_like(values), (1,) * 19, 0.95)


def test_smoothing_lowers_errors_and_follows_jumps(simulated: tuple[Floats, Floats, Levels]) -> None:
    truth, values, found = simulated
    single, smoothed = (values - truth) ** 2, (found.level - truth) ** 2
    far = np.r_[0:8, 12:20]
    assert smoothed[:100].mean() < single[:100].mean() / 8
    assert smoothed[100:150].mean() < single[100:150].mean() / 2
    assert smoothed[150:, far].mean() < single[150:, far].mean() / 2
    assert smoothed[150:, 8:12].mean() < 1.1 * single[150:, 8:12].mean()


def test_a_round_that_has_just_opened_changes_nothing(simulated: tuple[Floats, Floats, Levels]) -> None:
    """One report where the others have a million."""
    _, values, found = simulated
    more, noise = (
        np.append(values, values[:, :1], axis=1),
        np.append(np.ones_like(values), np.full((200, 1), 1e6), axis=1),
    )
    again = smooth_levels(more, noise, (1,) * 20, 0.95)
    assert again.level[:, :-1] == pytest.approx(found.level, abs=0.1)
    assert again.interval.low[:, :-1] == pytest.approx(found.interval.low, abs=0.2)
    assert again.interval.high[:, :-1] == pytest.approx(found.interval.high, abs=0.2)


def test_smoothed_intervals_cover_every_kind_of_key(simulated: tuple[Floats, Floats, Levels]) -> None:
    truth, values, found = simulated
    inside = (found.interval.low <= truth) & (truth <= found.interval.high)
    assert min(inside[rows].mean() for rows in (slice(100), slice(100, 150), slice(150, 200))) >= 0.93
    # The control: averages over all rounds cover still keys alone.
    average, reach = values.mean(axis=1, keepdims=True), 1.96 / 20**0.5
    still = np.abs(average - truth) <= reach
    assert still[:100].mean() > 0.9
    assert still[100:].mean() < 0.4
    # Their width is what smoothing is for.
    assert np.median(found.interval.high - found.interval.low) < 0.42 * 2 * 1.96


# The size of an event, in which rounds it is, and the least coverage there.
EVENTS = {
    "jump of 3": (3, slice(19, 20), 0.85),
    "jump of 4": (4, slice(19, 20), 0.9),
    "jump or spike of 5": (5, slice(19, 20), 0.9),
    "spike of 5, 12 rounds ago": (5, slice(7, 8), 0.9),
}


def event_coverage(seeds: range) -> dict[str, float]:
    """Return how often intervals contain events: of 240 keys over 20 rounds with noise 1, ten have each."""
    inside: dict[str, list[float]] = {name: [] for name in EVENTS}
    for seed in seeds:
        truth = np.zeros((240, 20))
        for place, (size, rounds, _) in enumerate(EVENTS.values()):
            truth[10 * place : 10 * place + 10, rounds] = size
        values = truth + default_rng(seed).normal(0, 1, truth.shape)
        found = smooth_levels(values, np.ones_like(values), (1,) * 19, 0.95)
        own = np.where(found.differs, 1.96, 0.0)
        low, high = np.minimum(found.interval.low, values - own), np.maximum(found.interval.high, values + own)
        for place, (name, (_, rounds, _)) in enumerate(EVENTS.items()):
            rows = slice(10 * place, 10 * place + 10)
            inside[name].append(float(((low <= truth) & (truth <= high))[rows, rounds].mean()))
    return {name: float(np.mean(shares)) for name, shares in inside.items()}


def test_intervals_contain_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 120 events with a coverage of .97, fewer than 108 are inside once in 2,000 times; of .92, fewer than 102 once in 80."""
    found = event_coverage(range(12))
    assert all(found[name] >= least for name, (_, _, least) in EVENTS.items()), found
    # The control: no transients, and no round that differs.
    monkeypatch.setattr(local_level, "movements", without_transients)
    monkeypatch.setattr(local_level, "DIFFERING_BY_NOISE", 0.0)
    control = event_coverage(range(12))
    assert all(control[name] < least for name, (_, _, least) in EVENTS.items()), control


def without_transients(gaps: tuple[int, ...]) -> Movements:
    """Return movements of keys that stay, drift or shift once."""
    size, drifts = len(gaps), len(local_level.DRIFTS)
    steps = np.concatenate(
        [np.zeros((1, size)), np.outer(local_level.DRIFTS, gaps), *(s * np.eye(size) for s in (4.0, 64.0, 1024.0))]
    )
    kind = np.append(np.arange(1 + drifts), np.repeat(1 + drifts + np.arange(3), size))
    return Movements(steps, np.zeros((len(steps), size + 1)), kind, (1, drifts, 3))


def test_noise_alone_differs_as_often_as_stated() -> None:
    """400 keys that stay over 20 rounds: 8,000 rounds, of which 15 % plus three standard errors are 1,296."""
    values = default_rng(7).normal(0, 1, (400, 20))
    found = smooth_levels(values, np.ones_like(values), (1,) * 19, 0.95)
    assert 0.12 < found.differs.mean() <= 0.162
    # The control: an event of 4 in one round of a tenth of the keys.
    values[:40, 10] += 4
    again = smooth_levels(values, np.ones_like(values), (1,) * 19, 0.95)
    assert again.differs[:40, 10].mean() > 0.9
    assert again.differs[40:].mean() <= 0.162


def test_keys_that_swing_are_no_worse_than_single_rounds() -> None:
    swing = np.where(np.arange(20) % 2, 1.0, -1.0)
    truth = np.zeros((200, 20))
    for place, size in enumerate((1, 1.5, 3)):
        truth[20 * place : 20 * place + 20] = size * swing
    values = truth + default_rng(8).normal(0, 1, truth.shape)
    found = smooth_levels(values, np.ones_like(values), (1,) * 19, 0.95)
    errors = ((found.level - truth) ** 2).mean(axis=1)
    assert max(errors[20 * place : 20 * place + 20].mean() for place in range(3)) <= 1


def test_an_event_beyond_all_doubt_differs() -> None:
    """All other movements have a chance of exactly 0."""
    values = np.zeros((3, 10))
    values[0, 4] = 1e4
    found = smooth_levels(values, np.ones_like(values), (1,) * 9, 0.95)
    assert found.differs[0, 4]
    assert not found.differs[1:].any()
    assert found.level[0, 4] == pytest.approx(1e4, rel=0.01)
