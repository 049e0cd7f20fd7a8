"""Alarms: silent for honest reports whatever people hold, loud for the liars that they are made for."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from scipy import stats

from experiments.attacks import (
    constant_function,
    maximal_gain,
    partial_gain,
    people_per_report,
    same_word,
)
from pckv import Task
from pckv.base.arrays import Floats, Integers, Messages
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators import alarms as alarm_tests
from pckv.estimators.alarms import (
    CHECKS_PER_DAY,
    FALSE_ALARMS_PER_DAY,
    Alarms,
    AlarmTest,
    ReportSample,
    check_reports,
    function_tests,
)
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.statistics.binomial import binomial_bound, gamma_bound, mean_bound, poisson_bound

REPORTS, LIARS = 100_000, 1000


def task_of(mechanism: str, keys: int = 100, epsilon: str = "1", **more: object) -> Task:
    return Task(
        name="t",
        keys=keys,
        values=(0, 1),
        epsilon=epsilon,
        padding=1,
        mechanism={"name": mechanism, **more},
        size_share=0 if mechanism == "ue" else "0.05",
    )


TASKS = {
    "collision": task_of("collision"),
    "ue-compact": task_of("ue-compact", q=5),
    "ue-compact, 1,000 keys, ε 4": task_of("ue-compact", 1000, "4", q=59),
}


@lru_cache
def honest_reports(name: str, reports: int = REPORTS) -> Messages:
    """Every participant holds one key, by Zipf's law."""
    task, rng = TASKS[name], default_rng(3)
    popularity = 1 / np.arange(1, task.key_count + 1)
    keys = rng.choice(task.key_count, reports, p=popularity / popularity.sum()).astype(np.int32)
    people = Population(np.arange(reports + 1), keys, rng.random(reports))
    return np.concatenate([batch.messages for batch in perturb_many(task, people, seeded_source(4))])


def with_liars(name: str, liars: Messages) -> list[Messages]:
    return [honest_reports(name)[len(liars) :], liars]


def targets_of(task: Task, rng: Generator) -> Integers:
    """Ten keys that are not among the most frequent ones."""
    return rng.choice(np.arange(10, task.key_count), 10, replace=False)


