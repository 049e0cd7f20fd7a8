"""The store of a collector: its transactions on tasks, reports and the parts that count them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress

from pckv.base.errors import StoreError
from pckv.base.wire import Report
from pckv.store.base import Deletion
from pckv.store.contract_store import ContractStore, reading, writing
from pckv.store.parts import choose_compaction, compact_parts
from pckv.store.sql import contracts, drafts, fetched, organisation, reports, surveys, undoing
from pckv.store.sql.reports import Snapshot

# Parts that are read together while they are merged.
PARTS_PER_READ = 16


class Store(ContractStore):
    """All transactions of a collector."""

    package = "pckv.store"
    versions = "schema_version"

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Return a context with the parts and reports of one moment; for checks, not for long."""

    newest_tasks = reading(contracts.newest_tasks)
    change_task = writing(contracts.change_task)
    close_task = writing(contracts.close_task)
    reopen_task = writing(undoing.reopen_task)
    reopen_series = writing(undoing.reopen_series)
    bin_task = writing(undoing.bin_task)
    restore_task = writing(undoing.restore_task)
    binned_tasks = reading(contracts.binned_tasks)
    claim_alarm_check = writing(contracts.claim_alarm_check)
    record_alarm_check = writing(contracts.record_alarm_check)
    alarm_checks = reading(contracts.alarm_checks)
    round_alarm_checks = reading(contracts.round_alarm_checks)

    rounds = reading(contracts.rounds)

    # With a name of its own, and the batch that a mixed one waits for.
    add_task = writing(fetched.add_task)
    add_series = writing(fetched.add_series)
    add_round = writing(fetched.add_round)
    survey_owner = reading(surveys.survey_owner)
    find_batch = reading(fetched.find_batch)
    fetched_batches = reading(fetched.fetched_batches)
    unfinished_batches = reading(fetched.unfinished_batches)
    tasks_with_key = reading(fetched.tasks_with_key)
    claim_batch = writing(fetched.claim_batch)
    record_batch = writing(fetched.record_batch)
    add_opened_reports = writing(fetched.add_opened_reports)

    add_draft = writing(drafts.add_draft)
    change_draft = writing(drafts.change_draft)
    list_drafts = reading(drafts.list_drafts)
    find_draft = reading(drafts.find_draft)
    delete_draft = writing(drafts.delete_draft)

    find_organisation = reading(organisation.find_organisation)
    find_logo = reading(organisation.find_logo)
    set_organisation = writing(organisation.set_organisation)

    add_reports = writing(reports.add_reports)
    parts = reading(reports.parts)
    part_changes = reading(reports.part_changes)
    part_summaries = reading(reports.part_summaries)
    tasks_to_compact = reading(reports.tasks_to_compact)
    report_counts = reading(reports.report_counts)
    report_days = reading(reports.report_days)
    last_report_days = reading(reports.last_report_days)

    def reports(self, task_id: str, batch: int = 10_000) -> Iterator[list[Report]]:
        """Yield all reports of a task in the order of their random ids, which does not reveal arrival."""
        return reports.pages(lambda after: self._read(reports.reports_after, task_id, after, batch), b"")

    def compact(self, task_id: str, *, fully: bool = False) -> int:
        """Merge the parts of a task that are worth merging, or all, into one; return how many were merged.

        Words that wait are counted if they are many, or if all parts are merged. Parts are read, and their
        words counted, without a lock: uploads go on meanwhile. The transaction that replaces them with the
        sum is short, and changes nothing if another collector has replaced one of them.
        """
        stored = self.find_task(task_id)
        if stored is None:
            return 0
        compaction = choose_compaction(stored.task, self.part_summaries(task_id), fully=fully)
        if not compaction.numbers:
            return 0
        total = compact_parts(stored.task, self._contents(task_id, compaction.numbers), compaction)
        return self._write(reports.replace_parts, task_id, compaction.numbers, total)

    def _contents(self, task_id: str, numbers: list[int]) -> Iterator[bytes]:
        """Yield the contents of parts, as many at a time as are read together."""
        for start in range(0, len(numbers), PARTS_PER_READ):
            for part in self._read(reports.find_parts, task_id, numbers[start : start + PARTS_PER_READ]):
                yield part.content

    def delete_task(self, task_id: str, day: str, *, expired: bool = False) -> Deletion | None:
        """Delete a task for good with everything that belongs to it; return None if it is unknown.

        Deleting it again changes nothing and returns the first deletion. With `expired`, a task is deleted only if
        its time in the bin is over.
        """
        self._write(contracts.delete_task, task_id, day, expired=expired)
        deletion = self.find_deletion(task_id)
        if deletion is None or deletion.erased:
            return deletion
        # The task is deleted, whatever happens from here on.
        with suppress(StoreError):
            self.erase_deleted()
        return self.find_deletion(task_id)

    def forget_reports(self, task_id: str, day: str) -> int:
        """Delete the reports of a task and keep its tally; return how many reports there were.

        Refuse with a `ParameterError` if the task still takes reports. From now on it counts as closed.
        """
        forgotten = self._write(contracts.forget_reports, task_id, day)
        self.erase_deleted()
        return forgotten

    def erase_deleted(self) -> None:
        """Count what waits of forgotten reports, and remove deleted rows from the files as far as possible now."""
        for task_id, mark in self._read(contracts.find_erasures):
            if mark == contracts.UNFINISHED:
                # Words that were committed last hold the bodies of their reports.
                self._count_all_words(task_id)
                self._write(contracts.mark_erasure, task_id)
        super().erase_deleted()

    def _count_all_words(self, task_id: str) -> None:
        """Count all words of a task that takes no more reports: nothing of single reports is left then."""
        while self.waiting_words(task_id):
            self.compact(task_id, fully=True)

    def waiting_words(self, task_id: str) -> int:
        """Return how many words of a task wait to be counted."""
        return sum(part.uncounted for part in self.part_summaries(task_id))
