"""Impossible counts: silent for honest reports whatever people hold, and an alarm where no people explain a count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from scipy import stats

from audit.smaller_laws import over_positions
from experiments.attacks import constant_function
from experiments.impossible import supports
from pckv import Estimates, Series, Tally, Task, estimate, trend
from pckv.base.arrays import Messages
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.impossible import FALSE_ALARMS_PER_LOOK, count_tests, impossible_counts
from pckv.estimators.sets import PooledReports
from pckv.mechanisms.base import HeldLevels, Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.statistics.binomial import bennett_bound, binomial_bound
from pckv.tally.decode.support import KeySupport, key_support

KEYS, PADDING = 3, 2


def small_law(name: str, levels: int, padding: int = PADDING) -> Law:
    """A law whose words are few enough to enumerate, over all functions."""
    law = build(name, KEYS, padding, Fraction(1), {}, levels=levels)
    return over_positions(law, 11) if isinstance(law, CollisionLaw) else law


def held_sets(law: Law) -> Iterator[HeldLevels]:
    """All sets of pairs: none, as many as the padding, and more."""
    for size in range(law.keys + 1):
        for keys in combinations(range(law.keys), size):
            for levels in product(range(law.levels), repeat=size):
                yield dict(zip(keys, levels, strict=True))


CASES = [(name, levels) for name in LAWS for levels in (2, 1, 3) if levels <= LAWS[name].max_levels]


@pytest.mark.parametrize(("name", "levels"), CASES)
def test_bounds_hold_for_all_that_people_may_hold(name: str, levels: int) -> None:
    """Exactly, by enumeration; the bounds of sampling mechanisms, and the upper one of an item, are reached."""
    law = small_law(name, levels)
    tables = {message: supports(law, message) for message in law.messages()}
    stacked = np.stack(list(tables.values()))
    seen: dict[str, list[Fraction]] = {"item": [], "key": [], "total": []}
    for held in held_sets(law):
        distribution = law.distribution(held)
        weights = np.array([distribution.weights.get(message, 0) for message in tables], dtype=object)
        chances = [Fraction(int(weight), distribution.total) for weight in np.tensordot(weights, stacked, 1).ravel()]
        by_key = [sum(chances[start : start + levels], Fraction(0)) for start in range(0, len(chances), levels)]
        seen["item"] += [min(chances), max(chances)]
        seen["key"] += [min(by_key), max(by_key)]
        seen["total"].append(sum(chances, Fraction(0)))
    for kind, (least, most) in law.support_bounds._asdict().items():
        assert least <= min(seen[kind]) <= max(seen[kind]) <= most, kind
        assert name == "collision" or (min(seen[kind]), max(seen[kind])) == (least, most), kind
    assert max(seen["item"]) == law.support_bounds.item.most


def test_pairs_that_are_held_together_make_another_item_of_collision_rare() -> None:
    """The control of the lower bound: four paddings in N positions, of the frequency, would not cover it.

    Item w is in the middle of two that all people hold: among 2·10^5 functions (a standard error of .001 of
    the frequency) it looks as if -.07 of people held it.
    """
    law = CollisionLaw(1000, 2, Fraction(1))
    where = {law.numbering.position(item): item for item in range(law.items)}
    place = {item: position for position, item in where.items()}
    middle, first = (
        0,
        next(item for item in range(2, law.items) if where.get((2 * place[0] - place[item]) % law.positions, 0) > 1),
    )
    second = where[(2 * place[middle] - place[first]) % law.positions]
    functions = default_rng(1).integers(0, law.functions, 200_000).astype(np.uint64)
    of_middle, *own = (law.symbol(functions, item) for item in (middle, first, second))
    held, symbols = law.hit / law.one, np.where(own[0] == own[1], 1, 2)
    miss = (1 - symbols * held) / (law.symbols - symbols)
    chance = float(np.where((of_middle == own[0]) | (of_middle == own[1]), held, miss).mean())
    seen = (chance - 1 / law.symbols) / (held - 1 / law.symbols)
    assert -0.08 < seen < -0.06
    assert seen < -4 * law.padding / law.positions
    assert chance > law.support_bounds.item.least


@pytest.mark.parametrize(("trials", "chance"), [(50, 0.3), (1000, 0.02), (10**5, 0.5), (10**8, 1e-4)])
def test_bounds_of_tails_are_above_the_exact_ones_and_near_them(trials: int, chance: float) -> None:
    """Down to 1e-300; within a factor of 100 where they are below 1e-8, so that little power is lost."""
    spread = (trials * chance * (1 - chance)) ** 0.5
    for distance in (1, 3, 6, 8, 12, 25):
        for count in (trials * chance + distance * spread, trials * chance - distance * spread):
            if not 0 < count < trials:
                continue
            whole = int(count)
            law = stats.binom(trials, chance)
            exact = law.sf(whole - 1) if count > trials * chance else law.cdf(whole)
            bound = binomial_bound(whole, trials, chance)
            assert bound >= exact * (1 - 1e-6)
            assert bound <= 100 * max(exact, 1e-300) or exact > 1e-8 or exact < 1e-290
    # Bennett's bound is for any numbers, so also for those of one event.
    excess = 8 * spread / trials
    bound = bennett_bound(excess, trials, chance * (1 - chance), 1 - chance)
    assert bound >= stats.binom(trials, chance).sf(trials * chance + 8 * spread - 1) * (1 - 1e-6)


# The same for all mechanisms: keys are few and n large, so that 1 % of copied reports can exceed what is possible.
def task_of(mechanism: str, keys: int = 4, padding: int = 1, epsilon: str = "1", levels: int = 2) -> Task:
    return Task(
        name="t",
        keys=keys,
        values=(0, 1),
        epsilon=epsilon,
        padding=padding,
        mechanism=mechanism,
        levels=levels,
        size_share=0 if mechanism == "ue" or keys <= padding else "0.1",
    )


def reports_of(task: Task, people: int, hold: str, seed: int) -> Messages:
    """Honest reports of people who all hold the same: one key at the top, nothing, all keys, or one key at random."""
    rng = default_rng(seed)
    sizes = np.full(people, {"one key": 1, "nothing": 0, "all keys": task.key_count, "any key": 1}[hold])
    keys = np.zeros(sizes.sum())
    if hold == "all keys":
        keys = np.tile(np.arange(task.key_count), people)
    if hold == "any key":
        keys = rng.integers(0, task.key_count, people)
    values = np.full(keys.size, task.ends[1]) if hold != "any key" else rng.uniform(*task.ends, keys.size)
    population = Population(np.append(0, np.cumsum(sizes)), keys.astype(np.int32), values.astype(np.float64))
    return np.concatenate([batch.messages for batch in perturb_many(task, population, seeded_source(seed))])


def tally_of(task: Task, *messages: Messages) -> Tally:
    tally = Tally(task)
    for each in messages:
        tally.add_many(each)
    return tally


def names(task: Task) -> list[str]:
    return task.key_names(range(task.key_count))


def found_in(tally: Tally) -> list[str]:
    return [test.name for test in impossible_counts(tally, key_support(tally), names(tally.task))]


HELD = ("one key", "nothing", "all keys", "any key")


@pytest.mark.parametrize("hold", HELD)
@pytest.mark.parametrize("mechanism", LAWS)
def test_honest_reports_are_silent(mechanism: str, hold: str) -> None:
    """At the corners of what people may hold, where a count is as large or as small as it can be on average."""
    for padding in (1, 2):
        task = task_of(mechanism, padding=padding)
        assert found_in(tally_of(task, reports_of(task, 30_000, hold, seed=3))) == []


@pytest.mark.parametrize("mechanism", LAWS)
def test_copies_are_found_where_they_make_a_count_impossible(mechanism: str) -> None:
    """1 % of 600,000 reports are copies of one body that supports an item which all people hold.

    The count is then more than 7 standard errors beyond the most that is possible, and 6.4 of them are an
    alarm. The control: where a quarter of the people hold the item, as many copies are no alarm.
    """
    task, people = task_of(mechanism), 600_000
    copies: Messages = body_of(task, level=1).repeat(people // 100, axis=0)
    tally = tally_of(task, reports_of(task, people, "one key", seed=3), copies)
    most = float(task.law.support_bounds.item.most)
    beyond = key_support(tally).counts[1, 0] / tally.pair_reports - most
    assert beyond > 7 * (most * (1 - most) / tally.pair_reports) ** 0.5
    assert "key with a value" in found_in(tally)
    few = people // 10
    assert found_in(tally_of(task, reports_of(task, few, "any key", seed=4), copies[: few // 100])) == []


def body_of(task: Task, level: int) -> Messages:
    """One report that supports key 0 at a level."""
    law = task.law
    rng = default_rng(1)
    if isinstance(law, UeLaw):
        states = (2 * level - 1, *[0] * (law.keys - 1))
        message = law.message(states)
        return np.frombuffer(message.to_bytes(law.body_bytes, "little"), np.uint8)[None, :]
    for word in rng.integers(0, law.word_limit, 10_000):
        if supports(law, int(word))[0, level]:
            return np.array([word])
    raise AssertionError("no word supports the item")


def test_reports_that_support_all_keys_are_found_by_their_sum() -> None:
    """1 % constant functions of `ue-compact`: every key stays possible, all together do not; a control has none."""
    task = Task(name="t", keys=500, values=(0, 1), epsilon="2", padding=1, mechanism="ue-compact", size_share=0)
    honest = reports_of(task, 50_000, "any key", seed=5)
    law = task.law
    assert isinstance(law, UeCompactLaw)
    assert found_in(tally_of(task, honest)) == []
    assert found_in(tally_of(task, honest, constant_function(law, 500))) == ["all keys"]


def test_dummies_that_are_too_few_are_found() -> None:
    """`grr`: no dummy among 1 % more reports than people, who all hold as many pairs as the padding."""
    task = task_of("grr", keys=4, padding=4)
    honest = reports_of(task, 100_000, "all keys", seed=6)
    assert found_in(tally_of(task, honest)) == []
    names_keys = default_rng(2).integers(0, task.law.levels * task.key_count, 1000)
    found = found_in(tally_of(task, honest, np.tile(names_keys, 3)))
    assert found == ["all keys"]


def test_copied_answers_to_the_size_question_are_found() -> None:
    """All people hold one pair, and 1 % of the reports are copies of the answer that says so."""
    task = task_of("grr", epsilon="2")
    honest = reports_of(task, 300_000, "one key", seed=7)
    assert found_in(tally_of(task, honest)) == []
    assert found_in(tally_of(task, honest, np.full(3000, task.law.word_limit))) == ["size answer"]


def copied(copies: int = 600) -> Tally:
    """5,005 honest reports of 40 keys, and copies of one body, by `grr` at ε = 2."""
    task = Task(name="t", keys=40, values=(1, 5), epsilon=2, padding=1, mechanism="grr", size_share=0)
    return tally_of(task, reports_of(task, 5005, "any key", seed=8), np.full(copies, 1))


def test_an_estimate_carries_what_is_impossible_in_all_its_forms() -> None:
    """The first sentence, JSON both ways, CSV, Parquet, HTML, and tables of some of its keys; honest ones have none."""
    found = estimate(copied())
    assert [test.name for test in found.impossible] == ["key with a value", "key"]
    assert all(test.chance <= FALSE_ALARMS_PER_LOOK for test in found.impossible)
    assert found.verdict[: len(found.warning)] == found.warning
    assert found.warning[0].startswith("Do not use these numbers")
    assert "“0” with the value 5 is counted" in found.warning[1]
    again = Estimates.from_dict(found.to_dict())
    assert again.to_dict() == found.to_dict()
    assert again.impossible == found.impossible
    assert found.take(np.array([5])).impossible == found.impossible
    assert "Do not use these numbers" in found.to_csv()
    assert b"pckv.impossible" in found.to_arrow().schema.metadata
    page = found._repr_html_()
    assert page.index("Do not use") < page.index("<table")
    assert page.count("Do not use") == 1
    honest = estimate(copied(0))
    assert (honest.impossible, honest.warning) == ((), ())
    assert honest.to_dict()["impossible"] == []
    assert "warning" not in honest.to_dict()


@pytest.mark.parametrize("method", ["baseline", "corrected", "bayes"])
def test_the_share_of_a_copied_key_has_a_range(method: str) -> None:
    """Its estimate is beyond 100 %; a range of a point would say that the data are sure of it."""
    row = estimate(copied(), method=method)["0"]
    assert row.frequency_low < 0.99 < row.frequency_high == 1


def test_hashed_keys_that_are_asked_for_are_tested() -> None:
    task = Task(name="t", keys="hashed", values=(1, 5), epsilon=2, mechanism="collision", padding=1)
    rng = default_rng(3)
    law = task.law
    assert isinstance(law, CollisionLaw)
    honest = rng.integers(0, law.word_limit, 2000)
    item = law.item(task.key_index("alien"), 1)
    functions = rng.integers(0, law.functions, 8000).astype(np.uint64)
    made_up = functions.astype(np.int64) * law.symbols + law.symbol(functions, item).astype(np.int64)
    asked = ["alien", "heat"]
    assert estimate(tally_of(task, honest), keys=asked).impossible == ()
    test, *_ = estimate(tally_of(task, honest, made_up), keys=asked).impossible
    assert "“alien” with the value 5" in test.seen
    assert estimate(tally_of(task, honest, made_up), keys=["heat"]).impossible == ()


def test_rounds_of_a_series_are_tested_one_by_one_and_together() -> None:
    """Copies in one round are a smaller share of all rounds pooled; the trend's verdict begins with them."""
    task = Task(name="t", keys=40, values=(1, 5), epsilon=2, padding=1, mechanism="grr")
    series = Series(task=task, first="2030-01-07", period=7, panels=4)
    rounds = []
    for number in range(1, 5):
        own = series.task_of(number)
        rounds.append(tally_of(own, reports_of(own, 5000, "any key", seed=number)))
    assert trend(series, rounds).warning == ()
    rounds[1].add_many(np.full(800, 1))
    found = trend(series, rounds)
    assert [test.seen.partition(",")[0] for test in found.pooled.impossible] == ["in round 2"] * 2
    assert found.verdict[0].startswith("Do not use these numbers")
    assert len(set(found.verdict)) == len(found.verdict)


