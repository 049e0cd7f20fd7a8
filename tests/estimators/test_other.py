"""Estimates with a key for all that are not listed: right about known truth, and always apart from the listed keys."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from pckv import Series, Tally, Task, estimate, trend
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.charts.estimates import estimates_chart
from pckv.device.vectorised import perturb_many
from pckv.estimators.methods.registry import METHODS
from pckv.estimators.results.estimates import Estimates
from pckv.mechanisms.registry import LAWS

LISTED = [f"app {number}" for number in range(8)]
PEOPLE = 40_000
ABOUT_HALF = r"(4[89]|5[012]) % of people hold keys that are not listed \(4\d % to 5\d %\)\."


def task_with_other(mechanism: str = "auto", **options: object) -> Task:
    members: dict[str, object] = {"values": (1, 5), "epsilon": 4, "padding": 2, "more": "refuse", **options}
    return Task(name="apps", keys=LISTED, other="others", mechanism=mechanism, **members)  # type: ignore[arg-type]


@cache
def collected(task: Task) -> Tally:
    """Half of all hold three keys: the first app with value 2, and two that are not listed with values 5 and 4."""
    half = PEOPLE // 2
    keys = np.tile([0, task.other_index or 0, task.other_index or 0], half)
    offsets = np.minimum(np.arange(PEOPLE + 1) * 3, keys.size)
    tally = Tally(task)
    for batch in perturb_many(task, Population(offsets, keys, np.tile([2.0, 5.0, 4.0], half)), seeded_source(3)):
        tally.add_many(batch.messages)
    return tally


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("method", METHODS)
def test_frequency_and_mean_are_those_of_the_people_who_hold_unlisted_keys(mechanism: str, method: str) -> None:
    """Truth: 50 %, mean 4.5. The margins are five standard errors of the noisiest mechanism, grr (α < 1e-5)."""
    found = estimate(collected(task_with_other(mechanism)), method)
    others = found["others"]
    assert others.frequency == pytest.approx(0.5, abs=0.03)
    assert others.mean == pytest.approx(4.5, abs=0.15)
    assert found["app 0"].mean == pytest.approx(2, abs=0.15)
    assert others.detected
    assert found.detected.tolist() == [True] + [False] * 7 + [True]
    assert found.verdict[0].startswith("1 of 8 keys stands out")
    assert re.fullmatch(ABOUT_HALF, found.verdict[1])


def some_estimates() -> Estimates:
    return estimate(collected(task_with_other("grr")), "corrected")


def test_the_row_comes_last_and_is_never_among_the_top_keys() -> None:
    found = some_estimates()
    assert found.other == found.key[-1] == "others"
    top = found.top(2)
    assert (len(top), top.key[0], top.key[-1], top.other) == (3, "app 0", "others", "others")
    assert found.listed.key == LISTED
    assert found.listed.other is None
    assert "others" not in found.listed.top(8).key
    assert repr(found).startswith("<Estimates of 8 keys")


def test_all_forms_of_the_table_mark_it() -> None:
    found = some_estimates()
    assert found.to_dict()["other"] == "others"
    assert found.to_dict()["estimates"][-1]["key"] == "others"
    header, *_, last = (line.split(",") for line in found.to_csv().splitlines())
    assert (header[-1], last[0], last[-1]) == ("other", "others", "others")
    assert found.to_arrow().schema.metadata[b"pckv.other"] == b"others"
    assert found.to_pandas().attrs["other"] == "others"
    shown = found._repr_html_()
    assert "<td" in shown
    assert ">others (all unlisted keys)<" in shown
    assert re.search(f"<p>{ABOUT_HALF}</p>", shown)
    assert "other" not in found.listed.to_dict()


def test_a_notebook_shows_what_keys_a_task_has() -> None:
    shown = task_with_other("grr")._repr_html_()
    assert ">9, of which “others” stands for all that are not listed<" in shown
    hashed = Task(name="t", keys="hashed", values=(1, 5), epsilon=1)._repr_html_()
    assert ">any text; those to estimate are named afterwards<" in hashed
    assert "more keys" not in hashed


def test_charts_draw_listed_keys_and_say_how_many_hold_others() -> None:
    chart = estimates_chart(some_estimates()).to_dict()
    assert chart["title"]["text"] == "8 keys"
    assert re.fullmatch(ABOUT_HALF, chart["title"]["subtitle"][1] + ".")
    assert "app 7" in str(chart)
    assert "'others'" not in str(chart)


def test_it_may_be_asked_for_or_left_out() -> None:
    tally = collected(task_with_other("grr"))
    alone = estimate(tally, "corrected", keys=["others"])
    assert (alone.key, alone.other, alone.listed.key, alone.top(1).key) == (
        ["others"],
        "others",
        *2 * [["others"]],
    )
    assert re.fullmatch(ABOUT_HALF, alone.verdict[1])
    without = estimate(tally, "corrected", keys=["app 0"])
    assert without.other is None
    assert not any("not listed" in sentence for sentence in without.verdict)
    first = estimate(tally, keys=["others", "app 0"])
    assert (first.key, first.listed.key, first.top(1).key) == (
        ["others", "app 0"],
        ["app 0"],
        ["app 0", "others"],
    )


def test_nobody_with_unlisted_keys_is_said_so() -> None:
    task = task_with_other("grr")
    tally = Tally(task)
    population = Population(np.arange(4001), np.zeros(4000, np.int64), np.full(4000, 2.0))
    for part in perturb_many(task, population, seeded_source(3)):
        tally.add_many(part.messages)
    found = estimate(tally)
    assert not found["others"].detected
    assert found.verdict[1].startswith("Up to ")
    assert "may hold keys that are not listed" in found.verdict[1]


def test_a_series_follows_the_key_for_all_others() -> None:
    series = Series(task=task_with_other("grr"), first="2030-01-07", period=7, panels=2)
    found = trend(series, [collected(series.task_of(number)) for number in (1, 2)])
    assert found["others"].rounds[-1].frequency == pytest.approx(0.5, abs=0.03)
    assert found.pooled.other == "others"
    assert any("of people hold keys that are not listed" in sentence for sentence in found.verdict)
    assert found.only(["app 0"]).to_dict()["pooled"]["estimates"][0]["key"] == "app 0"


def test_hostile_reports_and_consistent_frequencies_count_it_as_a_key() -> None:
    tally = collected(task_with_other("grr"))
    plain, honest = estimate(tally), estimate(tally, hostile="1%")
    assert honest["others"].detected
    assert honest["others"].frequency_low < plain["others"].frequency_low
    consistent = estimate(tally, "baseline", post="consistent")
    assert consistent.other == "others"
    assert consistent.frequency.sum() <= 2 + 1e-9
