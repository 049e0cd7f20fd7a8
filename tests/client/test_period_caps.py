"""Caps per period: the checks that every client passes, and planted faults that they catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import pckv.base.days
import pckv.client.ledger
from pckv.base.errors import ParameterError
from pckv.client import Client, LedgerEntry, PeriodCap
from pckv.client.folder import _sealed
from pckv.client.ledger import CAP_PER_PERIOD_NAME, Caps, Ledger, Spending
from support import ledger_period_checks as checks
from support.client_collector import FakeCollector
from support.faults import PatchedFault
from support.ledger_device import PythonDevice
from support.ledger_period_checks import PeriodDevice


@pytest.fixture
def period_device(collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch) -> PeriodDevice:
    return PythonDevice(collector, state, monkeypatch)


@pytest.mark.parametrize("check", checks.PERIOD_CHECKS, ids=lambda check: check.__name__)
def test_the_client_keeps_caps_per_period(
    period_device: PeriodDevice, check: Callable[[PeriodDevice], None]
) -> None:
    check(period_device)


Plant = Callable[[pytest.MonkeyPatch], None]
_check, _entry = Ledger.check, Ledger._entry


def by_the_clock_alone(patch: pytest.MonkeyPatch) -> None:
    """Let the day of a spending be that of the clock, even if it was set back."""

    def check(self: Ledger, task: Any, epsilon: Any, today: str) -> str:
        _check(self, task, epsilon, today)
        return today

    patch.setattr(Ledger, "check", check)


def entries_with(change: Callable[[LedgerEntry], LedgerEntry]) -> Plant:
    return lambda patch: patch.setattr(Ledger, "_entry", lambda *given: change(_entry(*given)))


def without_day(patch: pytest.MonkeyPatch) -> None:
    """Leave the day out of records, and believe that what has none was spent long ago."""
    from_json, to_json = Spending.from_json, Spending.to_json

    def read(text: str) -> Spending | None:
        found = from_json(text)
        return None if found is None else found._replace(day="1970-01-01")

    patch.setattr(Spending, "from_json", read)
    patch.setattr(Spending, "to_json", lambda self: to_json(self._replace(day="1970-01-01")))


def a_day_longer(first: str, second: str) -> int:
    return pckv.base.days.days_between(first, second) - 1


MUTANTS = (
    PatchedFault("the day decreases", by_the_clock_alone, checks.check_a_clock_set_back_frees_nothing),
    PatchedFault("records have no day", without_day, checks.check_a_removed_report_counts_from_its_day),
    PatchedFault("everything was spent long ago", entries_with(lambda entry: replace(entry, day="1970-01-01")), checks.check_a_period_has_a_cap),
    PatchedFault("one day too long", lambda patch: patch.setattr(pckv.client.ledger, "days_between", a_day_longer), checks.check_a_period_has_a_cap),
    PatchedFault("caps are forgotten", lambda patch: patch.setattr(Caps, "remember", lambda _: None), checks.check_the_cap_per_period_is_remembered),
    PatchedFault("no cap per period", lambda patch: patch.setattr(Caps, "per_period", None), checks.check_a_period_of_one_day),
    PatchedFault("no total", lambda patch: patch.setattr(Caps, "in_all", 10**6), checks.check_the_total_holds_as_well),
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
    assert Client("http://localhost", state, cap_per_period=("3", 365)).cap_per_period == PeriodCap(
        Decimal(3), 365
    )


@pytest.mark.parametrize(
    "cap", [(-1, 5), ("much", 5), (1, 0), (1, 1.5), (1, True), (1, 36_526), (1,), 1, (1, 2, 3)]
)
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
