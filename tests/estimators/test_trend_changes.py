"""Which keys changed between two rounds: p-values that hold, and the false discovery rate that is stated."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from pckv.base.arrays import Floats, Integers
from pckv.estimators.trends import trend as trends
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import compare
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.statistics.detection import discoveries
from pckv.statistics.moments import equal_scale

KEYS, PEOPLE, PANELS = 4000, 40_000, 4
NO_ANSWERS = np.zeros(0, np.int64)


def draw_round(holders: Integers, number: int, name: str, rng: Generator, keys: int = KEYS) -> RoundCounts:
    """Draw the counts of a panel of one in four people, given how many of all hold each key."""
    count_law = build(name, keys, 1, Fraction(2), {}).count_law
    reports = PEOPLE // PANELS
    chosen = rng.hypergeometric(holders, PEOPLE - holders, reports)
    support = draw_counts(count_law, reports, chosen, np.zeros(holders.size), rng)
    return RoundCounts(number, PANELS, reports, NO_ANSWERS, np.arange(holders.size), support, count_law, equal_scale(2))


def two_panels(
    holders: Integers, name: str, rng: Generator, keys: int = KEYS, epsilon: int = 2
) -> tuple[RoundCounts, RoundCounts]:
    """Draw two rounds of disjoint panels of the same people: a device is in one of them at most."""
    count_law = build(name, keys, 1, Fraction(epsilon), {}).count_law
    reports = PEOPLE // PANELS
    first = rng.hypergeometric(holders, PEOPLE - holders, reports)
    second = rng.hypergeometric(holders - first, PEOPLE - holders - (reports - first), reports)
    return tuple(  # type: ignore[return-value]
        RoundCounts(
            number,
            PANELS,
            reports,
            NO_ANSWERS,
            np.arange(holders.size),
            draw_counts(count_law, reports, chosen, np.zeros(holders.size), rng),
            count_law,
            equal_scale(2),
        )
        for number, chosen in enumerate((first, second), 1)
    )


def p_values(pair: tuple[RoundCounts, RoundCounts]) -> Floats:
    return compare(*pair, [str(key) for key in pair[0].keys], 0.95, 0.05).p_value


@pytest.mark.parametrize("frequency", [0.0, 0.02, 0.4])
def test_p_values_of_keys_that_did_not_change_are_uniform(frequency: float) -> None:
    """4,000 keys: a share of 0.05 has a standard error of 0.0034."""
    holders = np.full(KEYS, round(frequency * PEOPLE))
    found = p_values(two_panels(holders, "ue", default_rng(1)))
    for share in (0.01, 0.05, 0.2):
        assert np.mean(found <= share) == pytest.approx(share, abs=4 * (share / KEYS) ** 0.5)


def test_without_the_choice_of_panels_p_values_are_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: at a large frequency much of the difference of two panels is who is in them."""
    holders = np.full(KEYS, PEOPLE // 2)
    pair = two_panels(holders, "ue", default_rng(2), epsilon=6)
    assert np.mean(p_values(pair) <= 0.05) < 0.065
    monkeypatch.setattr(trends, "_variance", lambda counts, frequency: counts.noise_variance(frequency, 0.0))
    assert np.mean(p_values(pair) <= 0.05) > 0.075


def test_p_values_of_one_panel_know_that_some_are_asked_for_the_size_of_their_set() -> None:
    """Every participant reports in every round, but half of the reports, chosen anew each time, say nothing of pairs."""
    rng, asked = default_rng(6), PEOPLE // 2
    count_law = build("ue", KEYS, 1, Fraction(6), {}).count_law
    pair = []
    for number in (1, 2):
        chosen = rng.hypergeometric(np.full(KEYS, asked), PEOPLE - asked, PEOPLE - asked)
        support = draw_counts(count_law, PEOPLE - asked, chosen, np.zeros(KEYS), rng)
        pair.append(
            RoundCounts(number, 1, PEOPLE, np.array([asked, 0]), np.arange(KEYS), support, count_law, equal_scale(2))
        )
    assert np.mean(p_values((pair[0], pair[1])) <= 0.05) == pytest.approx(0.05, abs=0.015)


def test_p_values_of_few_counts_are_never_too_small() -> None:
    """With 50,000 keys, `grr` supports a key without holders less than once per round."""
    holders = np.full(KEYS, 3)
    pair = two_panels(holders, "grr", default_rng(3), keys=50_000)
    expected = pair[0].pair_reports * pair[0].moments.noise
    assert expected < 1
    found = p_values(pair)
    for share in (0.0005, 0.01, 0.05, 0.2):
        assert np.mean(found <= share) <= share + 4 * (share / KEYS) ** 0.5


def test_an_interval_of_a_change_covers_it() -> None:
    before, after = np.full(KEYS, 4_000), np.full(KEYS, 5_000)
    rng = default_rng(4)
    pair = draw_round(before, 1, "ue", rng), draw_round(after, 2, "ue", rng)
    found = compare(*pair, [str(key) for key in range(KEYS)], 0.95, 0.05)
    inside = (found.change_low <= 0.025) & (found.change_high >= 0.025)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)


def test_discoveries_are_those_of_benjamini_and_hochberg() -> None:
    """All small cases: the largest rank whose p-value is at most its share of the rate decides."""
    values = (0.001, 0.012, 0.024, 0.04, 0.06)
    for p in product(values, repeat=3):
        ranked = sorted(p)
        ranks = [rank for rank in (1, 2, 3) if ranked[rank - 1] <= 0.05 * rank / 3]
        limit = ranked[max(ranks) - 1] if ranks else -1.0
        assert discoveries(np.array(p), 0.05).tolist() == [value <= limit for value in p]
    assert discoveries(np.zeros(0), 0.05).size == 0


def test_the_false_discovery_rate_is_as_stated() -> None:
    """300 comparisons of 200 keys, of which 20 changed: the mean share of false flags has a standard error of 0.006."""
    rng = default_rng(5)
    before = np.full(200, 2_000)
    after = before + np.where(np.arange(200) < 20, 2_500, 0)
    false: list[float] = []
    unadjusted: list[float] = []
    found_share: list[float] = []
    for _ in range(300):
        pair = draw_round(before, 1, "ue", rng), draw_round(after, 2, "ue", rng)
        found = compare(*pair, [str(key) for key in range(200)], 0.95, 0.05)
        for flags, shares in ((found.changed, false), (found.p_value <= 0.05, unadjusted)):
            shares.append(flags[20:].sum() / max(1, flags.sum()))
        found_share.append(found.changed[:20].mean())
    assert np.mean(false) <= 0.06
    assert np.mean(found_share) > 0.5
    # The control: without the correction, about a third of all flags are false.
    assert np.mean(unadjusted) > 0.25
