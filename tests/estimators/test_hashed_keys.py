"""Estimates of hashed keys: those of a list with the same numbers, few false discoveries, and what is flagged or refused."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from pckv import Series, Tally, Task, estimate, trend
from pckv.base.errors import PairsError, ParameterError
from pckv.estimators.alarms import check_reports
from pckv.estimators.intervals import frequency_interval
from pckv.estimators.methods.registry import METHODS
from pckv.lab.counting import draw_counts
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import build
from pckv.statistics.detection import Detection, selected_level, sum_chances
from pckv.statistics.moments import CountMoments

SITES = [f"site {number}" for number in range(40)]


@cache
def hashed_task(**options: object) -> Task:
    members: dict[str, object] = {"values": (1, 5), "epsilon": 3, "padding": 2, **options}
    return Task(name="sites", keys="hashed", **members)  # type: ignore[arg-type]


def counted(task: Task) -> Tally:
    """Words whose functions send the first sites to their symbol, and words of any function."""
    # With this seed, and the hashes of this task, none of the other sites stands out by chance.
    rng, law = np.random.default_rng(9), task.law
    assert isinstance(law, CollisionLaw)
    functions = rng.integers(0, law.functions, 3000)
    symbols = rng.integers(0, law.symbols, functions.size)
    for place, site in enumerate(SITES[:6]):
        part = slice(place * 200, (place + 1) * 200)
        item = law.item(task.key_index(site), place % task.level_count)
        for word in range(part.start, part.stop):
            symbols[word] = law.symbol(int(functions[word]), item)
    tally = Tally(task)
    tally.add_many(functions * law.symbols + symbols)
    return tally


@pytest.mark.parametrize("levels", [2, 5])
def test_estimates_are_those_of_a_list_with_the_same_numbers(levels: int) -> None:
    hashed = hashed_task(levels=levels)
    mechanism = {"name": hashed.mechanism, **hashed.parameters}
    listed = Task(
        name="list",
        keys=hashed.key_count,
        values=(1, 5),
        levels=levels,
        epsilon=3,
        padding=2,
        mechanism=mechanism,
        size_share=hashed.size_share,
    )
    tally, same = counted(hashed), Tally(listed)
    words, times = tally.counts.nonzero()
    same.add_counted(words, times)
    numbers = [str(hashed.key_index(site)) for site in SITES]
    for method in ("corrected", "baseline"):
        found = estimate(tally, method, keys=SITES)
        assert found.key == SITES
        wider = selected_level(0.95, 6, 40)
        assert found.detected_level == wider == pytest.approx(1 - 0.05 * 6 / 40)
        selected, others = (estimate(same, method, level, keys=numbers) for level in (wider, 0.95))
        for name in (
            "frequency",
            "frequency_low",
            "frequency_high",
            "mean",
            "mean_low",
            "mean_high",
            "shares",
        ):
            parts = getattr(selected, name)[:6].tolist(), getattr(others, name)[6:].tolist()
            assert getattr(found, name).tolist() == [*parts[0], *parts[1]], name
    assert estimate(tally, keys=SITES).method == "corrected"


def test_what_else_is_asked_widens_intervals_and_changes_nothing_else() -> None:
    """The site is 1 of 1, and some of 40 are detected; the last site is not, and its interval stays."""
    tally = counted(hashed_task(more="refuse"))
    alone, among = estimate(tally, keys=SITES[3:4]), estimate(tally, keys=SITES)
    one, other = alone["site 3"], among["site 3"]
    # Those that are there, and perhaps others by chance.
    level = selected_level(0.95, int(among.detected.sum()), 40)
    assert among.detected[:6].all()
    assert (alone.detected_level, among.detected_level) == (selected_level(0.95, 1, 1), level)
    assert (one.frequency, one.mean) == (other.frequency, other.mean)
    assert other.frequency_low < one.frequency_low < one.frequency_high < other.frequency_high
    assert other.mean_low < one.mean_low
    last = SITES[-1]
    assert estimate(tally, keys=[last])[last] == among[last]
    assert estimate(tally, keys=[last]).detected_level is None
    said = f"each has the level {100 * level:.6g} %, since these keys were selected. Others have 95 %"
    assert said in among.verdict[1]
    assert "level" not in " ".join(estimate(tally, keys=[last]).verdict)


@pytest.mark.parametrize("method", METHODS)
def test_keys_that_are_there_are_detected_by_all_methods(method: str) -> None:
    found = estimate(counted(hashed_task()), method, keys=SITES)
    assert found.detected.tolist() == [True] * 6 + [False] * 34
    assert (found.frequency_low[:6] > 0).all()
    assert found.false_discovery_rate == 0.05
    said = "6 of 40 keys stand out from the noise (at most 5 % of such flags are false, on average)"
    assert any(sentence.startswith(said) for sentence in found.verdict)
    # More than half of what is counted as theirs may be hostile.
    assert not estimate(counted(hashed_task()), method, keys=SITES, hostile=400).detected.any()
    some = estimate(counted(hashed_task()), method, keys=SITES, hostile=20)
    assert some.detected.sum() == 6
    assert any("whatever 20 of the reports say (at most" in sentence for sentence in some.verdict)


@pytest.mark.parametrize(("reports", "holders"), [(300, 36), (20_000, 280)])
def test_the_false_discovery_rate_holds(reports: int, holders: int) -> None:
    """400 collections of 400 keys, 20 of them held by some: the mean share of false ones is at most the rate.

    The standard error of that mean is at most 0.006 (rate 0.2), and 0.19 is expected: a rate of 0.22 would be
    seen with a power of 0.99. The control, keys judged one by one, must fail. Counts are few (noise below 50)
    and many.
    """
    keys, held, collections = 400, 20, 400
    count_law = build("collision", 2**20, 1, Fraction(3), {}).count_law
    moments, rng = CountMoments.of(count_law), np.random.default_rng(reports)
    of_key = np.where(np.arange(keys) < held, holders, 0)
    tests = {rate: Detection(keys, 0.95, rate) for rate in (0.05, 0.2)} | {None: Detection(1, 0.95)}
    false = dict.fromkeys(tests, 0.0)
    power = dict.fromkeys(tests, 0.0)
    for _ in range(collections):
        totals = draw_counts(count_law, reports, of_key, np.zeros(keys), rng).total
        for rate, detection in tests.items():
            found = detection.detected(totals, reports, moments)
            false[rate] += found[held:].sum() / max(found.sum(), 1) / collections
            power[rate] += found[:held].mean() / collections
    assert false[0.05] <= 0.05
    assert false[0.2] <= 0.2
    assert false[None] > 0.22
    assert power[0.2] > power[0.05] > 0.3


@pytest.mark.parametrize(("reports", "holders"), [(300, 36), (20_000, 280)])
def test_the_false_coverage_rate_holds(reports: int, holders: int) -> None:
    """300 collections of 400 keys, 20 of them held: the mean share of detected keys whose interval misses the truth.

    At most 0.05; its standard error is at most 0.007, so that a rate of 0.075 would be seen with a power of
    0.97 at the limit of 0.06. The control, intervals of 95 % each as if none were selected, must miss more.
    """
    keys, held, collections = 400, 20, 300
    count_law = build("collision", 2**20, 1, Fraction(3), {}).count_law
    moments, rng = CountMoments.of(count_law), np.random.default_rng(reports + 1)
    of_key = np.where(np.arange(keys) < held, holders, 0)
    truth = of_key / reports
    missed = {True: [], False: []}  # type: dict[bool, list[float]]
    for _ in range(collections):
        support = draw_counts(count_law, reports, of_key, np.zeros(keys), rng)
        found = Detection(keys, 0.95, 0.05).detected(support.total, reports, moments)
        shown = int(found.sum())
        for is_selected, level in ((True, selected_level(0.95, shown, keys)), (False, 0.95)):
            low, high = frequency_interval(support, reports, moments, level)
            outside = found & ((truth < low) | (truth > high))
            missed[is_selected].append(outside.sum() / max(shown, 1))
    assert np.mean(missed[True]) <= 0.06
    assert np.mean(missed[False]) > 0.075


def test_the_threshold_is_that_of_benjamini_and_hochberg_on_exact_chances() -> None:
    count_law = build("collision", 2**20, 1, Fraction(3), {}).count_law
    moments, reports = CountMoments.of(count_law), 400
    chances = sum_chances(moments.absent, reports, 150)
    at_least = np.append(1.0, 1 - np.cumsum(chances))
    rng = np.random.default_rng(7)
    compared = 0
    for level, rate in ((0.95, 0.05), (0.8, 0.1), (0.999, 0.3)):
        for keys in (1, 3, 50, 300):
            totals = rng.integers(20, 75, keys)
            order = np.sort(at_least[totals])
            allowed = np.minimum(rate * np.arange(1, keys + 1) / keys, (1 - level) / 2)
            passed = np.flatnonzero(order <= allowed)
            expected = at_least[totals] <= (allowed[passed[-1]] if passed.size else -1)
            found = Detection(keys, level, rate).detected(totals, reports, moments)
            assert found.tolist() == expected.tolist()
            compared += bool(expected.any() and not expected.all())
    assert compared > 4


def test_keys_with_the_same_number_are_flagged_and_not_refused() -> None:
    task = hashed_task()
    # As many texts as make a collision likely, of which there are 2^29 numbers.
    numbers: dict[int, str] = {}
    for count in range(200_000):
        text = f"text {count}"
        first = numbers.setdefault(task.key_index(text), text)
        if first != text:
            break
    found = estimate(counted(task), keys=[first, "site 0", text])
    assert found.collides.tolist() == [True, False, True]
    assert found[first].frequency == found[text].frequency
    assert [row["collides"] for row in found.to_dict()["estimates"]] == [True, False, True]
    assert found.table()["collides"].tolist() == [True, False, True]
    assert found.headers()[-1] == "collides"
    assert [cells[-1] for cells in found.cells()] == ["yes", "", "yes"]
    assert "2 of the keys share their numbers" in found.verdict[-1]
    assert found.top(1).headers()[-1] != "collides" or found.top(1).collides.any()


def test_columns_of_hashed_keys_are_left_out_of_other_tables() -> None:
    listed = estimate(Tally(Task(name="t", keys=["a"], values=(0, 1), epsilon=1)))
    assert "collides" not in listed.table()
    assert "detected_level" not in listed.to_dict()
    assert "false_discovery_rate" not in listed.to_dict()
    hashed = estimate(counted(hashed_task()), keys=SITES, false_discovery_rate=0.1)
    assert hashed.to_dict()["false_discovery_rate"] == 0.1
    header, first = (line.split(",") for line in hashed.to_csv().splitlines()[:2])
    assert dict(zip(header, first, strict=True))["false_discovery_rate"] == "0.1"
    assert hashed.to_arrow().schema.metadata[b"pckv.false_discovery_rate"] == b"0.1"
    assert hashed.to_pandas().attrs["false_discovery_rate"] == 0.1
    assert {field.name for field in fields(hashed)} >= {"collides", "other", "false_discovery_rate"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "name the keys"),
        ({"keys": []}, "name the keys"),
        ({"keys": "site 0"}, "keys must be a list of names"),
        ({"keys": ["a", "b", "a"]}, "number 3 and number 1 are 'a'"),
        ({"keys": ["a"], "post": "consistent"}, "hashed keys have no list"),
        ({"keys": ["a"], "false_discovery_rate": 1.0}, "false discovery rate must be above 0 and below 1"),
        ({"keys": ["a"], "method": "best"}, "does not exist"),
    ],
)
def test_what_cannot_be_estimated_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        estimate(Tally(hashed_task()), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["", "x" * 257, "e\u0301", "a\nb", 3, ["a"]])
def test_texts_that_are_no_keys_are_refused(key: object) -> None:
    with pytest.raises(PairsError, match="key"):
        estimate(Tally(hashed_task()), keys=["a", key])  # type: ignore[list-item]


def test_a_list_has_no_false_discovery_rate() -> None:
    tally = Tally(Task(name="t", keys=["a"], values=(0, 1), epsilon=1))
    with pytest.raises(ParameterError, match="for hashed keys"):
        estimate(tally, false_discovery_rate=0.05)


def test_rounds_of_a_series_are_estimated_one_by_one() -> None:
    task = hashed_task(more="refuse")
    series = Series(task=task, first="2030-01-07", period=7, panels=2)
    first, second = series.task_of(1), series.task_of(2)
    assert first.key_index("site 0") != second.key_index("site 0")
    found = estimate(counted(second), keys=SITES)
    assert found.detected.sum() == 6
    with pytest.raises(ParameterError, match="estimate the rounds one by one"):
        trend(series, [counted(first), counted(second)], keys=SITES)


def test_alarms_check_what_they_can() -> None:
    words, times = counted(hashed_task(more="refuse")).counts.nonzero()
    alarms = check_reports(hashed_task(more="refuse"), [np.repeat(words, times)])
    assert not alarms.unusual


def test_without_reports_nothing_is_known() -> None:
    found = estimate(Tally(hashed_task()), keys=["a", "b"])
    assert found.detected.tolist() == [False, False]
    assert found.verdict == ("There are no reports yet.",)
