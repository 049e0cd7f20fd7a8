"""A device in a discovery: it spends ε like any survey, so that a cap keeps it out of the measurement that follows."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from pathlib import Path

import pytest

import pckv
from pckv import Report, Task
from pckv.base.errors import ClientError, PairsError
from support.client_collector import FakeCollector
from support.client_devices import MOVIES, PAIRS, device

TERMS = Task.discovery(name="terms", epsilon=2, characters=4)


@pytest.fixture
def asking(collector: FakeCollector) -> FakeCollector:
    """Return the collector with a discovery besides its other tasks."""
    collector.tasks[TERMS.id] = TERMS.to_json().encode()
    return collector


def test_who_took_part_in_the_discovery_does_not_measure_beyond_the_cap(
    asking: FakeCollector, state: Path, perturbed_reports: list[Report]
) -> None:
    both = Decimal(repr(TERMS.realised_epsilon)) + Decimal(repr(MOVIES.realised_epsilon))
    short = device(asking, state, cap=both - Decimal("1e-9"))
    assert short.submit(TERMS.id, ["heat", "alien"]).status == "sent"
    with pytest.raises(ClientError, match="over the cap") as caught:
        short.submit(MOVIES.id, PAIRS)
    assert caught.value.code == "over_budget"
    assert len(perturbed_reports) == 1
    # A participant whose cap allows both takes part in both.
    enough = device(asking, state, cap=both)
    assert enough.submit(MOVIES.id, PAIRS).status == "sent"
    assert enough.spent == both


def test_a_retry_sends_the_same_report(asking: FakeCollector, state: Path, perturbed_reports: list[Report]) -> None:
    first = device(asking, state).submit(TERMS.id, ["heat"])
    again = device(asking, state).submit(TERMS.id, ["alien"])
    assert (first.perturbed, again.perturbed, len(perturbed_reports)) == (True, False, 1)


def test_texts_are_refused_where_pairs_are_asked_for_before_anything_is_spent(
    asking: FakeCollector, state: Path
) -> None:
    with pytest.raises(PairsError, match="takes a mapping of keys to values"):
        device(asking, state).submit(MOVIES.id, ["alien"])
    with pytest.raises(PairsError, match="key 5 is not a text"):
        device(asking, state).submit(TERMS.id, [5])  # type: ignore[list-item]
    assert device(asking, state).spent == 0


def test_texts_that_can_be_read_once_are_all_reported(
    asking: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checking them consumed an iterator, and the report was that of a participant without texts."""
    held: list[tuple[str, ...]] = []

    def watched(task: Task, texts: Collection[str], coin: bytes | None = None, *, segment: str | None = None) -> Report:
        assert segment is None
        held.append(tuple(texts))
        return pckv.perturb(task, texts, coin)

    monkeypatch.setattr("pckv.client.reports.perturb", watched)
    device(asking, state).submit(TERMS.id, (text for text in ("heat", "alien")))  # type: ignore[arg-type]
    assert held == [("heat", "alien")]