def test_a_count_is_named_with_the_number_of_others_like_it() -> None:
    task = task_of("collision", keys=10, epsilon="2")
    law = task.law
    counts = np.full((2, 10), round(1000 * float(law.support_bounds.item.least)))
    counts[1, :4] = 1000
    pooled = PooledReports(task, 1000, 1000, np.zeros(0, np.int64), law.count_law)
    [first, second, *_] = impossible_counts(pooled, KeySupport(counts), names(task))
    assert first.seen.startswith("“0” with the value 1 is counted 1,000 times in 1,000 reports")
    assert first.seen.endswith("(and 3 other counts of this kind)")
    assert second.name == "key"


def uniform_enough(chances: list[float], rate: float) -> bool:
    """No more p-values than a rate allows, at α = 1e-6."""
    return stats.binom.sf(sum(chance <= rate for chance in chances) - 1, len(chances), rate) > 1e-6


def test_bounds_of_the_chance_hold_for_honest_collections() -> None:
    """Over 600 collections, where all people hold one item: at rates of .1 and .01, no more than stated.

    The control takes the chance of an item to be 3 standard errors less, and must fail.
    """
    task, rng, people = task_of("grr", keys=8, epsilon="2"), default_rng(9), 20_000
    law = task.law
    assert isinstance(law, GrrLaw)
    most = float(law.support_bounds.item.most)
    pooled = PooledReports(task, people, people, np.zeros(0, np.int64), law.count_law)

    def least_chance(generator: Generator, chance: float) -> float:
        others = (1 - chance) / (law.symbols - 1)
        drawn = generator.multinomial(people, [chance, *[others] * (law.symbols - 1)])[: 2 * law.keys]
        tests = count_tests(pooled, KeySupport(drawn.reshape(law.keys, 2).T), names(task))
        return min(test.chance for test in tests)

    honest = [least_chance(rng, most) for _ in range(600)]
    assert uniform_enough(honest, 0.1)
    assert uniform_enough(honest, 0.01)
    more = most + 3 * (most * (1 - most) / people) ** 0.5
    assert not uniform_enough([least_chance(rng, more) for _ in range(600)], 0.1)


def test_nothing_is_tested_without_reports() -> None:
    task = task_of("collision")
    assert estimate(Tally(task)).impossible == ()
    empty = replace(
        PooledReports(task, 0, 0, np.zeros(0, np.int64), task.law.count_law), size_answers=Tally(task).size_answers
    )
    assert count_tests(empty, key_support(Tally(task)), names(task)) == ()
