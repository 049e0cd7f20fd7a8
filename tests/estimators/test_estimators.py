"""Estimators: formulas, coverage of the intervals, and no nonsense at the edges."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pckv import Estimates, Tally, Task, estimate
from pckv.base.errors import ParameterError, PckvError
from pckv.estimators.intervals import fieller_quadratic, frequency_interval, mean_interval, score_interval
from pckv.estimators.linear import baseline, corrected, unbiased_frequency
from pckv.lab.figures.formulas import theorem4
from pckv.mechanisms.base import SamplingLaw
from pckv.mechanisms.registry import build
from pckv.statistics.binomial import binomial_upper_tail
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport
from support.counts import sign_chances, signed_support

USERS = 40_000
COLLECTIONS = 40_000
# keys of the grr settings, few enough that n·b ≥ 50 in all of them
KEYS = {"ue": 100, "grr": 20}
SETTINGS = list(itertools.product(("ue", "grr"), (0.5, 0.05, 0.005), (-1.0, 0.0, 0.9), (1, 3), ("1", "4")))


def law_of(name: str, padding: int, epsilon: str, keys: int | None = None) -> SamplingLaw:
    law = build(name, keys or KEYS[name], padding, Fraction(epsilon), {})
    assert isinstance(law, SamplingLaw)
    return law


def simulate(law: SamplingLaw, f: float, m: float, users: int, seed: int, size: int = COLLECTIONS) -> KeySupport:
    """Draw the counts of one key over many collections from the exact law; every holder has value m."""
    rng = np.random.default_rng(seed)
    count_law, holders = law.count_law, round(users * f)
    plus, minus, _ = sign_chances(count_law.holder)
    shown = ((1 + m) / 2 * plus + (1 - m) / 2 * minus, (1 + m) / 2 * minus + (1 - m) / 2 * plus)
    fake = sign_chances(count_law.absent)[:2]
    of_holders = rng.multinomial(holders, [*shown, 1 - sum(shown)], size)
    of_others = rng.multinomial(users - holders, [*fake, 1 - sum(fake)], size)
    counts = of_holders + of_others
    return signed_support(counts[:, 0], counts[:, 1])


def share(flags: np.ndarray) -> float:
    return float(np.mean(flags))


@pytest.mark.parametrize(("name", "f", "m", "padding", "epsilon"), SETTINGS)
def test_coverage(name: str, f: float, m: float, padding: int, epsilon: str) -> None:
    """At 95 %, over 40,000 collections of 40,000 users (one standard error of a share is .11 points).

    The band of ±.7 points is 6 standard errors wide; intervals of the wrong variance fall out of it
    (the control below).
    """
    law = law_of(name, padding, epsilon)
    moments = CountMoments.of(law.count_law)
    assert USERS * moments.noise >= 50
    support = simulate(law, f, m, USERS, seed=11)
    a, b, c = fieller_quadratic(support, USERS, moments, 0.95)
    assert 0.943 <= share(a * m * m + b * m + c <= 0) <= 0.957
    low, high, _ = mean_interval(support, USERS, moments, 0.95)
    assert share((low - 1e-12 <= m) & (m <= high + 1e-12)) >= 0.943
    truth = round(USERS * f) / USERS
    low, high = score_interval(unbiased_frequency(support, USERS, moments), USERS, moments, 0.95)
    assert 0.943 <= share((low <= truth) & (truth <= high)) <= 0.957
    low, high = frequency_interval(support, USERS, moments, 0.95)
    assert share((low <= truth) & (truth <= high)) >= 0.943


def test_theorem_4_alone_would_cover_too_little() -> None:
    """The control: without the sampling term the interval at ε 4, ℓ 3, f .5 covers 90 to 91 %."""
    law = law_of("ue", 3, "4")
    support = simulate(law, 0.5, 0.0, USERS, seed=5)
    moments = CountMoments.of(law.count_law)
    a, b, p = (float(x) for x in law.probabilities)
    printed = theorem4(a, b, p, padding=3, n=USERS, f=0.5, m=0).frequency_variance
    error = np.abs(unbiased_frequency(support, USERS, moments) - 0.5)
    assert 0.895 <= share(error <= 1.96 * math.sqrt(printed)) <= 0.915
    exact = float(moments.frequency_variance(0.5)) / USERS
    assert exact / printed == pytest.approx(1.35, abs=0.01)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_any_level(level: float) -> None:
    law = law_of("ue", 2, "2")
    moments = CountMoments.of(law.count_law)
    support = simulate(law, 0.1, 0.5, USERS, seed=3)
    low, high = frequency_interval(support, USERS, moments, level)
    assert share((low <= 0.1) & (high >= 0.1)) == pytest.approx(level, abs=0.01)
    a, b, c = fieller_quadratic(support, USERS, moments, level)
    assert share(a * 0.25 + b * 0.5 + c <= 0) == pytest.approx(level, abs=0.01)


@pytest.mark.parametrize(
    ("users", "keys", "epsilon", "padding"), [(5000, 1000, "1", 1), (2000, 500, "4", 2), (3000, 3, "12", 1)]
)
@pytest.mark.parametrize("f", [0.0, 0.002, 0.05, 0.5, 1.0])
def test_few_counts_are_covered_at_least(users: int, keys: int, epsilon: str, padding: int, f: float) -> None:
    """Where n·b < 50 the binomial interval covers the level or more, also far from Gaussian."""
    law = law_of("grr", padding, epsilon, keys)
    moments = CountMoments.of(law.count_law)
    assert users * moments.noise < 50
    support = simulate(law, f, 0.3, users, seed=2, size=20_000)
    low, high = frequency_interval(support, users, moments, 0.95)
    assert share((low <= f) & (f <= high)) >= 0.943
    assert np.all((low >= 0) & (low <= high) & (high <= 1))
    # Each side also covers, and the interval is at most twice as wide as the Gaussian one, plus a count.
    assert share(high < f) <= 0.032
    assert share(low > f) <= 0.032
    gaussian = 2 * 1.96 * np.sqrt(moments.frequency_variance(np.array(f)) / users)
    assert np.median(high - low) <= 2 * gaussian + 4 / (users * moments.signal)


@pytest.mark.parametrize(
    ("name", "f", "padding", "epsilon"),
    list(itertools.product(("ue", "grr"), (0.5, 0.05, 0.0), (1, 3), ("0.1", "1", "4"))),
)
def test_exact_frequency_variance(name: str, f: float, padding: int, epsilon: str) -> None:
    """Within 3 % over 60,000 collections (one standard error of a variance is .6 %)."""
    law = law_of(name, padding, epsilon)
    moments = CountMoments.of(law.count_law)
    support = simulate(law, f, 0.0, USERS, seed=17, size=60_000)
    measured = float(np.var(unbiased_frequency(support, USERS, moments)))
    assert measured == pytest.approx(float(moments.frequency_variance(f)) / USERS, rel=0.03)
    a, b, p = (float(x) for x in law.probabilities)
    printed = theorem4(a, b, p, padding=padding, n=USERS, f=f or 1e-9, m=0).frequency_variance
    assert float(moments.frequency_variance(f)) / USERS == pytest.approx(printed + f * (padding - 1) / USERS, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "m", "padding", "epsilon"),
    list(itertools.product(("ue", "grr"), (-1.0, 0.0, 0.9), (1, 3), ("1", "4"))),
)
def test_theorem_4_mean_variance(name: str, m: float, padding: int, epsilon: str) -> None:
    """Within 4 % where f is at least 20 standard errors."""
    law, users, f = law_of(name, padding, epsilon), 2_000_000, 0.5
    moments = CountMoments.of(law.count_law)
    assert f >= 20 * math.sqrt(moments.frequency_variance(f) / users)
    support = simulate(law, f, m, users, seed=23, size=60_000)
    a, b, p = (float(x) for x in law.probabilities)
    printed = theorem4(a, b, p, padding=padding, n=users, f=f, m=m)
    _, mean = baseline(support, users, moments)
    assert float(np.var(mean)) == pytest.approx(printed.mean_variance, rel=0.04)
    assert float(moments.mean_variance(f, m)) / users == pytest.approx(printed.mean_variance, rel=1e-6)


def test_grr_variance_formula() -> None:
    """n·Var f̂ = [2ℓ(E-1)+4(d'-1)]/(E-1)² + 2f(d'-2)/(E-1) + f(ℓ-1)."""
    for keys, padding, epsilon, f in itertools.product((1, 20, 500), (1, 3), (0.5, 1, 4), (0, 0.1, 0.7)):
        moments = CountMoments.of(build("grr", keys, padding, Fraction(str(epsilon)), {}).count_law)
        e, symbols = math.exp(epsilon), keys + padding
        formula = (2 * padding * (e - 1) + 4 * (symbols - 1)) / (e - 1) ** 2
        formula += 2 * f * (symbols - 2) / (e - 1) + f * (padding - 1)
        assert float(moments.frequency_variance(float(f))) == pytest.approx(formula, rel=1e-9)


@given(st.integers(0, 2000), st.integers(0, 2000), st.sampled_from(["ue", "grr"]), st.integers(1, 4))
def test_methods_are_the_papers_formulas(n1: int, n2: int, name: str, padding: int) -> None:
    law, n = law_of(name, padding, "1"), 4000
    a, b, p = (float(x) for x in law.probabilities)
    moments = CountMoments.of(law.count_law)
    support = signed_support([n1], [n2])
    f, m = baseline(support, n, moments)
    assert f[0] == pytest.approx(((n1 + n2) / n - b) / (a - b) * padding, rel=1e-9, abs=1e-12)
    if abs(n1 + n2 - n * b) > 1e-6:
        assert m[0] == pytest.approx((n1 - n2) * (a - b) / (a * (2 * p - 1) * (n1 + n2 - n * b)), rel=1e-6)
    clipped = min(max(f[0], 1 / n), 1)
    matrix = np.array([[a * p - b / 2, a * (1 - p) - b / 2], [a * (1 - p) - b / 2, a * p - b / 2]])
    solved = np.clip(np.linalg.solve(matrix, [n1 - n * b / 2, n2 - n * b / 2]), 0, n * clipped / padding)
    got_f, got_m = corrected(support, n, moments)
    assert got_f[0] == clipped
    assert got_m[0] == pytest.approx(padding * (solved[0] - solved[1]) / (n * clipped), rel=1e-6, abs=1e-9)


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.001, 0.999))
def test_binomial_tail(count: int, trials: int, chance: float) -> None:
    tail = binomial_upper_tail(np.array([count * 1.0]), np.array([trials * 1.0]), chance)
    assert tail[0] == pytest.approx(stats.binom.sf(count - 1, trials, chance), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(
    ("count", "trials", "chance"),
    [(10**6, 1e9, 1.001e-3), (50, 1e9, 5e-8), (999_000, 1e6, 0.999), (3, 5e6, 1e-9)],
)
def test_binomial_tail_far_out(count: float, trials: float, chance: float) -> None:
    tail = binomial_upper_tail(np.array([count * 1.0]), np.array([trials]), chance)
    assert tail[0] == pytest.approx(stats.beta.cdf(chance, count, trials - count + 1), rel=1e-5)


def test_interval_shapes_of_the_mean() -> None:
    """An interval, all of [-1, 1], the hull of two rays, and a misfit at the nearest end."""
    moments = CountMoments.of(law_of("ue", 1, "4").count_law)
    n, noise = 100_000, moments.noise
    total = round(n * noise)
    plus = np.array([30_000, total // 2, total // 2 + 80, 26_000])
    minus = np.array([3_000, total // 2, total - total // 2 - 80, 0])
    low, high, misfit = mean_interval(signed_support(plus, minus), n, moments, 0.95)
    assert -1 < low[0] < high[0] <= 1
    assert (low[1], high[1]) == (-1, 1)
    assert (low[2], high[2]) == (-1, 1)
    assert 0 < low[3] < high[3] == 1
    assert misfit.tolist() == [False, False, False, True]


@pytest.mark.parametrize("mechanism", ["ue", "grr"])
@pytest.mark.parametrize("epsilon", [0.01, 1, 20])
@pytest.mark.parametrize(("keys", "padding"), [(1, 1), (3, 3), (40, 2)])
@pytest.mark.parametrize("method", ["baseline", "corrected"])
def test_edges_give_numbers(mechanism: str, epsilon: float, keys: int, padding: int, method: str) -> None:
    """n ∈ {0, 1, 1000}, nothing or everything reported: no NaN, no infinity, intervals in order."""
    task = Task(name="t", keys=keys, values=(1, 5), epsilon=epsilon, padding=padding, mechanism=mechanism)
    for reports, full in ((0, False), (1, False), (1, True), (1000, False), (1000, True)):
        tally = Tally(task)
        if task.word_limit is None:
            row = np.packbits([full] * keys, bitorder="little")
            tally.add_many(np.tile(np.r_[row, row], (reports, 1)))
        else:
            tally.add_many(np.full(reports, 1 if full else task.word_limit - 1))
        result = estimate(tally, method=method)
        for name in ("frequency", "frequency_low", "frequency_high", "mean", "mean_low", "mean_high"):
            assert np.isfinite(getattr(result, name)).all(), name
        assert np.all(
            (result.frequency_low >= 0) & (result.frequency_low <= result.frequency_high) & (result.frequency_high <= 1)
        )
        assert np.all((result.mean_low >= 1) & (result.mean_low <= result.mean_high) & (result.mean_high <= 5))
        if method == "corrected":
            assert np.all((result.frequency >= 0) & (result.frequency <= 1) & (result.mean >= 1) & (result.mean <= 5))
        assert result.reports == reports
    moments = CountMoments.of(task.law.count_law)
    for f, m in itertools.product((0.0, 1.0), (-1.0, 0.0, 1.0)):
        assert float(moments.frequency_variance(f)) >= 0
        assert (
            sum(float(part) * weight for part, weight in zip(moments.ratio_variance(f), (1, m, m * m), strict=True))
            >= -1e-12
        )


def test_an_interval_holds_its_own_estimate() -> None:
    """Also where f̂ < 0 turns Fieller's set around, and where a count is too small for any frequency."""
    task = Task(name="t", keys=10, values=(-1, 1), epsilon=1, mechanism="grr")
    for words in ([1] * 15 + [4] * 185, [21] * 200):
        tally = Tally(task)
        tally.add_many(np.array(words))
        result = estimate(tally)
        assert np.all((result.mean_low <= result.mean) & (result.mean <= result.mean_high))
        assert np.all((result.frequency_low <= result.frequency) & (result.frequency <= result.frequency_high))
    moments = CountMoments.of(task.law.count_law)
    _, _, misfit = mean_interval(signed_support([15], [0]), 200, moments, 0.95)
    assert misfit.tolist() == [True]


@pytest.fixture
def result() -> Estimates:
    task = Task(name="t", keys=["<b>", "heat", "up"], values=(1, 5), epsilon=2, mechanism="grr")
    tally = Tally(task)
    tally.add_many(np.array([1] * 60 + [2] * 30 + [3] * 90 + [7] * 20))
    return estimate(tally, level=0.9)


def test_results_in_every_form(result: Estimates) -> None:
    plain = result.to_dict()
    about = [
        "task",
        "mechanism",
        "reports",
        "epsilon",
        "method",
        "level",
        "hostile",
        # These counts are not those of honest reports.
        "warning",
        "impossible",
        "estimand",
        "verdict",
        "sizes",
    ]
    assert list(plain) == [*about, "estimates"]
    assert json.loads(result.to_json()) == plain
    # Only JSON says where no mean fits the counts, and only there.
    misfits = [row.pop("mean_misfit", False) for row in plain["estimates"]]
    assert misfits == result.mean_misfit.tolist() == [True, False, False]
    assert list(plain["estimates"][0]) == [
        "key",
        "frequency",
        "frequency_low",
        "frequency_high",
        "mean",
        "mean_low",
        "mean_high",
        "mean_known",
        "detected",
        "reported_mean_low",
        "reported_mean_high",
        "reported_mean_known",
    ]
    assert (plain["reports"], plain["level"], plain["method"]) == (200, 0.9, "bayes")
    assert result.to_arrow().to_pylist() == plain["estimates"]
    assert result.to_arrow().schema.metadata[b"pckv.mechanism"] == b"grr"
    frame = result.to_pandas()
    assert frame.to_dict("records") == plain["estimates"]
    assert frame.attrs["reports"] == 200
    lines = result.to_csv().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("key,frequency,frequency_low")
    assert float(lines[2].split(",")[1]) == plain["estimates"][1]["frequency"]
    page = result._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "200 reports" in repr(result)


def test_estimates_are_read_key_by_key(result: Estimates) -> None:
    rows = list(result)
    assert len(rows) == len(result) == 3
    assert [row.to_dict() for row in rows] == result.to_dict()["estimates"]
    heat = result.top(2)["heat"]
    assert heat == result["heat"] == rows[result.key.index("heat")]
    assert heat.frequency_low <= heat.frequency <= heat.frequency_high
    assert type(heat.detected) is bool
    assert "heat" in result
    assert "alien" not in result.top(1)
    with pytest.raises(KeyError) as unknown:
        _ = result["nothing"]
    assert isinstance(unknown.value, PckvError)
    assert str(unknown.value) == "there is no estimate of key 'nothing'"


def test_a_page_says_how_many_keys_it_hides(result: Estimates) -> None:
    assert "not shown" not in result._repr_html_()
    many = result.take(np.arange(3).repeat(500))
    # The sentences follow, as a command prints them.
    hidden = "</table><p>… and 1,480 more keys, not shown</p><p>"
    assert hidden in many._repr_html_()
    assert many._repr_html_().count("<tr") == 21


def test_top_sorts_by_frequency(result: Estimates) -> None:
    top = result.top(2)
    assert top.key == ["heat", "<b>"]
    assert top.frequency.tolist() == sorted(result.frequency, reverse=True)[:2]
    assert len(top) == len(top.mean_misfit) == 2


def test_estimates_of_chosen_keys() -> None:
    task = Task(name="t", keys=2**31, values=(0, 1), epsilon=2, mechanism="grr")
    tally = Tally(task)
    tally.add_many(np.array([15] * 50))
    some = estimate(tally, keys=["7", "2147483647"])
    assert some.key == ["7", "2147483647"]
    assert some.frequency[0] > some.frequency[1]
    with pytest.raises(ParameterError, match="too many to estimate at once"):
        estimate(tally)


def test_bad_parameters_are_refused() -> None:
    tally = Tally(Task(name="t", keys=2, values=(0, 1), epsilon=2))
    with pytest.raises(ParameterError, match="choose from baseline, corrected"):
        estimate(tally, method="magic")
    for level in (0, 1, 1.5, float("nan"), 0.9999999999999999):
        with pytest.raises(ParameterError, match="level must be between"):
            estimate(tally, level=level)
