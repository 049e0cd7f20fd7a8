"""The ledger of the Python client: the checks that every client passes, and planted faults that they catch."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import pckv.client.ledger
from pckv import Task
from pckv.base.days import Phase
from pckv.client import Client, Status
from pckv.client.folder import StateFolder, _sealed
from pckv.client.ledger import Caps, Ledger, Spending
from pckv.client.outbox import REPORT_SUFFIX, SPENT_SUFFIX, DeliveryOutcome, Outbox
from support import ledger_checks as checks
from support.client_collector import FakeCollector
from support.faults import PatchedFault
from support.ledger_checks import LedgerDevice
from support.ledger_device import SECONDS_PER_DAY, PythonDevice


@pytest.fixture
def ledger_device(collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch) -> LedgerDevice:
    return PythonDevice(collector, state, monkeypatch)


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda check: check.__name__)
def test_the_client_passes(ledger_device: LedgerDevice, check: Callable[[LedgerDevice], None]) -> None:
    check(ledger_device)


Plant = Callable[[pytest.MonkeyPatch], None]
_entries, _outcome = Ledger.entries, Outbox.outcome


def replaced(owner: Any, name: str, fault: Any) -> Plant:
    return lambda patch: patch.setattr(owner, name, fault)


def without(*states: Status) -> Plant:
    """Leave reports of some states out of the ledger."""
    return replaced(Ledger, "entries", lambda self: [e for e in _entries(self) if e.status not in states])


def survey_by(identity: Callable[[str], object]) -> Plant:
    return replaced(pckv.client.ledger, "survey_of", identity)


def anew_after_a_week(patch: pytest.MonkeyPatch) -> None:
    """Forget reports that wait for more than a week, and make new ones in their place."""
    submit = Client.submit

    def forgetful(self: Client, task_id: str, *arguments: Any, **options: Any) -> Any:
        path = self._reports._folder.path / (task_id + REPORT_SUFFIX)
        waits = path.exists() and _outcome(self._reports._outbox, task_id).status is Status.WAITING
        if waits and time.time() - path.stat().st_mtime > 7 * SECONDS_PER_DAY:
            for suffix in (REPORT_SUFFIX, SPENT_SUFFIX):
                path.with_suffix(suffix).unlink()
        return submit(self, task_id, *arguments, **options)

    patch.setattr(Client, "submit", forgetful)


def record_after_sending(patch: pytest.MonkeyPatch) -> None:
    decide, record = Outbox.decide, Ledger.record

    def decided(self: Outbox, task_id: str, outcome: DeliveryOutcome) -> DeliveryOutcome:
        with self.folder.locked():
            record(Ledger(self, Caps(self.folder)), task_id)
        return decide(self, task_id, outcome)

    patch.setattr(Ledger, "record", lambda *_: None)
    patch.setattr(Outbox, "decide", decided)


def reports_alone(self: Ledger) -> list[Any]:
    """Compute the ledger from reports, as if there were no records."""
    return [entry for entry in _entries(self) if entry.status is not Status.REMOVED]


def records_alone(self: Ledger) -> list[Any]:
    return [entry for entry in _entries(self) if self.is_recorded(entry.task)]


def believed(self: Ledger, task_id: str) -> Any:
    """Believe a record whatever its report says."""
    recorded = Spending.from_json(self._folder.get(task_id + SPENT_SUFFIX) or "")
    assert recorded is not None
    return pckv.client.ledger._entry_of(task_id, recorded, _outcome(self._outbox, task_id).status)


def one_ledger_per_address(patch: pytest.MonkeyPatch) -> None:
    ledger = Client.__init__

    def initialised(self: Client, url: str, state: Path, **options: Any) -> None:
        ledger(self, url, Path(state, url.rpartition("/")[2]), **options)

    patch.setattr(Client, "__init__", initialised)


MUTANTS = (
    PatchedFault("refused reports left out", without(Status.REFUSED), checks.check_every_state_counts),
    PatchedFault("waiting reports left out", without(Status.WAITING), checks.check_every_state_counts),
    PatchedFault("only what was sent counts", without(*set(Status) - {Status.SENT}), checks.check_every_state_counts),
    PatchedFault("removed reports left out", replaced(Ledger, "entries", reports_alone), checks.check_a_removed_report_is_not_made_again),
    PatchedFault("one ledger per address", one_ledger_per_address, checks.check_addresses_share_the_ledger),
    PatchedFault("names as they are", survey_by(lambda name: name), checks.check_a_survey_is_answered_once),
    PatchedFault("names in lower case", survey_by(str.lower), checks.check_a_survey_is_answered_once),
    PatchedFault("invisible characters tell apart", survey_by(lambda name: " ".join(name.casefold().split())), checks.check_a_survey_is_answered_once),
    PatchedFault("one survey per task", survey_by(lambda _: object()), checks.check_a_survey_is_answered_once),
    PatchedFault("anew after a week", anew_after_a_week, checks.check_time_frees_nothing),
    PatchedFault("no record", replaced(Ledger, "record", lambda *_: None), checks.check_a_removed_report_is_not_made_again),
    PatchedFault("recorded after sending", record_after_sending, checks.check_spending_is_stored_before_it_is_sent),
    PatchedFault("records alone", replaced(Ledger, "entries", records_alone), checks.check_a_removed_record_is_restored),
    PatchedFault("edited records believed", replaced(Ledger, "_entry", believed), checks.check_an_edited_record_is_refused),
    PatchedFault("the cap is forgotten", replaced(Caps, "remember", lambda _: None), checks.check_the_cap_is_remembered),
    PatchedFault("no cap by default", replaced(pckv.client.ledger, "DEFAULT_CAP", Decimal("Infinity")), checks.check_there_is_a_cap_by_default),
    PatchedFault("closed tasks are answered", replaced(Task, "phase", lambda *_: Phase.OPEN), checks.check_a_closed_task_spends_nothing),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_mutant_is_caught(
    ledger_device: LedgerDevice, mutant: PatchedFault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant.plant(monkeypatch)
    # A mutant that cannot send at all would prove nothing.
    elsewhere = PythonDevice(ledger_device.collector, tmp_path / "elsewhere", monkeypatch)
    assert checks.submitted(elsewhere, checks.a_task("any")) == "sent"
    with pytest.raises(AssertionError):
        mutant.caught_by(ledger_device)


def test_a_record_of_another_release_is_refused(ledger_device: LedgerDevice, state: Path) -> None:
    task = checks.a_task("movies")
    assert checks.submitted(ledger_device, task) == "sent"
    ledger_device.remove_report(task)
    for text in (
        '{"day":"2026-01-01","epsilon":"1","series":null,"survey":"movies","version":2}',
        "[]",
        "{",
        '{"day":"2026-01-01","epsilon":1,"series":null,"survey":"x","version":1}',
        '{"day":"2026-1-1","epsilon":"1","series":null,"survey":"x","version":1}',
        '{"day":"2026-01-01","epsilon":"1","series":[],"survey":"x","version":1}',
    ):
        (state / (task.id + SPENT_SUFFIX)).write_bytes(_sealed(text))
        assert checks.submitted(ledger_device, checks.a_task("others")) == "bad_data"


def test_a_damaged_cap_is_refused(ledger_device: LedgerDevice, state: Path) -> None:
    assert checks.submitted(ledger_device, checks.a_task("one"), cap="3") == "sent"
    for data in (b"3", _sealed("much"), _sealed("")):
        (state / "cap").write_bytes(data)
        assert checks.submitted(ledger_device, checks.a_task("two")) == "bad_data"
        assert Caps(StateFolder(state), 4).in_all == 4
