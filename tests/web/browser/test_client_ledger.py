"""The ledger of the JavaScript client: the checks that every client passes, and planted faults that they catch."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from support import ledger_checks as checks
from support.browser import QUICK, ScriptedBrowser, pages
from support.client_collector import FakeCollector
from support.faults import Fault, faulty_client
from support.ledger_checks import LedgerDevice

PAIRS: dict[str, float] = {"alien": 5}
# Changes one row of a store of the client's database; without a change, the row is deleted.
CHANGE_ROW = """([store, key, change]) => new Promise((resolve, reject) => {
    const opening = indexedDB.open("pckv");
    opening.onsuccess = () => {
        const transaction = opening.result.transaction(store, "readwrite"), rows = transaction.objectStore(store);
        if (change) rows.get(key).onsuccess = ({ target }) => rows.put({ ...target.result, ...change });
        else rows.delete(key);
        transaction.oncomplete = () => { opening.result.close(); resolve(); };
        transaction.onabort = reject;
    };
})"""


class BrowserDevice(ScriptedBrowser):
    """A browser as a device whose ledger is checked."""

    def _call(self, folder: str, options: dict[str, Any], method: str, *arguments: Any) -> Any:
        return self.tab.call(f"{self.address}{folder}", QUICK | options, method, *arguments)

    def submit(self, task: Task, cap: str | None = None, folder: str = "") -> str:
        result = self._call(folder, {} if cap is None else {"cap": cap}, "submit", task.id, PAIRS)
        return str(result.get("status") or result.get("code") or result)

    def check_that_it_sends(self, task: Task) -> None:
        """Send a report from a database of its own, which leaves no trace in that of the checks."""
        self.collector = FakeCollector(task)
        assert self._call("", {"state": "another"}, "submit", task.id, PAIRS)["status"] == "sent"
        self.collector = FakeCollector()

    def crash_while_sending(self, task: Task) -> None:
        self.die(task, PAIRS, {}, lambda: bool(self.collector.sent))

    def spent(self) -> Decimal:
        return Decimal(self._call("", {}, "spent"))

    def remove_report(self, task: Task) -> None:
        self.tab.page.evaluate(CHANGE_ROW, ["reports", task.id, None])

    def remove_record(self, task: Task) -> None:
        self.tab.page.evaluate(CHANGE_ROW, ["spent", task.id, None])

    def edit_record(self, task: Task) -> None:
        self.tab.page.evaluate(CHANGE_ROW, ["spent", task.id, {"epsilon": "0"}])

    def move_clock(self, days: int) -> None:
        time = dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days)
        self.tab.set_clock(time.isoformat())


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda check: check.__name__)
def test_the_client_passes(context: Any, port: int, check: Callable[[LedgerDevice], None]) -> None:
    check(BrowserDevice(context, port))


ALLOWED = "const entries = await entriesOf(on);"
RECORDED = 'await on("spent", "add", entry);'
RESTORED = 'await on("spent", "put", entry);'

INDEX, LEDGER, FORMATS = "index.js", "ledger.js", "formats.js"
MUTANTS = (
    Fault("refused reports left out", INDEX, {ALLOWED: 'const entries = (await entriesOf(on)).filter((e) => e.status !== "refused");'}, checks.check_every_state_counts),
    Fault("waiting reports left out", INDEX, {ALLOWED: 'const entries = (await entriesOf(on)).filter((e) => e.status !== "waiting");'}, checks.check_every_state_counts),
    Fault("caps are rounded up", "epsilon.js", {"times(UNITS_PER_ONE).floor": "times(UNITS_PER_ONE).ceil"}, checks.check_every_state_counts),
    Fault("removed reports left out", INDEX, {ALLOWED: 'const entries = (await entriesOf(on)).filter((e) => e.status !== "removed");'}, checks.check_a_removed_report_is_not_made_again),
    Fault("one ledger per address", INDEX, {"inTransaction(this.state": "inTransaction(this.state + this.url"}, checks.check_addresses_share_the_ledger),
    Fault("names as they are", INDEX, {"surveyOf(survey) === surveyOf(name)": "survey === name"}, checks.check_a_survey_is_answered_once),
    Fault("invisible characters tell apart", FORMATS, {"[\\p{Cf}\\p{DI}]": "[\\p{Cc}]"}, checks.check_a_survey_is_answered_once),
    Fault("width tells apart", FORMATS, {"NFKC": "NFC"}, checks.check_a_survey_is_answered_once),
    Fault("one survey per task", INDEX, {"const first = entries.find(": "const first = [].find("}, checks.check_a_survey_is_answered_once),
    Fault("anew after a week", INDEX, {
            '...address, status: "waiting"': '...address, at: Date.now(), status: "waiting"',
            'if (await on("reports", "get", task.id)) return undefined;': """
                const old = await on("reports", "get", task.id);
                if (old && Date.now() - old.at < 604800000) return undefined;
                for (const store of ["reports", "spent"]) await on(store, "delete", task.id);""",
            "!made && ": "",
        }, checks.check_time_frees_nothing),
    Fault("no record", INDEX, {RECORDED: ""}, checks.check_spending_is_stored_before_it_is_sent),
    Fault("records alone", LEDGER, {"entries.set(task, { ...entry, status });": "if (entries.has(task)) entries.get(task).status = status;", RESTORED: ""}, checks.check_a_removed_record_is_restored),
    Fault("missing records stay missing", LEDGER, {RESTORED: ""}, checks.check_a_removed_record_is_restored),
    Fault("edited records believed", LEDGER, {"JSON.stringify(record) === JSON.stringify(entry)": "true"}, checks.check_an_edited_record_is_refused),
    Fault("the cap is forgotten", LEDGER, {'await on("settings", "get", "caps")': "{}"}, checks.check_the_cap_is_remembered),
    Fault("a cap is remembered only where a report is made", INDEX, {"await this.cap();": ""}, checks.check_the_cap_is_remembered),
    Fault("a cap of 0 is none", INDEX, {"if (cap !== undefined)": "if (Number(cap))"}, checks.check_a_cap_of_nothing_holds),
    Fault("long names as they are", FORMATS, {"return foldCase(name.replace": "return name.length > 64 ? name : foldCase(name.replace"}, checks.check_long_names_are_surveys_too),
    Fault("no cap by default", LEDGER, {'cap: { epsilon: "10" }': 'cap: { epsilon: "1000" }'}, checks.check_there_is_a_cap_by_default),
    Fault("closed tasks are answered", INDEX, {'phase === "open"': "task"}, checks.check_a_closed_task_spends_nothing),
)  # fmt: skip


@pytest.fixture
def faulty_port(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    """A server for the files of a mutant."""
    with pages(faulty_client(tmp_path, request.param.file, request.param.replaced)) as port:
        yield port


@pytest.mark.parametrize(
    ("mutant", "faulty_port"),
    [(mutant, mutant) for mutant in MUTANTS],
    indirect=["faulty_port"],
    ids=map(str, MUTANTS),
)
def test_mutant_is_caught(context: Any, faulty_port: int, mutant: Fault) -> None:
    device = BrowserDevice(context, faulty_port)
    # A mutant that cannot send at all would prove nothing.
    device.check_that_it_sends(checks.a_task("any"))
    with pytest.raises(AssertionError):
        mutant.caught_by(device)
