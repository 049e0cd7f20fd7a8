"""Caps per period: the checks that every client passes, and planted faults that they catch."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv.base.errors import ParameterError
from pckv.client import Client, PeriodCap
from pckv.client.folder import _sealed
from pckv.client.ledger import CAP_PER_PERIOD_NAME
from support import ledger_period_checks as checks
from support.client_collector import FakeCollector
from support.faults import PatchedFault, in_source
from support.ledger_device import PythonDevice
from support.ledger_period_checks import PeriodDevice


@pytest.fixture
def period_device(collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch) -> PeriodDevice:
    return PythonDevice(collector, state, monkeypatch)


@pytest.mark.parametrize("check", checks.PERIOD_CHECKS, ids=lambda check: check.__name__)
def test_the_client_keeps_caps_per_period(period_device: PeriodDevice, check: Callable[[PeriodDevice], None]) -> None:
    check(period_device)


LEDGER, READ, DAY = (
    "client/ledger.py",
    "Decimal(epsilon), day, series) if valid",
    "survey, epsilon, day, series = spending",
)
MUTANTS = (
    PatchedFault("the day decreases", in_source(LEDGER, {"return day\n\n    def _check_caps": "return today\n\n    def _check_caps"}), checks.check_a_clock_set_back_frees_nothing),
    PatchedFault("records have no day", in_source(LEDGER, {READ: READ.replace("day", "'1970-01-01'"), '{"epsilon": f"{self.epsilon:f}"': '{"day": "1970-01-01", "epsilon": f"{self.epsilon:f}"'}), checks.check_a_removed_report_counts_from_its_day),
    PatchedFault("everything was spent long ago", in_source(LEDGER, {DAY: f"{DAY}\n    day = '1970-01-01'"}), checks.check_a_period_has_a_cap),
    PatchedFault("one day too long", in_source(LEDGER, {"days_between(entry.day, day) < period.days": "days_between(entry.day, day) - 1 < period.days"}), checks.check_a_period_has_a_cap),
    PatchedFault("caps are forgotten", in_source(LEDGER, {"if text != self._folder.get(name):": "if not name:"}), checks.check_the_cap_per_period_is_remembered),
    PatchedFault("no cap per period", in_source(LEDGER, {"period = self._caps.per_period": "period = None"}), checks.check_a_period_of_one_day),
    PatchedFault("no total", in_source(LEDGER, {"entries), self._caps.in_all": "entries), 10**6"}), checks.check_the_total_holds_as_well),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_mutant_of_caps_is_caught(
    period_device: PeriodDevice, mutant: PatchedFault, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant.plant(monkeypatch)
    with pytest.raises(AssertionError):
        mutant.caught_by(period_device)


def test_a_client_says_its_cap_per_period(state: Path) -> None:
    assert Client("http://localhost", state).cap_per_period is None
    assert Client("http://localhost", state, cap_per_period=("3", 365)).cap_per_period == PeriodCap(Decimal(3), 365)


@pytest.mark.parametrize("cap", [(-1, 5), ("much", 5), (1, 0), (1, 1.5), (1, True), (1, 36_526), (1,), 1, (1, 2, 3)])
def test_a_cap_per_period_is_a_number_and_days(state: Path, cap: Any) -> None:
    with pytest.raises(ParameterError, match="the cap per period") as caught:
        Client("http://localhost", state, cap_per_period=cap)
    assert "\n" not in str(caught.value)
    assert not state.exists()


def test_a_damaged_cap_per_period_is_refused(period_device: PeriodDevice, state: Path) -> None:
    assert checks.spend(period_device, 0, "one", ("3", 365)) == "sent"
    for text in ("", "{", "[]", '{"days":0,"epsilon":"3"}', '{"days":365}', '{"days":365,"epsilon":"x"}'):
        (state / CAP_PER_PERIOD_NAME).write_bytes(_sealed(text))
        assert checks.spend(period_device, 0, "two") == "bad_data"
