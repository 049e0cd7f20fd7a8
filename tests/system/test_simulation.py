"""Random sequences of operations and faults on real collectors, and planted faults that they must catch."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from pathlib import Path

import pytest

from pckv.base.days import utc_today
from pckv.collector.analysis import tallies
from pckv.store import parts
from support.faults import Fault, in_place
from support.simulation import simulate
from support.simulation_collector import SimulatedCollector
from support.simulation_model import FIRST_DAY, TASKS, HttpAnswer, SimulationFailure, json_request, valid_item
from support.stores import report, store_url

# Kind of store, sequences per test, number of the test: PostgreSQL takes longer to open. All 60 on SQLite find a
# fault that shows in one sequence of 13 with a probability of 99 %; all planted faults show in the first or second.
CHUNKS = [("sqlite", 12, chunk) for chunk in range(5)] + [("postgres", 6, chunk) for chunk in range(4)]
SLOW_SEQUENCES = 1000
# Every planted fault must be caught within this number of sequences.
MAX_SEQUENCES = 12


@pytest.fixture(autouse=True)
def few_words_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are merged in some compactions, and counted in others."""
    for module in (parts, tallies):
        monkeypatch.setattr(module, "MIN_REPORTS_TO_COUNT", 6)


def run(kind: str, folder: Path, seeds: Iterable[str]) -> None:
    for seed in seeds:
        simulate(store_url(kind, folder), seed)


@pytest.mark.parametrize(("kind", "sequences", "chunk"), CHUNKS)
def test_nothing_is_lost_or_counted_twice(kind: str, sequences: int, chunk: int, tmp_path: Path) -> None:
    run(kind, tmp_path, (f"{kind} {chunk} {number}" for number in range(sequences)))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_is_lost_in_sequences_never_seen_before(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not request.config.getoption("--slow"):
        pytest.skip("slow")
    start = secrets.token_hex(4)
    run(kind, tmp_path, (f"{start} {number}" for number in range(SLOW_SEQUENCES)))


def test_an_upload_to_a_stopping_collector_is_refused(tmp_path: Path) -> None:
    """A regression that the simulation caught: the upload was neither written nor answered."""

    async def upload_late() -> HttpAnswer:
        collector = SimulatedCollector(store_url("sqlite", tmp_path), FIRST_DAY.isoformat)
        await collector.start()
        collector.store.add_task(TASKS[0], utc_today())
        await collector.stop()
        request = json_request(TASKS[0], [valid_item(report(1, task=TASKS[0]))])
        answer = await collector.call("POST", f"/tasks/{TASKS[0].id}/reports", request.body, request.media)
        collector.store.close()
        return answer

    answer = asyncio.run(upload_late())
    assert (answer.status, answer.kind) == (503, "overloaded")


def check_sequences(folder: Path) -> None:
    run("sqlite", folder, (f"sqlite 0 {number}" for number in range(MAX_SEQUENCES)))


REPORTS, PARTS, WRITER = "store/sql/reports.py", "store/parts.py", "collector/ingest/report_writer.py"
WORDS = "pack_words(task, words))\n\n\ndef merge_parts"
TALLIED = "return tally_part(merge_parts(task, contents, compaction.size))"
DECIDED = "    return duplicates.decide(batch, known)\n"
REPLAYED = """    decision = duplicates.decide(batch, known)
    outcomes = zip(batch.reports, decision.outcomes, strict=True)
    replayed = [report for report, outcome in outcomes if outcome is ReportOutcome.KNOWN]
    return duplicates.BatchDecision(decision.outcomes, [*decision.stored, *replayed])
"""
REPLACED = """    decision, stored, conflict = duplicates.decide(batch, known), ReportOutcome.STORED, ReportOutcome.CONFLICT
    outcomes = [stored if outcome is conflict else outcome for outcome in decision.outcomes]
    changed = zip(batch.reports, outcomes, strict=True)
    return duplicates.BatchDecision(outcomes, [report for report, outcome in changed if outcome is stored])
"""
ANSWERED = """outcomes.add_done_callback(lambda done: done.cancelled() or done.exception())
        return [ReportOutcome.STORED] * len(upload.reports)"""
LOST = """        while self._queue:
            pending = self._queue.popleft()
            pending.outcomes.set_result([ReportOutcome.STORED] * len(pending.upload.reports))
        self._stopping = True
        self._wake.set()
        if"""
ADD, STORED = (
    "batch: duplicates.TaskBatch) -> duplicates.BatchDecision:\n    if row",
    "[report.body for report in decision.stored]",
)
COUNTED = {
    ADD: ADD.replace("TaskBatch)", "TaskBatch, calls=[])"),
    STORED: f"{STORED} if calls.append(0) or len(calls) % 5 != 1 else []",
}
FAULTS = (
    in_place("a known report is counted once more", REPORTS, {DECIDED: REPLAYED}, check_sequences, "seed"),
    in_place("of two bodies under one id the last is counted as well", REPORTS, {DECIDED: REPLACED}, check_sequences, "seed"),
    in_place("uploads are answered before they are on disk", WRITER, {"return await outcomes": ANSWERED}, check_sequences, "seed"),
    # Where all uploads of a moment are one batch, hardly any wait.
    in_place("uploads that wait at a restart are lost", WRITER, {"        self._stopping = True\n        self._wake.set()\n        if": LOST, "while self._queue and reports +": "while not self and reports +"}, check_sequences, "seed"),
    in_place("the compactor loses a part that it merges", PARTS, {"    if compaction.counts_words:": "    contents = list(contents)[1:]\n    if compaction.counts_words:"}, check_sequences, "seed"),
    in_place("the compactor keeps the parts that it merges", "store/sqlite.py", {'        self.change(f"DELETE {chosen}", task, numbers_json)\n': ""}, check_sequences, "seed"),
    in_place("the reports of one transaction in five are not counted", REPORTS, COUNTED, check_sequences, "seed"),
    in_place("a compaction that merges words loses one", PARTS, {WORDS: WORDS.replace("words)", "words[1:] if words.size > 1 else words)")}, check_sequences, "seed"),
    in_place("words are counted into a tally, and wait on", PARTS, {TALLIED: f"{TALLIED.replace('return', 'part =')}\n        return part._replace(uncounted=part.reports)"}, check_sequences, "seed"),
    in_place("estimates add parts that replace others", REPORTS, {"PartChanges(replaced, found)": "PartChanges(False, found)"}, check_sequences, "seed"),
    in_place("the days of a task are ignored", "collector/contracts/contracts.py", {"phase = stored.phase(self.today())": "phase = None"}, check_sequences, "seed"),
    in_place("of an id that comes twice in a batch the last is stored", "store/duplicates.py", {"for report in reversed(reports)}": "for report in reports}"}, check_sequences, "seed"),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_planted_faults_are_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path, tmp_path, raises=SimulationFailure)
