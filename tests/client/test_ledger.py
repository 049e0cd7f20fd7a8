"""The ledger of the Python client: the checks that every client passes, and planted faults that they catch."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pckv.base.days import Phase
from pckv.client import Client, Status
from pckv.client.caps import Caps
from pckv.client.folder import StateFolder, _sealed
from pckv.client.ledger import Ledger
from pckv.client.outbox import REPORT_SUFFIX, SPENT_SUFFIX, DeliveryOutcome, Outbox
from pckv.contract.members import Dates
from support import ledger_checks as checks
from support.client_collector import FakeCollector
from support.faults import PatchedFault, Plant, in_source, replaced
from support.ledger_checks import LedgerDevice
from support.ledger_device import SECONDS_PER_DAY, PythonDevice


@pytest.fixture
def ledger_device(collector: FakeCollector, state: Path, monkeypatch: pytest.MonkeyPatch) -> LedgerDevice:
    return PythonDevice(collector, state, monkeypatch)


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda check: check.__name__)
def test_the_client_passes(ledger_device: LedgerDevice, check: Callable[[LedgerDevice], None]) -> None:
    check(ledger_device)


LEDGER, CAPS = "client/ledger.py", "client/caps.py"
SORTED = "        return sorted(entries, key="
SURVEYS = {"survey_of(survey_name(task.name, task.series))": "survey_name(task.name, task.series)", "survey_of(entry.survey)": "entry.survey"}  # fmt: skip
NO_RECORD = {"if not self.is_recorded(task_id) and (": "if not task_id and ("}
FITS = """ and text != spending.to_json():
            raise self._folder.damage_error(task_id + SPENT_SUFFIX, "does not fit its report")"""


def only(kept: str) -> Plant:
    """Leave reports of other states out of the ledger."""
    left = f"        entries = [entry for entry in entries if entry.status {kept}]\n{SORTED}"
    return in_source(LEDGER, {SORTED: left})


def survey_by(identity: str) -> Plant:
    """Tell surveys apart by what becomes of their names."""
    return in_source(LEDGER, {right: identity.format(name) for right, name in SURVEYS.items()})


def anew_after_a_week(patch: pytest.MonkeyPatch) -> None:
    """Forget reports that wait for more than a week, and make new ones in their place."""
    submit = Client.submit

    def forgetful(self: Client, task_id: str, *arguments: Any, **options: Any) -> Any:
        path = self._reports._folder.path / (task_id + REPORT_SUFFIX)
        waits = path.exists() and self._reports._outbox.outcome(task_id).status is Status.WAITING
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


MUTANTS = (
    PatchedFault("refused reports left out", only("is not Status.REFUSED"), checks.check_every_state_counts),
    PatchedFault("waiting reports left out", only("is not Status.WAITING"), checks.check_every_state_counts),
    PatchedFault("only what was sent counts", only("is Status.SENT"), checks.check_every_state_counts),
    PatchedFault("caps are rounded up", in_source(CAPS, {"            return given\n": "            return round(given, 15)\n"}), checks.check_every_state_counts),
    PatchedFault("removed reports left out", only("is not Status.REMOVED"), checks.check_a_removed_report_is_not_made_again),
    PatchedFault("one ledger per address", in_source("client/client.py", {"Path(state).absolute()": "Path(state, url.rpartition('/')[2]).absolute()"}), checks.check_addresses_share_the_ledger),
    PatchedFault("names as they are", survey_by("{}"), checks.check_a_survey_is_answered_once),
    PatchedFault("names in lower case", survey_by("{}.lower()"), checks.check_a_survey_is_answered_once),
    PatchedFault("invisible characters tell apart", survey_by("{}.casefold().split()"), checks.check_a_survey_is_answered_once),
    PatchedFault("one survey per task", survey_by("object()"), checks.check_a_survey_is_answered_once),
    PatchedFault("anew after a week", anew_after_a_week, checks.check_time_frees_nothing),
    PatchedFault("no record", in_source(LEDGER, NO_RECORD), checks.check_a_removed_report_is_not_made_again),
    PatchedFault("recorded after sending", record_after_sending, checks.check_spending_is_stored_before_it_is_sent),
    PatchedFault("records alone", in_source(LEDGER, {"(REPORT_SUFFIX, SPENT_SUFFIX, OUTCOME_SUFFIX)": "(SPENT_SUFFIX,)"}), checks.check_a_removed_record_is_restored),
    PatchedFault("edited records believed", in_source(LEDGER, {FITS: ":\n            spending = Spending.from_json(text)"}), checks.check_an_edited_record_is_refused),
    PatchedFault("the cap is forgotten", in_source(CAPS, {"if text != self._folder.get(name):": "if not name:"}), checks.check_the_cap_is_remembered),
    PatchedFault("no cap by default", in_source(CAPS, {"            return default\n": "            return Decimal('Infinity')\n"}), checks.check_there_is_a_cap_by_default),
    PatchedFault("closed tasks are answered", replaced(Dates, "phase", lambda _: lambda *_: Phase.OPEN), checks.check_a_closed_task_spends_nothing),
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
        '{"day":"2026-01-01","epsilon":"1","series":null,"survey":"movies","version":1}',
        '{"day":"2026-01-01","epsilon":"1","series":null,"survey":"movies","version":2}',
        '{"day":"2026-01-01","epsilon":"1","series":null,"claim":{"epsilon":"1"},"survey":"movies","version":2}',
        '{"day":"2026-01-01","epsilon":"1","series":null,"claim":{"epsilon":1,"delta":"0"},"survey":"x","version":2}',
        "[]",
        "{",
        '{"day":"2026-01-01","epsilon":1,"series":null,"claim":null,"survey":"x","version":2}',
        '{"day":"2026-1-1","epsilon":"1","series":null,"claim":null,"survey":"x","version":2}',
        '{"day":"2026-01-01","epsilon":"1","series":[],"claim":null,"survey":"x","version":2}',
    ):
        (state / (task.id + SPENT_SUFFIX)).write_bytes(_sealed(text))
        assert checks.submitted(ledger_device, checks.a_task("others")) == "bad_data"


def test_a_damaged_cap_is_refused(ledger_device: LedgerDevice, state: Path) -> None:
    assert checks.submitted(ledger_device, checks.a_task("one"), cap="3") == "sent"
    for data in (b"3", _sealed("much"), _sealed("")):
        (state / "cap").write_bytes(data)
        assert checks.submitted(ledger_device, checks.a_task("two")) == "bad_data"
        assert Caps(StateFolder(state), 4).in_all == 4
