"""The way of a batch from the mixer into the store: pull, verify, open, store, acknowledge, forget the key.

Each step can be repeated, and every state is on disk before the next step begins, so a collector that ends anywhere
goes on there: pages lie in a file until all are verified, opened reports have ids that depend on the entry and the
private key alone, and the mixer keeps its copy until it is told that all is stored.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np

from pckv.base.days import Phase, days_after
from pckv.base.durable import PRIVATE_MODE, sync
from pckv.base.errors import DataError, PckvError, ReportError, StoreError
from pckv.base.wire import Report
from pckv.base.words import one_line
from pckv.collector.computations import do_each
from pckv.collector.http.logs import log
from pckv.collector.recipient.keys import MixerKeys
from pckv.collector.recipient.mixer_client import MixerClient, NoAnswer, ReleasedBatch
from pckv.contract.mixer import KEPT_DAYS, Mixer, entry_bytes
from pckv.contract.task import Task
from pckv.sealing.opening import Opener
from pckv.store.base import FetchedBatch, FetchState
from pckv.store.store import Store

# How long one collector has a batch to itself; after a crash, another one goes on then.
CLAIM_SECONDS = 600
# How often a mixer is asked on the closing day, and whether a day has begun before it.
SECONDS_BETWEEN_QUESTIONS = 600
# The pause after a failure, doubled with each further one.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 60, 6 * 3600
# Entries that are opened, and stored in one transaction.
ENTRIES_AT_ONCE = 10_000
# What tells entries apart: the first half of their SHA-256.
FINGERPRINT_BYTES = 16
COLLECTING, TOO_FEW, DELETED = "collecting", "too few", "done"

T = TypeVar("T")
# What is told of a task that a mixer had accepted, and has no more.
GONE_STATUS = 410


def pause_after(failures: int) -> int:
    """Return how many seconds to wait after a number of failures in a row.

    >>> [pause_after(failures) for failures in (1, 2, 3, 60)]
    [60, 120, 240, 21600]
    """
    return min(FIRST_PAUSE_SECONDS << min(failures - 1, 30), MAX_PAUSE_SECONDS)


class BatchFetcher:
    """Fetches the batches of all mixed tasks of a store.

    Args:
        store: The store.
        keys: The private keys and tokens.
        today: The day in UTC.
        clock: Seconds since 1970.
    """

    def __init__(
        self, store: Store, keys: MixerKeys, today: Callable[[], str], clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._keys, self._today, self._clock = store, keys, today, clock

    def fetch_due(self) -> None:
        """Do what is due for all batches; one that fails does not hold up the others."""
        # A collector without keys leaves all to those that have them.
        if self._keys.is_set:
            work = [partial(self._advance, task_id) for task_id in self._store.unfinished_batches()]
            do_each([*work, self.delete_unneeded])

    def _advance(self, task_id: str) -> None:
        now = int(self._clock())
        if not self._store.claim_batch(task_id, now, CLAIM_SECONDS):
            return
        stored, batch = self._store.find_task(task_id), self._store.find_batch(task_id)
        if stored is None or batch is None or stored.task.mixer is None:
            return
        try:
            self._go_on(stored.task, stored.task.mixer, batch._replace(reason=None, failures=0))
        except StoreError:
            raise
        except (PckvError, OSError) as error:
            reason = str(error) if isinstance(error, PckvError) else f"{error.filename}: {error.strerror}"
            log("batch_failed", task=task_id, reason=one_line(reason))
            self._note_failure(stored.task, one_line(reason), batch.failures + 1)

    def _note_failure(self, task: Task, reason: str, failures: int) -> None:
        batch = self._store.find_batch(task.id)
        if batch is not None:
            self._record(task, batch._replace(reason=reason, failures=failures), pause_after(failures))

    def _go_on(self, task: Task, mixer: Mixer, batch: FetchedBatch) -> None:
        """Do all that can be done now."""
        if task.closes is None or self._today() < task.closes:
            self._ask_waiting(task, mixer, batch)
            return
        if batch.state is FetchState.WAITING:
            batch = self._pull(task, mixer, batch)
        if batch.state is FetchState.PULLED:
            batch = self._open(task, mixer, batch)
        if batch.state is FetchState.OPENED:
            self._acknowledge(task, mixer, batch)

    def _record(self, task: Task, batch: FetchedBatch, pause: int = 0) -> FetchedBatch:
        batch = batch._replace(next_try=int(self._clock()) + (pause or CLAIM_SECONDS))
        self._store.record_batch(task.id, batch)
        return batch

    def _hold(self, task: Task, batch: FetchedBatch) -> FetchedBatch:
        """Keep a batch for this collector while it works on it for long."""
        is_ending = self._clock() > batch.next_try - CLAIM_SECONDS // 2
        return self._record(task, batch) if is_ending else batch

    def _ask_waiting(self, task: Task, mixer: Mixer, batch: FetchedBatch) -> None:
        """Ask the mixer how many reports wait, once per day: its count changes no more often."""
        day = self._today()
        if batch.asked != day:
            batch = batch._replace(waiting=MixerClient(mixer).waiting(task), asked=day)
        self._record(task, batch, SECONDS_BETWEEN_QUESTIONS)

    def _pull(self, task: Task, mixer: Mixer, batch: FetchedBatch) -> FetchedBatch:
        """Pull what the mixer hands over into a file, and verify it."""
        client = MixerClient(mixer, self._keys.token(mixer))
        try:
            told = client.batch(task)
        except NoAnswer as error:
            if error.status != GONE_STATUS:
                raise
            log("batch_withdrawn", task=task.id)
            return self._record(task, batch._replace(state=FetchState.WITHDRAWN, waiting=None))
        if isinstance(told, str):
            return self._not_released(task, mixer, batch, told)
        batch = self._pull_pages(client, task, told, batch)
        self._verify(task, mixer, told.entries, told.sha256)
        return self._record(
            task, batch._replace(state=FetchState.PULLED, entries=told.entries, sha256=told.sha256, waiting=None)
        )

    def _not_released(self, task: Task, mixer: Mixer, batch: FetchedBatch, state: str) -> FetchedBatch:
        if state == COLLECTING:
            # The mixer's day has not come, or it is busy.
            return self._record(task, batch, SECONDS_BETWEEN_QUESTIONS)
        if state == TOO_FEW:
            log("too_few_reports", task=task.id)
            return self._record(task, batch._replace(state=FetchState.TOO_FEW, waiting=None))
        if state == DELETED:
            reason = f"the mixer {mixer.url}: it has deleted the batch, which this collector did not fetch in time"
            raise DataError(reason)
        raise DataError(f"the mixer {mixer.url}: it answers with the unknown state {state!r}")

    def _pull_pages(self, client: MixerClient, task: Task, told: ReleasedBatch, batch: FetchedBatch) -> FetchedBatch:
        """Add the pages that are missing to the file, each on disk before the next is asked for."""
        file = self._keys.batch_file(task.id)
        page_bytes = told.page_entries * entry_bytes(task)
        whole = told.entries * entry_bytes(task)
        handle = os.open(file, os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
        try:
            length = os.fstat(handle).st_size
            # The rest of a page that was being written, or of another batch, is not used.
            length = length if length == whole else length // page_bytes * page_bytes if length < whole else 0
            os.truncate(handle, length)
            os.lseek(handle, 0, os.SEEK_END)
            while length < whole:
                content = client.page(task, told, length // page_bytes)
                _write(handle, content)
                os.fsync(handle)
                length += len(content)
                batch = self._hold(task, batch)
        finally:
            os.close(handle)
        sync(file.parent)
        return batch

    def _verify(self, task: Task, mixer: Mixer, count: int, sha256: str) -> None:
        """Refuse a batch that is not the announced one, or has an entry twice; it is then pulled anew."""
        whole, fingerprints = hashlib.sha256(), bytearray()
        for entries in self._entries(task):
            for entry in entries:
                whole.update(entry)
                fingerprints += hashlib.sha256(entry).digest()[:FINGERPRINT_BYTES]
        found = len(fingerprints) // FINGERPRINT_BYTES
        # Two whole numbers per entry.
        pairs = np.frombuffer(bytes(fingerprints), "<u8").reshape(-1, 2)
        reason = None
        if found != count:
            reason = f"its batch has {found:,} entries, not {count:,}"
        elif whole.hexdigest() != sha256:
            reason = "its batch does not have the announced SHA-256"
        elif len(np.unique(pairs, axis=0)) != count:
            reason = "its batch has entries that are repeated"
        if reason is not None:
            self._keys.delete_batch(task.id)
            raise DataError(f"the mixer {mixer.url}: {reason}; nothing of it is stored")

    def _entries(self, task: Task) -> Iterator[list[bytes]]:
        """Yield the entries of the file, some at a time."""
        size = entry_bytes(task)
        with self._keys.batch_file(task.id).open("rb") as file:
            while content := file.read(size * ENTRIES_AT_ONCE):
                yield [content[first : first + size] for first in range(0, len(content), size)]

    def _open(self, task: Task, mixer: Mixer, batch: FetchedBatch) -> FetchedBatch:
        """Open the entries and store their reports; those that do not open or decode are counted."""
        key = self._keys.find(mixer)
        if not self._is_whole(task, mixer, batch):
            self._pull_again(task, mixer, batch)
        opened = unreadable = 0
        with Opener(key, task.digest, task.message_format.body_bytes) as opener, ThreadPoolExecutor(1) as thread:
            # While some are stored, the next ones are opened.
            for following in _one_ahead(thread.submit(opener.open_many, entries) for entries in self._entries(task)):
                found = following.result()
                reports = [report for report in found if report and _is_readable(task, report)]
                if not self._store.add_opened_reports(task.id, reports, self._today()):
                    raise DataError("the task was deleted, or its reports were, before its batch was in")
                opened += len(reports)
                unreadable += len(found) - len(reports)
                batch = self._hold(task, batch)
        log("batch_opened", task=task.id, reports=opened, unreadable=unreadable)
        return self._record(task, batch._replace(state=FetchState.OPENED, opened=opened, unreadable=unreadable))

    def _is_whole(self, task: Task, mixer: Mixer, batch: FetchedBatch) -> bool:
        """Return whether the file still is the batch that was verified; another collector may have pulled it."""
        try:
            self._verify(task, mixer, batch.entries or 0, batch.sha256 or "")
        except (DataError, FileNotFoundError):
            return False
        return True

    def _pull_again(self, task: Task, mixer: Mixer, batch: FetchedBatch) -> None:
        """Pull the same batch once more; some of its reports may be stored already, so no other one is taken."""
        client = MixerClient(mixer, self._keys.token(mixer))
        told = client.batch(task)
        if isinstance(told, str) or (told.entries, told.sha256) != (batch.entries, batch.sha256):
            raise DataError(f"the mixer {mixer.url}: it does not hand over the batch that it announced before")
        self._pull_pages(client, task, told, batch)
        self._verify(task, mixer, told.entries, told.sha256)

    def _acknowledge(self, task: Task, mixer: Mixer, batch: FetchedBatch) -> None:
        """Tell the mixer that the batch is in, and delete what opens it."""
        last = days_after(task.closes or self._today(), KEPT_DAYS)
        try:
            MixerClient(mixer, self._keys.token(mixer)).acknowledge(task, batch.sha256 or "")
        except DataError:
            # A mixer that was late still has the batch; one that was not has deleted it by then.
            if last is None or self._today() < last:
                raise
        self._record(task, batch._replace(state=FetchState.DONE))

    def delete_unneeded(self) -> None:
        """Delete the sealed batches that are opened or lost, and the keys and tokens that no batch needs any more."""
        unfinished = self._store.unfinished_batches()
        for task_id in self._keys.held_batches() - set(unfinished):
            self._keys.delete_batch(task_id)
        for key in self._keys.held_keys():
            if is_finished(self._store, key, self._today()):
                self._keys.delete(key)


def is_finished(store: Store, key: str, day: str, without: str = "") -> bool:
    """Return whether a public key is known, and no batch that is sealed for it is to come after a day.

    Args:
        store: The store.
        key: The public key.
        day: The day.
        without: A task that does not count, since it is being deleted.
    """
    tasks = [task for task in store.tasks_with_key(key) if task.id != without]
    series = [one for one in store.all_series() if one.series.task.mixer and one.series.task.mixer.key == key]
    is_known = bool(tasks or series or without)
    return is_known and all(task.is_final for task in tasks) and all(one.phase(day) is Phase.CLOSED for one in series)


def _is_readable(task: Task, report: Report) -> bool:
    """Return whether the body of an opened report is a message of the task."""
    try:
        task.message_format.decode(report.body)
    except ReportError:
        return False
    return True


def _one_ahead(started: Iterator[T]) -> Iterator[T]:
    """Yield what is started, each once the next one has been started too."""
    for first, _ in pairwise(chain(started, [None])):
        if first is not None:
            yield first


def _write(handle: int, content: bytes) -> None:
    written = 0
    while written < len(content):
        written += os.write(handle, content[written:])
