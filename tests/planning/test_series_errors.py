"""The errors that a plan promises for series: of one round, pooled, and smoothed."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from pckv import plan
from pckv.base.errors import ParameterError
from pckv.planning.series import steady_variance

SETTING = {"keys": 200, "users": 50_000, "epsilon": 1.5, "levels": 2}


@pytest.mark.parametrize("step", [1e-6, 0.01, 1.0, 50.0])
def test_the_steady_variance_is_where_the_filter_ends(step: float) -> None:
    noise, variance = 0.7, 0.7
    for _ in range(20_000):
        before = variance + step
        variance = before * noise / (before + noise)
    assert steady_variance(noise, step) == pytest.approx(variance)


def test_rounds_pooled_and_smoothed() -> None:
    found = plan(**SETTING, panels=4, rounds=20, drift=0.002)  # type: ignore[arg-type]
    series = found.series
    assert series is not None
    assert (series.reports_per_round, series.total_epsilon) == (12_500, 7.5)
    everybody = plan(**SETTING)  # type: ignore[arg-type]
    assert (everybody.mechanism, everybody.padding) == (found.mechanism, found.padding)
    for error, alone in zip(series.errors, everybody.errors, strict=True):
        assert error.frequency == alone.frequency
        # Pooled over all panels, every participant reports once.
        assert error.pooled == pytest.approx(alone.frequency_error)
        assert error.one_round > 1.5 * error.pooled
        assert error.smoothed_drifting is not None
        assert error.smoothed < error.smoothed_drifting < error.one_round
    first = series.errors[0]
    # A quarter of the people, and the error of choosing them: somewhat more than twice the error of all.
    assert 2 < first.one_round / first.pooled < 2.3
    assert first.smoothed == pytest.approx(first.one_round / math.sqrt(20), rel=0.02)


def test_the_error_of_a_round_contains_that_of_choosing_its_panel() -> None:
    found = plan(**SETTING, panels=4, more="refuse")  # type: ignore[arg-type]
    assert found.series is not None
    assert found.series.rounds == 16
    first = found.series.errors[0]
    assert first.smoothed_drifting is None
    assert first.one_round**2 - 4 * first.pooled**2 == pytest.approx(0.75 * first.frequency / 12_500, rel=0.05)


def test_the_plan_of_a_series_is_that_of_the_people_of_one_round() -> None:
    """As `series new` chooses: with fewer people a shorter padding is better."""
    people = {"keys": 20, "epsilon": 2, "pairs": 3}
    whole, round_ = plan(users=12_000, **people), plan(users=3000, **people)  # type: ignore[arg-type]
    series = plan(users=12_000, **people, panels=4)  # type: ignore[arg-type]
    assert whole.padding != round_.padding
    assert (series.users, round_.users) == (12_000, 3000)
    same = ("users", "assumed", "users_needed", "outlook", "series")
    assert replace(series, **{name: getattr(round_, name) for name in same}) == round_
    assert replace(series.outlook, enough=round_.outlook.enough) == round_.outlook


def test_the_people_of_a_series_are_told_in_all_and_per_round() -> None:
    """Following the advice gives a green light; with half as many people it is not green."""
    planned = plan(4, 800, 2, panels=4, levels=2)
    first, *others = planned.sections()
    assert first.sentences[0].startswith("With 800 people, about 200 in each round, at ε = 2, keys that at least ")
    assert planned.assumed.startswith("Assumed: 800 people, about 200 in each round, 1 pair per person; ")
    told = re.search(r", you need about ([\d,]+) people \(([\d,]+) per round\)\.$", planned.verdict)
    assert told is not None
    enough, per_round = (int(number.replace(",", "")) for number in told.groups())
    assert enough == 4 * per_round
    assert plan(4, enough, 2, panels=4, levels=2).light == "green" == plan(4, per_round, 2, levels=2).light
    assert plan(4, enough // 2, 2, panels=4, levels=2).light != "green"
    alone = plan(4, 200, 2, levels=2)
    for needed, of_round in zip(planned.users_needed, alone.users_needed, strict=True):
        assert needed.users == 4 * (of_round.users or 0) > 0
    table = next(section for section in others if section.title.startswith("People needed"))
    assert table.columns == ("range", "people in all", "per round")
    assert {len(row) for row in table.rows} == {3}
    assert any(" of one round with 200 people" in section.title for section in others)
    assert not any("round" in text for section in alone.sections() for text in (section.title, *section.sentences))
    hidden = plan(100, 80_000, 1, sizes={1: 1, 3: 1, 9: 1}, panels=4, levels=2)
    assert ("out of reach", "out of reach") in {row[1:] for section in hidden.sections() for row in section.rows}


def test_a_plan_without_panels_says_nothing_of_rounds() -> None:
    alone, series = plan(**SETTING), plan(**SETTING, panels=2, drift=0.01)  # type: ignore[arg-type]
    assert "series" not in alone.to_dict()
    assert series.to_dict()["series"]["panels"] == 2
    assert "As a series" not in alone._repr_html_()
    assert "As a series: 2 panels" in series._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"panels": 0}, "panels must be at least 1"),
        ({"panels": 50_001}, "panels must be at least 1 and at most 1,000"),
        ({"panels": 4, "rounds": 3}, "rounds must be at least the number of panels, 4, not 3"),
        ({"panels": 4, "drift": 1.5}, "drift must be at least 0 and at most 1, not 1.5"),
        ({"panels": 4, "drift": math.nan}, "drift must be at least 0"),
        ({"rounds": 4}, "rounds and drift are about a series"),
        ({"drift": 0.1}, "rounds and drift are about a series"),
        ({"panels": 20, "users": 10}, "10 people cannot be in 20 panels"),
    ],
)
def test_what_no_series_can_have_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan(**(SETTING | options))  # type: ignore[arg-type]
