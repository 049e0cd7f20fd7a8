"""Caps per period: what they may be, and what is stored of them; lives of a device show that they hold."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv.base.errors import DataError, ParameterError
from pckv.client import Client, PeriodCap
from pckv.client.caps import CAP_PER_PERIOD_NAME
from pckv.client.folder import _sealed
from support.client_collector import FakeCollector
from support.client_devices import MOVIES, OTHERS, PAIRS, device


def test_a_client_says_its_cap_per_period(state: Path) -> None:
    assert Client("http://localhost", state).cap_per_period is None
    assert Client("http://localhost", state, cap_per_period=("3", 365)).cap_per_period == PeriodCap(Decimal(3), 365)


@pytest.mark.parametrize("cap", [(-1, 5), ("much", 5), (1, 0), (1, 1.5), (1, True), (1, 36_526), (1,), 1, (1, 2, 3)])
def test_a_cap_per_period_is_a_number_and_days(state: Path, cap: Any) -> None:
    with pytest.raises(ParameterError, match="the cap per period") as caught:
        Client("http://localhost", state, cap_per_period=cap)
    assert "\n" not in str(caught.value)
    assert not state.exists()


def test_a_damaged_cap_per_period_is_refused(collector: FakeCollector, state: Path) -> None:
    assert device(collector, state, cap_per_period=("3", 365)).submit(MOVIES.id, PAIRS).status == "sent"
    for text in ("", "{", "[]", '{"days":0,"epsilon":"3"}', '{"days":365}', '{"days":365,"epsilon":"x"}'):
        (state / CAP_PER_PERIOD_NAME).write_bytes(_sealed(text))
        with pytest.raises(DataError):
            device(collector, state).submit(OTHERS.id, PAIRS)
