"""Results of mixed tasks: wherever they name ε, they say what holds towards whom, and under which condition."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import numpy as np
import pytest

from pckv import Tally, Task, estimate, trend
from pckv.base.table import ResultTable
from pckv.card.card import card_markdown, privacy_card
from pckv.charts.discovery import discovery_chart
from pckv.charts.estimates import how_estimated, shares_chart
from pckv.charts.trend import trend_chart
from pckv.contract import facts
from pckv.estimators.discovery import discover
from pckv.estimators.results.discovery import Discovery
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.trend import Trend
from support.mixed_tasks import MIXER, a_mixed_task
from support.rounds import collect_rounds, make_series
from support.texts import tally_of

CLAIM = MIXER | {"epsilon": "1.5"}
PROMISE = (
    "towards a recipient who sees only that batch: ε = 1.5 with δ = 0.000001 (central), if the mixer follows the protocol "
    "and at least 1,500 of the reports are honest; towards all others who see reports, and if mixer and recipient work "
    "together: the ε of a report, 2"
)


def mixed_tally() -> Tally:
    tally = Tally(a_mixed_task(CLAIM))
    tally.add_many(np.array([1, 2, 3] * 20, np.int64))
    return tally


def mixed_trend() -> Trend:
    series = make_series(epsilon=2, mixer=CLAIM)
    return trend(series, collect_rounds(series, 2, people=60))


def mixed_discovery() -> Discovery:
    task = Task.discovery(name="terms", epsilon=2, alphabet="abc", characters=3, closes="2031-01-01", mixer=CLAIM)
    return discover(tally_of(task, {"abc": 100}, 100, seed=1))


RESULTS: dict[str, Callable[[], tuple[Any, Callable[[Any], Any]]]] = {
    "estimates": lambda: (estimate(mixed_tally()), shares_chart),
    "trend": lambda: (mixed_trend(), trend_chart),
    "discovery": lambda: (mixed_discovery(), discovery_chart),
}


def bare_claims(text: str) -> int:
    """Return how often the ε of the claim stands without its condition and the ε of a report."""
    plain = " ".join(unescape(text).split())
    return len(re.findall(r"\b1\.5\b", plain)) - plain.count(PROMISE)


def texts_of(found: ResultTable, chart: Callable[[Any], Any]) -> dict[str, str]:
    subtitle = chart(found).to_dict()["title"]["subtitle"]
    return {
        "verdict": " ".join(found.verdict),
        "JSON": str(found.to_dict()["mixed"]),
        "facts": str(found.facts()["mixed"]),
        "page": found._repr_html_(),
        "chart": " ".join(subtitle),
    }


@pytest.mark.parametrize("kind", RESULTS)
def test_results_say_what_holds_towards_whom(kind: str) -> None:
    found, chart = RESULTS[kind]()
    batch = "one batch of a mixer per round" if kind == "trend" else "one batch of a mixer"
    for name, text in texts_of(found, chart).items():
        plain = " ".join(unescape(text).split())
        assert PROMISE in plain, name
        assert batch in plain.lower(), name
        assert not bare_claims(text), name
    assert "ε 2 of a report alone, mixed" in found.title.replace("1.99999999999999", "2")
    assert "of a report alone" in " ".join(chart(found).to_dict()["title"]["subtitle"])
    assert type(found).from_json(found.to_json()).verdict == found.verdict
    if kind != "discovery":
        assert found.to_csv().count(PROMISE) == len(found.to_csv().splitlines()) - 1


def test_results_without_a_mixer_are_as_before() -> None:
    found = estimate(Tally(Task(name="t", keys=3, values=(0, 1), epsilon=2)))
    assert found.mixed is None
    assert "mixed" not in found.to_dict()
    assert "alone" not in found.title + how_estimated(found)


def test_before_the_batch_comes_the_promise_is_said() -> None:
    found = estimate(Tally(a_mixed_task(CLAIM)))
    assert found.verdict[0] == "There are no reports yet."
    assert PROMISE in found.verdict[1]
    assert Estimates.from_json(found.to_json()).with_verdict().verdict == found.verdict


def test_cards_say_that_the_estimates_are_of_one_batch() -> None:
    page = card_markdown(privacy_card(a_mixed_task(CLAIM)))
    offered = page.partition("## Estimates offered")[2].partition("##")[0]
    assert f"One batch of a mixer; {PROMISE}." in offered
    assert "as one batch, of at least 2,000, in a random order" in page
    assert "If the mixer follows the protocol, the central ε is 1.5 with 1,500 honest reports; with 375 it is" in page


@pytest.mark.parametrize("left_out", [", if the mixer follows the protocol", "; towards all others"])
def test_a_claim_without_its_condition_is_found(monkeypatch: pytest.MonkeyPatch, left_out: str) -> None:
    real = facts.mixed_text(a_mixed_task(CLAIM).mixer, "2")
    assert real is not None
    monkeypatch.setattr("pckv.estimators.estimate.mixed_text", lambda *_, **__: real.partition(left_out)[0])
    assert bare_claims(" ".join(estimate(mixed_tally()).verdict)) == 1