@pytest.fixture
def few_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the test that takes longest, where another one is meant."""
    monkeypatch.setattr(alarm_tests, "MIN_REPORTS", 10 * REPORTS)


@pytest.mark.parametrize("name", ["collision", "ue-compact, 1,000 keys, ε 4"])
def test_liars_who_search_for_a_function_are_found(name: str) -> None:
    """1 % of 100,000 reports, each the best of 1,000 functions for ten keys, drawn anew; honest reports are silent.

    `make experiment NAME=alarms` measures the power: the weakest of these settings has bounds around 1e-11.
    """
    task, rng = TASKS[name], default_rng(5)
    alarms = check_reports(task, [honest_reports(name)], default_rng(6))
    assert alarms.unusual == (), alarms.sentences
    assert "Nothing unusual" in alarms.sentences[0]
    searched = maximal_gain(task, targets_of(task, rng), LIARS, rng, tries=1000)
    alarms = check_reports(task, with_liars(name, searched), default_rng(6))
    assert "shared symbols" in [test.name for test in alarms.unusual]
    assert (
        alarms.sentences[-1] == "Find where these reports come from, and count again without them: nothing is dropped."
    )


@pytest.mark.usefixtures("few_tests")
@pytest.mark.parametrize("name", ["collision", "ue-compact"])
def test_liars_who_all_send_one_word_are_found(name: str) -> None:
    task, rng = TASKS[name], default_rng(7)
    alarms = check_reports(task, with_liars(name, same_word(task, targets_of(task, rng), LIARS, rng, 100)))
    assert {"heaviest function", "repeated functions"} <= {test.name for test in alarms.unusual}


@pytest.mark.usefixtures("few_tests")
def test_constant_functions_are_found_by_their_digits() -> None:
    task = TASKS["ue-compact, 1,000 keys, ε 4"]
    words = constant_function(task.law, LIARS)  # type: ignore[arg-type]
    alarms = check_reports(task, with_liars("ue-compact, 1,000 keys, ε 4", words))
    assert {"digit 1 of the functions", "digit 2 of the functions"} <= {test.name for test in alarms.unusual}
    assert any("reports name functions whose digit 1 is 0, where" in said for said in alarms.sentences)
    assert all(said[0].isdigit() or said[0].isupper() for said in alarms.sentences)


def test_liars_who_follow_their_coins_look_honest() -> None:
    """What no alarm can find: the best word for a random function, nothing searched."""
    task, rng = TASKS["collision"], default_rng(8)
    liars = maximal_gain(task, targets_of(task, rng), LIARS, rng)
    assert check_reports(task, with_liars("collision", liars), default_rng(9)).unusual == ()


def test_liars_who_each_search_for_half_of_the_keys_look_honest_and_gain_more_than_by_coins() -> None:
    """What is not found either, and what it gains, as the documents say: twice a coin's gain and more.

    The control searches for all of the keys, gains more, and is found (the first test). `make experiment
    NAME=alarms ONLY=halves` measures it.
    """
    task, rng = TASKS["collision"], default_rng(17)
    targets = targets_of(task, rng)
    liars = partial_gain(task, targets, LIARS, rng, wanted=5, tries=1000)
    gains = [
        people_per_report(task, words, targets)
        for words in (maximal_gain(task, targets, LIARS, rng), liars, maximal_gain(task, targets, 50, rng, 1000))
    ]
    assert 2 * gains[0] < gains[1] < 0.8 * gains[2]
    assert check_reports(task, with_liars("collision", liars), default_rng(18)).unusual == ()


@pytest.mark.usefixtures("few_tests")
@pytest.mark.parametrize("share", [0.0, 0.07])
def test_an_unusual_share_of_size_answers_is_found(share: float) -> None:
    task = TASKS["collision"]
    words = honest_reports("collision", 20_000)
    limit = task.law.word_limit or 0
    of_pairs = words[words < limit]
    answers = np.full(round(share * 20_000), limit)
    alarms = check_reports(task, [of_pairs[: 20_000 - answers.size], answers])
    assert [test.name for test in alarms.unusual] == ["size answers"]


def planes(task: Task, chance: float, reports: int, rng: Generator) -> Messages:
    present = rng.random((reports, task.key_count)) < chance
    bits = np.packbits(present, axis=1, bitorder="little")
    return np.concatenate([bits, np.zeros_like(bits)], axis=1)


def test_the_bits_of_ue_are_tested_against_all_that_people_may_hold() -> None:
    task, rng = task_of("ue"), default_rng(10)
    law = task.law
    assert hasattr(law, "unsampled")
    not_sampled = float(2 * law.unsampled.other)
    for keys in (np.zeros(5000, np.int32), np.zeros(0, np.int32)):
        offsets = np.arange(5001) if keys.size else np.zeros(5001, np.int64)
        people = Population(offsets, keys, np.ones(keys.size))
        reports = [batch.messages for batch in perturb_many(task, people, seeded_source(11))]
        assert check_reports(task, reports).unusual == ()
    alarms = check_reports(task, [planes(task, 1.05 * not_sampled, 5000, rng)])
    assert [test.name for test in alarms.unusual] == ["bits"]
    one = [planes(task, not_sampled, 5000, rng), planes(task, 1.0, 1, rng)]
    assert [test.name for test in check_reports(task, one).unusual] == ["most bits"]
    none = [planes(task, not_sampled, 5000, rng), planes(task, 0.0, 1, rng)]
    assert [test.name for test in check_reports(task, none).unusual] == ["fewest bits"]


def test_nothing_of_grr_can_be_tested_but_its_size_answers() -> None:
    task = Task(name="t", keys=10, values=(0, 1), epsilon=1, padding=1, mechanism="grr", size_share=0)
    alarms = check_reports(task, [np.zeros(1000, np.int64)])
    assert alarms.tests == alarms.unusual == ()
    assert "cannot be tested" in alarms.sentences[0]
    asks = Task(name="t", keys=10, values=(0, 1), epsilon=1, padding=1, mechanism="grr", size_share="0.1")
    assert [test.name for test in check_reports(asks, [np.zeros(1000, np.int64)]).unusual] == ["size answers"]


@pytest.mark.parametrize("mechanism", ["ue", "grr", "ue-compact", "collision"])
def test_no_reports_and_few_reports_are_nothing_unusual(mechanism: str) -> None:
    task = task_of(mechanism)
    assert check_reports(task, []).unusual == ()
    people = Population(np.arange(4), np.zeros(3, np.int32), np.ones(3))
    few = [batch.messages for batch in perturb_many(task, people, seeded_source(12))]
    assert check_reports(task, few).unusual == ()


@pytest.mark.usefixtures("few_tests")
def test_more_words_than_are_kept_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarm_tests, "MAX_WORDS", 5000)
    task = TASKS["collision"]
    sample = ReportSample(task, default_rng(13))
    for start in range(0, REPORTS, 5000):
        sample.add(honest_reports("collision")[start : start + 5000])
    kept = sum(map(len, sample._kept))
    assert sample.reports == REPORTS
    assert 1500 < kept <= 5000
    assert sample.check().unusual == ()


def test_the_rate_of_false_alarms_is_shared_by_tests_and_checks() -> None:
    """A test alone at the limit is an alarm, and one just above it is not."""
    limit = FALSE_ALARMS_PER_DAY / CHECKS_PER_DAY / 2
    at, above = AlarmTest("at", "at", limit), AlarmTest("above", "above", 1.01 * limit)
    assert Alarms(10, (at, above)).unusual == (at,)
    assert Alarms(10, (at, above)).to_dict()["unusual"] == ["at"]


def test_bounds_are_never_below_the_exact_tails() -> None:
    """And within a factor of 60 of them where alarms decide: a bound that bounds nothing would be useless."""
    for trials, chance in ((100, 0.05), (10_000, 0.3), (100_000, 1 / 1681)):
        mean, deviation = trials * chance, math.sqrt(trials * chance * (1 - chance))
        for z in (-5, -2, 2, 5, 6):
            count = round(mean + z * deviation)
            count_law = stats.binom(trials, chance)
            exact = count_law.sf(count - 1) if z > 0 else count_law.cdf(count)
            if count >= 0:
                assert exact <= binomial_bound(count, trials, chance) <= 60 * exact
    for mean in (0.5, 30, 5000):
        for count in (round(mean + z * math.sqrt(mean)) + 1 for z in (1, 5)):
            exact = stats.poisson(mean).sf(count - 1)
            assert exact <= poisson_bound(count, mean) <= 60 * exact
    exact = stats.gamma(12).sf(40)
    assert exact <= gamma_bound(40, 12, 12, 2 / math.sqrt(12)) <= 60 * exact
    for heads in (60, 70, 80):
        exact = stats.binom(100, 0.5).sf(heads - 1)
        bound = mean_bound(heads / 100 - 0.5, 100, 0.25, lambda tilt: math.cosh(tilt / 2) - 1)
        assert exact <= bound <= 60 * exact
    assert mean_bound(0.0, 100, 0.25, math.cosh) == mean_bound(1.0, 100, 0.0, math.cosh) == 1
    assert binomial_bound(0, 0, 0.5) == poisson_bound(1, 1) == gamma_bound(1, 1, 1, 1) == 1
    assert poisson_bound(1, 0) == 0


@pytest.mark.parametrize(("functions", "reports"), [(25, 5000), (1681, 5000), (50_000, 5000), (10**8, 5000)])
def test_honest_functions_exceed_no_level_too_often(
    functions: int, reports: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """400 honest sets per case: bounds are below .01 in at most 1 % of them, tested at α = 1e-6.

    The control gives a fifth of the reports one function.
    """
    law = task_of("collision").law
    monkeypatch.setitem(vars(law), "functions", functions)
    rng, most = default_rng(14), int(stats.binom(400, 0.01).isf(1e-6))
    low = {"heaviest function": 0, "repeated functions": 0}
    for _ in range(400):
        drawn = rng.integers(0, functions, reports)
        for test in islice(function_tests(law, drawn), 2):  # type: ignore[arg-type]
            low[test.name] += test.chance < 0.01
    assert max(low.values()) <= most
    drawn[: reports // 5] = 0
    found = {test.name: test.chance for test in islice(function_tests(law, drawn), 2)}  # type: ignore[arg-type]
    assert found["repeated functions"] < 1e-6


@pytest.mark.parametrize("name", TASKS)
def test_any_two_items_share_symbols_as_often_as_stated(name: str) -> None:
    """The mean of the statistic for random functions: 2^16 of them, within 4.5 standard errors (α = 7e-6).

    The control, a mean that is off by 15 %, must be further away.
    """
    task = TASKS[name]
    law, rng = task.law, default_rng(15)
    functions = rng.integers(0, law.functions or 0, 2**16)
    places = alarm_tests._places(law, functions, np.arange(10))  # type: ignore[arg-type]
    weights = np.full(len(places.rows), len(places.rows) ** -0.5)
    alike = alarm_tests._alike(places, weights)
    pairs = weights.sum() ** 2 - 1
    expected = alarm_tests._chance(law) * pairs  # type: ignore[arg-type]
    error = alike.std() / math.sqrt(alike.size)
    assert abs(alike.mean() - expected) < 4.5 * error
    assert abs(alike.mean() - 1.15 * expected) > 4.5 * error


@pytest.mark.parametrize(
    "parameters", [{"q": 503}, {"q": 23}, {"q": 53, "r": 12, "o": 3}], ids=["one digit", "two", "sets"]
)
def test_the_variance_of_shared_residues_is_exact(parameters: dict[str, int]) -> None:
    """Among few digits all keys are alike at once, so rarely that a sample of functions may not show it: all are tried."""
    law, rng = task_of("ue-compact", keys=40, epsilon="6", **parameters).law, default_rng(4)
    assert isinstance(law, UeCompactLaw)
    keys, weights = np.arange(40), np.where(np.arange(40) % 2, rng.random(40), 0)
    alike = alarm_tests._alike(alarm_tests._places(law, np.arange(law.functions), keys), weights)
    assert alarm_tests._compact_variance(law, keys, weights) == pytest.approx(alike.var())


def test_symbols_that_are_hardly_ever_shared_vary_all_the_same() -> None:
    """Two of 22,027 symbols: 2^15 drawn functions may show no shared one."""
    law = task_of("collision", keys=3, epsilon="10").law
    assert isinstance(law, CollisionLaw)
    weights, chance = np.array([1.0, 1.0]), 1 / law.symbols
    none_shared = np.full(2**15, -2 * chance)
    spread = alarm_tests._DrawnSpread(none_shared, weights, chance)
    assert spread.variance >= 0.99 * 4 * chance
    for tilt in (0.1, 1.0, 3.0):
        exact = chance * math.exp(2 * tilt * (1 - chance)) + (1 - chance) * math.exp(-2 * tilt * chance) - 1
        assert spread.beyond(tilt) >= exact


def test_shared_symbols_are_tested_on_reports_that_did_not_choose_the_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """10 honest sets of 2,000 reports: no bound below 1e-3 (α = .01 in all); the control tests the half that chose."""
    task = TASKS["collision"]
    words, rng = honest_reports("collision"), default_rng(16)
    words = words[words < (task.law.word_limit or 0)]

    places_of, group_test_of = alarm_tests._places, alarm_tests._group_test
    shown: list[Integers] = []

    def shown_by_tested(law: CollisionLaw, words: Integers, keys: Integers) -> Floats:
        shown.append(words // law.symbols)
        rows = places_of(law, shown[-1], keys).rows
        # Keys correlate here as often as they share a symbol.
        return np.concatenate([rows[::2] == symbol for symbol in range(law.symbols)], axis=1).astype(float)

    def group_test(law: CollisionLaw, keys: Integers, weights: Floats, _: Integers, null: Integers) -> AlarmTest:
        return group_test_of(law, keys, weights, shown[-1], null)

    def smallest() -> float:
        found = [
            alarm_tests.shared_symbols_test(task, task.law, part, rng)  # type: ignore[arg-type]
            for part in np.array_split(words, 48)[:10]
        ]
        return min(test.chance for test in found if test)

    monkeypatch.setattr(alarm_tests, "NULL_FUNCTIONS", 2**11)
    assert smallest() > 1e-3
    # The control: groups of keys that the tested functions themselves show.
    monkeypatch.setattr(alarm_tests, "_supports", shown_by_tested)
    monkeypatch.setattr(alarm_tests, "_group_test", group_test)
    assert smallest() < 1e-4


def test_a_sum_of_unlike_events_is_bounded_by_its_mean() -> None:
    """Bits of `ue`: one chance per report differs. Enumerated: the bound holds for the mixture."""
    a, b, keys = Fraction(3, 5), Fraction(1, 3), 6
    count_law = np.array([1.0])
    for chance in (a, *(b,) * (keys - 1)):
        count_law = np.convolve(count_law, [float(1 - chance), float(chance)])
    mean = float(a + b * (keys - 1)) / keys
    for count in range(keys + 1):
        if count > keys * mean:
            assert count_law[count:].sum() <= binomial_bound(count, keys, mean)
        else:
            assert count_law[: count + 1].sum() <= binomial_bound(count, keys, mean)
