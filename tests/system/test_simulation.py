"""Random sequences of operations and faults on real collectors, and planted faults that they must catch."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import pytest

from pckv import Task
from pckv.base.arrays import Integers
from pckv.base.days import utc_today
from pckv.base.wire import Report
from pckv.collector.analysis import tallies
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.store import parts
from pckv.store import store as sql_store
from pckv.store.base import Part, PartChanges, ReportOutcome, StoredTask, Upload
from pckv.store.duplicates import BatchDecision, TaskBatch
from pckv.store.parts import Compaction, pack_words
from pckv.store.sql import reports as sql
from pckv.store.sql.transactions import Transaction
from pckv.store.store import Store
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


def count_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known report is counted once more."""
    add_open = sql._add_open

    def adding(tx: Transaction, task: int, batch: TaskBatch) -> BatchDecision:
        decision = add_open(tx, task, batch)
        known = [
            report
            for report, outcome in zip(batch.reports, decision.outcomes, strict=True)
            if outcome is ReportOutcome.KNOWN
        ]
        return BatchDecision(decision.outcomes, [*decision.stored, *known])

    monkeypatch.setattr(sql, "_add_open", adding)


def replace_on_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two bodies under one id the last is counted as well, and acknowledged."""
    add_open = sql._add_open

    def adding(tx: Transaction, task: int, batch: TaskBatch) -> BatchDecision:
        decision = add_open(tx, task, batch)
        changed = BatchDecision([], [])
        for stored, outcome in zip(batch.reports, decision.outcomes, strict=True):
            changed.outcomes.append(ReportOutcome.STORED if outcome is ReportOutcome.CONFLICT else outcome)
            if changed.outcomes[-1] is ReportOutcome.STORED:
                changed.stored.append(stored)
        return changed

    monkeypatch.setattr(sql, "_add_open", adding)


def answer_before_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads are answered before they are on disk."""
    add = ReportWriter.add
    tasks: set[asyncio.Task[list[ReportOutcome]]] = set()

    async def adding(self: ReportWriter, upload: Upload) -> list[ReportOutcome]:
        task = asyncio.create_task(add(self, upload))
        tasks.add(task)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return [ReportOutcome.STORED] * len(upload.reports)

    monkeypatch.setattr(ReportWriter, "add", adding)


def lose_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads that wait at a restart are acknowledged, and lost."""
    drain = ReportWriter.drain

    async def draining(self: ReportWriter) -> None:
        while self._queue:
            pending = self._queue.popleft()
            pending.outcomes.set_result([ReportOutcome.STORED] * len(pending.upload.reports))
        await drain(self)

    monkeypatch.setattr(ReportWriter, "drain", draining)
    # Where all uploads of a moment are one batch, hardly any wait.
    monkeypatch.setattr(ReportWriter, "_next_batch", lambda self: [self._queue.popleft()])


def drop_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compactor loses one of the parts that it merges."""

    def merging(task: Task, contents: Iterable[bytes], compaction: Compaction) -> Part:
        return parts.compact_parts(task, list(contents)[1:], compaction)

    monkeypatch.setattr(sql_store, "compact_parts", merging)


def keep_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compactor adds the sum and keeps the parts."""
    monkeypatch.setattr("pckv.store.sqlite.SqliteTransaction.delete_parts", lambda *_: True)


def skip_some_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are stored, and those of one transaction in five are not counted."""
    calls = itertools.count()

    def tallying(task: Task, bodies: list[bytes]) -> Part:
        return parts.new_part(task, bodies if next(calls) % 5 else [])

    monkeypatch.setattr(sql, "new_part", tallying)


def drop_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compaction that merges words loses one."""

    def packing(task: Task, words: Integers) -> bytes:
        return pack_words(task, words[1:] if words.size > 1 else words)

    monkeypatch.setattr(parts, "pack_words", packing)


def count_words_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are counted into a tally, and wait on."""

    def compacting(task: Task, contents: Iterable[bytes], compaction: Compaction) -> Part:
        part = parts.compact_parts(task, contents, compaction)
        return part._replace(uncounted=part.reports) if compaction.counts_words else part

    monkeypatch.setattr(sql_store, "compact_parts", compacting)


def keep_old_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates add parts to the tally that is kept, although they replace parts of it."""

    def changes(self: Store, task_id: str, known: Collection[int]) -> PartChanges:
        return self._read(sql.part_changes, task_id, known)._replace(replaced=False)

    monkeypatch.setattr(Store, "part_changes", changes)


def ignore_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """The days of a task are ignored."""

    def checking(self: Contracts, stored: StoredTask) -> None:
        del self, stored

    monkeypatch.setattr(Contracts, "check_open", checking)


def store_duplicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an id that comes twice in a batch the last is stored, and the first counted."""

    def last_by_id(reports: list[Report]) -> list[Report]:
        last = {report.id: report for report in reports}
        return [last[report_id] for report_id in sorted(last)]

    monkeypatch.setattr(sql, "unique_by_id", last_by_id)


FAULTS = [
    count_replays,
    replace_on_conflict,
    answer_before_commit,
    lose_queue,
    drop_part,
    keep_parts,
    skip_some_counts,
    drop_word,
    count_words_twice,
    keep_old_tally,
    ignore_days,
    store_duplicates,
]


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_planted_faults_are_caught(
    plant: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(SimulationFailure, match="seed"):
        run("sqlite", tmp_path, (f"sqlite 0 {number}" for number in range(MAX_SEQUENCES)))
