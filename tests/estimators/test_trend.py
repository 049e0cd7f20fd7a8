"""Trends of series: rounds on their own, smoothed, pooled and compared, and what is refused."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pckv import Series, Tally, estimate
from pckv.base.errors import PairsError, ParameterError, TallyError, UnknownKey
from pckv.base.words import rounded_up
from pckv.estimators.results.trend import COLUMNS, Trend
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import ComparedRounds, trend
from support.counts import signed_support
from support.rounds import ROUND_KEYS, collect_round, collect_rounds, make_series


@pytest.fixture(scope="module")
def series() -> Series:
    return make_series()


@pytest.fixture(scope="module")
def tallies(series: Series) -> list[Tally]:
    return collect_rounds(series)


@pytest.fixture(scope="module")
def found(series: Series, tallies: list[Tally]) -> Trend:
    return trend(series, tallies)


def test_a_round_on_its_own_is_what_estimate_says(found: Trend, tallies: list[Tally]) -> None:
    for number, tally in enumerate(tallies):
        own = estimate(tally, "corrected")
        for name in ("frequency", "frequency_low", "frequency_high", "mean", "mean_low", "mean_high"):
            assert found.columns[name][:, number] == pytest.approx(getattr(own, name), abs=1e-12)
        assert (found.columns["mean_known"][:, number] == own.mean_known).all()


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("grr", {}),
        ("ue", {}),
        ("ue-compact", {"more": "sample", "size_share": "0.2"}),
        ("collision", {"more": "sample", "size_share": "0.2"}),
    ],
)
def test_pooled_rounds_are_estimated_like_one_task(mechanism: str, options: dict[str, Any]) -> None:
    series = make_series(mechanism=mechanism, epsilon=1, **options)
    tallies = collect_rounds(series, 4, people=1000)
    together = Tally(series.task)
    for tally in tallies[-series.panels :]:
        together.counts.merge(tally.counts)
        together.reports += tally.reports
    expected, pooled = estimate(together), trend(series, tallies).pooled
    for name in ("frequency", "frequency_low", "frequency_high", "mean", "mean_low", "mean_high"):
        assert getattr(pooled, name) == pytest.approx(getattr(expected, name), abs=1e-9)
    assert pooled.reports == 3000
    assert pooled.sets == expected.sets
    assert pooled.verdict == expected.verdict
    assert pooled.task == series.id


def test_a_panel_without_reports_makes_the_pooled_interval_wider(series: Series, tallies: list[Tally]) -> None:
    """Two of three panels are a sample of every participant; of all three none is left out."""
    two = trend(series, [tallies[4], tallies[6]]).pooled
    alone = Tally(series.task)
    for tally in (tallies[4], tallies[6]):
        alone.counts.merge(tally.counts)
        alone.reports += tally.reports
    claimed = estimate(alone)
    assert ((two.frequency_high - two.frequency_low) > (claimed.frequency_high - claimed.frequency_low)).all()


def test_what_changed_is_flagged_and_nothing_else(found: Trend) -> None:
    assert found.changes is not None
    assert (found.changes.first, found.changes.last) == (1, 8)
    assert found.changes.changed.tolist() == [True, True, False]
    [change] = found["alien"].changes
    assert change.when == "7 and 8"
    assert change.change_low < 0.4 < change.change_high
    assert found["up"].changes == ()
    # Both keys of three, of which each has 39 comparisons.
    assert found.changes.changed_level == pytest.approx(1 - 0.05 * 2 / (3 * 39))
    assert not found.compare(1, 7).changed.any()
    assert found.since(2).changes is not None
    assert found.since(2).changes.first == 2  # type: ignore[union-attr]
    assert found.verdict[0].startswith("2 of 3 keys changed between rounds 1 and 8 (at most 5 %")
    assert found.moved_most(1).key == ["alien"]


def test_what_is_not_seen_is_not_called_unchanged(series: Series, tallies: list[Tally], found: Trend) -> None:
    """Seven rounds without a change, a change in the eighth, and ten people who say nothing."""
    quiet = trend(series, tallies[:7])
    assert quiet.changes is not None
    assert quiet.verdict[0] == "No change stands out from the noise between rounds 1 and 7."
    assert not quiet.changes.rows
    last, lasting = quiet.changes.seen
    assert (last.words, lasting.words) == ("from rounds 3–6 to round 7", "from rounds 1–2 to rounds 3–6")
    size = rounded_up(100 * last.change, 2)
    assert quiet.verdict[1].startswith(f"A change of any key by {size} points from rounds 3–6 to round 7 stands out")
    assert lasting.change < last.change == quiet.changes.smallest_change.max()
    assert all(cells[5].endswith("may hide") for cells in quiet.cells())
    assert "No change" not in " ".join(found.verdict)
    # The change of 40 points is larger than any that may go unseen.
    assert found.changes is not None
    assert found.changes.seen[0].change < 0.4
    few = trend(series, [collect_round(series, number, [0.2, 0.7, 0.1], 10) for number in (1, 2)])
    assert few.verdict[0] == "No change stands out from the noise between rounds 1 and 2."
    assert "A change of any key" not in few.verdict[1] or few.changes.seen[0].change > 0.5  # type: ignore[union-attr]


def test_two_rounds_that_are_asked_for_have_all_keys(found: Trend) -> None:
    since = found.since(2).changes
    assert since is not None
    assert [row.key for row in since.rows] == ROUND_KEYS
    assert (since.comparisons, since.seen[0].words) == (1, "from round 2 to round 8")
    # A single comparison sees smaller changes than all of them together see between the same two rounds.
    assert since.changed_level == pytest.approx(1 - 0.05 * since.keys_changed / 3)
    texts = [row.cells()[0] for row in since.rows]
    assert texts == ["2 and 8" if flag else "" for flag in since.changed]


@pytest.mark.parametrize("keys", [["up"], ["alien"], ["heat", "up"]])
def test_the_verdict_on_some_keys_counts_the_changes_among_all_that_were_compared(
    series: Series, tallies: list[Tally], found: Trend, keys: list[str]
) -> None:
    for some in (found.only(keys), trend(series, tallies, keys=keys), found.moved_most(1)):
        assert some.verdict == found.verdict
    since = found.since(1).verdict
    assert found.only(keys).since(1).verdict == found.since(1).only(keys).verdict == since


def test_the_table_says_how_many_rounds_are_pooled(series: Series, tallies: list[Tally]) -> None:
    def pooled(*rounds: int) -> str:
        return trend(series, [tallies[number - 1] for number in rounds]).headers()[6]

    assert pooled(1) == pooled(2, 8) == "last round"
    assert pooled(1, 2) == pooled(1, 6, 8) == "pooled, 2 rounds"
    assert pooled(1, 2, 3, 4) == "pooled, 3 rounds"


def test_smoothing_keeps_the_jump_and_narrows_the_rest(found: Trend) -> None:
    smoothed = found.columns["smoothed"]
    assert smoothed[0] == pytest.approx([0.2] * 7 + [0.6], abs=0.03)
    for key in (1, 2):
        own, widths = (
            found.columns[f"{name}_high"][key] - found.columns[f"{name}_low"][key] for name in ("frequency", "smoothed")
        )
        differs = found.columns["differs"][key].astype(bool)
        assert differs.sum() <= 3
        assert (widths[:-1] < own[:-1])[~differs[:-1]].all()
        assert (widths >= own)[differs].all()
    assert (found.columns["smoothed_low"] <= smoothed).all()
    assert (smoothed <= found.columns["smoothed_high"]).all()
    assert found.columns["smoothed_mean"][1] == pytest.approx(np.full(8, 3.0), abs=0.1)
    narrow = found.columns["smoothed_mean_high"] - found.columns["smoothed_mean_low"]
    alike = ~found.columns["mean_differs"].astype(bool)
    assert alike.mean() > 0.7
    assert (narrow < found.columns["mean_high"] - found.columns["mean_low"])[alike].all()


def test_keys_that_do_not_stand_out_keep_the_mean_of_the_round() -> None:
    series = make_series(epsilon=1)
    tallies = [collect_round(series, number, [0.99, 0.01, 0.0], 200) for number in range(1, 5)]
    found = trend(series, tallies)
    assert found.pooled.detected.tolist() == [True, False, False]
    for end in ("", "_low", "_high"):
        assert found.columns[f"smoothed_mean{end}"][1:] == pytest.approx(found.columns[f"mean{end}"][1:])


def test_larger_sets_raise_upper_limits() -> None:
    series = make_series(more="sample", size_share="0.2")
    tallies = [collect_round(series, number, [0.2, 0.7, 0.1], 1000) for number in range(1, 5)]
    counts = [RoundCounts.of(series, tally) for tally in tallies]
    # The same reports, had the commonest answers been those of the largest sets.
    most = [replace(each, size_answers=np.sort(each.size_answers)) for each in counts]
    found, raised = (trend(series, each) for each in (counts, most))
    for name in ("frequency_high", "smoothed_high"):
        assert (raised.columns[name] > found.columns[name] + 0.1).all()


def test_decoded_counts_and_keys_give_the_same_numbers(series: Series, tallies: list[Tally], found: Trend) -> None:
    again = trend(series, [RoundCounts.of(series, tally) for tally in reversed(tallies)], keys=["up", "alien"])
    assert again.key == ["up", "alien"]
    assert again["up"] == found["up"]
    assert again.compare(3, 5).p_value == pytest.approx(found.compare(3, 5).p_value[[2, 0]])
    assert [row["key"] for row in again.to_dict()["pooled"]["estimates"]] == ["up", "alien"]


def test_rounds_without_reports_are_left_out(series: Series, tallies: list[Tally]) -> None:
    found = trend(series, [tallies[0], Tally(series.task_of(2)), tallies[2]])
    assert [each.round for each in found.rounds] == [1, 3]
    assert found.changes is not None
    nothing = trend(series, [Tally(series.task_of(1))])
    assert nothing.verdict == ("There are no reports yet.",)
    assert nothing.changes is None
    assert nothing["up"].rounds == ()
    assert json.loads(nothing.to_json())["rounds"] == []
    assert "no reports yet" in nothing._repr_html_()
    one = trend(series, tallies[:1])
    assert one.changes is None
    assert one.columns["smoothed"] == pytest.approx(one.columns["frequency"])


@pytest.mark.parametrize("mechanism", ["ue", "collision"])
def test_nothing_is_certain_where_noise_points_beyond_the_range(mechanism: str) -> None:
    """Three reports at a small ε give frequencies far below 0 and above 1."""
    series = make_series(mechanism=mechanism, epsilon="0.5")
    counts = [RoundCounts.of(series, collect_round(series, number, [0.2, 0.7, 0.1], 3)) for number in range(1, 9)]
    count_law = counts[0].count_law
    support = signed_support([0, 3, 3], [0, 0, 0])
    counts += [replace(counts[0], number=9, count_law=count_law, support=support)]
    counts += [replace(counts[0], number=10, count_law=count_law, support=signed_support([3, 3, 0], [0, 0, 0]))]
    found = trend(series, counts)
    assert isinstance(found.compare_counts, ComparedRounds)
    assert np.abs(found.compare_counts.counts[-1].frequency).max() > 1
    assert (found.columns["smoothed_high"] - found.columns["smoothed_low"] > 0.5).all()
    assert found.changes is not None
    rows = found.since(9).changes.rows  # type: ignore[union-attr]
    assert len(rows) == 3
    assert all(row.change_high - row.change_low >= 1 for row in rows)
    assert all(row.change_low <= row.change <= row.change_high for row in rows)
    assert found.changes.seen[0].change == 1
    assert found.verdict[:2] == (
        "No change stands out from the noise between rounds 1 and 10.",
        "These are too few reports to see any change four times out of five.",
    )


def test_the_key_for_all_others_is_marked_in_tables() -> None:
    series = make_series(other="rest")
    found = trend(series, collect_rounds(series, 2, people=300))
    assert [row[0] for row in found.cells()] == [*ROUND_KEYS, "rest (all unlisted keys)"]
    assert found.to_dict()["pooled"]["other"] == "rest"


def test_the_result_in_every_form(found: Trend) -> None:
    plain = json.loads(found.to_json())
    assert list(plain) == [
        "series",
        "name",
        "mechanism",
        "epsilon",
        "panels",
        "level",
        "keys_differing",
        "verdict",
        "rounds",
        "keys",
        "pooled",
        "changes",
    ]
    assert list(plain["keys"][0]) == ["key", *COLUMNS]
    assert len(plain["keys"][0]["smoothed"]) == 8
    assert plain["rounds"][7]["opens"] == "2030-02-25"
    rows = list(csv.DictReader(found.to_csv().splitlines()))
    assert len(rows) == 24
    assert [row["change_between"] for row in rows] == [*[""] * 7, "7 and 8", *[""] * 7, "7 and 8", *[""] * 8]
    assert [row["changed"] for row in rows].count("True") == 2
    assert (rows[0]["change"], float(rows[7]["change"])) == ("", found["alien"].changes[0].change)
    assert found.to_arrow().column("change").null_count == 22
    assert float(rows[-1]["smoothed_high"]) == found.columns["smoothed_high"][2, 7]
    assert found.to_arrow().num_rows == len(found.to_pandas()) == 24
    assert found.to_pandas().attrs["series"] == found.series
    assert repr(found) == ("<Trend of 3 keys over 8 rounds of 'weekly': grr, ε = 4, 3 panels, level 0.95>")
    assert len(found) == 3
    assert [each.key for each in found] == ROUND_KEYS
    assert "alien" in found
    assert "<table>" in found._repr_html_()


def test_bad_arguments_are_refused(series: Series, tallies: list[Tally], found: Trend) -> None:
    other = make_series(epsilon=2)
    with pytest.raises(TallyError, match="task 'weekly, round 1' is not a round of series 'weekly'"):
        trend(series, [Tally(other.task_of(1))])
    with pytest.raises(TallyError, match="task 'weekly' is not a round"):
        trend(series, [Tally(series.task)])
    with pytest.raises(ParameterError, match="round 2 is given twice: merge its tallies"):
        trend(series, [tallies[1], tallies[0], tallies[1]])
    with pytest.raises(ParameterError, match="level"):
        trend(series, tallies, level=1)
    with pytest.raises(ParameterError, match="false discovery rate must be above 0 and below 1, not 0"):
        trend(series, tallies, false_discovery_rate=0)
    with pytest.raises(ParameterError, match="there are no reports of round 9"):
        found.compare(8, 9)
    with pytest.raises(ParameterError, match="round 3 is not before round 3"):
        found.compare(3, 3)
    with pytest.raises(UnknownKey, match="there is no trend of key 'jaws'"):
        found["jaws"]
    with pytest.raises(PairsError, match="key 'jaws' is not a key of task 'weekly'"):
        trend(series, tallies, keys=["jaws"])


def test_too_many_keys_are_refused_unless_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pckv.estimators.trends.trend.MAX_ESTIMATES", 8)
    series = make_series()
    tallies = collect_rounds(series, 3, people=500)
    with pytest.raises(ParameterError, match=r"3 keys in 3 rounds are too many .* name the keys wanted"):
        trend(series, tallies)
    found = trend(series, tallies, keys=["up"])
    assert found.pooled.method == "corrected"
    assert found["up"].rounds[0].frequency == pytest.approx(estimate(tallies[0], "corrected")["up"].frequency)
