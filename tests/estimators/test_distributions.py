"""Quantiles, shares above and below a value, and the columns of distributions."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from pckv import Tally, Task, estimate
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.results import estimates as result
from pckv.estimators.results.distributions import DEVIATIONS, Distributions
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.key_estimate import COLUMNS

VALUES = (1.0, 2.0, 4.0, 8.0)


def known(*shares: float, exact: bool, error: float = 0.0) -> Distributions:
    """Return a distribution whose shares at or below a level are known up to an error."""
    table = np.array([shares])
    at_most = np.cumsum(table, axis=1)
    low, high = np.clip(at_most - error, 0, 1), np.clip(at_most + error, 0, 1)
    low[:, -1] = high[:, -1] = 1
    return Distributions(VALUES, exact, table, table, table, low, high, *[np.ones(1)] * 3)


def test_a_quantile_of_levels_is_a_level() -> None:
    found = known(0.1, 0.2, 0.3, 0.4, exact=True, error=0.15)
    assert _plain(found.quantile(0.05)) == (1, 1, 2)
    assert _plain(found.quantile(0.31)) == (4, 2, 4)
    assert _plain(found.quantile(0.5)) == (4, 4, 8)
    assert _plain(found.quantile(0.99)) == (8, 8, 8)


def test_a_quantile_of_rounded_values_lies_between_levels() -> None:
    found = known(0.1, 0.2, 0.3, 0.4, exact=False)
    # The distribution reaches 0.1 + 0.2/3 at 2, where a third of what is counted comes from below, and 0.4 at 4.
    reached = [0, 0.1 + 0.2 / 3, 0.4, 1]
    for probability in (0.05, 0.2, 0.4, 0.7, 0.95):
        assert found.quantile(probability).value == pytest.approx(np.interp(probability, reached, VALUES))
    # Values at or below 2 are at least those counted at 1, and at most those counted at 1 and 2.
    assert _plain(found.quantile(0.2))[1:] == (1, 4)
    assert _plain(found.quantile(0.35))[1:] == (2, 8)


def test_intervals_of_quantiles_hold_for_any_values() -> None:
    rng = default_rng(4)
    levels = np.array(VALUES)
    for _ in range(300):
        values = np.sort(rng.choice(rng.uniform(1, 8, 4), 20, p=rng.dirichlet(np.ones(4))))
        below = np.clip(np.searchsorted(levels, values, "right") - 1, 0, 2)
        chance = (values - levels[below]) / (levels[below + 1] - levels[below])
        shares = np.bincount(below, 1 - chance, 4) + np.bincount(below + 1, chance, 4)
        found = known(*(shares / 20), exact=False)
        for probability in (0.04, 0.26, 0.51, 0.88):
            value, low, high = _plain(found.quantile(probability))
            true = values[int(np.ceil(20 * probability)) - 1]
            assert low - 1e-9 <= true <= high + 1e-9
            assert low <= value <= high


def test_numbers_of_numpy_are_numbers() -> None:
    found = known(0.1, 0.2, 0.3, 0.4, exact=False)
    half: Any = np.float32(0.5)
    assert found.quantile(half) == found.quantile(0.5)
    for value in np.array([2, 4]):
        assert found.share_above(value) == found.share_above(int(value))
        assert found.share_below(value) == found.share_below(int(value))
    truth: Any = np.bool_(1)
    with pytest.raises(ParameterError, match="not within"):
        found.share_above(truth)


def test_shares_above_and_below_a_value() -> None:
    found = known(0.1, 0.2, 0.3, 0.4, exact=True, error=0.05)
    assert _plain(found.share_above(2)) == pytest.approx((0.7, 0.65, 0.75))
    assert _plain(found.share_below(2)) == pytest.approx((0.1, 0.05, 0.15))
    assert _plain(found.share_above(3.5)) == pytest.approx((0.7, 0.65, 0.75))
    assert _plain(found.share_below(3.5)) == pytest.approx((0.3, 0.25, 0.35))
    assert _plain(found.share_above(8)) == (0, 0, 0)
    assert _plain(found.share_below(1)) == (0, 0, 0)
    assert _plain(found.share_above(1)) == pytest.approx((0.9, 0.85, 0.95))


def _plain(answer: tuple[np.ndarray, ...]) -> tuple[float, ...]:
    return tuple(float(numbers[0]) for numbers in answer)


@pytest.mark.parametrize(
    ("question", "at", "reason"),
    [
        ("quantile", 0, "a quantile must be between 0 and 1, not 0"),
        ("quantile", 1.0, "a quantile must be between 0 and 1, not 1.0"),
        ("quantile", float("nan"), "a quantile must be between 0 and 1, not nan"),
        ("quantile", "0.5", "a quantile must be between 0 and 1, not '0.5'"),
        ("quantile", True, "a quantile must be between 0 and 1, not True"),
        ("share_above", 9, "value 9 is not within [1, 8]"),
        ("share_below", float("inf"), "value inf is not within [1, 8]"),
        ("share_below", None, "value None is not within [1, 8]"),
        (
            "share_above",
            3,
            "value 3 is between two levels, where values were rounded: choose from 1, 2, 4, 8",
        ),
    ],
)
def test_bad_questions_are_refused(question: str, at: Any, reason: str) -> None:
    with pytest.raises(ParameterError) as refused:
        getattr(known(0.1, 0.2, 0.3, 0.4, exact=False), question)(at)
    assert str(refused.value) == reason


def test_two_levels_answer_no_questions() -> None:
    found = estimate(Tally(Task(name="stars", keys=2, values=(1, 5), epsilon=1)))
    for ask in (found.quantile, found.share_above, found.share_below):
        with pytest.raises(ParameterError, match="only tasks with more than two levels tell how values are spread"):
            ask(0.5)
    with pytest.raises(ParameterError, match="two levels"):
        found.ask(above=[2])
    assert found.ask().to_json() == found.to_json()


def test_quantiles_of_people_who_choose_levels_do_not_contradict_the_shares() -> None:
    """Of 1,000 people 99 % choose up to 60 of 0, 5, 15, 60 and 240: nine tenths say at most 60, not something between.

    Where values are rounded, the table says that quantiles are interpolated.
    """
    values = np.repeat([0.0, 5, 15, 60, 240], [300, 300, 200, 190, 10])
    population = Population(np.arange(1001), np.zeros(1000, np.int32), values)
    headers, found = {}, {}
    for options in ({}, {"between": "round"}):
        task = Task(name="m", keys=["a", "b"], values=(0, 240), levels=[0, 5, 15, 60, 240], epsilon=12, **options)  # type: ignore[arg-type]
        tally = Tally(task)
        for batch in perturb_many(task, population, seeded_source(3)):
            tally.add_many(batch.messages)
        table = estimate(tally).ask([0.9])
        found[task.between], headers[task.between] = table.quantile(0.9), table.headers()
    assert list(found) == ["refuse", "round"]
    assert (found["refuse"].value[0], found["refuse"].low[0], found["refuse"].high[0]) == (60, 60, 60)
    assert found["round"].value[0] not in values
    assert "quantile 0.9" in headers["refuse"]
    assert "quantile 0.9, interpolated" in headers["round"]


@pytest.fixture(scope="module")
def estimates() -> Estimates:
    """Estimate two keys of a task with named levels."""
    task = Task(
        name="stars",
        keys=["<b>heat", "up"],
        values=(0, 10),
        levels=[0, "2.5", 10],
        between="refuse",
        epsilon=8,
        padding=1,
        mechanism="grr",
    )
    tally = Tally(task)
    values = np.tile([0.0, 2.5, 2.5, 10.0], 100)
    population = Population(np.arange(401), np.repeat(np.array([0, 1], np.int32), [300, 100]), values)
    for batch in perturb_many(task, population, seeded_source(2)):
        tally.add_many(batch.messages)
    return estimate(tally)


def test_json_has_shares_and_answers(estimates: Estimates) -> None:
    document = estimates.ask([0.5], above=[2.5], below=[2.5, 10, 2.5]).to_dict()
    assert document["between"] == "refuse"
    row = document["estimates"][0]
    assert list(row) == [*COLUMNS, *DEVIATIONS, "shares", "quantiles", "above", "below"]
    assert [share["value"] for share in row["shares"]] == [0, 2.5, 10]
    for share in row["shares"]:
        assert list(share) == ["value", "share", "low", "high", "at_most_low", "at_most_high"]
        assert 0 <= share["low"] <= share["share"] <= share["high"] <= 1
    assert [answer["p"] for answer in row["quantiles"]] == [0.5]
    assert row["quantiles"][0]["value"] == 2.5
    assert [answer["value"] for answer in row["below"]] == [2.5, 10]
    assert row["above"][0] | {"value": 0} == {"value": 0} | {
        "share": pytest.approx(row["shares"][2]["share"]),
        "low": pytest.approx(row["shares"][2]["low"]),
        "high": pytest.approx(row["shares"][2]["high"]),
    }


def test_json_is_written_in_parts(estimates: Estimates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result, "ROWS_PER_TEXT", 2)
    for rows in ([], [1], [1, 0], [0, 1, 1], [0, 1, 0, 1, 1]):
        some = estimates.take(np.array(rows, np.int64)).ask([0.5, 0.9], below=[10])
        assert some.to_json() == json.dumps(some.to_dict(), ensure_ascii=False)


def test_tables_have_columns_per_level(estimates: Estimates) -> None:
    asked = estimates.ask([0.5], [2.5])
    ends = ("", "_low", "_high")
    names = ["deviation", "share_0", "share_2.5", "share_10", "quantile_0.5", "above_2.5"]
    expected = [*COLUMNS, *(f"{name}{end}" for name in names for end in ends)]
    assert asked.to_arrow().column_names == expected
    assert list(asked.to_pandas().columns) == expected
    rows = list(csv.DictReader(io.StringIO(asked.to_csv())))
    assert list(rows[0])[: len(expected)] == expected
    assert [float(row["share_10_high"]) for row in rows] == asked.shares_high[:, 2].tolist()
    assert [float(row["above_2.5"]) for row in rows] == asked.share_above(2.5).share.tolist()
    assert asked.top(1).to_dict()["estimates"] == asked.to_dict()["estimates"][:1]


def test_questions_that_differ_in_their_last_digits_have_columns_of_their_own(estimates: Estimates) -> None:
    asked = estimates.ask([0.5, 0.5 + 2**-53], above=[1 / 3, 1 / 3 + 2**-54])
    names = (
        "quantile_0.5",
        "quantile_0.5000000000000001",
        "above_0.3333333333333333",
        "above_0.33333333333333337",
    )
    assert set(names) <= set(asked.to_arrow().column_names)


def test_a_key_has_its_shares(estimates: Estimates) -> None:
    row = estimates["up"]
    assert [share.value for share in row.shares] == [0, 2.5, 10]
    assert [share.share for share in row.shares] == estimates.shares[1].tolist()
    limits = (estimates.deviation_low, estimates.deviation, estimates.deviation_high)
    assert [row.deviation_low, row.deviation, row.deviation_high] == [limit[1] for limit in limits]
    assert np.all(np.diff([limit[1] for limit in limits]) > 0)


def test_tables_for_people_have_a_column_per_level(estimates: Estimates) -> None:
    asked = estimates.ask([0.5])
    levels = ("at 0", "at 2.5", "at 10")
    assert asked.headers()[5:] == ("deviation", *levels, "quantile 0.5", "95 % interval")
    cells = asked.cells()[0]
    assert len(cells) == len(asked.headers())
    assert float(cells[5]) == pytest.approx(asked.deviation[0], abs=0.1)
    assert all(cell.endswith(" %") for cell in cells[6:9])
    assert cells[9:] == ("2.5", "only 2.5")
    assert "at 2.5" in asked._repr_html_()
    assert "&lt;b&gt;heat" in asked._repr_html_()
    assert repr(asked).endswith("3 levels>")
    # Shares of a key that perhaps no participant holds are not shown as if they were known.
    unsure = replace(asked, detected=np.zeros(2, np.bool_))
    assert unsure.cells()[0][5:] == (*("unknown",) * 5, "only 2.5")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ((0.0, 1 / 3, 2 / 3, 1.0), ("0", "0.333333333333", "0.666666666667", "1")),
        ((1e15, 2e15, 3e15, 4e15), tuple(f"{number}000000000000000" for number in range(1, 5))),
        ((1.0, 1.00000000000001, 2.0), ("1", "1.00000000000001", "2")),
    ],
)
def test_columns_of_levels_have_names_of_their_own(values: tuple[float, ...], names: tuple[str, ...]) -> None:
    table = np.full((1, len(values)), 1 / len(values))
    assert Distributions(values, True, *[table] * 5, *[np.ones(1)] * 3).names == names  # noqa: FBT003
