"""What a device may spend: the cap."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Report
from pckv.base.errors import ClientError, DataError, ParameterError
from pckv.client import Client
from support.client_collector import FakeCollector
from support.client_devices import MOVIES, OTHERS, PAIRS, device, stored_files


def test_the_cap_is_respected(collector: FakeCollector, state: Path, perturbed_reports: list[Report]) -> None:
    both = Decimal(repr(MOVIES.realised_epsilon)) + Decimal(repr(OTHERS.realised_epsilon))
    short = device(collector, state, cap=both - Decimal("1e-18"))
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    before = stored_files(state)
    with pytest.raises(ClientError, match="over the cap") as caught:
        short.submit(OTHERS.id, PAIRS)
    assert caught.value.code == "over_budget"
    assert len(perturbed_reports) == 1
    # The task was pinned, which spends nothing; nothing else was written.
    assert stored_files(state).keys() - before.keys() == {f"{OTHERS.id}.task"}
    assert stored_files(state)["cap"] == before["cap"]
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    enough = device(collector, state, cap=both)
    assert enough.submit(OTHERS.id, PAIRS).status == "sent"
    assert enough.spent == both
    assert {entry.task for entry in enough.ledger()} == {MOVIES.id, OTHERS.id}
    assert (device(collector, state).cap, device(collector, state, cap=2).cap) == (both, Decimal(2))


@pytest.mark.parametrize("cap", [0, "0.1"])
def test_nothing_is_sent_above_a_small_cap(
    collector: FakeCollector, state: Path, cap: str, perturbed_reports: list[Report]
) -> None:
    with pytest.raises(ClientError, match=r"over the cap of 0"):
        device(collector, state, cap=cap).submit(MOVIES.id, PAIRS)
    assert (perturbed_reports, collector.sent) == ([], [])


@pytest.mark.parametrize("cap", [-1, "much", float("nan"), True])
def test_a_cap_is_a_number(state: Path, cap: Any) -> None:
    with pytest.raises(ParameterError, match="the cap"):
        Client("http://localhost", state, cap=cap)


def test_nothing_is_added_to_a_damaged_ledger(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report]
) -> None:
    device(collector, state).submit(MOVIES.id, PAIRS)
    (state / f"{MOVIES.id}.report").write_bytes(b"")
    # Whatever the cap is: what the damaged report has spent is unknown.
    for cap in (9, None):
        with pytest.raises(DataError, match=MOVIES.id):
            device(collector, state, cap=cap).submit(OTHERS.id, PAIRS)
    assert len(perturbed_reports) == 1
